"""Combine what all parsers show for a comparison.

A parser favours a side if that side is clearly ahead on its own annotation, with and without punctuation
(`Question.EASIER`). The p values of each parser are corrected separately, so its answer does not depend on
which other parsers ran. All parsers together favour a side if more than half of them do and none favours the
other. The mean of their differences has an interval over other seeds and other test sentences, for these
parsers (docs/rules.md, Several parsers).

Two parsers agree on a comparison if their differences have the same sign. We also count agreement over the
*clear* comparisons, in which each of the two parsers shows a side to be ahead. Each parser is also
compared with all the others: with the sign of their mean difference, and with their common answer. The
indirect indicators are compared with all parsers in the same way.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from learnability.comparing.indicators import INDICATORS
from learnability.evidence.columns import NAMED, Column
from learnability.evidence.parser_means import ParserMean, by_comparison, differences_of
from learnability.evidence.questions import Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.statistics.inference import AHEAD, Side, winner
from learnability.statistics.significance import Comparison
from learnability.support.values import CsvRow

DIVIDED = "divided"
"""The common answer where each side has a parser that favours it."""

ALL_PARSERS = Column.of_topic(
    "All parsers together",
    *NAMED,
    ("score", "text", "`uas`, or `las` where the run is labelled"),
    ("parsers", "count", "parsers that count: all trainings succeeded, with enough test data"),
    (str(Side.FIRST), "count", "parsers that favour UD: it is ahead with and without punctuation"),
    (str(Side.SECOND), "count", "parsers that favour the alternative"),
    (str(Side.EQUAL), "count", "parsers that find no difference that matters"),
    ("open", "count", "parsers for which the answer is open"),
    ("all_parsers", "choice",
     "the side that most parsers favour, if none favours the other; `equal` if most find no difference "
     "that matters and none favours a side; `divided` if both sides have a parser; else `none`"),
    ("mean_delta", "number",
     "mean of the parsers' differences, in points; empty where they were tested on different sentences"),
    ("mean_delta_se", "number", "its standard error, for these parsers"),
    ("mean_delta_low", "number", "its 95 % interval, over other seeds and other test sentences"),
    ("mean_delta_high", "number", "its 95 % interval, over other seeds and other test sentences"),
    ("lowest_delta", "number", "the smallest difference of a parser"),
    ("highest_delta", "number", "the largest difference of a parser"),
    ("better_output_base", "count", "parsers that give better UD trees if they are trained on UD"),
    ("better_output_alternative", "count",
     "parsers that give better UD trees if they are trained on the alternative and their parses converted"),
)  # fmt: skip
"""The columns of parsers.csv."""


@dataclass(frozen=True)
class AllParsers:
    """Hold all parsers in one comparison, by one score.

    Attributes:
        rows: one for each parser of the run.
        mean: the mean difference of the parsers that ran; None if their records are missing.
    """

    rows: tuple[ComparisonRow, ...]
    score: Score
    mean: Comparison | None = None

    @property
    def heard(self) -> tuple[ComparisonRow, ...]:
        """Return the rows of the parsers whose difference was tested."""
        return tuple(row for row in self.rows if row.easier(self.score).side is not None)

    def parsers(self, side: str, question: Question = Question.EASIER) -> list[str]:
        """Return the parsers whose answer is this side; `equal` and `none` (open) are sides, too."""
        return [row.parser for row in self.heard if row.answered(question, self.score).side == side]

    def parsers_with(self, reason: Reason) -> list[str]:
        return [row.parser for row in self.heard if row.easier(self.score).reason == reason]

    def ahead_between_phrases(self) -> list[str]:
        """Return the parsers for which UD is ahead between phrases."""
        compared = [(row.parser, row.difference(self.score, ScoringBasis.PHRASES)) for row in self.heard]
        return [parser for parser, found in compared if found is not None and found.better is Side.FIRST]

    def contrary_training(self) -> dict[Side, list[str]]:
        """Return the sides to train on if UD trees are needed that are not the common answer, with the
        parsers for which they are."""
        sides = {side: self.parsers(side, Question.TRAIN_ON) for side in AHEAD}
        return {side: parsers for side, parsers in sides.items() if parsers and side != self.verdict}

    def delta(self, row: ComparisonRow) -> float:
        """Return the difference that a parser of `heard` finds."""
        difference = row.difference(self.score)
        assert difference is not None
        return difference.delta

    @property
    def by_sentences(self) -> dict[str, list[str]]:
        """Return the parsers whose difference was tested, by the sentences that it rests on, in words."""
        found: dict[str, list[str]] = {}
        for row in self.heard:
            found.setdefault(row.tested_on(self.score), []).append(row.parser)
        return found

    @property
    def mean_delta(self) -> float | None:
        """Return the mean difference of the parsers that ran; None where they were tested on different
        sentences."""
        return statistics.fmean(map(self.delta, self.heard)) if len(self.by_sentences) == 1 else None

    @property
    def verdict(self) -> str | None:
        """Return a side, `equal`, `divided` or `none`; None if fewer than two parsers ran."""
        return common_answer([row.easier(self.score).side for row in self.heard])

    def values(self) -> CsvRow:
        """Return the values of the columns of the table of all parsers."""
        deltas = [self.delta(row) for row in self.heard]
        return {
            **self.rows[0].named,
            "score": str(self.score),
            "parsers": len(self.heard),
            **{str(side): len(self.parsers(side)) for side in (*AHEAD, Side.EQUAL)},
            "open": len(self.parsers(Side.NONE)),
            "all_parsers": self.verdict,
            "mean_delta": self.mean_delta,
            "mean_delta_se": self.mean.error if self.mean else None,
            "mean_delta_low": self.mean.low if self.mean else None,
            "mean_delta_high": self.mean.high if self.mean else None,
            "lowest_delta": min(deltas, default=None),
            "highest_delta": max(deltas, default=None),
            **{f"better_output_{side}": len(self.parsers(side, Question.TRAIN_ON)) for side in AHEAD},
        }


def common_answer(sides: Sequence[str | None]) -> str | None:
    """Return what parsers that favour these sides show together; None for fewer than two."""
    counts = Counter(side for side in sides if side is not None)
    if counts.total() < 2:
        return None
    if counts[Side.FIRST] and counts[Side.SECOND]:
        return DIVIDED
    side = max(AHEAD, key=lambda favoured: counts[favoured])
    if counts[side]:
        return side if 2 * counts[side] > counts.total() else Side.NONE
    return Side.EQUAL if 2 * counts[Side.EQUAL] > counts.total() else Side.NONE


def combine_parsers(rows: Sequence[ComparisonRow], means: Sequence[ParserMean] = ()) -> list[AllParsers]:
    """Return what all parsers show, by construction and score; empty without several parsers."""
    found = []
    for compared in by_comparison(rows):
        for score in compared[0].scores:
            differences = differences_of(compared, score)
            mean = next((m.mean for m in means if (m.score, m.differences) == (score, differences)), None)
            found.append(AllParsers(tuple(compared), score, mean))
    return found


def refine_all_parsers(found: Sequence[AllParsers], rows: Sequence[ComparisonRow]) -> list[AllParsers]:
    """Return what all parsers show after some rows were tested on more sentences (`rows.refine_rows`)."""
    now = {(row.treebank_label, row.name, row.base, row.parser): row for row in rows}
    refined = []
    for all_parsers in found:
        known = tuple(now.get((r.treebank_label, r.name, r.base, r.parser), r) for r in all_parsers.rows)
        stays = differences_of(known, all_parsers.score) == differences_of(
            all_parsers.rows, all_parsers.score
        )
        refined.append(replace(all_parsers, rows=known, mean=all_parsers.mean if stays else None))
    return refined


def all_parsers_csv(found: Sequence[AllParsers]) -> bytes:
    return Column.csv(ALL_PARSERS, [all_parsers.values() for all_parsers in found])


OTHERS, ALL = "the others", "all parsers"
"""What a parser or an indicator is compared with, if not with one parser."""

SIGNS: dict[str, float] = {Side.FIRST: 1.0, Side.SECOND: -1.0}
"""The sides, and the sign of a difference in their favour."""


@dataclass(frozen=True)
class ParserAgreement:
    """Measure how far a parser (or an indicator) agrees with another parser, or with all the others.

    Attributes:
        pairs: how many comparisons tested both (or computed the indicator), and gave the other a sign.
        same_sign: the percentage of `pairs` with the same sign; None without any. An indicator without
            a sign agrees with none.
        clear: how many comparisons have a side that both show to be ahead (for an indicator: that all
            parsers show).
        same_side: the percentage of `clear` with the same side.
        rank_correlation: Spearman's, of the differences; None for fewer than three comparisons, and for
            indicators.
    """

    parser: str
    other: str
    pairs: int
    same_sign: float | None
    clear: int
    same_side: float | None
    rank_correlation: float | None = None


@dataclass(frozen=True)
class Opinion:
    """Hold what a parser, several parsers, or an indicator shows for a comparison.

    Attributes:
        delta: the difference in points; for an indicator 1 or -1, or 0 where it is undecided, which counts as
            wrong.
        side: the side that is shown to be ahead; another word if none is.
    """

    delta: float
    side: str | None


def opinions(all_parsers: AllParsers) -> dict[str, Opinion]:
    return {
        row.parser: Opinion(all_parsers.delta(row), row.easier(all_parsers.score).side)
        for row in all_parsers.heard
    }


def summarise_opinions(parsers: Mapping[str, Opinion], but: str = "") -> Opinion | None:
    """Return the mean difference and the common answer of the parsers except `but`; None below two."""
    others = [opinion for parser, opinion in parsers.items() if parser != but]
    if len(others) < 2:
        return None
    mean = statistics.fmean(opinion.delta for opinion in others)
    return Opinion(mean, common_answer([opinion.side for opinion in others]))


def parser_agreement(pairs: Sequence[AllParsers]) -> list[ParserAgreement]:
    """Return how far the parsers agree: each pair, then each parser with all the others.

    `pairs` are all comparisons by one score. With two parsers, there are no others.
    """
    by_comparison = list(map(opinions, pairs))
    in_order = dict.fromkeys(row.parser for all_parsers in pairs for row in all_parsers.rows)
    parsers = [parser for parser in in_order if any(parser in by_parser for by_parser in by_comparison)]
    agreements = []
    for first, second in combinations(parsers, 2):
        both = [(by_parser.get(first), by_parser.get(second)) for by_parser in by_comparison]
        agreements.append(agreement(first, second, both))
    if len(parsers) > 2:
        for parser in parsers:
            both = [
                (by_parser.get(parser), summarise_opinions(by_parser, parser)) for by_parser in by_comparison
            ]
            agreements.append(agreement(parser, OTHERS, both))
    return agreements


def indicator_agreement(pairs: Sequence[AllParsers]) -> list[ParserAgreement]:
    """Return how often each indicator picks the side of the parsers' mean difference, and of their answer."""
    agreements = []
    for indicator in INDICATORS:
        both = []
        for all_parsers in pairs:
            # one parser at most is trained on both annotations; the measures are the same for all
            picks = (row.indicator(indicator.key).pick for row in all_parsers.rows)
            pick = next(filter(None, picks), None)
            opinion = None if pick is None else Opinion(SIGNS.get(pick, 0.0), pick)
            both.append((opinion, summarise_opinions(opinions(all_parsers))))
        found = agreement(indicator.key, ALL, both)
        if found.pairs:
            agreements.append(replace(found, rank_correlation=None))
    return agreements


def agreement(
    name: str, other: str, pairs: Iterable[tuple[Opinion | None, Opinion | None]]
) -> ParserAgreement:
    """Return how far two parsers agree, from what both show for each construction."""
    both = [(a, b) for a, b in pairs if a is not None and b is not None and b.delta]
    clear = [(a, b) for a, b in both if b.side in SIGNS and (a.side in SIGNS or other == ALL)]
    correlation = None
    if len(both) > 2:
        from scipy.stats import spearmanr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # differences that are all the same have no correlation: nan
            rho = spearmanr([a.delta for a, _ in both], [b.delta for _, b in both]).statistic
        correlation = None if math.isnan(rho) else float(rho)
    return ParserAgreement(
        name,
        other,
        len(both),
        percent([winner(a.delta) == winner(b.delta) for a, b in both]),
        len(clear),
        percent([a.side == b.side for a, b in clear]),
        correlation,
    )


def percent(values: Sequence[float]) -> float | None:
    return 100 * statistics.fmean(values) if values else None
