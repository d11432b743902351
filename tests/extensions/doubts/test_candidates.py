"""What could stand in place of an annotated arc: the candidates, what speaks for them, and their order."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from learnability.extensions.doubts.candidates import (
    MOST,
    Candidates,
    rank_candidates,
    rank_proposals,
    score_candidates,
)
from learnability.extensions.doubts.cells import margins_of
from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.listing import AssessedTreebank
from learnability.extensions.doubts.logistic import load_all_weights, load_proposal_weights
from learnability.extensions.doubts.results import MarginsResult
from learnability.extensions.doubts.variation import LONGEST
from learnability.extensions.doubts.words import AssessedWords, voted_proposals
from learnability.parsers.assessed_trees import NONE, OTHERS, RELATIONS, ScoredArcs
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.splits import read_treebank

TRAINED, ASSESSED = 150, 60


@cache
def sentences() -> list[Sentence]:
    """Some sentences of the demo treebank; the last ones are one of them with other relations."""
    parts = [list(part) for _, part in read_treebank(locate_treebank("demo")).splits()]
    found = [sentence for part in parts for sentence in part][: TRAINED + ASSESSED]
    last = found[-1]
    for name in ("obl", "nmod", "obj", "advmod", "conj"):
        deprels = ["root" if head == 0 else name for head in last.tree.heads]
        found.append(replace(last, tree=last.tree.with_heads(last.tree.heads, deprels)))
    return found


@cache
def margins() -> MarginsResult:
    """What a graph-based parser of the first sentences says of the others."""
    trees = [sentence.tree for sentence in sentences()]
    return margins_of(
        trees[:TRAINED], trees[TRAINED:], tags="gold", iterations=2, multiple_roots=False, seed=1
    )


@cache
def words() -> AssessedWords:
    """The others with what two parsers say, which are one and the same."""
    return AssessedWords.of(sentences()[TRAINED:], [], [[margins()], [margins()]])


@cache
def candidates() -> Candidates:
    """The candidates of all words."""
    return Candidates.of(words(), np.ones(len(words().heads), bool))


@cache
def features() -> dict[str, np.ndarray]:
    """What speaks for them."""
    return {name: np.asarray(column, np.float64) for name, column in candidates().features()}


def test_what_a_parser_says_of_other_arcs_is_kept_in_bytes() -> None:
    found = ScoredArcs.unpack(margins().others, len(margins().heads))
    assert found.heads.shape == (len(margins().heads), 1 + OTHERS)
    assert found.relations.shape == (len(margins().heads), 1 + OTHERS, RELATIONS)
    assert found.pack() == margins().others
    parsed = np.array(margins().heads)
    agrees = parsed == words().heads
    assert (found.heads[:, 0] == words().heads).all()
    assert (found.heads[~agrees, 1] == parsed[~agrees]).mean() > 0.9  # but for equally good trees
    assert (found.heads[:, 1] == margins().rivals).mean() > 0.9
    assert (found.scores[agrees, 0] == 0).all()
    arc_margins = np.array(margins().arc_margins)
    assert np.allclose(found.scores[:, 0], np.minimum(arc_margins, 0), atol=0.1, rtol=0.01)
    own = np.array(margins().relations)[agrees]
    # a parser labels with the children of its tree, which differ where it finds others
    assert (found.relations[agrees, 0, 0] == own).mean() > 0.9
    # of each arc the best relation comes first, and the annotated one is no better
    assert (found.relation_scores[:, :, 0][found.heads != NONE] == 0).all()
    assert (found.kept[found.heads != NONE] <= 0).all()


def test_candidates_could_stand_in_place_of_the_annotated_arc() -> None:
    found, universals = candidates(), words().universals
    assert (np.bincount(found.word) <= MOST).all()
    assert (np.diff(found.word) >= 0).all()
    arcs = list(zip(found.word.tolist(), found.heads.tolist(), found.relations.tolist(), strict=True))
    assert len(set(arcs)) == len(arcs)
    for word, head, relation in arcs:
        position, index = int(words().position[word]), int(words().flat.sentence[word])
        assert 0 <= head <= len(words().trees[index])
        assert head != position
        assert (head == 0) == (relation == words().root)
        old = int(words().heads[word]), int(universals[words().relations[word]])
        assert (head, int(universals[relation])) != old
    columns = words().voted_heads[0].tolist(), words().voted_relations[0].tolist()
    voted = set(zip(*columns, range(len(words().heads)), strict=True))
    kept = {(head, relation, word) for word, head, relation in arcs}
    differ = [
        arc for arc in voted
        if (arc[0], universals[arc[1]]) != (words().heads[arc[2]], universals[words().relations[arc[2]]])
    ]  # fmt: skip
    assert len(differ) > 20
    assert kept.issuperset(differ)
    chosen = np.zeros(len(words().heads), bool)
    chosen[[3, 8]] = True
    few = Candidates.of(words(), chosen)
    assert set(few.word.tolist()) == {3, 8}
    assert few.heads.tolist() == found.heads[chosen[found.word]].tolist()


def test_frequencies_are_those_of_the_other_words() -> None:
    found, names = candidates(), words().universal_names
    tags, lemmas, position = words().tags, words().lemmas, words().position
    universals = words().universals
    relation = [names[universals[code]] for code in words().relations]
    above = words().at(words().heads).tolist()

    def side(word: int, head: int) -> str:
        return "root" if head == 0 else "before" if head < position[word] else "after"

    sides = [side(word, int(head)) for word, head in enumerate(words().heads)]
    draw = np.random.default_rng(1)
    for item in draw.choice(len(found.word), 60, replace=False).tolist():
        word, new = int(found.word[item]), names[found.universals[item]]
        new_above = int(found.above[item])
        new_tag = tags[new_above] if new_above >= 0 else ""
        new_side = side(word, int(found.heads[item]))
        like = [
            other for other in range(len(tags))
            if other != word and tags[other] == tags[word] and sides[other] == new_side
            and (tags[above[other]] if above[other] >= 0 else "") == new_tag
        ]  # fmt: skip
        seen = sum(relation[other] == new for other in like)
        assert features()["relation by tags"][item] == pytest.approx(np.log((seen + 0.05) / (len(like) + 1)))
        pairs = [
            other for other in range(len(tags))
            if other != word and lemmas[other] == lemmas[word]
            and (lemmas[above[other]] if above[other] >= 0 else "")
            == (lemmas[new_above] if new_above >= 0 else "")
        ]  # fmt: skip
        seen = sum(relation[other] == new for other in pairs)
        assert features()["relation by lemmas"][item] == pytest.approx(
            np.log((seen + 0.1) / (len(pairs) + 1))
        )


def test_nuclei_are_those_of_the_same_words_elsewhere() -> None:
    found, universals = candidates(), words().universals
    forms = [tree.compared_forms() for tree in words().trees]

    def nucleus(word: int, head: int) -> tuple[tuple[object, ...], tuple[object, ...]] | None:
        """The words from a word to a head and the direction; the same with the words on either side."""
        position, of_sentence = int(words().position[word]), forms[int(words().flat.sentence[word])]
        first, last = min(position, head), max(position, head)
        if head == 0 or last - first >= LONGEST:
            return None
        inner = (*of_sentence[first - 1 : last], position < head)
        around = (of_sentence[first - 2] if first > 1 else None,
                  of_sentence[last] if last < len(of_sentence) else None)  # fmt: skip
        return inner, (*inner, *around)

    annotated = [nucleus(word, int(head)) for word, head in enumerate(words().heads)]
    several = 0
    for item in range(0, len(found.word), 7):
        word = int(found.word[item])
        new = nucleus(word, int(found.heads[item]))
        counts = [0, 0]
        for other, old in enumerate(annotated):
            if other == word or old is None or new is None:
                continue
            if universals[words().relations[other]] != found.universals[item]:
                continue
            counts[0] += old[0] == new[0]
            counts[1] += old[1] == new[1]
        several += counts[0] > 0
        for name, count in zip(("nuclei", "context"), counts, strict=True):
            assert features()[f"{name} as proposed"][item] == pytest.approx(np.log1p(count))
    assert several


def test_the_place_of_a_head_is_that_in_the_annotated_tree() -> None:
    found, several = candidates(), 0
    for item in range(len(found.word)):
        word, head = int(found.word[item]), int(found.heads[item])
        tree = words().trees[int(words().flat.sentence[word])]
        position = int(words().position[word])
        up, is_below = head, False
        while up:
            is_below |= up == position
            up = tree.heads[up - 1]
        assert features()["below"][item] == is_below
        several += is_below
        assert features()["child"][item] == (head > 0 and tree.heads[head - 1] == position)
        old = tree.heads[position - 1]
        assert features()["grandparent"][item] == (old > 0 and tree.heads[old - 1] == head)
    assert several


def test_the_second_proposal_is_the_next_that_is_no_subtype_of_the_first() -> None:
    found, model = candidates(), load_proposal_weights()
    first, second = (set(items.tolist()) for items in rank_candidates(found, model))
    scores = score_candidates(found, model)
    for word in set(found.word.tolist()):
        items = np.flatnonzero(found.word == word).tolist()
        best = max(items, key=lambda item: (scores[item], -item))
        assert first & set(items) == {best}
        arc = found.heads[best], found.universals[best]
        others = [item for item in items if (found.heads[item], found.universals[item]) != arc]
        expected = {max(others, key=lambda item: (scores[item], -item))} if others else set()
        assert second & set(items) == expected
    assert all(np.isfinite(scores))
    assert set(features()) == set(model.weights)


def test_a_doubt_has_both_proposals_and_each_is_part_of_a_tree() -> None:
    treebank = AssessedTreebank.of(words(), load_all_weights()[HEAD])
    proposed = rank_proposals(words(), voted_proposals(words()), load_proposal_weights())
    assert proposed.heads.tolist() == treebank.proposed.heads.tolist()
    linked = 0
    for word, *_ in treebank.places([HEAD]):
        doubt = treebank.doubt(word)
        second = replace(doubt, proposed_head=doubt.second_arcs[0].head,
                         proposed_deprel=doubt.second_arcs[0].deprel,
                         also=doubt.second_arcs[1] if len(doubt.second_arcs) > 1 else None)  # fmt: skip
        linked += second.also is not None
        for each in (doubt, second):
            heads = each.change(treebank.words.trees[each.sentence]).heads
            assert sorted(_below_root(heads)) == list(range(1, len(heads) + 1))
        assert (doubt.proposed_head, doubt.proposed_deprel) != (second.proposed_head, second.proposed_deprel)
    assert linked


def _below_root(heads: tuple[int, ...]) -> list[int]:
    """The words that the root reaches."""
    reached = [word for word, head in enumerate(heads, start=1) if head == 0]
    for word in reached:
        reached += [other for other, head in enumerate(heads, start=1) if head == word]
    return reached
