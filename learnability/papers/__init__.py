"""The experiments of the papers, on the same engine."""
