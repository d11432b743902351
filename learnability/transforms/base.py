"""Transformations as lazy decision procedures on immutable trees.

A transformation finds *sites* in a UD tree, one per place where it can be applied. A selection of m
sites gives one of 2^m trees. Nothing here enumerates them: a transformation is compiled for one tree
into a :class:`Plan`, a short sequence of :class:`Layer` objects, and a layer computes the new head of one
token by asking ``selected(site)`` for those sites only that it has to know. Applying a selection answers
the questions from a set; following both answers of every question (:meth:`Plan.leaves`) gives the exact
decision tree of a token's head, and with it the exact set of sites the head depends on.

A later layer sees the heads of the earlier ones through a callable, so a sequence of layers is the
composition of total maps from trees to trees: what every layer keeps (a tree over the same tokens,
projectivity), the plan keeps.

Definitions: design sections 2, 5 and 6. Site = "dependency of interest" in Wisniewski, Lacroix & Yvon
2018, section 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from learnability.errors import InputError
from learnability.treebanks.sentence import ROOT, Conventions, Tree

Heads = Callable[[int], int]
"""The head of a token (1..n), 0 for the root word."""

Selected = Callable[[int], bool]
"""Whether the site of a token is selected."""

Path = tuple[tuple[int, bool], ...]
"""Answers (site token, selected) in the order in which they were needed."""

Leaf = tuple[Path, int]
"""One leaf of a token's decision tree: the answers that lead to it and the head they give."""

SidePreferences = Mapping[tuple[str, str], str]
"""``(kind, value) -> "left" | "right"``, kind in form (lower case), upos, deprel: the side of a function
word on which its content word stands in UD trees (rule 2.7)."""


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One toggle: a place where a transformation can be applied.

    Attributes:
        token: the token that identifies it: the function word, the chain member, the coordinator.
        transform: the name of the transformation (``case``).
    """

    token: int
    transform: str


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


class Layer(ABC):
    """One stage of a plan: a total map from trees to trees, computed token by token.

    `region` holds, in increasing order, every token whose head this layer may change; all others keep
    the head of the layer below for every selection. `stand_ins` names the sites that, selected, take the
    place of a token.
    """

    region: tuple[int, ...] = ()
    stand_ins: Mapping[int, Sequence[int]] = MappingProxyType({})

    @abstractmethod
    def head(self, token: int, selected: Selected, base: Heads) -> int:
        """The head of `token` where `base` gives the heads of the layer below."""

    def relation(self, token: int, selected: Selected, base: Heads, below: Callable[[int], str]) -> str:
        """The deprel of `token` under the label option ``external``; `below` gives the layer below's."""
        return below(token)


class _Answers:
    """Answers questions from `known`; an unknown site is noted and answered no."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[int, bool] = {}

    def __call__(self, site: int) -> bool:
        return self.known.setdefault(site, False)


class Plan:
    """A transformation (or several together) compiled for one tree.

    Attributes:
        tree: the UD tree.
        sites: all sites, by token.
        skipped: constructions found but not handled, and sites dropped, by kind.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.sites: tuple[Site, ...] = ()
        self.skipped: Counter[str] = Counter()
        self._heads: list[int] = [ROOT, *tree.heads]
        self._layers: list[Layer] = []
        self._answers = _Answers()
        self._top: Heads = self._heads.__getitem__
        self._varying: set[int] = set()

    def add(self, layer: Layer, sites: Iterable[Site]) -> None:
        """Put `layer` on top of the layers so far."""
        if not layer.region:
            return
        self.sites = tuple(sorted((*self.sites, *sites)))
        self._layers.append(layer)
        self._varying.update(layer.region)
        region, answers, base, top = frozenset(layer.region), self._answers, self._top, layer.head

        def head(token: int) -> int:
            return top(token, answers, base) if token in region else base(token)

        self._top = head

    @property
    def varying(self) -> frozenset[int]:
        """The tokens whose head may depend on the selection (all others have one leaf)."""
        return frozenset(self._varying)

    def heads(self, selected: Collection[int]) -> tuple[int, ...]:
        """The heads of tokens 1..n when the sites of the tokens `selected` are."""
        current, contains = self._heads, frozenset(selected).__contains__
        for layer in self._layers:
            base, head, above = current.__getitem__, layer.head, current[:]
            for token in layer.region:
                above[token] = head(token, contains, base)
            current = above
        return tuple(current[1:])

    def relations(self, selected: Collection[int]) -> tuple[str, ...]:
        """The deprels of tokens 1..n under the label option ``external``."""
        contains = frozenset(selected).__contains__
        heads, names = self._heads, ["", *self.tree.deprels]
        for layer in self._layers:
            base, above, below = heads.__getitem__, heads[:], names.__getitem__
            renamed = names[:]
            for token in layer.region:
                above[token] = layer.head(token, contains, base)
                renamed[token] = layer.relation(token, contains, base, below)
            heads, names = above, renamed
        return tuple(names[1:])

    def leaves(self, token: int) -> tuple[Leaf, ...]:
        """The decision tree of the head of `token`: one leaf per sequence of answers.

        The paths are exclusive and exhaustive; a token far from every site has the one leaf
        ``((), head)``.
        """
        if token not in self._varying:
            return (((), self._heads[token]),)
        answers, head, found = self._answers, self._top, []
        known: dict[int, bool] = {}
        while True:
            answers.known = known
            found.append((known, head(token)))
            path = list(known.items())
            while path and path[-1][1]:
                path.pop()
            if not path:
                return tuple((tuple(answered.items()), result) for answered, result in found)
            known = dict(path)
            known[path[-1][0]] = True

    def stand_ins(self, token: int) -> tuple[int, ...]:
        """The sites that, selected, take the place of `token`; the first selected one does."""
        return tuple(key for layer in self._layers for key in layer.stand_ins.get(token, ()))

    def possible_heads(self, token: int) -> tuple[int, ...]:
        """The heads that `token` has under some selection (each once)."""
        if token not in self._varying:
            return (self._heads[token],)
        return tuple(dict.fromkeys(head for _, head in self.leaves(token)))


