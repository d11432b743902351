"""Read, write, find and split Universal Dependencies treebanks."""
