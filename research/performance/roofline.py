"""The kernels beside what the memory allows: cache lines touched, and what reading them costs at least.

    python research/performance/roofline.py UD_Greek --release 1.3
    python research/performance/roofline.py UD_English-LinES UD_French-Sequoia UD_Turkish-IMST
        --release 2.16 --joined

A labelled arc-eager parser is trained; the features of the configurations and arcs of its parses of the
training sentences are kept. Printed are, for a prediction of a transition or a label: the features looked up,
how many of them have weights, the different cache lines (64 bytes) of the table and of the weights that this
touches, the size of both, the time of so many independent random reads in memory of this size (the bound),
the time the kernel takes, what it takes when all is in the nearest cache (one prediction again and again),
and the bound in percent of the time. It may exceed 100: features that come often are in a cache, which random
reads are not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import transitions
from learnability.parsing.encoding import NO_CHOICE, Corpus
from learnability.parsing.jit import Ints, Keys, Scores, njit
from learnability.parsing.parser import Parser, ParserOptions, train_parser
from learnability.parsing.perceptron import CLASSES, Perceptron, features_of, score
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import look_at_arc, predict, predict_label
from learnability.parsing.transitions import System
from learnability.parsing.workspace import Labeller, Model, Workspace, new_workspace
from learnability.treebanks.sentence import Tree
from research.performance.parsing import machine
from research.support.treebank_folds import arguments, fastest, row, training_trees

LINE = 64
"""Bytes of a cache line."""

READS = 1 << 22


@njit
def copy(keys: Keys, out: Keys) -> None:
    """Write the keys to `out`."""
    for f in range(keys.shape[0]):
        out[f] = keys[f]


@njit
def keep_keys(
    system: System,
    corpus: Corpus,
    order: NDArray[np.int64],
    model: Model,
    work: Workspace,
    keys: Keys,
    label_keys: Keys,
) -> tuple[int, int]:
    """Parse the sentences in this order; write the features of all transitions and arcs; return how many."""
    c, used, arcs = work.configuration, 0, 0
    for sentence in order:
        n, base = corpus.length[sentence], corpus.start[sentence]
        if used + 2 * n > keys.shape[0]:
            break
        transitions.initial(system, c, n)
        while not transitions.is_final(system, c):
            transitions.legal(system, c, work.mask)
            transition = predict(system, model, corpus.attributes, base, work)
            copy(work.keys, keys[used])
            used += 1
            label = 0
            head, dependent = transitions.arc(system, c, transition)
            if dependent <= n:
                look_at_arc(model.labeller, corpus.attributes, base, head, dependent, work)
                label = 1 + predict_label(model.labeller.learner, work)
                copy(work.label_keys, label_keys[arcs])
                arcs += 1
            transitions.apply(system, c, transition, label)
    return used, arcs


@njit
def score_all(p: Perceptron, keys: Keys, rows: Ints, out: Scores) -> None:
    """Compute the scores of every prediction: the kernel to be timed."""
    for i in range(keys.shape[0]):
        score(p, keys[i], rows, out)


@njit
def read_at_random(memory: Keys, count: int) -> np.uint64:
    """Read `count` elements whose addresses do not depend on other reads; return their sum."""
    state, total = np.uint64(1), np.uint64(0)
    last = np.uint64(memory.shape[0])
    for _ in range(count):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        total += memory[((state >> np.uint64(32)) * last) >> np.uint64(32)]
    return total


def nanoseconds(work: Callable[[], object], count: int) -> float:
    """Return nanoseconds per part of the work: the best of five runs after a warm-up."""
    work()
    return fastest(work, 5)[0] / count * 1e9


def lines_touched(p: Perceptron, keys: Keys) -> tuple[float, float, float]:
    """Return, per prediction, the number of features with weights and of cache lines of table and weights."""
    rows = np.zeros(keys.shape[1], np.int32)
    scores = np.zeros(p.weight.shape[1], np.float32)
    per_line, width = LINE // p.slots.itemsize, p.weight.shape[1] * p.weight.itemsize
    found, slots, weights = 0, 0, 0
    some = keys[:: max(1, len(keys) // 2000)]
    for keys_of_prediction in some:
        score(p, keys_of_prediction, rows, scores)
        home = (keys_of_prediction >> np.uint64(33)).astype(np.int64) & (len(p.slots) - 1)
        slots += len(np.unique(home // per_line))
        with_weights = np.unique(rows[rows > 0])
        found += int((rows > 0).sum())
        weights += len(np.unique(with_weights * width // LINE)) * max(1, width // LINE)
    return found / len(some), slots / len(some), weights / len(some)


def row_of(name: str, p: Perceptron, keys: Keys) -> str:
    """Return a row of the table."""
    rows, out = np.zeros(keys.shape[1], np.int32), np.zeros(p.weight.shape[1], np.float32)
    found, slots, weights = lines_touched(p, keys)
    size = p.slots.nbytes + p.weight.nbytes
    memory = np.ones(size // 8, np.uint64)
    read = nanoseconds(lambda: read_at_random(memory, READS), READS)
    taken = nanoseconds(lambda: score_all(p, keys, rows, out), len(keys))
    again = np.repeat(keys[:1], 5000, axis=0)
    nearest = nanoseconds(lambda: score_all(p, again, rows, out), len(again))
    bound = (slots + weights) * read
    return row(
        name, f"{p.meta[CLASSES]}", f"{features_of(p):,}", f"{size / 2**20:.0f}", f"{keys.shape[1]}",
        f"{found:.0f}", f"{slots:.0f} + {weights:.0f}", f"{read:.1f}", f"{bound:.0f}", f"{taken:.0f}",
        f"{nearest:.0f}", f"{100 * bound / taken:.0f}",
    )  # fmt: skip


def rows_of(parser: Parser, trees: list[Tree]) -> list[str]:
    """Return the rows of a parser: transitions and labels."""
    options, corpus = parser.options, parser.options.encode(trees)
    templates = options.templates()
    labeller = Labeller(templates[1], parser.label_weights, NO_CHOICE)
    model = Model(templates[0], parser.weights, labeller)
    work = new_workspace(int(corpus.length.max()), *templates, len(parser.labels))
    most = 100_000
    keys = np.zeros((most, work.keys.shape[0]), np.uint64)
    label_keys = np.zeros((most, work.label_keys.shape[0]), np.uint64)
    order = np.random.default_rng(1).permutation(len(trees))
    used, arcs = keep_keys(options.transition_system.kernels, corpus, order, model, work, keys, label_keys)
    return [
        row_of("transition", parser.weights, keys[:used]),
        row_of("label", parser.label_weights, label_keys[:arcs]),
    ]


def main() -> None:
    """Print a table in Markdown."""
    parser = arguments(__doc__)
    parser.add_argument("--joined", action="store_true", help="the treebanks as one")
    parser.add_argument("--iterations", type=int, default=5)
    options = parser.parse_args()
    print(machine())
    for name, trees in training_trees(options).items():
        print(f"\n{name}: {sum(map(len, trees)):,} tokens\n")
        print(
            "| prediction of a | classes | features | MB | looked up | with weights | lines: table + weights "
            "| random read, ns | bound, ns | taken, ns | in the nearest cache, ns | bound, % |"
        )
        print("|---|" + "--:|" * 11)
        trained = train_parser(
            trees,
            ParserOptions(
                oracle="explore", labelled=True, features=OF_EXPERIMENTS, iterations=options.iterations
            ),
        )
        for line in rows_of(trained.parser, trees):
            print(line, flush=True)


if __name__ == "__main__":
    main()
