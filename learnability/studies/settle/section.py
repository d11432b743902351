"""Report what settling found of each construction, as a section of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from learnability.comparing.annotation import Annotation
from learnability.evidence.answers import is_left_open
from learnability.evidence.questions import PUNCTUATION
from learnability.evidence.rows import ComparisonRow, refine_row
from learnability.reports.section import Section
from learnability.reports.text import points, time_in_words
from learnability.statistics.sequential import Looks
from learnability.statistics.spread import Spread
from learnability.support.nouns import count_noun

HEADING = "How every sentence was tested"
BEYOND_BUDGET = "Not tested on every sentence"


@dataclass(frozen=True)
class SettledConstruction:
    """Hold the results for a construction after some passes.

    `row` is the comparison over all sentences, corrected for all constructions of the run, without scores
    before the first look, `of_run` that on the test set. `chance` is the probability that the remaining
    passes give an answer, `limit` the option because of which it was not trained further, if that was
    worthwhile.
    """

    annotation: Annotation
    row: ComparisonRow
    of_run: ComparisonRow
    passes: int = 0
    chance: float = 1.0
    limit: str = ""

    @property
    def open(self) -> bool:
        return is_left_open(self.refined)

    @property
    def refined(self) -> ComparisonRow:
        return refine_row(self.of_run, self.row)


def settled_sections(
    constructions: Sequence[SettledConstruction],
    first_look: Callable[[Sequence[SettledConstruction]], float],
    most_passes: int,
) -> Iterator[Section]:
    """Yield the sections of the report: per treebank how far the test of every sentence came."""
    labels = list(dict.fromkeys(known.row.treebank_label for known in constructions))
    for label in labels:
        name = f"{label}: " if len(labels) > 1 else ""
        of_treebank = [known for known in constructions if known.row.treebank_label == label]
        if settled := [known for known in of_treebank if known.passes]:
            yield Section(f"{name}{HEADING}", tuple(_describe_settled(settled, most_passes)))
        if untrained := [known for known in of_treebank if not known.passes]:
            yield Section(f"{name}{BEYOND_BUDGET}", (_explain_untrained(untrained, first_look(untrained)),))


def _describe_settled(constructions: Sequence[SettledConstruction], most_passes: int) -> Iterator[str]:
    passes = max(construction.passes for construction in constructions)
    names = ", ".join(construction.row.name for construction in constructions)
    yield (
        f"{names}: parsers trained on the other sentences parsed every sentence, up to "
        f"{count_noun(passes, 'time')} per annotation. The intervals allow for checking the results several "
        "times, for all constructions of the treebank, and for the test on the test set."
    )
    for construction in constructions:
        yield from _sentences(construction, most_passes)


def _sentences(construction: SettledConstruction, most_passes: int) -> Iterator[str]:
    row = construction.row
    if construction.open:
        yield from _still_possible(construction)
    if construction.limit == "budget":
        yield f"{row.name}: the budget is spent. A larger --budget may answer it."
    elif construction.limit:
        yield f"{row.name}: we stopped at --most-seeds. A larger --most-seeds may answer it."
    elif construction.open and construction.passes < most_passes:
        yield f"{row.name}: we stopped, because more training would probably not answer it."


def _explain_untrained(constructions: Sequence[SettledConstruction], seconds: float) -> str:
    names = ", ".join(construction.row.name for construction in constructions)
    return (
        f"{names}: we trained no parser, because the budget is too small. The first trainings take about "
        f"{time_in_words(seconds)} of one processor. Use a larger --budget."
    )


def _still_possible(construction: SettledConstruction) -> Iterator[str]:
    row = construction.refined
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
    source = "random variation in training"
    if not of_training:
        source = "the choice of sentences: for a clearer answer, the treebank would have to be larger"
    return f"Most of the uncertainty comes from {source}."
