"""The parser: options in, trees in, a model out; and trees from a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import decoding, systems, training
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_labels, encode_tokens
from learnability.parsing.features import FEATURE_SETS, Templates, compile_templates
from learnability.parsing.perceptron import ROWS, Perceptron, average_into, new_perceptron
from learnability.treebanks.sentence import Tree

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when dev UAS has not improved for so many iterations (design section 7)."""


@dataclass(frozen=True)
class ParserOptions:
    """What determines a training, besides the data.

    Attributes:
        system: transition system, by its name on the command line.
        oracle: training regime: static, ambiguity, explore or dynamic.
        iterations: exactly so many; None: at most 15, until dev UAS has not improved for 3.
        labelled: predict labels as well.
        features: feature set, `zn11`.
        tags: the tag attribute: gold (UPOS), xpos or none.
        k, p: exploration starts after iteration k and follows a wrong prediction with probability p.
        seed: of the order of sentences and of exploration.
        multiple_roots: leave several root words in the output.
    """

    system: str = "arc-eager"
    oracle: str = "dynamic"
    iterations: int | None = None
    labelled: bool = False
    features: str = "zn11"
    tags: str = "gold"
    k: int = 1
    p: float = 0.9
    seed: int = 1
    multiple_roots: bool = False

    def templates(self) -> Templates:
        """The compiled feature templates.

        Raises:
            InputError: no feature set of that name.
        """
        if self.features not in FEATURE_SETS:
            raise InputError(f"unknown features '{self.features}'; choose one of {', '.join(FEATURE_SETS)}")
        return compile_templates(FEATURE_SETS[self.features], labelled=self.labelled)

    def regime(self) -> int:
        """The kernel's number of the training regime.

        Raises:
            InputError: no regime of that name.
        """
        if self.oracle not in training.REGIMES:
            names = ", ".join(training.REGIMES)
            raise InputError(f"unknown oracle '{self.oracle}'; choose one of {names}")
        return training.REGIMES[self.oracle]


@dataclass(frozen=True)
class Parser:
    """A trained parser: averaged weights and what is needed to use them."""

    options: ParserOptions
    weights: Perceptron
    label_weights: Perceptron
    labels: tuple[str, ...] = ()

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads (0 is the root) and label numbers + 1 (0: none) of every row, int32[rows]."""
        templates = self.options.templates()
        longest = int(corpus.length.max(initial=0))
        work = training.new_workspace(longest, templates, len(self.labels))
        heads = np.zeros(corpus.attributes.shape[0], np.int32)
        labels = np.zeros(corpus.attributes.shape[0], np.int32)
        decoding.parse_sentences(
            systems.system_number(self.options.system),
            corpus,
            templates,
            self.weights,
            self.options.labelled,
            self.label_weights,
            self.options.multiple_roots,
            work,
            heads,
            labels,
        )
        return heads, labels

    def parse(self, trees: Sequence[Tree]) -> list[Tree]:
        """Parse the sentences; their own heads and deprels are not looked at.

        Unlabelled output bears `root` at the root word and `dep` elsewhere.
        """
        corpus = encode_tokens(trees, tags=self.options.tags)
        heads, labels = self.parse_corpus(corpus)
        parsed = []
        for tree, start, n in zip(trees, corpus.start, corpus.length, strict=True):
            own = heads[start + 1 : start + 1 + n].tolist()
            if self.options.labelled:
                deprels = [self.labels[i - 1] if i else "dep" for i in labels[start + 1 : start + 1 + n]]
            else:
                deprels = ["dep" if h else "root" for h in own]
            parsed.append(tree.with_heads(own, deprels))
        return parsed


@dataclass
class Training:
    """A finished training.

    Attributes:
        parser: with the averaged weights of the best iteration on dev (without dev: of the last).
        iterations: how many were run.
        best_iteration: the one whose weights were kept, from 1.
        dev_uas: percent, per iteration; empty without dev.
        seconds: wall time spent in the kernels.
        features: features with weights.
    """

    parser: Parser
    iterations: int
    best_iteration: int
    dev_uas: list[float] = field(default_factory=list)
    seconds: float = 0.0
    features: int = 0


def correct_heads(corpus: Corpus, gold: NDArray[np.int32], predicted: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[sentences]: the number of tokens with the right head; the heads are int32[rows]."""
    right = np.concatenate([[0], np.cumsum(gold == predicted)])
    first = corpus.start + 1
    return np.asarray(right[first + corpus.length] - right[first], np.int64)


