"""The words of a treebank in columns, and what the parsers say of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnability.extending import CopyOrder, FlatTrees, ScoredArcs, Sentence, Tree, to_v2, universal
from learnability.extensions.doubts.columns import is_word
from learnability.extensions.doubts.results import MarginsResult, VotesResult

NONE = -1
"""Stands for what is not there: the head of the root word, the word before the first one, a further head or
relation of `ScoredArcs`."""

Name = TypeVar("Name", bound=Hashable)
Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]


class Numbering(Generic[Name]):
    """Number names in the order in which they occur."""

    def __init__(self) -> None:
        self.number: dict[Name, int] = {}

    def codes(self, names: Iterable[Name]) -> Codes:
        """Return int64, the number of each name."""
        number = self.number
        return np.array([number.setdefault(name, len(number)) for name in names], np.int64)

    @cached_property
    def names(self) -> list[Name]:
        return list(self.number)


MULTIPLIER, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def hash_columns(*columns: NDArray[np.generic]) -> Keys:
    """Return uint64[items], numbers that are equal where all columns are (by chance elsewhere, once in 2^64
    pairs)."""
    key: Keys = np.ones(len(columns[0]), np.uint64)
    for column in columns:
        key = key * MULTIPLIER + column.astype(np.uint64)
        key ^= key >> HALF
    return key


@dataclass(frozen=True, eq=False)
class Counted:
    """Count how many items have each key."""

    keys: Keys

    @cached_property
    def _known(self) -> tuple[Keys, Codes]:
        known, count = np.unique(self.keys, return_counts=True)
        return known, count.astype(np.int64)

    def find(self, sought: Keys) -> Codes:
        """Return int64[sought], how many have a key."""
        known, count = self._known
        if not len(known):
            return np.zeros(len(sought), np.int64)
        place = np.minimum(np.searchsorted(known, sought), len(known) - 1)
        return np.asarray(np.where(known[place] == sought, count[place], 0), np.int64)

    def others(self, sought: Keys, item: Codes) -> Codes:
        """Return int64[sought], how many have a key, but for the item itself."""
        return np.asarray(self.find(sought) - (self.keys[item] == sought), np.int64)


@dataclass(frozen=True, eq=False)
class ColumnWords:
    """The words of a treebank in numbers; each array is int64[words]."""

    trees: Sequence[Tree]

    @cached_property
    def flat(self) -> FlatTrees:
        return FlatTrees.of(list(self.trees))

    @cached_property
    def places(self) -> Codes:
        return places_in_folds(self.trees)

    @cached_property
    def form(self) -> Codes:
        """Return the form in lower case; a form that is withheld equals no other."""
        return Numbering[object]().codes(form for tree in self.trees for form in tree.compared_forms())

    @cached_property
    def tag(self) -> Codes:
        return self.codes(lambda tree: tree.upos)

    @cached_property
    def lemma(self) -> Codes:
        return self.codes(lambda tree: tree.lemmas)

    @cached_property
    def relation(self) -> Codes:
        return self.codes(lambda tree: [universal(deprel) for deprel in tree.deprels])

    @cached_property
    def ending(self) -> Codes:
        return self.codes(lambda tree: [form.lower()[-3:] for form in tree.forms])

    def codes(self, read: Callable[[Tree], Sequence[str]]) -> Codes:
        return Numbering[str]().codes(
            value for tree in self.trees for value in read(tree) or ("",) * len(tree)
        )

    @cached_property
    def head(self) -> Codes:
        return np.asarray(self.flat.parent, np.int64)

    def beside(self, values: Codes, step: int) -> Codes:
        """Return the value of the word before (-1) or after (1); `NONE` outside the sentence."""
        sentence = np.asarray(self.flat.sentence, np.int64)
        moved = np.roll(values, -step)
        same = np.roll(sentence, -step) == sentence
        if len(values):
            same[-1 if step > 0 else 0] = False
        return np.where(same, moved, NONE)

    def above(self, values: Codes) -> Codes:
        return np.where(self.head >= 0, values[self.head], NONE)


@dataclass(frozen=True, eq=False)
class AssessedWords:
    """The words of a treebank, one after the other, and what the parsers say of each.

    Attributes:
        names: the relations by number.
        heads, relations: int64[words], as annotated (0: the root).
        voted_heads, voted_relations: int64[votes, words], the trees of the parsers.
        arc_margin, relation_margin: float64[words], how much the graph-based parser prefers the annotated
            arc, and the annotated relation; negative where it prefers another.
        rival, rival_relation: int64[words], that other head and relation.
        arc_gap, relation_gap: float64[words], how much the other parsers that can say prefer the annotated
            arc and relation: the mean of their margins in units of their medians. That of the graph-based
            parser if no other can say.
        others: what each training of the graph-based parser says of other arcs.
    """

    sentences: Sequence[Sentence]
    names: Numbering[str]
    heads: Codes
    relations: Codes
    voted_heads: Codes
    voted_relations: Codes
    arc_margin: Floats
    rival: Codes
    relation_margin: Floats
    rival_relation: Codes
    arc_gap: Floats
    relation_gap: Floats
    others: Sequence[ScoredArcs]

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        votes: Sequence[Sequence[VotesResult]],
        margins: Sequence[Sequence[MarginsResult]],
    ) -> AssessedWords:
        """Return the words with what the parsers say.

        `votes`: of each parser and seed, the results of all folds; `margins`: the same of each training of
        the graph-based parser, at least one.
        """
        trees = [sentence.tree for sentence in sentences]
        names = Numbering[str]()
        relations = names.codes(deprel for tree in trees for deprel in tree.deprels)
        heads = np.array([head for tree in trees for head in tree.heads], np.int64)
        voted = [*votes, *margins]
        voted_heads = np.array([_join_folds(each, "heads") for each in voted], np.int64)
        voted_relations = []
        for each in voted:
            recoded = [_recode_relations(fold, fold.relations, names) for fold in each]
            voted_relations.append(np.concatenate(recoded))
        first = margins[0]
        comparing = [each for each in votes if all(fold.arc_margins for fold in each)] or margins
        at = places_in_folds(trees)
        others = [_join_arcs(each, names) for each in margins]
        return cls(
            sentences,
            names,
            heads,
            relations,
            voted_heads[:, at],
            np.array(voted_relations)[:, at],
            np.mean([_join_folds(each, "arc_margins") for each in margins], axis=0)[at],
            np.array(_join_folds(first, "rivals"), np.int64)[at],
            np.mean([_join_folds(each, "relation_margins") for each in margins], axis=0)[at],
            np.concatenate([_recode_relations(fold, fold.rival_relations, names) for fold in first])[at],
            _mean_in_units(_join_folds(each, "arc_margins") for each in comparing)[at],
            _mean_in_units(_join_folds(each, "relation_margins") for each in comparing)[at],
            [ScoredArcs._make(array[at] for array in arcs) for arcs in others],
        )

    @cached_property
    def root(self) -> int:
        return int(self.names.codes(["root"])[0])

    @cached_property
    def trees(self) -> list[Tree]:
        return [sentence.tree for sentence in self.sentences]

    @cached_property
    def columns(self) -> ColumnWords:
        return ColumnWords(self.trees)

    @property
    def flat(self) -> FlatTrees:
        return self.columns.flat

    @cached_property
    def universal_names(self) -> list[str]:
        return list(dict.fromkeys(universal(to_v2(name)) for name in self.names.names))

    @cached_property
    def universals(self) -> Codes:
        """Return int64[relations], the number of the universal relation of each relation."""
        number = {name: place for place, name in enumerate(self.universal_names)}
        return np.array([number[universal(to_v2(name))] for name in self.names.names], np.int64)

    @cached_property
    def lemma_codes(self) -> Codes:
        return Numbering[Hashable]().codes(name or object() for name in self.lemmas)

    @cached_property
    def position(self) -> Codes:
        return np.asarray(self.flat.position, np.int64)

    @cached_property
    def starts(self) -> Codes:
        return np.asarray(self.flat.offsets[self.flat.sentence], np.int64)

    def at(self, heads: Codes) -> Codes:
        return np.where(heads > 0, self.starts + heads - 1, -1)

    @cached_property
    def tags(self) -> list[str]:
        return [tag for tree in self.trees for tag in tree.upos]

    @cached_property
    def deprels(self) -> list[str]:
        return [deprel for tree in self.trees for deprel in tree.deprels]

    @cached_property
    def lemmas(self) -> list[str]:
        return [lemma for tree in self.trees for lemma in tree.lemmas_or_forms()]

    @cached_property
    def usual_relations(self) -> dict[str, int]:
        """Return the number of the most frequent relation of words with each tag that are not the root."""
        counts: dict[str, Counter[int]] = {}
        for tag, relation in zip(self.tags, self.relations.tolist(), strict=True):
            if relation != self.root:
                counts.setdefault(tag, Counter())[relation] += 1
        return {tag: count.most_common(1)[0][0] for tag, count in counts.items()}

    @cached_property
    def are_words(self) -> NDArray[np.bool_]:
        """Return bool[words], whether each is not punctuation (`is_word`)."""
        return np.array(list(map(is_word, self.tags, self.deprels)), bool)


def in_units(margin: Floats) -> Floats:
    """Return margins in the unit of their median size, so that parsers and treebanks can be compared."""
    return margin / max(float(np.median(np.abs(margin))), 1e-6)


def _mean_in_units(parsers: Iterable[list[float]]) -> Floats:
    mean: Floats = np.mean([in_units(np.array(margins)) for margins in parsers], axis=0)
    return mean


def places_in_folds(trees: Sequence[Tree]) -> Codes:
    """Return int64[words], where each word of a treebank is in what is said of its folds, one by one.

    Folds have copies of a sentence together.
    """
    order = CopyOrder.of_trees(trees).order
    lengths = np.array(list(map(len, trees)), np.int64)
    first = np.cumsum(lengths) - lengths
    in_folds = [np.arange(first[number], first[number] + lengths[number]) for number in order]
    places = np.empty(int(lengths.sum()), np.int64)
    places[np.concatenate([np.zeros(0, np.int64), *in_folds])] = np.arange(len(places))
    return places


def _join_folds(folds: Iterable[VotesResult | MarginsResult], name: str) -> list[Any]:
    return [value for fold in folds for value in getattr(fold, name)]


def _recode_relations(fold: VotesResult, relations: Sequence[int], names: Numbering[str]) -> Codes:
    codes = names.codes(fold.names)
    recoded: Codes = codes[np.array(relations, np.int64)]
    return recoded


def _join_arcs(folds: Sequence[MarginsResult], names: Numbering[str]) -> ScoredArcs:
    parts = []
    for fold in folds:
        arcs = ScoredArcs.unpack(fold.others, len(fold.heads))
        codes = np.append(names.codes(fold.names), NONE).astype(np.int16)  # the last one is that of NONE
        parts.append(arcs._replace(relations=codes[arcs.relations]))
    return ScoredArcs(*map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class Proposals:
    """What is proposed in place of the annotation, which it differs from; one entry per word.

    Attributes:
        share: float64[words], of the votes for exactly this.
        second_heads, second_relations: int64[words], the second proposal; `NONE` where there is none.
    """

    heads: Codes
    relations: Codes
    share: Floats
    second_heads: Codes
    second_relations: Codes


RELATION_WEIGHT = 1.5
"""The votes that the preferred relation of the annotated arc counts as, where it is not the annotated one."""


def voted_proposals(words: AssessedWords) -> Proposals:
    """Return the most frequent other annotation of each word; of equals the nearer head, then the first.

    Where all parsers agree with the annotation, it is the relation (else the arc) that the graph-based parser
    finds next. Only root words are labelled so.
    """
    heads, relations = _next_best(words)
    share = np.zeros(len(heads))
    votes = len(words.voted_heads)
    differs = (words.voted_heads != words.heads) | (words.voted_relations != words.relations)
    voted_heads, voted_relations = words.voted_heads.T.tolist(), words.voted_relations.T.tolist()
    for word in np.flatnonzero(differs.any(axis=0)).tolist():
        annotated = int(words.heads[word]), int(words.relations[word])
        counts: Counter[tuple[int, int]] = Counter(zip(voted_heads[word], voted_relations[word], strict=True))
        weights: dict[tuple[int, int], float] = dict(counts)
        weights.pop(annotated, None)
        if words.relation_margin[word] < 0:
            rival = annotated[0], int(words.rival_relation[word])
            if (rival[0] == 0) == (rival[1] == words.root):
                weights[rival] = weights.get(rival, 0.0) + RELATION_WEIGHT
        position = int(words.position[word])
        best = max(weights, key=lambda arc: (weights[arc], -abs(arc[0] - position), -arc[1]))
        heads[word], relations[word] = best
        share[word] = counts[best] / votes
    none = np.full(len(heads), NONE, np.int64)
    return Proposals(heads, relations, share, none, none)


def _next_best(words: AssessedWords) -> tuple[Codes, Codes]:
    """Return another head or relation for each word by the margins of the graph-based parser."""
    heads, relations = words.heads.copy(), words.rival_relation.copy()
    usual = words.usual_relations
    for word in np.flatnonzero((heads == 0) | (relations == words.root)).tolist():
        heads[word], relations[word] = words.rival[word], words.relations[word]
        if heads[word] == 0 and words.heads[word] != 0:
            relations[word] = words.root
        elif relations[word] == words.root:
            relations[word] = usual.get(words.tags[word], words.root)
    return heads, relations
