"""A sentence under two annotations side by side: arcs, stars, files."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ElementTree

import pytest
from trees import random_heads

from learnability.reports.drawn_pairs import arcs_beside, draw_for_page, lines_of, svg_file
from learnability.reports.tree_pair import TreePair
from learnability.treebanks.sentence import Tree

FORMS = ("The", "dog", "in", "the", "house", "sleeps")
UD = Tree(FORMS, ("X",) * 6, (2, 6, 5, 5, 2, 0), ("det", "nsubj", "case", "det", "nmod", "root"))
CASE = Tree(FORMS, ("X",) * 6, (2, 6, 2, 5, 3, 0), UD.deprels)

DRAWN = """\
            UD               case
        ┌─▶ det    1 The     det   ◀─┐
  ┌─┬───┴─▶ nsubj  2 dog     nsubj ◀─┼───┐
* │ │ ┌───▶ case   3 in      case  ◀─┴─┐ │
  │ │ │ ┌─▶ det    4 the     det   ◀─┐ │ │
* │ └─┴─┴─▶ nmod   5 house   nmod  ◀─┴─┘ │
  └──────── root   6 sleeps  root  ──────┘"""


def test_what_differs_is_marked_in_a_drawing_of_both() -> None:
    lines = lines_of(TreePair("s1", UD, CASE), ("UD", "case"))
    assert "\n".join(line for line, _ in lines) == DRAWN
    assert [differs for _, differs in lines] == [False, False, False, True, False, True, False]


def test_crossing_arcs() -> None:
    assert arcs_beside([3, 4, 0, 3]) == ["  ┌─▶", "┌─┼─▶", "│ ├──", "└─┴─▶"]


@pytest.mark.parametrize("seed", range(20))
def test_every_dependent_has_an_arrow_and_every_arc_its_line(seed: int) -> None:
    heads = random_heads(random.Random(seed), 9)
    lines = arcs_beside(heads)
    assert len({len(line) for line in lines}) == 1
    assert [line.endswith("▶") for line in lines] == [head != 0 for head in heads]
    for token, head in enumerate(heads, start=1):
        if head:
            first, last = sorted((head - 1, token - 1))
            # some column has a line all the way from the one to the other
            assert any(
                lines[first][column] in "┌├┬┼"
                and lines[last][column] in "└├┴┼"
                and all(lines[row][column] in "│├┼" for row in range(first + 1, last))
                for column in range(len(lines[0]))
            )


def test_wide_characters_keep_the_columns() -> None:
    tree = Tree(("看似", "a"), ("X", "X"), (2, 0), ("dep", "root"))
    lines = [line for line, _ in lines_of(TreePair("s", tree, tree))]
    assert lines[1:] == ["  ┌─▶ dep   1 看似  dep  ◀─┐", "  └── root  2 a     root ──┘"]


def test_the_picture_stands_alone() -> None:
    svg = svg_file(draw_for_page(TreePair("s<1>", UD, CASE), "tree-1", "case"))
    root = ElementTree.fromstring(svg.decode())
    texts = [text for text in root.itertext() if text.strip()]
    assert {*FORMS, "UD", "case"} <= set(texts)
    assert "svg.tree path" in svg.decode()


def test_a_drawing_that_stands_alone_defines_every_colour_it_uses() -> None:
    svg = svg_file(draw_for_page(TreePair("s1", UD, CASE), "tree-1", "case")).decode()
    used = set(re.findall(r"var\((--\w+)\)", svg))
    assert {"--base", "--alternative"} <= used
    assert [colour for colour in sorted(used) if f"{colour}:" not in svg] == []
