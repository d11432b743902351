"""Predict from short trainings which side a run would find ahead (docs/answers.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean

from learnability.comparing.annotation import Annotation
from learnability.comparing.pair import Pair
from learnability.comparing.short_trainings import ShortResult
from learnability.evidence.columns import NAMED, Column
from learnability.statistics.inference import ALPHA, Side
from learnability.statistics.prediction import Belief, Constants, Trial, predict_run
from learnability.statistics.significance import compare
from learnability.support.values import CsvRow
from learnability.treebanks.locate import TreebankFiles

SHARE, SEEDS = 1 / 4, (1, 2)
"""The share of a sample that a short training is trained on, and the seeds that draw samples."""

THRESHOLD = 0.95
"""The least probability with which a side is named."""

FEWEST = 100
"""The sentences of a sample that can predict anything: of fewer the normal distribution of the differences is
no good approximation, and parsers of a dozen sentences say little of others."""

UNDECIDED = "open"
"""What is predicted where the probability of neither side reaches the threshold."""

PREDICTIONS = Column.of_topic(
    "Predictions",
    *NAMED,
    ("predicted", "text",
     "`base` or `alternative` if the probability of that side reaches the threshold, else `open`"),
    ("probability", "number",
     "probability that a run with three seeds has UD ahead by UAS, each parser tested on its own "
     "annotation. Empty if no token of the samples has another head, or if they are too small"),
    ("expected_delta", "number", "the difference expected in such a run, in points"),
    ("expected_low", "number", "the interval that contains it in 95 % of such runs, by the model"),
    ("expected_high", "number", "the interval that contains it in 95 % of such runs, by the model"),
    ("short_delta", "number", "mean difference of the short trainings, in points"),
    ("changed", "number", "share of the test tokens with another head in the alternative"),
)  # fmt: skip
"""The columns of predictions.csv."""


@dataclass(frozen=True)
class Prediction:
    """Predict what a run would find for one pair.

    `belief` is the difference as it is believed to be after the short trainings, `error` the standard error
    with which a run of three seeds would measure it, `changed` the share of the tested tokens with another
    head, `difference` the mean of the short trainings, in points; None where nothing is predicted.
    """

    belief: Belief
    error: float
    changed: float
    sentences: int
    difference: float | None = None

    @property
    def known(self) -> bool:
        return self.difference is not None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval in which 95 % of these runs would find the difference, in points."""
        half = NormalDist().inv_cdf(1 - ALPHA / 2) * sqrt(self.belief.variance + self.error**2)
        return self.belief.mean - half, self.belief.mean + half

    @property
    def probability(self) -> float:
        return self.belief.probability(self.error)

    @property
    def likelier(self) -> Side:
        return Side.FIRST if self.probability >= 0.5 else Side.SECOND

    @property
    def likelihood(self) -> float:
        return max(self.probability, 1 - self.probability)

    @property
    def side(self) -> str:
        return self.likelier if self.known and self.likelihood >= THRESHOLD else UNDECIDED


def predict_difference(
    trained: Sequence[ShortResult], *, another: bool = False, constants: Constants | None = None
) -> Prediction:
    """Return the prediction from the short trainings of a pair; `another`: about another parser than
    theirs."""
    constants = constants or Constants.load_shipped()
    tokens = sum(sum(result.tokens) for result in trained)
    changed = sum(result.changed for result in trained) / tokens if tokens else 0.0
    sentences = min((round(len(result.tokens) / (1 - SHARE)) for result in trained), default=0)
    if not changed or sentences < FEWEST:
        return Prediction(Belief(0.0, 1.0), 1.0, changed, sentences)
    trials = [trial_of(result) for result in trained]
    belief = predict_run(trials, changed, constants)
    if another:
        belief = belief.of_another_parser(constants)
    as_large = [
        trial.error**2 * sum(result.tokens) / result.test_tokens
        for trial, result in zip(trials, trained, strict=True)
    ]
    error = constants.run_error * sqrt(fmean(as_large))
    return Prediction(belief, error, changed, sentences, fmean(trial.difference for trial in trials))


def trial_of(result: ShortResult) -> Trial:
    """Return what a short training has measured.

    Its sentences were drawn at random, so few are neighbours; `Constants.spread` allows for what they share.
    """
    alone = range(len(result.tokens))
    compared = compare(result.base, result.alternative, result.tokens, seed_ratio=0, documents=alone)
    return Trial(compared.delta, compared.error)


@dataclass(frozen=True)
class PairPrediction:
    """Hold the prediction for a pair of a treebank."""

    files: TreebankFiles
    pair: Pair[Annotation]
    prediction: Prediction

    def values(self) -> CsvRow:
        """Return the values of the columns of predictions.csv."""
        prediction = self.prediction
        low, high = prediction.interval
        known = {
            "probability": prediction.probability,
            "expected_delta": prediction.belief.mean,
            "expected_low": low,
            "expected_high": high,
        }
        return {
            "treebank": self.files.name,
            "release": self.files.release,
            **self.pair.columns,
            "predicted": prediction.side,
            **(known if prediction.known else dict.fromkeys(known)),
            "short_delta": prediction.difference,
            "changed": prediction.changed,
        }


def predictions_csv(predicted: Sequence[PairPrediction]) -> bytes:
    return Column.csv(PREDICTIONS, [prediction.values() for prediction in predicted])
