"""Decide what has to be trained to compare treebanks, given what is recorded, and put the results together.

The steps: taggers; parsers that see the tags which they know; parsers of two treebanks together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, permutations
from typing import Any

import numpy as np

from learnability.extending import Cell, Records, Tree, WordTable
from learnability.extensions.harmonise.cells import ParsesCell, TagsCell, TogetherCell
from learnability.extensions.harmonise.constructions import RuleSupport, name_constructions
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    DividedTreebanks,
    Parsed,
    SeenTags,
    TrainingSettings,
    common_size,
    see_tags,
    with_seen_tags,
)
from learnability.extensions.harmonise.cross_scores import CrossScore, score_parsers
from learnability.extensions.harmonise.inventories import compare_inventories

AnyCell = Cell[Any]


@dataclass(frozen=True)
class PlannedCells:
    """Plan what is known from the beginning to be trained."""

    treebanks: int
    settings: TrainingSettings
    label: str = ""

    @property
    def _first(self) -> dict[str, Any]:
        return {"treebank": self.label, "settings": self.settings, "seed": self.settings.seeds[0]}

    def tags(self) -> list[TagsCell]:
        return [TagsCell(**self._first, source=source) for source in range(self.treebanks)]

    def parses(self) -> list[ParsesCell]:
        """Return the parsers of each treebank, before it is known which tags they see in others."""
        cells = [ParsesCell(**self._first, source=source) for source in range(self.treebanks)]
        return [replace(cell, seed=seed) for cell in cells for seed in self.settings.seeds]

    def together(self) -> list[TogetherCell]:
        """Return the parsers of each treebank and each other one."""
        pairs = permutations(range(self.treebanks), 2)
        return [TogetherCell(**self._first, tested=tested, added=added) for tested, added in pairs]


class TreebankComparison:
    """Hold how treebanks of one language differ, as parsers see it, as far as cells are recorded.

    Each property of what was found needs the records of the cells before it.
    """

    def __init__(
        self,
        treebanks: Sequence[ComparedTreebank],
        settings: TrainingSettings,
        records: Records,
        label: str = "",
    ) -> None:
        self.treebanks, self.settings, self.records = tuple(treebanks), settings, records
        self.plan = PlannedCells(len(self.treebanks), settings, label)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(treebank.name for treebank in self.treebanks)

    def next_cells(self) -> Iterator[AnyCell]:
        """Yield the cells of each step whose fields are known."""
        for find_cells in (self.plan.tags, self.parse_cells, self.plan.together):
            cells = find_cells()
            yield from cells
            if any(cell.key not in self.records for cell in cells):
                return

    @property
    def is_complete(self) -> bool:
        return all(cell.key in self.records for cell in self.next_cells())

    def parse_cells(self) -> list[ParsesCell]:
        """Return the parsers of one treebank, with the tags that they see in others."""
        return [replace(cell, seen=self.seen[cell.source]) for cell in self.plan.parses()]

    def _find(self, cell: Cell[Any]) -> Any:
        result = self.records.result(cell)
        assert result is not None, cell.key  # a step is made when those before it are recorded
        return result

    @cached_property
    def table(self) -> WordTable:
        return WordTable([treebank.version.sentences for treebank in self.treebanks])

    @cached_property
    def divided(self) -> DividedTreebanks:
        return DividedTreebanks.of(self.treebanks, self.settings.folds)

    @property
    def size(self) -> int:
        """Return from how many words each parser learns."""
        return common_size(self.divided, self.settings)

    @cached_property
    def tagged(self) -> CrossParses:
        """Return the sentences of all treebanks as the taggers of all tag them."""
        parses: dict[tuple[int, int], tuple[Parsed, ...]] = {}
        for cell in self.plan.tags():
            tags = self._find(cell).each_tag()
            for target, treebank in enumerate(self.treebanks):
                trees = (replace(tree, upos=tuple(islice(tags, len(tree)))) for tree in treebank.trees)
                parses[target, cell.source] = (tuple(trees),)
        return CrossParses(self.treebanks, parses)

    @cached_property
    def seen(self) -> list[dict[int, SeenTags]]:
        """Return for each treebank the tags that its parsers see in others, by the number of the other."""
        numbers = range(len(self.treebanks))
        differing = [compare_inventories(self.table, number) for number in numbers]
        lacking = [{each.value for each in found if each.column == "upos"} for found in differing]
        return [see_tags(self.tagged, source, lacking) for source in numbers]

    @cached_property
    def parses(self) -> CrossParses:
        """Return the parses of all treebanks by parsers of all treebanks."""
        parses: dict[tuple[int, int], tuple[Parsed, ...]] = {}
        for cell in self.parse_cells():
            arcs = self._find(cell).arcs()
            for target, treebank in enumerate(self.treebanks):
                text = with_seen_tags(treebank.trees, cell.seen.get(target, {}))
                before = parses.get((target, cell.source), ())
                parses[target, cell.source] = (*before, with_arcs(text, arcs))
        return CrossParses(self.treebanks, parses)

    @cached_property
    def constructions(self) -> list[RuleSupport]:
        return name_constructions(self.parses)

    @cached_property
    def scores(self) -> list[CrossScore]:
        """Return the scores of parsers of one treebank, and of two, on each."""
        together = {
            (cell.tested, cell.added): np.array(self._find(cell).right, np.float64)
            for cell in self.plan.together()
        }
        return score_parsers(self.parses, together)


def with_arcs(trees: Sequence[Tree], arcs: Iterable[tuple[int, str]]) -> Parsed:
    """Return trees with other heads and relations, which are taken word by word."""
    of_words = iter(arcs)
    parsed: list[Tree] = []
    for tree in trees:
        heads, deprels = zip(*islice(of_words, len(tree)), strict=True)
        parsed.append(replace(tree, heads=heads, deprels=deprels))
    return tuple(parsed)
