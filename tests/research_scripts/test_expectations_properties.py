"""The properties of trees, by hand and against a slow twin that follows their definitions word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log, log2, sqrt

import pytest
from msgspec.structs import asdict
from small_treebanks import DEMO

from learnability.comparing.names import annotation_spelled
from learnability.treebanks.labels import universal
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions, Tree
from learnability.treebanks.splits import read_treebank
from research.decides.properties import Properties, measure_properties

UD2 = Conventions(version=2)

SPELLINGS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "conj", "aux", "aux-verb", "scheme:sud")


def in_the_house(case: str = "") -> Tree:
    return Tree(
        ("Sleeps", "in", "the", "house"),
        ("VERB", "ADP", "DET", "NOUN"),
        (0, 4, 4, 1),
        ("root", "case", "det", "obl"),
        feats=("_", "_", "Definite=Def|Number=Sing", case or "_"),
    )


def cats_sleep() -> Tree:
    return Tree(("Cats", "sleep", "there"), ("NOUN", "VERB", "NOUN"), (2, 0, 2), ("nsubj", "root", "obl"))


def properties_of(trees: Sequence[Tree], spelling: str) -> Properties | None:
    (found,) = measure_properties(trees, UD2, [annotation_spelled(spelling)])
    return found


def test_properties_of_a_preposition() -> None:
    """Promoted: in, which precedes house. Changed: in (2 to 3 words) and house (3 to 2), of 7 words."""
    found = properties_of([in_the_house("Number=Sing|Case=Loc"), cats_sleep()], "case")
    assert found is not None
    assert (found.promoted, found.before, found.order_entropy, found.marked) == (1, 1.0, 0.0, 0.0)
    assert found.changed == pytest.approx(sqrt(2 / 7))
    assert (found.distance, found.stretch) == (2.5, -1.0)  # in: 2 before, 1 after; house: 3 before, 2 after
    assert found.bare == 0.5  # of house and there
    assert found.governor_marked == 1.0
    assert found.form_entropy == 0.0
    assert (found.length, found.size) == (pytest.approx(log(3.5)), pytest.approx(log(7)))
    assert not found.suffice


def test_forms_that_are_withheld_are_no_forms() -> None:
    tree = Tree(("_",) * 4, *(getattr(in_the_house(), name) for name in ("upos", "heads", "deprels")))
    found = properties_of([tree], "case")
    assert found is not None
    assert found.form_entropy is None


def slow_properties(
    trees: Sequence[Tree], conventions: Conventions, spelling: str
) -> dict[str, float | None]:
    """What the page of the study says of each property, one after the other."""
    change = annotation_spelled(spelling).change(conventions, None)
    pairs = [(tree, change(tree)) for tree in trees]
    words = [(tree, other, word) for tree, other in pairs for word in range(1, len(tree) + 1)]
    if spelling == "aux-verb":
        changed = [(a, b, w) for a, b, w in words if a.upos[w - 1] != b.upos[w - 1]]
        promoted = changed
    else:
        changed = [(a, b, w) for a, b, w in words if a.heads[w - 1] != b.heads[w - 1]]
        promoted = [(a, b, w) for a, b, w in words if b.heads.count(w) > a.heads.count(w)]
    hanging = [(a, w, a.heads[w - 1]) for a, _, w in promoted if a.heads[w - 1]]
    governors = {(id(a), head): a for a, _, head in hanging}
    kinds = Counter((a.upos[w - 1], universal(a.deprels[w - 1])) for a, _, w in words)
    governing = Counter((a.upos[h - 1], universal(a.deprels[h - 1])) for (_, h), a in governors.items())
    without = sum(count * (kinds[kind] - count) / kinds[kind] for kind, count in governing.items())

    def has(features: str, names: tuple[str, ...]) -> bool:
        return any(feature.partition("=")[0] in names for feature in features.split("|"))

    def mean(values: Sequence[float]) -> float | None:
        return sum(values) / len(values) if values else None

    before = mean([w < head for _, w, head in hanging])
    forms = Counter(a.forms[w - 1].lower() for a, _, w in promoted)
    shares = [count / len(promoted) for count in forms.values()]
    shifts = [
        abs(w - b.heads[w - 1]) - abs(w - a.heads[w - 1])
        for a, b, w in changed
        if a.heads[w - 1] and b.heads[w - 1]
    ]
    agreement = ("Case", "Gender", "Number", "Person")
    return {
        "promoted": len(promoted),
        "changed": sqrt(len(changed) / len(words)),
        "before": before,
        "order_entropy": None if before is None else sum(-p * log2(p) for p in (before, 1 - before) if p),
        "distance": mean([abs(w - a.heads[w - 1]) for a, _, w in changed if a.heads[w - 1]]),
        "stretch": mean(shifts),
        "form_entropy": sum(-p * log2(p) for p in shares) + (len(forms) - 1) / (2 * len(promoted) * log(2)),
        "bare": without / len(governors) if governors else None,
        "marked": mean([has(a.feats[w - 1], agreement) for a, _, w in promoted]),
        "governor_marked": mean([has(a.feats[h - 1], ("Case",)) for (_, h), a in governors.items()]),
        "length": log(len(words) / len(trees)),
        "size": log(len(words)),
    }


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_on_a_treebank_they_are_what_their_definitions_say(spelling: str) -> None:
    treebank = read_treebank(locate_treebank(DEMO))
    trees = [sentence.tree for _, part in treebank.splits() for sentence in part]
    (found,) = measure_properties(trees, treebank.conventions, [annotation_spelled(spelling)])
    assert found is not None
    expected = slow_properties(trees, treebank.conventions, spelling)
    assert asdict(found) == {name: pytest.approx(value) for name, value in expected.items()}
