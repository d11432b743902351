"""Say in which annotation parsers of other languages parse better: in words, tables and transfer.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnability.extending import (
    Column,
    Difference,
    Outcome,
    PageHeader,
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

MEANS_FILE, MEANS_TOPIC = "transfer_means.csv", "Columns of transfer_means.csv"

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

COLUMNS_OF_MEANS = Column.of_topic(
    MEANS_TOPIC,
    ("construction", "text", "the alternative, as it is typed"),
    ("parser", "text", "the parser; empty in a run without `--parser`"),
    ("score", "choice", "`uas` or `las`"),
    (
        "compared",
        "choice",
        "`answer`: what the answer follows from; `converted_back`: parses converted to UD",
    ),
    ("targets", "count", "treebanks that were parsed"),
    ("languages", "count", "their languages; a mean needs five"),
    ("families", "count", "the families of these languages"),
    ("delta", "number", "the mean of UD minus the alternative, in points"),
    ("error", "number", "its standard error"),
    ("low", "number", "lower bound of the interval, for all constructions by this parser (Holm)"),
    ("high", "number", "upper bound of the interval"),
    ("p_holm", "number", "p of no difference, corrected in the same way"),
    ("better", "choice", "`base`, `alternative`, `equal`, or `none`: which is ahead"),
    ("targets_base_ahead", "count", "targets in which UD scores higher, clearly or not"),
    ("targets_base_clear", "count", "targets in which UD is clearly ahead"),
    ("targets_alternative_clear", "count", "targets in which the alternative is clearly ahead"),
)
"""The columns of transfer_means.csv."""


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
    """Hold the mean of a construction over targets, by a parser and a score.

    Attributes:
        compared: what the answer follows from (`answer`), or parses converted to UD.
        difference: the mean, corrected for the constructions that have one by this parser and score; None for
            fewer than five languages.
    """

    name: str
    parser: str
    score: Score
    compared: str
    members: Sequence[Transferred]
    difference: Difference | None

    @property
    def languages(self) -> int:
        return len({origin_of_treebank(member.row.treebank).language for member in self.members})

    @property
    def families(self) -> int:
        return len({origin_of_treebank(member.row.treebank).family for member in self.members})

    @property
    def ahead(self) -> int:
        return sum(member.difference.delta > 0 for member in self.members)

    def count(self, side: Side) -> int:
        return sum(member.difference.better is side for member in self.members)

    def values(self) -> dict[str, Any]:
        """Return the row of transfer_means.csv; only for a mean over enough languages."""
        assert self.difference is not None
        return {
            "construction": self.name,
            "parser": self.parser,
            "score": str(self.score),
            "compared": self.compared,
            "targets": len(self.members),
            "languages": self.languages,
            "families": self.families,
            "delta": self.difference.delta,
            "error": self.difference.error,
            "low": self.difference.low,
            "high": self.difference.high,
            "p_holm": self.difference.p_holm,
            "better": self.difference.better,
            "targets_base_ahead": self.ahead,
            "targets_base_clear": self.count(Side.FIRST),
            "targets_alternative_clear": self.count(Side.SECOND),
        }


ANSWER = "answer"
"""What a mean compares from which the answer follows: the first of `BASES` that is defined."""


def list_means(transferred: Sequence[Transferred]) -> list[Mean]:
    """Return the means over targets from which answers follow, then those of parses converted to UD.

    They are corrected for the constructions of a parser and score (Holm), each of both kinds by itself.
    """
    converted = [each for each in transferred if each.basis is ScoringBasis.CONVERTED]
    answers = [each for each in transferred if each.is_answer]
    means = []
    for compared, found in ((ANSWER, answers), (str(ScoringBasis.CONVERTED), converted)):
        groups: dict[tuple[str, Score], dict[str, list[Transferred]]] = {}
        for each in found:
            of_group = groups.setdefault((each.row.parser, each.score), {})
            of_group.setdefault(each.row.name, []).append(each)
        for (parser, score), of_group in groups.items():
            corrected = Difference.correct(list(map(_average, of_group.values())))
            for (name, members), difference in zip(of_group.items(), corrected, strict=True):
                means.append(Mean(name, parser, score, compared, members, difference))
    return means


def _average(members: Sequence[Transferred]) -> Difference | None:
    return Difference.average(
        [each.difference for each in members],
        [origin_of_treebank(each.row.treebank) for each in members],
    )


def common_side(means: Sequence[Mean]) -> Side:
    """Return what the means of a construction by all parsers show together: what each of them shows."""
    sides = {mean.difference.better for mean in means if mean.difference is not None}
    side = sides.pop() if len(sides) == 1 else None
    return side or Side.NONE


def transfer_outcome(rows: Sequence[ComparisonRow], plan: RunPlan, options: TransferOptions) -> Outcome:
    """Return what comparisons show of parsers that have seen other languages only.

    The comparisons themselves are no part of it: their words are about what is easier to learn at home.
    """
    transferred = list_transferred(rows)
    means = list_means(transferred)
    averaged = [mean.values() for mean in means if mean.difference is not None]
    answers = [each for each in transferred if each.is_answer]
    section = Section(
        "In which annotation parsers of other languages parse better",
        tuple(_sentences(means, answers)),
        tuple(_tables_of_means(means, answers)),
    )
    return Outcome(
        files={
            FILE: Column.csv(COLUMNS, (each.values() for each in transferred)),
            MEANS_FILE: Column.csv(COLUMNS_OF_MEANS, averaged),
        },
        values={"transfer": [each.values() for each in transferred], "transfer_means": averaged},
        answers=(section,),
        header=PageHeader(
            "which annotation do parsers of other languages transfer?",
            f"{count_noun(len(plan.treebanks), 'treebank')} parsed · {count_noun(options.words, 'word')} "
            f"of each source · {count_noun(len(plan.seeds), 'training')} each, with other sentences",
            _limits(options),
        ),
    )


def beside_home(
    outcome: Outcome, abroad: Sequence[ComparisonRow], at_home: Sequence[ComparisonRow]
) -> Outcome:
    """Return the outcome as a part of a run: a section that sets answers beside those at home."""
    home = {(row.treebank_label, row.name, row.parser): row for row in at_home}
    lines = []
    for each in list_transferred(abroad):
        row = home.get((each.row.treebank_label, each.row.name, each.row.parser))
        if each.is_answer and row is not None:
            names = (row.treebank, row.name, row.parser, each.score.upper())
            sides = _side_of(row.difference(each.score), HOME), _side_of(each.difference, ABROAD)
            lines.append((*names, *sides))
    headings = ("treebank", "construction", "parser", "score", "at home", "parsers of other languages")
    always = {"construction", "at home", "parsers of other languages"}
    kept = [
        column
        for column, heading in enumerate(headings)
        if heading in always or len({line[column] for line in lines}) > 1
    ]
    table = Table(
        "UD minus the alternative, in points, with its interval",
        tuple(headings[column] for column in kept),
        tuple(tuple(line[column] for column in kept) for line in lines),
        "At home: each parser on its own annotation of the test set, or of all sentences. Parsers of other "
        "languages: arcs between phrases of all sentences, or converted to UD where these are not defined.",
        align="<",
    )
    section = Section("What parsers of other languages say", (ANOTHER_QUESTION,), (table,) if lines else ())
    return replace(outcome, header=None, answers=(), sections=(section,))


ANOTHER_QUESTION = (
    "This is another question than that of the run: in which annotation do parsers that learned from other "
    "languages, and saw tags in place of words, parse this treebank better? It changes no answer above."
)

HOME = {
    Side.FIRST: "UD is easier",
    Side.SECOND: "the alternative is easier",
    Side.EQUAL: "no difference that matters",
    Side.NONE: "open",
}


def _side_of(difference: Difference | None, names: Mapping[Side, str]) -> str:
    if difference is None or difference.better is None:
        return "too few examples"
    return f"{names[difference.better]} ({difference.delta:+.2f}, {_interval(difference)})"


def _limits(options: TransferOptions) -> list[str]:
    shared = "family" if options.leave_out == "family" else "language"
    return [
        f"This is about parsers that have seen no sentence of the {shared}. Which annotation is easier to "
        "learn from the treebank itself is another question, which `learnability run` answers.",
        "Parsers see gold tags in place of words.",
    ]


def _sentences(means: Sequence[Mean], answers: Sequence[Transferred]) -> Iterator[str]:
    averaged = [mean for mean in means if mean.difference is not None]
    for name, score in dict.fromkeys((mean.name, mean.score) for mean in averaged):
        of_both = [mean for mean in averaged if (mean.name, mean.score) == (name, score)]
        by_parser = [mean for mean in of_both if mean.compared == ANSWER]
        converted = common_side([mean for mean in of_both if mean.compared != ANSWER])
        yield f"{_title(name, '', score, answers)}: {_describe_means(by_parser)}."
        if converted in (Side.FIRST, Side.SECOND) and converted is not common_side(by_parser):
            ahead = "UD is" if converted is Side.FIRST else "the alternative is"
            yield (
                f"{_title(name, '', score, answers)}, parses converted to UD: {ahead} ahead. An alternative "
                "may leave something open that UD trees say, such as which of two nouns is the predicate."
            )
    if averaged:
        yield (
            "A mean is about parsers of these sources, in languages like these. Other sources may give "
            "another one."
        )
    else:
        for each in answers:
            title = _title(each.row.name, each.row.parser, each.score, answers)
            yield f"{each.row.treebank}, {title}: {_describe(each)}."
    yield (
        "Each number compares two parsers that learned the same sentences of other languages, one in UD and "
        "one in the alternative, and never saw the language that they parse."
    )


def _title(name: str, parser: str, score: Score, answers: Sequence[Transferred]) -> str:
    """Return a construction with its parser, and with its score where there are several."""
    several = len({each.score for each in answers}) > 1
    return ", ".join(filter(None, (name, parser, score.upper() if several else "")))


ABROAD = {
    Side.FIRST: "UD transfers better",
    Side.SECOND: "the alternative transfers better",
    Side.EQUAL: "no difference that matters",
    Side.NONE: "open",
}


def _describe_means(means: Sequence[Mean]) -> str:
    sizes = [f"{mean.parser} {_size(mean)}".lstrip() for mean in means]
    over = count_noun(means[0].languages, "language")
    return f"{ABROAD[common_side(means)]} over {over} ({'; '.join(sizes)})"


def _size(mean: Mean) -> str:
    assert mean.difference is not None
    return f"{format_signed(mean.difference.delta)} points, {_interval(mean.difference)}"


def _describe(each: Transferred) -> str:
    size = f"{each.difference.delta:+.2f} points, {_interval(each.difference)}, {BASIS_NAMES[each.basis]}"
    return f"{ABROAD[each.difference.better or Side.NONE]} ({size})"


def _interval(difference: Difference) -> str:
    return f"{difference.low:+.2f} to {difference.high:+.2f}"


def _tables_of_means(means: Sequence[Mean], answers: Sequence[Transferred]) -> Iterator[Table]:
    averaged = [mean for mean in means if mean.difference is not None]
    if averaged:
        compared = {ANSWER: "answer", str(ScoringBasis.CONVERTED): "converted to UD"}
        yield Table(
            "Means over languages: UD minus the alternative, in points",
            (
                "construction",
                "compared",
                "mean",
                "interval",
                "languages",
                "UD ahead",
                "clear: UD / alternative",
            ),
            tuple(_cells_of_mean(mean, answers, compared[mean.compared]) for mean in averaged),
            "Intervals account for the constructions of a parser (Holm). An answer needs an interval without "
            "0 by every parser. A target is clear where its own interval excludes 0.",
        )


def _cells_of_mean(mean: Mean, answers: Sequence[Transferred], compared: str) -> tuple[str, ...]:
    assert mean.difference is not None
    return (
        _title(mean.name, mean.parser, mean.score, answers),
        compared,
        f"{mean.difference.delta:+.2f}",
        _interval(mean.difference),
        str(mean.languages),
        f"{mean.ahead} of {len(mean.members)}",
        f"{mean.count(Side.FIRST)} / {mean.count(Side.SECOND)}",
    )
