"""The neural parser beside our best linear parser: accuracy, processor seconds and memory.

    python research/neural/neural.py                        # eight treebanks of two releases
    python research/neural/neural.py UD_Greek --release 1.3
    python research/neural/neural.py UD_Chinese UD_Indonesian UD_Kazakh --release 1.3 --joined --iterations 1

Both parsers learn labels from forms and gold UPOS, and keep the best iteration on the development set. The
linear parser has 15 iterations, the neural parser chooses their number, or both have `--iterations`. Every
training runs in a process of its own. Seconds are processor seconds of a whole training, of compiling or
loading its program, too, for 1,000 training tokens; MB is the most memory of that process, which also parses
the test set. `--joined` trains on all treebanks together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from statistics import mean
from typing import NamedTuple

from learnability.comparing.fold_trees import Parts, ready_for
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup
from research.support.treebank_folds import (
    accuracy,
    alone,
    arguments,
    eight_or_named,
    most_memory,
    row,
    timed,
)

LINEAR, NEURAL = "arc-eager:explore,form", "biaffine"
ITERATIONS = {LINEAR: 15, NEURAL: None}
LARGE = 30_000
"""Training tokens from which on a treebank counts as large."""


class Measured(NamedTuple):
    """UAS and LAS of the test set in percent, processor seconds of a training, megabytes of the process."""

    uas: float
    las: float
    seconds: float
    megabytes: int


def measure(spec: str, parts: Parts, setup: Setup, seed: int) -> Measured:
    """Train a parser and test it."""
    trainer = parser_named(spec).trainer(setup)
    train, _ = ready_for(parts.train, trainer.projective, "lift")
    seconds, parser = timed(lambda: trainer.train(train, parts.dev, seed))
    return Measured(*accuracy(parts.test, parser.parse(parts.test)), seconds, most_memory())


def measured_alone(spec: str, parts: Parts, iterations: int | None, seeds: int) -> list[Measured]:
    """Return what `measure` finds in a new process for each seed."""
    setup = Setup(labelled=True, iterations=iterations or ITERATIONS[spec])
    return [alone(measure, spec, parts, setup, seed) for seed in range(1, seeds + 1)]


def together(parts: dict[str, Parts]) -> dict[str, Parts]:
    """Return the sentences of all treebanks as those of a single one."""
    sets = zip(*((each.train, each.dev, each.test) for each in parts.values()), strict=True)
    return {" + ".join(parts): Parts(*(tuple(tree for trees in of_all for tree in trees) for of_all in sets))}


def shown(linear: list[Measured], neural: list[Measured], tokens: int) -> Iterator[str]:
    """Yield the cells of a treebank."""
    scores = [(mean(each.uas for each in of), mean(each.las for each in of)) for of in (linear, neural)]
    for uas, las in scores:
        yield f"{uas:.1f} / {las:.1f}"
    yield " / ".join(f"{after - before:+.1f}" for before, after in zip(*scores, strict=True))
    for of in (linear, neural):
        yield f"{1000 * mean(each.seconds for each in of) / tokens:.2f}"
    yield f"{max(each.megabytes for each in neural):,}"


def main() -> None:
    """Print a row for each treebank, and the means over large and small ones."""
    options = arguments(__doc__, ("eight",))
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--iterations", type=int)
    options.add_argument("--joined", action="store_true", help="train on all treebanks together")
    command_line = options.parse_args()
    read: Iterable[tuple[str, Parts]] = (
        (name, Parts(fold.ud.train, fold.ud.dev, fold.ud.test)) for name, fold in eight_or_named(command_line)
    )
    if command_line.joined:
        read = together(dict(read)).items()
    print(f"{command_line.seeds} seeds; load {os.getloadavg()[0]:.1f}\n")
    scores = [f"{spec}, UAS / LAS" for spec in (LINEAR, NEURAL)]
    seconds = [f"{spec}, s per 1,000 tokens" for spec in (LINEAR, NEURAL)]
    print(row("treebank", "training tokens", *scores, "difference", *seconds, f"{NEURAL}, MB"))
    print(row("---", *["--:"] * 7))
    leads: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for name, parts in read:
        tokens = sum(map(len, parts.train))
        linear, neural = (
            measured_alone(spec, parts, command_line.iterations, command_line.seeds) for spec in ITERATIONS
        )
        print(row(name, f"{tokens:,}", *shown(linear, neural, tokens)), flush=True)
        leads[tokens >= LARGE] += [
            (after.uas - before.uas, after.las - before.las)
            for before, after in zip(linear, neural, strict=True)
        ]
    for large, of_size in leads.items():
        if of_size:
            size = f"{LARGE:,} tokens and more" if large else "fewer tokens"
            lead = " / ".join(f"{mean(values):+.1f}" for values in zip(*of_size, strict=True))
            print(row(f"mean, {size}", "", "", "", lead, "", "", ""))


if __name__ == "__main__":
    main()
