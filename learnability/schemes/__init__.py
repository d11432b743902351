"""Combine transformations under a name: the catalogue, and schemes in general."""

from learnability.schemes.catalogue import (
    CATALOGUE,
    find_scheme,
    get_scheme,
    is_scheme_name,
    spelled_scheme,
    split_names,
    transformation_named,
)
from learnability.schemes.scheme import Scheme
from learnability.schemes.toml_file import CommandScheme

__all__ = [
    "CATALOGUE",
    "CommandScheme",
    "Scheme",
    "find_scheme",
    "get_scheme",
    "is_scheme_name",
    "spelled_scheme",
    "split_names",
    "transformation_named",
]
