"""The parser: options in, trees in, a model out; and trees from a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import decoding, easy_first_training, systems, training
from learnability.parsing.arc_standard import ArcStandard
from learnability.parsing.easy_first import EasyFirst
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_labels, encode_tokens
from learnability.parsing.features import (
    ADDRESSES,
    EASY_FIRST_ADDRESSES,
    Templates,
    columns_of,
    compile_templates,
)
from learnability.parsing.perceptron import ROWS, Perceptron, average_into, new_perceptron
from learnability.parsing.projectivity import is_projective
from learnability.parsing.templates import FEATURE_SETS
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
        features: feature set, `zn11` or `rich`.
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
        easy_first = isinstance(systems.system_number(self.system), EasyFirst)
        return compile_templates(
            self._table(),
            labelled=self.labelled,
            addresses=EASY_FIRST_ADDRESSES if easy_first else ADDRESSES,
        )

    def _table(self) -> str:
        if self.features not in FEATURE_SETS:
            raise InputError(f"unknown features '{self.features}'; choose one of {', '.join(FEATURE_SETS)}")
        return FEATURE_SETS[self.features][type(systems.system_number(self.system)).__name__]

    def encode(self, trees: Sequence[Tree]) -> Corpus:
        """The sentences with the attributes that the features need.

        Raises:
            InputError: no such tags or features.
        """
        return encode_tokens(trees, tags=self.tags, columns=columns_of(self._table()))

    def regime(self) -> int:
        """The kernel's number of the training regime.

        Raises:
            InputError: no regime of that name, or none for the system.
        """
        if self.oracle not in training.REGIMES:
            names = ", ".join(training.REGIMES)
            raise InputError(f"unknown oracle '{self.oracle}'; choose one of {names}")
        if isinstance(systems.system_number(self.system), ArcStandard) and self.oracle != "static":
            raise InputError(
                f"no {self.oracle} training with {self.system}: it is not arc-decomposable, so the cost of a "
                "transition is unknown (Goldberg & Nivre 2013, 4.3); choose the oracle static, or arc-hybrid"
            )
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
        system = systems.system_number(self.options.system)
        templates = self.options.templates()
        check_columns(corpus, templates)
        longest = int(corpus.length.max(initial=0))
        work = training.new_workspace(longest, templates, len(self.labels))
        heads = np.zeros(corpus.attributes.shape[0], np.int32)
        labels = np.zeros(corpus.attributes.shape[0], np.int32)
        multiple, labelled = self.options.multiple_roots, self.options.labelled
        if isinstance(system, EasyFirst):
            points = easy_first_training.new_points(longest, templates)
            easy_first_training.parse_sentences(
                corpus, templates, self.weights, labelled, self.label_weights, multiple, points, work,
                heads, labels,
            )  # fmt: skip
        else:
            decoding.parse_sentences(
                system, corpus, templates, self.weights, labelled, self.label_weights, multiple, work,
                heads, labels,
            )  # fmt: skip
        return heads, labels

    def parse(self, trees: Sequence[Tree]) -> list[Tree]:
        """Parse the sentences; their own heads and deprels are not looked at.

        The root word bears `root`. Other words bear the label found for them, or `dep` where there is none:
        in unlabelled output, and where a word that was predicted to be a root had to be attached.
        """
        corpus = self.options.encode(trees)
        return self.trees_of(trees, corpus, *self.parse_corpus(corpus))

    def trees_of(
        self, trees: Sequence[Tree], corpus: Corpus, heads: NDArray[np.int32], labels: NDArray[np.int32]
    ) -> list[Tree]:
        """What :meth:`parse_corpus` found for the sentences `trees`, as trees; see :meth:`parse`."""
        parsed = []
        for tree, start, n in zip(trees, corpus.start, corpus.length, strict=True):
            own = heads[start + 1 : start + 1 + n].tolist()
            if self.options.labelled:
                found = [self.labels[i - 1] if i else "dep" for i in labels[start + 1 : start + 1 + n]]
            else:
                found = ["dep"] * len(own)
            # `root` is the label of the arcs from the root and of no others, as the validator wants it
            deprels = [_not_root(d) if h else "root" for h, d in zip(own, found, strict=True)]
            parsed.append(tree.with_heads(own, deprels))
        return parsed


def _not_root(deprel: str) -> str:
    return "dep" if deprel == "root" else deprel


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
        forced: configurations that easy-first left without a correct prediction (`easy_first_training`).
    """

    parser: Parser
    iterations: int
    best_iteration: int
    dev_uas: list[float] = field(default_factory=list)
    seconds: float = 0.0
    features: int = 0
    forced: int = 0


