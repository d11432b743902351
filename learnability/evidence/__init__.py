"""What the records of runs show: rows, decisions, several judges, several treebanks."""
