"""Hold the studies, a folder each: the questions that a run can answer about a treebank."""
