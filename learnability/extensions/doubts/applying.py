"""Apply decisions to the files of a treebank: accepted arcs go in, whatever would break a tree is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from learnability.extending import (
    ConlluFile,
    Sentence,
    SentenceChecker,
    Tree,
    count_noun,
    follow_trees,
    universal,
    write_conllu,
)
from learnability.extensions.doubts.columns import (
    ARCS,
    DEPREL,
    FEATS,
    FEATURE,
    LEMMA,
    RELATIONS,
    TAGS,
    UPOS,
    XPOS,
    describe_value,
    values_in,
)
from learnability.extensions.doubts.decisions import ACCEPT, HALVES, Decision
from learnability.extensions.doubts.linked_arc import ProposedArc

RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
"""The form of a relation that the treebank does not have yet, as the validator of UD demands it."""

ROOT_RELATION = "root"

_SEPARATOR = re.compile("[\t\n\r\v\f]")

_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=([A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*)?")
"""A feature and its value as the guidelines of UD write them; without a value it is removed."""


@dataclass(frozen=True)
class Refused:
    """Represent a decision that could not be applied, and why."""

    decision: Decision
    reason: str


@dataclass
class Applied:
    """Hold what came of decisions.

    Attributes:
        files: the files with their new bytes, in order; the same bytes where nothing changes.
        trees: the files with their new trees.
        done: what was applied, once for each sentence.
        changed: how many words have another head, relation, tag, lemma or feature.
        accepted: how many decisions were applied.
        already: how many had been applied before: the words have the accepted arcs.
        arcs: how many words have another head or relation.
        followed: how many words have an enhanced edge that repeated their arc, and follows the new one.
        unclear: file and line of the words with other enhanced edges, which may contradict the new trees.
    """

    files: list[tuple[ConlluFile, bytes]] = field(default_factory=list)
    trees: list[tuple[ConlluFile, Sequence[Tree]]] = field(default_factory=list)
    done: list[Decision] = field(default_factory=list)
    changed: int = 0
    accepted: int = 0
    already: int = 0
    arcs: int = 0
    followed: int = 0
    unclear: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def apply_decisions(
    files: Sequence[ConlluFile],
    decisions: Iterable[Decision],
    *,
    multiple_roots: bool = False,
    checker: SentenceChecker | None = None,
) -> Applied:
    """Return the files with the accepted decisions applied; without a checker they are applied unchecked.

    A decision applies to every sentence with its words in which the word still has the arc that was decided
    about, unless it brings an error there.
    """
    accepted, swapping = _part_swapping([each for each in decisions if each.verdict == ACCEPT])
    by_content: dict[str, list[Decision]] = {}
    for decision in accepted:
        by_content.setdefault(decision.place.content, []).append(decision)
    known = _Known([sentence.tree for file in files for sentence in file.sentences], multiple_roots)
    edited = [
        [
            _EditedSentence(sentence, by_content.get(sentence.content, ()), known)
            for sentence in file.sentences
        ]
        for file in files
    ]
    applied = Applied(refused=swapping)
    if checker is not None:
        applied.refused += _take_back_errors([each for of_file in edited for each in of_file], checker)
    done, already, reasons = set[int](), set[int](), dict[int, str]()
    for file, sentences in zip(files, edited, strict=True):
        for each in sentences:
            for decision, reason in each.refusals:
                reasons[id(decision)] = f"{each.locate(decision)}: {reason}"
            done.update(map(id, each.done))
            applied.done += each.done
            already.update(map(id, each.already))
            for word in each.changed_words():
                applied.changed += 1
                applied.arcs += _arc(each.tree, word) != _arc(each.before, word)
        trees = [each.tree for each in sentences]
        applied.trees.append((file, trees))
        applied.files.append((file, write_conllu(file, trees, deps="follow")))
        enhanced = follow_trees(file.sentences, trees)
        applied.followed += len(enhanced.followed)
        applied.unclear += enhanced.contradicted
    taken_back = {id(each.decision) for each in applied.refused}
    applied.accepted = len(done)
    already -= done | taken_back | reasons.keys()  # a copy of the sentence may have had the arcs
    applied.already = len(already)
    for decision in accepted:
        if id(decision) not in done | already | taken_back:
            reason = reasons.get(id(decision), "no sentence of the treebank has these words")
            applied.refused.append(Refused(decision, reason))
    return applied


def find_unapplied(
    sentences: Sequence[Sentence], decisions: Iterable[Decision]
) -> list[tuple[Sentence, Decision]]:
    """Return what is accepted though the annotation that was decided about still stands, and where."""
    accepted: dict[str, list[Decision]] = {}
    for decision in decisions:
        if decision.verdict == ACCEPT:
            accepted.setdefault(decision.place.content, []).append(decision)
    found, nothing = [], _Known((), multiple_roots=False)
    for sentence in sentences:
        edited = _EditedSentence(sentence, (), nothing)
        for decision in accepted.get(sentence.content, ()):
            if edited.still_stands(decision):
                found.append((sentence, decision))
    return found


@dataclass(frozen=True)
class _Known:
    """Hold what the trees of a treebank have, and so new trees may have."""

    trees: Sequence[Tree]
    multiple_roots: bool

    @cached_property
    def relations(self) -> Set[str]:
        return {deprel for tree in self.trees for deprel in tree.deprels}

    @cached_property
    def tags(self) -> Set[str]:
        return {tag for tree in self.trees for tag in tree.upos} | {*TAGS}


def _part_swapping(accepted: Sequence[Decision]) -> tuple[list[Decision], list[Refused]]:
    by_place = {decision.place: decision for decision in accepted}
    kept, refused = [], []
    for decision in accepted:
        others = (by_place.get(place) for place in decision.settled if place != decision.place)
        swapped = next((each for each in others if each and decision.place in each.settled), None)
        if swapped is None:
            kept.append(decision)
        else:
            reason = f"{swapped.where} makes a copy of the sentence as this one is; accept one of the two"
            refused.append(Refused(decision, reason))
    return kept, refused


def _versions_of(edited: Sequence[_EditedSentence]) -> tuple[list[Sentence], list[Tree], list[Tree]]:
    return (
        [each.sentence for each in edited],
        [each.before for each in edited],
        [each.tree for each in edited],
    )


def _take_back_errors(edited: Sequence[_EditedSentence], checker: SentenceChecker) -> list[Refused]:
    """Take back the decisions that bring errors, as few as possible, and return them with the errors.

    Of the decisions about a sentence, that one goes without which the fewest new errors remain, until none
    remains. What went is then tried again with what stays.
    """
    refused: list[Refused] = []
    went: dict[int, list[Refused]] = {}
    touched = [each for each in edited if each.changed_words()]
    pairs = zip(touched, checker.find_new(*_versions_of(touched)), strict=True)
    wrong = [(each, errors) for each, errors in pairs if errors]
    while wrong:
        tried = [(each, decision, each.without(decision)) for each, _ in wrong for decision in each.done]
        found = checker.find_new(*_versions_of([other for *_, other in tried]))
        left = []
        for each, errors in wrong:
            options = [
                (len(new), -place, decision, other, new)
                for place, ((owner, decision, other), new) in enumerate(zip(tried, found, strict=True))
                if owner is each
            ]
            *_, decision, other, new = min(options, key=lambda option: option[:2])
            remaining = {(error.line, error.test) for error in new}
            brought = [error for error in errors if (error.line, error.test) not in remaining] or errors
            reason = f"{each.locate(decision)}: {checker.name} finds a new error: {checker.describe(brought)}"
            went.setdefault(id(each), []).append(Refused(decision, reason))
            each.become(other)
            if new:
                left.append((each, new))
        wrong = left
    for each in edited:
        back = went.get(id(each), [])
        for taken in back:
            other = each.with_only([*each.decisions, taken.decision])
            if (
                len(back) > 1
                and taken.decision in other.done
                and not checker.find_new(*_versions_of([other]))[0]
            ):
                each.become(other)
            else:
                refused.append(taken)
    return refused


class _EditedSentence:
    """A sentence to which decisions are applied, one after the other."""

    def __init__(self, sentence: Sentence, decisions: Sequence[Decision], known: _Known) -> None:
        self.sentence, self.decisions, self.known = sentence, decisions, known
        self.before = self.tree = sentence.tree
        self.by_word: dict[int, Decision] = {}
        self.done: list[Decision] = []
        self.already: list[Decision] = []
        self.refusals = list(self._apply(decisions))

    def with_only(self, decisions: Sequence[Decision]) -> _EditedSentence:
        return _EditedSentence(self.sentence, decisions, self.known)

    def without(self, decision: Decision) -> _EditedSentence:
        return self.with_only([each for each in self.decisions if each is not decision])

    def become(self, other: _EditedSentence) -> None:
        vars(self).update(vars(other))

    def locate(self, decision: Decision) -> str:
        line = self.sentence.line_of(min(max(1, decision.place.word), len(self.sentence)))
        return f"{self.sentence.file}:{line}"

    def _apply(self, decisions: Sequence[Decision]) -> Iterator[tuple[Decision, str]]:
        """Apply what can be applied, and yield what cannot, with the reason.

        One may need another that comes later: what was refused is tried again as long as that helps.
        """
        waiting, reasons = list(decisions), list[str]()
        while waiting:
            refused = [(decision, self._try(decision)) for decision in waiting]
            reasons = [reason for _, reason in refused if reason]
            left = [decision for decision, reason in refused if reason]
            if len(left) == len(waiting):
                break
            waiting = left
        if waiting and self._try_together(waiting):
            return
        yield from zip(waiting, reasons, strict=True)

    def _try(self, decision: Decision) -> str:
        """Apply a decision; return why it cannot be applied, or nothing."""
        reason = self._check_place(decision)
        if reason is None:
            self.already.append(decision)
            return ""
        if reason := reason or self._check(decision):
            return reason
        tree = _with_arcs(self.tree, decision.arcs)
        if reason := self._check_tree(tree):
            return reason
        self._take(tree, [decision])
        return ""

    def _try_together(self, decisions: Sequence[Decision]) -> bool:
        if any(self._check_place(decision) or self._check(decision) for decision in decisions):
            return False
        every = [arc for decision in decisions for arc in decision.arcs]
        if len({arc.word for arc in every}) < len(set(every)):
            return False
        tree = _with_arcs(self.tree, every)
        if self._check_tree(tree):
            return False
        self._take(tree, decisions)
        return True

    def _take(self, tree: Tree, decisions: Sequence[Decision]) -> None:
        self.tree = _with_values(tree, decisions)
        self.done += decisions
        for decision in decisions:
            self.by_word |= dict.fromkeys((arc.word for arc in decision.arcs), decision)

    def changed_words(self) -> list[int]:
        return [
            word
            for word in range(1, len(self.tree) + 1)
            if _cells(self.tree, word) != _cells(self.before, word)
        ]

    def _check(self, decision: Decision) -> str:
        return (
            self._check_values(decision.arcs)
            or self._check_new_values(decision)
            or self._check_words(decision)
        )

    def _check_place(self, decision: Decision) -> str | None:
        """Return why a decision is not about this sentence; None if its arcs are there already."""
        word, old_head, old_deprel = decision.place[1:4]
        if not 1 <= word <= len(self.before):
            return f"the sentence has {count_noun(len(self.before), 'word')}, but no word {word}"
        values = [(value, _value(self.before, word, value.column)) for value in decision.values]
        if all(_is_in(self.before, arc) for arc in decision.arcs):
            return None if all(value.new == now for value, now in values) else ""
        if _arc(self.before, word) != (old_head, old_deprel):
            head, deprel = _arc(self.before, word)
            return f"word {word} is {deprel} of {head}, no longer {old_deprel} of {old_head}; decide again"
        return ""

    def still_stands(self, decision: Decision) -> bool:
        """Return whether the annotation stands that was decided about, or part of the change is missing."""
        if self._check_place(decision) != "":
            return False
        _, word, _, _, column, old = decision.place
        return column in ARCS or _value(self.before, word, column) in (old, decision.values[0].new)

    def _check_values(self, arcs: Sequence[ProposedArc]) -> str:
        words = len(self.before)
        for word, head, deprel in arcs:
            if not (1 <= word <= words and 0 <= head <= words):
                return f"word {word} cannot get head {head} in a sentence of {count_noun(words, 'word')}"
            if head == word:
                return f"word {word} cannot be its own head"
            if (head == 0) != (universal(deprel) == ROOT_RELATION):
                return f"word {word} cannot be {deprel!r} of {head}: only root has the head 0"
            if not self._is_relation(deprel):
                return f"{deprel[:40]!r} is no relation of UD, and the treebank does not have it"
        return ""

    def _check_new_values(self, decision: Decision) -> str:
        word = decision.place.word
        for column, old, new in decision.values:
            if reason := self._find_invalid(word, column, new):
                return reason
            now = _value(self.before, word, column)
            if now not in (old, new) and (old or column not in HALVES):
                found = describe_value(column, now)
                return f"word {word} has {found}, no longer {old or 'without it'}; decide again"
            if (changed := _value(self.tree, word, column)) not in (now, new):
                return f"another decision gives word {word} {changed or 'nothing'} in its place"
        return ""

    def _find_invalid(self, word: int, column: str, new: str) -> str:
        """Return why a value can stand in no word."""
        if column == UPOS and new not in self.known.tags:
            return f"{new[:40]!r} is no tag of UD, and the treebank does not have it"
        if column == DEPREL and not self._is_relation(new):
            return f"{new[:40]!r} is no relation of UD, and the treebank does not have it"
        if column == DEPREL and (universal(new) == ROOT_RELATION) != (self.before.heads[word - 1] == 0):
            return f"word {word} cannot be {new!r}: only root has the head 0"
        if column in (LEMMA, XPOS) and (not new or _SEPARATOR.search(new)):
            name = "XPOS" if column == XPOS else column
            return f"{new[:40]!r} is no {name}; write one without tabs and ends of lines"
        if column == FEATS and new != "_" and not all(map(_FEATURE.fullmatch, new.split("|"))):
            return f"{new[:40]!r} are no features; write for example Case=Nom|Number=Sing"
        feature = f"{column.removeprefix(FEATURE)}={new}"
        if column.startswith(FEATURE) and not _FEATURE.fullmatch(feature):
            return f"{feature[:40]!r} is no feature; write letters and digits that begin with a capital"
        return ""

    def _is_relation(self, deprel: str) -> bool:
        known = {universal(name) for name in self.known.relations}
        return deprel in self.known.relations or (
            RELATION.fullmatch(deprel) is not None and universal(deprel) in known.union(RELATIONS)
        )

    def _check_words(self, decision: Decision) -> str:
        for arc in decision.arcs:
            other = self.by_word.get(arc.word)
            if other is not None and not _is_in(self.tree, arc):
                return f"{other.where} gives word {arc.word} another arc"
        return ""

    def _check_tree(self, tree: Tree) -> str:
        roots = [word for word, head in enumerate(tree.heads, start=1) if head == 0]
        before = self.before.heads.count(0)
        if not roots:
            return "the sentence would have no root"
        if len(roots) > max(1, before) and not self.known.multiple_roots:
            numbers = ", ".join(map(str, roots[:5]))
            return f"the sentence would have {count_noun(len(roots), 'root')} (words {numbers})"
        if word := tree.find_cycle():
            return f"the heads would form a cycle through word {word}"
        return ""


def _arc(tree: Tree, word: int) -> tuple[int, str]:
    return tree.heads[word - 1], tree.deprels[word - 1]


def _value(tree: Tree, word: int, column: str) -> str:
    return values_in(tree, column)[word - 1]


def _cells(tree: Tree, word: int) -> tuple[object, ...]:
    columns = (tree.upos, tree.lemmas, tree.xpos, tree.feats)
    return *_arc(tree, word), *(column[word - 1] for column in columns if column)


def _with_values(tree: Tree, decisions: Iterable[Decision]) -> Tree:
    for decision in decisions:
        for column, _, new in decision.values:
            tree = tree.with_value(decision.place.word, column, new)
    return tree


def _is_in(tree: Tree, arc: ProposedArc) -> bool:
    return 1 <= arc.word <= len(tree) and _arc(tree, arc.word) == (arc.head, arc.deprel)


def _with_arcs(tree: Tree, arcs: Iterable[ProposedArc]) -> Tree:
    heads, deprels = list(tree.heads), list(tree.deprels)
    for word, head, deprel in arcs:
        heads[word - 1], deprels[word - 1] = head, deprel
    return tree.with_heads(heads, deprels)
