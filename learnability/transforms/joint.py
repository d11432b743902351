"""Apply several transformations in a fixed order (docs/rules.md, Several transformations together).

The order of the layers, and why:

0. Punctuation (``punct``) comes before everything else: marks have no dependents, so no later layer needs
them where UD has them; they move like all other words.
1. Chains (``mwe``, ``name``) come next: they only move words of an expression and what lies
between them, so every later layer finds its words where UD put them.
2. Coordination (``cc``) follows: coordinated expressions and names are then coordinated as wholes, and it
needs the conjuncts at their UD places. A chain place that would move a conjunct or a coordinator is dropped
and counted. ``conj`` follows ``cc`` and drops the coordinations that ``cc`` changes. ``conjuncts`` comes next
and drops what either changes; it looks at the dependents that the layers below left to the first conjunct.
3. Function words (``case``, ``det``, ``mark``, ``cop``, ``aux``) come last, all in one pass: they wrap
whatever stands in the place of a phrase, so *in Paris and in London* becomes and -> {in -> Paris, in ->
London}, and the function words of one content word form one chain (that -> is -> in -> shape).

If two transformations claim a token (the passive auxiliary, by ``cop`` and ``aux``), it is a place of the one
that comes first in ``learnability list transforms``, in whatever order the caller names them. Each layer is a
total map on trees that keeps projectivity (but for variants that promise no such thing), so their composition
is too.
"""

from __future__ import annotations

from collections.abc import Sequence

from learnability.errors import InputError
from learnability.transforms.base import Rule, Transformation
from learnability.transforms.registry import TRANSFORMATIONS


class JointTransformation(Transformation):
    """Apply several transformations together; with none, the identity (the scheme ``ud``).

    Args:
        parts: the transformations, in any order.
        name: its name; by default the names of its parts joined with ``+``.
        has_sud_relations: whether it gives all words the relations of SUD.

    Raises:
        InputError: a rule occurs twice.
    """

    description = "several constructions together"
    place_labels = "those of its parts"

    def __init__(
        self, parts: Sequence[Transformation], name: str = "", *, has_sud_relations: bool = False
    ) -> None:
        rules = (rule for transformation in parts for rule in transformation.rules)
        self._parts = tuple(sorted(rules, key=place))
        names = [rule.name for rule in self._parts]
        twice = sorted({rule for rule in names if names.count(rule) > 1})
        if twice:
            raise InputError(f"{twice[0]} occurs twice; name each construction once, in one variant")
        self.name = name or "+".join(names)
        self.has_sud_relations = has_sud_relations

    @property
    def spec(self) -> str:
        """Return the transformations as on the command line, or its name if that says more."""
        return self.name if self.has_sud_relations else super().spec

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self._parts


def place(rule: Rule) -> tuple[int, str]:
    """Return the rank of a rule: its position in the registry, or behind all of them, sorted by name."""
    order = list(TRANSFORMATIONS)
    return order.index(rule.name) if rule.name in order else len(order), rule.name
