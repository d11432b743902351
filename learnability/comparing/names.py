"""The names of annotations, resolved once: those that users write, and those in records and config.json."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from learnability.comparing.annotation import Annotation
from learnability.comparing.kinds.scheme import PREFIX, SchemeAnnotation
from learnability.comparing.kinds.transformation import SingleTransformation
from learnability.comparing.kinds.treebank import TreebankAnnotation
from learnability.comparing.kinds.ud import UD, UniversalDependencies
from learnability.errors import InputError
from learnability.schemes import transformation_named

KINDS: tuple[type[Annotation], ...] = (SingleTransformation, SchemeAnnotation)
"""The kinds that users name."""

STORED_KINDS: tuple[type[Annotation], ...] = (UniversalDependencies, TreebankAnnotation, *KINDS)
"""The kinds whose spellings stand in records and config.json."""


def annotation_spelled(spelling: str) -> Annotation:
    """Return the annotation with this spelling in records and config.json.

    Raises:
        InputError: there is none, or not any more.
    """
    return _first(STORED_KINDS, spelling) or _unknown(spelling)


def annotation_typed(spelling: str) -> Annotation:
    """Return the annotation of a transformation as users write it, in whatever order its options stand, or of
    a scheme after ``scheme:``.

    Raises:
        InputError: there is none; with the nearest name.
    """
    return _first(KINDS, spelling) or _unknown(spelling)


def annotation_named(name: str) -> Annotation:
    """Return the transformation or the scheme with this name, UD for a scheme that changes nothing.

    Raises:
        InputError: there is none; with the nearest name.
    """
    annotation = _first(KINDS, name) or scheme_named(name)
    return annotation if annotation.parts or not annotation.has_rule else UD


def scheme_named(name: str) -> Annotation:
    """Return the scheme with this name, or in the TOML file of this name."""
    return annotation_typed(PREFIX + name)


def annotations_typed(spellings: Sequence[str]) -> tuple[Annotation, ...]:
    """Return the annotations of a user's list, each once.

    Raises:
        InputError: two names of one annotation: it would be trained and tested twice, and the correction
            for several comparisons would count it twice.
    """
    annotations = tuple(dict.fromkeys(map(annotation_typed, spellings)))
    for first, second in combinations(annotations, 2):
        if first.same_as(second):
            both = f"--{first.parameter} {first.name} and --{second.parameter} {second.name}"
            raise InputError(f"{both} are the same annotation; leave out one of them")
    return annotations


def together(specs: Sequence[str]) -> Annotation:
    """Return the annotation that these transformations give together: UD without any."""
    if not specs:
        return UD
    return annotation_typed(specs[0]) if len(specs) == 1 else scheme_named("+".join(specs))


def _first(kinds: Sequence[type[Annotation]], spelling: str) -> Annotation | None:
    resolved = (kind.resolved(spelling) for kind in kinds)
    return next((annotation for annotation in resolved if annotation is not None), None)


def _unknown(spelling: str) -> Annotation:
    """Raise the InputError that says what is wrong with a name that is of no kind."""
    transformation_named(spelling)
    raise InputError(f"{spelling}: there is no such annotation")
