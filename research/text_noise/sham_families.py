"""How many families of real parsers get a wrong side where neither side is easier.

*Copies*: UD is trained with many seeds on the training set of a treebank. In each family, random disjoint
groups of these trainings stand for UD and for seven constructions. *Coins*: a coin is tossed for each
sentence, which is then annotated as UD has it, or as the construction has it. The other side has what the
coin did not choose. No parser can see the coin, so no side is easier; but sentences differ as in a run.

    python -m research.text_noise.sham_families UD_Irish UD_Tamil --kind copies [--seeds 32] [--families 50]
    python -m research.text_noise.sham_families UD_Irish UD_Tamil --kind coins [--seeds 3] [--families 10]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.fold_trees import Sets
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.metrics.scores import FEWEST, Score, correct_tokens
from learnability.parsers.registry import parser_named
from learnability.statistics.holm import holm
from learnability.statistics.inference import ALPHA
from learnability.statistics.significance import compare
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, row

Counts = NDArray[np.int64]

CONSTRUCTIONS, SEEDS_OF_RUN = 7, 3


def main() -> None:
    """Print a line per treebank, and one for all."""
    parser = arguments(__doc__, (), "1.3")
    parser.add_argument("--kind", choices=("copies", "coins"), required=True)
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--families", type=int, default=50)
    command_line = parser.parse_args()
    print(row("treebank", "test sentences", "families", "wrong sides before", "now"))
    print(row(*["---"] * 5))
    every: list[list[bool]] = []
    for name in command_line.treebanks:
        files = locate_treebank(name, ud_home=command_line.ud_home, release=command_line.release)
        options = ExperimentOptions(
            tuple(map(annotation_spelled, PAPER)),
            parsers=(parser_named("arc-eager"),),
            data=DataOptions(splits="dev"),
        )
        fold = fold_of(files, options, 0)
        tokens = np.array([len(tree) for tree in fold.ud.test])
        draw = copies if command_line.kind == "copies" else coins
        alarms = [
            [any(named(family, tokens, moderated)) for moderated in (False, True)]
            for family in draw(fold, command_line.seeds, command_line.families)
        ]
        every += alarms
        print_alarms(name, str(len(tokens)), alarms)
    print_alarms("all", "", every)


def print_alarms(name: str, sentences: str, alarms: Sequence[Sequence[bool]]) -> None:
    """Print how many families have a wrong side."""
    before, now = (f"{np.mean(column):.3f}" for column in zip(*alarms, strict=True))
    print(row(name, sentences, len(alarms), before, now), flush=True)


def copies(fold: Fold, seeds: int, families: int) -> Iterator[list[tuple[Counts, Counts]]]:
    """Yield families of pairs of trainings on UD: int64[seeds, S] of each side."""
    chance = np.random.default_rng(1)
    trained = right_heads(fold, fold.ud, range(1, seeds + 1))
    for _ in range(families):
        drawn = chance.permutation(seeds)[: (CONSTRUCTIONS + 1) * SEEDS_OF_RUN]
        ud, *others = trained[drawn].reshape(CONSTRUCTIONS + 1, SEEDS_OF_RUN, -1)
        yield [(ud, other) for other in others]


def coins(fold: Fold, seeds: int, families: int) -> Iterator[list[tuple[Counts, Counts]]]:
    """Yield families of pairs whose sides are chosen by a coin, sentence by sentence."""
    chance = np.random.default_rng(2)
    compared = [fold.compare_pair(pair) for pair in fold.pairs]
    alternatives = [
        each.alternative.sets
        for each in compared
        if each.exists and sum(map(len, each.test_places)) >= FEWEST.places
    ]
    for _ in range(families):
        family = []
        for alternative in alternatives:
            tossed = [chance.integers(2, size=len(part)) for part in parts(fold.ud)]
            sides = (mixed(fold.ud, alternative, [toss == side for toss in tossed]) for side in (True, False))
            drawn = [int(seed) for seed in chance.integers(1, 1_000_000, seeds)]
            first, second = (right_heads(fold, side, drawn) for side in sides)
            family.append((first, second))
        yield family


def parts(sets: Sets) -> tuple[tuple[Tree, ...], ...]:
    """Return the trees that are trained on, looked at, and tested on."""
    return sets.train, sets.dev, sets.test


def mixed(ud: Sets, alternative: Sets, chosen: Sequence[NDArray[np.bool_]]) -> Sets:
    """Return UD's trees where they are chosen, else those of the alternative."""
    train, dev, test = (
        tuple(one if take else other for one, other, take in zip(first, second, each, strict=True))
        for first, second, each in zip(parts(ud), parts(alternative), chosen, strict=True)
    )
    return Sets(train, dev, test)


def right_heads(fold: Fold, sets: Sets, seeds: Sequence[int]) -> Counts:
    """Return int64[seeds, S], the right heads in the test sentences."""
    tested = (train_and_test(fold, sets, seed) for seed in seeds)
    return np.array([correct_tokens(trained.gold, trained.parsed, Score.UAS) for trained in tested])


def named(family: Sequence[tuple[Counts, Counts]], tokens: Counts, moderated: bool) -> list[bool]:
    """Return for each construction whether a side is named."""
    p_values = []
    for first, second in family:
        # what the others say is told by their differences from this first side
        beside = [first - (a - b) for a, b in family if b is not second]
        p_values.append(compare(first, second, tokens, beside=beside, moderated=moderated).p_value)
    return [p is not None and p < ALPHA for p in holm(p_values)]


if __name__ == "__main__":
    main()
