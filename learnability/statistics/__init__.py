"""Compute statistics: significance, races, predictions, random effects over treebanks."""
