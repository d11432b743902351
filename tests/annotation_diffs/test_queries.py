"""Queries for Grew-match find as many words as the counts of a group say."""

from __future__ import annotations

from pathlib import Path

import naive_grew
import pytest

from learnability.annotation_diffs.annotation_diff import diff
from learnability.annotation_diffs.difference_kinds import DifferenceKind
from learnability.annotation_diffs.grew import queries_for


def test_queries_find_as_many_words_as_counted(history_home: Path) -> None:
    name = "UD_Tamil-TTB"
    if not (history_home / "ud-treebanks-v2.4" / name).is_dir():
        pytest.skip(f"no {name} 2.4 below {history_home}")
    found = diff(f"{name}@2.4", f"{name}@2.8", ud_home=history_home)
    trees = [[s.tree for s in version.sentences] for version in (found.base, found.alternative)]
    checked = 0
    for group in found.groups:
        if group.base_value is None or group.alternative_value is None:
            continue
        for query, value in zip(group.queries, (group.base_value, group.alternative_value), strict=True):
            if query:
                checked += 1
                counts = [naive_grew.matches(query, side) for side in trees]
                if " > " not in group.kind.tags:
                    assert counts == [value.base, value.alternative], query
    assert checked > 50
    assert {"FEATS", "UPOS", "DEPREL", "LEMMA"} <= {group.kind.column for group in found.groups}


@pytest.mark.parametrize(
    ("kind", "queries"),
    [
        (("UPOS", "", "", "NOUN", ""), ('W [upos="NOUN"]', "W [!upos]")),
        (("LEMMA", "", "", 'a"b', "c\\d"), ('W [lemma="a\\"b"]', 'W [lemma="c\\\\d"]')),
        (("LEMMA", "", "", "(any)", ""), ("W [lemma]", "W [!lemma]")),
        (("LEMMA", "capital letters", "", "", ""), None),
        (
            ("FEATS", "Number[psor]", "X > Y", "Sing", ""),
            ('W [upos="X", Number__psor="Sing"]', 'W [upos="Y", !Number__psor]'),
        ),
        (("HEAD", "child, child", "", "nsubj:pass", "obj"), ("H -[nsubj:pass]-> W", "H -[obj]-> W")),
        (("DEPS", "", "", "conj:and", ""), ("H -[1=conj, 2=and, enhanced=yes]-> W", None)),
        (("MISC", "SpaceAfter", "", "", "(any)"), ("W [!SpaceAfter]", "W [SpaceAfter]")),
        (("FEATS", "Case", "_ > X", "Acc", ""), ('W [!upos, Case="Acc"]', 'W [upos="X", !Case]')),
        (("FEATS", "Case", "X", "(no value)", "(empty)"), ('W [upos="X", Case]', 'W [upos="X", Case]')),
        # names that Grew cannot read, or by which it would find a column
        (("MISC", "A b", "", "", "(any)"), None),
        (("MISC", "1", "", "", "(any)"), None),
        (("MISC", "\u00e9", "", "", "(any)"), None),
        (("MISC", "a-", "", "", "(any)"), None),
        (("MISC", "lemma", "", "", "(any)"), None),
        (("FEATS", "\u00e9", "X", "Yes", ""), None),
        # relations with letters that need quotes
        (("DEPREL", "", "", "case", "case:\u00e0"), ("H -[case]-> W", 'H -[1=case, 2="\u00e0"]-> W')),
        (("DEPS", "", "", 'case:"x', ""), ('H -[1=case, 2="\\"x", enhanced=yes]-> W', None)),
    ],
)
def test_the_words_of_queries(kind: tuple[str, ...], queries: tuple[str | None, ...] | None) -> None:
    found = queries_for(DifferenceKind(*kind, False))  # type: ignore[arg-type]
    for query, wanted in zip(found, queries or (None, None), strict=True):
        if wanted is None:
            assert query == ""
        else:
            assert query == f"pattern {{ {wanted} }}"
