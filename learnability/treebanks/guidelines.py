"""Arcs that the universal guidelines rule out, or allow only as an exception, in any language.

The rules are a part of those of the official validator (its levels 2 and 3): which tags a relation goes with,
which words have no dependents, which relations point to the right. They are evidence, no verdict: languages
and releases differ in the exceptions that they allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, ClassVar

from learnability.treebanks.labels import to_v2, universal
from learnability.treebanks.sentence import Tree, is_specified

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Guidelines:
    """Hold the rules for arcs."""

    TAGS: ClassVar[Mapping[str, Set[str]]] = {
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

    FUNCTION: ClassVar[frozenset[str]] = frozenset(
        {"aux", "cop", "case", "mark", "cc", "det", "clf", "punct"}
    )
    """The relations of words that have no dependents but those of `ALLOWED_BELOW`."""

    ALLOWED_BELOW: ClassVar[frozenset[str]] = frozenset(
        {"fixed", "goeswith", "conj", "cc", "punct", "reparandum", "discourse", "advmod", "parataxis"}
    )
    """The dependents that function words may have."""

    TO_THE_RIGHT: ClassVar[frozenset[str]] = frozenset({"conj", "fixed", "flat", "goeswith", "appos"})
    """The relations whose dependent follows its head."""

    ONCE: ClassVar[frozenset[str]] = frozenset({"subj", "obj"})
    """The relations of which a word has at most one dependent."""

    @classmethod
    def fits_tag(cls, deprel: str, tag: str) -> bool:
        """Return whether a word with this tag may have this relation, as far as `TAGS` says."""
        name = universal(to_v2(deprel, tag))
        return name not in cls.TAGS or tag in cls.TAGS[name] or not is_specified(tag)

    RULES: ClassVar[tuple[str, ...]] = ("tag", "leaf", "direction", "twice", "coordinator")
    """The names of the rules, in the order of the columns of :meth:`violations`."""

    _RULES_IN_WORDS: ClassVar[Mapping[str, str]] = {
        "tag": "{tag} cannot be {deprel}",
        "leaf": "{above} has the dependent {deprel}",
        "direction": "{deprel} comes before its head",
        "twice": "{form} has a second {deprel}",
        "coordinator": "the head of cc is no conjunct",
    }

    @classmethod
    def describe_violation(cls, tree: Tree, word: int, rule: str) -> str:
        """Return what a word breaks by one of `RULES`, in words."""
        head = tree.heads[word - 1]
        form, above = (tree.forms[head - 1], tree.deprels[head - 1]) if head else ("", "")
        tag, deprel = tree.upos[word - 1] if tree.upos else "_", tree.deprels[word - 1]
        return cls._RULES_IN_WORDS[rule].format(tag=tag, deprel=deprel, form=form, above=above)

    @classmethod
    def violations(cls, trees: Sequence[Tree]) -> NDArray[np.bool_]:
        """Return bool[words, rules]: which rules the arcs of all words break."""
        import numpy as np

        broken = np.zeros((sum(map(len, trees)), len(cls.RULES)), bool)
        start = -1
        for tree in trees:
            for word, rule in cls.find_violations(tree):
                broken[start + word, cls.RULES.index(rule)] = True
            start += len(tree)
        return broken

    @classmethod
    def find_violations(cls, tree: Tree) -> Iterator[tuple[int, str]]:
        """Yield the words of a tree that break a rule (from 1), and the rule.

        The head of a fixed expression, and a word with ExtPos, may have the relation of any tag.
        """
        tags = tree.upos or ("_",) * len(tree)
        names = [universal(to_v2(deprel, tag)) for deprel, tag in zip(tree.deprels, tags, strict=True)]
        kinds = ["subj" if name in ("nsubj", "csubj") else name for name in names]
        filled = Counter(zip(tree.heads, kinds, strict=True))
        for word, (head, name, kind, tag) in enumerate(zip(tree.heads, names, kinds, tags, strict=True), 1):
            above = names[head - 1] if head else ""
            if name in cls.TAGS and not cls.fits_tag(name, tag) and not _is_expression(tree, word, names):
                yield word, "tag"
            if above in cls.FUNCTION and name not in cls.ALLOWED_BELOW:
                yield word, "leaf"
            if head > word and name in cls.TO_THE_RIGHT:
                yield word, "direction"
            if kind in cls.ONCE and filled[head, kind] > 1:
                yield word, "twice"
            if name == "cc" and head and above != "conj":
                yield word, "coordinator"


def _is_expression(tree: Tree, word: int, names: Sequence[str]) -> bool:
    is_head = any(head == word and name == "fixed" for head, name in zip(tree.heads, names, strict=True))
    return is_head or (bool(tree.feats) and "ExtPos=" in tree.feats[word - 1])
