"""Tag the words of a sentence from left to right with an averaged perceptron.

Its features are the form of a word, its affixes and shape, the words around it, and the two tags that it gave
to the words before. In training, too, it reads tags that it predicted, so that it learns from its errors
(Collins 2002, "Discriminative training methods for hidden Markov models", without the search).

A parser that is trained on gold tags relies on them too much. So training sentences are *jackknifed*: they
are divided into `FOLDS` parts, and each part is tagged by a tagger trained on the others
(research/tagging). With more parts, tags would be better than those of new sentences: sentences
of a document share words.

A feature of words has a number, assigned once for all taggers. A feature with predicted tags has a place in a
table with an entry for each tag. Both get a row of weights when they are first updated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.jit import Ints, Keys, Scores, njit
from learnability.parsing.perceptron import CLASSES, Perceptron, average_weights
from learnability.parsing.token_classifier import (
    combine_atoms,
    empty_slots,
    find_class,
    learn_token,
    number_keys,
)
from learnability.parsing.vectors import aligned_zeros, pad_row
from learnability.treebanks.copies import number_groups
from learnability.treebanks.sentence import Tree

Places = NDArray[np.int64]
"""int64: indices of sentences, rows and features."""

Tags = tuple[str, ...]
"""The tags of a sentence."""

FOLDS = 3
"""The parts into which training sentences are divided."""

PASSES = 5
"""Passes over the training sentences."""

NO_TAG = "X"
"""The tag of every word where there is nothing to learn from: UD's tag for words without category."""

ATTRIBUTES = ("w", "l", "1", "2", "3", "4", "5", "6", "7", "x")
"""The letters of the attributes of a word: its form as written (w) and in lower case (l); of that the last
one to four characters (1 to 4), the first one to three (5 to 7); its shape (x)."""

LOWER, SUFFIX = ATTRIBUTES.index("l"), ATTRIBUTES.index("3")
"""The attributes that features combine with the tag before."""

PADDING = 2
"""The positions on either side of a sentence that templates read."""

TEMPLATES = (
    "li", "wi", "1i", "2i", "3i", "4i", "5i", "6i", "7i", "xi", "lb", "la", "ly", "lz", "3b", "3a", "lb li",
    "li la", "xb xi", "2i 2a",
)  # fmt: skip
"""The features of words (see `token_classifier.TEMPLATES`): of the word itself (i), those before it (b, y)
and after it (a, z). Those with predicted tags are in :func:`place_tags`."""

WITH_TAGS = 5
"""The number of features with predicted tags."""


@bundle
class Text(NamedTuple):
    """Encoded sentences.

    Attributes:
        word: int32[rows], the number of the form at each position; 0 outside sentences.
        start: int64[sentences], the row of the first word.
        first: int64[sentences], the number of the first token.
        length: int32[sentences], in tokens.
        attributes, features: uint64[forms, attributes], int32[tokens, templates], their numbers.
    """

    word: Ints
    start: Places
    first: Places
    length: Ints
    attributes: Keys
    features: Ints


@bundle
class TagSpace(NamedTuple):
    """Hold the places of features with predicted tags, and scratch arrays.

    Attributes:
        tables: int64[WITH_TAGS + 1], where the table of each of these features begins, and the last one ends.
        row: int32[places], the row of weights of each feature (0: none).
        active, rows: int32[features of a token], for the features of a token and their rows.
        same_size: float32[0], for an update that changes all features by 1.
        scores: float32[as a row of weights].
    """

    tables: Places
    row: Ints
    active: Ints
    rows: Ints
    same_size: Scores
    scores: Scores


def attributes_of(form: str) -> tuple[str | int, ...]:
    """Return the attributes of a form, in the order of `ATTRIBUTES`."""
    low = form.lower()
    shape = (
        form.islower() + 2 * form.istitle() + 4 * form.isupper() + 8 * form.isalpha() + 16 * form.isdigit()
        + 32 * form.isalnum() + 64 * form[:1].isdigit() + 128 * ("-" in form)
    )  # fmt: skip
    return form, low, low[-1:], low[-2:], low[-3:], low[-4:], low[:1], low[:2], low[:3], shape


