"""Learning curves: both annotations on growing parts of the training data."""
