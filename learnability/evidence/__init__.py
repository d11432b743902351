"""Turn the records of runs into rows and answers, for several parsers and several treebanks."""
