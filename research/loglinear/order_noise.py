"""Does another way of training lower the noise of a difference between two annotations, for its price?

    python research/loglinear/order_noise.py UD_Kazakh UD_Tamil UD_Irish [--seeds 24] [--out FILE]

arc-eager and the graph-based parser are trained on UD and on each of the seven constructions, with other
orders of sentences for both annotations, with the same order, with the weights of several trainings averaged
into one model, and from a warm start that both annotations share, with the same order. With a file, what is
measured is kept, and a study that was stopped goes on. Seconds are processor seconds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import UNLABELLED, Corpus, encode_trees
from learnability.parsing.graph import Decoder, GraphParser, encoder, new_graph_space, parse_sentences
from learnability.parsing.graph_features import CLASSES as ARC_CLASSES
from learnability.parsing.graph_features import compile_arc_templates, most_rows
from learnability.parsing.jit import Ints
from learnability.parsing.parser import SMALL, Parser, ParserOptions
from learnability.parsing.perceptron import (
    ROWS,
    STEP,
    Perceptron,
    average,
    new_perceptron,
    rebuild_slots,
    with_room,
)
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import Trees, train_sentences
from learnability.parsing.transitions import CLASSES
from learnability.parsing.unlabelled import Unlabelled
from learnability.parsing.vectors import aligned_zeros
from learnability.parsing.workspace import Model, new_workspace
from learnability.treebanks.sentence import Tree
from research.loglinear.capped import KeptRows, Side, each_fold, print_row, sides_of
from research.support.treebank_folds import arguments, timed

WORDS = 5_000
"""The words that are trained on, at most."""

ITERATIONS = 8
"""The passes of a training."""

WARM, AFTER = 2, 4
"""The passes over the trees of both annotations from which both start, and those of each annotation after."""

AVERAGED = 3
"""Models whose weights are averaged."""

Order = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Learner(ABC):
    """Learn heads with averaged weights, in orders that a seed draws, from any weights."""

    name: str
    classes: int

    @abstractmethod
    def encode(self, trees: Sequence[Tree]) -> tuple[Corpus, Ints]:
        """Return sentences as they are read, and their heads."""

    @abstractmethod
    def learn(self, corpus: Corpus, heads: Ints, orders: Sequence[Order], weights: Perceptron) -> Perceptron:
        """Return the weights after passes over sentences, which go on from these weights."""

    @abstractmethod
    def parse(self, corpus: Corpus, weights: Perceptron) -> Ints:
        """Return the heads that averaged weights find."""

    def train(
        self, trees: Sequence[Tree], seed: int, passes: int, start: Perceptron | None = None
    ) -> Perceptron:
        """Return the weights after a training, with their sums."""
        generator = np.random.default_rng(seed)
        orders = [generator.permutation(len(trees)).astype(np.int64) for _ in range(passes)]
        weights = new_perceptron(self.classes) if start is None else copy_weights(start)
        return self.learn(*self.encode(trees), orders, weights)

    def count_right(self, weights: Perceptron, test: Sequence[Tree]) -> int:
        """Return how many heads of sentences averaged weights find."""
        corpus, heads = self.encode(test)
        tokens = corpus.rows_of_tokens()
        return int((self.parse(corpus, weights)[tokens] == heads[tokens]).sum())


class ArcEager(Learner):
    """Learn arc-eager transitions, with the dynamic oracle and the options of a run."""

    name, classes = "arc-eager", CLASSES
    options = ParserOptions(features=OF_EXPERIMENTS)

    def encode(self, trees: Sequence[Tree]) -> tuple[Corpus, Ints]:
        """Return sentences as they are read, and their heads."""
        return encode_trees(trees, self.options.encode)

    def learn(self, corpus: Corpus, heads: Ints, orders: Sequence[Order], weights: Perceptron) -> Perceptron:
        """Return the weights after passes over sentences, which go on from these weights."""
        templates, supervision = self.options.templates(), Trees(heads, UNLABELLED)
        work = new_workspace(int(corpus.length.max(initial=0)), *templates, 0)
        for order in orders:
            done = 0
            while done < len(order):
                weights = with_room(weights, len(templates[0].terms))
                model = Model(templates[0], weights, Unlabelled())
                done = train_sentences(
                    self.options.transition_system.kernels, supervision, self.options.regime(), 0.0, order,
                    done, corpus, model, work,
                )  # fmt: skip
        return weights

    def parse(self, corpus: Corpus, weights: Perceptron) -> Ints:
        """Return the heads that averaged weights find."""
        return Parser(self.options, weights, new_perceptron(1, 16)).parse_corpus(corpus)[0]


class Graph(Learner):
    """Learn the scores of arcs for projective trees."""

    name, classes = "graph", ARC_CLASSES
    decoder = Decoder(projective=True, multiple_roots=False)

    def encode(self, trees: Sequence[Tree]) -> tuple[Corpus, Ints]:
        """Return sentences as they are read, and their heads."""
        return encode_trees(trees, encoder(labelled=False))

    def learn(self, corpus: Corpus, heads: Ints, orders: Sequence[Order], weights: Perceptron) -> Perceptron:
        """Return the weights after passes over sentences, which go on from these weights."""
        templates, longest = compile_arc_templates(), int(corpus.length.max())
        space, room = new_graph_space(longest, templates, self.decoder), most_rows(longest, templates)
        for order in orders:
            done = 0
            while done < len(order):
                weights = with_room(weights, room)
                done = parse_sentences(
                    order, done, corpus, heads, True, weights, templates, self.decoder, space
                )
        return weights

    def parse(self, corpus: Corpus, weights: Perceptron) -> Ints:
        """Return the heads that averaged weights find."""
        return GraphParser(self.decoder, weights).parse_corpus(corpus)[0]


LEARNERS: tuple[Learner, ...] = (ArcEager(), Graph())


def copy_weights(p: Perceptron) -> Perceptron:
    """Return a copy of weights, of which an average begins anew."""
    copied = with_room(p, len(p.keys))  # more than is free, so that they are copied
    copied.total[:] = 0
    copied.meta[STEP] = 0
    return copied


def merge_weights(trained: Sequence[Perceptron]) -> Perceptron:
    """Return the mean of the averaged weights of several trainings; a feature that one lacks has 0 there."""
    keys = np.unique(np.concatenate([p.keys[1 : p.meta[ROWS]] for p in trained]))
    merged = new_perceptron(int(trained[0].meta[2]), len(keys) + 1)
    merged.keys[1 : len(keys) + 1] = keys
    merged.meta[ROWS] = len(keys) + 1
    for p in trained:
        averaged = aligned_zeros(len(p.weight), p.weight.shape[1])
        average(p, averaged)
        of_keys = 1 + np.searchsorted(keys, p.keys[1 : p.meta[ROWS]])
        merged.weight[of_keys] += averaged[1 : p.meta[ROWS]] / np.float32(len(trained))
    rebuild_slots(merged)
    return merged


class Measured(msgspec.Struct):
    """Hold how many words each training on a treebank has right.

    Attributes:
        treebank: with its release.
        parser: its name.
        words: those tested on.
        alone: by annotation, of one training for each seed.
        averaged: by annotation, of the weights of each group of seeds.
        warm: by construction, of UD and of the construction from a warm start for each seed.
        seconds: of one training, and of both trainings with their warm start.
    """

    treebank: str
    parser: str
    words: int
    alone: dict[str, list[int]]
    averaged: dict[str, list[int]]
    warm: dict[str, list[tuple[int, int]]]
    seconds: tuple[float, float]


def measure(title: str, sides: Sequence[Side], learner: Learner, seeds: int) -> Measured:
    """Train a parser in all ways on all annotations."""
    alone: dict[str, list[int]] = {}
    averaged: dict[str, list[int]] = {}
    warm: dict[str, list[tuple[int, int]]] = {}
    of_training, of_warm = [], []
    for side in sides:
        trained = []
        for seed in range(seeds):
            seconds, weights = timed(lambda: learner.train(side.train, seed, ITERATIONS))  # noqa: B023
            of_training.append(seconds)
            trained.append(weights)
        alone[side.name] = [learner.count_right(merge_weights([p]), side.test) for p in trained]
        groups = [trained[i : i + AVERAGED] for i in range(0, seeds, AVERAGED)]
        averaged[side.name] = [learner.count_right(merge_weights(group), side.test) for group in groups]
    for side in sides[1:]:
        pair = (sides[0], side)
        for seed in range(seeds):
            seconds, trained = timed(lambda: train_warm(learner, pair, seed))  # noqa: B023
            of_warm.append(seconds)
            a, b = (
                learner.count_right(merge_weights([p]), s.test) for p, s in zip(trained, pair, strict=True)
            )
            warm.setdefault(side.name, []).append((a, b))
    words = sum(map(len, sides[0].test))
    return Measured(title, learner.name, words, alone, averaged, warm, (fmean(of_training), fmean(of_warm)))


def train_warm(learner: Learner, pair: tuple[Side, Side], seed: int) -> list[Perceptron]:
    """Train on the trees of both annotations, then from there on each annotation, in the same order."""
    start = learner.train([*pair[0].train, *pair[1].train], seed, WARM)
    return [learner.train(side.train, seed, AFTER, start) for side in pair]


def differences_of(measured: Measured) -> dict[str, tuple[list[Numbers], float]]:
    """Return for each way of training its differences in points, by question, and the seconds of one.

    UD is trained once for all questions of a treebank, but for each of them from a warm start.
    """
    points = 100 / measured.words
    alone = {name: points * np.array(right) for name, right in measured.alone.items()}
    averaged = {name: points * np.array(right) for name, right in measured.averaged.items()}
    warm = [points * np.array(right) for right in measured.warm.values()]
    training, both_warm = measured.seconds
    questions = list(measured.warm)
    training *= 1 + 1 / len(questions)
    return {
        "other orders": ([shifted(alone["UD"], alone[name]) for name in questions], training),
        "the same order": ([alone["UD"] - alone[name] for name in questions], training),
        f"weights of {AVERAGED} averaged": (
            [shifted(averaged["UD"], averaged[name]) for name in questions], AVERAGED * training,
        ),
        "warm start, the same order": ([right[:, 0] - right[:, 1] for right in warm], both_warm),
    }  # fmt: skip


def shifted(a: Numbers, b: Numbers) -> Numbers:
    """Return the differences of all pairs of different seeds."""
    found = a[:, None] - b[None, :]
    different: Numbers = found[~np.eye(len(a), dtype=bool)]
    return different


def print_table(rows: Sequence[Measured]) -> None:
    """Print deviation, price and shift of each way of training, for each parser."""
    print_row(
        "parser", "training", "questions", "deviation", "seconds", "deviation · √seconds", "to other orders",
        "shift", "by chance",
    )  # fmt: skip
    print_row("---", "---", *["--:"] * 7)
    for learner in LEARNERS:
        of_parser = [differences_of(each) for each in rows if each.parser == learner.name]
        seeds = [len(each.alone["UD"]) for each in rows if each.parser == learner.name]
        plain = [each["other orders"] for each in of_parser]
        first = 0.0
        for way in of_parser[0] if of_parser else ():
            noise, shift, chance, worth, seconds = [], [], [], [], 0.0
            for found, usual, count in zip(of_parser, plain, seeds, strict=True):
                differences, of_one = found[way]
                trainings = count // AVERAGED if "averaged" in way else count
                for difference, before in zip(differences, usual[0], strict=True):
                    noise.append(float(difference.std(ddof=1)))
                    worth.append(noise[-1] * sqrt(of_one))
                    shift.append(float(difference.mean() - before.mean()))
                    chance.append(sqrt((noise[-1] ** 2 / trainings) + float(before.var(ddof=1)) / count))
                    seconds += of_one
            deviation, value = sqrt(fmean(x**2 for x in noise)), sqrt(fmean(x**2 for x in worth))
            first = first or value
            print_row(
                learner.name, way, len(noise), f"{deviation:.3f}", f"{seconds / len(noise):.2f}",
                f"{value:.3f}", f"{value / first:.2f}", f"{sqrt(fmean(x**2 for x in shift)):.2f}",
                f"{sqrt(fmean(x**2 for x in chance)):.2f}",
            )  # fmt: skip


def main() -> None:
    """Measure what is not kept yet, and print the table."""
    parser = arguments(__doc__, release="1.3")
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--out", type=Path, help="keep what is measured in this file")
    command_line = parser.parse_args()
    for learner in LEARNERS:  # kernels are compiled or loaded before anything is timed
        learner.count_right(merge_weights([learner.train([SMALL], 1, 1)]), [SMALL])
    kept = KeptRows(command_line.out, Measured)
    for learner in LEARNERS:
        done = {each.treebank for each in kept.rows if each.parser == learner.name}
        for title, fold in each_fold(command_line, done.__contains__):
            kept.add([measure(title, sides_of(fold, WORDS), learner, command_line.seeds)])
    print_table(kept.rows)


if __name__ == "__main__":
    main()
