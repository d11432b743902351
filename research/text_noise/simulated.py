"""How often moderated variances raise a false alarm, and how many differences they see, by simulation.

Families of constructions without a difference are drawn, whose sentences share a part of their variance with
their document, and tested as `run` tests them on a test set, or as it settles them with a stopping rule on
folds. *Mixture*: each family draws its text from what treebanks show: the ratio of its variance to that of
independent sentences has the prior's distribution, and its documents have 10, 30 or 100 sentences.

    python -m research.text_noise.simulated [--tests run settle] [--families 1000]
        [--sentences 100 250 1000 5000]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from learnability.statistics.holm import holm
from learnability.statistics.inference import ALPHA
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import Comparison, compare
from learnability.statistics.spread import SEED_RATIO
from learnability.statistics.text_variance import PRIOR_OF_FOLDS, PRIOR_OF_TEST_SET
from learnability.studies.settle.study import WORTHWHILE
from learnability.studies.settle.trainings import FIRST_LOOK
from research.neighbours.neighbours import RESIDUAL, SCATTER, drawn_family, fold_sizes
from research.neighbours.settled_families import LooksAtLevels
from research.support.treebank_folds import row

Counts = NDArray[np.int64]

MEAN_LENGTH = 20
"""The tokens of a simulated sentence on average; as many as in real ones."""

MOST_SEEDS = 10
"""The passes that settling ends with."""


@dataclass(frozen=True)
class Text:
    """Hold how the sentences of a text are alike.

    Attributes:
        length: the sentences of a document.
        shared: the part of the variance of sentences that is common to the sentences of a document.
    """

    length: int
    shared: float


def main() -> None:
    """Print a line per test, number of sentences, trainings, constructions, and text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tests", nargs="+", default=("run", "settle"), choices=("run", "settle"))
    parser.add_argument("--sentences", type=int, nargs="+", default=(100, 250, 1000, 5000))
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 3, 10))
    parser.add_argument("--constructions", type=int, nargs="+", default=(7, 11))
    parser.add_argument("--lengths", type=int, nargs="+", default=(10, 30, 100))
    parser.add_argument("--shared", type=float, nargs="+", default=(0.02, 0.05, 0.1))
    parser.add_argument("--mixture", action="store_true", help="only the mixture, not each text apart")
    parser.add_argument("--families", type=int, default=1000)
    parser.add_argument("--ahead", type=float, default=0.0, help="UD is ahead by this many points")
    arguments = parser.parse_args()
    shares = ("false alarms before", "now", "named before", "now", "interval holds before", "now")
    print(row("test", "sentences", "seeds", "constructions", "text", *shares))
    print(row(*["---"] * 11))
    designs = product(arguments.tests, arguments.sentences, arguments.seeds, arguments.constructions)
    for test, sentences, seeds, constructions in designs:
        if test == "settle" and seeds != max(arguments.seeds):
            continue  # its stopping rule says how many
        for text in texts(arguments):
            families = partial(simulate, test, sentences, seeds, constructions, text, arguments)
            figures = (f"{share:.3f}" for share in families())
            shown = "mixture" if text is None else f"{text.length} sentences share {text.shared:.0%}"
            print(row(test, sentences, seeds, constructions, shown, *figures), flush=True)


def texts(arguments: argparse.Namespace) -> Iterator[Text | None]:
    """Yield the texts of the simulation; None stands for the mixture."""
    yield None
    if arguments.mixture:
        return
    yield Text(1, 0.0)
    for length, shared in product(arguments.lengths, arguments.shared):
        yield Text(length, shared)


def text_of_mixture(chance: np.random.Generator, test: str, seeds: int) -> Text:
    """Return a text whose variance has a ratio to that of independent sentences as treebanks show it.

    Ratios below 1 are taken for 1: no share of documents gives them.
    """
    prior = PRIOR_OF_FOLDS if test == "settle" else PRIOR_OF_TEST_SET
    degrees = 1 / (1 / prior.treebank_degrees + 1 / prior.construction_degrees)
    ratio = prior.ratio * degrees / chance.chisquare(degrees)
    length = int(chance.choice([10, 30, 100]))
    of_sentences = SCATTER**2 / (SCATTER**2 + RESIDUAL**2 / seeds)
    return Text(length, min(1.0, max(0.0, (ratio - 1) / (length - 1) / of_sentences)))


