"""Predict a run from short trainings and from the results in other languages.

The belief before any training comes from what the transformation did in other languages; short trainings of
both annotations on samples change it by Bayes' rule (docs/answers.md).
"""

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
from learnability.statistics.prediction import Belief, Constants, Trial, after_trials, in_other_languages
from learnability.statistics.significance import compare
from learnability.support.values import CsvRow
from learnability.treebanks.locate import TreebankFiles

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
    ("before_delta", "number",
     "the difference expected before any training, from the same construction in other languages; 0 if "
     "unknown"),
    ("short_delta", "number",
     "mean difference of the short trainings on the largest share, in points"),
    ("trainings", "count", "short trainings of each annotation"),
    ("share", "number", "the largest share of a sample that was used for training"),
    ("changed", "number", "share of the test tokens with another head in the alternative"),
)  # fmt: skip
"""The columns of predictions.csv."""


@dataclass(frozen=True)
class Prediction:
    """Predict what a run would find for one pair.

    Attributes:
        before, after: the difference as it is believed to be before and after the short trainings.
        error: the standard error with which a run of three seeds would measure it.
        probability: that such a run has the original ahead by UAS on its own annotation.
        trainings: the short trainings of both annotations; `share` is the largest of a sample trained on.
        changed: the share of the tokens tested on that have another head in the other annotation.
        sentences: the sentences of the samples, trained and tested on; 0 without any.
        difference: the mean difference of the short trainings on this share, in points.
    """

    before: Belief
    after: Belief
    error: float
    trainings: int
    share: float | None
    changed: float
    sentences: int
    difference: float | None = None

    @property
    def known(self) -> bool:
        return self.changed > 0 and self.sentences >= FEWEST

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval in which 95 % of these runs would find the difference, in points."""
        half = NormalDist().inv_cdf(1 - ALPHA / 2) * sqrt(self.after.variance + self.error**2)
        return self.after.mean - half, self.after.mean + half

    @property
    def probability(self) -> float:
        return self.after.probability(self.error)

    def side(self, threshold: float) -> str:
        """Return the side whose probability is at least the threshold, else `undecided`."""
        if not self.known:
            return UNDECIDED
        if self.probability >= threshold:
            return Side.FIRST
        return Side.SECOND if 1 - self.probability >= threshold else UNDECIDED


def predict_difference(
    pair: Pair[Annotation],
    language: str,
    trained: Sequence[tuple[float, ShortResult]],
    *,
    another: bool = False,
    constants: Constants | None = None,
) -> Prediction:
    """Return the prediction from the short trainings so far.

    Args:
        pair: what is compared.
        language: the language of the treebank; what was measured in this language is left out.
        trained: the share of the sample that a short training was trained on, and its result.
        another: the prediction is about another parser than that of the short trainings.
        constants: other ones than those that come with the package.
    """
    constants = constants or Constants.load_shipped()
    tokens = sum(sum(result.tokens) for _, result in trained)
    changed = sum(result.changed for _, result in trained) / tokens if tokens else 0.0
    sentences = min((round(len(result.tokens) / (1 - share)) for share, result in trained), default=0)
    if not changed or sentences < FEWEST:
        nothing = Belief(0.0, 1.0)
        return Prediction(nothing, nothing, 1.0, len(trained), None, changed, sentences)
    before = in_other_languages(pair.known_elsewhere_as, language, changed)
    trials = [trial_of(share, result) for share, result in trained]
    after = after_trials(before, trials, changed, constants)
    if another:
        after = after.of_another_parser(constants)
    as_large = [t.error**2 * sum(p.tokens) / p.test_tokens for t, (_, p) in zip(trials, trained, strict=True)]
    error = constants.run_error * sqrt(fmean(as_large))
    share = max(trial.share for trial in trials)
    difference = fmean(trial.difference for trial in trials if trial.share == share)
    return Prediction(before, after, error, len(trained), share, changed, sentences, difference)


def trial_of(share: float, result: ShortResult) -> Trial:
    """Return what a short training on this share of a sample has measured.

    Its sentences were drawn at random, so few are neighbours; `Constants.spread` allows for what they share.
    """
    alone = range(len(result.tokens))
    compared = compare(result.base, result.alternative, result.tokens, seed_ratio=0, documents=alone)
    return Trial(share, compared.delta, compared.error)


@dataclass(frozen=True)
class PairPrediction:
    """Hold the prediction for a pair of a treebank."""

    files: TreebankFiles
    pair: Pair[Annotation]
    prediction: Prediction
    threshold: float

    @property
    def side(self) -> str:
        """`original`, `transformed` or `undecided`."""
        return self.prediction.side(self.threshold)

    def values(self) -> CsvRow:
        """Return the values of the columns of predictions.csv."""
        prediction = self.prediction
        low, high = prediction.interval
        known = {
            "probability": prediction.probability,
            "expected_delta": prediction.after.mean,
            "expected_low": low,
            "expected_high": high,
            "before_delta": prediction.before.mean,
        }
        return {
            "treebank": self.files.name,
            "release": self.files.release,
            **self.pair.columns,
            "predicted": self.side,
            **(known if prediction.known else dict.fromkeys(known)),
            "short_delta": prediction.difference,
            "trainings": prediction.trainings,
            "share": prediction.share,
            "changed": prediction.changed,
        }


def predictions_csv(predicted: Sequence[PairPrediction]) -> bytes:
    return Column.csv(PREDICTIONS, [prediction.values() for prediction in predicted])
