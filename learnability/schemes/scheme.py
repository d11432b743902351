"""A scheme: a named set of transformations with their variants, applied at all their places, and of changes
of tags, features and relations."""

from __future__ import annotations

from dataclasses import dataclass, field

from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.transforms.relabelling import Relabelling
from learnability.treebanks.sentence import Conventions


@dataclass(frozen=True, slots=True)
class Scheme:
    """Represent an annotation scheme, defined by transformations of UD.

    Attributes:
        name: the name on the command line.
        transformations: as after ``--transform``, for example ``cop:reattach=clause``.
        description: one line for ``learnability list schemes``.
        relabelling: the changes of tags, features and relations beside the transformations.
        has_sud_relations: whether it gives all words the relations of SUD, which its inverse takes back.
    """

    name: str
    transformations: tuple[str, ...] = ()
    description: str = ""
    relabelling: Relabelling = field(default_factory=Relabelling)
    has_sud_relations: bool = False

    @property
    def specs(self) -> tuple[str, ...]:
        """Return everything that the scheme consists of, as on the command line."""
        return (*self.transformations, *self.relabelling.specs)

    def transformation(self, conventions: Conventions) -> JointTransformation:
        """Return the joint transformation of the scheme for a treebank.

        Args:
            conventions: the conventions of the treebank.

        Returns:
            The joint transformation, named after the scheme.

        Raises:
            InputError: a transformation, option or value does not exist, or a transformation occurs twice.
        """
        parts = [get_transformation(spec, conventions) for spec in self.transformations]
        return JointTransformation(parts, self.name, has_sud_relations=self.has_sud_relations)
