"""Give UD other tags, features or relations: ``upos:AUX=VERB``, or a built-in change such as ``aux-verb``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnability.comparing.annotation import Annotation, RuleAnnotation
from learnability.schemes import split_names
from learnability.schemes.relabellings import built_in, is_relabelling, relabelling_named
from learnability.transforms.joint import JointTransformation
from learnability.transforms.relabelling import Relabelling

if TYPE_CHECKING:
    from learnability.transforms.base import Transformation
    from learnability.treebanks.sentence import Conventions


class RelabelledAnnotation(RuleAnnotation):
    """UD with other tags, features or relations; no head moves."""

    @classmethod
    def resolve_spelling(cls, spelling: str) -> Annotation | None:
        """Return the change of labels: by its name, or by its values in one spelling."""
        if not is_relabelling(spelling) or len(split_names(spelling)) > 1:
            return None
        return cls(spelling if spelling in built_in() else relabelling_named(spelling).specs[0])

    @property
    def relabelling(self) -> Relabelling:
        return relabelling_named(self.spelling)

    @property
    def definition(self) -> tuple[str, ...] | None:
        """Return what its name stands for; None if the name says it."""
        return self.relabelling.specs if self.spelling in built_in() else None

    def transformation(self, conventions: Conventions) -> Transformation:
        return JointTransformation((), self.spelling)
