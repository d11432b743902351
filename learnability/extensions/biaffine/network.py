"""Score arcs and labels with a network that reads the words of a sentence.

Dozat & Manning (2017), "Deep biaffine attention for neural dependency parsing", smaller: embeddings of forms,
affixes and tags, bidirectional LSTM layers, and biaffine scores. All functions are pure; the shapes of arrays
do not depend on the treebank, so one compiled program serves all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from learnability.extensions.biaffine.backend import jax, jnp
from learnability.extensions.biaffine.lstm import Array, bidirectional

FORMS, AFFIXES, TAGS = 8192, 8192, 1024
"""Rows of the tables of embeddings."""

FORM_SIZE, TAG_SIZE = 100, 32
HIDDEN, LAYERS = 128, 2
ARC, LABEL = 128, 48
"""Widths of the embeddings, of a direction of a layer, and of the vectors whose products score arcs and
labels."""

FORM_DROPOUT, AFFIX_DROPOUT, TAG_DROPOUT = 0.25, 0.1, 0.1
"""The shares of words whose form, affixes or tag the network does not see in training."""

DROPOUT = 0.33
"""The share of the numbers between layers that training leaves out, the same for all words of a row."""

DROPOUTS = 3 + 2 * LAYERS + 1 + 2
"""How often a training draws what to leave out: of form, affixes and tag, of the input and the state of each
layer, of the highest states, and of the vectors that score arcs and labels."""

DISTANCES = (1, 2, 3, 4, 6, 9, 14)
"""Distances between dependent and head that are scored alike up to the next; each direction separately."""

IMPOSSIBLE = -1e9
"""The score of an arc that cannot exist."""

Parameters = dict[str, Any]
"""The weights by name."""


class Batch(NamedTuple):
    """Hold sentences in rows; each begins with its root.

    Attributes:
        form, tag: int32[rows, width], rows of the tables of embeddings.
        affixes: int32[rows, width, affixes], the same.
        vector: float32[rows, width, dimensions], word vectors; 0 dimensions without them.
        sentence: int32[rows, width], the number of the sentence in its row; -1 where there is none.
        head: int32[rows, width], the position of the head in the row.
        label: int32[rows, width]; negative if it is not learned.
        word: bool[rows, width], whether a position is a word: neither a root nor empty.
        position: int32[width], 0, 1, 2, ... (as a constant of the program, XLA would compute all distances
            while it compiles).
    """

    form: Array
    tag: Array
    affixes: Array
    vector: Array
    sentence: Array
    head: Array
    label: Array
    word: Array
    position: Array


def new_parameters(seed: int, labels: int, dimensions: int) -> Parameters:
    """Return weights to begin with.

    Args:
        seed: of the random numbers.
        labels: the number of labels; 0 if unlabelled.
        dimensions: of word vectors; 0 without them.
    """
    random = np.random.default_rng(seed)

    def table(*shape: int, scale: float) -> Array:
        return jnp.asarray(random.normal(0.0, scale, shape).astype(np.float32))

    def matrix(rows: int, columns: int) -> Array:
        return table(rows, columns, scale=float(np.sqrt(2.0 / (rows + columns))))

    read = below = 2 * FORM_SIZE + TAG_SIZE
    weights: Parameters = {
        "form": table(FORMS, FORM_SIZE, scale=0.1),
        "affixes": table(AFFIXES, FORM_SIZE, scale=0.1).at[0].set(0.0),
        "tag": table(TAGS, TAG_SIZE, scale=0.1),
    }
    if dimensions:
        weights["vector"] = matrix(dimensions, FORM_SIZE)
    for layer in range(LAYERS):
        forget = np.zeros((2, 4, HIDDEN), np.float32)
        forget[:, 1] = 1.0
        weights[f"layer{layer}"] = {
            "input": matrix(below, 8 * HIDDEN),
            "bias": jnp.asarray(forget.reshape(-1)),
            "recurrent": jnp.stack([matrix(HIDDEN, 4 * HIDDEN) for _ in range(2)]),
        }
        below = 2 * HIDDEN
    for name, size in (("arc", ARC), ("label", LABEL)):
        if name == "arc" or labels:
            weights[name] = {
                "input": matrix(below + read, 2 * size),
                "bias": jnp.zeros(2 * size),
                "product": table(size + 1, labels * (size + 1) if name == "label" else size, scale=0.05),
            }
    weights["arc"]["distance"] = jnp.zeros((2, ARC, 2 * len(DISTANCES)))
    return weights


def arc_scores(weights: Parameters, states: Array, batch: Batch) -> Array:
    """Return float32[rows, width, width], the score of each arc by dependent and head.

    A word's distance to its head counts, too, but not its distance to the root (Qi et al. 2018, "Universal
    dependency parsing from scratch", Section 2.3).

    Args:
        weights: of the network.
        states: float32[rows, width, 2 ARC], the vectors of words as dependents and as heads.
        batch: the sentences; arcs between different sentences and from a word to itself are impossible.
    """
    dependent, head = jnp.split(states, 2, axis=-1)
    product = _with_one(dependent) @ weights["arc"]["product"]
    score = jnp.einsum("rda,rha->rdh", product, head)
    of_dependent, of_head = weights["arc"]["distance"]
    by_dependent, by_head = dependent @ of_dependent, head @ of_head
    near, kind = jnp.zeros_like(score), _distances(batch.position)
    for k in range(2 * len(DISTANCES)):
        of_kind = by_dependent[:, :, k, None] + by_head[:, None, :, k]
        near += jnp.where(kind == k, of_kind, 0.0)
    score += jnp.where(batch.word[:, None, :], near, 0.0)
    same = batch.sentence[:, None, :] == batch.sentence[:, :, None]
    other = batch.position[None, :] != batch.position[:, None]
    return jnp.where(same & other, score, IMPOSSIBLE)


def _distances(position: Array) -> Array:
    """Return int32[width, width], the class of direction and distance of each arc, by dependent and head."""
    apart = position[None, :] - position[:, None]
    size = sum((abs(apart) >= least).astype(jnp.int32) for least in DISTANCES[1:])
    return size + len(DISTANCES) * (apart > 0)


def label_scores(weights: Parameters, states: Array, heads: Array) -> Array:
    """Return float32[rows, width, labels], the score of each label of each word's arc from its head.

    Args:
        weights: of the network.
        states: float32[rows, width, 2 LABEL].
        heads: int32[rows, width].
    """
    dependent, head = jnp.split(states, 2, axis=-1)
    head = _with_one(jnp.take_along_axis(head, heads[..., None], axis=1))
    product = _with_one(dependent) @ weights["label"]["product"]
    return jnp.einsum("rwla,rwa->rwl", product.reshape(*head.shape[:2], -1, LABEL + 1), head)


def states_of(weights: Parameters, batch: Batch, key: Array | None = None) -> dict[str, Array]:
    """Return the vectors of words from which arcs and labels are scored, by these names.

    Args:
        weights: of the network.
        batch: the sentences.
        key: for random numbers of the dropout; None: without dropout.
    """
    keys = iter(jax.random.split(key, DROPOUTS)) if key is not None else None

    def dropped(values: Array, share: float, shape: tuple[int, ...]) -> Array:
        if keys is None:
            return values
        return values * jax.random.bernoulli(next(keys), 1 - share, shape) / (1 - share)

    rows, width = batch.form.shape
    words = (rows, width, 1)
    form = weights["form"][batch.form]
    if "vector" in weights:
        form = form + batch.vector @ weights["vector"]
    affixes = weights["affixes"][batch.affixes].sum(axis=2)
    read = [
        dropped(form, FORM_DROPOUT, words),
        dropped(affixes, AFFIX_DROPOUT, words),
        dropped(weights["tag"][batch.tag], TAG_DROPOUT, words),
    ]
    state = seen = jnp.concatenate(read, axis=-1)
    inside = jnp.pad(batch.sentence[:, 1:] == batch.sentence[:, :-1], ((0, 0), (1, 0)))
    for number in range(LAYERS):
        layer = weights[f"layer{number}"]
        state = dropped(state, DROPOUT, (rows, 1, state.shape[-1]))
        kept = dropped(jnp.ones((2, rows, HIDDEN)), DROPOUT, (2, rows, HIDDEN))
        state = bidirectional(state @ layer["input"] + layer["bias"], inside, layer["recurrent"], kept)
    state = jnp.concatenate([state, seen], axis=-1)
    state = dropped(state, DROPOUT, (rows, 1, state.shape[-1]))
    scorers = [name for name in ("arc", "label") if name in weights]
    above = {
        name: jax.nn.leaky_relu(state @ weights[name]["input"] + weights[name]["bias"], 0.1)
        for name in scorers
    }
    return {name: dropped(above[name], DROPOUT, (rows, 1, above[name].shape[-1])) for name in scorers}


def loss(weights: Parameters, batch: Batch, key: Array | None) -> Array:
    """Return the mean over words of the cross entropy of their heads and labels.

    Args:
        weights: of the network.
        batch: sentences with heads and labels.
        key: for random numbers of the dropout; None: without dropout.
    """
    states = states_of(weights, batch, key)
    arcs = jax.nn.log_softmax(arc_scores(weights, states["arc"], batch))
    right = jnp.take_along_axis(arcs, batch.head[..., None], axis=-1)[..., 0]
    if "label" in weights:
        labels = jax.nn.log_softmax(label_scores(weights, states["label"], batch.head))
        named = jnp.take_along_axis(labels, jnp.maximum(batch.label, 0)[..., None], axis=-1)[..., 0]
        right = right + jnp.where(batch.label >= 0, named, 0.0)
    return -jnp.where(batch.word, right, 0.0).sum() / jnp.maximum(batch.word.sum(), 1)


def _with_one(values: Array) -> Array:
    """Return the vectors with a further element 1, which lets a product have linear terms."""
    return jnp.concatenate([values, jnp.ones((*values.shape[:-1], 1), values.dtype)], axis=-1)
