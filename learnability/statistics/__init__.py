"""Statistics: significance, racing, prediction, random effects over treebanks."""
