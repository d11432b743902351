"""What a run predicts from short trainings: in words, and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from learnability.comparing.plan import label
from learnability.evidence.differences import Difference
from learnability.reports.results import SHORT, SYMBOL
from learnability.reports.text import Section, Table, TableCell, number
from learnability.reports.verdicts import ahead, named
from learnability.statistics.significance import Side
from learnability.studies.predict.predictions import FEWEST, UNDECIDED, ConditionPrediction, Prediction

LIMITS = (
    "Do not treat a prediction as a measurement. We trained briefly on samples of the training set; "
    "`learnability run` may find something else, above all where the difference is small."
)
MORE = "`learnability predict --undecided` trains in full where the prediction is open."
"""What applies to all predictions, and where nothing else was trained."""


def predictions_section(predicted: Sequence[ConditionPrediction], *, judged: bool = False) -> Section:
    """Return the predictions: one sentence per construction (for a single treebank) and a table.

    `judged`: parsers were trained in full where the prediction is open.
    """
    several = len({own.files.name for own in predicted}) > 1
    sentences = [] if several else list(map(sentence, predicted))
    said = LIMITS if judged else f"{LIMITS} {MORE}"
    return Section("What short trainings predict", (*sentences, said), (predictions_table(predicted),))


def name_of(condition: ConditionPrediction, predicted: Sequence[ConditionPrediction]) -> str:
    """Return the construction, with its treebank where there are several."""
    columns, several = condition.condition.columns, len({own.files for own in predicted}) > 1
    name = ":".join(filter(None, (columns["construction"], columns["variant"])))
    return f"{label(condition.files)} {name}" if several else name


def sentence(condition: ConditionPrediction) -> str:
    """Return the prediction for a construction and its evidence in a sentence."""
    own, name, ud = condition.prediction, name_of(condition, [condition]), condition.condition.original.title
    if own.sentences < FEWEST:
        return f"{name}: {UNDECIDED}. The training set has fewer than {FEWEST} sentences, too few to divide."
    if not own.changed:
        return f"{name}: {UNDECIDED}. Both annotations assign the same heads in all sampled sentences."
    names = {Side.UD: ud, Side.ALTERNATIVE: "the alternative"}
    side = ud if own.probability >= 0.5 else names[Side.ALTERNATIVE]
    likely = percent(max(own.probability, 1 - own.probability))
    figures = (
        f"Expected: {named(expected_difference(own), names)}. Short trainings on {_share(own)} of a sample: "
        f"{ahead(own.difference or 0, names)}"
    )
    known = f". Other languages: {ahead(own.before.mean, names)}" if own.before.mean else ""
    if condition.side == UNDECIDED:
        return f"{name}: {UNDECIDED} ({likely} for {side}). {figures}{known}."
    return f"{name}: {side} is probably easier (probability {likely}). {figures}{known}."


def percent(probability: float) -> str:
    """Return a probability for people; rounding never makes it a certainty."""
    rounded = round(100 * probability)
    return "above 99 %" if rounded >= 100 else "below 1 %" if rounded <= 0 else f"{rounded} %"


def predictions_table(predicted: Sequence[ConditionPrediction]) -> Table:
    """Return a row per construction: the prediction, its probability and its evidence."""
    ud = predicted[0].condition.original.title if predicted else "UD"
    names = {Side.UD: ud, Side.ALTERNATIVE: SHORT}
    return Table(
        "Predictions",
        ("construction", "predicted", "probability", "expected", "other\nlanguages",
         "short\ntrainings", "trained\non", "tokens\nchanged"),
        tuple(
            (
                name_of(condition, predicted),
                ud if condition.side == Side.UD else SYMBOL.get(condition.side, condition.side),
                _likely(own, ud),
                _expected(own, names) if own.known else "",
                _ahead(own.before.mean, names) if own.before.mean else "",
                "" if own.difference is None else _ahead(own.difference, names),
                _share(own),
                number(100 * own.changed, ".1f") + " %",
            )
            for condition in predicted
            for own in [condition.prediction]
        ),
        "Probability that a run with three seeds finds this side ahead (UAS, each parser tested on its own "
        "annotation). Differences are in points and name the side that is ahead. Expected: what such a "
        "run finds in 95 % of the cases, by the model. Other languages: what they suggest; "
        "empty: not known. Short trainings: mean difference on the largest share of a sample of "
        "at most 1,000 training sentences, tested on the rest of it. Trained on: that share.",
        "<<>",
    )  # fmt: skip


def _likely(prediction: Prediction, ud: str) -> TableCell | str:
    """Return the side that is more probable, and its probability; sorted by the probability of UD."""
    if not prediction.known:
        return ""
    side = ud if prediction.probability >= 0.5 else "alt."
    likely = percent(max(prediction.probability, 1 - prediction.probability))
    return TableCell(f"{side} {likely}", f"{prediction.probability:.6f}")


def _expected(prediction: Prediction, names: Mapping[Side, str]) -> TableCell:
    """Return the expected difference with its side and interval, sorted by its value."""
    return TableCell(named(expected_difference(prediction), names), f"{prediction.after.mean:.6f}")


def _ahead(delta: float, names: Mapping[Side, str]) -> TableCell:
    """Return a difference with the side that is ahead, sorted by its value."""
    return TableCell(ahead(delta, names), f"{delta:.6f}")


def expected_difference(prediction: Prediction) -> Difference:
    """Return the difference that a run is expected to find, with its interval."""
    low, high = prediction.interval
    return Difference(None, None, prediction.after.mean, low=low, high=high)


def _share(own: Prediction) -> str:
    return "" if own.share is None else str(Fraction(own.share))
