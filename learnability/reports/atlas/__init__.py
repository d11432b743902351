"""Atlas: the answers over many treebanks as a static site."""
