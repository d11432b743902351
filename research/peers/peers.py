"""Our parsers beside those of others: what a training costs, and how good the parses are.

    python research/peers/peers.py UD_Greek --release 1.3 [--peer maltparser.toml] [--without spacy]

Every parser is one of docs/howto/parsers.md: ours, those that need another package where it is installed, and
those that files describe (`--peer`), such as MaltParser, whose jar its file names. All learn from the same
sentences, with labels, forms and gold UPOS, one seed and no dev, and parse the test part; "all columns" has
lemmas, XPOS and features, too. A parser of `--stopping-peer` decides by dev when it has learned enough. One
evaluator scores them all. Every parser has a process of its own. Seconds are processor seconds of a whole
training (of encoding or writing the sentences, too) and of parsing the test part, with all processes that
are started; the ratio is that of the trainings to the first. Kernels are compiled before. MB is the most
memory of a process. Compare ratios within one run: absolute figures change with the machine and with what
else it does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from learnability.comparing.fold_trees import Sets
from learnability.parsers.registry import known_parsers, parser_named
from learnability.parsers.trainer import Setup
from learnability.parsing.projectivity import lift
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import accuracy, alone, arguments, folds, most_memory, row, timed

ALL = "all columns"
OURS = (
    "arc-eager:explore",
    "arc-eager:explore,form",
    "arc-eager:explore,rich",
    f"arc-eager:explore,rich {ALL}",
    "covington",
    "easy-first",
    "graph",
)
OTHERS = ("udpipe", "spacy")


def bare(trees: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return the trees with forms and tags only."""
    return tuple(replace(tree, lemmas=(), xpos=(), feats=()) for tree in trees)


class Measured(NamedTuple):
    """Processor seconds of training and parsing, UAS and LAS in percent, megabytes."""

    training: float
    parsing: float
    uas: float
    las: float
    megabytes: int


def measure(spec: str, sets: Sets, setup: Setup) -> Measured:
    """Train a parser and test it."""
    named, trainer = parser_named(spec), parser_named(spec).trainer(setup)
    train = tuple(lift(sets.train)) if trainer.projective else sets.train
    if named.kind.compiled:
        trainer.train(train[:3], [], 1).parse(train[:3])
    training, parser = timed(lambda: trainer.train(train, sets.dev, 1))
    parsing, parsed = timed(lambda: parser.parse(sets.test))
    return Measured(training, parsing, *accuracy(sets.test, parsed), most_memory())


def main() -> None:
    """Print a table for each treebank."""
    options = arguments(__doc__)
    options.add_argument("--iterations", type=int, default=15)
    options.add_argument("--peer", action="append", default=[], help="a file that describes a parser")
    options.add_argument(
        "--stopping-peer", action="append", default=[],
        help="a file that describes a parser which learns until it is no longer better on dev",
    )  # fmt: skip
    options.add_argument("--without", action="append", default=[], help="a parser to leave out")
    command_line = options.parse_args()
    setup = Setup(labelled=True, iterations=command_line.iterations)
    installed = (name for name in OTHERS if known_parsers()[name].installed)
    peers = (*command_line.peer, *command_line.stopping_peer)
    specs = [spec for spec in (*OURS, *installed, *peers) if spec not in command_line.without]
    for name, fold in folds(command_line):
        whole = Sets(fold.train, (), fold.ud.test)
        tokens, load = sum(map(len, whole.train)), os.getloadavg()[0]
        print(
            f"\n{name}: {tokens:,} training tokens, {command_line.iterations} iterations; load {load:.1f}\n"
        )
        print(row("parser", "training, CPU s", "ratio", "test part, CPU s", "UAS", "LAS", "MB"))
        print(row("---", *["--:"] * 6))
        first = 0.0
        for spec in specs:
            plain = spec.removesuffix(f" {ALL}")
            sets = whole if plain != spec else Sets(bare(whole.train), (), bare(whole.test))
            if spec in command_line.stopping_peer:
                sets = replace(sets, dev=bare(fold.ud.dev))
                found = alone(measure, plain, sets, replace(setup, iterations=None))
            else:
                found = alone(measure, plain, sets, setup)
            first = first or found.training
            title = parser_named(plain).title + spec.removeprefix(plain)
            figures = (
                f"{found.training:.1f}",
                f"{found.training / first:.2f}",
                f"{found.parsing:.2f}",
                f"{found.uas:.1f}",
                f"{found.las:.1f}",
                f"{found.megabytes:,}",
            )
            print(row(title, *figures), flush=True)


if __name__ == "__main__":
    main()
