"""Predict from short trainings which annotation is easier to learn."""
