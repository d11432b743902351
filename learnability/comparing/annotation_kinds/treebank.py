"""Take the annotation of a treebank that is compared with another one of the same sentences."""

from __future__ import annotations

from typing import ClassVar

from learnability.comparing.annotation import Annotation, CarriedAnnotation

PREFIX = "treebank:"
"""What the spelling of an annotation begins with that a treebank gives."""


class TreebankAnnotation(CarriedAnnotation):
    """Hold the trees of a treebank, which the sentences carry."""

    parameter: ClassVar[str] = "alternative"
    is_typed: ClassVar[bool] = False

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        return cls(spelling) if spelling.startswith(PREFIX) else None

    @classmethod
    def of(cls, title: str) -> TreebankAnnotation:
        return cls(PREFIX + title)

    @property
    def name(self) -> str:
        return self.spelling.removeprefix(PREFIX)
