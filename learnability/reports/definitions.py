"""Say what an annotation changes in UD: one from the catalogue, or from a user's file."""

from __future__ import annotations

from learnability.comparing.annotation import SCHEME
from learnability.comparing.names import annotation_spelled
from learnability.errors import InputError
from learnability.schemes.catalogue import describe_construction


def describe_annotation(spelling: str) -> str:
    """Return what the annotation with this spelling changes in UD; empty where its file is gone."""
    known = describe_construction(spelling.removeprefix(SCHEME))
    if known:
        return known
    try:
        return annotation_spelled(spelling).description
    except InputError:
        return ""
