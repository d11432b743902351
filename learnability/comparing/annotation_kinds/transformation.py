"""Define an annotation by a single transformation of UD in one variant, ``cop:reattach=clause``."""

from __future__ import annotations

from typing import ClassVar

from learnability.comparing.annotation import Annotation, RuleAnnotation
from learnability.schemes import split_names, transformation_named
from learnability.transforms.base import Rule
from learnability.transforms.registry import get_transformation, known_transformations
from learnability.treebanks.sentence import Conventions


class SingleTransformation(RuleAnnotation):
    """UD with one kind of construction transformed."""

    is_single: ClassVar[bool] = True

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the transformation: options in order, defaults left out."""
        if spelling.partition(":")[0] not in known_transformations() or len(split_names(spelling)) > 1:
            return None
        return cls(get_transformation(spelling).spec)

    @classmethod
    def check_name(cls, spelling: str) -> None:
        """Raise an InputError: what is of no other kind is meant for a transformation."""
        transformation_named(spelling)

    @property
    def construction(self) -> tuple[str, str]:
        """Return its name and its variant."""
        name, _, variant = self.spelling.partition(":")
        return name, variant

    def transformation(self, conventions: Conventions) -> Rule:
        return get_transformation(self.spelling, conventions)
