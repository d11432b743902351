"""The parser: options in, trees in, a model out; and trees from a model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from learnability.errors import InputError
from learnability.parsing import decoding
from learnability.parsing.arrays import Ints
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_labels
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.perceptron import ROWS, Learner, Perceptron, averaged
from learnability.parsing.projectivity import TREATMENTS
from learnability.parsing.supervision import Trees
from learnability.parsing.systems import system_named
from learnability.parsing.trainer import MAX_ITERATIONS, PATIENCE, Iteration, Progress, Trainer, check_columns
from learnability.parsing.workspace import FORCED, Model, new_workspace
from learnability.treebanks import with_tree
from learnability.treebanks.sentence import Sentence, Tree, Treebank

__all__ = ["Iteration", "Parser", "ParserOptions", "Progress", "Training", "train_on", "train_parser"]


@dataclass(frozen=True, repr=False)
class Parser:
    """A trained parser: averaged weights and what is needed to use them.

    >>> mice = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> parser = Parser.fit([mice], system="arc-hybrid", iterations=2, labelled=True)
    >>> print(parser.parse([mice])[0])
    1  Mice   NOUN  2  nsubj
    2  sleep  VERB  0  root
    """

    options: ParserOptions
    weights: Perceptron
    label_weights: Perceptron
    labels: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = f"{len(self.labels)} labels" if self.options.labelled else "unlabelled"
        rows = len(self.weights.weight)
        return f"<Parser {self.options.system}, {self.options.oracle} oracle, {kind}, {rows:,} features>"

    @classmethod
    def fit(
        cls,
        train: Treebank | Sequence[Tree] | Sequence[Sentence],
        *,
        dev: Sequence[Tree] | Sequence[Sentence] | None = None,
        system: str = "arc-eager",
        oracle: str | None = None,
        iterations: int | None = None,
        labelled: bool = False,
        features: str = "zn11",
        tags: str = "gold",
        k: int = 1,
        p: float = 0.9,
        seed: int = 1,
        multiple_roots: bool = False,
        nonprojective: str = "lift",
        progress: Progress | None = None,
    ) -> Parser:
        """A parser trained on trees, sentences, or the training part of a treebank.

        With `dev` (default: that of a treebank) training stops when its UAS has not improved for 3 iterations
        and keeps the weights of the best one; without, it makes 15, or as many as `iterations` says.
        `nonprojective` (lift, drop, min-cost) is what a projective system does with other trees; no `oracle`
        means dynamic, or static where the system has no other; the other options are those of
        :class:`ParserOptions`. :func:`train_parser` also tells how the training went.

        Raises:
            InputError: options that do not exist or do not go together, or nothing to train on.
        """
        if isinstance(train, Treebank):
            dev = train.dev if dev is None else dev
            train = train.train
        transition_system = system_named(system)
        oracle = oracle or transition_system.default_regime
        options = ParserOptions(
            system, oracle, iterations, labelled, features, tags, k, p, seed, multiple_roots
        )
        options.regime()
        if nonprojective not in TREATMENTS:
            raise InputError(f"nonprojective {nonprojective!r}: give one of {', '.join(TREATMENTS)}")
        trees = _trees(train)
        if transition_system.projective:
            trees = TREATMENTS[nonprojective](trees)
        return train_parser(trees, options, _trees(dev) if dev else None, progress).parser

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser to a file (`model_file.save_model`)."""
        from learnability.parsing.model_file import save_model

        save_model(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Parser:
        """The parser that was saved to a file (`model_file.load_model`)."""
        from learnability.parsing.model_file import load_model

        return load_model(path)

    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Heads (0 is the root) and label numbers + 1 (0: none) of every row, int32[rows]."""
        templates = self.options.templates()
        check_columns(corpus, templates)
        work = new_workspace(int(corpus.length.max(initial=0)), templates, len(self.labels))
        heads, labels = (np.zeros(len(corpus.attributes), np.int32) for _ in range(2))
        keys = np.zeros(0, np.uint64)  # of the rows: only training needs them
        learners = Learner(self.weights, keys), Learner(self.label_weights, keys)
        decoding.parse_sentences(
            system_named(self.options.system).kernels, corpus,
            Model(templates, *learners, self.options.labelled), self.options.multiple_roots, work,
            heads, labels,
        )  # fmt: skip
        return heads, labels

    @overload
    def parse(self, sentences: Sequence[Tree]) -> list[Tree]: ...

    @overload
    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]: ...

    def parse(self, sentences: Sequence[Tree] | Sequence[Sentence]) -> list[Tree] | list[Sentence]:
        """The sentences (or trees) with predicted trees; their own heads and deprels are not looked at.

        The root word bears `root`. Other words bear the label found for them, or `dep` where there is none:
        in unlabelled output, and where a word that was predicted to be a root had to be attached.
        """
        trees = _trees(sentences)
        corpus = self.options.encode(trees)
        parsed = self.trees_of(trees, corpus, *self.parse_corpus(corpus))
        whole = [one for one in sentences if isinstance(one, Sentence)]
        return [with_tree(one, tree) for one, tree in zip(whole, parsed, strict=True)] if whole else parsed

    def trees_of(self, trees: Sequence[Tree], corpus: Corpus, heads: Ints, labels: Ints) -> list[Tree]:
        """What :meth:`parse_corpus` found for the sentences `trees`, as trees; see :meth:`parse`."""
        parsed = []
        for tree, start, n in zip(trees, corpus.start, corpus.length, strict=True):
            own = slice(start + 1, start + 1 + n)
            # `root` is the label of the arcs from the root and of no others, as the validator wants it
            arcs = zip(heads[own].tolist(), labels[own].tolist(), strict=True)
            deprels = [self._deprel(label) if head else "root" for head, label in arcs]
            parsed.append(tree.with_heads(heads[own].tolist(), deprels))
        return parsed

    def _deprel(self, label: int) -> str:
        found = self.labels[label - 1] if label and self.options.labelled else "dep"
        return "dep" if found == "root" else found


def _trees(sentences: Sequence[Tree] | Sequence[Sentence]) -> list[Tree]:
    return [one.tree if isinstance(one, Sentence) else one for one in sentences]


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
        forced: configurations that easy-first left without a correct prediction.
    """

    parser: Parser
    iterations: int
    best_iteration: int
    dev_uas: list[float] = field(default_factory=list)
    seconds: float = 0.0
    features: int = 0
    forced: int = 0


def train_on(
    corpus: Corpus,
    supervision: Any,
    label_names: Sequence[str],
    options: ParserOptions,
    dev: tuple[Corpus, Ints] | None = None,
    progress: Progress | None = None,
) -> Training:
    """Train on encoded sentences, with trees or sets of references (see `supervision`).

    `dev`: an encoded corpus and its heads, which tell when to stop (docs/rules.md, Training regimes).
    Sentences are shuffled before every iteration by a generator seeded with `options.seed`. InputError also
    where the static oracle needs projective trees, or the corpus lacks attributes.
    """
    trainer = Trainer(corpus, supervision, len(label_names), options)
    generator = np.random.default_rng(options.seed)
    most = options.iterations or MAX_ITERATIONS
    scores: list[float] = []
    best, kept, seconds = 0, None, 0.0

    def current() -> Parser:
        _, learner, labeller, labelled = trainer.model
        label_weights = averaged(labeller) if labelled else labeller.perceptron
        return Parser(options, averaged(learner), label_weights, tuple(label_names) if labelled else ())

    for iteration in range(1, most + 1):
        began = time.perf_counter()
        order = generator.permutation(len(corpus.length)).astype(np.int64)
        trainer.iterate(order, options.p if iteration > options.k else 0.0)
        elapsed = time.perf_counter() - began
        seconds += elapsed
        parser = current() if dev or iteration == most else None
        if dev and parser:
            predicted, _ = parser.parse_corpus(dev[0])
            tokens = dev[0].rows_of_tokens()
            right = (dev[1][tokens] == predicted[tokens]).sum()
            scores.append(100.0 * float(right) / max(len(tokens), 1))
        if progress is not None:
            speed = corpus.tokens() / max(elapsed, 1e-9)
            progress(Iteration(iteration, most, elapsed, speed, scores[-1] if scores else None))
        if not dev or not best or scores[-1] > scores[best - 1]:
            best, kept = iteration, parser
        if dev and options.iterations is None and iteration - best >= PATIENCE:
            break
    assert kept is not None
    rows, forced = trainer.model.learner.perceptron.meta[ROWS], trainer.work.progress[FORCED]
    return Training(kept, iteration, best, scores, seconds, int(rows), int(forced))


def train_parser(
    train: Sequence[Tree],
    options: ParserOptions | None = None,
    dev: Sequence[Tree] | None = None,
    progress: Progress | None = None,
    encode: Callable[[Sequence[Tree]], Corpus] | None = None,
) -> Training:
    """Train on trees; those of a projective system must be projective (see `projectivity`).

    `progress` is called after each iteration. `encode` replaces `options.encode`, where sentences that were
    encoded before come again.

    Raises:
        InputError: no training sentences, or options that do not exist.
    """
    options = options or ParserOptions()
    if not train:
        raise InputError("no training sentences")
    encode = encode or options.encode
    corpus = encode(train)
    heads = encode_heads(corpus, [tree.heads for tree in train])
    names = sorted({d for tree in train for d in tree.deprels}) if options.labelled else []
    labels = encode_labels(corpus, [t.deprels for t in train], names) if options.labelled else UNLABELLED
    encoded_dev = None
    if dev:
        dev_corpus = encode(dev)
        encoded_dev = (dev_corpus, encode_heads(dev_corpus, [tree.heads for tree in dev]))
    return train_on(corpus, Trees(heads, labels), names, options, encoded_dev, progress)
