"""Several transformations together, in one order.

The order of the layers, and why:

1. Chains (``mwe``, ``name`` in style chain) first: they only move words of an expression and what lies
   between them, so every later layer finds its own words where UD put them.
2. Coordination (``cc``) next: coordinated expressions and names are then coordinated as wholes, and it
   needs the conjuncts at their UD places. A chain site that would move a conjunct or a coordinator is
   dropped and counted.
3. Promotions (``mwe``, ``name`` in style last-head) after coordination: promoting first would take a
   conjunct out of its coordination, while a promoted word can take the place of a conjunct at any time.
   A site whose words an earlier layer may move is dropped and counted.
4. Function words (``case``, ``det``, ``mark``, ``cop``, ``aux``) last, all in one pass: they wrap whatever
   stands in the place of a phrase, so *in Paris and in London* becomes and -> {in -> Paris, in -> London},
   and the function words of one content word form one chain (that -> is -> in -> shape).

A token that two transformations claim (the passive auxiliary, by ``cop`` and ``aux``) is a site of the one
that comes first in the paper's order. Each layer is a total map on trees that keeps projectivity, so their
composition is.
"""

from __future__ import annotations

from collections.abc import Sequence

from learnability.errors import InputError
from learnability.transforms.base import Family, Promises, Transformation


class JointTransformation(Transformation):
    """Several single transformations applied together; with none, the identity (the scheme ``ud``)."""

    description = "several transformations together"
    site_labels = "those of its parts"

    def __init__(self, parts: Sequence[Transformation], name: str = "") -> None:
        self._parts = tuple(part for transformation in parts for part in transformation.parts)
        names = [part.name for part in self._parts]
        twice = sorted({part for part in names if names.count(part) > 1})
        if twice:
            raise InputError(f"{twice[0]}: given twice; a transformation applies once, in one variant")
        self._name = name or "+".join(names)
        self.chosen = {}
        self._known = {}

    @property
    def name(self) -> str:  # type: ignore[override]
        """The given name, else the names of the parts joined with ``+``."""
        return self._name

    @property
    def variant(self) -> str:
        """The variants of the parts that have one, ``cop:reattach=clause``."""
        return " ".join(part.spec for part in self._parts if part.variant)

    @property
    def spec(self) -> str:
        """The parts as written on the command line."""
        return "+".join(part.spec for part in self._parts)

    @property
    def parts(self) -> tuple[Transformation, ...]:
        """The single transformations, in the order given."""
        return self._parts

    @property
    def family(self) -> Family:
        """A joint transformation belongs to the families of its parts."""
        raise TypeError("a joint transformation has no family of its own")

    def is_site_label(self, deprel: str) -> bool:
        """Whether a token with this deprel may be a site of a part."""
        return any(part.matches(deprel) for part in self._parts)

    @property
    def promised(self) -> Promises:
        """The weakest promise of each kind among the parts."""
        each = [part.promised for part in self._parts]
        return Promises(
            tree=all(one.tree for one in each),
            projective=all(one.projective for one in each),
            distinct=all(one.distinct for one in each),
            invertible=(
                min((one.invertible[0] for one in each), default=1.0),
                min((one.invertible[1] for one in each), default=1.0),
            ),
        )
