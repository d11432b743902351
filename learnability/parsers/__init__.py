"""Define the parsers that learn the annotations: our parsers and other programs."""
