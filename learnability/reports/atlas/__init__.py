"""Publish a survey over many treebanks as a static site and as a CLDF dataset."""
