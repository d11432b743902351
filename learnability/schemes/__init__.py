"""Named combinations of transformations: the catalogue, and schemes in general."""

from learnability.schemes.catalogue import CATALOGUE, find_scheme, get_scheme, transformation_named
from learnability.schemes.scheme import Scheme

__all__ = ["CATALOGUE", "Scheme", "find_scheme", "get_scheme", "transformation_named"]
