"""The parser: options in, trees in, a model out; and trees from a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import decoding
from learnability.parsing.encoding import UNLABELLED, Corpus, Encode, encode_labels, encode_trees
from learnability.parsing.features import Templates
from learnability.parsing.iterations import CorpusParser, Iteration, Progress, Training, iterate
from learnability.parsing.jit import Ints
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.perceptron import Perceptron, averaged, features_of, new_perceptron, with_room
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.parsing.systems import system_named
from learnability.parsing.training import EXPLORE, STATIC, Trees, rows_per_update, train_sentences
from learnability.parsing.transitions import CLASSES
from learnability.parsing.workspace import FORCED, Model, new_workspace
from learnability.treebanks.conllu_writing import with_tree
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, Treebank, trees_of

__all__ = ["Iteration", "Parser", "ParserOptions", "Progress", "Training", "train_on", "train_parser"]


def check_columns(corpus: Corpus, *used: Templates) -> None:
    """Raise InputError if the corpus lacks attributes that the templates read."""
    needed = max(int(templates.static_column.max(initial=0)) + 1 for templates in used)
    if corpus.attributes.shape[1] < needed:
        raise InputError(
            f"the features need {needed} attributes of each token, the encoded sentences have "
            f"{corpus.attributes.shape[1]}; encode them with ParserOptions.encode"
        )


def check_projective(corpus: Corpus, heads: Ints, system: str) -> None:
    """Raise InputError if a tree is not projective: the static oracle of a projective system needs it."""
    for i, (start, n) in enumerate(zip(corpus.start.tolist(), corpus.length.tolist(), strict=True)):
        if not is_projective(heads[start + 1 : start + 1 + n].tolist()):
            raise InputError(
                f"training sentence {i + 1} is not projective: {system} has no static derivation of "
                "it; lift or drop non-projective trees, or choose another oracle"
            )


@dataclass(frozen=True, repr=False)
class Parser(CorpusParser):
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
        rows = features_of(self.weights)
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
        features: str = "form",
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
        trees = trees_of(train)
        if transition_system.projective:
            trees = TREATMENTS[nonprojective](trees)
        return train_parser(trees, options, trees_of(dev) if dev else None, progress).parser

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
        check_columns(corpus, *templates[: 1 + self.options.labelled])
        work = new_workspace(int(corpus.length.max(initial=0)), *templates, len(self.labels))
        heads, labels = (np.zeros(len(corpus.attributes), np.int32) for _ in range(2))
        decoding.parse_sentences(
            self.options.transition_system.kernels, corpus,
            Model(*templates, self.weights, self.label_weights, self.options.labelled),
            self.options.multiple_roots, work, heads, labels,
        )  # fmt: skip
        return heads, labels

    @overload
    def parse(self, sentences: Sequence[Tree]) -> list[Tree]: ...

    @overload
    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]: ...

    def parse(self, sentences: Sequence[Tree] | Sequence[Sentence]) -> list[Tree] | list[Sentence]:
        """The sentences (or trees) with predicted trees; their own heads and deprels are not looked at.

        The root word is labelled `root`, the others as predicted, or `dep` where nothing was:
        in unlabelled output, and where a word that was predicted to be a root had to be attached.
        """
        trees = trees_of(sentences, parsed=False)
        parsed = self.parse_encoded(trees, self.options.encode(trees))
        whole = [one for one in sentences if isinstance(one, Sentence)]
        return [with_tree(one, tree) for one, tree in zip(whole, parsed, strict=True)] if whole else parsed


def train_on(
    corpus: Corpus,
    supervision: Any,
    label_names: Sequence[str],
    options: ParserOptions,
    dev: tuple[Corpus, Ints] | None = None,
    progress: Progress | None = None,
) -> Training[Parser]:
    """Train on encoded sentences, with trees or sets of references (see `training`).

    `dev`: an encoded corpus and its heads, which tell when to stop (`iterations.iterate`). InputError also
    where the static oracle needs projective trees, or the corpus lacks attributes.
    """
    system, regime, labelled = options.transition_system, options.regime(), options.labelled
    templates = options.templates()
    check_columns(corpus, *templates[: 1 + labelled])
    if regime == STATIC and system.projective:
        check_projective(corpus, supervision.heads, options.system)
    labeller = new_perceptron(len(label_names)) if labelled else new_perceptron(1, 16)
    model = Model(*templates, new_perceptron(CLASSES), labeller, labelled)
    longest = int(corpus.length.max(initial=0))
    work = new_workspace(longest, *templates, len(label_names), options.seed)
    rows = rows_per_update(system.kernels)

    def train_once(iteration: int, order: NDArray[np.int64]) -> None:
        nonlocal model
        exploration = options.p if regime == EXPLORE and iteration > options.k else 0.0
        done = 0
        while done < len(order):
            learner = with_room(model.learner, rows * len(model.templates.terms))
            labeller = model.labeller
            if labelled:
                labeller = with_room(labeller, rows * len(model.label_templates.terms))
            model = model._replace(learner=learner, labeller=labeller)
            done = train_sentences(
                system.kernels, supervision, regime, exploration, order, done, corpus, model, work
            )

    def learned() -> Parser:
        names = tuple(label_names) if labelled else ()
        return Parser(options, averaged(model.learner), averaged(model.labeller), names)

    training = iterate(train_once, learned, corpus, dev, options.iterations, options.seed, progress)
    training.features, training.forced = features_of(model.learner), int(work.progress[FORCED])
    return training


def train_parser(
    train: AnyTrees,
    options: ParserOptions | None = None,
    dev: AnyTrees | None = None,
    progress: Progress | None = None,
    encode: Encode | None = None,
) -> Training[Parser]:
    """Train on trees (or sentences); those of a projective system must be projective (see `projectivity`).

    `progress` is called after each iteration. `encode` replaces `options.encode`, where sentences that were
    encoded before come again.

    Raises:
        InputError: no training sentences, or options that do not exist.
    """
    options, train, dev = options or ParserOptions(), trees_of(train), trees_of(dev or ())
    if not train:
        raise InputError("no training sentences")
    encode = encode or options.encode
    corpus, heads = encode_trees(train, encode)
    names = sorted({d for tree in train for d in tree.deprels}) if options.labelled else []
    labels = encode_labels(corpus, [t.deprels for t in train], names) if options.labelled else UNLABELLED
    encoded_dev = encode_trees(dev, encode) if dev else None
    return train_on(corpus, Trees(heads, labels), names, options, encoded_dev, progress)


SMALL = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""Enough to call every kernel."""


def warm_up_parser(options: ParserOptions) -> Parser:
    """Compile the kernels of training and parsing, or load them where they were compiled before."""
    return train_parser([SMALL], replace(options, iterations=1), [SMALL]).parser
