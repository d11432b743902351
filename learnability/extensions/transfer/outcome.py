"""Say in which annotation parsers of other languages parse better: in words, tables and transfer.csv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from learnability.extending import (
    Column,
    Difference,
    Outcome,
    PageHeader,
    RandomEffects,
    RunPlan,
    Score,
    ScoringBasis,
    Section,
    Side,
    Table,
    count_noun,
    format_signed,
    origin_of_treebank,
)
from learnability.extensions.transfer.declaration import TransferOptions

if TYPE_CHECKING:
    from learnability.extending import ComparisonRow

FILE, TOPIC = "transfer.csv", "Columns of transfer.csv"

BASES = (ScoringBasis.PHRASES, ScoringBasis.CONVERTED, ScoringBasis.ANNOTATION)
"""What the parses of both parsers are compared with: the first that is defined gives the answer."""

BASIS_NAMES = {
    ScoringBasis.PHRASES: "arcs between phrases",
    ScoringBasis.CONVERTED: "parses converted to UD",
    ScoringBasis.ANNOTATION: "parses in their own annotation",
}

COLUMNS = Column.of_topic(
    TOPIC,
    ("treebank", "text", "the treebank that is parsed"),
    ("release", "text", "its release"),
    ("language", "text", "its language"),
    ("family", "text", "the family of the language"),
    ("construction", "text", "the alternative, as it is typed"),
    ("parser", "text", "the parser; empty in a run without `--parser`"),
    ("score", "choice", "`uas` or `las`"),
    ("basis", "choice", "what is compared: `between_phrases`, `converted_back` or `own_annotation`"),
    ("is_answer", "choice", "whether the answer follows from this row: `yes` or `no`"),
    ("base", "number", "score of the parser that learned UD, in percent"),
    ("alternative", "number", "score of the parser that learned the alternative, in percent"),
    ("delta", "number", "UD minus the alternative, in points"),
    ("error", "number", "standard error of `delta`: over other drawn sentences, seeds and test sentences"),
    (
        "low",
        "number",
        "lower bound of the interval, for all constructions of the target (Holm)",
    ),
    ("high", "number", "upper bound of the interval"),
    ("better", "choice", "`base`, `alternative`, `equal`, or `none`: which is ahead in this target"),
    ("places", "count", "places in the tested sentences where the annotations differ"),
)
"""The columns of transfer.csv."""


@dataclass(frozen=True)
class Transferred:
    """Hold how a parser of other languages did on a target, by one score and comparison."""

    row: ComparisonRow
    score: Score
    basis: ScoringBasis
    difference: Difference
    is_answer: bool

    def values(self) -> dict[str, Any]:
        """Return the row of transfer.csv."""
        row, difference = self.row, self.difference
        language, family = origin_of_treebank(row.treebank)
        return {
            "treebank": row.treebank,
            "release": row.release,
            "language": language,
            "family": family,
            "construction": row.name,
            "parser": row.parser,
            "score": str(self.score),
            "basis": str(self.basis),
            "is_answer": "yes" if self.is_answer else "no",
            "base": difference.base,
            "alternative": difference.alternative,
            "delta": difference.delta,
            "error": difference.error,
            "low": difference.low,
            "high": difference.high,
            "better": difference.better,
            "places": row.test_places,
        }


def list_transferred(rows: Sequence[ComparisonRow]) -> list[Transferred]:
    """Return every comparison of every row, those from which answers follow marked."""
    found: list[Transferred] = []
    for row in rows:
        for score in row.compared_scores:
            known = [(basis, row.difference(score, basis)) for basis in BASES]
            defined = [(basis, difference) for basis, difference in known if difference is not None]
            for number, (basis, difference) in enumerate(defined):
                if difference.better is not None:  # else there are too few examples
                    found.append(Transferred(row, score, basis, difference, is_answer=number == 0))
    return found


@dataclass(frozen=True)
class Mean:
    """Hold the mean of a construction over targets, by a parser and a score."""

    name: str
    parser: str
    score: Score
    members: Sequence[Transferred]

    @cached_property
    def effects(self) -> RandomEffects | None:
        """Return the mean, with its interval; None for fewer than five languages."""
        differences = [member.difference for member in self.members]
        origins = [origin_of_treebank(member.row.treebank) for member in self.members]
        if len({origin.language for origin in origins}) < FEWEST_LANGUAGES:
            return None
        return RandomEffects.combine(
            [each.delta for each in differences], [each.error or 0.0 for each in differences], origins
        )

    def count(self, side: Side) -> int:
        return sum(member.difference.better is side for member in self.members)


FEWEST_LANGUAGES = 5
"""The fewest languages over which a mean is given."""


def list_means(transferred: Sequence[Transferred]) -> list[Mean]:
    """Return the mean of each construction, parser and score over its targets."""
    groups: dict[tuple[str, str, Score], list[Transferred]] = {}
    for each in transferred:
        if each.is_answer:
            groups.setdefault((each.row.name, each.row.parser, each.score), []).append(each)
    return [Mean(*key, members) for key, members in groups.items()]


def transfer_outcome(rows: Sequence[ComparisonRow], plan: RunPlan, options: TransferOptions) -> Outcome:
    """Return what comparisons show of parsers that have seen other languages only.

    The comparisons themselves are no part of it: their words are about what is easier to learn at home.
    """
    transferred = list_transferred(rows)
    means = list_means(transferred)
    answers = [each for each in transferred if each.is_answer]
    section = Section(
        "In which annotation parsers of other languages parse better",
        tuple(_sentences(means, answers)),
        tuple(_tables(means, answers)),
    )
    return Outcome(
        files={FILE: Column.csv(COLUMNS, (each.values() for each in transferred))},
        values={"transfer": [each.values() for each in transferred]},
        answers=(section,),
        header=PageHeader(
            "which annotation do parsers of other languages transfer?",
            f"{count_noun(len(plan.treebanks), 'treebank')} parsed · {count_noun(options.words, 'word')} "
            f"of each source · {count_noun(len(plan.seeds), 'training')} each, with other sentences",
            _limits(options),
        ),
    )


def _limits(options: TransferOptions) -> list[str]:
    shared = "family" if options.leave_out == "family" else "language"
    return [
        f"This is about parsers that have seen no sentence of the {shared}. Which annotation is easier to "
        "learn from the treebank itself is another question, which `learnability run` answers.",
        "Parsers see gold tags in place of words.",
    ]


def _sentences(means: Sequence[Mean], answers: Sequence[Transferred]) -> Iterator[str]:
    said = [(mean, mean.effects) for mean in means if mean.effects is not None]
    for mean, effects in said:
        yield f"{_title(mean.name, mean.parser, mean.score, means)}: {_describe_mean(mean, effects)}."
    if not said:
        for each in answers:
            yield f"{each.row.treebank}, {each.row.name}: {_describe(each)}."
    yield (
        "Each number compares two parsers that learned the same sentences of other languages, one in UD and "
        "one in the alternative, and never saw the language that they parse."
    )


def _title(name: str, parser: str, score: Score, means: Sequence[Mean]) -> str:
    several = len({mean.parser for mean in means}) > 1, len({mean.score for mean in means}) > 1
    return ", ".join(filter(None, (name, parser if several[0] else "", score.upper() if several[1] else "")))


def _describe_mean(mean: Mean, effects: RandomEffects) -> str:
    languages = count_noun(effects.languages, "language")
    sides = f"UD is clearly ahead in {mean.count(Side.FIRST)}, the alternative in {mean.count(Side.SECOND)}"
    interval = f"{format_signed(effects.mean)} points ({effects.low:+.2f} to {effects.high:+.2f})"
    if effects.low <= 0 <= effects.high:
        return f"open over {languages}, {interval}; {sides}"
    ahead = "UD" if effects.mean > 0 else "the alternative"
    size = f"{abs(effects.mean):.2f} points over {languages} ({effects.low:+.2f} to {effects.high:+.2f})"
    return f"{ahead} transfers better, by {size}; {sides}"


def _describe(each: Transferred) -> str:
    size = f"{each.difference.delta:+.2f} points, {_interval(each.difference)}, {BASIS_NAMES[each.basis]}"
    match each.difference.better:
        case Side.FIRST:
            return f"UD transfers better ({size})"
        case Side.SECOND:
            return f"the alternative transfers better ({size})"
        case Side.EQUAL:
            return f"no difference that matters ({size})"
    return f"open ({size})"


def _interval(difference: Difference) -> str:
    return f"{difference.low:+.2f} to {difference.high:+.2f}"


def _tables(means: Sequence[Mean], answers: Sequence[Transferred]) -> Iterator[Table]:
    rows = []
    for mean in means:
        if (effects := mean.effects) is not None:
            rows.append(
                (
                    _title(mean.name, mean.parser, mean.score, means),
                    f"{effects.mean:+.2f}",
                    f"{effects.low:+.2f} to {effects.high:+.2f}",
                    str(effects.languages),
                    f"{mean.count(Side.FIRST)} / {mean.count(Side.SECOND)}",
                )
            )
    if rows:
        yield Table(
            "Means over languages: UD minus the alternative, in points",
            ("construction", "mean", "95 % interval", "languages", "clear: UD / alternative"),
            tuple(rows),
            "The interval of a mean is that of this mean alone, whatever the number of constructions.",
        )
    yield Table(
        "Each target: UD minus the alternative, in points",
        ("target", "construction", "difference", "interval", "compared"),
        tuple(
            (
                each.row.treebank,
                _title(each.row.name, each.row.parser, each.score, means),
                f"{each.difference.delta:+.2f}",
                _interval(each.difference),
                BASIS_NAMES[each.basis],
            )
            for each in answers
        ),
        align="<<>",
    )