def averaged(learner: training.Learner) -> Perceptron:
    """The averaged weights of a learner, without what only training needs."""
    p = learner.perceptron
    weight = np.zeros((int(p.meta[ROWS]), p.weight.shape[1]), np.float32)
    average_into(p, weight)
    return Perceptron(p.slots.copy(), weight, np.zeros((0, p.weight.shape[1])), p.meta.copy())


def run_iterations(
    train: Callable[[int], None],
    evaluate: Callable[[], float] | None,
    keep: Callable[[], None],
    iterations: int | None,
) -> tuple[int, int, list[float]]:
    """Train until dev tells to stop; the rule of every setting (design section 7).

    `train(i)` makes iteration i (from 1), `evaluate()` gives dev UAS, `keep()` remembers the current
    averaged weights. Returns the number of iterations, the one kept last, and the dev scores.
    """
    scores: list[float] = []
    best = 0
    for i in range(1, (iterations or MAX_ITERATIONS) + 1):
        train(i)
        if evaluate is None:
            best = i
            continue
        scores.append(evaluate())
        if best == 0 or scores[-1] > scores[best - 1]:
            best = i
            keep()
        if iterations is None and i - best >= PATIENCE:
            break
    if evaluate is None:
        keep()
    return i, best, scores


def train_on_arrays(
    corpus: Corpus,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    label_names: Sequence[str],
    options: ParserOptions,
    dev: tuple[Corpus, NDArray[np.int32]] | None,
    progress: Callable[[int, float], None] | None = None,
) -> Training:
    """Train on encoded sentences; `heads`, `labels`: int32[rows of the corpus].

    `dev`: an encoded corpus and its heads. `progress(iteration, seconds)` is called after each iteration.
    Sentences are shuffled before every iteration by a generator seeded with `options.seed`.
    """
    templates = options.templates()
    system, regime = systems.system_number(options.system), options.regime()
    learner = training.new_learner(systems.TRANSITIONS)
    labeller = training.new_learner(len(label_names)) if options.labelled else training.new_learner(1, 16)
    longest = int(corpus.length.max(initial=0))
    work = training.new_workspace(longest, templates, len(label_names), options.seed)
    room = (2 * longest + 2) * templates.terms.shape[0]
    generator = np.random.default_rng(options.seed)
    best: list[Parser] = []
    seconds = 0.0

    def current() -> Parser:
        names = tuple(label_names) if options.labelled else ()
        label_weights = averaged(labeller) if options.labelled else new_perceptron(1, 16)
        return Parser(options, averaged(learner), label_weights, names)

    def train(iteration: int) -> None:
        nonlocal learner, labeller, seconds
        began = time.perf_counter()
        order = generator.permutation(len(corpus.length)).astype(np.int64)
        exploration = options.p if iteration > options.k else 0.0
        done = 0
        while done < len(order):
            learner = training.with_room(learner, room)
            if options.labelled:
                labeller = training.with_room(labeller, room)
            done = training.train_sentences(
                system, regime, exploration, order, done, corpus, heads, labels, options.labelled,
                templates, learner, labeller, work,
            )  # fmt: skip
        elapsed = time.perf_counter() - began
        seconds += elapsed
        if progress is not None:
            progress(iteration, elapsed)

    def evaluate() -> float:
        assert dev is not None
        predicted, _ = current().parse_corpus(dev[0])
        return 100.0 * float(correct_heads(dev[0], dev[1], predicted).sum()) / max(dev[0].tokens(), 1)

    def keep() -> None:
        best[:] = [current()]

    ran, kept, scores = run_iterations(train, evaluate if dev else None, keep, options.iterations)
    return Training(best[0], ran, kept, scores, seconds, int(learner.perceptron.meta[ROWS]))


def train_parser(
    train: Sequence[Tree], options: ParserOptions | None = None, dev: Sequence[Tree] | None = None
) -> Training:
    """Train on trees; those of a projective system must be projective (see `projectivity`).

    Raises:
        InputError: no training sentences, or options that do not exist.
    """
    options = options or ParserOptions()
    if not train:
        raise InputError("no training sentences")
    corpus = encode_tokens(train, tags=options.tags)
    heads = encode_heads(corpus, [tree.heads for tree in train])
    names = sorted({d for tree in train for d in tree.deprels}) if options.labelled else []
    labels = encode_labels(corpus, [t.deprels for t in train], names) if options.labelled else UNLABELLED
    encoded_dev = None
    if dev:
        dev_corpus = encode_tokens(dev, tags=options.tags)
        encoded_dev = (dev_corpus, encode_heads(dev_corpus, [tree.heads for tree in dev]))
    return train_on_arrays(corpus, heads, labels, names, options, encoded_dev)
