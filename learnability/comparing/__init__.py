"""One comparison on one treebank: annotations, folds, trainings, the conversion back to UD."""
