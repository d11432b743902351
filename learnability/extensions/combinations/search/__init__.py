"""Search all combinations for the scheme that is easiest to learn."""
