"""What does training all annotations of a treebank in the same passes save?

    python research/loglinear/together.py UD_Tamil UD_Irish [--release 1.3]

Optima of UD and of the seven constructions: all in the same passes, one after the other with the features of
the sentences kept, as a process of a run does, and each alone. Seconds are processor seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.parsing.parser import SMALL
from learnability.treebanks.sentence import Tree
from research.loglinear.capped import changed_words, each_fold, print_row, sides_of, train_optima
from research.support.treebank_folds import arguments, timed

WORDS = 5_000
"""The words that are trained on, at most."""


def train_in_turn(annotations: Sequence[Sequence[Tree]]) -> list[TrainedParser]:
    """Train one annotation after the other; the trainer keeps the features of their sentences."""
    trainer = parser_named("loglinear").trainer(Setup())
    return [trainer.train(trees, (), 1) for trees in annotations]


def main() -> None:
    """Print a row per treebank."""
    command_line = arguments(__doc__, release="1.3").parse_args()
    train_optima([[SMALL]], 1)
    print_row("treebank", "annotations", "same passes", "features kept", "each alone", "other heads")
    print_row("---", *["--:"] * 5)
    for title, fold in each_fold(command_line, lambda title: False):
        sides = sides_of(fold, WORDS)
        annotations = [side.train for side in sides]
        ways = (
            lambda: train_optima(annotations, 1),  # noqa: B023
            lambda: train_in_turn(annotations),  # noqa: B023
            lambda: [train_optima([trees], 1)[0] for trees in annotations],  # noqa: B023
        )
        seconds, parsed = [], []
        for way in ways:
            spent, parsers = timed(way)
            seconds.append(spent)
            parsed.append([t for p, s in zip(parsers, sides, strict=True) for t in p.parse(s.test)])
        differs = sum(int(np.sum(changed_words(parsed[0], other))) for other in parsed[1:])
        print_row(title, len(sides), *(f"{spent:.1f}" for spent in seconds), differs)


if __name__ == "__main__":
    main()
