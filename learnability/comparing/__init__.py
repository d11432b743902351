"""Compare two annotations of one treebank: annotations, folds, trainings, the conversion back to UD."""
