"""Define the parsers that learn the annotations, called judges in code: our parsers and other programs."""
