"""Repeat the experiments of the papers, on the same engine."""
