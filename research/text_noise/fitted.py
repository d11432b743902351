"""Estimate the priors of the two variances of a difference: that of the text, and that of trainings.

Reads what `python -m research.neighbours.neighbours train --arrangement along` keeps of treebanks: UD and
seven alternatives, each parsed in five folds along the text. A text is one fold, whose parsers are the same,
or all folds together. Of each text and construction it takes the ratio of the variance to that of independent
sentences (of trainings: to that of the residual), and splits the variance of its logarithm into sampling,
constructions and treebanks, as Smyth (2004) does for one level.

    python -m research.text_noise.fitted trained [--each]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, inf, log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from learnability.statistics.spread import TrainingScatter
from learnability.statistics.text_variance import TextVariance
from research.neighbours.neighbours import Trained
from research.support.treebank_folds import row

Floats = NDArray[np.float64]

FEWEST_SENTENCES = 100
"""The sentences of a text at least."""

FEWEST_DEGREES = 10
"""The degrees of freedom of the variance of independent sentences at least: else a few have all of it."""


@dataclass(frozen=True)
class Text:
    """Hold the ratios of a text.

    Attributes:
        treebank: its name.
        sentences: how many there are.
        ratios, degrees: float64[constructions].
        overlap: the mean squared correlation of what sentences add to two constructions.
    """

    treebank: str
    sentences: int
    ratios: Floats
    degrees: Floats
    overlap: float

    @property
    def logs(self) -> Floats:
        """Return float64[constructions], logarithms less what they are too small by on average."""
        logs: Floats = np.log(self.ratios) - (digamma(self.degrees / 2) - np.log(self.degrees / 2))
        return logs

    @property
    def sampling(self) -> float:
        """Return the sampling variance of a logarithm."""
        return float(polygamma(1, self.degrees / 2).mean())


def main() -> None:
    """Print the priors, and with `--each` a line per treebank."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", action="store_true")
    arguments = parser.parse_args()
    known = {
        path.stem.removesuffix("-along"): Trained.load(path)
        for path in sorted(arguments.folder.glob("*.npz"))
    }
    for what, texts in (
        ("one fold", [text for name, each in known.items() for text in texts_of_folds(name, each)]),
        ("all folds", [text for name, each in known.items() for text in texts_together(name, each)]),
        ("trainings", [text for name, each in known.items() for text in texts_of_trainings(name, each)]),
    ):
        if arguments.each:
            print_each(what, texts)
        print_prior(what, texts)


def texts_of_folds(name: str, known: Trained) -> Iterator[Text]:
    """Yield each fold as a text of its own."""
    for fold in np.unique(known.folds):
        yield from text_of(name, known, known.folds == fold)


def texts_together(name: str, known: Trained) -> Iterator[Text]:
    """Yield all folds as one text."""
    yield from text_of(name, known, np.ones(len(known.tokens), bool))


def text_of(name: str, known: Trained, chosen: NDArray[np.bool_]) -> Iterator[Text]:
    """Yield the text of some sentences if it is long enough, and if its documents are longer than that."""
    sentences, tokens = int(chosen.sum()), known.tokens[chosen]
    found, contributions = [], []
    for alternative in known.right:
        difference = 100.0 * (known.right["ud"] - known.right[alternative]).mean(axis=0)[chosen]
        if alternative == "ud" or not difference.any():
            continue
        variance = TextVariance.of(difference, tokens, known.documents[chosen], known.folds[chosen])
        if variance.independent_degrees >= FEWEST_DEGREES:
            found.append(variance)
            contributions.append(difference - difference.sum() / tokens.sum() * tokens)
    if sentences < FEWEST_SENTENCES or len(found) < 2 or found[0].degrees > sentences / 3:
        return
    correlations = np.corrcoef(contributions)[np.triu_indices(len(found), 1)]
    overlap = max(0.0, float(np.square(correlations).mean()) - 1 / sentences)
    ratios, degrees = np.array([v.ratio for v in found]), np.array([v.degrees for v in found])
    yield Text(name, sentences, ratios, degrees, overlap)


def texts_of_trainings(name: str, known: Trained) -> Iterator[Text]:
    """Yield the variance between trainings as a multiple of var(residual) / S: 1 where seeds add nothing."""
    ratios, degrees = [], []
    for alternative in known.right:
        difference = (known.right["ud"] - known.right[alternative]).astype(np.float64)
        if difference.any():
            scatter = TrainingScatter.of(difference, known.tokens, known.folds)
            ratios.append(scatter.between / (scatter.residual / len(known.tokens)))
            degrees.append(float(scatter.degrees))
    if len(ratios) > 1:
        # half of the variance is that of UD, which all have
        yield Text(name, len(known.tokens), np.array(ratios), np.array(degrees), 0.25)


def print_each(what: str, texts: Sequence[Text]) -> None:
    """Print a line per treebank."""
    print(row(what, "texts", "sentences", "constructions", "degrees", "ratio"))
    print(row(*["---"] * 6))
    for treebank, group in groupby(texts, lambda text: text.treebank):
        of_treebank = list(group)
        print(
            row(
                treebank,
                len(of_treebank),
                f"{np.mean([text.sentences for text in of_treebank]):.0f}",
                f"{np.mean([len(text.ratios) for text in of_treebank]):.1f}",
                f"{np.mean([text.degrees.mean() for text in of_treebank]):.1f}",
                f"{exp(np.mean([text.logs.mean() for text in of_treebank])):.2f}",
            )
        )


def print_prior(what: str, texts: Sequence[Text]) -> None:
    """Print the centre and the degrees of freedom of both levels."""
    treebanks = len({text.treebank for text in texts})
    if treebanks < 2:
        print(f"{what}: {treebanks} treebanks with long enough texts; a prior needs two")
        return
    counts = np.array([len(text.ratios) for text in texts])
    sampling = np.array([text.sampling for text in texts])
    overlap = np.array([text.overlap for text in texts])
    within = np.array([text.logs.var(ddof=1) for text in texts])
    of_constructions = float(np.average(within - sampling * (1 - overlap), weights=counts - 1))
    expected = (sampling * (1 + (counts - 1) * overlap) + max(0.0, of_constructions)) / counts
    means, errors = [], []
    for _, group in groupby(zip(texts, expected, strict=True), lambda each: each[0].treebank):
        of_treebank = list(group)
        means.append(np.mean([text.logs.mean() for text, _ in of_treebank]))
        errors.append(np.mean([error for _, error in of_treebank]) / len(of_treebank))
    of_treebanks = float(np.var(means, ddof=1) - np.mean(errors))
    degrees = degrees_of(of_treebanks), degrees_of(of_constructions)
    together = 1 / sum(1 / each for each in degrees) if max(degrees) < inf else min(degrees)
    shift = log(together / 2) - float(digamma(together / 2)) if together < inf else 0.0
    print(
        f"\n{what}: {len(means)} treebanks, {len(texts)} texts; ratio {exp(np.mean(means) - shift):.2f}, "
        f"variance of its logarithm over treebanks {of_treebanks:.3f} ({degrees[0]:.0f} degrees of freedom), "
        f"over constructions {of_constructions:.3f} ({degrees[1]:.0f}); sampling {sampling.mean():.2f}, "
        f"overlap {overlap.mean():.2f}\n"
    )


def degrees_of(variance: float) -> float:
    """Return the degrees of freedom whose chi square has a logarithm of this variance; infinite for none."""
    if variance <= 1e-3:
        return inf
    return float(brentq(lambda degrees: polygamma(1, degrees / 2) - variance, 0.01, 1e5))


if __name__ == "__main__":
    main()
