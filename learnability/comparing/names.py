"""Resolve the names of annotations: those that users write, and those in records and config.json."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from learnability.comparing.annotation import SCHEME, Annotation
from learnability.comparing.annotation_kinds import KINDS
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.schemes import transformation_named


def annotation_spelled(spelling: str) -> Annotation:
    """Return the annotation with this spelling in records and config.json; InputError if there is none."""
    return _first(KINDS, spelling) or _refuse_name(spelling)


def annotation_typed(spelling: str) -> Annotation:
    """Return the annotation as users write it: a transformation, or ``scheme:`` and a scheme."""
    return _parse_spelling(spelling) or _refuse_name(spelling)


def annotation_named(name: str) -> Annotation:
    """Return the transformation or the scheme with this name, UD for a scheme that changes nothing."""
    annotation = _parse_spelling(name) or scheme_named(name)
    return annotation if annotation.changes else UD


def scheme_named(name: str) -> Annotation:
    return annotation_typed(SCHEME + name)


def annotations_typed(spellings: Sequence[str]) -> tuple[Annotation, ...]:
    """Return the annotations of a user's list, each once.

    Raises:
        InputError: two names of one annotation: it would be trained and tested twice, and the correction
            for several comparisons would count it twice.
    """
    annotations = tuple(dict.fromkeys(map(annotation_typed, spellings)))
    for first, second in combinations(annotations, 2):
        if first.same_as(second):
            both = f"`{first.parameter}={first.name!r}` and `{second.parameter}={second.name!r}`"
            raise InputError(f"{both} are the same annotation; leave out one of them")
    return annotations


def join_transformations(specs: Sequence[str]) -> Annotation:
    """Return the annotation that these transformations give together: UD without any."""
    if not specs:
        return UD
    return annotation_typed(specs[0]) if len(specs) == 1 else scheme_named("+".join(specs))


def _parse_spelling(spelling: str) -> Annotation | None:
    return _first([kind for kind in KINDS if kind.is_typed], spelling)


def _first(candidates: Sequence[type[Annotation]], spelling: str) -> Annotation | None:
    resolved = (kind.resolve_spelling(spelling) for kind in candidates)
    return next((annotation for annotation in resolved if annotation is not None), None)


def _refuse_name(spelling: str) -> Annotation:
    transformation_named(spelling)  # what is of no other kind is meant for a transformation
    raise InputError(
        f"{spelling} is unknown; see `learnability list transforms` and `learnability list schemes`"
    )
