"""What every transformation is: sites, apply, invert, promises; and how several are composed.

The lazy representation behind them is in :mod:`learnability.transforms.plan`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from learnability.errors import InputError
from learnability.transforms.external_inverse import is_external
from learnability.transforms.inverse import SidePreferences
from learnability.transforms.plan import Leaf, Plan, Site, depends_on
from learnability.treebanks.sentence import ROOT, Conventions, Tree

if TYPE_CHECKING:
    from learnability.transforms.restriction import Restriction

__all__ = [
    "Family",
    "Leaf",
    "Plan",
    "Promises",
    "SidePreferences",
    "Site",
    "Transformation",
    "compose",
    "depends_on",
    "explore",
    "invert_all",
    "learn_side_preferences",
    "swap_root_labels",
]


@dataclass(frozen=True, slots=True)
class Promises:
    """The properties a variant promises (design section 5).

    Attributes:
        tree: the result is a tree over the same tokens, for every selection.
        projective: a projective tree stays projective, for every selection.
        distinct: distinct selections give distinct trees.
        invertible: share of the re-headed tokens that :meth:`Transformation.invert` restores without
            provenance on gold trees with all sites selected, for UD version 1 and 2.
    """

    tree: bool = True
    projective: bool = True
    distinct: bool = True
    invertible: tuple[float, float] = (0.97, 0.99)


class Family(ABC):
    """Transformations that work by the same kind of rule, and therefore share a layer.

    `rank` is the place in the order of application (documented in :mod:`learnability.transforms.joint`).
    """

    rank: ClassVar[int]
    promotes: ClassVar[bool] = False
    """Whether its sites take the place of other words without being function words."""

    def reserve(self, tree: Tree, members: Sequence[Transformation]) -> frozenset[int]:
        """The tokens that must come to this family's layer with their UD heads."""
        return frozenset()

    @abstractmethod
    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """Add the layer of `members` to `plan`, dropping sites that would move a token in `reserved`."""

    def learn(
        self, trees: Sequence[Tree], members: Sequence[Transformation], whole: Transformation
    ) -> SidePreferences:
        """What UD trees tell :meth:`invert`; as far as this family needs it, nothing."""
        return SidePreferences()

    @abstractmethod
    def invert(
        self,
        trees: Sequence[Tree],
        members: Sequence[Transformation],
        sites: Sequence[frozenset[int] | None],
        preferences: SidePreferences | None,
        whole: Transformation,
        external: bool,
    ) -> list[Tree]:
        """Undo this family's layer in each tree; `whole` is the transformation it is part of.

        `external`: the trees bear external labels (rule 2.8).
        """


def compose(tree: Tree, transformations: Sequence[Transformation]) -> Plan:
    """Compile `transformations` together for `tree`, family by family in the order of their ranks."""
    plan = Plan(tree)
    families = _by_family(transformations)
    order = sorted(families, key=lambda family: family.rank)
    for i, family in enumerate(order):
        reserved = frozenset[int]().union(*(later.reserve(tree, families[later]) for later in order[i + 1 :]))
        family.extend(plan, families[family], reserved)
    members = {transformation.name: transformation for transformation in transformations}
    plan.withhold(site for site in plan.sites if not members[site.transform].admits(tree, site.token))
    return plan


def _by_family(transformations: Iterable[Transformation]) -> dict[Family, list[Transformation]]:
    families: dict[Family, list[Transformation]] = defaultdict(list)
    for transformation in transformations:
        families[transformation.family].append(transformation)
    return families