def depends_on(leaves: Sequence[Leaf]) -> frozenset[int]:
    """The sites on which a head depends, exactly (D(d) of design section 6).

    A site counts if two selections that differ in it alone give different heads, i.e. if two leaves with
    different heads contradict each other in this site only.
    """
    if len(leaves) == 1:
        return frozenset()
    found: set[int] = set()
    answered = [dict(path) for path, _ in leaves]
    for i, (_, head) in enumerate(leaves):
        for j in range(i):
            if leaves[j][1] == head:
                continue
            other = answered[j]
            clash = [site for site, value in answered[i].items() if other.get(site, value) != value]
            if len(clash) == 1:
                found.add(clash[0])
    return frozenset(found)


class Family(ABC):
    """Transformations that work by the same kind of rule, and therefore share a layer.

    `rank` is the place in the order of application (documented in :mod:`learnability.transforms.joint`).
    """

    rank: ClassVar[int]

    def reserve(self, tree: Tree, members: Sequence[Transformation]) -> frozenset[int]:
        """The tokens that must come to this family's layer with their UD heads."""
        return frozenset()

    @abstractmethod
    def extend(self, plan: Plan, members: Sequence[Transformation], reserved: frozenset[int]) -> None:
        """Add the layer of `members` to `plan`, dropping sites that would move a token in `reserved`."""


def compose(tree: Tree, transformations: Sequence[Transformation]) -> Plan:
    """Compile `transformations` together for `tree`, family by family in the order of their ranks."""
    plan = Plan(tree)
    families: dict[Family, list[Transformation]] = defaultdict(list)
    for transformation in transformations:
        families[transformation.family].append(transformation)
    order = sorted(families, key=lambda family: family.rank)
    for i, family in enumerate(order):
        reserved = frozenset[int]().union(*(later.reserve(tree, families[later]) for later in order[i + 1 :]))
        family.extend(plan, families[family], reserved)
    return plan


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

    @property
    def variant(self) -> str:
        """The options that are not the default, ``reattach=clause``; empty for the default variant."""
        return ",".join(
            f"{key}={self.chosen[key]}"
            for key in sorted(self.options)
            if self.chosen[key] != self.options[key][0]
        )

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

    @abstractmethod
    def invert(
        self,
        tree: Tree,
        sites: Collection[int] | None = None,
        side_preferences: SidePreferences | None = None,
    ) -> Tree:
        """The UD tree of a transformed one, as far as the tree tells (rule 2.7).

        `sites` are the tokens taken to be transformed sites; where None, all tokens that bear a site
        label and look transformed. The root labels must be where ``apply`` put them.
        """


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


def explore(transformation: Transformation, tree: Tree) -> tuple[tuple[Leaf, ...], ...]:
    """For each token 1..n of `tree` the leaves of the decision tree of its head (:meth:`Plan.leaves`)."""
    plan = transformation.plan(tree)
    return tuple(plan.leaves(token) for token in range(1, len(tree) + 1))
