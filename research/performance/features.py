"""Feature sets: how good labelled parsers are with each, and what their training costs.

    python research/performance/features.py                        # eight treebanks of two releases
    python research/performance/features.py UD_Greek UD_Turkish --release 1.3 --seeds 3

Arc-eager with exploration, labels and gold UPOS; of `--iterations`, the weights of the best one on dev are
kept. zn11 and form read forms and tags, rich all columns of the treebank. UAS and LAS of the test part are
means over the seeds; seconds are processor seconds of a training, of encoding and looking at dev, too, the
median over the seeds; the ratio is to the first feature set. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from learnability.comparing.fold_trees import Sets
from learnability.parsing.parser import ParserOptions, train_parser, warm_up_parser
from learnability.parsing.templates import FEATURE_SETS
from research.support.treebank_folds import accuracy, arguments, eight_or_named, row, timed

Found = tuple[float, float, float]
"""UAS, LAS, processor seconds."""


def measure(sets: Sets, features: str, command_line: argparse.Namespace) -> Found:
    """Train with a feature set; return UAS and LAS in percent, and processor seconds of a training."""
    options = ParserOptions(
        oracle="explore", labelled=True, features=features, iterations=command_line.iterations
    )
    warm_up_parser(options)
    scores, seconds = [], []
    for seed in range(1, command_line.seeds + 1):
        seeded = replace(options, seed=seed)
        spent, training = timed(partial(train_parser, sets.train, seeded, sets.dev))
        scores.append(accuracy(sets.test, training.parser.parse(sets.test)))
        seconds.append(spent)
    uas, las = map(statistics.mean, zip(*scores, strict=True))
    return uas, las, statistics.median(seconds)


def cells(rows: Sequence[Found], found: dict[str, list[Found]]) -> tuple[str, ...]:
    """Return the means of the latest figures, with the ratio to the first feature set."""
    uas, las, seconds = map(statistics.mean, zip(*rows, strict=True))
    count, of_first = len(rows), next(iter(found.values()))
    latest = of_first[len(of_first) - count :]
    ratio = seconds / statistics.mean(each[2] for each in latest)
    return f"{uas:.1f}", f"{las:.1f}", f"{seconds:.1f}", f"{ratio:.2f}"


def main() -> None:
    """Print one row for each treebank and feature set, and the means over the treebanks."""
    options = arguments(__doc__, ("eight",))
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--iterations", type=int, default=15)
    command_line = options.parse_args()
    print(
        f"{command_line.seeds} seeds, {command_line.iterations} iterations; load {os.getloadavg()[0]:.1f}\n"
    )
    print(row("treebank", "training tokens", "features", "UAS", "LAS", "CPU s", "ratio"))
    print(row("---", "--:", "---", *["--:"] * 4))
    found: dict[str, list[Found]] = {name: [] for name in FEATURE_SETS}
    for treebank, fold in eight_or_named(command_line):
        train = fold.base.sets.train
        for features, rows in found.items():
            rows.append(measure(Sets(train, fold.ud.dev, fold.ud.test), features, command_line))
            tokens = f"{sum(map(len, train)):,}"
            print(row(treebank, tokens, features, *cells(rows[-1:], found)), flush=True)
    for features, rows in found.items():
        print(row("mean", "", features, *cells(rows, found)))


if __name__ == "__main__":
    main()
