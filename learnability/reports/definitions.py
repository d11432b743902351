"""Say what an annotation changes in UD: one from the catalogue, or from a user's file."""

from __future__ import annotations

from learnability.comparing.annotation import SCHEME
from learnability.comparing.names import annotation_spelled
from learnability.comparing.pair import AnnotationFacts
from learnability.errors import InputError
from learnability.schemes.catalogue import describe_construction
from learnability.support.toml_section import SUFFIX


def describe_annotation(annotation: AnnotationFacts) -> str:
    """Return what an annotation changes in UD, and of which constructions a user's scheme consists."""
    known = describe_construction(annotation.spelling.removeprefix(SCHEME))
    if known:
        return known
    try:
        described = annotation_spelled(annotation.spelling).description
    except InputError:  # its file is gone
        parts = (": ".join(filter(None, (spec, describe_construction(spec)))) for spec in annotation.specs)
        return "; ".join(parts)
    is_file = annotation.spelling.endswith(SUFFIX)
    return f"{described} ({', '.join(annotation.specs)})" if is_file and annotation.specs else described
