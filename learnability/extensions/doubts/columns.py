"""The columns in which the annotation of a word is doubted, and their values.

A *column* is here what one decision is about: the arc of a word (`head`; of punctuation: `punct`), its tag
(`upos`), its lemma (`lemma`), the subtype of its relation (`subtype`), or one feature (`feats:Gender`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from learnability.extending import InputError, Tree, is_specified, universal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEAD, PUNCT, SUBTYPE, UPOS, LEMMA, FEATS = "head", "punct", "subtype", "upos", "lemma", "feats"
DEPREL, XPOS = "deprel", "xpos"
"""A relation changes with another column here, and is doubted with its head."""

TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"),
    *("SCONJ", "SYM", "VERB", "X"),
)

RELATIONS = (
    *("acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj"),
    *("cop", "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj"),
    *("list", "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct"),
    *("reparandum", "root", "vocative", "xcomp"),
)

GROUPS = (HEAD, PUNCT, SUBTYPE, UPOS, XPOS, LEMMA, FEATS)
"""The groups of columns, each of which has its weights; that of features has a column for each feature."""

ARCS = frozenset({HEAD, PUNCT, SUBTYPE})
"""The columns about which one decides by giving the word another arc."""

FEATURE = f"{FEATS}:"

PUNCTUATION = "PUNCT"
"""The tag of what is no word: only its head is doubted."""

RARE = 0.01
"""Words of a tag do not lack a feature that no larger share of them has."""

ABSENT = ""
"""The value of a feature that a word does not have."""


def group_of(column: str) -> str:
    return column.partition(":")[0]


def is_column(name: str) -> bool:
    return (name in GROUPS and name != FEATS) or (name.startswith(FEATURE) and name != FEATURE)


def column_typed(text: str) -> str:
    """Return a column, or the group of all features, that a user named; raise an InputError if there is
    none."""
    name = text.strip()
    if name.casefold() == XPOS:
        return XPOS
    if name == FEATS or is_column(name):
        return name
    raise InputError(
        f"there is no column {text[:40]!r}; use {', '.join(GROUPS)}, or for example {FEATURE}Gender"
    )


def is_chosen(column: str, chosen: Collection[str]) -> bool:
    """Return whether a column is among those that a user chose; all but subtypes are if none is chosen."""
    return column in chosen or group_of(column) in chosen if chosen else column != SUBTYPE


@cache
def features_in(feats: str) -> Mapping[str, str]:
    """Return the features of a word, value by name."""
    items = feats.split("|") if is_specified(feats) else []
    return dict(item.partition("=")[::2] for item in items)


_FIELDS = {UPOS: "upos", LEMMA: "lemmas", SUBTYPE: "deprels", DEPREL: "deprels", XPOS: "xpos", FEATS: "feats"}
"""The fields of a tree by the columns that it holds as they are."""


def values_in(tree: Tree, column: str) -> Sequence[str]:
    """Return the value of each word of a tree in a column; of heads their numbers."""
    blank = ("",) * len(tree)
    if column == HEAD:
        return tuple(map(str, tree.heads))
    if column in _FIELDS:
        values: Sequence[str] = getattr(tree, _FIELDS[column]) or blank
        return values
    name = column.removeprefix(FEATURE)
    return [features_in(feats).get(name, ABSENT) for feats in tree.feats or blank]


def describe_value(column: str, value: str) -> str:
    """Return a value with the name of its column, ``Gender=Fem``, ``upos=NOUN``, or ``no-Gender``."""
    if column == SUBTYPE:
        return value
    name = column.removeprefix(FEATURE)
    return f"{name}={value}" if value != ABSENT else f"no-{name}"


def value_columns(trees: Sequence[Tree]) -> list[str]:
    """Return the columns that are no arcs and that a treebank has, in the order of `GROUPS`."""
    columns: list[str] = []
    if any(":" in deprel for tree in trees for deprel in tree.deprels):
        columns.append(SUBTYPE)
    if any(is_specified(tag) for tree in trees for tag in tree.upos):
        columns.append(UPOS)
    if any(is_specified(lemma) for tree in trees for lemma in tree.lemmas):
        columns.append(LEMMA)
    names = {name for tree in trees for feats in tree.feats for name in features_in(feats)}
    columns += [f"{FEATURE}{name}" for name in sorted(names)]
    return [*columns, XPOS] if _has_own_xpos(trees) else columns


def _has_own_xpos(trees: Sequence[Tree]) -> bool:
    """Return whether XPOS says more than UPOS: a share of more than `RARE` lacks the usual one of its tag."""
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for tag, xpos in zip(tree.upos, tree.xpos, strict=False):
            if is_specified(xpos):
                counts.setdefault(tag, Counter())[xpos] += 1
    words = sum(count.total() for count in counts.values())
    usual = sum(max(count.values()) for count in counts.values())
    return words - usual > RARE * words


def doubted_words(trees: Sequence[Tree], column: str) -> NDArray[np.bool_]:
    """Return bool[words], which words of a whole treebank can be doubted in a column that is no arc.

    Punctuation cannot. A feature is asked of all words that have it, and of all with a tag of which more than
    `RARE` have it; a subtype of all words with a relation that has several.
    """
    import numpy as np  # the names of columns are read to show help

    tags = [tag for tree in trees for tag in tree.upos or ("",) * len(tree)]
    values = [value for tree in trees for value in values_in(tree, column)]
    deprels = (deprel for tree in trees for deprel in tree.deprels)
    are_words: NDArray[np.bool_] = np.array(list(map(is_word, tags, deprels)), bool)
    if column in (UPOS, LEMMA, XPOS):
        said = [is_specified(value) for value in values]
    elif column == SUBTYPE:
        kinds: dict[str, set[str]] = {}
        for value in values:
            kinds.setdefault(universal(value), set()).add(value)
        said = [len(kinds[universal(value)]) > 1 for value in values]
    else:
        count = Counter(tags)
        having = Counter(tag for tag, value in zip(tags, values, strict=True) if value != ABSENT)
        usual = {tag for tag in having if having[tag] > RARE * count[tag]}
        said = [tag in usual or value != ABSENT for tag, value in zip(tags, values, strict=True)]
    are_words &= np.array(said, bool)
    return are_words


def is_word(tag: str, deprel: str) -> bool:
    """Return whether a word is no punctuation by its tag, or its relation where it has none."""
    return tag != PUNCTUATION if is_specified(tag) else universal(deprel) != PUNCT


def are_alternatives(column: str) -> Callable[[str, str], bool]:
    """Return a function that says whether a value could stand in place of another one in a column."""
    if column == SUBTYPE:
        return lambda value, other: value != other and universal(value) == universal(other)
    return lambda value, other: value != other
