"""Define the columns of files of results, and write rows in them.

:data:`STATISTICS` is all that a row holds, in order. From it follow results.csv (:data:`RESULTS`), scores.csv
(every statistic of every row, long), the frames of the API, the rows as JSON, and the explanation in
docs/numbers.md, which the site has.

The rule for names: a value by a score is ``{score}_{statistic}`` on the own annotation and
``{comparison}_{score}_{statistic}`` in another comparison.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Literal

from learnability.evidence.questions import Question
from learnability.evidence.rows import TRAINED_ON_BOTH, ComparisonRow
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score, scores_of
from learnability.support.values import CsvRow, JsonObject

Kind = Literal["text", "choice", "count", "number"]

DTYPES = {"text": "string", "choice": "string", "count": "Int64", "number": "float64"}
"""The columns of pandas frames, by kind."""


P_VALUES = ("p_value", "_holm", "p_equal")
"""The ends of the names of p values."""


@dataclass(frozen=True)
class Column:
    """Represent a column of a file of results.

    Attributes:
        kind: `text`, a `choice` of a side or none of them, a `count`, or a `number`, all but text empty if
            there is no value.
        meaning, topic: what it is, in Markdown, and the heading in docs/numbers.md that explains it.
    """

    name: str
    kind: Kind = "number"
    meaning: str = ""
    topic: str = ""

    @staticmethod
    def of_topic(topic: str, *columns: tuple[str, Kind, str]) -> tuple[Column, ...]:
        return tuple(Column(name, kind, meaning, topic) for name, kind, meaning in columns)

    @classmethod
    def of_decisions(cls, topic: str, *columns: tuple[str, Kind, str]) -> tuple[Column, ...]:
        """Return the columns of a file of decisions about words, which `doubts --apply` reads."""
        return cls.of_topic(topic, *ANNOTATED_WORD, *columns, *DECISION)

    @staticmethod
    def csv(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> bytes:
        """Return the rows as CSV with a header."""
        lines = ([column.text(row[column.name]) for column in columns] for row in rows)
        return _csv([column.name for column in columns], lines)

    def text(self, value: Any) -> str:
        """Return a value as it stands in the file: four decimals, p values six; minus zero has no sign."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if self.kind == "text" or not isinstance(value, float):
            return str(value)
        text = f"{value:.{6 if self.name.endswith(P_VALUES) else 4}f}"
        return text.lstrip("-") if float(text) == 0 else text


