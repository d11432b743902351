"""Restrict transformations to some of the places, chosen by word, relation, side or language.

A place that is not admitted counts as unselected in every selection. The layers are those of the unrestricted
transformation, so the result is one of its partial applications and keeps every property that it promises.

A restriction is written like an option, ``case:lemma=of|to,side=left``: the word has one of the values. With
``!=`` it has none of them, ``case:lemma!=of|to``; in names of criteria the ``!`` is the last letter
(``lemma!``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from learnability.errors import InputError
from learnability.transforms.escapes import escape_value
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

SIDES = ("left", "right")
UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
)
"""The UPOS tags of both versions of UD."""


def _lemma(tree: Tree, token: int) -> Collection[str]:
    if not tree.lemmas:
        raise InputError("a restriction by lemma needs lemmas, but the treebank has none; restrict by form")
    lemma = tree.lemmas[token - 1].lower()
    return () if lemma == "_" != tree.forms[token - 1] else (lemma,)


def _features(tree: Tree, token: int) -> Collection[str]:
    """Return every feature of a word as its name and with each of its values: Case, Case=Acc, Case=Dat."""
    if not tree.feats:
        raise InputError("a restriction by feats needs FEATS, but the treebank has none; restrict by form")
    features: set[str] = set()
    for feature in tree.feats[token - 1].split("|"):
        name, _, values = feature.partition("=")
        features |= {name, *(f"{name}={value}" for value in values.split(","))}
    return features


def _attributes(cells: Iterable[str]) -> Collection[str]:
    """Return each attribute as its name and with its value: LangID, LangID=DE; `_` if there is none."""
    found: set[str] = set()
    for cell in cells:
        found |= {cell.partition("=")[0], cell}
    return found or {NO_DEPENDENT}


def _misc(tree: Tree, token: int) -> Collection[str]:
    return _attributes(tree.misc[token - 1].split("|") if tree.misc else ())


def _relation(tree: Tree, token: int) -> Collection[str]:
    return tree.deprels[token - 1], universal(tree.deprels[token - 1])


def _side(tree: Tree, token: int) -> Collection[str]:
    return (SIDES[token > tree.heads[token - 1]],)


Values = Callable[[Tree, int], Collection[str]]

NO_DEPENDENT = "_"
"""The value of every criterion of dependents, for a word that has none."""

OF_HEAD, OF_DEPENDENT = "head_", "child_"
"""The beginnings of the names of criteria that look at another word than that of the place."""


def _of_head(values_of: Values) -> Values:
    def values(tree: Tree, token: int) -> Collection[str]:
        head = tree.heads[token - 1]
        return values_of(tree, head) if head else ()

    return values


def _of_dependents(values_of: Values) -> Values:
    def values(tree: Tree, token: int) -> Collection[str]:
        dependents = [other for other, head in enumerate(tree.heads, start=1) if head == token]
        found = dict.fromkeys(value for dependent in dependents for value in values_of(tree, dependent))
        return tuple(found) if dependents else (NO_DEPENDENT,)

    return values


OF_WORDS: Mapping[str, Values] = {
    "form": lambda tree, token: (tree.forms[token - 1].lower(),),
    "lemma": _lemma,
    "upos": lambda tree, token: (tree.upos[token - 1],),
    "feats": _features,
    "misc": _misc,
    "comment": lambda tree, token: _attributes(tree.comments),
}
"""The values of a word that do not depend on its head and relation; none if they are unknown."""

_WORD_IN_TREE: Mapping[str, Values] = {**OF_WORDS, "deprel": _relation, "side": _side}

_OF_OTHERS = ("upos", "lemma", "feats", "misc", "deprel", "side")
"""The criteria that the head and the dependents of a word have, too."""

IN_TREES: Mapping[str, Values] = {
    **_WORD_IN_TREE,
    **{OF_HEAD + name: _of_head(_WORD_IN_TREE[name]) for name in _OF_OTHERS},
    **{OF_DEPENDENT + name: _of_dependents(_WORD_IN_TREE[name]) for name in _OF_OTHERS},
}
"""The values of a word in a UD tree."""


def criterion_of_word(name: str) -> str:
    """Return which criterion of a word a criterion of its head or its dependents reads: `lemma`, `upos`."""
    return name.removeprefix(OF_HEAD).removeprefix(OF_DEPENDENT)


CRITERIA = (*IN_TREES, "language")
RESTRICTIONS = tuple(name + negation for name in CRITERIA for negation in ("", "!"))
"""The names of the criteria, each followed by the one that excludes values."""


Wanted = tuple[tuple[str, tuple[str, ...]], ...]
"""Names of `RESTRICTIONS` with their values."""


@dataclass(frozen=True, slots=True)
class _Requirement:
    """Hold a criterion ready to be tested, millions of times."""

    values_of: Values
    wanted: frozenset[str]
    excludes: bool


@cache
def _requirements(wanted: Wanted, *, whole_tree: bool) -> tuple[_Requirement, ...]:
    known = IN_TREES if whole_tree else OF_WORDS
    return tuple(
        _Requirement(known[name.removesuffix("!")], frozenset(values), name.endswith("!"))
        for name, values in wanted
        if name.removesuffix("!") in known
    )


@cache
def _languages(wanted: Wanted) -> Wanted:
    return tuple((name, codes) for name, codes in wanted if name.startswith("language"))


@dataclass(frozen=True, slots=True)
class Restriction:
    """Choose which places are admitted; all criteria must agree:

    - form, lemma: of the place's token, in lower case; a word without lemma is never admitted by lemma
    - upos: its UPOS tag
    - feats: one of its features (``Case=Gen``), or a feature with any value (``Case``)
    - misc: one of its attributes in MISC (``LangID=DE``), or an attribute with any value (``LangID``)
    - comment: a comment of its sentence or document (``genre=news``), or one with any value (``genre``)
    - deprel: its UD relation; one without subtype (``case``) includes its subtypes
    - side: ``left`` or ``right``, where the token stands, seen from its UD head
    - head_upos, head_lemma, head_feats, head_misc, head_deprel, head_side: of its UD head; the root word
      has none
    - child_upos and so on: of one of its dependents in UD; `_` if it has none
    - language: the language code of the treebank

    Attributes:
        wanted: names of `RESTRICTIONS` in their order, with the values: one of them must hold (``lemma``), or
            none (``lemma!``).
    """

    wanted: Wanted

    def __init__(self, **wanted: Iterable[str]) -> None:
        in_lower_case = ("form", "lemma")
        lower = {
            name: str.lower
            for name in RESTRICTIONS
            if criterion_of_word(name.removesuffix("!")) in in_lower_case
        }
        values = {
            name: tuple(dict.fromkeys(map(lower.get(name, str), wanted.get(name, ()))))
            for name in RESTRICTIONS
        }
        object.__setattr__(self, "wanted", tuple(item for item in values.items() if item[1]))

    def __bool__(self) -> bool:
        return bool(self.wanted)

    def __str__(self) -> str:
        """Return the restriction as one word: ``form=de|à,side!=left``."""
        return ",".join(f"{name}={'|'.join(map(escape_value, values))}" for name, values in self.wanted)

    def admits_language(self, language: str) -> bool:
        """Return whether treebanks of the language have places; InputError if it matters and is unknown."""
        for name, codes in _languages(self.wanted):
            if not language:
                problem = f"the restriction {name}={'|'.join(codes)} needs the language of the treebank"
                raise InputError(f"{problem}; name its files as UD does (fr_gsd-ud-train.conllu)")
            if (language in codes) == name.endswith("!"):
                return False
        return True

    def admits_word(self, tree: Tree, token: int, language: str) -> bool:
        """Return whether the token is admitted, regardless of its head and relation."""
        return self.admits_language(language) and self._agrees(whole_tree=False, tree=tree, token=token)

    def admits(self, tree: Tree, token: int, language: str) -> bool:
        return self.admits_language(language) and self._agrees(whole_tree=True, tree=tree, token=token)

    def _agrees(self, *, whole_tree: bool, tree: Tree, token: int) -> bool:
        for requirement in _requirements(self.wanted, whole_tree=whole_tree):
            values = requirement.values_of(tree, token)
            if not values or requirement.wanted.isdisjoint(values) != requirement.excludes:
                return False
        return True
