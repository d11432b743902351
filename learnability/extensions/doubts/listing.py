"""The doubts in order: one per word at most, each with a proposal, a probability and a pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files

import msgspec
import numpy as np

from learnability.extensions.doubts.decisions import (
    DecidedArc,
    Decision,
    Known,
    Verdict,
    fingerprint,
)
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.learning import Traits, learn
from learnability.extensions.doubts.linked_arc import ProposedArc, linked_arc
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.words import AssessedWords, Floats, Proposals, proposals
from learnability.metrics.flat import BoolArray
from learnability.transforms.base import Transformation
from learnability.treebanks.fingerprints import content_of
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree, is_specified

BASE_RATE = 0.03
"""The share of wrong words that the probabilities assume."""


@cache
def load_weights() -> LogisticModel:
    """Return the weights that come with the package (research/doubts)."""
    data = files("learnability.extensions.doubts") / "weights.json"
    return msgspec.json.decode(data.read_bytes(), type=LogisticModel)


@dataclass(frozen=True)
class Doubt:
    """A word whose annotation is in doubt, and what is proposed in its place.

    Attributes:
        sentence: the index of its sentence in the treebank.
        sent_id: the id of the sentence, or its number in the file.
        name: what the sentence is called (`distinct_names`).
        file: the file that the sentence is in.
        line: the line of the word in this file.
        word: its number in the sentence, from 1.
        form: the word.
        upos: its tag.
        head, deprel: as annotated.
        proposed_head, proposed_deprel: what is proposed, which differs from the annotation.
        also: the arc of another word that changes with it, so that the sentence remains a tree; mostly None.
        probability: that the head or the relation of the word is wrong, if the `BASE_RATE` of all words is.
            It orders the words; how many are wrong is not known.
        pattern: its tag and lemma, the annotated and the proposed relation, and where the heads are.
        mark: the fingerprint of the sentence.
        content: digits that change with the words of the sentence alone.
        validator: the errors that the official validator finds at the word; empty for none.
    """

    sentence: int
    sent_id: str
    name: str
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
    probability: float
    pattern: str
    mark: str
    content: str = ""
    validator: str = ""

    @property
    def place(self) -> DecidedArc:
        """Return what a decision about the doubt is about."""
        return DecidedArc(self.content, self.word, self.head, self.deprel)

    @property
    def proposed_arcs(self) -> list[ProposedArc]:
        """Return the arcs that differ from the annotation: that of the word, and that which changes with
        it."""
        proposed = ProposedArc(self.word, self.proposed_head, self.proposed_deprel)
        return [proposed, self.also] if self.also else [proposed]


@dataclass(frozen=True, eq=False)
class AssessedTreebank:
    """A treebank with a proposal and a probability for every word.

    Attributes:
        words: the words.
        proposed: what is proposed for each.
        probability: float64[words], that the annotation of each is wrong.
        errors: what the official validator finds, by file and line; None if it did not run.
    """

    words: AssessedWords
    proposed: Proposals
    probability: Floats
    errors: Mapping[tuple[str, int], str] | None = None

    @classmethod
    def of(
        cls,
        words: AssessedWords,
        model: LogisticModel,
        errors: Mapping[tuple[str, int], str] | None = None,
    ) -> AssessedTreebank:
        """Return the treebank, assessed by a model."""
        proposed = proposals(words)
        return cls(words, proposed, model.probabilities(features(words, proposed)), errors)

    @property
    def mean(self) -> float:
        """Return the mean of the probabilities of all words that can be listed; 0 if there are none."""
        listed = self.probability[self.can_be_listed]
        return float(listed.mean()) if len(listed) else 0.0

    @cached_property
    def can_be_listed(self) -> BoolArray:
        """Return bool[words], which can be listed: all but punctuation, and but words that are a sentence by
        themselves, which has no other tree."""
        lengths = np.diff(self.words.flat.offsets)[self.words.flat.sentence]
        return self.words.are_words & (lengths > 1)

    def order(self) -> list[int]:
        """Return the indices of all words that can be listed, the most doubtful first."""
        order = np.argsort(-self.probability, kind="stable")
        ordered: list[int] = order[self.can_be_listed[order]].tolist()
        return ordered

    def doubt(self, word: int) -> Doubt:
        """Return the doubt about the word of this index."""
        words, proposed = self.words, self.proposed
        index = int(words.flat.sentence[word])
        sentence, position = words.sentences[index], int(words.position[word])
        line = sentence.line_of(position)
        return Doubt(
            index,
            sentence.sent_id,
            words.sentence_names[index],
            sentence.file,
            line,
            position,
            words.forms[word],
            words.tags[word],
            int(words.heads[word]),
            words.deprels[word],
            int(proposed.heads[word]),
            words.names.names[proposed.relations[word]],
            linked_arc(words, word, int(proposed.heads[word])),
            float(self.probability[word]),
            self.pattern(word),
            fingerprint(sentence.tree),
            content_of(sentence),
            (self.errors or {}).get((sentence.file, line), ""),
        )

    def pattern(self, word: int) -> str:
        """Return the pattern of the doubt about a word, ``ADP:as case (head after) -> mark (another head
        after)``."""
        words, proposed = self.words, self.proposed
        position, head, new_head = (
            int(words.position[word]),
            int(words.heads[word]),
            int(proposed.heads[word]),
        )
        name = ":".join(text for text in (words.tags[word], words.lemmas[word]) if is_specified(text))
        old, new = words.deprels[word], words.names.names[proposed.relations[word]]
        if head == new_head:
            return f"{name} {old} -> {new} ({_describe_side('head', position, head)})"
        old += f" ({_describe_side('head', position, head)})" if head else ""
        new += f" ({_describe_side('another head', position, new_head)})" if new_head else ""
        return f"{name} {old} -> {new}"

    def earlier_pattern(self, word: int) -> str:
        """Return what earlier versions called the pattern, which files of decisions may name."""
        words, proposed = self.words, self.proposed
        new = words.names.names[proposed.relations[word]]
        head = " (other head)" if proposed.heads[word] != words.heads[word] else ""
        return f"{words.kinds[word]} -> {new}{head}"

    def proposed_tree(self, doubt: Doubt) -> Tree:
        """Return the sentence of a doubt with what is proposed."""
        tree = self.words.trees[doubt.sentence]
        heads, deprels = list(tree.heads), list(tree.deprels)
        for word, head, deprel in doubt.proposed_arcs:
            heads[word - 1], deprels[word - 1] = head, deprel
        return tree.with_heads(heads, deprels)


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
        mean: the mean of the probabilities of all words of the treebank that can be listed.
        decided: how many doubts are missing because they were accepted, and rejected.
        certain: how many words are missing because their probability is below `LEAST`.
        places: the words that could have been listed; None for all.
        pool: the doubts, and more that decisions may bring up, in the order of their probabilities.
        lessons: how many decisions have changed the order.
        is_validated: whether the official validator ran.
    """

    doubts: Sequence[Doubt]
    words: int
    mean: float
    decided: Mapping[Verdict, int] = field(default_factory=dict)
    certain: int = 0
    places: AnnotatedPlaces | None = None
    pool: Sequence[Doubt] = ()
    lessons: int = 0
    is_validated: bool = False


