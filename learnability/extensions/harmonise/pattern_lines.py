"""Say of each convention what it costs parsers, and add as lines the patterns that only parsers find.

A pattern is the convention of a counted line if this concerns most of its words; it is then no line of its
own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Context, Sentence, Tree, WordTable, movement_of
from learnability.extensions.harmonise.conventions import Convention, Kind, TreebankConventions
from learnability.extensions.harmonise.costs import ParserCost, ParserEvidence
from learnability.extensions.harmonise.counting import CountedTreebanks
from learnability.extensions.harmonise.cross_parses import ArcVote, CrossParses
from learnability.extensions.harmonise.cross_scores import estimate_share
from learnability.extensions.harmonise.patterns import ArcChange, DifferingPattern
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

SEEN_BY_PARSERS = ("upos", "relation", "side", "head_upos")
"""The columns of lines that cost a tagger or a parser points; subtypes do not count in LAS."""

COVERED = 0.5
"""The share of the words of a pattern that counted lines concern, if it is no line of its own."""

MOSTLY = 0.5
"""The share of the words of a pattern that have the same tag, or lemma, for it to be named."""

FUNCTION_TAGS = frozenset({"ADP", "ADV", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
"""The tags of words whose lemmas matter for their place in a tree."""

Words = NDArray[np.int64]


@dataclass(frozen=True)
class TrainedTreebanks(CountedTreebanks):
    """Hold in which conventions treebanks differ, and what these cost parsers.

    Attributes:
        comparison: what parsers found.
    """

    comparison: TreebankComparison = field(kw_only=True)

    @classmethod
    def of(cls, comparison: TreebankComparison) -> TrainedTreebanks:
        return cls(comparison.names, comparison.table, comparison=comparison)

    def search(self) -> Iterator[TreebankConventions]:
        """Yield in what each treebank differs, with costs, and what only parsers find."""
        costs = ParsedColumns(self.comparison)
        for found in super().search():
            lines = lines_of_patterns(self.comparison, found)
            yield replace(add_costs(found, costs), by_parsers=tuple(lines))


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


def lines_of_patterns(comparison: TreebankComparison, found: TreebankConventions) -> list[Convention]:
    """Return the patterns of a treebank that no counted line is about, as lines; the surest come first, which
    finds most of what a hand changed (research/harmonise).

    Args:
        comparison: of the treebanks.
        found: what counting found.
    """
    known = counted_words(found, len(comparison.table))
    every = every_pattern_line(comparison, found.treebank)
    lines = [line for line in every if known[line.places].mean() < COVERED]
    return sorted(lines, key=lambda line: (-line.sureness, line.contexts, line.instead))


def every_pattern_line(comparison: TreebankComparison, treebank: int) -> Iterator[Convention]:
    """Yield all patterns of a treebank as lines; those beside several others that are alike are one."""
    found: dict[ArcChange, list[DifferingPattern]] = defaultdict(list)
    for pattern in comparison.patterns:
        for each in (pattern, pattern.mirrored):
            if each.treebank == treebank and each.is_convention:
                found[each.change].append(each)
    for alike in found.values():
        yield _line_of(comparison, alike)


def counted_words(found: TreebankConventions, words: int) -> NDArray[np.bool_]:
    """Return bool[words], those that lines on tags, relations and heads concern."""
    known = np.zeros(words, np.bool_)
    for each in found.inventories:
        if each.column in (*SEEN_BY_PARSERS, "deprel"):
            known[each.places] = True
    for line in (*found.conventions, *(line for each in found.inventories for line in each.details)):
        if line.columns[0] in (*SEEN_BY_PARSERS, "subtype"):
            known[line.places] = True
    return known


def _line_of(comparison: TreebankComparison, patterns: Sequence[DifferingPattern]) -> Convention:
    """Return the line of a pattern in which a treebank differs from others.

    Args:
        comparison: of the treebanks.
        patterns: the pattern beside each of the others from which it differs so.
    """
    treebank, change = patterns[0].treebank, patterns[0].change
    starts = first_words(comparison)
    examples = sorted({starts[treebank] + word for each in patterns for word in each.here.examples})
    counts, reverse = [(0, 0)] * len(starts), list[int]()
    counts[treebank] = len(examples), patterns[0].here.of
    for each in patterns:
        counts[each.other] = len(each.there.examples), each.there.of
        reverse += [starts[each.other] + word for word in each.there.examples]
    is_move = change.annotated == change.other
    p_value = max(each.p_value for each in patterns)
    return Convention(
        columns=("head" if is_move else "deprel",),
        kind="own",
        value="" if is_move else change.annotated,
        instead=movement_of(*change.place) if is_move else change.other,
        contexts=(Context().with_value("deprel", change.annotated),),
        counts=tuple(counts),
        words_there=tuple(total for _, total in counts),
        instead_counts=(0,) * len(starts),
        places=np.array(examples, np.int64),
        sureness=-float(np.log10(max(p_value, 1e-300))),
        cost=_cost_of(patterns),
        evidence=ParserEvidence(
            np.array(sorted(reverse), np.int64),
            _find_common(comparison.table, examples),
            dict(_find_votes(comparison, patterns)),
        ),
    )


def _find_common(table: WordTable, words: Sequence[int]) -> Context:
    """Return what most words have: the tag, the lemma of a function word."""
    tag, lemma = (_most_common(table.value(name, word) for word in words) for name in ("upos", "lemma"))
    found = Context()
    if tag:
        found = found.with_value("upos", tag)
    if lemma and tag in FUNCTION_TAGS:
        found = found.with_value("lemma", lemma)
    return found


def _cost_of(patterns: Sequence[DifferingPattern]) -> ParserCost | None:
    """Return the mean of what it costs parsers of each of the others; None if only subtypes differ."""
    if not patterns[0].change.costs_points:
        return None
    points = [each.here.points for each in patterns]
    value, low, high = np.mean([(each.value, each.low, each.high) for each in points], axis=0).tolist()
    return ParserCost(float(np.mean([each.here.words for each in patterns])), value, low, high, "LAS")


def _find_votes(
    comparison: TreebankComparison, patterns: Sequence[DifferingPattern]
) -> Iterator[tuple[int, ArcVote]]:
    """Yield for words what most parsers of the last of the others find, where this leaves a tree."""
    treebank, table = patterns[0].treebank, comparison.table
    trees = comparison.treebanks[treebank].trees
    first = first_words(comparison)[treebank]
    start = int(table.sentence[first])
    pairs = [(each.other, first + word) for each in patterns for word in each.here.examples]
    for other, word in pairs:
        sentence, place = int(table.sentence[word]) - start, int(table.position[word])
        vote = comparison.parses.vote(treebank, other, sentence, place)
        tree = trees[sentence]
        heads = [vote.head if number == place else old for number, old in enumerate(tree.heads, start=1)]
        is_root = tree.heads[place - 1] == 0
        if (vote.head == 0) == is_root and not tree.with_heads(heads).find_cycle():
            yield word, vote


def _most_common(values: Iterable[str]) -> str:
    counts = Counter(values)
    ((value, count),) = counts.most_common(1) or [("", 0)]
    return value if count > MOSTLY * counts.total() else ""
