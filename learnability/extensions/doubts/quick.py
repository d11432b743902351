"""List what counting alone finds: nothing is trained or compiled, and 100,000 words take seconds.

Same sentences that are annotated otherwise, and words that lack what nearly all words of a context have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from learnability.extending import (
    Exceptional,
    Sentence,
    is_specified,
)
from learnability.extensions.doubts.columns import (
    HEAD,
    LEMMA,
    PUNCTUATION,
    UPOS,
    XPOS,
    describe_value,
    is_chosen,
)
from learnability.extensions.doubts.decisions import half_in_cell
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.duplicates import Duplicate, find_duplicates
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.reasons import COLUMNS, RELATION, Reasons, with_reasons


def list_quick_doubts(
    sentences: Sequence[Sentence],
    known: DecidedDoubts,
    *,
    columns: Collection[str] = (),
    beside: Sequence[Sequence[Sentence]] = (),
) -> list[Doubt]:
    """Return the doubts that counting finds and that are not decided, the strongest first.

    Args:
        sentences: those of the treebank.
        known: what is decided.
        columns: list only these columns, or groups of columns; empty for all but subtypes and punctuation.
        beside: the sentences of other treebanks of the language.
    """
    duplicates, exceptions = find_duplicates(sentences), Exceptional.find_in(sentences, beside=beside)
    maker = _DoubtMaker(sentences)
    found: dict[tuple[int, int, str], Doubt] = {}
    for doubt in (*maker.of_duplicates(duplicates), *map(maker.of_exception, exceptions)):
        changes_root = doubt.column == HEAD and (doubt.proposed_head == 0) != (
            doubt.proposed_deprel == "root"
        )
        if is_chosen(doubt.column, columns) and not changes_root:
            kept = found.setdefault(doubt.value_place, doubt)
            if doubt.score > kept.score:
                found[doubt.value_place] = doubt
    doubts = [doubt for doubt in found.values() if not known.find_verdict(doubt.place, doubt.pattern)]
    doubts.sort(key=lambda doubt: (-doubt.score, doubt.sentence, doubt.word, doubt.column))
    return with_reasons(doubts, Reasons.of_found(duplicates, exceptions))


class _DoubtMaker:
    """Make doubts of what was counted."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences, self.names = sentences, Sentence.distinct_names(sentences)
        self.number = {name: number for number, name in enumerate(self.names)}
        self.halves = OtherHalves([sentence.tree for sentence in sentences])

    def of_exception(self, found: Exceptional) -> Doubt:
        """Return the doubt about a word that lacks what is usual."""
        column = HEAD if found.column == RELATION else found.column
        tree = self.sentences[found.sentence].tree
        arc = tree.heads[found.position - 1], found.usual
        value = "" if column == HEAD else found.value
        return self._doubt(found.sentence, found.position, column, value, found.usual, arc, found.score)

    def of_duplicates(self, duplicates: Sequence[Duplicate]) -> Iterator[Doubt]:
        """Yield the doubts about what the same sentence has otherwise more often; about all of them, where
        no value is the most frequent."""
        for found in duplicates:
            column = COLUMNS[found.column]
            if column not in (HEAD, UPOS, LEMMA, XPOS):
                continue  # each feature is counted by itself
            agreeing = len(found.sentences[0])
            for place, names in enumerate(found.sentences):
                if place == 0 and len(found.sentences[1]) < agreeing:
                    continue
                other = 0 if place else 1
                usual = self.sentences[self.number[found.sentences[other][0]]].tree
                arc = usual.heads[found.word - 1], usual.deprels[found.word - 1]
                share = agreeing / (agreeing + 1)
                own = "" if column == HEAD else found.values[place]
                for name in names:
                    number = self.number[name]
                    tags = self.sentences[number].tree.upos
                    if tags and tags[found.word - 1] == PUNCTUATION:
                        continue
                    yield self._doubt(number, found.word, column, own, found.values[other], arc, share)

    def _doubt(
        self, number: int, word: int, column: str, value: str, usual: str, arc: tuple[int, str], score: float
    ) -> Doubt:
        sentence = self.sentences[number]
        tree = sentence.tree
        head, deprel = tree.heads[word - 1], tree.deprels[word - 1]
        tag = tree.upos[word - 1] if tree.upos else "_"
        lemma = tree.lemmas[word - 1] if tree.lemmas else ""
        kind = ":".join(text for text in (tag, lemma) if is_specified(text))
        if column == HEAD:
            pattern = f"{kind} {deprel} -> {arc[1]}" + (" (head)" if arc[0] == head else " (another head)")
            half = self.halves.of_relation(tree, word, arc[1])
        else:
            arc = head, deprel
            pattern = f"{kind} {describe_value(column, value)} -> {describe_value(column, usual)}"
            half = self.halves.of_tag(tree, word, usual) if column == UPOS else {}
        return Doubt(
            number,
            sentence.sent_id,
            self.names[number],
            sentence.file,
            sentence.line_of(word),
            word,
            tree.forms[word - 1],
            tag,
            head,
            deprel,
            arc[0],
            arc[1],
            None,
            score,
            pattern,
            sentence.content,
            column=column,
            value=value,
            proposed_value="" if column == HEAD else usual,
            other_half=half_in_cell(half.items()),
        )
