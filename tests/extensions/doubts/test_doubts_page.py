"""The page of doubts in a browser: decisions by keyboard, kept, saved and loaded, and nothing executed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from browsing import Browser, browser, missing

from learnability.extensions.doubts.decisions import parse_decisions
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.files import COLUMNS, doubt_values
from learnability.extensions.doubts.in_lines import group_by_cause
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.page import MOST, make_page
from learnability.treebanks.sentence import Sentence, Tree

needs_browser = pytest.mark.skipif(bool(missing()), reason=missing())

HOSTILE = (
    "</script><script>window.hit=1</script>", '"><img src=x onerror="window.hit=2">', "<!--", "&lt;b&gt;",
    "a,b\"c\"", "שלום", "\u202e", "{{ 7 * 7 }}", "javascript:window.hit=3",
)  # fmt: skip
"""What a treebank may hold."""


def tree_of(*forms: str) -> Tree:
    """A tree whose words all hang on the first one."""
    heads = tuple(0 if i == 0 else 1 for i in range(len(forms)))
    deprels = tuple("root" if head == 0 else "dep" for head in heads)
    return Tree(
        forms,
        ("X", "Y", *["X"] * len(forms))[: len(forms)],
        heads,
        deprels,
        tuple(f"lemma-{form}" for form in forms),
    )


def doubt_of(number: int, tree: Tree, word: int = 3, **changed: object) -> Doubt:
    """A doubt about a word of a sentence."""
    values: dict[str, object] = {
        "sentence": number, "sent_id": f"s{number}", "file": f"x-{number % 2}.conllu",
        "line": number * 10 + word, "word": word, "form": tree.forms[word - 1], "upos": "X",
        "head": 1, "deprel": "dep", "proposed_head": 2, "proposed_deprel": "obj", "also": None,
        "score": max(0.01, 0.99 - number / 10), "pattern": f"X:{tree.forms[word - 1]} dep -> obj",
        "content": f"{number:016x}",
    }  # fmt: skip
    return Doubt(**{**values, **changed})  # type: ignore[arg-type]


TREES = [tree_of("a", "b", "c", "d"), tree_of(*HOSTILE), tree_of("e", "f", "g"), tree_of("h", "i", "j", "k")]


def sentences(trees: Sequence[Tree]) -> list[Sentence]:
    return [Sentence(tree, str(number)) for number, tree in enumerate(trees)]


DOUBTS = [
    doubt_of(0, TREES[0]),
    doubt_of(1, TREES[1], 1, head=0, deprel="root", proposed_deprel="dep", also=ProposedArc(2, 0, "root")),
    doubt_of(2, TREES[2], validator="leaf-det", proposed_head=1),
    doubt_of(
        3,
        TREES[3],
        score=0.05,
        proposed_deprel="dep",
        sent_id=HOSTILE[0],
        pattern=HOSTILE[1],
        file=HOSTILE[1],
    ),
]


def test_nothing_in_the_data_ends_the_script() -> None:
    text = make_page(HOSTILE[0], DOUBTS, sentences(TREES)).decode()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert data["sentences"][1]["forms"] == list(HOSTILE)
    assert "<" not in found[1]
    assert "<title>Doubts in &lt;/script&gt;" in text
    assert len(re.findall("<script", text)) == 2
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_rows_with_one_reason_are_one_cause_others_go_by_pattern() -> None:
    reasons = ("few", "few", "alone", "", "")
    doubts = [doubt_of(0, TREES[0], reason=reason, score=0.9 - n / 10) for n, reason in enumerate(reasons)]
    assert [[doubt.score for doubt in group] for group in group_by_cause(doubts)] == [
        [doubts[0].score, doubts[1].score],
        [doubt.score for doubt in doubts[2:]],
    ]


def test_the_page_has_a_limit() -> None:
    doubts = [doubt_of(0, TREES[0])] * (MOST + 1)
    found = re.search(
        r'id="data">(.*?)</script>', make_page("x", doubts, sentences(TREES)).decode(), re.DOTALL
    )
    assert found
    assert len(json.loads(found[1])["rows"]) == MOST


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tmp_path: Path, chromium: Browser) -> Path:
    """The page, in a browser that keeps no decisions about it yet."""
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_X {tmp_path}", DOUBTS, sentences(TREES)))
    return path


def press(chromium: Browser, *keys: str) -> None:
    """Press keys wherever the focus is."""
    from selenium.webdriver.common.action_chains import ActionChains

    for key in keys:
        ActionChains(chromium.driver).send_keys(key).perform()


def text_of(chromium: Browser, name: str) -> str:
    """The text of an element."""
    return str(chromium.run("return document.getElementById(arguments[0]).textContent", name))


def saved(chromium: Browser) -> list[dict[str, str]]:
    """The rows that would be saved."""
    return list(csv.DictReader(io.StringIO(str(chromium.run("return table()")))))


@needs_browser
def test_decisions_by_keyboard_are_kept_and_saved(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    assert text_of(chromium, "progress") == "0 of 4 decided, 0 accepted, 4 left."
    assert text_of(chromium, "arcs") == "c: obj of b (2), not dep of a (1)"
    press(chromium, "a")
    assert text_of(chromium, "progress") == "1 of 4 decided, 1 accepted, 3 left."
    assert "as root" in text_of(chromium, "arcs")
    press(chromium, "r", "l", "k", "k")
    assert text_of(chromium, "place").endswith(" · reject")
    press(chromium, "u")
    assert text_of(chromium, "progress") == "2 of 4 decided, 1 accepted, 2 left."
    assert text_of(chromium, "place").startswith("x-0.conllu:23")  # what was undone
    press(chromium, "n", 'a note, "so"', "\ue007", "r")
    chromium.open(page)  # as after a break
    assert text_of(chromium, "progress") == "3 of 4 decided, 1 accepted, 1 left."
    assert text_of(chromium, "place").startswith(HOSTILE[1])  # the first that is open
    rows = saved(chromium)
    assert [row["decision"] for row in rows] == ["accept", "reject", "reject"]
    assert rows[2]["note"] == 'a note, "so"'
    assert list(rows[0]) == [*(column.name for column in COLUMNS), "run"]
    for row, doubt in zip(rows, DOUBTS, strict=False):
        expected = {name: "" if value is None else value for name, value in doubt_values(doubt).items()}
        for name in expected.keys() - {"score", "decision", "note", "reason"}:
            assert row[name] == str(expected[name]), name
    read = parse_decisions(str(chromium.run("return table()")), "page").decisions
    assert [each.place for each in read] == [doubt.place for doubt in DOUBTS[:3]]
    assert [list(each.arcs) for each in read] == [doubt.proposed_arcs for doubt in DOUBTS[:3]]
    assert chromium.complaints() == []


@needs_browser
def test_what_accepting_all_does_is_said(chromium: Browser, tmp_path: Path) -> None:
    doubts = [
        doubt_of(number, TREES[number], reason=reason, would_break=broken, score=score)
        for number, reason, broken, score in (
            (0, "few", "cycle", 0.9), (2, "few", "cycle", 0.8),
            (0, "other", "cycle", 0.4), (3, "other", "", 0.3),
        )
    ]  # fmt: skip
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_A {tmp_path}", doubts, sentences(TREES)))
    chromium.open(path)
    assert text_of(chromium, "accept-all") == "A Accept 0 of 2: all would break a rule"
    press(chromium, "A")
    assert text_of(chromium, "last") == "Accept 0 of 2: all would break a rule."
    press(chromium, "J")
    assert text_of(chromium, "accept-all") == "A Accept 1 of 2"
    press(chromium, "A")
    assert text_of(chromium, "last").startswith("1 word: accept. ")
    press(chromium, "u")
    assert text_of(chromium, "last") == "Taken back."
    chromium.run("filtered = [-1]; at = 0; show()")  # a line without proposals
    assert text_of(chromium, "note-label") == "Note"
    chromium.driver.set_window_size(390, 800)
    chromium.run("filter()")
    press(chromium, "R")
    shown = chromium.run("return getComputedStyle(document.querySelector('#last kbd')).display")
    chromium.driver.set_window_size(1200, 900)
    assert shown != "none"


@needs_browser
def test_arcs_are_edited_by_click_and_by_keyboard(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    press(chromium, "e")
    chromium.run(
        "document.querySelector('[data-word=\"4\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    chromium.run("document.getElementById('edit-deprel').value = ''")
    press(chromium, "iobj", "\ue007")
    assert text_of(chromium, "progress") == "1 of 4 decided, 1 accepted, 3 left."
    (row,) = saved(chromium)
    assert (row["proposed_head"], row["proposed_deprel"], row["decision"]) == ("4", "iobj", "accept")
    press(chromium, "k")
    assert text_of(chromium, "arcs").startswith("c: iobj of d (4), not")
    values = "return [...document.querySelectorAll('#relations option')].map(o => o.value)"
    assert chromium.run(values) == ["dep", "root"]  # those of the treebank


@needs_browser
def test_tags_are_edited_by_typing(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    values = "return [...document.querySelectorAll('#tags option')].map(o => o.value)"
    assert chromium.run(values) == ["X", "Y"]  # those of the treebank
    press(chromium, "e")
    assert chromium.run("return document.getElementById('edit-upos').value") == "X"
    chromium.run("const tag = document.getElementById('edit-upos'); tag.value = ''; tag.focus()")
    press(chromium, "Y", "\ue007", "k")
    assert text_of(chromium, "arcs") == "c: obj of b (2), not dep of a (1), as Y, not X"
    (row,) = saved(chromium)
    assert (row["upos"], row["proposed_upos"], row["proposed_deprel"]) == ("X", "Y", "obj")
    text = str(chromium.run("return table()"))
    (read,) = parse_decisions(text, "page").decisions
    assert (read.upos, read.proposed_upos) == ("X", "Y")
    chromium.run("localStorage.clear()")
    chromium.open(page)
    chromium.run("load(arguments[0])", text)
    assert chromium.run("return table()") == text
    press(chromium, "k", "e", "\ue007")  # accepting again keeps the tag
    assert chromium.run("return table()") == text
    press(chromium, "k", "r")
    (row,) = saved(chromium)
    assert (row["decision"], row["proposed_upos"]) == ("reject", "")
    assert chromium.complaints() == []


@needs_browser
def test_values_are_accepted_typed_and_loaded(chromium: Browser, tmp_path: Path) -> None:
    """An arc, a tag and two features of one word are four decisions."""
    same = {"proposed_head": 1, "proposed_deprel": "dep"}
    doubts = [
        doubt_of(0, TREES[0], score=0.9),
        doubt_of(0, TREES[0], score=0.8, column="upos", value="X", proposed_value="ADJ", **same),
        doubt_of(0, TREES[0], score=0.7, column="feats:Case", value="Acc", **same),
        doubt_of(0, TREES[0], score=0.6, column="feats:Gender", proposed_value="Fem", **same),
    ]
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_V {tmp_path}", doubts, sentences(TREES)))
    chromium.open(path)
    press(chromium, "j")
    assert text_of(chromium, "arcs") == "c: tag ADJ, not tag X"
    assert chromium.run("return document.querySelectorAll('#drawing .alternative').length") == 0
    press(chromium, "e", *"N", "\ue007")  # types in front of the proposal, and Enter
    assert text_of(chromium, "arcs") == "c: no Case, not Case=Acc"
    press(chromium, "a", "r")
    press(chromium, "k", "k", "k", "k", "a")
    decided = {row["column"]: row for row in saved(chromium)}
    assert {name: row["decision"] for name, row in decided.items()} == {
        "head": "accept", "upos": "accept", "feats:Case": "accept", "feats:Gender": "reject",
    }  # fmt: skip
    assert decided["upos"]["proposed_value"] in ("NADJ", "ADJN")
    assert (decided["feats:Case"]["value"], decided["feats:Case"]["proposed_value"]) == ("Acc", "")
    read = parse_decisions(str(chromium.run("return table()")), "page").decisions
    assert {each.place.column: len(each.arcs) for each in read} == {
        "head": 1, "upos": 0, "feats:Case": 0, "feats:Gender": 0,
    }  # fmt: skip
    chromium.run("load(table())")
    assert {row["column"]: row for row in saved(chromium)} == decided
    chromium.run(
        "const field = document.getElementById('by-column'); field.value = 'feats:Gender';"
        "field.dispatchEvent(new Event('change'))"
    )
    assert "1 fit the filters" in text_of(chromium, "progress")


@needs_browser
def test_equal_sentences_have_one_decision(chromium: Browser, tmp_path: Path) -> None:
    twins = [doubt_of(0, TREES[0]), doubt_of(0, TREES[0], sentence=1, sent_id="twin", proposed_head=4)]
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_X {tmp_path}", twins, sentences([TREES[0]] * 2)))
    chromium.open(path)
    press(chromium, "a")
    assert [(row["sent_id"], row["proposed_head"]) for row in saved(chromium)] == [("s0", "2"), ("twin", "2")]


@needs_browser
def test_a_saved_file_is_loaded_again(chromium: Browser, page: Path, tmp_path: Path) -> None:
    chromium.open(page)
    folder = tmp_path / "downloads"
    folder.mkdir()
    chromium.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    press(chromium, "a", "r")
    chromium.run("document.getElementById('save').click()")
    chromium.wait_for((folder / "decisions.csv").exists)
    before = (folder / "decisions.csv").read_text(encoding="utf-8")
    header = before.split("\n", 1)[0].split(",")
    cells = {
        "sent_id": "x",
        "file": "f",
        "line": "1",
        "word": "2",
        "form": '"a, b"',
        "upos": "X",
        "head": "1",
    }
    cells |= {"deprel": "dep", "proposed_head": "3", "proposed_deprel": "obj", "score": "0.5", "pattern": "P"}
    cells |= {"content": "00000000000000ff", "decision": "reject", "note": "mine", "run": str(tmp_path)}
    other = ",".join(cells.get(name, "") for name in header) + "\n"
    (folder / "more.csv").write_text("\ufeff" + before + other, encoding="utf-8")
    chromium.run("localStorage.clear()")
    chromium.open(page)
    assert text_of(chromium, "progress") == "0 of 4 decided, 0 accepted, 4 left."
    chromium.driver.find_element("id", "load").send_keys(str(folder / "more.csv"))
    chromium.wait_for(lambda: text_of(chromium, "message") == "Loaded 3 decisions.")
    assert text_of(chromium, "progress") == "2 of 4 decided, 1 accepted, 2 left."
    assert chromium.run("return table()") == before + other  # what is not listed is not lost
    chromium.driver.find_element("id", "load").send_keys(str(page))
    chromium.wait_for(lambda: text_of(chromium, "message") == "This is no file of decisions.")


@needs_browser
def test_the_second_proposal_is_accepted_saved_and_loaded(chromium: Browser, tmp_path: Path) -> None:
    arcs = (ProposedArc(3, 4, "mark"), ProposedArc(4, 1, "conj"))
    doubts = [doubt_of(0, TREES[0], second_arcs=arcs), doubt_of(2, TREES[2])]
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_X {tmp_path}", doubts, sentences(TREES)))
    chromium.open(path)
    assert text_of(chromium, "arcs") == "c: obj of b (2) or mark of d (4), not dep of a (1)"
    press(chromium, "s", "s")  # the other doubt has no second proposal
    assert text_of(chromium, "progress") == "1 of 2 decided, 1 accepted, 1 left."
    text = str(chromium.run("return table()"))
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["proposed_head"], row["proposed_deprel"], row["also_word"]) == ("4", "mark", "4")
    assert (row["second_head"], row["second_also_deprel"]) == ("4", "conj")
    values = doubt_values(doubts[0])
    values["decision"] = "second"
    lines = [",".join(values), ",".join(str(value) for value in values.values())]
    chromium.run("localStorage.clear()")
    chromium.open(path)
    chromium.run("load(arguments[0])", "\n".join(lines))
    assert text_of(chromium, "message") == "Loaded 1 decision."
    assert chromium.run("return table()") == text
    (decision,) = parse_decisions(text, "decisions.csv").decisions
    assert decision.arcs == arcs


@needs_browser
def test_filters(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    press(chromium, "a")

    def shown(**fields: str) -> str:
        chromium.run("document.getElementById('clear').click()")
        for name, value in fields.items():
            chromium.run(
                "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
                "field.dispatchEvent(new Event('change'))", f"by-{name}", value,
            )  # fmt: skip
        found = re.search(r"(\d+) fit the filters", text_of(chromium, "progress"))
        return found[1] if found else "all"

    assert shown() == "all"
    assert shown(decision="open") == "3"
    assert shown(decision="accept") == "1"
    assert shown(pattern="X:g") == "1"
    assert shown(deprel="root") == "1"
    assert shown(lemma="LEMMA-c") == "1"
    assert shown(lemma="g") == "1"
    assert shown(file="x-0.conllu") == "2"
    assert shown(score="0.85") == "2"
    assert shown(file="x-0.conllu", score="0.85") == "1"
    assert shown(validator="finds") == "1"
    assert "validator: leaf-det" in text_of(chromium, "place")
    assert shown(validator="silent") == "3"
    assert shown(column="both") == "2"
    assert shown(column="head") == "1"
    assert shown(column="deprel") == "1"
    assert shown(lemma="nothing") == "0"
    assert text_of(chromium, "reason") == "No row fits the filters."
    press(chromium, "a", "r", "e", "j", "u")
    assert chromium.complaints() == []


@needs_browser
def test_nothing_that_a_treebank_holds_is_executed(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    for key in "jjjkkk":
        press(chromium, key)
    press(chromium, "j", "e")
    assert chromium.run("return window.hit") is None
    assert chromium.run("return document.querySelectorAll('img, main script:not([type])').length") == 0
    assert text_of(chromium, "drawing").count(HOSTILE[0]) == 1
    assert chromium.requests() == [page.as_uri()]
    assert chromium.complaints() == []


@needs_browser
@pytest.mark.parametrize(("width", "theme"), [(380, "dark"), (800, "light"), (1300, "dark")])
def test_accessible_at_every_width(chromium: Browser, page: Path, width: int, theme: str) -> None:
    chromium.open(page, width=width, theme=theme)
    press(chromium, "a", "e")
    assert chromium.violations() == []
    assert chromium.run("return document.documentElement.scrollWidth") <= width


@needs_browser
def test_the_annotated_and_the_proposed_arc_have_two_colours(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    strokes = [
        chromium.run(
            f"const path = document.querySelector('#drawing .changed.{side} path');"
            "return getComputedStyle(path).stroke"
        )
        for side in ("base", "alternative")
    ]
    assert len({*strokes}) == 2
    labels = "return [...document.querySelectorAll('#drawing .changed text')].map(t => t.textContent)"
    assert chromium.run(labels) == ["dep", "obj"]
    assert chromium.run("return document.querySelectorAll('#drawing .same').length") == 3


@needs_browser
def test_of_many_doubts_only_the_visible_ones_are_drawn(chromium: Browser, tmp_path: Path) -> None:
    trees = [tree_of(*(f"word{i}" for i in range(40)))] * 1500
    doubts = [
        doubt_of(number, tree, 20, also=None, pattern=f"X:{number % 300} dep -> obj")
        for number, tree in enumerate(trees)
    ]
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_Large {tmp_path}", doubts, sentences(trees)))
    chromium.open(path)
    assert text_of(chromium, "progress") == "0 of 1,500 decided, 0 accepted, 1,500 left."
    chromium.run(
        "keys.slice(0, 500).forEach((key, i) => decisions.set(key, {decision: i % 3 ? 'reject' : 'accept'}));"
        "relearn(); filter();"
    )
    assert text_of(chromium, "progress") == "500 of 1,500 decided, 167 accepted, 1,000 left."
    press(chromium, "j", "a", "j")
    assert chromium.run("return document.querySelectorAll('*').length") < 1500


@needs_browser
def test_both_halves_and_notes_belong_to_their_word(chromium: Browser, tmp_path: Path) -> None:
    half = "deprel=discourse xpos=UH feats=_"
    tag = doubt_of(
        0,
        TREES[0],
        column="upos",
        value="X",
        proposed_head=1,
        proposed_deprel="dep",
        proposed_value="INTJ",
        other_half=half,
        would_break="rel-upos-cc",
    )
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_X {tmp_path}", [tag, *DOUBTS[1:]], sentences(TREES)))
    chromium.open(path)
    assert text_of(chromium, "half") == "And then discourse, XPOS UH, no features?"
    assert text_of(chromium, "breaks") == "The proposal alone would break rel-upos-cc."
    press(chromium, "b")
    assert text_of(chromium, "last").startswith("c: accept with discourse, XPOS UH, no features.")
    press(chromium, "m", "on the first", "\ue007")  # written after the decision
    press(chromium, "n", "on the second", "\ue007", "j")
    rows = saved(chromium)
    assert [(row["decision"], row["note"]) for row in rows] == [
        ("both", "on the first"),
        ("", "on the second"),
    ]
    assert rows[0]["other_half"] == half
    assert {row["run"] for row in rows} == {str(tmp_path)}
    text = str(chromium.run("return table()"))
    (both,) = [each for each in parse_decisions(text, "page").decisions if each.verdict == "accept"]
    assert [new for *_, new in both.values] == ["INTJ", "discourse", "UH", "_"]
    chromium.run("decisions.clear(); load(arguments[0])", text)
    assert saved(chromium) == rows


@needs_browser
def test_all_rows_of_copies_are_those_of_one_copy(chromium: Browser, tmp_path: Path) -> None:
    reason = "the same sentence has obj at f:1"
    copies = [
        doubt_of(0, TREES[0], reason=reason),
        doubt_of(0, TREES[0], sentence=1, sent_id="o", reason=reason),
    ]
    copies[1] = replace(copies[1], head=copies[0].proposed_head, proposed_head=copies[0].head)
    path = tmp_path / "doubts.html"
    path.write_bytes(make_page(f"UD_C {tmp_path}", copies, sentences([TREES[0]] * 2)))
    chromium.open(path)
    press(chromium, "A")
    assert [row["sent_id"] for row in saved(chromium)] == ["s0"]
    assert "1 would break a rule or are in the other copy" in text_of(chromium, "last")
