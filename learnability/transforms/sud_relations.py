"""Name relations as SUD does, and restore UD's (docs/transformations/sud.md).

Heads move at places, and a place can be selected or not. Relations have no places: all words of a tree have
those of UD, or those of SUD. They are named last, from the tree with external labels (``comp:<label>`` on a
word whose place a function word has taken; docs/rules.md, Labels), and restored first.

SUD has fewer relations than UD: it does not repeat in the relation what the tags of both words say. The way
back reads the tags again. With UD trees to learn from, it takes the relation that UD has most often in the
same situation, otherwise that of :func:`_usual_relation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from learnability.transforms.lifting import VERBAL
from learnability.transforms.plan import Namer
from learnability.transforms.preferences import SidePreferences, Value
from learnability.treebanks import labels as ud
from learnability.treebanks.labels import (
    COMPLEMENT,
    ROOT_LABEL,
    UNKNOWN_RELATION,
    complement_of,
    to_v2,
    universal,
)
from learnability.treebanks.sentence import ROOT, Tree

_PLAIN = {
    "nsubj": "subj", "obj": "comp:obj", "iobj": "comp:obl", "ccomp": "comp:obj", "obl": "udep",
    "advmod": "mod", "advcl": "mod", "amod": "mod", "nummod": "mod", "acl": "mod", "fixed": "unk",
    "dep": "unk", "conj": "conj:coord", "appos": "conj:appos",
}  # fmt: skip
"""Relations of UD that have one of SUD whatever the words are. Others keep their names."""

_COMPLEMENTS = {
    "aux": "comp:aux", "cop": "comp:pred", "case": "comp:obj", "mark": "comp:obj",
    "reparandum": "conj:dicto",
}  # fmt: skip
"""Relations of the words whose place a function word has taken, by its relation."""

_SUBTYPED = {
    "obl:arg": "comp:obl", "obl:agent": "comp:obl@agent", "obl:mod": "mod", "obl:tmod": "mod",
    "obl:npmod": "mod", "obl:unmarked": "mod", "obl:lmod": "mod", "obl:smod": "mod",
    "nmod:tmod": "mod", "nmod:npmod": "mod", "nmod:unmarked": "mod", "nmod:poss": "udep@poss",
    "expl:subj": "subj@expl", "expl:impers": "subj@expl", "expl:comp": "comp@expl",
    "expl:pv": "comp@expl", "expl:pass": "comp@pass", "advcl:cleft": "comp:cleft",
    "acl:cleft": "comp:cleft", "dep:comp": "mod", "nsubj:outer": "subj", "csubj:outer": "subj",
    "cc:preconj": "cc@preconj", "parataxis:insert": "parataxis:insert",
    "parataxis:obj": "parataxis:obj", "parataxis:parenth": "parataxis:parenth",
    "conj:appos": "conj:appos", "conj:dicto": "conj:dicto", "conj:coord": "conj:coord",
}  # fmt: skip
"""Relations of UD whose subtype decides. Of others the subtype becomes an extension (``nsubj:pass``,
``subj@pass``)."""

_TO_V1 = {
    "obj": "dobj", "aux:pass": "auxpass", "nsubj:pass": "nsubjpass", "csubj:pass": "csubjpass",
    "fixed": "mwe", "flat:name": "name", "flat:foreign": "foreign", "flat": "name",
    "orphan": "remnant", "obl": "nmod", "obl:arg": "nmod", "obl:agent": "nmod:agent",
}  # fmt: skip
"""What version 1 of UD calls the relations that SUD usually stands for."""

_EXPLETIVE_SUBJECTS = frozenset({"expl:subj", "expl:impers"})

_MARKERS = frozenset({"ADP", "SCONJ", "PART"})
_CLAUSES = frozenset({"VERB", "AUX"})
_NOMINALS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})

_NUMERALS_AS_DETERMINERS = frozenset({"fr"})
"""The languages in whose SUD a numeral that stands in the place of a determiner is one."""


@dataclass(frozen=True)
class _Words:
    """Hold what the relations of the words of a UD tree depend on."""

    tree: Tree
    language: str
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tree: Tree, language: str) -> _Words:
        children: list[list[int]] = [[] for _ in range(len(tree) + 1)]
        for token, head in enumerate(tree.heads, start=1):
            children[head].append(token)
        return cls(tree, language, tuple(map(tuple, children)))

    def name(self, token: int, external: str) -> str:
        if external == ROOT_LABEL:
            return external
        if complement := complement_of(external):
            relation, _, subtype = to_v2(complement).partition(":")
            if relation in _COMPLEMENTS:
                keeps = relation in VERBAL and subtype
                return f"{_COMPLEMENTS[relation]}@{subtype}" if keeps else _COMPLEMENTS[relation]
        word = self._find_owner(token, external)
        deprel = to_v2(external, self.tree.upos[word - 1])
        relation, _, subtype = deprel.partition(":")
        if deprel in _SUBTYPED:
            return _SUBTYPED[deprel]
        name = self._name_universal(word, relation)
        if relation == "conj" and self._is_embedded(word):
            name += "@emb"
        return f"{name}@{subtype.replace(':', '@')}" if subtype else name

    def _find_owner(self, token: int, external: str) -> int:
        """Return the word of the UD tree whose relation a word has: its own, or a content word's."""
        word = token
        while self.tree.deprels[word - 1] != external and self.tree.heads[word - 1] != ROOT:
            word = self.tree.heads[word - 1]
        return word

    def _name_universal(self, word: int, relation: str) -> str:
        if relation == "nsubj" and self._is_impersonal(word):
            return "comp:obj@agent"
        if relation == "csubj":
            return "comp:obj" if self._has(self.tree.heads[word - 1], "expl") else "subj"
        if relation == "expl":
            return "comp@expl" if self._is_reflexive(word) else "subj@expl"
        if relation == "nmod":
            is_marked = self._has(word, "case") or self.tree.upos[word - 1] == "PRON"
            return "udep" if is_marked else "mod"
        if relation == "acl":
            marks = [t for t in self.children[word] if universal(self.tree.deprels[t - 1]) == "mark"]
            return "udep" if any(self.tree.upos[t - 1] == "ADP" for t in marks) else "mod"
        if relation == "xcomp":
            return self._name_open_complement(word)
        if relation == "nummod" and self._is_determiner(word):
            return "det"
        return _PLAIN.get(relation, relation)

    def _name_open_complement(self, word: int) -> str:
        """Return the relation of a complement without subject: of a verb, or of an adjective or noun."""
        if self._has(word, "cop") or self._has(word, "aux") or self.tree.upos[word - 1] in _CLAUSES:
            head = self.tree.heads[word - 1]
            has_object = self._has(head, "obj") or self._has(head, "dobj")
            is_marked = any(
                universal(self.tree.deprels[t - 1]) == "mark" and self.tree.upos[t - 1] in ("ADP", "PART")
                for t in self.children[word]
            )
            is_verb = self.tree.upos[head - 1] in _CLAUSES
            return "comp:obl" if is_marked and (has_object or not is_verb) else "comp:obj"
        return "comp:pred"

    def _is_determiner(self, word: int) -> bool:
        head = self.tree.heads[word - 1]
        is_known = self.language in _NUMERALS_AS_DETERMINERS
        return is_known and word < head and not self._has(head, "det")

    def _is_impersonal(self, word: int) -> bool:
        """Return whether an expletive has the place of a subject that follows (*il manque une page*)."""
        head = self.tree.heads[word - 1]
        siblings = (self.tree.deprels[t - 1] for t in self.children[head])
        return word > head and any(deprel in _EXPLETIVE_SUBJECTS for deprel in siblings)

    def _is_reflexive(self, word: int) -> bool:
        return bool(self.tree.feats) and "Reflex=Yes" in self.tree.feats[word - 1].split("|")

    def _is_embedded(self, word: int) -> bool:
        head = self.tree.heads[word - 1]
        return universal(self.tree.deprels[head - 1]) in ud.CONJ if head else False

    def _has(self, word: int, relation: str) -> bool:
        return any(universal(self.tree.deprels[t - 1]) == relation for t in self.children[word])