def encode_text(trees: Sequence[Tree]) -> Text:
    """Encode the forms of sentences; no other column is read."""
    number: dict[str, int] = {"": 0}
    values: list[dict[str | int, int]] = [{} for _ in ATTRIBUTES]
    columns = [0] * len(ATTRIBUTES)
    words: list[int] = []
    outside = [0] * PADDING
    for tree in trees:
        for form in tree.forms:
            if form not in number:
                number[form] = len(number)
                pairs = zip(values, attributes_of(form), strict=True)
                columns += [known.setdefault(value, len(known) + 1) for known, value in pairs]
        words += [*outside, *map(number.__getitem__, tree.forms), *outside]
    length = np.array([len(tree) for tree in trees], np.int32)
    first = np.cumsum(length, dtype=np.int64) - length
    start = first + PADDING * (1 + 2 * np.arange(len(trees)))
    attributes = np.array(columns, np.uint64).reshape(len(number), -1)
    word = np.array(words, np.int32)
    keys = word_keys(word, attributes, np.repeat(start - first, length) + np.arange(length.sum()))
    features = np.zeros(keys.shape, np.int32)
    number_keys(keys, empty_slots(keys.size), features, np.zeros(keys.size, np.uint64))
    return Text(word, start, first, length, attributes, features)


def word_keys(word: Ints, attributes: Keys, rows: Places) -> Keys:
    """Return uint64[tokens, templates], the features of words."""
    near = {"i": rows, "b": rows - 1, "a": rows + 1, "y": rows - 2, "z": rows + 2}
    columns = {letter: attributes[:, number][word] for number, letter in enumerate(ATTRIBUTES)}
    return combine_atoms(near, columns, TEMPLATES)


def predict_tags(
    train: Sequence[Tree], others: Sequence[Tree], seed: int, text: Text | None = None
) -> tuple[list[Tags], list[Tags]]:
    """Return predicted UPOS tags of training sentences, and of other sentences.

    Each training sentence is tagged by a tagger that was trained on other training sentences only, and on no
    copy of it; the other sentences by a tagger that was trained on all training sentences.

    Args:
        train: training sentences with their UPOS tags; other columns but the forms are not read.
        others: sentences, of which only the forms are read.
        seed: the seed of the division into parts, and of the order of the sentences.
        text: these sentences as :func:`encode_text` encodes them, for callers that tag them several times.
    """
    text = text or encode_text([*train, *others])
    names = sorted({tag for tree in train for tag in tree.upos})
    number = {name: i for i, name in enumerate(names)}
    gold = np.array([number[tag] for tree in train for tag in tree.upos], np.int32)
    learnt = np.arange(len(train), dtype=np.int64)
    parts = np.random.default_rng(seed).permutation(learnt % FOLDS)[number_groups(train)]
    names.append(NO_TAG)
    predicted = np.full(len(text.features), len(names) - 1, np.int32)
    for fold in range(min(FOLDS, len(train))):
        _tag(text, gold, learnt[parts != fold], learnt[parts == fold], (seed, fold), predicted)
    rest = np.arange(len(train), len(text.length), dtype=np.int64)
    if len(rest):
        _tag(text, gold, learnt, rest, (seed, FOLDS), predicted)
    tags = [
        tuple(map(names.__getitem__, predicted[first : first + n].tolist()))
        for first, n in zip(text.first.tolist(), text.length.tolist(), strict=True)
    ]
    return tags[: len(train)], tags[len(train) :]


def _tag(
    text: Text, gold: Ints, train: Places, sentences: Places, seed: tuple[int, int], predicted: Ints
) -> None:
    """Train a tagger and write the tags of `sentences` to `predicted` (int32[tokens]).

    The tagger knows only the tags of the sentences `train`. Without a tag, nothing is written.
    """
    tokens = tokens_of(text, train)
    if not len(tokens):
        return
    known, inverse = np.unique(gold[tokens], return_inverse=True)
    answers = np.zeros(len(text.features), np.int32)
    answers[tokens] = inverse
    space = new_tag_space(text, len(known))
    rows = 1 + min(len(space.row), len(tokens) * len(space.rows))
    unused = np.zeros(0, np.uint64)  # features have numbers, so none is looked up by its key
    p = Perceptron(
        unused, aligned_zeros(rows, pad_row(len(known))), np.zeros((rows, len(known))), unused,
        np.array([1, 0, len(known)]),
    )  # fmt: skip
    generator = np.random.default_rng(seed)
    for _ in range(PASSES):
        learn_tags(generator.permutation(train), text, answers, p, space)
    local = np.zeros(len(text.features), np.int32)
    tag_sentences(sentences, text, average_weights(p), space, local)
    tagged = tokens_of(text, sentences)
    predicted[tagged] = known[local[tagged]]


