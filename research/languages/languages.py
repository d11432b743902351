"""How often do a mean over treebanks and a prediction cover the truth?

The true differences of treebanks are drawn: normal around 0.5 points, with standard deviations between
families of languages, between languages, and between treebanks. Languages are drawn from families as large as
in UD, and each has one to five treebanks. Each difference is measured with an error of its own, which is
itself estimated with 60 degrees of freedom.

    python research/languages/languages.py [--languages 5 10 20 40 60] [--replicates 1000]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.statistics.meta_analysis import RandomEffects
from learnability.treebanks.families import Origin

TRUTH = 0.5
"""The true mean, in points."""

TREEBANKS = (1, 1, 1, 1, 1, 2, 2, 3, 4, 5)
"""How many treebanks a language has; each number is equally probable."""

FAMILIES = (30, 22, 19, 18, 18, 14, 14, 12, 8, 5, *(4,) * 4, *(3,) * 6, *(2,) * 7, *(1,) * 15)
"""How many languages of UD each family has (of Indo-European each branch)."""

ERROR, ERROR_SPREAD, ERROR_DEGREES = 0.45, 0.4, 60
"""The median standard error of a difference, the standard deviation of its logarithm, and its degrees."""

DEVIATIONS = (
    (0.0, 0.0, 0.0),
    (0.0, 0.5, 0.0),
    (0.0, 0.0, 0.5),
    (0.0, 0.5, 0.5),
    (0.0, 1.2, 0.4),
    (0.5, 0.5, 0.5),
    (1.2, 0.6, 0.4),
)
"""Standard deviations between families, between languages and between treebanks, in points."""


@dataclass(frozen=True)
class Drawn:
    """Hold treebanks: their origins, true differences, measured ones with errors, and one more truth.

    Attributes:
        another: the true difference in a treebank of a further language, of a further family.
    """

    origins: list[Origin]
    true: NDArray[np.float64]
    measured: list[float]
    errors: list[float]
    another: float


def main() -> None:
    """Print one line per number of languages and standard deviations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", type=int, nargs="+", default=(5, 10, 20, 40, 60))
    parser.add_argument("--replicates", type=int, default=1000)
    command_line = parser.parse_args()
    columns = ("mean", "mean, all independent", "another language")
    print("languages", "families", "treebanks", "deviations", *columns, "width of mean", sep="\t")
    for languages in command_line.languages:
        for deviations in DEVIATIONS:
            generator = np.random.default_rng(1)
            treebanks = [drawn(languages, *deviations, generator) for _ in range(command_line.replicates)]
            families = np.mean([len({origin.family for origin in each.origins}) for each in treebanks])
            count = np.mean([len(each.origins) for each in treebanks])
            *covering, width = np.mean(list(map(covered, treebanks)), axis=0)
            shares = (f"{value:.3f}" for value in (*covering, width))
            texts = " ".join(map(str, deviations))
            print(languages, f"{families:.1f}", f"{count:.1f}", texts, *shares, sep="\t", flush=True)


def drawn(
    languages: int, of_families: float, of_languages: float, within: float, generator: np.random.Generator
) -> Drawn:
    """Return treebanks of so many languages."""
    family_of = generator.permutation(np.repeat(np.arange(len(FAMILIES)), FAMILIES))[:languages]
    language = np.repeat(np.arange(languages), generator.choice(TREEBANKS, languages))
    true_of_families = TRUTH + of_families * generator.normal(size=len(FAMILIES) + 1)
    true_of_languages = of_languages * generator.normal(size=languages + 1)
    true_within = within * generator.normal(size=len(language) + 1)
    true = true_of_families[family_of[language]] + true_of_languages[language] + true_within[:-1]
    errors = ERROR * np.exp(ERROR_SPREAD * generator.normal(size=len(language)))
    measured = true + errors * generator.normal(size=len(language))
    estimated = errors * np.sqrt(generator.chisquare(ERROR_DEGREES, len(language)) / ERROR_DEGREES)
    origins = [Origin(f"language {number}", f"family {family_of[number]}") for number in language]
    another = true_of_families[-1] + true_of_languages[-1] + true_within[-1]
    return Drawn(origins, true, measured.tolist(), estimated.tolist(), float(another))


def covered(treebanks: Drawn) -> list[float]:
    """Return which intervals cover the truth, and the width of the first.

    They are those of the mean, of the mean if all treebanks were independent, and of another language.
    """
    mean = RandomEffects.combine(treebanks.measured, treebanks.errors, treebanks.origins)
    apart = [Origin(str(number), str(number)) for number in range(len(treebanks.measured))]
    independent = RandomEffects.combine(treebanks.measured, treebanks.errors, apart)
    return [covers(mean), covers(independent), expects(mean, treebanks.another), mean.high - mean.low]


def covers(mean: RandomEffects) -> float:
    """Return 1 where the interval of a mean contains the true one, else 0."""
    return float(mean.low <= TRUTH <= mean.high)


def expects(mean: RandomEffects, another: float) -> float:
    """Return 1 where the prediction interval contains another difference, else 0."""
    assert mean.expected_low is not None
    assert mean.expected_high is not None
    return float(mean.expected_low <= another <= mean.expected_high)


if __name__ == "__main__":
    main()
