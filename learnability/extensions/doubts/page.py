"""Make the page on which a maintainer works through doubts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from learnability.extending import DecisionPage, Sentence, Tree, WordExamples, count_noun
from learnability.extensions.doubts.columns import ARCS, FEATURE, UPOS, XPOS, values_in
from learnability.extensions.doubts.decisions import Decision
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.in_lines import group_by_cause, heading_of
from learnability.extensions.doubts.learning import DoubtFeatures, describe_model

PAGE = "doubts.html"

SHOWN = 3
"""The words that are kept of each annotation: one may be the word in doubt itself, and two are shown."""

READABLE = range(4, 26)
"""The lengths of sentences that are shown first."""

MOST = 5000
"""Doubts on the page, at most: `--all` lists every word of a treebank."""


def make_page(
    treebank: str,
    doubts: Sequence[Doubt],
    sentences: Sequence[Sentence],
    decisions: Sequence[Decision] = (),
    about: Sequence[str] = (),
    named: str = "",
) -> bytes:
    """Return the page.

    Args:
        treebank: its name.
        doubts: those that can be decided, in the order of their scores; the first `MOST` are shown.
        sentences: those of the treebank.
        decisions: what was decided before, from which the page learns the order.
        about: what a reader of the list should know.
        named: the options that name the treebank; empty if the list belongs to a run, which knows it.
    """
    traits = DoubtFeatures()
    lessons = traits.lessons(decisions)
    shown = doubts[:MOST]
    trees = [sentence.tree for sentence in sentences]
    elsewhere = Elsewhere(sentences, shown)
    page = DecisionPage(
        title=f"Doubts in {treebank}",
        key=treebank,
        command=" ".join(filter(None, ("learnability doubts --apply decisions.csv", named, "--diff"))),
        relations=sorted({deprel for tree in trees for deprel in tree.deprels}),
        tags=sorted({tag for tree in trees for tag in tree.upos}),
        about=about,
    )
    ranks = {id(doubt): rank for rank, doubt in enumerate(shown)}
    for group in group_by_cause(shown):
        rows = []
        for doubt in group:
            seen = traits.see(doubt.score, doubt.pattern, doubt.content)
            order = {"score": round(doubt.score, 4), "traits": seen.traits, "rank": ranks[id(doubt)]}
            rows.append((trees[doubt.sentence], {**vars(doubt), **order}, elsewhere.of(doubt)))
        page.add_cause(heading_of(group), rows)
    page.learning = {**describe_model(), "spreads": traits.spreads, "lessons": lessons}
    return page.render()


class AnnotatedForm(NamedTuple):
    """Represent how a form is annotated in a column; of arcs by the relation and where the head is."""

    form: str
    column: str
    value: str

    @property
    def told(self) -> str:
        """Return the annotation in words: `as obl (head before)`, `with lemma be`, `without Tense`."""
        if self.column in ARCS or self.column == UPOS:
            return f"as {self.value}"
        name = "XPOS" if self.column == XPOS else self.column.removeprefix(FEATURE)
        if not self.column.startswith(FEATURE):
            return f"with {name} {self.value}"
        return f"with {name}={self.value}" if self.value else f"without {name}"


class Elsewhere:
    """Find the forms of doubts in a treebank, by how they are annotated."""

    def __init__(self, sentences: Sequence[Sentence], doubts: Sequence[Doubt]) -> None:
        self.sentences = sentences
        columns: dict[str, set[str]] = {}
        for doubt in doubts:
            columns.setdefault(doubt.form.lower(), set()).add(doubt.column)
        self.places: dict[AnnotatedForm, list[tuple[int, int]]] = {}
        for number, sentence in enumerate(sentences):
            values: dict[str, Sequence[str]] = {}
            for word, written in enumerate(sentence.tree.forms, start=1):
                form = written.lower()
                for column in columns.get(form, ()):
                    if column not in values:
                        values[column] = _values_of(sentence.tree, column)
                    key = AnnotatedForm(form, column, values[column][word - 1])
                    self.places.setdefault(key, []).append((number, word))
        self._evidence: dict[AnnotatedForm, WordExamples] = {}

    def of(self, doubt: Doubt) -> list[WordExamples]:
        """Return the words with the form of a doubt that are annotated like it, and those as is proposed."""
        form = doubt.form.lower()
        if doubt.column in ARCS:
            values = (
                _describe_arc(doubt.deprel, doubt.word, doubt.head),
                _describe_arc(doubt.proposed_deprel, doubt.word, doubt.proposed_head),
            )
        else:
            values = doubt.value, doubt.proposed_value
        keys = dict.fromkeys(AnnotatedForm(form, doubt.column, value) for value in values)
        return list(map(self._find, keys))

    def _find(self, key: AnnotatedForm) -> WordExamples:
        if key not in self._evidence:
            places = self.places.get(key, [])
            title = f"“{key.form}” {key.told}: {count_noun(len(places), 'word')} of the treebank"
            shown = sorted(places, key=self._order)[:SHOWN]
            self._evidence[key] = WordExamples.of(
                title, map(self._show, shown), draws_arcs=key.column in ARCS
            )
        return self._evidence[key]

    def _order(self, place: tuple[int, int]) -> tuple[bool, int, int, int]:
        length = len(self.sentences[place[0]])
        return (length not in READABLE, length, *place)

    def _show(self, place: tuple[int, int]) -> tuple[str, Tree, int]:
        number, word = place
        sentence = self.sentences[number]
        return f"{sentence.file}:{sentence.line_of(word)}", sentence.tree, word


def _values_of(tree: Tree, column: str) -> Sequence[str]:
    if column not in ARCS:
        return values_in(tree, column)
    arcs = zip(tree.deprels, tree.heads, strict=True)
    return [_describe_arc(deprel, word, head) for word, (deprel, head) in enumerate(arcs, start=1)]


def _describe_arc(deprel: str, word: int, head: int) -> str:
    return f"{deprel} (head {'before' if head < word else 'after'})" if head else deprel
