"""How large var(seed) is beside var(residual) / S, in finished runs with several trainings on a test set.

    python research/calibration/training_noise.py RUN [RUN ...]

Each run has one treebank. The ratio is pooled over its constructions. The last columns are what one training
says of its own error, in points: beside how the difference scatters between trainings, which is a part of the
error, with the prior ratio 0.3, and with the one of now. Each is a root mean square over the constructions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.results import Measures, TrainingResult
from learnability.metrics.scores import FIRST_SCORE
from learnability.running.records import read_records
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO, TrainingScatter, scale_seed_ratio


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    sizes = ("tokens learned from", "tokens tested", "tested : learned", "seeds", "ratio")
    print("treebank", *sizes, "scatter", "error with 0.3", "error now", sep="\t")
    for run in parser.parse_args().runs:
        print_run(run)


def print_run(run: Path) -> None:
    """Print the sizes of a treebank, and how its trainings scatter."""
    base: dict[int, TrainingResult] = {}
    alternatives: dict[str, dict[int, TrainingResult]] = {}
    learned, name = 0, ""
    for record in read_records(run / "records.jsonl").values():
        if record.setting == "measures" and (measures := record.result_as(Measures)) is not None:
            learned, name = measures.train_tokens, record.treebank
        elif record.setting in ("a", "b") and (result := record.result_as(TrainingResult)) is not None:
            side = base if record.setting == "a" else alternatives.setdefault(record.subject, {})
            side[record.seed] = result
    tokens = np.array(next(iter(base.values())).tokens)
    excess = chance = 0.0
    scatters: list[float] = []
    usual: list[float] = []
    scaled: list[float] = []
    for results in alternatives.values():
        rows = [
            (base[seed].scores[FIRST_SCORE].correct, result.scores[FIRST_SCORE].correct)
            for seed, result in sorted(results.items())
        ]
        difference = np.array([np.subtract(first, second) for first, second in rows], np.float64)
        scatter = TrainingScatter.of(difference, tokens, None)
        scatters.append(scatter.between)
        for ratio, variances in ((SEED_RATIO, usual), (scale_ratio(tokens, learned), scaled)):
            for first, second in rows:
                variances.append(compare([first], [second], tokens, seed_ratio=ratio).error ** 2)
        excess += scatter.between - scatter.residual / len(tokens)
        chance += scatter.residual / len(tokens)
    tested = int(tokens.sum())
    share = f"{tested / learned:.1f}"
    errors = (f"{np.sqrt(np.mean(values)):.2f}" for values in (scatters, usual, scaled))
    print(name, learned, tested, share, len(base), f"{excess / chance:.1f}", *errors, sep="\t")


def scale_ratio(tokens: NDArray[np.int64], learned: int) -> float:
    """Return the prior ratio of training noise for this test set, and so many tokens to learn from."""
    return scale_seed_ratio(SEED_RATIO, float(tokens.sum()), learned)


if __name__ == "__main__":
    main()
