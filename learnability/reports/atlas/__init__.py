"""What a survey over many treebanks says, as a static site and as a CLDF dataset."""
