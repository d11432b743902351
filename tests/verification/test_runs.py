"""Scores of trainings from raw parses, the model of uncertainty by loops, gold that must not leak."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import sqrt
from operator import mul
from pathlib import Path
from statistics import NormalDist, fmean, variance

import naive_measures as naive
import numpy as np
import pytest
from clusters import text_variance_of_twin
from literal import Treebanks
from naive_rules import Naive
from scipy import stats
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
from learnability.statistics.holm import holm
from learnability.statistics.meta_analysis import RandomEffects
from learnability.statistics.significance import compare
from learnability.treebanks.families import Origin
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

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


def model(a: np.ndarray, b: np.ndarray, total: np.ndarray, documents: list[int]) -> dict[str, float]:
    """docs/rules.md, Scores and uncertainty: the variance of the text, that of the seeds, and their sum."""
    seeds, size = a.shape
    delta = 100 * float((a - b).sum()) / (seeds * total.sum())
    z = [
        [(100 * (a[k, s] - b[k, s]) - delta * total[s]) / fmean(total) for s in range(size)]
        for k in range(seeds)
    ]
    of_sentence = [fmean(row[s] for row in z) for s in range(size)]
    means = [fmean(a[k, s] - b[k, s] for k in range(seeds)) for s in range(size)]
    own, own_degrees = text_variance_of_twin(means, total.tolist(), documents)
    if seeds == 1:
        seed = 0.3 * variance(of_sentence) / size
    else:
        of_seed = [fmean(row) for row in z]
        residual = [
            (z[k][s] - of_sentence[s] - of_seed[k] + fmean(of_seed)) ** 2
            for k in range(seeds)
            for s in range(size)
        ]
        share = sum(residual) / ((seeds - 1) * (size - 1)) / size
        seed = max(0.0, (6 * 0.3 * share + (seeds - 1) * (variance(of_seed) - share)) / (6 + seeds - 1))
    seed /= seeds
    error = max(sqrt(own + seed), 100 / float(total.sum()))
    degrees = ((own + seed) / (own / sqrt(own_degrees) + seed / sqrt(6 + seeds - 1))) ** 2
    t = stats.t(degrees)
    half = t.ppf(0.975) * error
    z80 = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    left = (0.5 / z80) ** 2 - seed
    return {
        "delta": delta,
        "error": error,
        "degrees": degrees,
        "low": delta - half,
        "high": delta + half,
        "p_value": 2 * t.sf(abs(delta) / error),
        "p_equal": max(t.sf((delta + 0.5) / error), t.cdf((delta - 0.5) / error)),
        "sentences_needed": int(np.ceil(own * size / left)) if left > 0 else None,
    }


def drawn(draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]:
    """Right tokens of two parsers, [seeds, sentences], all tokens, and documents: none, few or many."""
    seeds, size = int(draw.integers(1, 7)), int(draw.integers(2, draw.choice([120, 400])))
    total = draw.integers(1, 60, size)
    skill = draw.uniform(0.5, 0.95, (2, seeds, 1)) * draw.uniform(0.7, 1, size)
    a, b = draw.binomial(total, skill)
    documents = np.cumsum(draw.random(size) < draw.choice([0, 0.02, 0.2, 1]))
    return a, b, total, documents.tolist()


def test_uncertainty(sized: Callable[[int], int], tally: Tally) -> None:
    """Difference, error, degrees, interval, both p values, sentences needed, of counts drawn at random"""
    draw = np.random.default_rng(1)
    for _ in range(sized(500)):
        a, b, total, documents = drawn(draw)
        found, expected = compare(a, b, total, documents=documents), model(a, b, total, documents)
        for field, value in expected.items():
            own = getattr(found, field)
            same = own == value if None in (own, value) else own == pytest.approx(value, rel=1e-6, abs=1e-9)
            tally.true(same, field, own, value, a, b, total)


def test_corrections(sized: Callable[[int], int], tally: Tally) -> None:
    """Holm's p values from his definition: reject while p of rank i is at most level / (m - i + 1)"""
    draw = random.Random(2)
    for _ in range(sized(300)):
        values = [draw.choice([draw.random(), draw.random() / 50, 0.01]) for _ in range(draw.randint(1, 9))]
        adjusted = holm(values)
        for level in (0.001, 0.01, 0.05, 0.2, 0.7):
            rejected = []
            for rank, p in enumerate(sorted(values)):
                if p > level / (len(values) - rank):
                    break
                rejected.append(p)
            tally.same([p <= level for p in adjusted], [p in rejected for p in values], values, level)


