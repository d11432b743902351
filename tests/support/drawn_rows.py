"""Rows of a treebank, drawn at random, and corrected and answered as a run does it."""

from __future__ import annotations

from hypothesis import strategies as some
from result_rows import described

from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.statistics.inference import Inference

NAMES = ("case", "det", "mark", "cop", "cc")


@some.composite
def differences(draw: some.DrawFn, share: float, *, tested: bool = True) -> Difference:
    delta = draw(some.floats(-2, 2)) * draw(some.sampled_from([1, 0.2]))
    if not tested:
        return Difference(80.0, 80.0 - delta, delta)
    error = draw(some.sampled_from([0.05, 0.12, 0.2, 0.5, 1.0]))
    found = Inference.of(delta, error, draw(some.sampled_from([4.0, 30.0, 1e6])))
    return Difference(
        **vars(found),
        base=80.0,
        alternative=80.0 - delta,
        delta=delta,
        uncorrected_low=found.low,
        uncorrected_high=found.high,
        share=share,
    )


@some.composite
def families(draw: some.DrawFn, treebank: str = "UD_Irish") -> list[ComparisonRow]:
    share, labelled = draw(some.sampled_from([0.5, 1.0])), draw(some.booleans())
    rows = []
    for name in NAMES[: draw(some.integers(1, 5))]:
        is_tested = name == "case" or draw(some.integers(0, 5)) > 0
        found = {}
        for score in (Score.UAS, Score.LAS)[: 1 + labelled]:
            own = draw(differences(share, tested=is_tested))
            found[score, ScoringBasis.ANNOTATION] = own
            # often nearly the same without punctuation, as in treebanks
            same = draw(some.booleans())
            found[score, ScoringBasis.WORDS] = own if same else draw(differences(share, tested=is_tested))
            for basis in (ScoringBasis.PHRASES, ScoringBasis.CONVERTED):
                if basis in ScoringBasis.of(score) and draw(some.booleans()):
                    found[score, basis] = draw(differences(share, tested=is_tested))
        row = ComparisonRow(
            treebank=treebank, pair=described(name), labelled=labelled, places=90, test_places=30,
            test_sentences=100, seeds=3, differences=found,
        )  # fmt: skip
        rows.append(row)
    return corrected_rows(rows)
