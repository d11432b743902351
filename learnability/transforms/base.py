"""Define the base of every transformation: places, applying, inverting, promises, and composing several.

The lazy representation of trees below is in :mod:`learnability.transforms.plan`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, ClassVar, Generic, TypeVar

from learnability.errors import InputError
from learnability.transforms.draft_tree import DraftTree, IsLabel, Tokens
from learnability.transforms.escapes import split_escaped
from learnability.transforms.plan import Place, Plan
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.provenance import check_transformed, check_ud
from learnability.transforms.restriction import Restriction
from learnability.transforms.sud_relations import learn_labels, make_namer, restore_labels
from learnability.treebanks.conllu_writing import Text, with_tree
from learnability.treebanks.labels import COMPLEMENT, ROOT_LABEL, UNKNOWN_RELATION, complement_of, universal
from learnability.treebanks.sentence import AnyTrees, Conventions, Sentence, Tree, trees_of


@dataclass(frozen=True, slots=True)
class Promises:
    """Properties of a variant that hold for every selection (docs/rules.md, Places and selections).

    Attributes:
        tree: the result is a tree.
        projective: a projective tree stays projective.
        distinct: different selections give different trees.
        distinct_together: they do so also next to other transformations, which may undo a change.
        invertible: for UD version 1 and 2, the share of re-headed tokens that :meth:`Transformation.invert`
            restores on gold trees with all places selected.
    """

    tree: bool = True
    projective: bool = True
    distinct: bool = True
    distinct_together: bool = True
    invertible: tuple[float, float] = (0.97, 0.99)


class Transformation(ABC):
    """Represent a reversible change of annotation, pure and total over selections of its places.

    Attributes:
        name: the name on the command line (``cop``).
        description: one line for ``learnability list``.
        place_labels: the deprels that make a place, in words.
        has_sud_relations: whether it gives all words the relations of SUD.
    """

    name: str
    description: str
    place_labels: str
    has_sud_relations: bool = False

    @property
    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that it applies together."""

    @property
    def _conventions(self) -> Conventions:
        return next((rule.conventions for rule in self.rules), Conventions())

    @property
    def variant(self) -> str:
        """Return the options that differ from the defaults, such as ``reattach=clause``, or an empty text."""
        return " ".join(rule.spec for rule in self.rules if rule.variant)

    @property
    def spec(self) -> str:
        """Return the transformation as written on the command line, ``cop:reattach=clause``."""
        return "+".join(rule.spec for rule in self.rules)

    @property
    def promised(self) -> Promises:
        """Return what this variant promises. A combination promises the weakest of each kind."""
        promises = [rule.promised for rule in self.rules]
        v1, v2 = zip((1.0, 1.0), *(promise.invertible for promise in promises), strict=True)
        return Promises(
            tree=all(promise.tree for promise in promises),
            projective=all(promise.projective for promise in promises),
            distinct=all(p.distinct and (p.distinct_together or len(promises) == 1) for p in promises),
            distinct_together=all(promise.distinct_together for promise in promises),
            invertible=(min(v1), min(v2)),
        )

    @property
    def keeps_phrases(self) -> bool:
        """Return whether it moves no arcs between phrases (docs/rules.md, Scores and uncertainty)."""
        return all(rule.moves_within_phrases for rule in self.rules)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}>"

    def plan(self, tree: Tree | Sentence) -> Plan:
        """Compile this transformation for a tree.

        Args:
            tree: a UD tree or sentence.

        Returns:
            The plan, which gives the tree of every selection without enumerating them.

        Raises:
            InputError: the sentence is already transformed.
        """
        if isinstance(tree, Sentence):
            check_ud([tree])
            tree = tree.tree
        key = id(self), id(tree)
        known = _PLANS.get(key)
        if known is None:
            if len(_PLANS) >= MOST_PLANS:
                _PLANS.clear()
            known = _PLANS[key] = self, self._compile_plan(tree)
        return known[1]

    def _compile_plan(self, tree: Tree) -> Plan:
        plan = compose(trees_of(tree)[0], self.rules)
        if self.has_sud_relations:
            plan.name_relations(make_namer(plan.tree, self._conventions.language))
        return plan

    def places(self, tree: Tree | Sentence) -> tuple[Place, ...]:
        """Return the places in `tree`: the places where the transformation can be applied.

        Args:
            tree: a UD tree or sentence.

        Returns:
            The places, sorted by token.

        Raises:
            InputError: the sentence is already transformed.
        """
        return self.plan(tree).places

    def apply(self, tree: Text, selection: Collection[Place] | None = None, *, labels: str = "keep") -> Text:
        """Return `tree` with the places of `selection` transformed.

        Args:
            tree: a UD tree or sentence.
            selection: some of its :meth:`places`; None for all.
            labels: with ``"keep"`` every token keeps its deprel, except that HEAD 0 always has the root
                label: if the root moves, the old and the new root swap deprels. With ``"external"`` the new
                head of a construction takes its external deprel, and the content word ``comp:<label>``
                (docs/rules.md, Labels).

        Returns:
            A tree for a tree, a sentence for a sentence.

        Raises:
            InputError: a place of `selection` is not in the tree, or the sentence is already transformed.
        """
        plan = self.plan(tree)
        selected = frozenset(plan.places if selection is None else selection)
        if unknown := selected.difference(plan.places):
            place, known = min(unknown), ", ".join(f"{s.transform} {s.token}" for s in plan.places)
            problem = f"token {place.token} is not a place in this sentence; its places: {known or 'none'}"
            raise InputError(f"{place.transform}: {problem}")
        transformed = plan.reference([place.token for place in selected], labels)
        is_changed = selected or transformed.deprels != trees_of(tree)[0].deprels
        return _in_form_of(tree, transformed, self.spec if is_changed else None)

    def invert(
        self,
        tree: Text,
        places: Collection[Place] | None = None,
        side_preferences: SidePreferences | None = None,
    ) -> Text:
        """Return the UD tree of a transformed one, as far as it can be reconstructed.

        See docs/rules.md, Conversion back to UD. The root labels must be where :meth:`apply` put them.
        External labels identify the places, and the original deprels are restored too.

        Args:
            tree: a transformed tree or sentence.
            places: the places that were selected; None for every token that has a place label and looks
                transformed.
            side_preferences: from :func:`learn_side_preferences`; None to estimate them from `tree` alone
                (:func:`invert_all` estimates them from a whole file).

        Returns:
            A tree for a tree, a sentence for a sentence.

        Raises:
            InputError: the sentence's comment names another transformation.
        """
        known = None if places is None else [places]
        return _in_form_of(tree, invert_all(self, tree, known, side_preferences)[0], "")


