"""Decisions change the order of doubts: as the best weights say, and the same on the page as in the list."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browsing import Browser, browser, missing
from scipy.optimize import minimize

from learnability.extensions.doubts.decisions import ACCEPT, LATER, REJECT, Decision, Verdict
from learnability.extensions.doubts.learning import (
    BIAS,
    CENTRE,
    DECIMALS,
    SLOPE,
    DecidedExample,
    DoubtFeatures,
    learn,
    score_doubt,
    traits_of,
)
from learnability.extensions.doubts.listing import Doubt, order_doubts
from learnability.extensions.doubts.merging import decisions_typed, known_doubts
from learnability.extensions.doubts.page import make_page
from learnability.treebanks.sentence import Sentence, Tree

needs_browser = pytest.mark.skipif(bool(missing()), reason=missing())

TREE = Tree(("a", "b", "c"), ("NOUN",) * 3, (0, 1, 1), ("root", "obl", "nmod"))


def drawn_doubts(generator: random.Random, count: int) -> list[Doubt]:
    """Doubts of several kinds, in the order of their scores; some are equal."""
    doubts = []
    for number in range(count):
        score = generator.random() ** 2
        tag, lemma = generator.choice(["NOUN", "ADP", "VERB"]), generator.choice(["", ":x", ":an y", ":zé"])
        old, new = generator.choice(["obl", "nmod", "obl:arg"]), generator.choice(["obj", "conj", "root"])
        old += generator.choice(["", " (head before)", " (head after)"])
        new += generator.choice(["", " (head before)", " (another head after)"])
        doubts.append(
            Doubt(
                0, f"s{number}", "x.conllu", number, 3, "c", "NOUN", 1, "nmod", 2, "obj", None,
                score if number % 3 else round(score, 1), f"{tag}{lemma} {old} -> {new}",
                f"{generator.randrange(count // 2):015x}{number % 7:x}",
            )
        )  # fmt: skip
    unique = {doubt.place: doubt for doubt in doubts}
    return sorted(unique.values(), key=lambda doubt: -doubt.score)


def decided(doubt: Doubt, verdict: Verdict) -> Decision:
    """A decision as doubts.csv has it."""
    return Decision(
        doubt.place, verdict, tuple(doubt.proposed_arcs), pattern=doubt.pattern,
        score=round(doubt.score, 4),
    )  # fmt: skip


def drawn_decisions(generator: random.Random, doubts: Sequence[Doubt], count: int) -> list[Decision]:
    """Decisions that depend on the kind, and some that teach nothing."""
    choice = generator.sample(list(doubts), count)
    verdicts: list[Verdict] = [ACCEPT if hash_of(doubt) < generator.random() else REJECT for doubt in choice]
    verdicts[::9] = [LATER] * len(verdicts[::9])
    return [decided(doubt, verdict) for doubt, verdict in zip(choice, verdicts, strict=True)]


def hash_of(doubt: Doubt) -> float:
    """A number that depends on the kind of a doubt alone."""
    return sum(map(ord, doubt.pattern)) % 7 / 7


def test_traits_say_what_a_pattern_has() -> None:
    pattern = "ADP:in a obl (head before) -> case:x (another head after)"
    assert [trait for _, trait in traits_of(pattern, "f0")] == [
        pattern, "f0", "ADP obl case:x moves",
        "obl case:x moves", "obl", "case:x", "ADP", "ADP:in a",
    ]  # fmt: skip
    assert dict(traits_of("ADP obl -> obj (head before)", ""))["tag and relations"] == "ADP obl obj "
    assert dict(traits_of(" obl -> root", ""))["relations"] == "obl root "
    assert dict(traits_of("ADP:-> obl -> root", ""))["lemma"] == "ADP:->"
    assert dict(traits_of("of another form", "0")) == {"pattern": "of another form", "sentence": "0"}


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_the_best_ones(seed: int) -> None:
    generator = random.Random(seed)
    doubts = drawn_doubts(generator, 60)
    traits = DoubtFeatures()
    lessons = traits.lessons(drawn_decisions(generator, doubts, 40))
    seen = [traits.see(doubt.score, doubt.pattern, doubt.content) for doubt in doubts]
    spreads = np.array([BIAS, SLOPE, *traits.spreads])

    def row(logit: float, numbers: Sequence[int]) -> np.ndarray:
        values = np.zeros(len(spreads))
        values[:2] = 1, logit - CENTRE
        values[[number + 2 for number in numbers]] = 1
        return values

    matrix = np.array([row(*lesson.doubt) for lesson in lessons])
    offsets = np.array([lesson.doubt.logit for lesson in lessons])
    signs = np.array([1 if lesson.is_wrong else -1 for lesson in lessons])

    def cost(weights: np.ndarray) -> float:
        logits = offsets + matrix @ weights
        return float(np.logaddexp(0, -signs * logits).sum() + ((weights / spreads) ** 2).sum() / 2)

    best = minimize(cost, np.zeros(len(spreads)), method="BFGS", options={"gtol": 1e-6}).x
    expected = [doubt.logit + row(*doubt) @ best for doubt in seen]
    weights = learn(lessons, traits.spreads)
    assert [score_doubt(doubt, weights) for doubt in seen] == pytest.approx(expected, abs=2e-3)


def test_the_order_of_decisions_does_not_matter() -> None:
    generator = random.Random(1)
    doubts = drawn_doubts(generator, 100)
    decisions = drawn_decisions(generator, doubts, 50)
    ordered, lessons = order_doubts(doubts, decisions)
    assert lessons == sum(each.verdict != LATER and each.score > 0 for each in decisions)
    assert ordered != doubts
    assert order_doubts(doubts, decisions[::-1]) == (ordered, lessons)
    assert order_doubts(doubts, [each for each in decisions if each.verdict == LATER]) == (doubts, 0)


def test_a_rejected_kind_falls_and_an_accepted_one_rises() -> None:
    kind, other, far = (
        f"NOUN:{lemma} nmod -> {new}" for lemma, new in (("a", "obj"), ("a", "obl"), ("b", "x"))
    )
    base = drawn_doubts(random.Random(2), 3)[0]
    like, less_like, unlike = (
        replace(base, pattern=pattern, content=f"{number:016x}", score=0.3)
        for number, pattern in enumerate((kind, other, far))
    )
    traits = DoubtFeatures()
    moved = {}
    for verdict in (ACCEPT, REJECT):
        lessons = traits.lessons([decided(replace(base, pattern=kind, score=0.3), verdict)])
        weights = learn(lessons, traits.spreads)
        before = math.log(0.3 / 0.7)
        moved[verdict] = [
            score_doubt(traits.see(each.score, each.pattern, each.content), weights) - before
            for each in (like, less_like, unlike)
        ]
    assert moved[ACCEPT][0] > moved[ACCEPT][1] > moved[ACCEPT][2] > 0
    assert moved[REJECT][0] < moved[REJECT][1] < moved[REJECT][2] < 0


def test_what_a_file_does_not_say_teaches_nothing() -> None:
    doubt = drawn_doubts(random.Random(2), 3)[0]
    whole = decided(doubt, ACCEPT)
    traits = DoubtFeatures()
    assert len(traits.lessons([whole])) == 1
    assert traits.lessons([replace(whole, pattern=""), replace(whole, score=0.0)]) == []
    assert isinstance(traits.lessons([whole])[0], DecidedExample)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@needs_browser
@pytest.mark.parametrize(("seed", "before"), [(0, 0), (3, 120)])
def test_page_and_list_have_the_same_order(chromium: Browser, tmp_path: Path, seed: int, before: int) -> None:
    """Some decisions are in the file of which the page is made, and the others are made on it."""
    generator = random.Random(seed)
    doubts = drawn_doubts(generator, 300)
    decisions = drawn_decisions(generator, doubts, 200)
    first, more = decisions[:before], decisions[before:]
    left_out = {each.place for each in first if each.verdict != LATER}
    listed = [doubt for doubt in doubts if doubt.place not in left_out]
    page = tmp_path / "doubts.html"
    page.write_bytes(make_page(f"UD_X {tmp_path}", listed, [Sentence(TREE)], first))
    chromium.open(page)
    shown = "return byScore(keys.map((_, n) => n)).map((n) => sentenceOf(n).content)"
    assert chromium.run(shown) == [doubt.content for doubt in order_doubts(listed, first)[0]]
    for count in (1, len(more)):
        chromium.run(
            "show = () => {};"  # drawing takes its time
            "for (const [content, verdict] of arguments[0]) {"
            "  at = filtered.findIndex((n) => sentenceOf(n).content === content); decide(verdict); }",
            [[each.place.content, each.verdict] for each in more[:count]],
        )
        saved = tmp_path / "decisions.csv"
        saved.write_text(str(chromium.run("return table()")), encoding="utf-8")
        known = known_doubts([decisions_typed(str(saved))])
        assert len(known.decisions) == sum(each.verdict != LATER for each in more[:count])
        done = {each.place for each in more[:count]}
        still_open = [doubt for doubt in listed if doubt.place not in done]
        expected, _ = order_doubts(still_open, [*first, *known.decisions])
        order = chromium.run(
            "return byScore(keys.map((_, n) => n).filter((n) => !decisions.get(keys[n])))"
            ".map((n) => sentenceOf(n).content)"
        )
        assert order == [doubt.content for doubt in expected]
    assert order != [doubt.content for doubt in still_open]
    scores = chromium.run("return scores")
    assert all(round(score, DECIMALS) == score for score in scores)
