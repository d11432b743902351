"""Statistics: significance, races, predictions, random effects over treebanks."""
