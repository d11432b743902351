"""Check by which transformation sentences were made, as their comments say."""

from __future__ import annotations

from collections.abc import Iterable

from learnability.errors import InputError
from learnability.treebanks.sentence import Sentence, Tree


def check_ud(sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """Raise InputError if a sentence has a comment saying that it is transformed."""
    for sentence in sentences:
        if isinstance(sentence, Sentence) and (spec := sentence.transformed):
            advice = (
                "undo this with `learnability transform --invert`, then apply all constructions in one "
                "command"
            )
            raise InputError(f"{_place(where, sentence)} is already transformed ({spec}); {advice}")


def check_transformed(spec: str, sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """Raise InputError if a sentence has a comment that names another transformation than `spec`."""
    for sentence in sentences:
        if isinstance(sentence, Sentence) and sentence.transformed not in ("", spec):
            problem = f"was transformed by {sentence.transformed}, not by {spec}; use {sentence.transformed}"
            raise InputError(f"{_place(where, sentence)} {problem}")


def _place(where: str, sentence: Sentence) -> str:
    return f"{where}: sentence {sentence.name}" if where else f"sentence {sentence.name}"
