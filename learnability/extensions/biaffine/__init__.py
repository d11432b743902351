"""Biaffine: a neural graph-based parser on JAX, its training, and its word vectors."""

from learnability.support.plugins import Extension

EXTENSION = Extension(name="biaffine", parsers=("learnability.extensions.biaffine.kind:BIAFFINE",))
