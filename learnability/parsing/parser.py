"""Train the transition-based parser on trees, and parse with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import decoding
from learnability.parsing.encoding import (
    NO_LABELS,
    UNLABELLED,
    Corpus,
    Encode,
    Labels,
    encode_labels,
    encode_trees,
)
from learnability.parsing.features import Templates
from learnability.parsing.iterations import CorpusParser, Iteration, Progress, Training, iterate
from learnability.parsing.jit import Ints
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.perceptron import (
    Perceptron,
    average_weights,
    features_of,
    new_perceptron,
    with_room,
)
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.parsing.systems import system_named
from learnability.parsing.token_classifier import classify, train_classifier
from learnability.parsing.training import EXPLORE, STATIC, Trees, rows_per_update, train_sentences
from learnability.parsing.transitions import CLASSES
from learnability.parsing.unlabelled import Unlabelled
from learnability.parsing.workspace import Labeller, Model, new_workspace
from learnability.support.nouns import count_noun
from learnability.support.options import check_values
from learnability.treebanks.conllu_writing import with_tree
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, Treebank, trees_of

__all__ = ["Iteration", "Parser", "ParserOptions", "Progress", "Training", "train_on", "train_parser"]


def check_columns(corpus: Corpus, *used: Templates) -> None:
    """Raise InputError if the corpus lacks attributes that the templates read."""
    needed = max(int(templates.static_column.max(initial=0)) + 1 for templates in used)
    if corpus.attributes.shape[1] < needed:
        raise InputError(
            f"the features need {needed} attributes of each token, but the encoded sentences have "
            f"{corpus.attributes.shape[1]}; encode them with ParserOptions.encode"
        )


def check_projective(corpus: Corpus, heads: Ints, options: ParserOptions) -> None:
    """Raise InputError if a tree is not projective: a projective system has no static derivation of it."""
    dynamic = [] if options.transition_system.unknown_costs else ["`oracle='dynamic'`"]
    for i, (start, n) in enumerate(zip(corpus.start.tolist(), corpus.length.tolist(), strict=True)):
        if not is_projective(heads[start + 1 : start + 1 + n].tolist()):
            raise InputError(
                f"training sentence {i + 1} is not projective, so the static oracle of {options.system} has "
                "no derivation of it",
                [*dynamic, "`system='covington'`", "trees whose arcs learnability.lift has lifted"],
            )


@dataclass(frozen=True, repr=False)
class Parser(CorpusParser):
    """Represent a trained parser: its options, averaged weights and labels.

    >>> mice = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> parser = Parser.fit([mice], system="arc-hybrid", iterations=2, labelled=True)
    >>> print(parser.parse([mice])[0])
    1  Mice   NOUN  2  nsubj
    2  sleep  VERB  0  root

    Attributes:
        options: what determined the training, besides the data.
        weights: the averaged weights of the transitions.
        label_weights: the averaged weights of the labels.
        labels: the names of the labels; empty if unlabelled.
        root_labels: those of root words; in UD only `root`.
    """

    options: ParserOptions
    weights: Perceptron
    label_weights: Perceptron
    labels: tuple[str, ...] = ()
    root_labels: tuple[str, ...] = (ROOT_LABEL,)

    def __repr__(self) -> str:
        kind = count_noun(len(self.labels), "label") if self.options.labelled else "unlabelled"
        features = count_noun(features_of(self.weights), "feature")
        return f"<Parser {self.options.system}, {self.options.oracle} oracle, {kind}, {features}>"

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
        """Train a parser on trees, sentences, or the training set of a treebank.

        Args:
            train: the training trees. A treebank also supplies `dev`, unless `dev` is given.
            dev: development trees. With them, the weights of the iteration with the best UAS are kept, and
                training stops when UAS has not improved for 3 iterations, unless `iterations` is given.
            system: transition system: arc-eager (ROOT last), arc-eager-root-first, arc-hybrid, arc-standard,
                easy-first or covington.
            oracle: training regime: static, ambiguity, explore or dynamic; see
                :mod:`learnability.parsing.training` for their sources. Default: dynamic, or static where the
                system has no other oracle.
            iterations: the exact number of iterations. Default: at most 15 with `dev`, else 15.
            labelled: predict deprels as well.
            features: feature set: zn11, form or rich.
            tags: the tags that features read: gold (UPOS), xpos or none.
            k: `explore` begins after this iteration (Goldberg & Nivre 2013, Algorithm 3).
            p: the probability with which `explore` follows a wrong prediction.
            seed: the seed for the order of sentences and for exploration.
            multiple_roots: allow several root words in a parse.
            nonprojective: the treatment of non-projective training trees by a projective system: lift (Nivre
                & Nilsson 2005) or drop.
            progress: called after each iteration.

        Returns:
            The parser. :func:`train_parser` returns details of the training as well.

        Raises:
            InputError: an option does not exist, options conflict, or there is no training tree.
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
            raise InputError(
                f"`nonprojective={nonprojective!r}` is not accepted; choose one of {', '.join(TREATMENTS)}"
            )
        trees = trees_of(train)
        if transition_system.projective:
            trees = TREATMENTS[nonprojective](trees)
        return train_parser(trees, options, trees_of(dev) if dev else None, progress).parser

    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return the head (0: the root) and label number + 1 (0: none) of every row, int32[rows] each.

        Args:
            corpus: encoded sentences.
        """
        templates = self.options.templates()
        check_columns(corpus, *templates[: 1 + self.options.labelled])
        work = new_workspace(int(corpus.length.max(initial=0)), *templates, len(self.labels))
        heads, labels = (np.zeros(len(corpus.attributes), np.int32) for _ in range(2))
        labeller: Labeller | Unlabelled = Unlabelled()
        if self.options.labelled:
            mask = Labels(self.labels, self.root_labels).root_mask
            labeller = Labeller(templates[1], self.label_weights, mask)
        decoding.parse_sentences(
            self.options.transition_system.kernels, corpus,
            Model(templates[0], self.weights, labeller), self.options.multiple_roots, work, heads, labels,
        )  # fmt: skip
        return heads, labels

    @overload
    def parse(self, sentences: Sequence[Tree]) -> list[Tree]: ...

    @overload
    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]: ...

    def parse(self, sentences: Sequence[Tree] | Sequence[Sentence]) -> list[Tree] | list[Sentence]:
        """Parse sentences; their heads and deprels are ignored.

        Args:
            sentences: sentences or trees, with forms and the tags that the parser was trained with.

        Returns:
            The sentences (or trees) with predicted heads and deprels. The root word has the deprel of root
            words in the training trees (in UD `root`); of several, the parser predicts one. The deprel is
            `dep` where the parser predicted none: in unlabelled output, and where a word that was predicted
            to be a root was attached to another word.
        """
        trees = trees_of(sentences, parsed=False)
        parsed = self.parse_encoded(trees, self.options.encode(trees))
        whole = [sentence for sentence in sentences if isinstance(sentence, Sentence)]
        if not whole:  # bare trees
            return parsed
        return [with_tree(sentence, tree) for sentence, tree in zip(whole, parsed, strict=True)]


def train_on(
    corpus: Corpus,
    supervision: Any,
    labels: Labels,
    options: ParserOptions,
    dev: tuple[Corpus, Ints] | None = None,
    progress: Progress | None = None,
) -> Training[Parser]:
    """Train on encoded sentences, with trees or reference sets (see `training`).

    `dev`: development sentences and their gold heads (int32[rows]), which decide when to stop.

    Raises:
        InputError: the static oracle needs projective trees, the corpus lacks attributes, or options do not
            exist.
    """
    check_values(options)
    system, regime, labelled = options.transition_system, options.regime(), options.labelled
    templates = options.templates()
    check_columns(corpus, *templates[: 1 + labelled])
    if regime == STATIC and system.projective:
        check_projective(corpus, supervision.heads, options)
    labeller: Labeller | Unlabelled = Unlabelled()
    if labelled:
        labeller = Labeller(templates[1], new_perceptron(len(labels.names)), labels.root_mask)
    model = Model(templates[0], new_perceptron(CLASSES), labeller)
    longest = int(corpus.length.max(initial=0))
    work = new_workspace(longest, *templates, len(labels.names), options.seed)
    rows = rows_per_update(system.kernels)

    def train_once(iteration: int, order: NDArray[np.int64]) -> None:
        nonlocal model
        exploration = options.p if regime == EXPLORE and iteration > options.k else 0.0
        done = 0
        while done < len(order):
            learner = with_room(model.learner, rows * len(model.templates.terms))
            labeller = model.labeller
            if isinstance(labeller, Labeller):
                grown = with_room(labeller.learner, rows * len(labeller.templates.terms))
                labeller = labeller._replace(learner=grown)
            model = model._replace(learner=learner, labeller=labeller)
            done = train_sentences(
                system.kernels, supervision, regime, exploration, order, done, corpus, model, work
            )

    def learned() -> Parser:
        learned_labels = labels if labelled else NO_LABELS
        of_labels = model.labeller.learner if isinstance(model.labeller, Labeller) else new_perceptron(1, 16)
        weights = average_weights(model.learner), average_weights(of_labels)
        return Parser(options, *weights, learned_labels.names, learned_labels.of_roots)

    training = iterate(train_once, learned, corpus, dev, options.iterations, options.seed, progress)
    training.features = features_of(model.learner)
    return training


def train_parser(
    train: AnyTrees,
    options: ParserOptions | None = None,
    dev: AnyTrees | None = None,
    progress: Progress | None = None,
    encode: Encode | None = None,
) -> Training[Parser]:
    """Train a parser on trees or sentences.

    Args:
        train: the training trees. For a projective system they must be projective: see
            :func:`learnability.lift`.
        options: the options of the parser; default: those of :class:`ParserOptions`.
        dev: development trees, which decide when to stop if `options.iterations` is None.
        progress: called after each iteration.
        encode: replaces `options.encode`, for callers that keep encoded sentences.

    Returns:
        The training: its parser, the number of iterations, UAS on `dev` per iteration in percent, seconds.

    Raises:
        InputError: there is no training sentence, an option does not exist, or the static oracle of a
            projective system meets a non-projective tree.
    """
    options, train, dev = options or ParserOptions(), trees_of(train), trees_of(dev or ())
    if not train:
        raise InputError("there are no training sentences; pass at least one")
    encode = encode or options.encode
    corpus, heads = encode_trees(train, encode)
    labels = Labels.of(train) if options.labelled else NO_LABELS
    of_words = UNLABELLED
    if options.labelled:
        of_words = encode_labels(corpus, [tree.deprels for tree in train], labels.names)
    encoded_dev = encode_trees(dev, encode) if dev else None
    return train_on(corpus, Trees(heads, of_words), labels, options, encoded_dev, progress)


SMALL = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""A tree that is large enough to call every kernel."""


def warm_up_parser(options: ParserOptions) -> Parser:
    """Compile the kernels of training and parsing, or load them from the cache; return a tiny parser."""
    return train_parser([SMALL], replace(options, iterations=1), [SMALL]).parser


def warm_up_classifier() -> None:
    """Compile the kernels of the classifier of tokens, or load them from the cache."""
    corpus, heads = encode_trees([SMALL], ParserOptions().encode)
    classify(train_classifier(corpus, heads, np.arange(2, dtype=np.int32), 2), corpus, heads)
