"""List what a search chooses between: for each construction UD or one of its variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.names import join_transformations
from learnability.comparing.pair import alternatives_of
from learnability.comparing.short_trainings import sample
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST
from learnability.running.cell import Cell
from learnability.support.nouns import count_noun
from learnability.treebanks.copies import number_groups


class Choice(msgspec.Struct, frozen=True):
    """Represent a variant of a transformation, with its places in the training set."""

    spec: str
    places: int

    @property
    def construction(self) -> str:
        return self.spec.partition(":")[0]


class LeftOut(msgspec.Struct, frozen=True):
    """Represent a variant that takes no part, and why."""

    spec: str
    reason: str


class Space(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """Hold what a search chooses between.

    Attributes:
        choices, left_out: the variants that take part, and those that do not.
        sentences: how many training sentences samples are drawn of.
        copies: the group of each (`copies.number_groups`); empty where none has a copy.
    """

    choices: tuple[Choice, ...]
    left_out: tuple[LeftOut, ...]
    sentences: int
    copies: tuple[int, ...] = ()

    @property
    def groups(self) -> Sequence[int]:
        return self.copies or range(self.sentences)

    @property
    def constructions(self) -> dict[str, tuple[Choice, ...]]:
        """Return the choices by construction."""
        names = dict.fromkeys(choice.construction for choice in self.choices)
        return {name: tuple(c for c in self.choices if c.construction == name) for name in names}

    @cached_property
    def candidates(self) -> tuple[Annotation, ...]:
        """Return every combination of the choices: UD, then single ones, in the order of the choices."""
        place = {choice: i for i, choice in enumerate(self.choices)}
        options = [(None, *choices) for choices in self.constructions.values()]
        every = ([choice for choice in chosen if choice is not None] for chosen in product(*options))
        ordered = sorted(every, key=lambda chosen: (len(chosen), [place[choice] for choice in chosen]))
        return tuple(join_transformations([choice.spec for choice in chosen]) for chosen in ordered)


def specs_of(annotation: Annotation) -> tuple[str, ...]:
    """Return the transformations of an annotation that `together` gave."""
    return tuple(rule.spec for rule in annotation.rules)


@dataclass(frozen=True, kw_only=True)
class SpaceCell(Cell[Space]):
    """Find what a search can choose between: the first cell, on which all others depend.

    Attributes:
        share: the largest share of a sample that is trained on; the rest must be enough to test on.
    """

    SETTING = "space"
    RESULT = Space

    def compute(self, fold: Fold) -> Space:
        """Look for the places of every variant."""
        space = space_of(fold)
        check_sentences(fold.treebank.name, space.groups, self.share)
        return space


def check_sentences(treebank: str, groups: Sequence[int], share: float) -> None:
    """Raise InputError if a treebank has so few sentences that a sample leaves too few to test on."""
    if len(sample(groups, share, 1).test) < FEWEST.sentences:
        problem = f"{count_noun(len(groups), 'training sentence')}, too few for samples to train and test on"
        raise InputError(f"{treebank} has {problem}; choose another treebank")


def check_places(fold: Fold) -> None:
    """Refuse a treebank in whose training set no pair has enough places, with an InputError."""
    for annotation in alternatives_of(fold.options):
        if sum(len(fold.rule(annotation).places(tree)) for tree in fold.ud.train) >= FEWEST.places:
            return
    names = ", ".join(annotation.spelling for annotation in alternatives_of(fold.options))
    raise InputError(
        f"none of {names} has {FEWEST.places} places in {fold.treebank.name}; "
        "use others with `transforms`, or another treebank"
    )


def space_of(fold: Fold) -> Space:
    """Return what a search of this treebank chooses between.

    These are the pairs of its options with at least `FEWEST.places` places in the training set, each of
    which gives other trees than the variants of the same transformation before it.

    Raises:
        InputError: no pair is left.
    """
    check_places(fold)
    choices: list[Choice] = []
    left_out: list[LeftOut] = []
    same_trees: dict[tuple[object, ...], str] = {}
    for annotation in alternatives_of(fold.options):
        rule, change, spec = fold.rule(annotation), fold.change(annotation), annotation.spelling
        places = sum(len(rule.places(tree)) for tree in fold.ud.train)
        if places < FEWEST.places:
            left_out.append(LeftOut(spec, f"fewer than {FEWEST.places} places: {places}"))
            continue
        heads = tuple(change(tree).heads for tree in fold.ud.train)
        first = same_trees.setdefault((rule.rules[0].name, heads), spec)
        if first != spec:
            left_out.append(LeftOut(spec, f"gives the same trees as {first}"))
            continue
        choices.append(Choice(spec, places))
    groups = number_groups(fold.ud.train)
    copies = () if groups == list(range(len(groups))) else tuple(groups)
    return Space(tuple(choices), tuple(left_out), len(groups), copies)
