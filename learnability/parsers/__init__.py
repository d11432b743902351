"""Define the parsers that learn the annotations, called parsers in code: our parsers and other programs."""