def tokens_of(text: Text, sentences: Places) -> Places:
    """Return int64[tokens], the numbers of the tokens of these sentences."""
    ranges = [np.arange(text.first[s], text.first[s] + text.length[s]) for s in sentences]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


def new_tag_space(text: Text, tags: int) -> TagSpace:
    """Return scratch space for a tagger with this many tags, whose features have no weights yet."""
    before = tags + 1  # a tag, or the beginning of the sentence
    lower, suffix = (int(text.attributes[:, column].max()) + 1 for column in (LOWER, SUFFIX))
    sizes = (before, before**2, lower * before, suffix * before, lower * before)
    words = int(text.features.max(initial=-1)) + 1
    features = text.features.shape[1] + WITH_TAGS
    tables = np.cumsum([words, *sizes])
    return TagSpace(
        tables, np.zeros(tables[-1], np.int32), np.zeros(features, np.int32), np.zeros(features, np.int32),
        np.zeros(0, np.float32), np.zeros(pad_row(tags), np.float32),
    )  # fmt: skip


@njit
def place_tags(text: Text, row: int, last: int, before: int, tags: int, space: TagSpace) -> None:
    """Write the places of the features with predicted tags to the end of `space.active`.

    They are the last tag; the last two; the last with the form, with its suffix, and with the next form.
    `last` and `before` are the two tags before the word; `tags`, their number, at the beginning of a
    sentence.
    """
    width, end = tags + 1, space.active.shape[0] - WITH_TAGS
    word, after = text.word[row], text.word[row + 1]
    space.active[end] = space.tables[0] + last
    space.active[end + 1] = space.tables[1] + last * width + before
    space.active[end + 2] = space.tables[2] + np.int64(text.attributes[word, LOWER]) * width + last
    space.active[end + 3] = space.tables[3] + np.int64(text.attributes[word, SUFFIX]) * width + last
    space.active[end + 4] = space.tables[4] + np.int64(text.attributes[after, LOWER]) * width + last


@njit
def see_word(text: Text, row: int, token: int, last: int, before: int, tags: int, space: TagSpace) -> None:
    """Write the features of a word to `space.active`; `token`: its number; see :func:`place_tags`."""
    for f in range(text.features.shape[1]):
        space.active[f] = text.features[token, f]
    place_tags(text, row, last, before, tags, space)


@njit
def learn_tags(order: Places, text: Text, gold: Ints, p: Perceptron, space: TagSpace) -> None:
    """Make one pass over the sentences of `order`; `gold`: int32[tokens], their tags."""
    tags = p.meta[CLASSES]
    for sentence in order:
        last = before = tags
        for i in range(text.length[sentence]):
            token = text.first[sentence] + i
            see_word(text, text.start[sentence] + i, token, last, before, tags, space)
            tag = learn_token(
                p, space.active, space.row, space.same_size, gold[token], space.rows, space.scores
            )
            last, before = tag, last


@njit
def tag_sentences(sentences: Places, text: Text, p: Perceptron, space: TagSpace, out: Ints) -> None:
    """Write the tag of each token of `sentences` to `out` (int32[tokens]); `p`: averaged weights."""
    tags = p.meta[CLASSES]
    for sentence in sentences:
        last = before = tags
        for i in range(text.length[sentence]):
            token = text.first[sentence] + i
            see_word(text, text.start[sentence] + i, token, last, before, tags, space)
            out[token] = find_class(p, space.active, space.row, space.rows, space.scores)
            last, before = out[token], last
