"""The doubts in order: one per word at most, each with a proposal, a score and a pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Sentence
from learnability.extensions.doubts.candidates import rank_proposals
from learnability.extensions.doubts.column_evidence import AssessedColumn
from learnability.extensions.doubts.columns import ARCS, HEAD, PUNCT, describe_value, is_chosen, values_in
from learnability.extensions.doubts.decisions import Decision, Verdict, half_in_cell
from learnability.extensions.doubts.doubt import Doubt, describe_change
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.learning import DoubtFeatures, learn, score_doubt
from learnability.extensions.doubts.linked_arc import ProposedArc, linked_arc
from learnability.extensions.doubts.logistic import LogisticModel, load_proposal_weights
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.words import NONE, AssessedWords, Floats, Proposals, voted_proposals


class DoubtPlace(NamedTuple):
    """Represent a value of the treebank that can be doubted.

    Attributes:
        word: the index of the word.
        column: the number of its column among those that are no arcs; `ARC` for its arc.
        item: the index of the value in the column.
    """

    word: int
    column: int
    item: int


ARC = -1
"""Stands for the arc of a word in place of a column."""


@dataclass(frozen=True, eq=False)
class AssessedTreebank:
    """A treebank with a proposal and a score (float64[words]) for every word.

    Attributes:
        errors: what the official validator finds, by file and line; None if it did not run.
        columns: those that are no arcs.
    """

    words: AssessedWords
    proposed: Proposals
    score: Floats
    errors: Mapping[tuple[str, int], str] | None = None
    columns: Sequence[AssessedColumn] = ()

    @classmethod
    def of(
        cls,
        words: AssessedWords,
        model: LogisticModel,
        errors: Mapping[tuple[str, int], str] | None = None,
        columns: Sequence[AssessedColumn] = (),
    ) -> AssessedTreebank:
        """Return the treebank, assessed by a model of arcs, with its other columns."""
        voted = voted_proposals(words)  # how doubtful a word is follows from the votes
        proposed = rank_proposals(words, voted, load_proposal_weights())
        return cls(words, proposed, model.probabilities(features(words, voted)), errors, columns)

    @cached_property
    def can_be_listed(self) -> NDArray[np.bool_]:
        """Return bool[words], which can be listed: all but punctuation, and but words that are a sentence by
        themselves, which has no other tree."""
        lengths = np.diff(self.words.flat.offsets)[self.words.flat.sentence]
        return self.words.are_words & (lengths > 1)

    def places(self, chosen: Collection[str]) -> list[DoubtPlace]:
        """Return the values that can be listed, the most doubtful first; of equals arcs, then the first."""
        can_be_listed = np.zeros(len(self.score), bool)
        if is_chosen(HEAD, chosen):
            can_be_listed |= self.can_be_listed
        if PUNCT in chosen:  # the weights know no punctuation, so it is listed only by itself
            can_be_listed |= ~self.words.are_words
        listed = np.flatnonzero(can_be_listed)
        places = [DoubtPlace(word, ARC, word) for word in listed.tolist()]
        scores = [self.score[listed]]
        for number, column in enumerate(self.columns):
            if is_chosen(column.column, chosen):
                items = enumerate(column.words.tolist())
                places += [DoubtPlace(word, number, item) for item, word in items]
                scores.append(column.score)
        order = np.argsort(-np.concatenate(scores), kind="stable")
        return [places[place] for place in order.tolist()]

    def score_of(self, place: DoubtPlace) -> float:
        """Return the score of a value."""
        if place.column == ARC:
            return float(self.score[place.item])
        return float(self.columns[place.column].score[place.item])

    def doubt_at(self, place: DoubtPlace) -> Doubt:
        """Return the doubt about a value."""
        if place.column == ARC:
            return self.doubt(place.word)
        found, words = self.columns[place.column], self.words
        value, proposed = found.names[found.values[place.item]], found.names[found.proposed[place.item]]
        doubt = replace(self._doubt_of(place.word), column=found.column, score=self.score_of(place))
        texts = (describe_value(found.column, text) for text in (value, proposed))
        doubt = replace(doubt, pattern=describe_change(doubt.upos, words.lemmas[place.word], *texts))
        if found.column in ARCS:
            return replace(doubt, proposed_deprel=proposed)
        half = self.halves.of_value(words.trees[doubt.sentence], doubt.word, found.column, proposed)
        return replace(doubt, value=value, proposed_value=proposed, other_half=half)

    def doubt(self, word: int) -> Doubt:
        """Return the doubt about the arc of the word of this index."""
        words, head = self.words, int(self.proposed.heads[word])
        deprel = words.names.names[self.proposed.relations[word]]
        doubt = self._doubt_of(word)
        halves = self.halves.of_relation(words.trees[doubt.sentence], doubt.word, deprel)
        return replace(
            doubt,
            proposed_head=head,
            proposed_deprel=deprel,
            also=linked_arc(words, word, head),
            score=float(self.score[word]),
            pattern=self.pattern(word),
            column=HEAD if words.are_words[word] else PUNCT,
            second_arcs=self.second_arcs(word),
            other_half=half_in_cell(halves.items()),
        )

    def _doubt_of(self, word: int) -> Doubt:
        words, index = self.words, int(self.words.flat.sentence[word])
        doubt = Doubt.of_word(index, words.sentences[index], int(words.position[word]))
        return replace(doubt, validator=(self.errors or {}).get((doubt.file, doubt.line), ""))

    @cached_property
    def halves(self) -> OtherHalves:
        return OtherHalves(self.words.trees)

    def second_arcs(self, word: int) -> tuple[ProposedArc, ...]:
        """Return the arcs of the second proposal for the word of this index: that of the word, and that
        which changes with it; none if there is no second proposal."""
        words, head = self.words, int(self.proposed.second_heads[word])
        if head == NONE:
            return ()
        deprel = words.names.names[self.proposed.second_relations[word]]
        also = linked_arc(words, word, head)
        first = ProposedArc(int(words.position[word]), head, deprel)
        return (first, also) if also else (first,)

    def pattern(self, word: int) -> str:
        """Return the pattern of the doubt about a word, ``ADP:as case (head after) -> mark (another head
        after)``."""
        words, proposed = self.words, self.proposed
        columns = words.position, words.heads, proposed.heads
        position, head, new_head = (int(column[word]) for column in columns)
        old, new = words.deprels[word], words.names.names[proposed.relations[word]]
        if head == new_head:
            new += f" ({_describe_side('head', position, head)})"
        else:
            old += f" ({_describe_side('head', position, head)})" if head else ""
            new += f" ({_describe_side('another head', position, new_head)})" if new_head else ""
        return describe_change(words.tags[word], words.lemmas[word], old, new)


def _describe_side(what: str, word: int, head: int) -> str:
    return f"{what} {'before' if head < word else 'after'}" if head else what


@dataclass(frozen=True)
class Listing:
    """The doubts that are listed, the most doubtful first, as far as decisions have taught.

    Attributes:
        words: how many words could have been listed.
        decided: how many doubts are missing because they were accepted, and rejected.
        pool: the doubts, and more that decisions may bring up, in the order of their scores.
        lessons: how many decisions have changed the order.
        changed: how many doubts are missing because their values have changed since the parsers were trained.
    """

    doubts: Sequence[Doubt]
    words: int
    decided: Mapping[Verdict, int] = field(default_factory=dict)
    pool: Sequence[Doubt] = ()
    lessons: int = 0
    is_validated: bool = False
    changed: int = 0

    def complete(self, change: Callable[[Sequence[Doubt]], Sequence[Doubt]]) -> Listing:
        """Return the list with other doubts in place of its own, and of those that decisions may bring up."""
        before = {id(doubt): doubt for doubt in (*self.doubts, *self.pool)}
        after = dict(zip(before, change(list(before.values())), strict=True))
        doubts, pool = ([after[id(doubt)] for doubt in some] for some in (self.doubts, self.pool))
        return replace(self, doubts=doubts, pool=pool)


POOL = 5000
"""The doubts among which decisions choose those that are listed."""

LEAST = 0.005
"""A lower score is no doubt: with two decimals it is 0."""


def list_doubts(
    assessed: AssessedTreebank,
    known: DecidedDoubts,
    *,
    most: int | None,
    columns: Collection[str] = (),
    now: Sequence[Sentence] = (),
    counted: Sequence[Doubt] = (),
) -> Listing:
    """Return the doubts to list: one about each value, of two the stronger (`_stronger`).

    Args:
        assessed: the treebank.
        known: the doubts that are decided.
        most: how many to list at most; None for all words, whatever their score.
        columns: list only these columns, or groups of columns; empty for all.
        now: the sentences as they are by now, if that may be otherwise.
        counted: the doubts that counting finds in them.
    """
    order = assessed.places(columns)
    pool: list[Doubt] = []
    changed = 0
    decided = Counter[Verdict]()
    left = {doubt.value_place: doubt for doubt in counted}
    for place in order:
        if most is not None and len(pool) == max(most, POOL):
            break
        if assessed.score_of(place) < LEAST and (most is not None or place.column != ARC):
            continue  # --all lists every word, but not every value
        doubt = assessed.doubt_at(place)
        doubt = _stronger(doubt, left.pop(doubt.value_place, doubt))
        if verdict := known.find_verdict(doubt.place, doubt.pattern):
            decided[verdict] += 1
            continue
        current = follow_change(doubt, now[doubt.sentence]) if now else doubt
        if current is None:
            changed += 1
            continue
        pool.append(current)
    for doubt in left.values():
        if verdict := known.find_verdict(doubt.place, doubt.pattern):
            decided[verdict] += 1
        elif doubt.score >= LEAST:
            pool.append(doubt)
    pool.sort(key=lambda doubt: -doubt.score)
    doubts, lessons = order_doubts(pool, known.decisions)
    words = len({place.word for place in order})
    return Listing(doubts[:most], words, decided, pool, lessons, assessed.errors is not None, changed)


def _stronger(doubt: Doubt, counted: Doubt) -> Doubt:
    """Return the doubt with the higher score; that of the parsers says more where both propose the same."""
    if counted.score <= doubt.score:
        return doubt
    same = doubt.change_to == counted.change_to
    return replace(doubt, score=counted.score) if same else counted


def follow_change(doubt: Doubt, sentence: Sentence) -> Doubt | None:
    """Return a doubt about a sentence as it is by now; None if what is in doubt has changed."""
    tree, place = sentence.tree, doubt.word - 1
    head, deprel = tree.heads[place], tree.deprels[place]
    upos = tree.upos[place] if tree.upos else doubt.upos
    now = replace(doubt, line=sentence.line_of(doubt.word), upos=upos)
    if doubt.column in ARCS:
        return now if (head, deprel) == (doubt.head, doubt.deprel) else None
    if values_in(tree, doubt.column)[place] != doubt.value:
        return None
    return replace(now, head=head, deprel=deprel, proposed_head=head, proposed_deprel=deprel)


def order_doubts(pool: Sequence[Doubt], decisions: Sequence[Decision]) -> tuple[Sequence[Doubt], int]:
    """Return doubts, which come in the order of their scores, in the order that decisions teach, and how many
    do."""
    traits = DoubtFeatures()
    lessons = traits.lessons(decisions)
    if not lessons:
        return pool, 0
    seen = [traits.see(doubt.score, doubt.pattern, doubt.content) for doubt in pool]
    weights = learn(lessons, traits.spreads)
    scores = [score_doubt(doubt, weights) for doubt in seen]
    order = sorted(range(len(pool)), key=lambda place: -scores[place])
    return [pool[place] for place in order], len(lessons)