def make_namer(tree: Tree, language: str) -> Namer:
    return _Words.of(tree, language).name


def learn_labels(pairs: Iterable[tuple[Tree, Tree]]) -> SidePreferences:
    """Count the external labels of words by their relations in SUD and the tags around them.

    `pairs`: trees with external labels, and with relations of SUD.
    """
    learned = SidePreferences()
    for external, named in pairs:
        for token, values in _situations(named).items():
            learned.see_name(values, external.deprels[token - 1])
    return learned


def restore_labels(trees: Sequence[Tree], known: SidePreferences | None, *, version: int) -> list[Tree]:
    """Return the trees with external labels: the most frequent in the same situation, else the usual.

    Whatever the trees and their relations are, heads stay, and so do the labels of root words.
    """
    found = _most_frequent(known) if known else {}
    restored = []
    for tree in trees:
        labels = list(tree.deprels)
        for token, values in _situations(tree).items():
            learned = next((found[value] for value in values if value in found), "")
            labels[token - 1] = learned or _usual_relation(values[0], version)
        restored.append(tree.with_heads(tree.heads, labels))
    return restored


def _most_frequent(known: SidePreferences) -> dict[Value, str]:
    """Return the most frequent external label of each situation, of several the first in the alphabet."""
    best: dict[Value, tuple[int, str]] = {}
    for (*situation, label), count in sorted(known.names.items()):
        if count > best.get(tuple(situation), (0, ""))[0]:
            best[tuple(situation)] = count, label
    return {situation: label for situation, (_, label) in best.items()}