class Transformation(ABC):
    """A reversible change of annotation, pure and total over selections of its sites.

    Attributes:
        name: the name on the command line (``cop``).
        options: the values allowed for each option, the default first.
        promises: what the default variant promises; see :meth:`promised`.
        site_labels: in words, the deprels that make a site.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    site_labels: ClassVar[str]
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    promises: ClassVar[Promises] = Promises()
    restriction: Restriction | None = None
    """Which of the sites are admitted, see :mod:`learnability.transforms.restriction`; None: all."""

    def __init__(self, conventions: Conventions, **chosen: str) -> None:
        self.conventions = conventions
        self._known: dict[str, bool] = {}
        self.chosen: dict[str, str] = {key: values[0] for key, values in self.options.items()}
        for key, value in chosen.items():
            if value not in self.options.get(key, ()):
                raise InputError(f"{self.name}: no option {key}={value}")
            self.chosen[key] = value

    @property
    @abstractmethod
    def family(self) -> Family:
        """The family whose layer applies this transformation."""

    @abstractmethod
    def is_site_label(self, deprel: str) -> bool:
        """Whether a token with this deprel may identify a site."""

    def matches(self, deprel: str) -> bool:
        """:meth:`is_site_label`, remembered: a treebank has few labels and many tokens."""
        known = self._known.get(deprel)
        if known is None:
            known = self._known[deprel] = self.is_site_label(deprel)
        return known

    def admits(self, tree: Tree, token: int) -> bool:
        """Whether the site of `token` in the UD tree is one under this transformation's restriction."""
        return self.restriction is None or self.restriction.admits(tree, token, self.conventions.language)

    def admitted_words(self, tree: Tree) -> frozenset[int] | None:
        """The tokens of a tree, transformed or not, that the restriction allows to be sites; None: all."""
        if self.restriction is None:
            return None
        language, admits = self.conventions.language, self.restriction.admits_word
        return frozenset(token for token in range(1, len(tree) + 1) if admits(tree, token, language))

    @property
    def variant(self) -> str:
        """The options that are not the default, ``reattach=clause``, and the restriction; else empty."""
        changed = [
            f"{key}={self.chosen[key]}"
            for key in sorted(self.options)
            if self.chosen[key] != self.options[key][0]
        ]
        return ",".join([*changed, str(self.restriction)] if self.restriction else changed)

    @property
    def spec(self) -> str:
        """The transformation as written on the command line, ``cop:reattach=clause``."""
        return f"{self.name}:{self.variant}" if self.variant else self.name

    @property
    def promised(self) -> Promises:
        """What this variant promises."""
        return self.promises

    @property
    def parts(self) -> tuple[Transformation, ...]:
        """The single transformations this one applies together."""
        return (self,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}>"

    def plan(self, tree: Tree) -> Plan:
        """This transformation compiled for `tree`."""
        return compose(tree, self.parts)

    def sites(self, tree: Tree) -> tuple[Site, ...]:
        """The sites in `tree`, sorted by token."""
        return self.plan(tree).sites

    def skipped(self, tree: Tree) -> Counter[str]:
        """Constructions in `tree` that are not handled, and dropped sites, counted by kind."""
        return self.plan(tree).skipped

    def apply(self, tree: Tree, selection: Collection[Site] | None = None, *, labels: str = "keep") -> Tree:
        """`tree` with the sites of `selection` (all where None) transformed.

        With ``labels="keep"`` every token keeps its deprel, except that HEAD 0 always bears the root
        label: where the root moves, the old and the new root swap deprels. With ``"external"`` the new
        head of a construction takes its external deprel and the content word ``comp:<label>`` (rule 2.8).

        Raises:
            InputError: a site of `selection` is not one of the tree's.
        """
        plan = self.plan(tree)
        if selection is None:
            tokens = frozenset(site.token for site in plan.sites)
        else:
            tokens = _checked(plan, selection)
        if not tokens:
            return tree
        heads = plan.heads(tokens)
        if labels == "external":
            return tree.with_heads(heads, plan.relations(tokens))
        if labels != "keep":
            raise InputError(f"no label option {labels!r}: keep or external")
        return tree.with_heads(heads, swap_root_labels(tree.heads, heads, tree.deprels))

    def invert(
        self,
        tree: Tree,
        sites: Collection[Site] | None = None,
        side_preferences: SidePreferences | None = None,
    ) -> Tree:
        """The UD tree of a transformed one, as far as the tree tells (rule 2.7).

        `sites` are the sites that were selected; where None, all tokens that bear a site label and look
        transformed. `side_preferences` come from :func:`learn_side_preferences`; where None they are
        estimated from `tree` alone (:func:`invert_all` estimates them from a whole file). The root labels
        must be where :meth:`apply` put them. Of a tree with external labels they tell the sites, and the
        deprels are restored as well.
        """
        return invert_all(self, [tree], None if sites is None else [sites], side_preferences)[0]


