"""Find what differs between the words of a sentence in two annotations, column by column.

Each difference of a word has a :class:`DifferenceKind`. The kind of the same difference from the alternative
to the base is its :meth:`~DifferenceKind.mirrored`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from learnability.annotation_diffs.beside_words import in_units
from learnability.annotation_diffs.difference_kinds import (
    ABOVE,
    ABSENT,
    ANY_VALUE,
    BELOW,
    CAPITALS,
    CHILD,
    ELSEWHERE,
    GRANDPARENT,
    MOVED,
    NEPHEW,
    ORDER,
    ROOT_PLACE,
    SIBLING,
    DifferenceKind,
)
from learnability.annotation_diffs.matching import SentencePair
from learnability.annotation_diffs.words import NO_WORD
from learnability.treebanks.labels import PUNCT, universal
from learnability.treebanks.sentence import UNSPECIFIED, Tree, is_specified

TREE_COLUMNS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
"""The columns of a tree."""

COLUMNS = (*TREE_COLUMNS, "DEPS", "MISC")
"""All columns that are compared, in the order of CoNLL-U."""

ATTRIBUTES = {
    "FORM": "forms",
    "LEMMA": "lemmas",
    "UPOS": "upos",
    "XPOS": "xpos",
    "FEATS": "feats",
    "DEPREL": "deprels",
}
"""The attribute of a tree that holds a column."""


class WordChange(NamedTuple):
    """Hold one difference: its kind, and the word (from 1) in the base and in the alternative.

    `is_enhanced`: whether the enhanced graph repeats the arc in both, so that it differs in the same way.
    """

    kind: DifferenceKind
    base: int
    alternative: int
    is_enhanced: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.kind.column, "DEPS") if self.is_enhanced else (self.kind.column,)


def changes_in(pair: SentencePair) -> list[WordChange]:
    """Return all differences between the two annotations of a sentence, column by column."""
    base, alternative = pair.base.tree, pair.alternative.tree
    changes: list[WordChange] = []
    for column, attribute in ATTRIBUTES.items():
        first, second = getattr(base, attribute), getattr(alternative, attribute)
        if not first or not second or (pair.alignment.identical and first == second):
            continue
        for i, j in pair.alignment.words:
            if first[i - 1] != second[j - 1]:
                kinds = _KINDS[column](first[i - 1], second[j - 1], pair, i, j)
                changes += [WordChange(kind, i, j) for kind in kinds]
    if not (pair.alignment.identical and base.heads == alternative.heads):
        changes += _moved_heads(pair)
    if are_from_files(pair) and pair.base.lines != pair.alternative.lines:
        changes = _with_enhanced_graphs(pair, changes)
        changes += _changed_misc(pair)
    return changes


def are_from_files(pair: SentencePair) -> bool:
    """Return whether both sides have lines of a file, not those that a rule made the other tree of."""
    lines, others = pair.base.lines, pair.alternative.lines
    return bool(lines and others) and lines is not others


def _is_punctuation(pair: SentencePair, i: int, j: int) -> bool:
    labels = pair.base.tree.deprels, pair.alternative.tree.deprels
    if not all(labels):
        return False
    return universal(labels[0][i - 1]) in PUNCT and universal(labels[1][j - 1]) in PUNCT


KindsOfCells = Callable[[str, str, SentencePair, int, int], list[DifferenceKind]]
"""Gives the kinds of difference between two cells of a word."""


def _value_kinds(column: str) -> KindsOfCells:
    def kinds(first: str, second: str, pair: SentencePair, i: int, j: int) -> list[DifferenceKind]:
        if not (is_specified(first) or is_specified(second)):
            return []
        is_mark = _is_punctuation(pair, i, j)
        if column in ("FORM", "LEMMA") and first.lower() == second.lower():
            return [DifferenceKind(column, CAPITALS, "", "", "", is_mark)]
        first, second = (value if is_specified(value) else "" for value in (first, second))
        if column == "LEMMA" and "" in (first, second):
            return [DifferenceKind(column, "", "", first and ANY_VALUE, second and ANY_VALUE, is_mark)]
        return [DifferenceKind(column, "", "", first, second, is_mark)]

    return kinds


EMPTY_VALUE, NO_VALUE = "(empty)", "(no value)"
"""The value of a feature in ``Gloss=``, and in ``Gloss`` without a sign, which are not ``Gloss=Gloss``."""


def _feature_kinds(first: str, second: str, pair: SentencePair, i: int, j: int) -> list[DifferenceKind]:
    tags = {tree.upos[word - 1]: None for tree, word in ((pair.base.tree, i), (pair.alternative.tree, j))}
    is_mark = _is_punctuation(pair, i, j)
    if not (is_specified(first) or is_specified(second)):
        return []
    before, after = features_of(first), features_of(second)
    kinds = [
        DifferenceKind("FEATS", name, " > ".join(tags), before.get(name, ""), after.get(name, ""), is_mark)
        for name in sorted({**before, **after})
        if before.get(name) != after.get(name)
    ]
    return kinds or [DifferenceKind("FEATS", ORDER, "", "", "", is_mark)]


@lru_cache(maxsize=20_000)
def features_of(cell: str) -> dict[str, str]:
    """Return the features of a cell by name; an item without a value has `EMPTY_VALUE` or `NO_VALUE`.

    MISC may have a name several times; all its values are one, in alphabetical order: ``frog|toad``.
    """
    if not is_specified(cell):
        return {}
    features: dict[str, str] = {}
    for item in sorted(cell.split("|")):
        name, sign, value = item.partition("=")
        value = (value or EMPTY_VALUE) if sign else NO_VALUE
        features[name] = f"{features[name]}|{value}" if name in features else value
    return features


_KINDS: dict[str, KindsOfCells] = {
    **{column: _value_kinds(column) for column in ATTRIBUTES},
    "FEATS": _feature_kinds,
}


def _moved_heads(pair: SentencePair) -> Iterator[WordChange]:
    base, alternative, alignment = pair.base.tree, pair.alternative.tree, pair.alignment
    if not base.heads or not alternative.heads:
        return
    for i, j in alignment.words:
        old, new = base.heads[i - 1], alternative.heads[j - 1]
        if alignment.base_units[old] == alignment.alternative_units[new]:
            continue
        place_of_new = place_of(base, i, alignment.first_in_base(alignment.alternative_units[new]))
        place_of_old = place_of(alternative, j, alignment.first_in_alternative(alignment.base_units[old]))
        detail = f"{place_of_new}, {place_of_old}"
        before = base.deprels[i - 1] if base.deprels else ""
        after = alternative.deprels[j - 1] if alternative.deprels else ""
        yield WordChange(DifferenceKind("HEAD", detail, "", before, after, _is_punctuation(pair, i, j)), i, j)


def place_of(tree: Tree, token: int, other: int) -> str:
    """Return where a word is in the tree, seen from a token whose head it is not.

    The places are `root` (the artificial one), `child`, `below` (deeper below the token), `grandparent` (the
    head of its head), `sibling`, `nephew` (deeper below its head), `above` (further up), `elsewhere`, and
    `absent` for a word that the tree lacks.
    """
    if other == NO_WORD:
        return ABSENT
    if other == 0:
        return ROOT_PLACE
    heads = tree.heads
    head = heads[token - 1]
    if heads[other - 1] == token:
        return CHILD
    path = _path(heads, other)
    if token in path:
        return BELOW
    if head and heads[head - 1] == other:
        return GRANDPARENT
    if other in _path(heads, token):
        return ABOVE
    if heads[other - 1] == head:
        return SIBLING
    return NEPHEW if head in path else ELSEWHERE


def _path(heads: Sequence[int], token: int) -> list[int]:
    """Return the words from the head of a token up to the root word; it ends at a cycle."""
    path: list[int] = []
    at = heads[token - 1]
    while at and len(path) <= len(heads):
        path.append(at)
        at = heads[at - 1]
    return path


def _last_cells(pair: SentencePair, column: int) -> Iterator[tuple[int, int, str, str]]:
    """Yield each word whose lines may differ, with its cells in DEPS (1) or MISC (2)."""
    first, second = pair.base, pair.alternative
    for i, j in pair.alignment.words:
        line, other = first.lines[first.rows[i - 1]], second.lines[second.rows[j - 1]]
        if line != other or not pair.alignment.identical:
            yield i, j, line.rsplit("\t", 2)[column], other.rsplit("\t", 2)[column]


def _with_enhanced_graphs(pair: SentencePair, changes: list[WordChange]) -> list[WordChange]:
    """Return the differences with those of enhanced graphs, but for edges that repeat the arc in both
    versions."""
    of_word: dict[int, int] = {}  # the change of the arc of each word: of its head, or else of its relation
    for number, change in enumerate(changes):
        if change.kind.column in ("HEAD", "DEPREL"):
            of_word[change.base] = number
    both = list(changes)
    alignment = pair.alignment
    for i, j, before, after in _last_cells(pair, 1):
        if not alignment.identical:
            before = in_units(before, alignment.base_units)
            after = in_units(after, alignment.alternative_units)
        if before == after:
            continue
        old, new = _only_edges(before, after)
        number = of_word.get(i, -1)
        if number >= 0 and pair.base.tree.deprels and pair.alternative.tree.deprels:
            arcs = (
                _arc(pair.base.tree, i, alignment.base_units),
                _arc(pair.alternative.tree, j, alignment.alternative_units),
            )
            if arcs[0] in old and arcs[1] in new:
                old.remove(arcs[0])
                new.remove(arcs[1])
                both[number] = changes[number]._replace(is_enhanced=True)
                if not (old or new):
                    continue
        is_mark = _is_punctuation(pair, i, j)
        for detail, relation, other_relation in list(_edges(old, new)) or [(ORDER, "", "")]:
            kind = DifferenceKind("DEPS", detail, "", relation, other_relation, is_mark)
            both.append(WordChange(kind, i, j))
    return both


def _arc(tree: Tree, token: int, units: Sequence[int]) -> str:
    return f"{units[tree.heads[token - 1]]}:{tree.deprels[token - 1]}"


def _only_edges(first: str, second: str) -> tuple[list[str], list[str]]:
    before, after = (Counter(cell.split("|") if cell != UNSPECIFIED else ()) for cell in (first, second))
    return sorted((before - after).elements()), sorted((after - before).elements())


def _edges(old: list[str], new: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the detail and both relations of each edge that differs.

    Edges to the same word are one edge with another relation; others with the same relation are one edge that
    goes to another word. What is left was removed or added.
    """
    for is_same, detail in ((_head_of, ""), (_relation_of, MOVED)):
        for edge in tuple(old):
            other = next((each for each in new if is_same(each) == is_same(edge)), None)
            if other is not None:
                old.remove(edge)
                new.remove(other)
                yield detail, _relation_of(edge), _relation_of(other)
    for edge in old:
        yield "", _relation_of(edge), ""
    for edge in new:
        yield "", "", _relation_of(edge)


def _head_of(edge: str) -> str:
    return edge.partition(":")[0]


def _relation_of(edge: str) -> str:
    return edge.partition(":")[2]


def _changed_misc(pair: SentencePair) -> Iterator[WordChange]:
    for i, j, before, after in _last_cells(pair, 2):
        if before == after:
            continue
        is_mark = _is_punctuation(pair, i, j)
        attributes = list(_attributes(before, after)) or [(ORDER, "", "")]
        for name, one, other in attributes:
            yield WordChange(DifferenceKind("MISC", name, "", one, other, is_mark), i, j)


def _attributes(first: str, second: str) -> Iterator[tuple[str, str, str]]:
    before, after = features_of(first), features_of(second)
    for name in sorted({**before, **after}):
        if before.get(name) != after.get(name):
            yield name, ANY_VALUE if name in before else "", ANY_VALUE if name in after else ""
