"""Scores of trainings from raw parses, and gold that must not leak."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import naive_measures as naive
import pytest
from naive_rules import Naive
from tally import Tally

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.scoring import score_training
from learnability.comparing.trainings import train_and_test
from learnability.comparing.ud import UD
from learnability.metrics.phrases import TOKEN_KINDS
from learnability.parsing.parser import Parser
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions, Tree

NAMES = ("UD_Kazakh", "UD_Irish", "UD_Tamil-TTB")
"""Small treebanks of both versions of UD."""


def right(gold: Tree, other: Tree, *, words: bool = False, labels: bool = False) -> int:
    """The tokens with the right head (and universal relation)."""
    rows = zip(gold.heads, other.heads, gold.deprels, other.deprels, strict=True)
    return sum(
        h == g and (not labels or naive.main(a) == naive.main(b)) and not (words and naive.main(a) == "punct")
        for h, g, a, b in rows
    )


@pytest.mark.parametrize("name", NAMES)
def test_scores(name: str, ud_home: Path, tally: Tally) -> None:
    """What is recorded of trainings, from their raw parses: each count of each test sentence"""
    if not list(ud_home.glob(f"*/{name}")):
        pytest.skip(f"no {name} below LEARNABILITY_UD_HOME")
    specs = ("case", "cop", "det", "cc", "name")
    options = ExperimentOptions.spell_annotations(specs, data=DataOptions(splits="dev"), iterations=2)
    fold = fold_of(locate_treebank(name, ud_home=ud_home), options, 0)
    for pair in fold.pairs:
        if not fold.compare_pair(pair).exists:
            continue
        annotated, spec = fold.compare_pair(pair).alternative, pair.alternative.spelling
        tested = train_and_test(fold, annotated.sets, 1)
        record = score_training(tested, [pair], annotated)
        counts, ud, gold = record.scores["uas"], fold.ud.test, annotated.sets.test
        own = naive_gold(fold, spec)
        tally.same([tree.heads for tree in gold], own, spec, "gold")
        each = list(zip(gold, tested.parsed, strict=True))
        tally.same(counts.correct, [right(a, b) for a, b in each], spec, "correct")
        punct = [[naive.main(d) != "punct" for d in tree.deprels] for tree in ud]
        tally.same(record.words, [sum(own) for own in punct], spec, "words")
        of_words = [
            sum(h == g and w for h, g, w in zip(a.heads, b.heads, own, strict=True))
            for (a, b), own in zip(each, punct, strict=True)
        ]
        tally.same(counts.words, of_words, spec, "words")
        phrases = [naive.phrases_right(a, b.heads) for a, b in zip(ud, tested.parsed, strict=True)]
        tally.same(
            (counts.phrases, record.phrases), tuple(map(list, zip(*phrases, strict=True))), spec, "phrases"
        )
        converted = annotated.converter.convert(tested.parsed)
        tally.same(counts.back, [right(a, b) for a, b in zip(ud, converted, strict=True)], spec, "back")
        relations, total = Counter(), Counter()
        split = Counter()
        for tree, (a, b), places in zip(ud, each, fold.compare_pair(pair).test_places, strict=True):
            near = {naive.content_of(tree, place) for place in places}
            for token, (x, y, deprel) in enumerate(zip(a.heads, b.heads, tree.deprels, strict=True), start=1):
                relations[naive.main(deprel)] += x == y
                total[naive.main(deprel)] += 1
                part = TOKEN_KINDS[
                    0 if token in places else 1 if naive.content_of(tree, token) in near else 2
                ]
                split[part, True] += x == y
                split[part, False] += 1
        tally.same(counts.relations, {r: (relations[r], total[r]) for r in sorted(total)}, spec, "relations")
        found = counts.error_split[spec]
        tally.same(found, {p: (split[p, True], split[p, False]) for p in TOKEN_KINDS}, spec, "error split")


def naive_gold(fold: Fold, spec: str) -> list[tuple[int, ...]]:
    """The heads of the test trees with every place transformed."""
    found = []
    for tree in fold.ud.test:
        rule = Naive(tree, spec, fold.treebank.conventions)
        found.append(rule.apply({spec: rule.places(spec)})[0])
    return found


def hidden(tree: Tree, draw: random.Random, tags: bool) -> Tree:
    """The words without their annotation: no tree, other labels; other tags, too, where none is allowed."""
    words = {"upos": tuple(draw.choices(["NOUN", "ADP", "X"], k=len(tree)))} if tags else {}
    heads = tuple(draw.randrange(len(tree) + 1) for _ in tree.heads)
    return replace(tree, heads=heads, deprels=("dep",) * len(tree), **words)


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_gold_in_parses(
    name: str, treebanks: list[tuple[Conventions, list[Tree]]], sized: Callable[[int], int], tally: Tally
) -> None:
    """Parses of unseen sentences, with gold heads, labels (and tags) and with random ones"""
    draw = random.Random(name)
    for number, (_, trees) in enumerate(treebanks):
        chosen = draw.sample(trees, min(sized(60), len(trees)))
        tags = "none" if number % 2 else "gold"
        train, test = chosen[::2], chosen[1::2]
        parser = Parser.fit(train, system=name, labelled=True, tags=tags, iterations=1)
        blind = parser.parse([hidden(tree, draw, tags == "none") for tree in test])
        for seen, other in zip(parser.parse(test), blind, strict=True):
            tally.same((seen.heads, seen.deprels), (other.heads, other.deprels), name, tags, seen.forms)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tags", ["gold", "none"])
def test_no_gold_in_conversion(name: str, tags: str, ud_home: Path, tally: Tally) -> None:
    """Parses converted back to UD, with gold annotation of the test part and with random one"""
    if not list(ud_home.glob(f"*/{name}")):
        pytest.skip(f"no {name} below LEARNABILITY_UD_HOME")
    draw = random.Random(name)
    options = ExperimentOptions.spell_annotations(
        ("case", "cop", "name"), data=DataOptions(splits="dev"), tags=tags, iterations=1
    )
    fold = fold_of(locate_treebank(name, ud_home=ud_home), options, 0)
    for spec in ("case", "cop", "name"):
        pair = Pair(UD, annotation_spelled(spec))
        if not fold.compare_pair(pair).exists:
            continue
        annotated = fold.compare_pair(pair).alternative
        tested = train_and_test(fold, annotated.sets, 1)
        blind = tested.trained.parse([hidden(tree, draw, tags == "none") for tree in tested.gold])
        pairs = (annotated.converter.convert(parses) for parses in (tested.parsed, blind))
        for seen, other in zip(*pairs, strict=True):
            tally.same((seen.heads, seen.deprels), (other.heads, other.deprels), spec, seen.forms)