MOST_PLANS = 4096
"""The most plans that are kept."""

_PLANS: dict[tuple[int, int], tuple[Transformation, Plan]] = {}
"""The latest plans by the identity of transformations and trees; both are kept, so that no other gets it."""


def _in_form_of(source: Text, tree: Tree, transformed: str | None) -> Text:
    return with_tree(source, tree, transformed=transformed) if isinstance(source, Sentence) else tree


class Rule(Transformation):
    """Hold the transformation of one kind of construction, in one variant.

    Attributes:
        labels: the deprels of the tokens that may identify a place, each with all its subtypes.
        options: the values allowed for each option, the default first.
        promises: what a variant promises; see :attr:`promised`.
        weaker: what it promises with an option, by ``option=value``.
        variants: the description with an option or restriction with which another one is true.
        moves_within_phrases: see :attr:`keeps_phrases`.
        conventions: the conventions of its treebank.
        option: the value of each option.
        restriction: which of the places are admitted; None for all.
        already: names constructions that already have the form that the rule produces, in words; empty if
            there are none. The rule skips them.
        instead: the rule that changes these constructions, as on the command line.
    """

    labels: Collection[str] = ()
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    promises: ClassVar[Promises] = Promises()
    weaker: ClassVar[Mapping[str, Promises]] = {}
    variants: ClassVar[Mapping[str, str]] = {}
    restriction: Restriction | None = None
    moves_within_phrases: ClassVar[bool] = True
    already: str = ""
    instead: str = ""

    def __init__(self, conventions: Conventions, **options: str) -> None:
        self.conventions = conventions
        self._known: dict[str, bool] = {}
        self.option: dict[str, str] = {key: values[0] for key, values in self.options.items()}
        for key, value in options.items():
            if value not in self.options.get(key, ()):
                raise InputError(
                    f"{self.name} has no option {key}={value}; see `learnability list transforms`"
                )
            self.option[key] = value

    @property
    @abstractmethod
    def family(self) -> type[Family[Any]]:
        """Return the family whose layer applies this rule."""

    def is_place_label(self, deprel: str) -> bool:
        """Return whether `deprel` is one of :attr:`labels` or a subtype of one."""
        return deprel in self.labels or universal(deprel) in self.labels

    def matches(self, deprel: str) -> bool:
        """Return whether a token with this deprel may identify a place.

        This is :meth:`is_place_label` with a cache, because a treebank has few labels and many tokens.
        """
        if deprel not in self._known:
            self._known[deprel] = self.is_place_label(deprel)
        return self._known[deprel]

    def candidates(self, tree: Tree) -> list[int]:
        """Return the tokens of `tree` that may identify a place."""
        wanted = set(filter(self.matches, set(tree.deprels)))
        if not wanted:  # most trees have no place of most rules
            return []
        pairs = enumerate(zip(tree.deprels, tree.heads, strict=True), start=1)
        return [token for token, (deprel, head) in pairs if deprel in wanted and head]

    def admits(self, tree: Tree, token: int) -> bool:
        """Return whether the restriction of this rule admits the place of `token`.

        Raises:
            InputError: the restriction needs a column or the language, which is unknown.
        """
        return self.restriction is None or self.restriction.admits(tree, token, self.conventions.language)

    def choose_undone(self, draft: DraftTree) -> Callable[[int], bool]:
        """Return a function that tells whether the place of a token has to be undone.

        If the places of the draft are known, these have to. Otherwise the restriction decides from the word.
        """
        if draft.places is not None:
            return draft.places.__contains__
        if self.restriction is None:
            return lambda token: True
        tree, language, admits = draft.tree, self.conventions.language, self.restriction.admits_word
        return {token for token in range(1, len(tree) + 1) if admits(tree, token, language)}.__contains__

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (self,)

    @property
    def variant(self) -> str:
        """Return the options that are not the default, ``reattach=clause``, and the restriction; else
        empty."""
        defaults = {key: values[0] for key, values in self.options.items()}
        changed = [f"{key}={value}" for key, value in sorted(self.option.items()) if value != defaults[key]]
        return ",".join([*changed, str(self.restriction)] if self.restriction else changed)

    @property
    def spec(self) -> str:
        return f"{self.name}:{self.variant}" if self.variant else self.name

    @property
    def definition(self) -> str:
        """Return what this variant changes, in words: the description, and what narrows it."""
        parts = split_escaped(self.variant, ",") if self.variant else []
        described = next((self.variants[part] for part in parts if part in self.variants), self.description)
        rest = ", ".join(part for part in parts if part not in self.variants)
        return f"{described}, with {rest}" if rest else described

    @property
    def promised(self) -> Promises:
        """Return what this variant promises."""
        for key, value in self.option.items():
            if weaker := self.weaker.get(f"{key}={value}"):
                return weaker
        return self.promises