POOL = 5000
"""The doubts among which decisions choose those that are listed."""

LEAST = 0.005
"""A lower probability is no doubt: with two decimals it is 0."""


def list_doubts(
    assessed: AssessedTreebank,
    known: Known,
    *,
    most: int | None,
    places: AnnotatedPlaces | None = None,
) -> Listing:
    """Return the doubts to list.

    Args:
        assessed: the treebank.
        known: the doubts that are decided.
        most: the largest number of doubts to list; None for all words, whatever their probability.
        places: list only these words; None for all.
    """
    order = assessed.order()
    if places is not None:
        order = [word for word in order if word in places.annotated | places.proposed]
        places = replace(places, annotated=places.annotated & {*order}, proposed=places.proposed & {*order})
    pool: list[Doubt] = []
    certain = 0
    decided = Counter[Verdict]()
    for place, word in enumerate(order):
        if most is not None and len(pool) == max(most, POOL):
            break
        if most is not None and assessed.probability[word] < LEAST:
            certain = len(order) - place if len(pool) < most else 0
            break
        doubt = assessed.doubt(word)
        names = doubt.pattern, assessed.earlier_pattern(word)
        if verdict := known.find_verdict(doubt.place, doubt.sent_id, doubt.mark, names):
            decided[verdict] += 1
            continue
        pool.append(doubt)
    doubts, lessons = order_doubts(pool, known.decisions)
    return Listing(
        doubts[:most], len(order), assessed.mean, decided, certain, places, pool, lessons,
        assessed.errors is not None,
    )  # fmt: skip


def order_doubts(pool: Sequence[Doubt], decisions: Sequence[Decision]) -> tuple[Sequence[Doubt], int]:
    """Return doubts in the order that decisions teach, and how many decisions do.

    Args:
        pool: the doubts in the order of their probabilities.
        decisions: whatever was decided.
    """
    traits = Traits()
    lessons = traits.lessons(decisions)
    if not lessons:
        return pool, 0
    seen = [traits.see(doubt.probability, doubt.pattern, doubt.content) for doubt in pool]
    return [pool[place] for place in learn(lessons, traits.spreads).sort(seen)], len(lessons)


def places_of(assessed: AssessedTreebank, rule: Transformation) -> AnnotatedPlaces:
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
        if any(place.token == doubt.word for place in rule.places(assessed.proposed_tree(doubt))):
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
