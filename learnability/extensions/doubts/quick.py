"""List what counting alone finds: nothing is trained or compiled, and 100,000 words take seconds.

Same sentences that are annotated otherwise, words that lack what nearly all words of a context have, and
words that break a rule of the guidelines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from learnability.extending import Exceptional, Sentence
from learnability.extensions.doubts.broken_rules import BrokenRule, find_broken_rules
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
from learnability.extensions.doubts.doubt import Doubt, describe_change
from learnability.extensions.doubts.duplicates import Duplicate, find_duplicates
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.reasons import RELATION, Reasons, with_reasons


def list_quick_doubts(
    sentences: Sequence[Sentence],
    known: DecidedDoubts,
    *,
    columns: Collection[str] = (),
    beside: Sequence[Sequence[Sentence]] = (),
) -> list[Doubt]:
    """Return the doubts that counting finds and that are not decided, the strongest first.

    They are about `columns`, or groups of columns; if none is given, about all but subtypes and punctuation.
    `beside`: the sentences of other treebanks of the language.
    """
    duplicates, exceptions = find_duplicates(sentences), Exceptional.find_in(sentences, beside=beside)
    maker = _DoubtMaker(sentences)
    broken = find_broken_rules(sentences, maker.halves)
    found: dict[tuple[int, int, str], Doubt] = {}
    for doubt in chain(
        maker.of_duplicates(duplicates),
        map(maker.of_exception, exceptions),
        (maker.of_broken_rule(each) for each in broken if each.arcs),
    ):
        changes_root = doubt.column == HEAD and (doubt.proposed_head == 0) != (
            doubt.proposed_deprel == "root"
        )
        if is_chosen(doubt.column, columns) and not changes_root:
            kept = found.setdefault(doubt.value_place, doubt)
            if doubt.score > kept.score:
                found[doubt.value_place] = doubt
    doubts = [doubt for doubt in found.values() if not known.find_verdict(doubt.place, doubt.pattern)]
    doubts.sort(key=lambda doubt: (-doubt.score, doubt.sentence, doubt.word, doubt.column))
    return with_reasons(doubts, Reasons.of_found(sentences, duplicates, exceptions, broken))


class _DoubtMaker:
    """Make doubts of what was counted."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.halves = OtherHalves([sentence.tree for sentence in sentences])

    def of_exception(self, found: Exceptional) -> Doubt:
        """Return the doubt about a word that lacks what is usual."""
        place = found.sentence, found.position
        if found.column == RELATION:
            head = self.sentences[found.sentence].tree.heads[found.position - 1]
            return self._of_arc(*place, head, found.usual, found.score)
        return self._of_value(*place, found.column, found.value, found.usual, found.score)

    def of_broken_rule(self, found: BrokenRule) -> Doubt:
        """Return the doubt about the arc by which a word breaks a rule, or that of its head."""
        (word, head, deprel), *also = found.arcs
        doubt = self._of_arc(found.sentence, word, head, deprel, found.score)
        return replace(doubt, also=also[0] if also else None)

    def of_duplicates(self, duplicates: Sequence[Duplicate]) -> Iterator[Doubt]:
        """Yield the doubts about what the same sentence has otherwise more often; about all of them, where
        no value is the most frequent."""
        for found in duplicates:
            column, word = found.doubted, found.word
            if column not in (HEAD, UPOS, LEMMA, XPOS):
                continue  # each feature is counted by itself
            agreeing = len(found.sentences[0])
            for place, numbers in enumerate(found.sentences):
                if place == 0 and len(found.sentences[1]) < agreeing:
                    continue
                other = 0 if place else 1
                score = agreeing / (agreeing + len(numbers))
                usual = self.sentences[found.sentences[other][0]].tree
                for number in numbers:
                    tags = self.sentences[number].tree.upos
                    if tags and tags[word - 1] == PUNCTUATION:
                        continue
                    if column == HEAD:
                        arc = usual.heads[word - 1], usual.deprels[word - 1]
                        yield self._of_arc(number, word, *arc, score)
                    else:
                        values = found.values[place], found.values[other]
                        yield self._of_value(number, word, column, *values, score)

    def _of_arc(self, number: int, word: int, head: int, deprel: str, score: float) -> Doubt:
        sentence = self.sentences[number]
        doubt = Doubt.of_word(number, sentence, word)
        new = f"{deprel} ({'head' if head == doubt.head else 'another head'})"
        return replace(
            doubt,
            proposed_head=head,
            proposed_deprel=deprel,
            score=score,
            pattern=describe_change(doubt.upos, _lemma_of(sentence, word), doubt.deprel, new),
            other_half=half_in_cell(self.halves.of_relation(sentence.tree, word, deprel).items()),
        )

    def _of_value(self, number: int, word: int, column: str, value: str, usual: str, score: float) -> Doubt:
        sentence = self.sentences[number]
        doubt = Doubt.of_word(number, sentence, word)
        texts = (describe_value(column, text) for text in (value, usual))
        return replace(
            doubt,
            column=column,
            value=value,
            proposed_value=usual,
            score=score,
            pattern=describe_change(doubt.upos, _lemma_of(sentence, word), *texts),
            other_half=self.halves.of_value(sentence.tree, word, column, usual),
        )


def _lemma_of(sentence: Sentence, word: int) -> str:
    return sentence.tree.lemmas[word - 1] if sentence.tree.lemmas else ""
