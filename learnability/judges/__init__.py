"""The parsers that learn the annotations, called judges in code: the package's parsers and other programs."""
