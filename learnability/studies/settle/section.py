"""Report what settling found: settled.csv, and a section of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from learnability.evidence.answers import PUNCTUATION
from learnability.evidence.columns import RESULTS, Column, csv_bytes, result_values
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import FEWEST_PLACES
from learnability.reports.results import answer_table
from learnability.reports.text import Section, time_in_words
from learnability.reports.verdicts import points, verdict, verdicts
from learnability.statistics.sequential import Looks
from learnability.statistics.spread import Spread
from learnability.support.nouns import count_noun

if TYPE_CHECKING:
    from learnability.studies.settle.study import SettledConstruction

SETTLED = "settled.csv"
"""The answers over all sentences of the treebanks, in the folder of the run."""

HEADING = "Over all sentences of the treebank"
BEYOND_BUDGET = "Not trained"


def nothing_to_settle(parser: str) -> Section:
    """Return what the command says where the run leaves nothing open; `parser`: if there are several."""
    by = f" by {parser}, the first parser" if parser else ""
    return Section(
        "Nothing to settle",
        (f"In the run, every construction with at least {FEWEST_PLACES} places has an answer{by}.",),
    )


TOPIC = "Columns of settled.csv"

TEST_SET = {
    "test_set_delta": "`uas_delta` of the run: on the test set alone",
    "test_set_delta_low": "lower bound of its interval",
    "test_set_delta_high": "upper bound of its interval",
}
"""The columns of settled.csv about the test set, and what they hold."""

COLUMNS = (*RESULTS, *(Column(name, "number", text, TOPIC) for name, text in TEST_SET.items()))
"""The columns of settled.csv: those of results.csv, over all sentences, and the difference of the run."""

FAR = 1.96
"""Standard errors by which the test set must differ from the treebank to be mentioned."""


def settled_values(construction: SettledConstruction) -> dict[str, Any]:
    """Return the values of a line of settled.csv."""
    of_run = construction.of_run.difference()
    on_test_set = (
        dict.fromkeys(TEST_SET, None)
        if of_run is None
        else {
            "test_set_delta": of_run.shown,
            "test_set_delta_low": of_run.low,
            "test_set_delta_high": of_run.high,
        }
    )
    return {**result_values(construction.row), **on_test_set}


def settled_csv(trained: Sequence[SettledConstruction]) -> bytes:
    """Return the answers for the constructions that were trained as settled.csv."""
    return csv_bytes(COLUMNS, map(settled_values, trained))


def settled_sections(
    constructions: Sequence[SettledConstruction],
    of_run: Sequence[ComparisonRow],
    first_look: Callable[[Sequence[SettledConstruction]], float],
    most_passes: int,
) -> Iterator[Section]:
    """Yield the sections of the report: per treebank what was settled, and what the run itself has answered.

    Args:
        constructions: those that the run left open.
        of_run: all comparisons of the run.
        first_look: returns the processor seconds until the first look at some constructions of a treebank.
        most_passes: the trainings of each fold and annotation before the last look that may come.
    """
    labels = list(dict.fromkeys(row.treebank_label for row in of_run))
    for label in labels:
        name = f"{label}: " if len(labels) > 1 else ""
        of_treebank = [known for known in constructions if known.row.treebank_label == label]
        settled = [known for known in of_treebank if known.passes]
        if settled:
            yield _over_all_sentences(f"{name}{HEADING}", settled, most_passes)
        if untrained := [known for known in of_treebank if not known.passes]:
            yield Section(f"{name}{BEYOND_BUDGET}", (_explain_untrained(untrained, first_look(untrained)),))
        found = {known.row.pair.alternative.spelling for known in settled}
        others = [
            row
            for row in of_run
            if row.treebank_label == label and row.pair.alternative.spelling not in found
        ]
        if others:
            occurring = [row for row in others if row.places]
            tests_all = bool(occurring) and all(row.tests_all_places for row in occurring)
            heading = "In the cross-validated run" if tests_all else "On the test set"
            yield Section(f"{name}{heading}", tuple(verdicts(others)), (answer_table(others),))


def _over_all_sentences(
    heading: str, constructions: Sequence[SettledConstruction], most_passes: int
) -> Section:
    """Return the answers for the constructions of a treebank, and the table of their differences."""
    passes = max(construction.passes for construction in constructions)
    scope = (
        "These answers are about the whole treebank. Parsers trained on the other sentences parsed every "
        f"sentence, up to {count_noun(passes, 'time')} per annotation. The intervals allow for checking the "
        "results several times, for all constructions of the run, and for the test of the run itself."
    )
    sentences = [line for construction in constructions for line in _sentences(construction, most_passes)]
    rows = [construction.row for construction in constructions]
    return Section(heading, (scope, *sentences), (answer_table(rows),))


def _sentences(construction: SettledConstruction, most_passes: int) -> Iterator[str]:
    """Yield the answer of a construction, what remains possible and why, and how the test set differs."""
    row = construction.row
    yield verdict(row)
    if construction.open:
        yield from _still_possible(construction)
    if construction.limit == "budget":
        yield f"{row.name}: the budget is spent. A larger --budget may answer it."
    elif construction.limit:
        yield f"{row.name}: we stopped at --most-seeds. A larger --most-seeds may answer it."
    elif construction.open and construction.passes < most_passes:
        yield f"{row.name}: we stopped, because more training would probably not answer it."
    yield from _of_test_set(construction)


def _explain_untrained(constructions: Sequence[SettledConstruction], seconds: float) -> str:
    """Return that the budget was too small to begin with some constructions, and what it takes."""
    names = ", ".join(construction.row.name for construction in constructions)
    return (
        f"{names}: we trained no parser, because the budget is too small. The first trainings take about "
        f"{time_in_words(seconds)} of one processor. Use a larger --budget."
    )


def _still_possible(construction: SettledConstruction) -> Iterator[str]:
    """Yield the largest difference that the data still allow."""
    row = construction.row
    for score in row.scores:
        difference = row.difference(score)
        if difference is None or not difference.error or not row.easier(score).needs_data:
            continue
        if row.easier(score).reason in PUNCTUATION:
            continue  # the answer says so
        assert difference.low is not None
        assert difference.high is not None
        largest = max(abs(difference.low), abs(difference.high))
        limit = f"at most {points(largest)} points {score.upper()} (1 word in {round(100 / largest):,})"
        sentence = f"{row.name}: the difference, if any, is {limit}."
        if isinstance(difference.testing, Looks):
            sentence += f" {source_of_uncertainty(difference.testing.spread)}"
        yield sentence


def source_of_uncertainty(spread: Spread) -> str:
    """Return a sentence on the larger part of the variance: the sentences of the treebank, or training."""
    of_training = spread.of_training > spread.variance() / 2
    source = "random variation in training" if of_training else "the choice of sentences"
    return f"Most of the uncertainty comes from {source}."


def _of_test_set(construction: SettledConstruction) -> Iterator[str]:
    """Yield a sentence where the test set says something else than the treebank."""
    whole, part = construction.row.difference(), construction.of_run.difference()
    if whole is None or part is None or not whole.error or not part.error:
        return
    apart = part.delta - whole.delta
    if abs(apart) > FAR * sqrt(whole.error**2 + part.error**2):
        both = f"{_name_leader(part.delta)} on the test set, {_name_leader(whole.delta)} over all sentences"
        yield f"{construction.row.name}: the test set differs from the treebank. {both}."


def _name_leader(delta: float) -> str:
    """Return the side that is ahead, with its lead in points."""
    return f"{'UD' if delta >= 0 else 'alt.'} +{abs(delta):.1f}"
