"""A doubt: the row that lists, pages and decisions have in common, whatever column it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from learnability.extending import Sentence, SentenceChecker, Tree, is_specified
from learnability.extensions.doubts.columns import ARCS, HEAD
from learnability.extensions.doubts.decisions import DecidedPlace
from learnability.extensions.doubts.linked_arc import ProposedArc

ELSEWHERE = "the same sentence"
"""The beginning of a reason that names another copy of the sentence."""

NEVER_SAW = "that never saw the sentence"
"""What a reason that parsers give has in it."""

FEW = "few words like it are annotated so"
"""The reason where there is no other."""


@dataclass(frozen=True)
class Doubt:
    """A word whose annotation is in doubt, and what is proposed in its place.

    Attributes:
        sentence: the index of its sentence in the treebank.
        sent_id: the id of the sentence, or its number in the file.
        line: the line of the word in the file.
        word: its number in the sentence, from 1.
        head, deprel: as annotated.
        proposed_head, proposed_deprel: those as annotated unless the column is one of `columns.ARCS`.
        also: the arc of another word that changes with it, so that the sentence remains a tree; mostly None.
        score: from 0 to 1; it only orders the values: how many are wrong is not known.
        pattern: its tag and lemma, the annotated and the proposed relation, and where the heads are.
        content: digits that change with the words of the sentence alone.
        validator: the errors that the official validator finds at the word; empty for none.
        second_arcs: the arcs of the second proposal, as in `proposed_arcs`; empty if there is none.
        value, proposed_value: empty for arcs, and where the word lacks the feature.
        other_half: what else should change with the proposal, as a file of decisions has it; mostly empty.
        rule: what changes this and all words like it, as `diff --rules` writes it; mostly empty.
        would_break: the errors that the proposal alone would bring; empty if none is known.
    """

    sentence: int
    sent_id: str
    file: str
    line: int
    word: int
    form: str
    upos: str
    head: int
    deprel: str
    proposed_head: int
    proposed_deprel: str
    also: ProposedArc | None
    score: float
    pattern: str
    content: str = ""
    validator: str = ""
    column: str = HEAD
    value: str = ""
    proposed_value: str = ""
    second_arcs: tuple[ProposedArc, ...] = ()
    other_half: str = ""
    would_break: str = ""
    reason: str = ""
    rule: str = ""

    @classmethod
    def of_word(cls, number: int, sentence: Sentence, word: int) -> Doubt:
        """Return a doubt that proposes nothing yet; `number`: the index of the sentence; `word`: from 1."""
        tree, place = sentence.tree, word - 1
        arc = tree.heads[place], tree.deprels[place]
        tag = tree.upos[place] if tree.upos else "_"
        return cls(
            number, sentence.sent_id, sentence.file, sentence.line_of(word), word, tree.forms[place],
            tag, *arc, *arc, None, 0.0, "", sentence.content,
        )  # fmt: skip

    @property
    def place(self) -> DecidedPlace:
        """Return what a decision about the doubt is about."""
        arc = self.head, self.deprel
        return DecidedPlace.of(self.content, self.word, arc, self.column, self.value)

    @property
    def value_place(self) -> tuple[int, int, str]:
        return self.sentence, self.word, self.column

    @property
    def change_to(self) -> tuple[int, str] | str:
        return (self.proposed_head, self.proposed_deprel) if self.column in ARCS else self.proposed_value

    @property
    def proposed_arcs(self) -> list[ProposedArc]:
        """Return the arcs that differ from the annotation: that of the word, and that which changes with
        it; none if no arc is in doubt."""
        if self.column not in ARCS:
            return []
        proposed = ProposedArc(self.word, self.proposed_head, self.proposed_deprel)
        return [proposed, self.also] if self.also else [proposed]

    def change(self, tree: Tree) -> Tree:
        """Return the sentence of the doubt with what is proposed."""
        if self.column not in ARCS:
            return tree.with_value(self.word, self.column, self.proposed_value)
        heads, deprels = list(tree.heads), list(tree.deprels)
        for word, head, deprel in self.proposed_arcs:
            heads[word - 1], deprels[word - 1] = head, deprel
        return tree.with_heads(heads, deprels)


def describe_change(tag: str, lemma: str, old: str, new: str) -> str:
    """Return the pattern of a doubt, ``NOUN:house Gender=Fem -> Gender=Masc``, without what is not known."""
    kind = ":".join(text for text in (tag, lemma) if is_specified(text))
    return f"{kind} {old} -> {new}"


def mark_breaking(
    doubts: Sequence[Doubt], sentences: Sequence[Sentence], checker: SentenceChecker
) -> list[Doubt]:
    """Return doubts with the errors that their proposals alone would bring, for which `--apply` refuses them.

    What a copy of a sentence has otherwise is one proposal for all of its words. The checker looks at the
    first doubts, which are the most doubtful; the others stay as they are.
    """
    as_copy: dict[int, Tree] = {}
    for doubt in filter(_is_of_copy, doubts):
        as_copy[doubt.sentence] = doubt.change(as_copy.get(doubt.sentence, sentences[doubt.sentence].tree))
    changed = [sentences[doubt.sentence] for doubt in doubts]
    after = [
        as_copy[doubt.sentence] if _is_of_copy(doubt) else doubt.change(sentence.tree)
        for doubt, sentence in zip(doubts, changed, strict=True)
    ]
    broken = checker.find_broken(changed, after)
    return [replace(doubt, would_break=errors) for doubt, errors in zip(doubts, broken, strict=True)]


def _is_of_copy(doubt: Doubt) -> bool:
    return doubt.reason.startswith(ELSEWHERE)