def correct_heads(corpus: Corpus, gold: NDArray[np.int32], predicted: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[sentences]: the number of tokens with the right head; the heads are int32[rows]."""
    right = np.concatenate([[0], np.cumsum(gold == predicted)])
    first = corpus.start + 1
    return np.asarray(right[first + corpus.length] - right[first], np.int64)


def check_columns(corpus: Corpus, templates: Templates) -> None:
    """Raise InputError if the corpus lacks attributes that the templates read."""
    needed = int(templates.static_column.max(initial=0)) + 1
    if corpus.attributes.shape[1] < needed:
        raise InputError(
            f"the features need {needed} attributes of each token, the encoded sentences have "
            f"{corpus.attributes.shape[1]}; encode them with ParserOptions.encode"
        )


def check_projective(corpus: Corpus, heads: NDArray[np.int32], system: str) -> None:
    """Raise InputError if a tree is not projective: the static oracle of a projective system needs it."""
    for i, (start, n) in enumerate(zip(corpus.start.tolist(), corpus.length.tolist(), strict=True)):
        if not is_projective(heads[start + 1 : start + 1 + n].tolist()):
            raise InputError(
                f"training sentence {i + 1} is not projective: {system} has no static derivation of "
                "it; lift or drop non-projective trees, or choose another oracle"
            )


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


class Trainer:
    """The state of a training between iterations.

    `corpus`, `heads`, `labels`: as for `train_on_arrays`; `classes`: number of labels.
    """

    def __init__(
        self,
        corpus: Corpus,
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        classes: int,
        options: ParserOptions,
    ) -> None:
        self.templates = options.templates()
        check_columns(corpus, self.templates)
        self.system, self.regime = systems.system_number(options.system), options.regime()
        if self.regime == training.STATIC and systems.is_projective_system(options.system):
            check_projective(corpus, heads, options.system)
        self.corpus, self.heads, self.labels, self.labelled = corpus, heads, labels, options.labelled
        self.learner = training.new_learner(systems.TRANSITIONS)
        self.labeller = training.new_learner(classes) if options.labelled else training.new_learner(1, 16)
        longest = int(corpus.length.max(initial=0))
        self.work = training.new_workspace(longest, self.templates, classes, options.seed)
        self.points = easy_first_training.new_points(longest, self.templates)
        self.room = self.templates.terms.shape[0]
        if isinstance(self.system, EasyFirst):
            self.room *= 2  # it stops between two updates, the others between two sentences
        else:
            self.room *= systems.most_transitions(self.system, longest)

    def iterate(self, order: NDArray[np.int64], exploration: float) -> None:
        """Train on the sentences in this order; `exploration`: probability to follow a wrong prediction."""
        done = 0
        while done < len(order):
            self.learner = training.with_room(self.learner, self.room)
            if self.labelled:
                self.labeller = training.with_room(self.labeller, self.room)
            if isinstance(self.system, EasyFirst):
                exploring = exploration if self.regime == training.EXPLORE else 0.0
                done = easy_first_training.train_sentences(
                    exploring, order, done, self.corpus, self.heads, self.labels, self.labelled,
                    self.templates, self.learner, self.labeller, self.points, self.work,
                )  # fmt: skip
            else:
                done = training.train_sentences(
                    self.system, self.regime, exploration, order, done, self.corpus, self.heads,
                    self.labels, self.labelled, self.templates, self.learner, self.labeller, self.work,
                )  # fmt: skip


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

    Raises:
        InputError: options that do not exist or do not go together, a corpus without the attributes that
            the features need, or a non-projective tree where the static oracle needs projective ones.
    """
    trainer = Trainer(corpus, heads, labels, len(label_names), options)
    generator = np.random.default_rng(options.seed)
    best: list[Parser] = []
    seconds = 0.0

    def current() -> Parser:
        names = tuple(label_names) if options.labelled else ()
        label_weights = averaged(trainer.labeller) if options.labelled else new_perceptron(1, 16)
        return Parser(options, averaged(trainer.learner), label_weights, names)

    def train(iteration: int) -> None:
        nonlocal seconds
        began = time.perf_counter()
        order = generator.permutation(len(corpus.length)).astype(np.int64)
        trainer.iterate(order, options.p if iteration > options.k else 0.0)
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
    return Training(
        best[0],
        ran,
        kept,
        scores,
        seconds,
        features=int(trainer.learner.perceptron.meta[ROWS]),
        forced=int(trainer.points.state[easy_first_training.LEFT_BY_FORCE]),
    )


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
    corpus = options.encode(train)
    heads = encode_heads(corpus, [tree.heads for tree in train])
    names = sorted({d for tree in train for d in tree.deprels}) if options.labelled else []
    labels = encode_labels(corpus, [t.deprels for t in train], names) if options.labelled else UNLABELLED
    encoded_dev = None
    if dev:
        dev_corpus = options.encode(dev)
        encoded_dev = (dev_corpus, encode_heads(dev_corpus, [tree.heads for tree in dev]))
    return train_on_arrays(corpus, heads, labels, names, options, encoded_dev)
