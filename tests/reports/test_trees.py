"""Arc diagrams: which sentences are drawn, what the arcs say, and that none covers another."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from finished_runs import ROWS, config, content_of, records, with_examples
from trees import random_heads

from learnability.comparing.names import annotation_spelled
from learnability.drawing.arcs import Arc, levels_of, text_width
from learnability.evidence.rows_from_records import PairEvidence
from learnability.reports import examples
from learnability.reports.examples import (
    by_contrast,
    example_pairs,
    explanation,
    kept_relations,
    opening_pairs,
)
from learnability.reports.page import drawn_example, report_files
from learnability.reports.text import Table
from learnability.reports.tree_pair import TreePair, arc_diagram, arcs_of
from learnability.running.records import Record
from learnability.treebanks.sentence import Tree

FORMS, TAGS = ("in", "<Rome>", "sleeps"), ("ADP", "PROPN", "VERB")
PAIR = TreePair(
    "a-7",
    Tree(FORMS, TAGS, (2, 3, 0), ("case", "obl", "root")),
    Tree(FORMS, TAGS, (3, 1, 0), ("case", "obl", "root")),
    ([2, 3, 0], [2, 0, 2]),
)
UD = {
    "index": 7,
    "sent_id": "a-7",
    "forms": list(FORMS),
    "upos": list(TAGS),
    "heads": [2, 3, 0],
    "deprels": ["case", "obl", "root"],
    "predicted": [2, 3, 0],
}
OTHER = {"index": 7, "heads": [3, 1, 0], "predicted": [2, 0, 2]}


def found_with(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[PairEvidence]:
    return content_of(ROWS, with_kept(base, other), config()).evidence


def with_kept(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[Record]:
    return with_examples(
        records(), {"UD_X/a//1/0/parser=arc-eager": base, "UD_X/b/det/1/0/parser=arc-eager": other}
    )


def parsed(where: str, words: int, wrong: int, form: str = "x") -> dict[str, Any]:
    """A sentence of so many words, of which a parser has some heads wrong; `form`: the last word."""
    heads = [0] + [1] * (words - 1)
    columns: dict[str, Any] = {"forms": ["x"] * (words - 1) + [form], "heads": heads}
    columns |= {name: ["X"] * words for name in ("upos", "deprels")}
    return {"index": int(where), "sent_id": where, **columns, "predicted": [9] * wrong + heads[wrong:]}


def test_the_sentences_chosen_are_those_on_which_the_parsers_differ_most() -> None:
    wrong = {"0": (0, 1), "1": (3, 0), "2": (1, 1), "3": (0, 1), "4": (2, 0), "5": (4, 0)}
    a, b = (
        [parsed(where, 5 if where == "3" else 4, of[side]) for where, of in wrong.items()] for side in (0, 1)
    )
    det, case, _ = found_with(a, b[:-1])
    assert [pair.where for pair in by_contrast(example_pairs(det))] == ["1", "4", "0", "3"]
    assert example_pairs(case) == []
    # the only one of five words shows what changes, then the largest contrast
    assert [(pair.where, pair.predicted is None) for pair in opening_pairs(det)] == [
        ("3", True),
        ("1", False),
    ]
    assert opening_pairs(case) == []


def test_a_short_sentence_is_drawn_rather_than_a_long_one_with_more_contrast() -> None:
    a = [parsed("0", 5, 0), parsed("1", 20, 6), parsed("2", 8, 2)]
    b = [parsed("0", 5, 0), parsed("1", 20, 0), parsed("2", 8, 0)]
    assert [chosen.where for chosen in opening_pairs(found_with(a, b)[0])] == ["0", "2"]
    # without a contrast a second sentence shows what changes
    alike = opening_pairs(found_with([a[0], b[1]], [b[0], b[1]])[0])
    assert [(chosen.where, chosen.predicted) for chosen in alike] == [("0", None), ("1", None)]


def test_sentences_with_withheld_forms_come_last() -> None:
    a = [parsed("0", 5, 0, "_"), parsed("1", 6, 4, "_"), parsed("2", 8, 2), parsed("3", 9, 0)]
    b = [parsed("0", 5, 0, "_"), parsed("1", 6, 0, "_"), parsed("2", 8, 0), parsed("3", 9, 1)]
    (det, *_) = found_with(a, b)
    assert [chosen.where for chosen in example_pairs(det)] == ["2", "3", "0", "1"]
    assert [chosen.where for chosen in opening_pairs(det)] == ["2", "3"]
    only = found_with(a[:2], b[:2])[0]
    assert [chosen.where for chosen in opening_pairs(only)] == ["0", "1"]


def test_arcs_are_the_same_changed_missed_or_wrong() -> None:
    base, other = PAIR.base, PAIR.alternative
    assert arcs_of(base, PAIR.parses[0], other) == [
        Arc(2, 1, "case", "changed"),
        Arc(3, 2, "obl", "changed"),
        Arc(0, 3, "root", "same"),
    ]
    assert arcs_of(other, PAIR.parses[1], base) == [
        Arc(3, 1, "case", "changed", missed=True),
        Arc(2, 1, "", "wrong"),
        Arc(1, 2, "obl", "changed", missed=True),
        Arc(0, 2, "", "wrong"),
        Arc(0, 3, "root", "same", missed=True),
        Arc(2, 3, "", "wrong"),
    ]


def test_the_root_words_swap_their_relations() -> None:
    assert kept_relations(["cop", "root", "punct"], [2, 0, 2], [0, 1, 1]) == ["root", "cop", "punct"]
    assert kept_relations(["det", "root"], [2, 0], [2, 0]) == ["det", "root"]


def test_no_arc_lies_on_another() -> None:
    dice = random.Random(1)
    for _ in range(200):
        tokens = dice.randint(1, 12)
        arcs = [
            Arc(head, d, "", "same")
            for d in range(1, tokens + 1)
            for head in {dice.choice([h for h in range(tokens + 1) if h != d]) for _ in range(2)}
        ]
        levels = levels_of(arcs)
        spans = [(*sorted((arc.head, arc.dependent)), level) for arc, level in zip(arcs, levels, strict=True)]
        assert all((level == 0) == (low == 0) for low, _, level in spans)
        proper = [span for span in spans if span[2]]
        for i, (low, high, level) in enumerate(proper):
            for other_low, other_high, other_level in proper[:i]:
                if low < other_high and other_low < high:
                    assert level != other_level
                    if (low, high) != (other_low, other_high) and other_low <= low and high <= other_high:
                        assert level < other_level


def positions(svg: str, class_name: str | None = None) -> dict[str, float]:
    root = ElementTree.fromstring(svg)
    texts = [e for e in root if e.tag.endswith("text") and e.get("class") == class_name]
    return {str(e.text): float(str(e.get("x"))) for e in texts}


def test_the_picture_holds_the_words_and_marks_what_was_missed() -> None:
    svg = arc_diagram("x", Table("title", (), (), "what"), PAIR, ("UD", "det"))
    root = ElementTree.fromstring(svg)
    placed = positions(svg)
    assert list(placed) == ["in", "<Rome>", "sleeps"]
    assert placed["in"] < placed["<Rome>"] < placed["sleeps"] < float(str(root.get("width")))
    assert svg.count('class="miss"') == 3
    assert svg.count('class="wrong alternative"') == 3
    assert svg.count('class="changed base"') == svg.count('class="changed alternative"') == 2
    numbers = [float(n) for path in re.findall(r' d="([^"]*)"', svg) for n in re.findall(r"-?\d+\.\d+", path)]
    assert min(numbers) > -10
    tips = re.findall(r'class="tip" d="M([\d.]+) ([\d.]+)', svg)
    assert len(set(tips)) == len(tips) == 9


def test_right_to_left_scripts_run_from_right_to_left() -> None:
    texts = {"שלום hi": True, "world שלום.": False, "سلام، 12": True}
    for text, expected in texts.items():
        assert Tree(tuple(text.split()), ("", ""), (), ()).is_right_to_left == expected
    hebrew = replace(PAIR, base=replace(PAIR.base, forms=("ב", "רומא", "ישן")))
    placed = positions(arc_diagram("x", Table("", (), ()), hebrew, ("UD", "det")))
    assert placed["ב"] > placed["רומא"] > placed["ישן"]


def test_labels_have_room_between_the_ends_of_their_arcs() -> None:
    dice = random.Random(2)
    labels = ("nmod:poss", "comp:case", "x")
    for _ in range(50):
        tokens = dice.randint(2, 9)
        heads, others = tuple(random_heads(dice, tokens)), random_heads(dice, tokens)
        forms = tuple("ش" if dice.random() < 0.3 else "a" for _ in heads)
        parse = random_heads(dice, tokens)
        tree = Tree(forms, ("X",) * tokens, heads, tuple(dice.choice(labels) for _ in heads))
        other = tree.with_heads(others, kept_relations(tree.deprels, heads, others))
        svg = arc_diagram("x", Table("", (), ()), TreePair("", tree, other, (parse, parse)), ("UD", "det"))
        arcs = [e for e in ElementTree.fromstring(svg) if e.tag.endswith("}g")]
        assert len(arcs) > 2 * tokens - 1
        for arc in arcs:
            path, _, *texts = arc
            ends = [float(x) for x in re.findall(r"[MH ](-?[\d.]+) [\d.]+V", str(path.get("d")))]
            for text in texts if len(ends) == 2 else ():
                assert abs(ends[1] - ends[0]) >= text_width("".join(text.itertext()), 11)


@pytest.mark.parametrize(
    ("text", "ems"), [("", 0), ("日本", 2), ("e\u0301", 0.65), ("A", 0.76), ("il", 0.82)]
)
def test_text_width(text: str, ems: float) -> None:
    assert text_width(text, 10) == pytest.approx(10 * ems)


def test_the_page_shows_the_trees_of_each_pair() -> None:
    given = with_kept([UD], [OTHER])
    page = report_files(content_of(ROWS, given, config()))["report.html"].decode()
    assert 'id="figure-tree-det-1"' in page
    assert "in &lt;Rome&gt; sleeps" in page
    without = report_files(content_of(ROWS, records(), config()))["report.html"].decode()
    assert "figure-tree-" not in without


def test_a_drawing_says_what_the_parsers_found_or_what_changes() -> None:
    (det, *_) = found_with([UD], [OTHER])
    (pair,) = example_pairs(det)
    found = "The UD parser finds 3 of 3 heads, and the parser of the alternative finds 0."
    assert explanation(pair, "UD") == found
    drawn = drawn_example(det, 1, pair)
    assert drawn.figure.data.rows[1][-5:] == ("obl", "3 sleeps", "3 sleeps", "1 in", "✗ root")
    (clean,) = opening_pairs(det)
    assert clean.predicted is None
    said = explanation(clean, "UD")
    assert said == "In UD, “in” depends on “<Rome>”; in the alternative, “<Rome>” depends on “in”."
    assert drawn_example(det, 1, clean).figure.data.rows[1][-2:] == ("3 sleeps", "1 in")
    moved = replace(clean, alternative=clean.base.with_heads((2, 0, 2), clean.base.deprels))
    assert explanation(moved, "UD") == (
        "In UD, “<Rome>” depends on “sleeps”; in the alternative, “sleeps” depends on “<Rome>”."
    )
    root = replace(clean, alternative=clean.base.with_heads((0, 3, 1), clean.base.deprels))
    assert explanation(root, "UD") == "In UD, “in” depends on “<Rome>”; in the alternative, it is the root."
    same = replace(clean, alternative=clean.base)
    assert explanation(same, "UD") == "UD and the alternative differ in the relations only."
    tagged = replace(clean, alternative=replace(clean.base, upos=("X", "X", "X")))
    assert explanation(tagged, "UD") == "UD and the alternative differ in the tags only."
    assert tagged.changed == [True, True, True]
    assert tagged.labels[1] == [f"{deprel} X" for deprel in clean.base.deprels]


CASE = {"heads": [3, 1, 0], "predicted": [3, 1, 0], "index": 7}
"""What the rule `case` makes of `UD`."""


def with_case(other: dict[str, Any], **options: Any) -> PairEvidence:
    kept = {"UD_X/a//1/0/parser=arc-eager": [UD], "UD_X/b/case/1/0/parser=arc-eager": [other]}
    rows = [replace(row, **options) for row in ROWS]
    return content_of(rows, with_examples(records(), kept), config()).evidence[1]


def test_a_gold_tree_is_named_after_its_annotation_and_a_parse_after_its_parser() -> None:
    evidence = with_case(CASE, parser="arc-eager")
    assert evidence.name == "case by arc-eager"
    (pair,) = example_pairs(evidence)
    drawn = drawn_example(evidence, 1, pair)
    assert drawn.figure.data.title == "a-7: UD above the words, case below"
    names = re.findall(r'class="scheme"[^>]*>([^<]*)<', drawn.figure.svg)
    assert names == ["UD", "case"]
    assert drawn.explanation.startswith(
        "With arc-eager, the UD parser finds 3 of 3 heads, and the parser of "
    )
    assert drawn.figure.name == "tree-case-by-arc-eager-1"


def test_unlabelled_runs_draw_the_external_relations_of_the_rule_in_grey() -> None:
    (pair,) = example_pairs(with_case(CASE))
    assert pair.alternative.deprels == ("obl", "comp:case", "root")
    assert not pair.learned_relations
    assert 'class="tree unlearned"' in arc_diagram("x", Table("", (), ()), pair, ("UD", "case"))
    (other,) = example_pairs(with_case(CASE | {"heads": [0, 1, 1]}))  # no rule gives these heads
    assert other.alternative.deprels == ("root", "obl", "case")


def test_a_rule_for_some_lemmas_draws_the_relations_of_ud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records hold no lemmas, so the rule cannot be applied to their trees."""
    restricted = annotation_spelled("case:lemma=in")
    monkeypatch.setattr(examples, "annotation_spelled", lambda _: restricted)
    (pair,) = example_pairs(with_case(CASE))
    assert pair.alternative == Tree(FORMS, TAGS, (3, 1, 0), ("case", "obl", "root"))


def test_labelled_runs_draw_the_relations_that_the_parsers_learned() -> None:
    (pair,) = example_pairs(with_case(CASE, labelled=True))
    assert pair.alternative.deprels == ("case", "obl", "root")
    assert pair.learned_relations
    (pair,) = example_pairs(with_case(CASE | {"deprels": ["obl", "a", "root"]}, labelled=True))
    assert pair.alternative.deprels == ("obl", "a", "root")
    drawn = drawn_example(with_case(CASE, labelled=True), 1, pair)
    assert drawn.figure.data.headings[-1] == "its relation"
    assert [row[-1] for row in drawn.figure.data.rows] == ["obl", "a", "root"]
    assert ">a" in drawn.figure.svg
    assert "unlearned" not in drawn.figure.svg


def test_diagrams_show_other_tags() -> None:
    pair = replace(PAIR, alternative=replace(PAIR.alternative, upos=("ADP", "X", "VERB")), predicted=None)
    drawn = arc_diagram("x", Table("", (), ()), pair, ("UD", "tags"))
    assert "PROPN→X" in drawn
    assert "&lt;Rome&gt;" in drawn
