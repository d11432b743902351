"""Carry out runs of any kind: plan, cells, workers, folder, records, configuration."""
