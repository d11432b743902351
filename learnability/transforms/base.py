"""What every transformation is: sites, apply, invert, promises; and how several are composed.

The lazy representation behind them is in :mod:`learnability.transforms.plan`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from learnability.errors import InputError
from learnability.transforms.draft import Draft, IsLabel, Tokens
from learnability.transforms.plan import Plan, Site
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.restriction import Restriction, check_transformed, check_ud
from learnability.treebanks.conllu_writing import Text, like_source
from learnability.treebanks.labels import COMPLEMENT, complement_of, universal
from learnability.treebanks.sentence import AnyTrees, Conventions, Sentence, Tree, trees_of


@dataclass(frozen=True, slots=True)
class Promises:
    """What holds of a variant for every selection (docs/rules.md, Places and selections).

    `distinct_together`: also beside other transformations, which may undo what this one does.
    `invertible`: share of the re-headed tokens that :meth:`Transformation.invert` restores without
    provenance on gold trees with all sites selected, for UD version 1 and 2.
    """

    tree: bool = True
    projective: bool = True
    distinct: bool = True
    distinct_together: bool = True
    invertible: tuple[float, float] = (0.97, 0.99)


class Transformation(ABC):
    """A reversible change of annotation, pure and total over selections of its sites.

    Attributes:
        name: the name on the command line (``cop``).
        description: one line for ``learnability list``.
        site_labels: in words, the deprels that make a site.
    """

    name: str
    description: str
    site_labels: str

    @property
    @abstractmethod
    def parts(self) -> tuple[Rule, ...]:
        """The rules that it applies together."""

    @property
    def variant(self) -> str:
        """What differs from the defaults, ``reattach=clause``, of each part that differs; else empty."""
        return " ".join(rule.spec for rule in self.parts if rule.variant)

    @property
    def spec(self) -> str:
        """The transformation as written on the command line, ``cop:reattach=clause``."""
        return "+".join(rule.spec for rule in self.parts)

    @property
    def promised(self) -> Promises:
        """What this variant promises; several together, the weakest promise of each kind."""
        promises = [rule.promised for rule in self.parts]
        v1, v2 = zip((1.0, 1.0), *(promise.invertible for promise in promises), strict=True)
        return Promises(
            tree=all(promise.tree for promise in promises),
            projective=all(promise.projective for promise in promises),
            distinct=all(p.distinct and (p.distinct_together or len(promises) == 1) for p in promises),
            distinct_together=all(promise.distinct_together for promise in promises),
            invertible=(min(v1), min(v2)),
        )

    @property
    def keeps_nuclei(self) -> bool:
        """Whether it moves no arcs between nuclei (docs/rules.md, Scores and uncertainty)."""
        return all(rule.moves_within_nuclei for rule in self.parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}>"

    def plan(self, tree: Tree | Sentence) -> Plan:
        """This transformation compiled for `tree`; InputError for a sentence that is transformed already."""
        check_ud([tree])
        return compose(trees_of(tree)[0], self.parts)

    def sites(self, tree: Tree | Sentence) -> tuple[Site, ...]:
        """The sites in `tree`, sorted by token."""
        return self.plan(tree).sites

    def skipped(self, tree: Tree | Sentence) -> Counter[str]:
        """Constructions in `tree` that are not handled, and dropped sites, counted by kind."""
        return self.plan(tree).skipped

    def apply(self, tree: Text, selection: Collection[Site] | None = None, *, labels: str = "keep") -> Text:
        """`tree` (or a sentence) with the sites of `selection` (all where None) transformed.

        With ``labels="keep"`` every token keeps its deprel, except that HEAD 0 always has the root
        label: where the root moves, the old and the new root swap deprels. With ``"external"`` the new
        head of a construction takes its external deprel and the content word ``comp:<label>``
        (docs/rules.md, Labels).

        Raises:
            InputError: a site of `selection` is not one of the tree's, or the sentence is transformed.
        """
        plan = self.plan(tree)
        selected = frozenset(plan.sites if selection is None else selection)
        if unknown := selected.difference(plan.sites):
            site, known = min(unknown), ", ".join(f"{s.transform} {s.token}" for s in plan.sites)
            what = f"token {site.token} is no site of this sentence; its sites are {known or 'none'}"
            raise InputError(f"{site.transform}: {what}")
        reference = plan.reference([site.token for site in selected], labels)
        return like_source(tree, reference, self.spec if selected else None)

    def invert(
        self,
        tree: Text,
        sites: Collection[Site] | None = None,
        side_preferences: SidePreferences | None = None,
    ) -> Text:
        """The UD tree of a transformed one, as far as the tree tells (docs/rules.md, Conversion back to UD).

        `sites` are the sites that were selected; where None, all tokens that have a site label and look
        transformed. `side_preferences` come from :func:`learn_side_preferences`; where None they are
        estimated from `tree` alone (:func:`invert_all` estimates them from a whole file). The root labels
        must be where :meth:`apply` put them. Of a tree with external labels they tell the sites, and the
        deprels are restored as well.
        """
        known = None if sites is None else [sites]
        return like_source(tree, invert_all(self, tree, known, side_preferences)[0], "")


class Rule(Transformation):
    """The transformation of one kind of construction, in one variant.

    Attributes:
        labels: the deprels of the tokens that may identify a site, each with all its subtypes.
        guessed: deprels of tokens that a variant takes for sites by other evidence.
        options: the values allowed for each option, the default first.
        promises: what a variant promises; see :attr:`promised`.
        weaker: what it promises with an option, by ``option=value``.
        moves_within_nuclei: see :attr:`keeps_nuclei`.
        conventions: of the treebank it is for.
        option: the value of each option.
        restriction: which of the sites are admitted; None: all.
        already: in words, what is skipped because it has the form that the rule gives; empty: nothing.
        instead: the rule for those, as written on the command line.
    """

    labels: Collection[str] = ()
    guessed: ClassVar[Collection[str]] = ()
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    promises: ClassVar[Promises] = Promises()
    weaker: ClassVar[Mapping[str, Promises]] = {}
    restriction: Restriction | None = None
    moves_within_nuclei: ClassVar[bool] = True
    already: str = ""
    instead: str = ""

    def __init__(self, conventions: Conventions, **options: str) -> None:
        self.conventions = conventions
        self._known: dict[str, bool] = {}
        self.option: dict[str, str] = {key: values[0] for key, values in self.options.items()}
        for key, value in options.items():
            if value not in self.options.get(key, ()):
                raise InputError(f"{self.name}: no option {key}={value}")
            self.option[key] = value

    @property
    @abstractmethod
    def family(self) -> type[Family[Any]]:
        """The family whose layer applies this rule."""

    def is_site_label(self, deprel: str) -> bool:
        """Whether `deprel` is one of :attr:`labels` or a subtype of one."""
        return deprel in self.labels or universal(deprel) in self.labels

    def matches(self, deprel: str) -> bool:
        """Whether a token with this deprel may identify a site: :meth:`is_site_label`, remembered, because a
        treebank has few labels and many tokens."""
        if deprel not in self._known:
            self._known[deprel] = self.is_site_label(deprel)
        return self._known[deprel]

    def candidates(self, tree: Tree) -> list[int]:
        """The tokens of `tree` that may identify a site, in increasing order."""
        matches = self.matches
        pairs = enumerate(zip(tree.deprels, tree.heads, strict=True), start=1)
        return [token for token, (deprel, head) in pairs if matches(deprel) and head]

    def admits(self, tree: Tree, token: int) -> bool:
        """Whether the site of `token` in the UD tree is one under this rule's restriction."""
        return self.restriction is None or self.restriction.admits(tree, token, self.conventions.language)

    def wanted(self, draft: Draft) -> Callable[[int], bool]:
        """Whether the site of a token is to be undone: one of the draft's, or where these are not known, one
        that the restriction allows, by its word."""
        if draft.sites is not None:
            return draft.sites.__contains__
        if self.restriction is None:
            return lambda token: True
        tree, language, admits = draft.tree, self.conventions.language, self.restriction.admits_word
        return {token for token in range(1, len(tree) + 1) if admits(tree, token, language)}.__contains__

    @property
    def parts(self) -> tuple[Rule, ...]:
        """The rule itself."""
        return (self,)

    @property
    def variant(self) -> str:
        """The options that are not the default, ``reattach=clause``, and the restriction; else empty."""
        given = sorted(self.option.items())
        changed = [f"{key}={value}" for key, value in given if value != self.options[key][0]]
        return ",".join([*changed, str(self.restriction)] if self.restriction else changed)

    @property
    def spec(self) -> str:
        """The name and the variant, as written on the command line."""
        return f"{self.name}:{self.variant}" if self.variant else self.name

    @property
    def promised(self) -> Promises:
        """What this variant promises."""
        given = (self.weaker.get(f"{key}={value}") for key, value in self.option.items())
        return next(filter(None, given), self.promises)


