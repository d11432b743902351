"""Resolve the names of annotations: those that users write, and those in records and config.json."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from learnability.comparing.annotation import SCHEME, Annotation
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.support.plugins import import_object


@cache
def known_kinds() -> tuple[type[Annotation], ...]:
    """Return all kinds of annotation; they are imported when the first name is resolved."""
    kinds: tuple[type[Annotation], ...] = import_object("learnability.comparing.annotation_kinds:KINDS")
    return kinds


def annotation_spelled(spelling: str) -> Annotation:
    return _first(known_kinds(), spelling) or _refuse_name(spelling)


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
    """Return the annotations of a user's list, each once; InputError for two names of one annotation, which
    the correction for several comparisons would count twice."""
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
    return _first([kind for kind in known_kinds() if kind.is_typed], spelling)


def _first(candidates: Sequence[type[Annotation]], spelling: str) -> Annotation | None:
    resolved = (kind.resolve_spelling(spelling) for kind in candidates)
    return next((annotation for annotation in resolved if annotation is not None), None)


def _refuse_name(spelling: str) -> Annotation:
    for kind in known_kinds():
        kind.check_name(spelling)
    raise InputError(
        f"{spelling} is unknown; see `learnability list transforms` and `learnability list schemes`"
    )
