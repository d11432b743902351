"""The features of a word from which the score of its annotation follows.

They must mean the same in any treebank: counts are compared with the other words of the treebank, margins
with the median margin, and a disagreement with how often the parsers disagree with words of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Guidelines, to_v2, universal
from learnability.extensions.doubts.columns import RELATIONS, TAGS
from learnability.extensions.doubts.variation import variation
from learnability.extensions.doubts.words import (
    NONE,
    AssessedWords,
    Codes,
    Counted,
    Floats,
    Proposals,
    hash_columns,
    in_units,
)

Feature = tuple[str, NDArray[Any]]


def features(words: AssessedWords, proposed: Proposals) -> dict[str, Floats]:
    """Return float64[words] by the name of the feature."""
    named = dict(_features(words, proposed))
    return {name: np.asarray(column, np.float64) for name, column in named.items()}


def _features(words: AssessedWords, proposed: Proposals) -> Iterator[Feature]:
    head_differs = words.voted_heads != words.heads
    relation_differs = words.voted_relations != words.relations
    differs = (head_differs | relation_differs).mean(axis=0)
    yield "differs", differs
    yield "head differs", head_differs.mean(axis=0)
    yield "relation differs", relation_differs.mean(axis=0)
    yield "some differ", differs > 0
    yield "all differ", differs == 1
    yield "proposal share", proposed.share
    yield "all propose the same", proposed.share == 1
    yield from _margins(words)
    kind = combine_columns(words.columns.tag, words.relations)
    other_head = (proposed.heads != words.heads).astype(np.int64)
    pattern = combine_columns(kind, proposed.relations, other_head)
    yield from surprise(kind, pattern, differs, "all differ")
    yield from _frequencies(words, proposed)
    yield from _variation(words)
    yield from _guidelines(words)
    yield from _shape(words, differs)
    yield from _kinds(words, proposed, differs)


def _margins(words: AssessedWords) -> Iterator[Feature]:
    for name, margin in (
        ("arc", words.arc_margin),
        ("relation", words.relation_margin),
        ("arc gap", words.arc_gap),
        ("relation gap", words.relation_gap),
    ):
        yield from describe_margin(name, margin)


def describe_margin(name: str, margin: Floats) -> Iterator[Feature]:
    """Yield a margin in the unit of the median, and its rank."""
    size = in_units(margin) if len(margin) else margin
    yield f"{name} against", np.clip(-size, 0, 3)
    yield f"{name} for", np.clip(size, 0, 3)
    rank = (np.argsort(np.argsort(margin, kind="stable"), kind="stable") + 0.5) / max(len(margin), 1)
    yield f"{name} rank", np.log((1 - rank) / rank)


def surprise(kind: Codes, pattern: Codes, differs: Floats, when: str) -> Iterator[Feature]:
    """Yield how rarely words of a kind are contradicted, and how often words of it get the same proposal.

    A distinction that is often missed is hard; a proposal that is rare for such words is a surprise.
    `pattern`: the kind with the proposal; `when`: what to call the same where all contradict.
    """
    every, count = (differs == 1).astype(np.float64), counts(kind) - 1 + 1.5
    rarity = -np.log((sums(kind, differs) - differs + 0.3) / count)
    yield "rarity", rarity
    yield "rarity, differs", rarity * differs
    among = sums(pattern, differs) - differs
    share = np.log((among + 0.3) / count)
    yield "pattern share", share
    yield "pattern doubts", np.log1p(among)
    yield f"pattern share, {when}", share * every
    yield f"rarity, {when}", rarity * every


def _frequencies(words: AssessedWords, proposed: Proposals) -> Iterator[Feature]:
    """Yield how improbable the relation is by the other words of the treebank, as logarithms."""
    columns = words.columns
    form, tag = columns.form, columns.tag
    head_tag, head_lemma = columns.above(tag), columns.above(words.lemma_codes)
    new_head_tag = look_up(tag, words.at(proposed.heads))
    side = (words.heads < words.position).astype(np.int64)
    new_side = (proposed.heads < words.position).astype(np.int64)
    for name, given, prior in (
        ("form", combine_columns(form, tag), 0.5),
        ("head lemma", combine_columns(head_lemma, tag, side), 0.5),
        ("tags", combine_columns(head_tag, tag), 0.1),
    ):
        key = combine_columns(given, words.relations)
        seen, among = counts(key) - 1, counts(given) - 1
        improbable = -np.log((seen + prior) / (among + 1.0))
        yield f"relation by {name}", improbable
        yield f"occurrences of {name}", np.log1p(among)
        yield f"relation by {name}, frequent", improbable * np.log1p(among) / 5
    with_tag = counts(combine_columns(form, tag))
    yield "tag by form", -np.log((with_tag - 1 + 0.5) / counts(form))
    with_head = counts(combine_columns(tag, side, head_tag))
    yield "head tag by tag", -np.log((with_head - 1 + 0.1) / counts(tag))
    arcs = combine_columns(head_tag, tag, side, words.relations)
    yield "arcs like this", np.log1p(counts(arcs) - 1)
    sought = new_head_tag, tag, new_side, proposed.relations
    yield "arcs like the proposal", np.log1p(occurrences((head_tag, tag, side, words.relations), sought))
    seen = occurrences((form, tag, words.relations), (form, tag, proposed.relations))
    yield "proposed relation by form", np.log((seen + 0.5) / (with_tag + 1.0))


def _variation(words: AssessedWords) -> Iterator[Feature]:
    found = variation(words.columns)
    yield "nuclei other", np.log1p(found.other)
    yield "nuclei same", np.log1p(found.same)
    yield "nuclei without", np.log1p(found.without)
    yield "nuclei mostly other", found.other > found.same
    yield "nuclei mostly without", found.without > found.same + found.other
    yield "context other", found.other_context > 0
    yield "context same", found.same_context > 0
    yield "context without", found.without_context > 0


def _guidelines(words: AssessedWords) -> Iterator[Feature]:
    """Yield which rules an arc breaks; a rule counts the more, the fewer arcs of its relation break it."""
    broken = Guidelines.violations(words.trees)
    relation = words.columns.relation
    for rule, column in zip(Guidelines.RULES, broken.T, strict=True):
        share = (sums(relation, column.astype(np.float64)) + 0.5) / (counts(relation) + 1.0)
        yield f"rule {rule}", column * -np.log(share)
    yield "some rule", np.asarray(broken.any(axis=1))


def _shape(words: AssessedWords, differs: Floats) -> Iterator[Feature]:
    sentence, parent = words.flat.sentence, words.flat.parent
    lengths = counts(np.asarray(sentence, np.int64))
    yield "non-projective", words.flat.nonprojective_arcs()
    yield "root", words.heads == 0
    yield "distance", np.where(words.heads > 0, np.log1p(np.abs(words.heads - words.position)), 0)
    yield "length", np.log(lengths)
    yield "place", (words.position - 1) / lengths
    inner = np.flatnonzero(parent >= 0)
    children = np.bincount(parent[inner], minlength=len(differs))
    yield "children", np.minimum(children, 4) / 4
    doubted_children = np.bincount(parent[inner], weights=differs[inner], minlength=len(differs))
    above = np.where(parent >= 0, differs[parent], 0)
    yield "neighbours differ", (doubted_children + above) / np.maximum(children + (parent >= 0), 1)
    total = sums(np.asarray(sentence, np.int64), differs)
    yield "sentence differs", (total - differs) / np.maximum(lengths - 1, 1)


def _kinds(words: AssessedWords, proposed: Proposals, differs: Floats) -> Iterator[Feature]:
    yield "other head", proposed.heads != words.heads
    other_relation = proposed.relations != words.relations
    yield "other relation", other_relation
    yield "other head and relation", (proposed.heads != words.heads) & other_relation
    names = [universal(to_v2(name)) for name in words.names.names]
    numbers = np.array([RELATIONS.index(name) if name in RELATIONS else -1 for name in names])
    relation, new_relation = numbers[words.relations], numbers[proposed.relations]
    yield "subtype only", other_relation & (relation == new_relation) & (proposed.heads == words.heads)
    tags = np.array(words.tags)
    for tag in TAGS:
        yield f"tag {tag}", tags == tag
    for number, name in enumerate(RELATIONS):
        yield f"relation {name}", relation == number
        yield f"proposed {name}", (new_relation == number) * differs


def combine_columns(*columns: Codes) -> Codes:
    """Return int64[words], numbers that are equal where all columns are."""
    _, codes = np.unique(hash_columns(*columns), return_inverse=True)
    return np.asarray(codes, np.int64)


def counts(key: Codes) -> Codes:
    """Return int64[words], how many words have the key of each word."""
    counted: Codes = np.bincount(key)[key]
    return counted


def sums(key: Codes, values: Floats) -> Floats:
    """Return float64[words], the sum of the values of all words that have the key of each word."""
    total = np.bincount(key, weights=values)[key]
    return np.asarray(total, np.float64)


def occurrences(columns: tuple[Codes, ...], sought: tuple[Codes, ...]) -> Codes:
    """Return int64[words], how many words have in their `columns` what each word has in those `sought`."""
    return Counted(hash_columns(*columns)).find(hash_columns(*sought))


def look_up(values: Codes, indices: Codes) -> Codes:
    """Return the values of the words at these indices; `NONE` for the root."""
    return np.where(indices >= 0, values[indices], NONE)
