"""The doubts in order: one per word at most, each with a proposal, a score and a pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.extending import Rule, Sentence, universal
from learnability.extensions.doubts.assessed_columns import AssessedColumn
from learnability.extensions.doubts.columns import (
    ARCS,
    HEAD,
    PUNCT,
    UPOS,
    XPOS,
    describe_value,
    is_chosen,
    values_in,
)
from learnability.extensions.doubts.decisions import Decision, Verdict, half_in_cell
from learnability.extensions.doubts.doubt import Doubt, describe_change
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.learning import DoubtFeatures, learn
from learnability.extensions.doubts.linked_arc import ProposedArc, linked_arc
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.proposing import load_proposal_weights, rank_proposals
from learnability.extensions.doubts.words import NONE, AssessedWords, Floats, Proposals, voted_proposals

XPOS_SCALE = 0.5508, -1.9543
"""Slope and intercept by which the logits of tags are those of XPOS, which few treebanks could teach."""


@cache
def load_all_weights() -> Mapping[str, LogisticModel]:
    """Return the weights that come with the package, by group of columns (research/doubts)."""
    data = files("learnability.extensions.doubts") / "weights.json"
    weights = msgspec.json.decode(data.read_bytes(), type=dict[str, LogisticModel])
    return {**weights, XPOS: weights[UPOS].rescale(*XPOS_SCALE)}


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
    """A treebank with a proposal and a score for every word.

    Attributes:
        words: the words.
        proposed: what is proposed for each.
        score: float64[words], how doubtful the annotation of each is.
        errors: what the official validator finds, by file and line; None if it did not run.
        columns: the columns that are no arcs.
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
        """Return the values that can be listed, the most doubtful first; of equals arcs, then the first.

        Args:
            chosen: columns, or groups of columns; empty for all.
        """
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

    def classifier_agrees(self, word: int, column: str) -> bool:
        """Return whether the classifier of a column proposes what is proposed for a word."""
        found = self._of_classifiers.get(column)
        return found is not None and bool(found[word])

    @cached_property
    def _of_classifiers(self) -> Mapping[str, NDArray[np.bool_]]:
        found = {}
        for column in self.columns:
            agrees = np.zeros(len(self.score), bool)
            agrees[column.words] = (column.evidence["differs"] > 0) & (
                column.evidence["proposal of the classifier"] > 0
            )
            found[column.column] = agrees
        return found

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
        position, head, new_head = (
            int(words.position[word]),
            int(words.heads[word]),
            int(proposed.heads[word]),
        )
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
class AnnotatedPlaces:
    """The words at the places of a construction.

    Attributes:
        construction: its name.
        annotated: the indices of the words that are places as annotated.
        proposed: those that would be with what is proposed, and are not.
    """

    construction: str
    annotated: frozenset[int]
    proposed: frozenset[int]


@dataclass(frozen=True)
class Listing:
    """The doubts that are listed.

    Attributes:
        doubts: the most doubtful first, as far as decisions have taught.
        words: how many words could have been listed.
        decided: how many doubts are missing because they were accepted, and rejected.
        certain: how many words are missing because their score is below `LEAST`.
        places: the words that could have been listed; None for all.
        pool: the doubts, and more that decisions may bring up, in the order of their scores.
        lessons: how many decisions have changed the order.
        is_validated: whether the official validator ran.
        changed: how many doubts are missing because their values have changed since the parsers were trained.
    """

    doubts: Sequence[Doubt]
    words: int
    decided: Mapping[Verdict, int] = field(default_factory=dict)
    certain: int = 0
    places: AnnotatedPlaces | None = None
    pool: Sequence[Doubt] = ()
    lessons: int = 0
    is_validated: bool = False
    changed: int = 0

    def complete(self, change: Callable[[Sequence[Doubt]], Sequence[Doubt]]) -> Listing:
        """Return the list with more said of its doubts, and of those that decisions may bring up.

        Args:
            change: returns doubts in the same order.
        """
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
    places: AnnotatedPlaces | None = None,
    columns: Collection[str] = (),
    now: Sequence[Sentence] = (),
    counted: Sequence[Doubt] = (),
) -> Listing:
    """Return the doubts to list: one about each value, of two the stronger (`_stronger`).

    Args:
        assessed: the treebank.
        known: the doubts that are decided.
        most: the largest number of doubts to list; None for all words, whatever their score.
        places: list only these words; None for all.
        columns: list only these columns, or groups of columns; empty for all.
        now: the sentences as they are by now, if that may be otherwise.
        counted: the doubts that counting finds in them.
    """
    order = assessed.places(columns)
    if places is not None:
        at_places = places.annotated | places.proposed  # a construction is about arcs
        order = [place for place in order if place.column == ARC and place.word in at_places]
    words = {place.word for place in order}
    if places is not None:
        places = replace(places, annotated=places.annotated & words, proposed=places.proposed & words)
    pool: list[Doubt] = []
    certain = changed = 0
    decided = Counter[Verdict]()
    left = {doubt.value_place: doubt for doubt in counted}
    for rank, place in enumerate(order):
        if most is not None and len(pool) == max(most, POOL):
            break
        if assessed.score_of(place) < LEAST and (most is not None or place.column != ARC):
            if most is None:  # every word is listed, but not every value
                continue
            seen = {before.word for before in order[:rank]}
            certain = len(words - seen) if len(pool) < most else 0
            break
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
    return Listing(
        doubts[:most], len(words), decided, certain, places, pool, lessons,
        assessed.errors is not None, changed,
    )  # fmt: skip


