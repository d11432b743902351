"""Say of each convention what it costs parsers, where they see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Sentence, Tree, WordTable
from learnability.extensions.harmonise.conventions import Convention, Kind, ParserCost, TreebankConventions
from learnability.extensions.harmonise.counting import CountedTreebanks
from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.cross_scores import estimate_share
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

SEEN_BY_PARSERS = ("upos", "relation", "side", "head_upos")
"""The columns of lines that cost a tagger or a parser points; subtypes do not count in LAS."""

Words = NDArray[np.int64]


@dataclass(frozen=True)
class TrainedTreebanks(CountedTreebanks):
    """Hold in which conventions treebanks differ, and what these cost parsers."""

    comparison: TreebankComparison = field(kw_only=True)

    @classmethod
    def of(cls, comparison: TreebankComparison) -> TrainedTreebanks:
        return cls(comparison.names, comparison.table, comparison=comparison)

    @cached_property
    def found(self) -> tuple[TreebankConventions, ...]:
        """Return in what each treebank differs, with costs."""
        costs = ParsedColumns(self.comparison)
        return tuple(add_costs(found, costs) for found in super().found)


class ParsedColumns:
    """Hold columns of the words of each treebank as parsers of each treebank find them."""

    def __init__(self, comparison: TreebankComparison) -> None:
        self.table, self.comparison = comparison.table, comparison
        self.starts = first_words(comparison)
        self._found: dict[tuple[int, int, str], NDArray[np.int64]] = {}

    def cost_of(self, treebank: int, column: str, value: str, kind: Kind, places: Words) -> ParserCost | None:
        """Return what words cost; None if neither a tagger nor a parser is scored by the column.

        Args:
            treebank: the number of the treebank.
            column: of the line.
            value: that of the line.
            kind: whether the treebank has the value, and the others lack it.
            places: the words that it concerns, as numbers in the table.
        """
        if column not in SEEN_BY_PARSERS:
            return None
        annotated = self.table.column(column)
        wanted, words = annotated.number_of(value), places - self.starts[treebank]

        def share(source: int) -> NDArray[np.float64]:
            found = self.find(treebank, source, column)[:, words]
            is_others = (found == wanted) == (kind == "missing")
            shares: NDArray[np.float64] = (is_others & (found != annotated.codes[places])).mean(axis=0)
            return shares

        others = [share(source) for source in self.comparison.parses.others(treebank)]
        more = np.mean(others, axis=0) - share(treebank)
        of_treebank = self.comparison.treebanks[treebank]
        first_sentence = self.table.sentence[self.starts[treebank]]
        sentences = self.table.sentence[places] - first_sentence
        counts = np.bincount(sentences, more, minlength=len(of_treebank.trees)).astype(np.float64)
        points = estimate_share(of_treebank, counts)
        ends = points.value, points.low, points.high
        return ParserCost(float(more.sum()), *ends, "UPOS" if column == "upos" else "LAS")

    def find(self, treebank: int, source: int, column: str) -> NDArray[np.int64]:
        """Return int64[parsers, words]: what parsers find in a column, by the numbers of the table.

        -1: what no word has. Parsers may have seen other tags; the tags of heads are those annotated.
        """
        key = treebank, source, column
        if key not in self._found:
            parses: CrossParses = self.comparison.tagged if column == "upos" else self.comparison.parses
            annotated = self.table.column(column)
            rows = []
            for parsed in parses.parses[treebank, source]:
                found = WordTable([self._sentences(treebank, parsed, column)]).column(column)
                numbers = np.array([annotated.number_of(name) for name in found.names], np.int64)
                rows.append(numbers[found.codes])
            self._found[key] = np.array(rows)
        return self._found[key]

    def _sentences(self, treebank: int, parsed: Sequence[Tree], column: str) -> list[Sentence]:
        sentences = self.comparison.treebanks[treebank].version.sentences
        return [
            replace(each, tree=tree if column == "upos" else replace(tree, upos=each.tree.upos))
            for each, tree in zip(sentences, parsed, strict=True)
        ]


def first_words(comparison: TreebankComparison) -> list[int]:
    """Return the number of the first word of each treebank."""
    lengths = [sum(map(len, treebank.trees)) for treebank in comparison.treebanks]
    return [0, *accumulate(lengths[:-1])]


def add_costs(found: TreebankConventions, parsed: ParsedColumns) -> TreebankConventions:
    """Return the conventions of a treebank with what they cost."""
    number = found.treebank

    def with_cost(line: Convention) -> Convention:
        cost = parsed.cost_of(number, line.columns[0], line.value, line.kind, line.places)
        return replace(line, cost=cost)

    costly = {id(line): with_cost(line) for each in found.inventories for line in each.details}
    inventories = []
    for each in found.inventories:
        kind: Kind = "own" if each.is_own else "missing"
        cost = parsed.cost_of(number, each.column, each.value, kind, each.places)
        details = tuple(costly[id(line)] for line in each.details)
        inventories.append(replace(each, cost=cost, details=details))
    return replace(
        found, inventories=tuple(inventories), conventions=tuple(map(with_cost, found.conventions))
    )