R = TypeVar("R", bound=Rule)


class Family(ABC, Generic[R]):
    """Hold the `rules` of one kind within the transformation `whole`, which share a layer."""

    rank: ClassVar[int]
    """The place in the order of application (see :mod:`learnability.transforms.joint`)."""
    promotes: ClassVar[bool] = False
    """Whether its places take the place of other words without being function words."""
    learns: ClassVar[bool] = False
    """Whether inverting parses profits from counts learned on UD trees."""

    def __init__(self, rules: Sequence[R], whole: Sequence[Rule]) -> None:
        self.rules, self.whole = rules, whole

    @property
    def rule(self) -> R:
        """Return the rule of a family of which a transformation has only one."""
        (rule,) = self.rules
        return rule

    def reserve(self, tree: Tree) -> frozenset[int]:
        """Return the tokens that must still have their UD heads when this family's layer is added."""
        return frozenset()

    @abstractmethod
    def extend(self, plan: Plan, reserved: frozenset[int]) -> None:
        """Add the layer of the rules to `plan`, and drop places that would move a token in `reserved`."""

    def learn(self, trees: Sequence[Tree]) -> SidePreferences:
        """Return what UD trees show that :meth:`undo` needs; often nothing."""
        return SidePreferences()

    @abstractmethod
    def undo(self, drafts: Sequence[DraftTree], known: SidePreferences | None, external: bool) -> None:
        """Undo the layer of the rules in each of the drafts."""


@lru_cache(maxsize=256)  # of each tree in turn
def _families(whole: tuple[Rule, ...]) -> list[Family[Any]]:
    rules: dict[type[Family[Any]], list[Rule]] = {}
    for rule in whole:
        rules.setdefault(rule.family, []).append(rule)
    return [family(rules[family], whole) for family in sorted(rules, key=lambda family: family.rank)]


def compose(tree: Tree, rules: Sequence[Rule]) -> Plan:
    """Compile `rules` together for `tree`, family by family in the order of their ranks."""
    plan = Plan(tree)
    order = _families(tuple(rules))
    for i, family in enumerate(order, start=1):
        family.extend(plan, frozenset(chain.from_iterable(later.reserve(tree) for later in order[i:])))
    restricted = {rule.name: rule for rule in rules if rule.restriction is not None}
    if restricted:
        plan.withhold(
            place
            for place in plan.places
            if place.transform in restricted and not restricted[place.transform].admits(tree, place.token)
        )
    return plan


