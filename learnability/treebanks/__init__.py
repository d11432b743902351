"""Universal Dependencies treebanks: reading, writing, finding and splitting them."""
