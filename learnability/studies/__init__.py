"""The studies: what can be asked of a treebank, a folder each."""
