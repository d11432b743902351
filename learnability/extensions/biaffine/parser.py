"""Train and use the neural parser.

Adam (Kingma & Ba 2015) with a rate that falls to zero. The network that parses has the moving average of the
weights. Trees are those of `graph_decoders`, with the scores of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.extensions.biaffine.backend import jax, jnp, optax
from learnability.extensions.biaffine.iterations import usual_iterations
from learnability.extensions.biaffine.network import (
    Batch,
    Parameters,
    arc_scores,
    label_scores,
    loss,
    new_parameters,
    states_of,
)
from learnability.extensions.biaffine.rows import PackedCorpus, Vocabulary
from learnability.extensions.biaffine.word_vectors import WordVectors
from learnability.parsing.encoding import (
    NO_LABELS,
    Corpus,
    Encode,
    Labels,
    encode_labels,
    encode_trees,
)
from learnability.parsing.graph import Decoder
from learnability.parsing.graph_decoders import any_tree, new_cycle_space, new_span_space, projective_tree
from learnability.parsing.iterations import CorpusParser, Training, iterate
from learnability.parsing.jit import Ints
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import Tree

RATE = 4e-3
"""The learning rate of Adam, from which it falls."""

WARM_UP = 100
"""Steps in which the rate rises to `RATE`."""

MOMENTS = (0.9, 0.95)
"""The decay of Adam's first and second moment."""

CLIP = 5.0
"""The largest norm of a gradient."""

AVERAGED = 0.99
"""The share of the average that each step keeps; less in the first steps."""

LEAST_LABELS = 64
"""Labels of the network; twice as many, and so on, where a treebank has more."""

optimizer = optax.chain(optax.clip_by_global_norm(CLIP), optax.scale_by_adam(*MOMENTS))


class State(NamedTuple):
    """Hold what a step of the training changes: weights, what Adam remembers, and the averaged weights."""

    weights: Parameters
    moments: Any
    average: Parameters


@jax.jit
def step(state: State, batch: Batch, key: Any, rate: Any, kept: Any) -> State:
    """Return the state after learning from a batch.

    Args:
        state: the state before.
        batch: sentences with heads and labels.
        key: for the random numbers of the dropout.
        rate: the learning rate.
        kept: the share of the average that is kept.
    """
    gradient = jax.grad(loss)(state.weights, batch, key)
    change, moments = optimizer.update(gradient, state.moments, state.weights)
    weights = jax.tree.map(lambda weight, by: weight - rate * by, state.weights, change)
    return State(weights, moments, optax.incremental_update(weights, state.average, 1 - kept))


@jax.jit
def scores(weights: Parameters, batch: Batch) -> tuple[Any, dict[str, Any]]:
    """Return the scores of arcs, and the vectors from which arcs and labels are scored."""
    states = states_of(weights, batch)
    return arc_scores(weights, states["arc"], batch), states


@jax.jit
def best_labels(weights: Parameters, states: Any, heads: Any, allowed: Any) -> Any:
    """Return int32[rows, width], the best label of each word among its allowed ones.

    `allowed`: bool[rows, width, labels].
    """
    return jnp.where(allowed, label_scores(weights, states, heads), -jnp.inf).argmax(axis=-1)


