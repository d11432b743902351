"""Describe what a run predicts from short trainings, in words and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from learnability.comparing.annotation import Annotation
from learnability.comparing.pair import Pair
from learnability.comparing.plan import id_of_files
from learnability.evidence.score_differences import Difference
from learnability.reports.content import PageHeader
from learnability.reports.results import SHORT, SYMBOL
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, number, points
from learnability.reports.verdicts import name_difference, name_leader
from learnability.statistics.inference import Side
from learnability.statistics.prediction import in_other_languages
from learnability.studies.predict.predictions import FEWEST, UNDECIDED, PairPrediction, Prediction
from learnability.support.nouns import count_noun, join_words

LIMITS = (
    "Do not treat a prediction as a measurement. We trained briefly on samples of the training set; "
    "full training may find something else, especially where the difference is small."
)
"""What applies to all predictions."""


QUESTION = "which annotation would a run find easier to learn?"


def open_page(predicted: Sequence[PairPrediction]) -> PageHeader:
    return PageHeader(
        QUESTION,
        f"{count_noun(len(predicted), 'construction')} predicted from short trainings",
        (
            "Easy to learn does not mean right. A parser's score says nothing about linguistic adequacy, "
            "consistency across languages, or use in applications.",
            LIMITS,
            "A probability is that of the side that a run with three seeds would find ahead, clearly or not. "
            "The sizes of predicted differences are rough.",
            "We trained only arc-eager, without relations. Other parsers may rank the annotations "
            "differently.",
            "The alternatives are made by rule from UD. They keep the errors and gaps of its annotation.",
        ),
    )


def predictions_section(predicted: Sequence[PairPrediction]) -> Section:
    """Return the predictions: one sentence per construction (for a single treebank) and a table."""
    several = len({pair.files.name for pair in predicted}) > 1
    sentences = [] if several else list(map(sentence, predicted))
    return Section("What short trainings predict", (*sentences, LIMITS), (predictions_table(predicted),))


def sentence(pair: PairPrediction) -> str:
    """Return the prediction for a construction and its evidence in a sentence."""
    prediction, name = pair.prediction, pair.pair.name
    if prediction.sentences < FEWEST:
        return f"{name}: {UNDECIDED}. The training set has fewer than {FEWEST} sentences, too few to divide."
    if not prediction.known:
        return f"{name}: {UNDECIDED}. Both annotations assign the same heads in all sampled sentences."
    names = {Side.FIRST: pair.pair.base.title, Side.SECOND: "the alternative"}
    side, likely = names[prediction.likelier], percent(prediction.likelihood)
    figures = (
        f"Expected: {name_difference(expected_difference(prediction), names)}. In short trainings, "
        f"{_describe_score(prediction.difference or 0, names)}."
    )
    if prediction.side == UNDECIDED:
        return f"{name}: {UNDECIDED} (the probability that {side} is easier is {likely}). {figures}"
    return f"{name}: {side} is probably easier (probability {likely}). {figures}"


def expect_from_languages(pairs: Sequence[Pair[Annotation]], language: str) -> str:
    """Return which side of each pair runs in other languages lead to expect, the most probable first, without
    pairs that nobody tried."""
    likely: dict[str, list[tuple[float, str]]] = {}
    for pair in pairs:
        belief = in_other_languages(pair.known_elsewhere_as, language, 1.0)
        if belief.mean:
            side = pair.base.title if belief.mean > 0 else "the alternative"
            probability = belief.probability(0.0)
            likely.setdefault(side, []).append((max(probability, 1 - probability), pair.name))
    if not likely:
        return ""
    sides = [
        f"{side} ahead for "
        + join_words([f"{name} ({percent(chance)})" for chance, name in sorted(found)[::-1]])
        for side, found in sorted(likely.items(), key=lambda item: item[0] == "the alternative")
    ]
    return f"Expected before training, by runs in other languages: {'; '.join(sides)}."


def _describe_score(delta: float, names: Mapping[Side, str]) -> str:
    if not float(points(abs(delta))):
        return "both annotations scored the same"
    return f"{names[Side.FIRST if delta > 0 else Side.SECOND]} scored {points(abs(delta))} points higher"


def percent(probability: float) -> str:
    """Return a probability for people; rounding never makes it a certainty."""
    rounded = round(100 * probability)
    return "above 99 %" if rounded >= 100 else "below 1 %" if rounded <= 0 else f"{rounded} %"


def predictions_table(predicted: Sequence[PairPrediction]) -> Table:
    """Return a row per construction: the prediction, its probability and its evidence."""
    base = predicted[0].pair.base.title if predicted else "UD"
    names, several = {Side.FIRST: base, Side.SECOND: SHORT}, len({pair.files for pair in predicted}) > 1

    def name(pair: PairPrediction) -> str:
        return f"{id_of_files(pair.files)} {pair.pair.name}" if several else pair.pair.name

    return Table(
        "Predictions",
        ("construction", "predicted", "probability", "expected", "short\ntrainings", "tokens\nchanged"),
        tuple((name(pair), *_cells(pair.prediction, names)) for pair in predicted),
        explanation="Probability that a run with three seeds finds this side ahead (UAS, each parser "
        "tested on its own annotation). Differences are in points and name the side that is ahead. Expected: "
        "the interval in which the model expects 95 % of the runs. Short trainings: the mean difference "
        "after training on a quarter of a sample, tested on the rest of it. A sample has at most 1,000 "
        "training sentences.",
        align="<<>",
    )


def _cells(prediction: Prediction, names: Mapping[Side, str]) -> tuple[TableCell | str, ...]:
    side, changed = prediction.side, number(100 * prediction.changed, ".1f") + " %"
    predicted = names[Side.FIRST] if side == Side.FIRST else SYMBOL.get(side, side)
    if prediction.difference is None:
        return predicted, "", "", "", changed
    likely = f"{names[prediction.likelier]} {percent(prediction.likelihood)}"
    expected = name_difference(expected_difference(prediction), names)
    return (
        predicted,
        TableCell(likely, f"{prediction.probability:.6f}"),
        TableCell(expected, f"{prediction.belief.mean:.6f}"),
        TableCell(name_leader(prediction.difference, names), f"{prediction.difference:.6f}"),
        changed,
    )


def expected_difference(prediction: Prediction) -> Difference:
    """Return the difference that a run is expected to find, with its interval."""
    low, high = prediction.interval
    return Difference(None, None, prediction.belief.mean, low=low, high=high)
