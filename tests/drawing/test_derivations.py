"""Drawn configurations: what the rows of a derivation say, in text and as SVG, for every system."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from learnability import Configuration, InputError, Oracle, Tree, TreePair, check_oracle, find_derivation
from learnability.drawing.derivations import Derivation
from learnability.oracles.systems import DEFINITIONS
from learnability.parsing.systems import SYSTEMS

MICE = Tree(
    ("Mice", "like", "old", "<b>"),
    ("NOUN", "VERB", "ADJ", "NOUN"),
    (2, 0, 4, 2),
    ("nsubj", "root", "amod", "obj"),
)
OTHER = MICE.with_heads((2, 0, 2, 2))
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str, look: str) -> list[str]:
    return [
        "".join(e.itertext())
        for e in ElementTree.fromstring(svg).iter(f"{SVG}text")
        if look == e.get("class")
    ]


def boxes(svg: str, part: str) -> int:
    return sum(e.get("class") == part for e in ElementTree.fromstring(svg).iter(f"{SVG}rect"))


@pytest.mark.parametrize("name", [name for name, s in SYSTEMS.items() if s.has_static_oracle])
def test_kernels_and_definitions_derive_the_same(name: str) -> None:
    fast = Oracle(MICE, name).derivation()
    slow = find_derivation(MICE, name, fast.transitions)
    assert slow.arcs == fast.arcs
    for ours, theirs in zip(fast.configurations, slow.configurations, strict=True):
        assert (ours.stack, ours.middle, ours.buffer) == (theirs.stack, theirs.middle, theirs.buffer)
    if not SYSTEMS[name].unknown_costs:
        assert [*map(dict, slow.costs)] == list(fast.costs)
        assert str(slow) == str(fast)
        assert slow.draw_svg() == fast.draw_svg()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_derivation_found_by_search_builds_the_tree(name: str) -> None:
    found = find_derivation(MICE, name)
    heads = {d: head for head, d in found.arcs[-1]}
    assert tuple(heads.get(word, 0) for word in range(1, 5)) == MICE.heads
    taken = [costs[t] for costs, t in zip(found.costs, found.transitions, strict=False) if costs]
    assert taken == [0] * len(found)
    assert [found[i] for i in range(len(found))] == list(found)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_word_of_the_lists_has_a_box(name: str) -> None:
    found = find_derivation(MICE, name)
    svg = found.draw_svg()
    for part in ("stack", "middle", "buffer"):
        assert boxes(svg, part) == sum(len(getattr(c, part)) for c in found.configurations)
    zero = sum(cost == 0 for costs in found.costs if costs for cost in costs.values())
    assert len(texts(svg, "cost zero")) == zero
    assert all(text.endswith(" 0 ✓") for text in texts(svg, "cost zero"))
    assert not any("✓" in text for text in texts(svg, "cost"))
    assert texts(svg, "step") == [f"{i} {t}" for i, t in enumerate(("", *found.transitions))]


def test_the_columns_of_the_table_are_straight() -> None:
    """Also with characters that take two columns of a terminal, or none."""
    tree = Tree(("日本語", "e\u0301te\u0301", "話す"), ("NOUN",) * 3, (3, 3, 0), ("dep",) * 3)
    header, *rows = str(find_derivation(tree, "arc-standard")).splitlines()
    for row in rows:
        assert row.count("[") == 2
        assert cell_len(row[: row.rindex("[")]) == header.index("buffer")


def test_after_an_error_its_arc_is_wrong() -> None:
    found = Oracle(MICE).derivation(["SHIFT", "RIGHT", "SHIFT"])
    assert [row.split("  ")[-1].strip() for row in str(found).splitlines()[2:4]] == [
        "SHIFT 1, RIGHT 2, LEFT 0 ✓",
        "SHIFT 0 ✓, RIGHT 1, REDUCE 1",
    ]
    assert "Mice -> like ✗" in str(found)
    assert found.draw_svg().count('<g class="wrong base">') == 2
    assert texts(found.draw_svg(), "cost")[:2] == ["SHIFT 1", "→ RIGHT 2"]


def test_words_stand_in_the_order_of_the_lists() -> None:
    swapped = find_derivation(MICE, "arc-standard-swap", ["SHIFT", "SHIFT", "SHIFT", "SWAP"])
    assert draw_order(swapped) == ["ROOT", "like", "Mice", "old", "<b>"]
    for name, root_at in (("arc-eager", -1), ("arc-hybrid", 0), ("arc-standard", 0)):
        for length in range(len(find_derivation(MICE, name)) + 1):
            part = find_derivation(MICE, name, find_derivation(MICE, name).transitions[:length])
            order = draw_order(part)
            assert order.pop(root_at) == "ROOT", (name, length)
            assert order == list(MICE.forms), (name, length)


def draw_order(found: Derivation[object]) -> list[str]:
    """The words of the last row, from left to right."""
    row = list(ElementTree.fromstring(found.draw_svg()).iter(f"{SVG}svg"))[-1]
    words = [e for e in row.iter(f"{SVG}text") if e.get("class") is None]
    return [str(e.text) for e in sorted(words, key=lambda e: float(e.get("x", 0)))]


def test_one_configuration_draws_itself() -> None:
    for c in (
        Configuration(MICE).apply("SHIFT"),
        find_derivation(MICE, transitions=["SHIFT"]).configurations[1],
    ):
        svg = c.draw_svg()
        assert (boxes(svg, "stack"), boxes(svg, "buffer")) == (1, 4)
        assert texts(svg, "step") == [""]
        assert c._repr_html_() is not None
    assert str(find_derivation(MICE).configurations[0]) == "([], [w1 w2 w3 w4 ROOT], {})"


def test_two_gold_trees_until_one_is_left() -> None:
    found = find_derivation([MICE, OTHER], transitions=["SHIFT", "LEFT", "SHIFT", "RIGHT"])
    assert found.surviving == ((0, 1), (0, 1), (0, 1), (0, 1), (1,))
    assert found.costs[3] == {"SHIFT": 0, "RIGHT": 0, "LEFT": 2}
    assert str(found).splitlines()[4].endswith("  1 2")
    assert "✗" not in str(found)


def test_trees_and_pairs_draw_themselves() -> None:
    for drawn in (MICE, TreePair("mice", MICE, OTHER)):
        root = ElementTree.fromstring(drawn.draw_svg())
        words = {e.text for e in root.iter() if e.tag in (f"{SVG}text", f"{SVG}tspan")}
        assert words >= {"Mice", "<b>", "nsubj", "amod"}
        assert "overflow-x" in drawn._repr_html_()
    assert '<g class="changed' in TreePair("mice", MICE, OTHER).draw_svg()
    # another picture on the page keeps its colours
    assert "<style>svg.tree{" in MICE.draw_svg()
    assert "}svg{" not in MICE.draw_svg().replace("{svg{", "}svg{")
    assert "Mice" in Tree(MICE.forms, MICE.upos).draw_svg()


def test_a_counterexample_draws_itself() -> None:
    found = check_oracle(lambda c, gold: ["SHIFT"])
    html = found._repr_html_()
    assert html.count("<svg") > 3
    assert "search says: <b>" in html
    correct = check_oracle(lambda c, gold: "SHIFT", "arc-hybrid", words=1, claim="static")
    assert "<p>wrong" in correct._repr_html_()


def test_what_cannot_be_derived() -> None:
    with pytest.raises(InputError, match=r"'LEFT' is not legal in .*; legal: SHIFT"):
        find_derivation(MICE, transitions=["LEFT"])
    with pytest.raises(InputError, match="not over the same words"):
        find_derivation([MICE, Tree(("a",), ("X",), (0,), ("root",))])
    long = Tree(("a",) * 13, ("X",) * 13, (0, *(1,) * 12), ("root",) * 13)
    with pytest.raises(InputError, match="13 words, too many for a search"):
        find_derivation(long)
    alone = Derivation(forms=("a",), configurations=(5,), arcs=((),))
    with pytest.raises(TypeError, match="print it instead"):
        alone.draw_svg()
    assert alone._repr_html_() is None
    assert "5" in str(alone)