def _stronger(doubt: Doubt, counted: Doubt) -> Doubt:
    """Return the doubt with the higher score; that of the parsers says more where both propose the same."""
    if counted.score <= doubt.score:
        return doubt
    same = doubt.change_to == counted.change_to
    return replace(doubt, score=counted.score) if same else counted


def follow_change(doubt: Doubt, sentence: Sentence) -> Doubt | None:
    """Return a doubt about a sentence as it is by now; None if what is in doubt has changed."""
    tree, place = sentence.tree, doubt.word - 1
    arc = tree.heads[place], tree.deprels[place]
    if doubt.column in ARCS and arc != (doubt.head, doubt.deprel):
        return None
    if doubt.column not in ARCS and values_in(tree, doubt.column)[place] != doubt.value:
        return None
    is_arc = doubt.column in ARCS
    return replace(
        doubt,
        line=sentence.line_of(doubt.word),
        upos=tree.upos[place] if tree.upos else doubt.upos,
        head=arc[0],
        deprel=arc[1],
        proposed_head=doubt.proposed_head if is_arc else arc[0],
        proposed_deprel=doubt.proposed_deprel if is_arc else arc[1],
    )


def order_doubts(pool: Sequence[Doubt], decisions: Sequence[Decision]) -> tuple[Sequence[Doubt], int]:
    """Return doubts in the order that decisions teach, and how many decisions do.

    Args:
        pool: the doubts in the order of their scores.
        decisions: whatever was decided.
    """
    traits = DoubtFeatures()
    lessons = traits.lessons(decisions)
    if not lessons:
        return pool, 0
    seen = [traits.see(doubt.score, doubt.pattern, doubt.content) for doubt in pool]
    return [pool[place] for place in learn(lessons, traits.spreads).sort(seen)], len(lessons)


def places_of(assessed: AssessedTreebank, rule: Rule) -> AnnotatedPlaces:
    """Return the words that identify a place of a construction as annotated, or with what is proposed."""
    words = assessed.words
    starts = words.flat.offsets.tolist()
    annotated: set[int] = set()
    for start, tree in zip(starts, words.trees, strict=False):
        annotated.update(start + place.token - 1 for place in rule.places(tree))
    relations = {universal(words.deprels[word]) for word in annotated}
    differs = (words.voted_heads != words.heads) | (words.voted_relations != words.relations)
    proposed: set[int] = set()
    for word in np.flatnonzero(differs.any(axis=0)).tolist():
        new = words.names.names[assessed.proposed.relations[word]]
        if word in annotated or universal(new) not in relations:
            continue
        doubt = assessed.doubt(word)
        if any(place.token == doubt.word for place in rule.places(doubt.change(words.trees[doubt.sentence]))):
            proposed.add(word)
    return AnnotatedPlaces(rule.spec, frozenset(annotated), frozenset(proposed))


@dataclass(frozen=True)
class LemmaUse:
    """How a lemma is annotated: the counts of its relations, the most frequent first, and its doubts."""

    lemma: str
    relations: Sequence[tuple[str, int]]
    doubts: int


def lemmas_in_two_ways(
    assessed: AssessedTreebank, places: AnnotatedPlaces, doubts: Sequence[Doubt]
) -> list[LemmaUse]:
    """Return the lemmas at places as annotated that have several relations in the treebank, most doubts
    first."""
    words = assessed.words
    starts = words.flat.offsets
    at_places = {(words.lemmas[word], words.tags[word]) for word in places.annotated if words.lemmas[word]}
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for lemma, tag, deprel in zip(words.lemmas, words.tags, words.deprels, strict=True):
        if (lemma, tag) in at_places:
            uses[lemma][deprel] += 1
    doubted = Counter(words.lemmas[int(starts[doubt.sentence]) + doubt.word - 1] for doubt in doubts)
    found = [
        LemmaUse(lemma, relations.most_common(), doubted[lemma])
        for lemma, relations in uses.items()
        if len(relations) > 1
    ]
    return sorted(found, key=lambda use: (-use.doubts, -use.relations[1][1], use.lemma))
