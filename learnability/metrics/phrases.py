"""Score the attachment of phrases, which is comparable between schemes that move heads inside a phrase.

A phrase is a content word with its function words (docs/rules.md, Scores and uncertainty): the
closure of the dependents labelled case, det, mark, cop, aux (v1 also auxpass) and of the words of flat,
name, fixed, mwe and goeswith expressions, in gold UD. Schemes disagree on which word heads a phrase, but
agree on which phrase depends on which. So the arcs between phrases can be scored in the same way whatever
the scheme of the parser's output: for gold UD trees and for gold transformed trees they
are the same. The scores are not defined for `cc`, `conj` and `punct`, which move heads across phrases.

Parsers of two schemes can also be compared by kind of token, each tested on its own annotation: a scheme may
gain on the tokens that it attaches differently and lose elsewhere. A *place token* identifies a place that a
transformation changes: the function word, the chain member, the coordinator. *Phrase* tokens are the other
tokens of the phrases that contain a place token. All other tokens are *elsewhere*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.flat import FlatTrees, IntArray, climb, flatten, sentence_sums
from learnability.support.nouns import count_noun, say_there_are
from learnability.treebanks.labels import FLAT_EXPRESSIONS, FUNCTION_WORDS, universal
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, trees_of

PHRASE_LABELS = FUNCTION_WORDS | FLAT_EXPRESSIONS
"""The universal deprels (v1 and v2) of the tokens that belong to the phrase of their head."""


Parses = Sequence[Tree | Sentence | Sequence[int]]


@dataclass(frozen=True, eq=False)
class Phrases:
    """Hold the phrases of a corpus and the gold arcs between them.

    Attributes:
        phrase: int64[N], for every token the flat index of its phrase's content word.
        heads: int64[M], for every phrase (in the order of `content`) the content word of the phrase that it
            depends on, -1 for the root.
        content: int64[M], the content words, ascending.
    """

    trees: FlatTrees
    phrase: IntArray
    heads: IntArray
    content: IntArray


@dataclass(frozen=True, eq=False)
class PhraseScores:
    """Hold the score of the arcs between phrases: int64[S], right ones and all of each sentence."""

    correct: IntArray
    total: IntArray

    @property
    def uas(self) -> float:
        """Return phrase UAS in percent, punctuation included; nan without phrases."""
        total = int(self.total.sum())
        return 100.0 * int(self.correct.sum()) / total if total else float("nan")


def find_phrases(gold: AnyTrees) -> Phrases:
    """Find the phrases of gold UD trees (not of transformed trees).

    A token with a label in PHRASE_LABELS belongs to the phrase of its head, transitively. Any other token is
    the content word of a phrase, and so is a root word, whatever its label. InputError for a cycle, or a head
    outside its sentence.
    """
    gold = trees_of(gold)
    trees = FlatTrees.of(gold)
    labels = (universal(deprel) in PHRASE_LABELS for tree in gold for deprel in tree.deprels)
    inside = np.fromiter(labels, np.bool_, trees.tokens) & (trees.parent >= 0)
    phrase, _ = climb(trees, np.arange(trees.tokens, dtype=np.int64), lambda at: inside[at])
    content = np.flatnonzero(~inside)
    return Phrases(trees, phrase, _heads_of_phrases(trees, phrase, content), content)


def phrase_heads(phrases: Phrases, predicted: Parses) -> IntArray:
    """Return int64[M], the content word of the phrase to which `predicted` attaches each phrase; -1 = root.

    From the content word of a phrase, follow the predicted heads to the first word outside the phrase. The
    phrase of that word is the head. InputError for other tokens than those of `phrases`, or a cycle.
    """
    heads = []
    for parse in predicted:
        heads.append(trees_of(parse)[0].heads if isinstance(parse, Tree | Sentence) else parse)
    trees = flatten(heads)
    if not np.array_equal(trees.offsets, phrases.trees.offsets):
        raise InputError("predicted and gold sentences differ in length; compare parses of the same tokens")
    return _heads_of_phrases(trees, phrases.phrase, phrases.content)


def phrase_scores(gold: Phrases | AnyTrees, predicted: Parses) -> PhraseScores:
    """Score the arcs between phrases in predicted trees.

    Args:
        gold: the gold UD trees or sentences, or their phrases.
        predicted: a tree, sentence or head vector per sentence, in UD or in any scheme that moves heads only
            within phrases.

    Returns:
        Correct phrases and all phrases per sentence, and phrase UAS in percent.

    Raises:
        InputError: `predicted` has other tokens than `gold`, or the heads of either form a cycle.
    """
    phrases = gold if isinstance(gold, Phrases) else find_phrases(gold)
    is_content = np.isin(np.arange(phrases.trees.tokens), phrases.content)
    right = is_content.copy()
    right[phrases.content] = phrase_heads(phrases, predicted) == phrases.heads
    offsets = phrases.trees.offsets
    return PhraseScores(sentence_sums(right, offsets), sentence_sums(is_content, offsets))


def _heads_of_phrases(trees: FlatTrees, phrase: IntArray, content: IntArray) -> IntArray:
    """Return int64[M], see `phrase_heads`."""
    head, _ = climb(trees, trees.parent[content], lambda at: (at >= 0) & (phrase[at] == content))
    return np.where(head >= 0, phrase[head], -1)


TOKEN_KINDS = ("place", "phrase", "elsewhere")
"""Place tokens, the other tokens of their phrases, all others."""

Counts = dict[str, tuple[int, int]]
"""The numbers of correct tokens and of all tokens, by part or relation."""


def token_kinds(trees: Sequence[Tree], places: Sequence[Collection[int]]) -> list[str]:
    """Return the kind of every token, one of `TOKEN_KINDS`; `places`: tokens (1..n) of each gold UD tree."""
    phrases = find_phrases(trees)
    offsets = phrases.trees.offsets
    if len(places) != len(trees):
        raise InputError(
            f"the places are those of {count_noun(len(places), 'sentence')}, but "
            f"{say_there_are(len(trees), 'tree')}; pass the places of every tree"
        )
    flat: list[int] = []  # indices of the place tokens among all tokens
    for first, tokens in zip(offsets[:-1].tolist(), places, strict=True):
        flat += [first + token - 1 for token in tokens]
    kind = np.full(int(offsets[-1]), TOKEN_KINDS.index("elsewhere"))
    kind[np.isin(phrases.phrase, phrases.phrase[flat])] = TOKEN_KINDS.index("phrase")
    kind[flat] = TOKEN_KINDS.index("place")
    return [TOKEN_KINDS[number] for number in kind.tolist()]


def counts_by(names: Sequence[str], correct: NDArray[np.bool_], order: Iterable[str] = ()) -> Counts:
    """Count correct (bool[tokens]) and all tokens per name: those in `order`, then others alphabetically."""
    if len(correct) != len(names):
        raise InputError(
            f"{say_there_are(len(correct), 'result')} for {count_noun(len(names), 'token')}; compare "
            "parses of the same sentences"
        )
    right, every = Counter(compress(names, correct)), Counter(names)
    ordered = dict.fromkeys((*order, *sorted(every)))
    return {name: (right[name], every[name]) for name in ordered}


def by_relation(trees: Sequence[Tree], correct: NDArray[np.bool_]) -> Counts:
    return counts_by([universal(deprel) for tree in trees for deprel in tree.deprels], correct)
