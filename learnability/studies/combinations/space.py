"""List what a search chooses between: for each construction UD or one of its variants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.names import join_transformations
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST
from learnability.running.cell import Cell


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


class Space(msgspec.Struct, frozen=True, dict=True):
    """Hold what a search chooses between.

    Attributes:
        choices, left_out: the variants that take part, and those that do not.
    """

    choices: tuple[Choice, ...]
    left_out: tuple[LeftOut, ...]

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


@dataclass(frozen=True, kw_only=True)
class SpaceCell(Cell[Space]):
    """Find what a search can choose between: the first cell, on which all others depend."""

    SETTING = "space"
    RESULT = Space

    def compute(self, fold: Fold) -> Space:
        """Return the variants with at least `FEWEST.places` places in the training set, each of which gives
        other trees than the variants of the same transformation before it."""
        choices: list[Choice] = []
        left_out: list[LeftOut] = []
        same_trees: dict[tuple[object, ...], str] = {}
        for annotation in fold.options.alternatives:
            change, spec = fold.change(annotation), annotation.spelling
            places = count_places(fold, annotation)
            heads = tuple(change(tree).heads for tree in fold.ud.train)
            first = same_trees.setdefault((annotation.rules[0].name, heads), spec)
            if places < FEWEST.places:
                left_out.append(LeftOut(spec, f"fewer than {FEWEST.places} places: {places}"))
            elif first != spec:
                left_out.append(LeftOut(spec, f"gives the same trees as {first}"))
            else:
                choices.append(Choice(spec, places))
        return Space(tuple(choices), tuple(left_out))


def count_places(fold: Fold, annotation: Annotation) -> int:
    return sum(len(fold.rule(annotation).places(tree)) for tree in fold.ud.train)


def check_places(fold: Fold) -> None:
    if all(count_places(fold, annotation) < FEWEST.places for annotation in fold.options.alternatives):
        names = ", ".join(annotation.spelling for annotation in fold.options.alternatives)
        raise InputError(
            f"none of {names} has {FEWEST.places} places in {fold.treebank.name}; "
            "use others with `transforms`, or another treebank"
        )
