"""How large var(seed) is beside var(residual) / S, in finished runs with several trainings on a test set.

    python research/calibration/training_noise.py RUN [RUN ...]

Each run has one treebank. The ratio is pooled over its constructions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from learnability.comparing.results import Measures, TrainingResult
from learnability.metrics.scores import FIRST_SCORE
from learnability.running.records import read_records
from learnability.statistics.spread import TrainingScatter


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    print("treebank", "tokens learned from", "tokens tested", "tested : learned", "seeds", "ratio", sep="\t")
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
    for results in alternatives.values():
        difference = [
            np.subtract(base[seed].scores[FIRST_SCORE].correct, result.scores[FIRST_SCORE].correct)
            for seed, result in sorted(results.items())
        ]
        scatter = TrainingScatter.of(np.array(difference, np.float64), tokens, None)
        excess += scatter.between - scatter.residual / len(tokens)
        chance += scatter.residual / len(tokens)
    tested = int(tokens.sum())
    share = f"{tested / learned:.1f}"
    print(name, learned, tested, share, len(base), f"{excess / chance:.1f}", sep="\t")


if __name__ == "__main__":
    main()