@dataclass(frozen=True)
class BiaffineParser(CorpusParser):
    """Represent a trained neural parser.

    Attributes:
        decoder: the trees that it chooses from.
        vocabulary: of the training sentences.
        weights: of the network.
        labels: the names of the labels; none if unlabelled.
        root_labels: those of root words.
    """

    decoder: Decoder
    vocabulary: Vocabulary
    weights: Parameters
    labels: tuple[str, ...] = ()
    root_labels: tuple[str, ...] = (ROOT_LABEL,)

    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and label numbers as :class:`CorpusParser` defines them."""
        heads, labels = (np.zeros(len(corpus.attributes), np.int32) for _ in range(2))
        longest = int(corpus.length.max(initial=0))
        spans, cycles, tree = (
            new_span_space(longest),
            new_cycle_space(longest),
            np.zeros(longest + 1, np.int32),
        )
        packed = PackedCorpus(corpus, self.vocabulary)
        for batch, places in packed.batches(np.arange(len(corpus.length)), None):
            arcs, states = scores(self.weights, batch)
            arcs, chosen = np.asarray(arcs), np.zeros(batch.head.shape, np.int32)
            is_root = np.zeros(batch.head.shape, np.bool_)
            for sentence, row, root in places:
                n = int(corpus.length[sentence])
                part = slice(root, root + n + 1)
                score = np.ascontiguousarray(arcs[row, part, part])
                if self.decoder.projective:
                    projective_tree(n, score, self.decoder.multiple_roots, spans, tree)
                else:
                    any_tree(n, score, self.decoder.multiple_roots, cycles, tree)
                start = corpus.start[sentence] + 1
                heads[start : start + n] = tree[1 : n + 1]
                chosen[row, root + 1 : root + n + 1] = tree[1 : n + 1] + root
                is_root[row, root + 1 : root + n + 1] = tree[1 : n + 1] == 0
            if not self.labels:
                continue
            best = np.asarray(
                best_labels(self.weights, states["label"], chosen, self._find_allowed_labels(is_root))
            )
            for sentence, row, root in places:
                n, start = int(corpus.length[sentence]), corpus.start[sentence] + 1
                labels[start : start + n] = best[row, root + 1 : root + n + 1] + 1
        return heads, labels

    def _find_allowed_labels(self, is_root: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return bool[rows, width, labels of the network], the labels that each word may have."""
        known = np.arange(labels_of_network(len(self.labels))) < len(self.labels)
        at_roots, mask = known.copy(), Labels(self.labels, self.root_labels).root_mask
        at_roots[: len(mask)] = mask
        allowed: NDArray[np.bool_] = np.where(is_root[..., None], at_roots, known)
        return allowed


def labels_of_network(labels: int) -> int:
    """Return for how many labels the network has scores."""
    room = LEAST_LABELS
    while room < labels:
        room *= 2
    return room


def train_biaffine_parser(
    trees: Sequence[Tree], dev: Sequence[Tree], encode: Encode, decoder: Decoder, *,
    labelled: bool, iterations: int | None, seed: int, vectors: WordVectors | None = None,
) -> Training[BiaffineParser]:  # fmt: skip
    """Train the network; from a tree that the decoder cannot produce, it learns all the same.

    Args:
        trees: the training trees.
        dev: development trees, by which the iteration is chosen that is kept.
        encode: encodes the sentences.
        decoder: the trees to choose from.
        labelled: whether to learn labels, too.
        iterations: the number of iterations; None: as many as :func:`usual_iterations` returns.
        seed: of the first weights, the order of the sentences and the dropout.
        vectors: word vectors; None: without them.

    Raises:
        InputError: there is no training tree.
    """
    if not trees:
        raise InputError("there are no training sentences; give at least one")
    corpus, gold = encode_trees(trees, encode)
    labels = Labels.of(trees) if labelled else NO_LABELS
    of_words = encode_labels(corpus, [tree.deprels for tree in trees], labels.names) if labelled else None
    vocabulary = Vocabulary.of(corpus, vectors)
    packed = PackedCorpus(corpus, vocabulary, gold, of_words)
    random = np.random.default_rng(seed)
    key = jax.random.key(seed, impl="unsafe_rbg")
    room = labels_of_network(len(labels.names)) if labelled else 0
    weights = new_parameters(seed, room, vocabulary.dimensions)
    state = State(weights, optimizer.init(weights), weights)
    most = iterations or usual_iterations(corpus.tokens())
    steps = 0

    def train_once(iteration: int, order: NDArray[np.int64]) -> None:
        nonlocal state, steps
        batches = list(packed.batches(order, random))
        for number, (batch, _) in enumerate(batches):
            done = (iteration - 1 + number / len(batches)) / most
            rate = RATE * min(1.0, (steps + 1) / WARM_UP) * (1.0 - done)
            kept = min(AVERAGED, (1 + steps) / (10 + steps))
            state = step(state, batch, jax.random.fold_in(key, steps), np.float32(rate), np.float32(kept))
            steps += 1
        jax.block_until_ready(state.average)

    def learned() -> BiaffineParser:
        return BiaffineParser(decoder, vocabulary, state.average, labels.names, labels.of_roots)

    development = encode_trees(dev, encode) if dev else None
    training = iterate(train_once, learned, corpus, development, most, seed)
    training.features = sum(array.size for array in jax.tree.leaves(weights))
    return training