def weighted_mean(values: Sequence[float], variances: Sequence[float]) -> tuple[float, float, float]:
    """The mean with weights 1 / variance, its variance, and the weighted squared deviations from it."""
    weights = [1 / each for each in variances]
    mean = sum(map(mul, weights, values)) / sum(weights)
    return mean, 1 / sum(weights), sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))


def between(groups: list[list[tuple[float, float]]]) -> float:
    """Paule and Mandel: the variance at which the squared deviations from all means are as expected."""
    expected = sum(len(group) - 1 for group in groups)

    def excess(tau2: float) -> float:
        return sum(weighted_mean(*added(group, tau2))[2] for group in groups) - expected

    low, high = 0.0, 1000.0
    if not expected or excess(0) <= 0:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def added(group: list[tuple[float, float]], tau2: float) -> tuple[list[float], list[float]]:
    """The values of a group, and the sum of the variance of each and the one between them."""
    return [value for value, _ in group], [variance + tau2 for _, variance in group]


def averaged(
    units: dict[Hashable, tuple[float, float]], group_of: Callable[[Hashable], Hashable]
) -> dict[Hashable, tuple[float, float]]:
    """By group the mean of its units (values and variances), and the variance of that mean."""
    groups = defaultdict(list)
    for unit, known in units.items():
        groups[group_of(unit)].append(known)
    tau2 = between(list(groups.values()))
    return {name: weighted_mean(*added(group, tau2))[:2] for name, group in groups.items()}


def test_means_over_treebanks(sized: Callable[[int], int], tally: Tally) -> None:
    """Means over treebanks: Paule and Mandel's equation for each level, interval by Hartung and Knapp"""
    draw = np.random.default_rng(3)
    for _ in range(sized(300)):
        count = int(draw.integers(2, 12))
        languages, families = int(draw.choice([1, 4, 8, 99])), int(draw.choice([2, 8, 99]))
        of_treebanks = draw.integers(0, languages, count).tolist()
        origins = [Origin(f"language {x}", f"family {x % families}") for x in of_treebanks]
        errors = draw.uniform(0.2, 1.5, count)
        values = draw.normal(0.3, draw.choice([0, 0.5, 2]), count) + draw.normal(0, errors)

        units = dict(enumerate(zip(values, errors**2, strict=True)))
        family_of = dict(origins)
        if len(family_of) > 1:
            units = averaged(units, lambda i, origins=origins: origins[i].language)
            if len(set(family_of.values())) >= 5:
                units = averaged(units, family_of.__getitem__)
        counted = len(units)
        ((mean, square),) = averaged(units, lambda _: "all").values()
        half = stats.t(counted - 1).ppf(0.975) * sqrt(square)
        found = RandomEffects.combine(values.tolist(), errors.tolist(), origins)
        for field, value in {"mean": mean, "low": mean - half, "high": mean + half}.items():
            tally.true(
                getattr(found, field) == pytest.approx(value, rel=1e-4, abs=1e-4), field, value, values
            )


def hidden(tree: Tree, draw: random.Random, tags: bool) -> Tree:
    """The words without their annotation: no tree, other labels; other tags, too, where none is allowed."""
    words = {"upos": tuple(draw.choices(["NOUN", "ADP", "X"], k=len(tree)))} if tags else {}
    heads = tuple(draw.randrange(len(tree) + 1) for _ in tree.heads)
    return replace(tree, heads=heads, deprels=("dep",) * len(tree), **words)


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_gold_in_parses(
    name: str, treebanks: Treebanks, sized: Callable[[int], int], tally: Tally
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