R = TypeVar("R", bound=Rule)


class Family(ABC, Generic[R]):
    """The `rules` of one kind in the transformation `whole`, which share a layer."""

    rank: ClassVar[int]
    """The place in the order of application (see :mod:`learnability.transforms.joint`)."""
    promotes: ClassVar[bool] = False
    """Whether its sites take the place of other words without being function words."""
    learns: ClassVar[bool] = False
    """Whether to invert parses it should be told what UD trees tell."""

    def __init__(self, rules: Sequence[R], whole: Sequence[Rule]) -> None:
        self.rules, self.whole = rules, whole

    @property
    def rule(self) -> R:
        """The rule of a family of which a transformation has only one."""
        (rule,) = self.rules
        return rule

    def reserve(self, tree: Tree) -> frozenset[int]:
        """The tokens that must come to this family's layer with their UD heads."""
        return frozenset()

    @abstractmethod
    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        """Add the layer of the rules to `plan`, dropping sites that would move a token in `reserved`."""

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        """What UD trees tell :meth:`undo`; often nothing."""
        return SidePreferences()

    @abstractmethod
    def undo(self, drafts: Sequence[Draft], known: SidePreferences | None, external: bool) -> None:
        """Undo the layer of the rules in each of the drafts.

        Without `known` (learned from UD) the trees inform each other; `external`: their label option.
        """


