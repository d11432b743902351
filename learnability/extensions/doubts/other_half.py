"""Propose the other half of a correction: the relation that a new tag needs, its XPOS, features and lemma.

A proposal is about one column. Where the treebank hardly ever has the new value together with what stays,
the others are as most words of the same form have them that have the new value, else as its tag asks for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from learnability.extending import Guidelines, Tree, is_specified, universal
from learnability.extensions.doubts.columns import DEPREL, FEATS, LEMMA, UPOS, XPOS, features_in
from learnability.extensions.doubts.decisions import half_in_cell

SELDOM = 0.005
"""A value that no larger share of words has does not go with them."""

MOSTLY = 0.5
"""Without the form, only what a larger share of words has is proposed."""

ROOT = "root"


class OtherHalves:
    """Count in a treebank what goes together."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.relations: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.relations_of_form: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.cells_of_form: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        self.lemmas_of_form: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.xpos: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.feats: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.features: defaultdict[str, Counter[str]] = defaultdict(Counter)
        alike = Counter(word for tree in trees for word in _words_of(tree))
        for (form, tag, deprel, xpos, feats, lemma), count in alike.items():
            self.relations[tag][deprel] += count
            self.relations_of_form[form, tag][deprel] += count
            self.cells_of_form[form, tag][xpos, feats] += count
            self.lemmas_of_form[form, tag][lemma] += count
            self.xpos[tag][xpos] += count
            self.feats[tag][feats] += count
        for tag, cells in self.feats.items():
            for feats, count in cells.items():
                for name in features_in(feats):
                    self.features[tag][name] += count

    @cached_property
    def tags_of_form(self) -> dict[tuple[str, str], Counter[str]]:
        """Return how often each tag goes with a form and a relation."""
        found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for (form, tag), relations in self.relations_of_form.items():
            for deprel, count in relations.items():
                found[form, deprel][tag] += count
        return found

    @cached_property
    def tags(self) -> dict[str, Counter[str]]:
        """Return how often each tag goes with a relation."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for tag, relations in self.relations.items():
            for deprel, count in relations.items():
                found[deprel][tag] += count
        return found

    def goes(self, tag: str, deprel: str) -> bool:
        """Return whether words with a tag have a relation more than seldom."""
        relations = self.relations[tag]
        return Guidelines.fits_tag(deprel, tag) and relations[deprel] > SELDOM * relations.total()

    def of_value(self, tree: Tree, word: int, column: str, value: str) -> str:
        """Return what else changes if a word gets a value in a column that is no arc, as a cell has it."""
        return half_in_cell(self.of_tag(tree, word, value).items()) if column == UPOS else ""

    def of_tag(self, tree: Tree, word: int, tag: str) -> dict[str, str]:
        """Return what else changes by column if a word gets a tag: its relation, and its `cells`."""
        changes = self.cells(tree, word, tag)
        deprel = tree.deprels[word - 1]
        if universal(deprel) == ROOT or self.goes(tag, deprel):
            return changes
        of_form = self.relations_of_form.get((tree.forms[word - 1].lower(), tag), Counter())
        for candidates, least in ((of_form, 0.0), (self.relations[tag], MOSTLY)):
            for name, count in candidates.most_common(1):
                if count > least * candidates.total() and self.goes(tag, name) and universal(name) != ROOT:
                    return {DEPREL: name, **changes}
        return changes

    def of_relation(self, tree: Tree, word: int, deprel: str) -> dict[str, str]:
        """Return what else changes by column if a word gets a relation: its tag, and what goes with it."""
        tag, form = (tree.upos or ("_",) * len(tree))[word - 1], tree.forms[word - 1].lower()
        if not is_specified(tag) or universal(deprel) == ROOT or self.goes(tag, deprel):
            return {}
        of_form = self.tags_of_form.get((form, deprel), Counter())
        for candidates, least in ((of_form, MOSTLY), (self.tags.get(deprel, Counter()), 1 - SELDOM)):
            for name, count in candidates.most_common(1):
                if name != tag and count > least * candidates.total() and self.goes(name, deprel):
                    return {UPOS: name, **self.cells(tree, word, name)}
        return {}

    def cells(self, tree: Tree, word: int, tag: str) -> dict[str, str]:
        """Return the XPOS, features and lemma that a word gets with a tag, where they differ from its own."""
        form = tree.forms[word - 1].lower()
        xpos, feats, lemma = now = [column[word - 1] for column in _rest_of(tree)]
        if of_form := self.cells_of_form.get((form, tag)):
            xpos, feats = min(of_form.items(), key=lambda item: (-item[1], item[0]))[0]
        elif self.xpos[tag]:
            having, words = self.features[tag], self.xpos[tag].total()
            kept = [f"{k}={v}" for k, v in features_in(feats).items() if having[k] > SELDOM * words]
            usual = self.xpos[tag].most_common(1)
            xpos = xpos if self.xpos[tag][xpos] or not usual else usual[0][0]
            feats = "|".join(kept) or "_"
        lemmas = self.lemmas_of_form.get((form, tag), Counter())
        for name, count in lemmas.most_common(1):
            if count > MOSTLY * lemmas.total() and is_specified(name) and name.split() == [name]:
                lemma = name
        pairs = zip((XPOS, FEATS, LEMMA), now, (xpos, feats, lemma), strict=True)
        return {column: after for column, before, after in pairs if before != after}


def _words_of(tree: Tree) -> Iterator[tuple[str, ...]]:
    blank = ("_",) * len(tree)
    forms = [form.lower() for form in tree.forms]
    return zip(forms, tree.upos or blank, tree.deprels, *_rest_of(tree), strict=True)


def _rest_of(tree: Tree) -> Sequence[Sequence[str]]:
    blank = ("_",) * len(tree)
    return tree.xpos or blank, tree.feats or blank, tree.lemmas or blank