def simulate(
    test: str,
    sentences: int,
    seeds: int,
    constructions: int,
    text: Text | None,
    arguments: argparse.Namespace,
) -> list[float]:
    """Return shares: of families with a false alarm, of constructions that are named, and of intervals that
    contain the truth, each with plain and with moderated variances.

    A false alarm names a side that is not ahead. Intervals are those of one comparison.
    """
    chance = np.random.default_rng(1)
    figures: list[list[float]] = []
    for _ in range(arguments.families):
        of_family = text or text_of_mixture(chance, test, seeds)
        of_text = (np.arange(sentences) + chance.integers(of_family.length)) // of_family.length
        sizes = fold_sizes(of_text, 1 if test == "run" else 5, marked=False)
        tokens = chance.integers(MEAN_LENGTH // 2, MEAN_LENGTH * 3 // 2, sentences)
        # whole heads round what is drawn, so sentences are drawn longer than they are
        right = drawn_family(
            chance, 10 * tokens, of_text, of_family.shared, seeds, arguments.ahead / 100, constructions
        )
        right = np.clip(right + trainings(chance, right.shape[:2], 10 * tokens, sizes), 0, 10 * tokens)
        family = []
        for moderated in (False, True):
            tested = settled(right, 10 * tokens, sizes, moderated) if test == "settle" else tested_once(
                right, 10 * tokens, moderated
            )  # fmt: skip
            p_holm = holm([each.p_value for each in tested])
            named = [p is not None and p < ALPHA for p in p_holm]
            wrong = [
                each_named and (each.delta < 0 or not arguments.ahead)
                for each_named, each in zip(named, tested, strict=True)
            ]
            holds = [each.low <= arguments.ahead <= each.high for each in tested]
            family.append((float(any(wrong)), float(np.mean(named)), float(np.mean(holds))))
        figures.append([value for both in zip(*family, strict=True) for value in both])
    shares: list[float] = np.mean(figures, axis=0).tolist()
    return shares


def trainings(
    chance: np.random.Generator, shape: tuple[int, int], tokens: Counts, sizes: list[int]
) -> Counts:
    """Return int64[1 + constructions, seeds, S], what a training adds in all sentences of a fold."""
    folds = np.repeat(np.arange(len(sizes)), sizes)
    of_fold = np.bincount(folds, tokens)
    effects = chance.standard_normal((*shape, len(sizes))) * RESIDUAL * np.sqrt(SEED_RATIO / of_fold)
    effects[0] = 0  # UD has none here; the effects of the others are those of differences
    return np.rint(effects[:, :, folds] * tokens).astype(np.int64)


def tested_once(right: Counts, tokens: Counts, moderated: bool) -> list[Comparison]:
    """Return the comparisons of a family on a test set."""
    ud, *others = right
    return [
        compare(ud, other, tokens, beside=[each for each in others if each is not other], moderated=moderated)
        for other in others
    ]


def settled(right: Counts, tokens: Counts, sizes: list[int], moderated: bool) -> list[Comparison]:
    """Return the comparisons of a family at their last look, as settling ends them."""
    ud, *others = right
    folds = np.repeat(np.arange(len(sizes)), sizes)
    most = right.shape[1]
    levels = *(ALPHA / count for count in range(len(others), 0, -1)), 2 * ALPHA
    testing = partial(LooksAtLevels, first=FIRST_LOOK, most=most, levels=levels)
    found: dict[int, Comparison] = {}
    ended: set[int] = set()
    for passes in range(FIRST_LOOK, most + 1):
        for number, other in enumerate(others):
            if number not in ended:
                beside = [each[:passes] for each in others if each is not other]
                found[number] = compare(
                    ud[:passes], other[:passes], tokens, folds=folds, beside=beside, testing=testing,
                    moderated=moderated,
                )  # fmt: skip
        corrected = holm([found[number].p_value for number in range(len(others))])
        for number, p_holm in enumerate(corrected):
            comparison = found[number]
            answered = (p_holm is not None and p_holm < ALPHA) or comparison.p_equal < ALPHA
            looks = comparison.testing
            assert isinstance(looks, Looks)
            hopeless = looks.chance_of_answer(comparison.delta, ALPHA / len(others)) < WORTHWHILE
            if answered or hopeless:
                ended.add(number)
    return [found[number] for number in range(len(others))]


if __name__ == "__main__":
    main()
