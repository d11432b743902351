"""Train once against all transformations together."""