def invert_all(
    transformation: Transformation,
    trees: AnyTrees,
    places: Sequence[Collection[Place]] | None = None,
    side_preferences: SidePreferences | None = None,
    *,
    labels: str | None = None,
) -> list[Tree]:
    """Convert many transformed trees back to UD; see :meth:`Transformation.invert`.

    Args:
        transformation: the transformation that was applied.
        trees: transformed trees or sentences, or a single one.
        places: for each tree the places that were selected; None for every token that has a place label and
            looks transformed.
        side_preferences: from :func:`learn_side_preferences`; None to estimate them from all trees together.
        labels: the label option of the trees, ``"keep"`` or ``"external"``. If None, all count as external if
            one of them has an external label (a tree without places has none).

    Returns:
        The UD trees in the same order, as trees even for sentences. Whatever trees and labels a parser
        writes, they have as many root words as before, with the labels of the root words before.

    Raises:
        InputError: a sentence's comment names another transformation.
    """
    trees = [trees] if isinstance(trees, Tree | Sentence) else list(trees)
    check_transformed(transformation.spec, trees)
    whole, trees = transformation.rules, trees_of(trees)
    is_place = match_labels(whole)
    external = labels == "external"
    if labels is None:
        complements = {name for tree in trees for name in tree.deprels if name.startswith(COMPLEMENT)}
        external = any(map(is_place, map(complement_of, complements)))
    result = list(trees)
    if transformation.has_sud_relations:
        external = True
        result = restore_labels(result, side_preferences, version=transformation._conventions.version)
    for family in reversed(_families(whole)):
        # only the family of a place undoes it: for the others its token is an ordinary word
        names = {rule.name for rule in family.rules}
        to_undo: list[Tokens] = [None] * len(trees)
        if places is not None:
            to_undo = [
                frozenset(place.token for place in each if place.transform in names) for each in places
            ]
        drafts = list(map(DraftTree, result, to_undo))
        family.undo(drafts, side_preferences, external)
        result = [draft.finish_tree() for draft in drafts]
    if external and places is None:
        is_left = cache(lambda deprel: is_place(complement_of(deprel)))
        result = [_without_complements(tree, is_left) for tree in result]
    return result


def _without_complements(tree: Tree, is_left: IsLabel) -> Tree:
    """Return the tree without external labels that belong to no possible place: those words get unknown
    relations."""
    if not any(map(is_left, tree.deprels)):
        return tree
    names = [
        deprel if not is_left(deprel) else UNKNOWN_RELATION if head else ROOT_LABEL
        for deprel, head in zip(tree.deprels, tree.heads, strict=True)
    ]
    return tree.with_heads(tree.heads, names)


def learn_side_preferences(trees: AnyTrees, transformation: Transformation) -> SidePreferences:
    """Learn from UD trees how to convert back where a transformed tree is ambiguous.

    Args:
        trees: UD trees or sentences, or a single one.
        transformation: the transformation to invert.

    Returns:
        Counts for the `side_preferences` of :meth:`Transformation.invert` and :func:`invert_all`.
    """
    ud, learned = trees_of(trees), SidePreferences()
    below: list[Rule] = []
    for family in _families(transformation.rules):
        # an inverse has to restore the trees to which its family was applied
        plans = [compose(tree, below) for tree in ud]
        bases = [plan.reference([place.token for place in plan.places]) for plan in plans]
        learned.add(family.learn(bases))
        below += family.rules
    if transformation.has_sud_relations:
        pairs = []
        for plan in map(transformation.plan, ud):
            selected = [place.token for place in plan.places]
            external = plan.tree.with_heads(*zip(*plan.external_arcs(selected), strict=True))
            pairs.append((external, plan.reference(selected)))
        learned.add(learn_labels(pairs))
    return learned


def groups_outwards(tree: Tree, members: Iterable[int]) -> dict[tuple[int, bool], list[int]]:
    """Return `members` (in increasing order) by head and side (True: right), each group outwards from the
    head."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for token in members:
        if head := tree.heads[token - 1]:
            groups.setdefault((head, token > head), []).append(token)
    return {(head, right): group if right else group[::-1] for (head, right), group in groups.items()}


def match_labels(rules: Sequence[Rule]) -> IsLabel:
    return cache(lambda deprel: any(rule.matches(deprel) for rule in rules))