def invert_all(
    transformation: Transformation,
    trees: Sequence[Tree],
    sites: Sequence[Collection[Site]] | None = None,
    side_preferences: SidePreferences | None = None,
    *,
    labels: str | None = None,
) -> list[Tree]:
    """:meth:`Transformation.invert` of many trees; without `side_preferences` they inform each other.

    `labels`: the label option of the trees, ``keep`` or ``external``. Where None, all are taken to bear
    external labels if one of them does (a tree without sites bears none).
    """
    external = labels == "external"
    if labels is None:
        external = any(is_external(tree, part.matches) for part in transformation.parts for tree in trees)
    families = _by_family(transformation.parts)
    result = list(trees)
    for family in sorted(families, key=lambda family: -family.rank):
        members = {member.name for member in families[family]}
        # a site is the business of its own family: elsewhere its token is a word like any other
        chosen = [
            None if sites is None else frozenset(site.token for site in sites[i] if site.transform in members)
            for i in range(len(trees))
        ]
        result = family.invert(result, families[family], chosen, side_preferences, transformation, external)
    return result


def swap_root_labels(before: Sequence[int], after: Sequence[int], deprels: Sequence[str]) -> Sequence[str]:
    """`deprels` with the labels of each old root and of the root now above it exchanged.

    Official tools accept HEAD 0 only with the root label, and the root label only there.
    """
    moved = [token for token, head in enumerate(before, start=1) if head == ROOT and after[token - 1] != ROOT]
    if not moved:
        return deprels
    names = list(deprels)
    for old in moved:
        new = old
        while after[new - 1] != ROOT:
            new = after[new - 1]
        names[old - 1], names[new - 1] = names[new - 1], names[old - 1]
    return names


def _checked(plan: Plan, selection: Collection[Site]) -> frozenset[int]:
    chosen = frozenset(selection)
    unknown = chosen.difference(plan.sites)
    if unknown:
        site = min(unknown)
        raise InputError(
            f"{site.transform}: token {site.token} is no site of this sentence; its sites are "
            f"{', '.join(f'{s.transform} {s.token}' for s in plan.sites) or 'none'}"
        )
    return frozenset(site.token for site in chosen)


def learn_side_preferences(trees: Iterable[Tree], transformation: Transformation) -> SidePreferences:
    """From UD trees, what :meth:`Transformation.invert` needs to know where a tree does not tell."""
    ud, learned = list(trees), SidePreferences()
    families = _by_family(transformation.parts)
    below: list[Transformation] = []
    for family in sorted(families, key=lambda family: family.rank):
        # what an inverse has to give back are the trees that its family was applied to
        found = [_transformed(tree, below) for tree in ud] if below else ud
        learned.add(family.learn(found, families[family], transformation))
        below += families[family]
    return learned


def _transformed(tree: Tree, transformations: Sequence[Transformation]) -> Tree:
    plan = compose(tree, transformations)
    heads = plan.heads([site.token for site in plan.sites])
    return tree.with_heads(heads, swap_root_labels(tree.heads, heads, tree.deprels))


def explore(transformation: Transformation, tree: Tree) -> tuple[tuple[Leaf, ...], ...]:
    """For each token 1..n of `tree` the leaves of the decision tree of its head (:meth:`Plan.leaves`)."""
    plan = transformation.plan(tree)
    return tuple(plan.leaves(token) for token in range(1, len(tree) + 1))