def _families(whole: Sequence[Rule]) -> list[Family[Any]]:
    """The families of the rules, in the order of application."""
    rules: dict[type[Family[Any]], list[Rule]] = {}
    for rule in whole:
        rules.setdefault(rule.family, []).append(rule)
    return [family(rules[family], whole) for family in sorted(rules, key=lambda family: family.rank)]


def compose(tree: Tree, rules: Sequence[Rule]) -> Plan:
    """Compile `rules` together for `tree`, family by family in the order of their ranks."""
    plan = Plan(tree)
    order = _families(rules)
    for i, family in enumerate(order, start=1):
        family.extend(plan, frozenset[int]().union(*(later.reserve(tree) for later in order[i:])))
    by_name = {rule.name: rule for rule in rules}
    plan.withhold(site for site in plan.sites if not by_name[site.transform].admits(tree, site.token))
    return plan


def invert_all(
    transformation: Transformation,
    trees: AnyTrees,
    sites: Sequence[Collection[Site]] | None = None,
    side_preferences: SidePreferences | None = None,
    *,
    labels: str | None = None,
) -> list[Tree]:
    """:meth:`Transformation.invert` of many trees (or sentences), as trees; without `side_preferences` they
    inform each other. InputError for a sentence whose comment names another transformation.

    `labels`: the label option of the trees, ``keep`` or ``external``. Where None, all are taken to have
    external labels if one of them does (a tree without sites has none).
    """
    trees = [trees] if isinstance(trees, Tree | Sentence) else list(trees)
    check_transformed(transformation.spec, trees)
    whole, trees = transformation.parts, trees_of(trees)
    external = labels == "external"
    if labels is None:
        complements = {name for tree in trees for name in tree.deprels if name.startswith(COMPLEMENT)}
        external = any(map(matching(whole), map(complement_of, complements)))
    result = list(trees)
    for family in reversed(_families(whole)):
        # a site is the business of its own family: elsewhere its token is a word like any other
        names = {rule.name for rule in family.rules}
        own: list[Tokens] = [None] * len(trees)
        if sites is not None:
            own = [frozenset(site.token for site in each if site.transform in names) for each in sites]
        drafts = list(map(Draft, result, own))
        family.undo(drafts, side_preferences, external)
        result = [draft.done() for draft in drafts]
    return result


def learn_side_preferences(trees: AnyTrees, transformation: Transformation) -> SidePreferences:
    """From UD trees, what :meth:`Transformation.invert` needs to know where a tree does not tell."""
    ud, learned = trees_of(trees), SidePreferences()
    below: list[Rule] = []
    for family in _families(transformation.parts):
        # what an inverse has to give back are the trees that its family was applied to
        plans = [compose(tree, below) for tree in ud]
        bases = [plan.reference([site.token for site in plan.sites]) for plan in plans]
        learned.add(family.learn(bases))
        below += family.rules
    return learned


def groups_outwards(tree: Tree, members: Iterable[int]) -> dict[tuple[int, bool], list[int]]:
    """`members` (in increasing order) by (head, right of it), each group ordered outwards from the head."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for token in members:
        if head := tree.heads[token - 1]:
            groups.setdefault((head, token > head), []).append(token)
    return {(head, right): group if right else group[::-1] for (head, right), group in groups.items()}


def matching(rules: Sequence[Rule]) -> IsLabel:
    """Whether a deprel is a site label of one of the rules."""
    return lambda deprel: any(rule.matches(deprel) for rule in rules)
