"""Experiments: conditions, cells, the resumable runner, records and the results they give."""
