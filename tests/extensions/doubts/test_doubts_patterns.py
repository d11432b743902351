"""Patterns of doubts: their words are alike, both counts are right, and the query finds exactly the words."""

from __future__ import annotations

import random
import re

import pytest
from doubted_words import assess_by_votes, no_other_arcs

from learnability.annotation_diffs.grew import query_for_words
from learnability.extensions.doubts.listing import AssessedTreebank, list_doubts
from learnability.extensions.doubts.merging import known_doubts
from learnability.extensions.doubts.patterns import Pattern, kinds_of_words, patterns
from learnability.extensions.doubts.results import MarginsResult, VotesResult
from learnability.extensions.doubts.section import patterns_section
from learnability.extensions.doubts.words import AssessedWords
from learnability.treebanks.sentence import Sentence, Tree

Word = tuple[int, int]
"""A sentence, from 0, and a word, from 1."""


def matched(query: str, trees: list[Tree]) -> set[Word]:
    """The words W that a query of the form that we write finds, by its clauses one by one."""
    found = re.fullmatch(
        r'pattern \{ W \[(?P<features>(?:\w+="(?:[^"\\]|\\.)*"(?:, )?)*)\]; H -\[(?P<deprel>[^\]]*)\]-> W'
        r"(?P<order>; W << H|; H << W)? \}",
        query,
    )
    assert found, query
    features = {
        name: re.sub(r"\\(.)", r"\1", value)
        for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found["features"])
    }
    words = set()
    for number, tree in enumerate(trees):
        for word in range(1, len(tree) + 1):
            head = tree.heads[word - 1]
            values = {"upos": tree.upos[word - 1], "lemma": tree.lemmas[word - 1]}
            fits = all(values[name] == value for name, value in features.items())
            ordered = {None: True, "; W << H": word < head, "; H << W": 0 < head < word}[found["order"]]
            if fits and ordered and tree.deprels[word - 1] == found["deprel"]:
                words.add((number, word))
    return words


LEMMAS = ("of", 'a"b', "a\\", "_", "ל", "x]-> W")


def random_treebank(seed: int) -> AssessedTreebank:
    """A treebank of random trees, with random parses."""
    generator = random.Random(seed)
    trees, heads, relations = [], [], []
    names = ["root", "case", "mark", "nmod:poss"]
    for _ in range(40):
        size = generator.randint(2, 6)
        annotated = chain(generator, size)
        deprels = tuple("root" if head == 0 else generator.choice(names[1:]) for head in annotated)
        lemmas = tuple(generator.choices(LEMMAS, k=size))
        tags = tuple(generator.choices(["ADP", "NOUN"], k=size))
        trees.append(Tree(tuple(f"w{i}" for i in range(size)), tags, annotated, deprels, lemmas))
        voted = chain(generator, size)
        heads += voted
        relations += [0 if head == 0 else generator.randint(1, 3) for head in voted]
    votes = VotesResult(heads=heads, relations=relations, names=names)
    margins = MarginsResult(
        heads=heads, relations=relations, names=names, arc_margins=[1.0] * len(heads), rivals=heads,
        relation_margins=[1.0] * len(heads), rival_relations=relations, others=no_other_arcs(len(heads)),
    )  # fmt: skip
    sentences = [Sentence(tree, str(number)) for number, tree in enumerate(trees)]
    return assess_by_votes(AssessedWords.of(sentences, [[votes]], [[margins]]))


def chain(generator: random.Random, size: int) -> tuple[int, ...]:
    """The heads of a tree: each word hangs on one that was drawn before."""
    order = generator.sample(range(1, size + 1), size)
    heads = {order[0]: 0}
    for place, word in enumerate(order[1:], start=1):
        heads[word] = generator.choice(order[:place])
    return tuple(heads[word] for word in range(1, size + 1))


def found_in(treebank: AssessedTreebank) -> list[Pattern]:
    """The patterns of all doubts of a treebank."""
    return patterns(treebank, list_doubts(treebank, known_doubts(()), most=None).doubts)


@pytest.mark.parametrize("seed", range(5))
def test_queries_find_exactly_the_words_that_are_counted(seed: int) -> None:
    treebank = random_treebank(seed)
    trees = list(treebank.words.trees)
    found = found_in(treebank)
    assert len(found) > 5
    for pattern in found:
        words = matched(pattern.query, trees)
        assert len(words) == pattern.words
        assert {(doubt.sentence, doubt.word) for doubt in pattern.doubts} <= words


@pytest.mark.parametrize("seed", range(5))
def test_the_words_of_a_pattern_are_alike(seed: int) -> None:
    treebank = random_treebank(seed)
    trees = treebank.words.trees
    for pattern in found_in(treebank):
        assert len(pattern.doubts) >= 2

        def kind(sentence: int, word: int, head: int, deprel: str) -> tuple[str, ...]:
            side = "root" if head == 0 else str(head < word)
            return trees[sentence].upos[word - 1], trees[sentence].lemmas[word - 1], deprel, side

        annotated = {kind(d.sentence, d.word, d.head, d.deprel) for d in pattern.doubts}
        proposed = {kind(d.sentence, d.word, d.proposed_head, d.proposed_deprel) for d in pattern.doubts}
        ((same,), (other,)) = annotated, proposed
        assert same != other
        assert same[1] != "_"
        for wanted, count in ((same, pattern.words), (other, pattern.proposed_words)):
            every = [
                kind(number, word, *arc) == wanted
                for number, tree in enumerate(trees)
                for word, arc in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1)
            ]
            assert sum(every) == count
    assert len(kinds_of_words(treebank)) == sum(map(len, trees))


def test_names_say_what_is_alike() -> None:
    names = {pattern.name for seed in range(5) for pattern in found_in(random_treebank(seed))}
    form = r"(ADP|NOUN):.* (case|mark|nmod:poss|root)( \(head (before|after)\))? -> .+"
    assert all(re.fullmatch(form, name) for name in names)
    same_head = [name for name in names if "another head" not in name and "root" not in name]
    assert all(re.fullmatch(r".* [a-z:]+ -> [a-z:]+ \(head (before|after)\)", name) for name in same_head)


def test_a_pattern_can_be_rejected() -> None:
    treebank = random_treebank(0)
    every = list_doubts(treebank, known_doubts(()), most=None).doubts
    left = list_doubts(treebank, known_doubts((f"pattern: {every[0].pattern}",)), most=None)
    assert len(left.doubts) < len(every)
    assert every[0] not in left.doubts


@pytest.mark.parametrize("side", ["before", "after", ""])
def test_queries_leave_out_what_is_unknown(side: str) -> None:
    assert "upos" not in query_for_words(tag="_", lemma="a", deprel="case", side=side)
    assert "[]" in query_for_words(tag="", lemma="_", deprel="case", side=side)


@pytest.mark.parametrize("width", [80, 120])
def test_patterns_are_shown_with_two_sentences_and_both_counts(width: int) -> None:
    treebank = random_treebank(1)
    found = found_in(treebank)
    section = patterns_section(found, treebank.words.trees)
    assert section.laid_out is not None
    text = "\n".join(section.laid_out(width))
    first = found[0]
    assert f"{first.words:,} words as annotated, {first.proposed_words:,} as proposed" in text.replace(
        "\n    ", " "
    )
    assert first.query in text
    blocks = text.split("\n\n")[:5]
    assert all(block.count("\n  w") + block.count("\n  …") == 2 for block in blocks)
