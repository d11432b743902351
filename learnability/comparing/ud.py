"""Describe UD trees as an annotation; all other annotations are functions of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from learnability.comparing.annotation import Annotation, RuleAnnotation

if TYPE_CHECKING:
    from learnability.transforms.base import Transformation
    from learnability.treebanks.sentence import Conventions

SPELLING = "ud"


class UniversalDependencies(RuleAnnotation):
    """UD itself, which changes nothing."""

    parameter: ClassVar[str] = "alternative"
    is_typed: ClassVar[bool] = False
    is_ud: ClassVar[bool] = True

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        return UD if spelling == SPELLING else None

    @property
    def title(self) -> str:
        return "UD"

    def transformation(self, conventions: Conventions) -> Transformation:
        """Return the transformation without parts."""
        from learnability.transforms.joint import JointTransformation

        return JointTransformation((), SPELLING)


UD: Annotation = UniversalDependencies(SPELLING)
"""The only one."""