def _situations(tree: Tree) -> dict[int, list[Value]]:
    """Return what decides about the relation of each word but the roots, from fine to coarse: tags, side,
    form."""
    complements: dict[int, int] = {}
    for token, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
        is_marked = head != ROOT and tree.upos[head - 1] in _MARKERS and deprel == "comp:obj"
        if head != ROOT and (is_marked or deprel.split("@")[0] in ("comp:aux", "comp:pred")):
            complements.setdefault(head, token)

    def content(token: int) -> str:
        while token in complements:
            token = complements[token]
        return tree.upos[token - 1]

    situations: dict[int, list[Value]] = {}
    for token, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
        if head == ROOT or deprel == ROOT_LABEL:
            continue
        tags = tree.upos[token - 1], content(token), tree.upos[head - 1], content(head)
        side = "right" if token > head else "left"
        form = tree.forms[head - 1].lower() if deprel.startswith(COMPLEMENT) else ""
        situations[token] = [
            (deprel, *tags, side, form),
            (deprel, *tags, side),
            (deprel, tags[1], tags[2]),
            (deprel, tags[1]),
        ]
    return situations


def _usual_relation(situation: Value, version: int) -> str:
    deprel, own, content, head, of_head, *_ = situation
    name, _, extension = deprel.partition("@")
    label = _usual_name(name, extension, own, content, head, of_head)
    if version == 1 and name == "comp:pred" and head in _CLAUSES:
        label = COMPLEMENT + "cop"  # version 1 tags copulas as verbs
    complement = complement_of(label)
    relation = complement or label or UNKNOWN_RELATION
    if extension in ("pass", "caus", "outer", "tense") and ":" not in relation:
        relation += f":{extension}"
    if version == 1:
        relation = _TO_V1.get(relation, relation)
    return COMPLEMENT + relation if complement else relation


def _usual_name(name: str, extension: str, own: str, content: str, head: str, of_head: str) -> str:
    is_clause = content in _CLAUSES or own in ("SCONJ", *_CLAUSES)
    if name in ("comp:aux", "comp:pred"):
        if name == "comp:aux":
            return COMPLEMENT + "aux"
        return COMPLEMENT + "cop" if head == "AUX" else "xcomp"
    if name == "comp:obj":
        if head in _MARKERS:
            return COMPLEMENT + ("mark" if is_clause or head == "SCONJ" else "case")
        return "ccomp" if is_clause else "obj"
    if name == "comp:obl":
        return (
            "iobj" if own in _NOMINALS else "ccomp" if is_clause else "obl:agent" if extension else "obl:arg"
        )
    if name in ("comp", "subj") and extension == "expl":
        return "expl"
    if name == "subj":
        return "csubj" if is_clause else "nsubj"
    if name == "comp:cleft":
        return "advcl:cleft"
    if name == "comp":
        return "obj"
    if name in ("mod", "udep"):
        return _usual_modifier(extension, content, of_head)
    usual = {"conj:coord": "conj", "conj:appos": "appos", "unk": "fixed"}
    if name == "conj:dicto":
        return COMPLEMENT + "reparandum"
    if name in usual:
        return usual[name]
    return f"{name}:{extension}" if name and extension and extension != "emb" else name


def _usual_modifier(extension: str, content: str, of_head: str) -> str:
    of_noun = of_head in _NOMINALS
    if content in _CLAUSES:
        return "acl:relcl" if extension == "relcl" else "acl" if of_noun else "advcl"
    if content == "ADV":
        return "advmod"
    if content == "ADJ":
        return "amod" if of_noun else "advcl"
    if content == "NUM" and of_noun:
        return "nummod"
    return "nmod" if of_noun else "obl"