def _csv(header: Sequence[str], lines: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return out.getvalue().encode()


NAMED: tuple[tuple[str, Kind, str], ...] = (
    ("treebank", "text", "as in results.csv"),
    ("release", "text", "as in results.csv"),
    ("construction", "text", "as in results.csv"),
    ("variant", "text", "as in results.csv"),
    ("against", "text", "the scheme of (a), empty for UD"),
)
"""What names a pair in other files of results: name, kind and meaning of its columns."""

ANNOTATED_WORD: tuple[tuple[str, Kind, str], ...] = (
    ("sent_id", "text", "the sentence: its id, or its number in the file where the file gives no ids"),
    ("file", "text", "the file that it is in"),
    ("line", "count", "the line of the word in this file"),
    ("word", "count", "the number of the word in the sentence"),
    ("form", "text", "the word"),
    ("upos", "text", "its tag as annotated"),
    ("head", "count", "its head as annotated; 0: the root"),
    ("deprel", "text", "its relation as annotated"),
)
"""What names a word and its annotation in files of decisions."""

DECISION: tuple[tuple[str, Kind, str], ...] = (
    ("content", "text", "sixteen digits that change with the words of the sentence"),
    ("decision", "text", "empty, for you to fill in: `accept`, `reject` or `later`"),
    ("note", "text", "empty, for you to fill in"),
)
"""What makes a table a file of decisions, which `doubts --apply` reads."""


@dataclass(frozen=True)
class Statistic(Column):
    """Represent a value of a row.

    Attributes:
        score, basis, statistic: as in scores.csv; `score` and `basis` are empty of what belongs to
            no score, or is compared by none.
        value: reads it from a row, None where it was not computed.
    """

    score: str = ""
    basis: str = ""
    statistic: str = ""
    value: Callable[[ComparisonRow], Any] = lambda row: None

    def applies_to(self, row: ComparisonRow) -> bool:
        return not self.score or self.score in scores_of(labelled=row.labelled)


def statistic(
    statistic: str,
    kind: Kind,
    topic: str,
    meaning: str,
    value: Callable[[ComparisonRow], Any] | None = None,
    *,
    score: str = "",
    basis: str = "",
) -> Statistic:
    """Return a statistic with the name that its column has; without `value` it is the attribute of a row."""
    prefix = "" if basis == ScoringBasis.ANNOTATION else basis
    name = "_".join(filter(None, (prefix, score, statistic)))
    return Statistic(name, kind, meaning, topic, score, basis, statistic, value or attrgetter(statistic))


COMPARED, AMOUNTS = "What was compared", "About the data"
DIFFERENCE, CONVERSION = "Statistics of a difference", "What conversion can reach"
PREFERRED = "Preferred when trained on both"
TAGGING = "Accuracy of predicted tags"

BASES = {
    ScoringBasis.ANNOTATION: "each parser is tested on its own annotation; where a scheme merges or splits "
    "relations, LAS counts the coarsest labels that both have",
    ScoringBasis.WORDS: "the same, without tokens that gold UD labels `punct`",
    ScoringBasis.PHRASES: "share of phrases with the right head (UAS only); not with `cc`, `conj`, `punct`",
    ScoringBasis.CONVERTED: "UD's test trees; parses are converted back to UD first (those of (a) only "
    "with `--against`)",
    ScoringBasis.LABELS: "only where a scheme merges or splits relations: each parser is tested on all "
    "labels of its own annotation, subtypes included (LAS only)",
}
"""The meaning of each comparison."""

INTERVAL = (
    "the interval that the answer follows from: it allows for other seeds and test sentences and for all "
    "tests on the treebank. It excludes 0 exactly where `p_holm` is below 0.05"
)
UNCORRECTED = "the 95 % interval of this comparison taken alone"

DIFFERENCES: tuple[tuple[str, Kind, str, str], ...] = (
    ("base", "number", "base", "score of the parser trained on UD (a), percent"),
    ("alternative", "number", "alternative", "score of the parser trained on the alternative (b), percent"),
    ("delta", "number", "delta", "`base` − `alternative`, in points. **Positive: UD is ahead**; empty with "
     "too few examples"),
    ("delta_se", "number", "error", "standard error of the difference, in points"),
    ("delta_low", "number", "low", INTERVAL),
    ("delta_high", "number", "high", "how far UD may be ahead at most; `delta_low` with the other sign: the "
     "alternative"),
    ("delta_uncorrected_low", "number", "uncorrected_low", UNCORRECTED),
    ("delta_uncorrected_high", "number", "uncorrected_high", UNCORRECTED),
    ("delta_degrees", "number", "degrees", "degrees of freedom of `delta_se` (Student's t)"),
    ("delta_conditional", "number", "conditional",
     "the difference as estimated given that it is clear, because one that is just clear is too large on "
     "average; empty if not clear"),
    ("p_value", "number", "p_value",
     "p value of the difference, two-sided, of this comparison taken alone"),
    ("p_holm", "number", "p_holm",
     "p value after Holm's correction for all tests on the treebank by this parser; if a side is ahead only "
     "with punctuation, that without punctuation"),
    ("p_equal", "number", "p_equal",
     "p value against a difference of half a point or more, by two one-sided tests"),
    ("p_equal_holm", "number", "p_equal_holm", "`p_equal` after the same correction"),
    ("winner", "choice", "winner",
     "the side with the higher score: `base`, `alternative`, or `none`"),
    ("better", "choice", "better",
     "what the difference shows: the winner if `p_holm` is below 0.05, `equal` if `p_equal_holm` is, else "
     "`none`; empty with too few examples"),
)  # fmt: skip
"""The statistics of every difference: name, kind, attribute of `Difference`, and meaning."""


def _attribute(name: str, find: Callable[..., Any], *key: Any) -> Callable[[ComparisonRow], Any]:
    """Return what reads an attribute of what `find` finds in a row by a key; None where that is None."""

    def value(row: ComparisonRow) -> Any:
        found = find(row, *key)
        return None if found is None else getattr(found, name)

    return value


def _of_score(score: Score) -> Iterator[Statistic]:
    if score.is_answered:
        yield from map(partial(_of_question, score), Question)
        yield from map(partial(_of_reason, score), Question)
    for basis in ScoringBasis.of(score):
        for name, kind, attribute, meaning in DIFFERENCES:
            shown = "shown" if attribute == "delta" else attribute
            value = _attribute(shown, ComparisonRow.difference, score, basis)
            yield statistic(name, kind, DIFFERENCE, meaning, value, score=score, basis=basis)
    if not score.counts_every_token:
        return
    for name, of_side in (("base", "`base`"), ("alternative", "`alternative`"), ("delta", "`delta`")):
        yield statistic(
            f"{name}_without_copies", "number", DIFFERENCE,
            f"{of_side} without tested sentences that are copies of training sentences; empty if none is, or "
            "all are",
            _attribute(name, lambda row: row.without_copies.get(score)),
            score=score, basis=ScoringBasis.ANNOTATION,
        )  # fmt: skip
    ceilings = (
        ("ceiling", "alternative", "as `alternative`, for the *gold* trees of (b): the most that the "
         "conversion can reach"),
        ("ceiling_base", "base", "with `--against`: as `ceiling`, for the gold trees of (a)"),
        ("ceiling_gold_places", "gold_places", "as `ceiling`, with the places known: shows what the "
         "inverse rules lose; UAS only"),
    )  # fmt: skip
    yield statistic(
        "restored", "number", CONVERSION,
        "where no rule converts back: test words of (a), in percent, that a way back learned from the "
        "training set restores from the *gold* trees of (b)",
        lambda row: row.restored.get(score), score=score, basis=ScoringBasis.CONVERTED,
    )  # fmt: skip
    for name, attribute, meaning in ceilings[:2] if score.needs_labels else ceilings:
        value = _attribute(attribute, ComparisonRow.ceiling, score)
        yield statistic(name, "number", CONVERSION, meaning, value, score=score, basis=ScoringBasis.CONVERTED)


QUESTIONS = {
    Question.EASIER: "which is easier to learn ([answers](answers.md))",
    Question.TRAIN_ON: "which to train on if UD trees are needed; empty where no rule converts back",
}
"""The meaning of the columns of answers."""


def _of_question(score: Score, question: Question) -> Statistic:
    return Statistic(
        question.column(score),
        "text",
        QUESTIONS[question],
        DIFFERENCE,
        score,
        statistic=str(question),
        value=lambda row: row.name_answer(question, score),
    )


def _of_reason(score: Score, question: Question) -> Statistic:
    return Statistic(
        f"{question.column(score)}_reason",
        "text",
        f"why `{question}` is open or empty, or what it does not tell ([reasons](answers.md#reasons))",
        DIFFERENCE,
        score,
        statistic=f"{question}_reason",
        value=lambda row: str(row.answered(question, score).reason),
    )


def _preferred() -> Iterator[Statistic]:
    share = (
        "share of the training sentences with places in which (c) preferred UD, or the alternative; mean "
        "over seeds"
    )
    side = "the side with the larger mean share over seeds and iterations; `none` if they are equal"
    described: tuple[tuple[str, Kind, str], ...] = (
        ("base", "number", share), ("alternative", "number", share), ("pick", "choice", side),
    )  # fmt: skip
    for name, kind, meaning in described:
        value = attrgetter(f"trained_on_both.{name}")
        yield statistic(name, kind, PREFERRED, meaning, value, basis=TRAINED_ON_BOTH)


def _of_undefined(key: str) -> Callable[[ComparisonRow], Any]:
    return lambda row: row.undefined.get(key)


def _reasons() -> Iterator[Statistic]:
    for key in (ScoringBasis.PHRASES, ScoringBasis.CONVERTED, TRAINED_ON_BOTH):
        meaning = (
            "why it cannot be computed: a scheme changes tags or relations, or the treebank lacks something"
        )
        yield statistic("undefined", "text", DIFFERENCE, meaning, _of_undefined(key), basis=key)


TAGGED = ("tagging", "no parses: the predicted tags of the test words")
"""The name and the meaning of the comparison of predicted tags."""

TAGGER_ACCURACIES = (
    ("base", "share of the test words that the tagger of (a) tags right, percent"),
    ("alternative", "as `base`, for the tagger of (b), which learns the tags of the alternative"),
    ("delta", "`base` − `alternative`, in points"),
    ("delta_low", "the 95 % interval of `delta`"),
    ("delta_high", "the 95 % interval of `delta`"),
)
"""The statistics of predicted tags: name and meaning."""


def _tagging_statistics() -> Iterator[Statistic]:
    for name, meaning in TAGGER_ACCURACIES:
        value = _attribute(name, lambda row: row.tagging)
        yield statistic(name, "number", TAGGING, meaning, value, basis=TAGGED[0])


STATISTICS: tuple[Statistic, ...] = (
    statistic("treebank", "text", COMPARED, "name of the treebank"),
    statistic("release", "text", COMPARED, "its UD release, empty if unknown"),
    statistic("construction", "text", COMPARED,
              "name of the construction, the scheme, or the alternative treebank",
              attrgetter("pair.construction")),
    statistic("variant", "text", COMPARED, "its options other than the defaults: `reattach=clause`",
              attrgetter("pair.variant")),
    statistic("against", "text", COMPARED, "the scheme of (a), or its treebank; empty for UD",
              attrgetter("pair.against")),
    statistic("parser", "text", COMPARED,
              "the parser that was trained and tested; empty if `arc-eager` is the only one"),
    statistic("tested_on", "text", COMPARED,
              "what was tested: the test set, or all sentences, each by parsers that were trained on others; "
              "with the score where scores differ in it", attrgetter("tested_on_by_score")),
    statistic("places", "count", COMPARED,
              "places in the training set where the construction can be changed; for imported annotations "
              "[independent changes](rules.md#imported-annotations)"),
    statistic("test_places", "count", COMPARED,
              "places in the sentences that were tested; in all sentences where scores differ in that"),
    statistic("seeds", "count", COMPARED,
              "number of trainings of each parser; all scores are means over them"),
    statistic("sentences", "count", AMOUNTS, "sentences of the training set"),
    statistic("sentences_changed", "count", AMOUNTS,
              "sentences of the training set that change if all places are changed"),
    statistic("tokens_changed", "count", AMOUNTS, "tokens of the training set that then have another head"),
    statistic("train_tokens", "count", AMOUNTS, "tokens of the training set"),
    statistic("nonprojective_train", "count", AMOUNTS,
              "training sentences that are not projective in UD"),
    *(
        statistic(f"lost_arcs_{side}", "number", AMOUNTS,
                  f"percent of the tested heads of {setting} that [lifting](rules.md#non-projective-trees) "
                  "moves, if the parser needs it: about what it cannot build",
                  _attribute(side, lambda row: row.lost_arcs))
        for side, setting in (("base", "(a)"), ("alternative", "(b)"))
    ),
    statistic("test_sentences", "count", AMOUNTS, "sentences that were tested"),
    statistic("test_copies", "count", AMOUNTS,
              "tested sentences that are copies of training sentences; empty if none is",
              lambda row: next((others.copies for others in row.without_copies.values()), None)),
    statistic("iterations", "number", AMOUNTS,
              "iterations of (a) over the training set, mean over seeds"),
    *(found for score in Score for found in _of_score(score)),
    *_preferred(),
    *_reasons(),
    *_tagging_statistics(),
    statistic("factors_cut", "count", AMOUNTS,
              "groups of linked places ([factors](rules.md#reference-sets)) that have too many trees"),
    statistic("sentences_unmixed", "count", AMOUNTS,
              "only with `--against`: training sentences in which two schemes [cannot be "
              "mixed](howto/two-treebanks.md#sentences-that-cannot-be-mixed)"),
)  # fmt: skip
"""All values of a row except those by kind of token (:func:`row_details`)."""

SHOWN = (
    "treebank", "release", "construction", "variant", "against", "parser", "tested_on",
    "places", "test_places", "seeds",
    "easier", "train_on", "uas_base", "uas_alternative", "uas_delta", "uas_delta_low", "uas_delta_high",
    "uas_p_holm", "converted_back_uas_delta",
    "las_easier", "las_train_on", "las_base", "las_alternative", "las_delta", "las_delta_low",
    "las_delta_high", "las_p_holm", "converted_back_las_delta",
)  # fmt: skip
"""The names of the columns of results.csv."""

RESULTS = tuple(next(column for column in STATISTICS if column.name == name) for name in SHOWN)
"""The columns of results.csv, always the same."""

LONG = tuple(column for column in STATISTICS if column.name not in SHOWN or column.score)
"""The statistics of scores.csv: all by scores, and of the others what results.csv does not have."""

SCORES = Column.of_topic(
    "Columns of scores.csv",
    ("treebank", "text", "the treebank, with its release after `@`"),
    ("construction", "text", "as in results.csv, with `variant` after `:`"),
    ("parser", "text", "as in results.csv"),
    ("score", "text", f"{', '.join(f'`{score}`' for score in Score)}; empty for values without a score"),
    ("comparison", "text", "the comparison ([below](#comparisons)); empty for counts and answers"),
    ("statistic", "text", "which value"),
    ("value", "text", "a number, a side, or an answer"),
)
"""The columns of scores.csv."""


def result_values(row: ComparisonRow) -> CsvRow:
    return {column.name: column.value(row) for column in RESULTS}


def results_csv(rows: Sequence[ComparisonRow]) -> bytes:
    return Column.csv(RESULTS, map(result_values, rows))


def score_lines(row: ComparisonRow) -> Iterator[tuple[Statistic, Any]]:
    for column in LONG:
        value = column.value(row)
        if value not in (None, "") and column.applies_to(row):
            yield column, value


def scores_values(row: ComparisonRow) -> Iterator[CsvRow]:
    for column, value in score_lines(row):
        yield {
            "treebank": row.treebank_label,
            "construction": row.name,
            "parser": row.parser,
            "score": column.score,
            "comparison": column.basis,
            "statistic": column.statistic,
            "value": value,
        }


def scores_csv(rows: Sequence[ComparisonRow]) -> bytes:
    """Return the rows as scores.csv."""
    lines = (
        (row.treebank_label, row.name, row.parser, column.score, column.basis, column.statistic, text)
        for row in rows
        for column, value in score_lines(row)
        if (text := column.text(value))
    )
    return _csv([column.name for column in SCORES], lines)


def row_values(row: ComparisonRow) -> CsvRow:
    """Return all statistics of a row by their columns, None if not computed; without LAS if unlabelled."""
    return {column.name: column.value(row) for column in STATISTICS if column.applies_to(row)}


def row_details(row: ComparisonRow) -> JsonObject:
    """Return what a row tells by kind of token: scores by part and relation, and what changes."""
    details: JsonObject = {}
    for score in row.scores:
        for name, parts in (("error_split", row.error_split), ("relations", row.relations)):
            of_score = parts.get(score)
            details[f"{score}_{name}"] = (
                None if of_score is None else {kind: asdict(part) for kind, part in of_score.items()}
            )
    if row.changes is not None:
        details["changes"] = {kind: asdict(counts) for kind, counts in row.changes.items()}
        details["groups"] = [group.record for group in row.groups]
    return details
