"""Arcs that the universal guidelines rule out, or allow only as an exception, in any language.

The rules are a part of those of the official validator (its levels 2 and 3): which tags a relation goes with,
which words have no dependents, which relations point to the right. They are evidence, no verdict: languages
and releases differ in the exceptions that they allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnability.extending import Tree, is_specified, to_v2, universal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TAGS = {
    "aux": {"AUX"},
    "cop": {"AUX", "PRON", "DET"},
    "case": {"ADP", "ADV", "NOUN", "PROPN", "PART", "SCONJ", "CCONJ", "ADJ", "VERB"},
    "mark": {"SCONJ", "ADP", "ADV", "PART"},
    "cc": {"CCONJ", "ADV", "PART", "SCONJ", "ADP"},
    "det": {"DET", "PRON", "ADJ", "NUM"},
    "nummod": {"NUM", "NOUN", "SYM", "ADJ"},
    "advmod": {"ADV", "ADJ", "CCONJ", "DET", "PART", "SYM", "INTJ"},
    "expl": {"PRON", "DET", "PART"},
    "punct": {"PUNCT", "SYM"},
}
"""The tags of the words that may have a relation."""

FUNCTION = frozenset({"aux", "cop", "case", "mark", "cc", "det", "clf", "punct"})
"""The relations of words that have no dependents but those of `ALLOWED_BELOW`."""

ALLOWED_BELOW = frozenset(
    {"fixed", "goeswith", "conj", "cc", "punct", "reparandum", "discourse", "advmod", "parataxis"}
)
"""The dependents that function words may have."""

TO_THE_RIGHT = frozenset({"conj", "fixed", "flat", "goeswith", "appos"})
"""The relations whose dependent follows its head."""

ONCE = frozenset({"subj", "obj"})
"""The relations of which a word has at most one dependent."""


def fits_tag(deprel: str, tag: str) -> bool:
    """Return whether a word with this tag may have this relation, as far as `TAGS` says."""
    name = universal(to_v2(deprel, tag))
    return name not in TAGS or tag in TAGS[name] or not is_specified(tag)


RULES = ("tag", "leaf", "direction", "twice", "coordinator")
"""The names of the rules, in the order of the columns of :func:`violations`."""


_RULES_IN_WORDS = {
    "tag": "{tag} cannot be {deprel}",
    "leaf": "{above} of word {head} has the dependent {deprel}",
    "direction": "{deprel} comes before its head",
    "twice": "word {head} has a second {deprel}",
    "coordinator": "the head of cc is no conjunct",
}


def describe_violation(tree: Tree, word: int, rule: str) -> str:
    """Return what a word breaks by one of `RULES`, in words."""
    head = tree.heads[word - 1]
    above = tree.deprels[head - 1] if head else ""
    tag, deprel = tree.upos[word - 1], tree.deprels[word - 1]
    return _RULES_IN_WORDS[rule].format(tag=tag, deprel=deprel, head=head, above=above)


def violations(trees: Sequence[Tree]) -> NDArray[np.bool_]:
    """Return bool[words, rules], which rules the arc of each word breaks, all words one after the other."""
    import numpy as np

    rows = [row for tree in trees for row in violations_of(tree)]
    return np.array(rows, bool).reshape(-1, len(RULES))


def violations_of(tree: Tree) -> list[tuple[bool, ...]]:
    """Return which rules each word of a tree breaks."""
    relations = [universal(to_v2(deprel, upos)) for deprel, upos in zip(tree.deprels, tree.upos, strict=True)]
    kinds = ["subj" if name in ("nsubj", "csubj") else name for name in relations]
    filled: dict[tuple[int, str], int] = {}
    for head, kind in zip(tree.heads, kinds, strict=True):
        filled[head, kind] = filled.get((head, kind), 0) + 1
    rows: list[tuple[bool, ...]] = []
    columns = zip(tree.heads, tree.deprels, relations, kinds, strict=True)
    for word, (head, deprel, name, kind) in enumerate(columns, start=1):
        above, tag = relations[head - 1] if head else "", tree.upos[word - 1]
        rows.append(
            (
                not fits_tag(deprel, tag),
                above in FUNCTION and name not in ALLOWED_BELOW,
                name in TO_THE_RIGHT and head > word,
                kind in ONCE and filled[head, kind] > 1,
                name == "cc" and head > 0 and above != "conj",
            )
        )
    return rows
