"""The arcs that could stand in place of the annotated arc of a word, and what speaks for each.

The candidates are the votes of all parsers, and the best heads of the graph-based parsers: each with their
best relations there and with the annotated one. The annotated head is among these heads, so another relation
of it is a candidate, too. What a candidate has in common with all others of its word does not matter.

A log-linear model chooses among them: the conditional logit of McFadden (1974). Its weights are fitted on
what later releases corrected, and on injected errors (research/doubts).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Guidelines, ScoredArcs
from learnability.extensions.doubts.features import Feature, look_up
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.variation import find_nuclei
from learnability.extensions.doubts.words import (
    NONE,
    AssessedWords,
    Codes,
    Counted,
    Floats,
    Proposals,
    hash_columns,
    in_units,
)

MOST = 16
"""Candidates of a word, at most: those that the parsers prefer."""

LOWEST = -6.0
"""The lowest score of a head or a relation, in the unit of the median margin."""

STEP, UNKNOWN = 0.5, -3.0
"""How far a head or relation that a parser does not name is below its last one, and the score of a relation
at such a head."""

VOTE = 2.0
"""What a vote of all parsers adds to the preference by which candidates are kept."""

FAR = (2, 3, 4, 6, 10, 20)
"""Where the classes of distances between a word and its head begin, after the first."""

SCORES = ("arc", "relation score", "best head", "next head", "best relation")
"""The score of the best tree with the arc, below that of the best tree; the score of the relation at this
head, below that of the best; the share of parsers whose best head it has, whose best head beside the
annotated one, and whose best relation at this head."""

DEPENDENTS = ("case", "mark", "cop", "aux", "nsubj", "obj", "det", "cc")
"""The relations of dependents that say most about the relation of a word."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates of words of a treebank, those of a word together.

    Attributes:
        word: int64[candidates], the index of the word, which ascends.
        heads: int64[candidates], the head (0: the root).
        relations: int64[candidates], by their numbers.
    """

    words: AssessedWords
    word: Codes
    heads: Codes
    relations: Codes

    @classmethod
    def of(cls, words: AssessedWords, chosen: NDArray[np.bool_]) -> Candidates:
        """Return the candidates of the words that are chosen (bool[words]): at most `MOST` of each.

        None of them has the annotated head and the annotated relation, subtypes aside; only root words have
        the relation of root words.
        """
        indices = np.flatnonzero(chosen)
        arcs = [(words.voted_heads[i, indices], words.voted_relations[i, indices])
                for i in range(len(words.voted_heads))]  # fmt: skip
        for scored in words.others:
            for slot in range(scored.heads.shape[1]):
                heads = scored.heads[indices, slot].astype(np.int64)
                arcs.append((heads, words.relations[indices]))
                for place in range(scored.relations.shape[2]):
                    arcs.append((heads, scored.relations[indices, slot, place].astype(np.int64)))
        word = np.tile(indices, len(arcs))
        heads, relations = (np.concatenate(column) for column in zip(*arcs, strict=True))
        universals, annotated = words.universals, words.relations[word]
        fits = (heads != NONE) & (relations != NONE) & (heads != words.position[word])
        fits &= (heads == 0) == (relations == words.root)
        fits &= (heads != words.heads[word]) | (universals[relations] != universals[annotated])
        spread = int(words.position.max(initial=0)) + 1, len(universals)
        keys = np.unique((word[fits] * spread[0] + heads[fits]) * spread[1] + relations[fits])
        rest, relations = np.divmod(keys, spread[1])
        word, heads = np.divmod(rest, spread[0])
        return cls(words, word, heads, relations)._preferred()

    def _preferred(self) -> Candidates:
        preference = self.scores["arc"] + self.scores["relation score"] + VOTE * self._votes.mean(axis=0)
        order = np.lexsort((-preference, self.word))
        kept = np.sort(order[places_in_groups(self.word) < MOST])
        return Candidates(self.words, self.word[kept], self.heads[kept], self.relations[kept])

    @cached_property
    def universals(self) -> Codes:
        return self.words.universals[self.relations]

    @cached_property
    def _head_votes(self) -> NDArray[np.bool_]:
        return np.asarray(self.words.voted_heads[:, self.word] == self.heads, bool)

    @cached_property
    def _relation_votes(self) -> NDArray[np.bool_]:
        voted = self.words.universals[self.words.voted_relations[:, self.word]]
        return np.asarray(voted == self.universals, bool)

    @property
    def _votes(self) -> NDArray[np.bool_]:
        return self._head_votes & self._relation_votes

    @cached_property
    def shares(self) -> Floats:
        """Return float64[candidates], the share of the votes for exactly this."""
        relations = self.words.voted_relations[:, self.word] == self.relations
        return np.asarray((self._head_votes & relations).mean(axis=0), np.float64)

    @cached_property
    def scores(self) -> dict[str, Floats]:
        """Return what the graph-based parsers say: float64[candidates], means of all, by the name of the
        feature (`SCORES`)."""
        units = [max(float(np.median(np.abs(margin))), 1e-6)
                 for margin in (self.words.arc_margin, self.words.relation_margin)]  # fmt: skip
        columns = [self._scores_of(scored, *units) for scored in self.words.others]
        means = (np.mean(column, axis=0) for column in zip(*columns, strict=True))
        return dict(zip(SCORES, means, strict=True))

    def _scores_of(self, scored: ScoredArcs, arc_unit: float, relation_unit: float) -> tuple[Floats, ...]:
        word = self.word
        at_slot = scored.heads[word] == self.heads[:, None]
        is_named, slot = at_slot.any(axis=1), at_slot.argmax(axis=1)
        heights = np.maximum(scored.scores.astype(np.float64) / arc_unit, LOWEST)
        last = np.where(np.isfinite(scored.scores), heights, 0).min(axis=1)
        arcs = np.where(is_named, heights[word, slot], np.maximum(last[word] - STEP, LOWEST))
        at_place = scored.relations[word, slot] == self.relations[:, None]
        knows, place = is_named & at_place.any(axis=1), at_place.argmax(axis=1)
        known = np.maximum(scored.relation_scores[word, slot].astype(np.float64) / relation_unit, LOWEST)
        kept = np.clip(scored.kept[word, slot].astype(np.float64) / relation_unit, LOWEST, 0)
        relations = np.maximum(known.min(axis=1) - STEP, LOWEST)
        relations = np.where(self.relations == self.words.relations[word], kept, relations)
        relations = np.where(is_named, relations, UNKNOWN)
        relations = np.where(knows, known[np.arange(len(word)), place], relations)
        has_best_relation = knows & (place == 0)
        return arcs, relations, is_named & (arcs == 0), is_named & (slot == 1), has_best_relation

    def features(self) -> Iterator[Feature]:
        """Yield what speaks for the candidates, by name, each float or bool[candidates]."""
        yield from self._parsers()
        yield from self._frequencies()
        yield from self._nuclei()
        yield from self._guidelines()
        yield from self._shape()

    def _parsers(self) -> Iterator[Feature]:
        words, word = self.words, self.word
        yield from self.scores.items()
        yield "votes", self._votes.mean(axis=0)
        yield "some vote", np.asarray(self._votes.any(axis=0))
        yield "head votes", self._head_votes.mean(axis=0)
        yield "relation votes", self._relation_votes.mean(axis=0)
        same_head = self.heads == words.heads[word]
        same_relation = self.universals == words.universals[words.relations[word]]
        yield "same head", same_head
        yield "same relation", same_relation
        differs = (words.voted_heads != words.heads).mean(axis=0)[word]
        yield "same head, heads differ", same_head * differs
        yield "same head, gap", same_head * np.clip(in_units(words.arc_gap), -3, 3)[word]
        yield "same relation, gap", same_relation * np.clip(in_units(words.relation_gap), -3, 3)[word]
        yield "pattern share", self._pattern_share(same_head)

    def _pattern_share(self, same_head: NDArray[np.bool_]) -> Floats:
        """Return how often the parsers vote for such a change of words with the same tag and relation."""
        words, word = self.words, self.word
        universals = words.universals
        tag, annotated = words.columns.tag, universals[words.relations]
        voted = np.concatenate([
            hash_columns(tag, annotated, universals[relations], heads != words.heads)
            for heads, relations in zip(words.voted_heads, words.voted_relations, strict=True)
        ])  # fmt: skip
        own = self._votes.sum(axis=0)
        sought = hash_columns(tag[word], annotated[word], self.universals, ~same_head)
        votes = np.maximum(Counted(voted).find(sought) - own, 0)
        kind = Counted(hash_columns(tag, annotated))
        like = kind.others(kind.keys[word], word) * len(words.voted_heads)
        return np.asarray(np.log((votes + 0.3) / (like + 1.5)), np.float64)

    def _frequencies(self) -> Iterator[Feature]:
        words, word, universals = self.words, self.word, self.words.universals
        form, tag, lemma = words.columns.form, words.columns.tag, words.lemma_codes
        relation, above, new_above = universals[words.relations], words.columns.head, self.above
        side, new_side = (_side(words.heads, words.position), _side(self.heads, words.position[word]))
        dependents = _dependents(words)
        head_tag, new_head_tag = look_up(tag, above), look_up(tag, new_above)
        head_lemma, new_head_lemma = look_up(lemma, above), look_up(lemma, new_above)
        for name, given, new_given, prior in (
            ("form", (form, tag), (form[word], tag[word]), 0.1),
            ("lemmas", (lemma, head_lemma), (lemma[word], new_head_lemma), 0.1),
            ("tags", (head_tag, tag, side), (new_head_tag, tag[word], new_side), 0.05),
            (
                "dependents", (dependents, tag, head_tag, side),
                (dependents[word], tag[word], new_head_tag, new_side), 0.1,
            ),
        ):  # fmt: skip
            both = Counted(hash_columns(*given, relation))
            seen = both.others(hash_columns(*new_given, self.universals), word)
            among = Counted(hash_columns(*given)).others(hash_columns(*new_given), word)
            yield f"relation by {name}", np.log((seen + prior) / (among + 1.0))
        kind, new_kind = (relation, tag), (self.universals, tag[word])
        among = Counted(hash_columns(*kind)).others(hash_columns(*new_kind), word)
        distance = np.digitize(np.abs(words.heads - words.position), FAR)
        new_distance = np.digitize(np.abs(self.heads - words.position[word]), FAR)
        head_relation, new_head_relation = look_up(relation, above), look_up(relation, new_above)
        for name, place, new_place in (
            ("head", (head_relation, head_tag), (new_head_relation, new_head_tag)),
            ("distance", (side, distance), (new_side, new_distance)),
        ):
            seen = Counted(hash_columns(*place, *kind)).others(hash_columns(*new_place, *new_kind), word)
            yield f"{name} by relation", np.log((seen + 0.05) / (among + 1.0))

    @cached_property
    def above(self) -> Codes:
        return np.where(self.heads > 0, self.words.starts[self.word] + self.heads - 1, -1)

    def _nuclei(self) -> Iterator[Feature]:
        words, word = self.words, self.word
        arcs = find_nuclei(words.columns, np.arange(len(words.heads)), words.heads)
        new = find_nuclei(words.columns, word, self.heads)
        label = words.position < words.heads, words.universals[words.relations]
        new_label = words.position[word] < self.heads, self.universals
        for name, key, new_key in (
            ("nuclei", arcs.words, new.words),
            ("context", arcs.context, new.context),
        ):
            known = np.where(arcs.there, hash_columns(key, *label), 0)  # but by chance no nucleus has 0
            seen = Counted(known).others(hash_columns(new_key, *new_label), word)
            yield f"{name} as proposed", np.where(new.there, np.log1p(np.maximum(seen, 0)), 0)

    def _guidelines(self) -> Iterator[Feature]:
        words, names = self.words, self.words.universal_names
        tags = dict.fromkeys(words.tags)  # in the order of their numbers
        fits = np.array([[Guidelines.fits_tag(name, each) for each in tags] for name in names], bool)
        yield "rule tag", ~fits[self.universals, words.columns.tag[self.word]]
        relation = words.universals[words.relations]
        below = np.array([name in Guidelines.FUNCTION for name in names])[look_up(relation, self.above)]
        below &= self.above >= 0
        allowed = np.array([name in Guidelines.ALLOWED_BELOW for name in names])[self.universals]
        yield "rule leaf", below & ~allowed
        to_the_right = np.array([name in Guidelines.TO_THE_RIGHT for name in names])[self.universals]
        yield "rule direction", to_the_right & (self.heads > words.position[self.word])

    def _shape(self) -> Iterator[Feature]:
        words, word, above = self.words, self.word, self.words.columns.head
        head = np.maximum(self.above, 0)
        entered, left = _walk(words)
        is_below = (self.above >= 0) & (entered[word] <= entered[head]) & (entered[head] < left[word])
        yield "below", is_below
        yield "child", (self.above >= 0) & (above[head] == word)
        old = above[word]
        yield "grandparent", (old >= 0) & (words.heads[np.maximum(old, 0)] == self.heads)
        yield "sister", (self.above >= 0) & (old >= 0) & (above[head] == old) & ~is_below
        yield "punctuation", (self.above >= 0) & ~words.are_words[head]


def rank_proposals(words: AssessedWords, voted: Proposals, model: LogisticModel) -> Proposals:
    """Return the two best candidates of each word; of words without candidates what the votes propose."""
    candidates = Candidates.of(words, np.ones(len(words.heads), bool))
    first, second = rank_candidates(candidates, model)
    heads, relations, share = voted.heads.copy(), voted.relations.copy(), voted.share.copy()
    second_heads, second_relations = voted.second_heads.copy(), voted.second_relations.copy()
    word = candidates.word[first]
    heads[word], relations[word] = candidates.heads[first], candidates.relations[first]
    share[word] = candidates.shares[first]
    word = candidates.word[second]
    second_heads[word], second_relations[word] = candidates.heads[second], candidates.relations[second]
    return Proposals(heads, relations, share, second_heads, second_relations)


def rank_candidates(candidates: Candidates, model: LogisticModel) -> tuple[Codes, Codes]:
    """Return the indices of the first candidates, one of each word, and of the second ones.

    The second one differs from the first in more than a subtype, so some words have none. Of equals it is
    the first by head, then by relation.
    """
    order = np.lexsort((-score_candidates(candidates, model), candidates.word))
    first = order[places_in_groups(candidates.word[order]) == 0]
    best = np.repeat(first, np.bincount(candidates.word)[candidates.word[first]])[np.argsort(order)]
    differs = (candidates.heads != candidates.heads[best]) | (
        candidates.universals != candidates.universals[best]
    )
    others = order[differs[order]]
    return first, others[places_in_groups(candidates.word[others]) == 0]


def score_candidates(candidates: Candidates, model: LogisticModel) -> Floats:
    """Return float64[candidates], the scores of candidates, which are compared within a word."""
    total = np.zeros(len(candidates.word))
    for name, column in candidates.features():  # one after the other: all at once would need much memory
        total += model.weights[name] * np.asarray(column, np.float64)
    return total


def places_in_groups(sorted_groups: Codes) -> Codes:
    """Return int64[items], the place of each item in its group, from 0; groups stand together."""
    starts = np.r_[True, sorted_groups[1:] != sorted_groups[:-1]] if len(sorted_groups) else np.zeros(0, bool)
    places = np.arange(len(sorted_groups))
    return places - np.maximum.accumulate(np.where(starts, places, 0))


def _side(heads: Codes, position: Codes) -> Codes:
    """Return int64, where heads are: after (0), before (1), or the root (2)."""
    return np.asarray(np.where(heads == 0, 2, heads < position), np.int64)


def _dependents(words: AssessedWords) -> Codes:
    """Return int64[words], a bit for each of `DEPENDENTS` that a word has."""
    found, above = np.zeros(len(words.heads), np.int64), words.columns.head
    relations = np.array(words.universal_names)[words.universals[words.relations]]
    for place, wanted in enumerate(DEPENDENTS):
        is_wanted = relations == wanted
        found[above[is_wanted & (above >= 0)]] |= 1 << place
    return found


def _walk(words: AssessedWords) -> tuple[Codes, Codes]:
    """Return int64[words] twice: when a walk down the annotated trees enters a word, and when it leaves it.

    A word is below another one, or the same, if it is entered while the walk is there.
    """
    entered, left = (np.zeros(len(words.heads), np.int64) for _ in range(2))
    for tree, start in zip(words.trees, words.flat.offsets.tolist(), strict=False):
        below: list[list[int]] = [[] for _ in range(len(tree) + 1)]
        for word, head in enumerate(tree.heads, start=1):
            below[head].append(word)
        time = 0
        waiting = list(below[0])
        while waiting:
            word = waiting.pop()
            if word < 0:
                left[start - word - 1] = time
                continue
            entered[start + word - 1] = time
            time += 1
            waiting += [-word, *below[word]]
    return entered, left
