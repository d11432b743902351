"""`run --alternative` and the card of a run: what they say, and what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.evidence.stored_runs import read_run
from learnability.reports.card import card_markdown

QUICK = ("--iterations", "1", "--seeds", "1", "--jobs", "1")


@pytest.fixture
def treebanks(call: Call, tmp_path: Path) -> tuple[Path, Path]:
    one = small_treebank(tmp_path / "ud-treebanks-v2.1")
    done = call("transform", "--treebank", one, "--transform", "case", "--out", tmp_path / "case")
    assert done.code == 0
    (written,) = (tmp_path / "case").iterdir()
    (tmp_path / "ud-treebanks-v2.2").mkdir()
    return one, written.rename(tmp_path / "ud-treebanks-v2.2" / "UD_Small")


def test_two_releases_of_one_name(call: Call, treebanks: tuple[Path, Path], tmp_path: Path) -> None:
    out, card = tmp_path / "run", tmp_path / "card.md"
    words = (
        "run",
        "--test-set",
        "--ud-home",
        tmp_path,
        "--treebank",
        "UD_Small",
        "--release",
        "2.1",
        *QUICK,
        "--out",
        out,
    )
    ran = call(*words, "--alternative", "@2.2")
    assert (ran.code, ran.errors) == (0, "")
    assert call("report", out).output == ran.output
    done = call("report", out, "--card", card, "--details", "--explain")
    assert (done.code, done.errors) == (0, "")
    assert "UD 2.2 against UD 2.1: " in done.text
    assert "What differs" in done.text
    assert "onverted back to UD" not in done.text
    assert "after conversion need rules" in done.text.replace("\n", " ")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "UD 2.1 above the words, UD 2.2 below" in page
    assert '<details class="part" id="changes">' in page
    assert "--alternative @2.2" in page
    assert "convert one annotation to the other" in page
    (row,) = (pair.row for pair in read_run(out).pairs)
    assert (row.pair.construction, row.pair.against, row.release) == ("UD 2.2", "UD 2.1", "2.1")
    text, values = card.read_text(encoding="utf-8"), json.loads(card.with_suffix(".json").read_text())
    assert text.startswith("# UD_Small@2.1: which annotation is easier to learn?\n")
    assert values["constructions"][0]["changes"]["tokens_changed"] == row.tokens_changed
    assert len(values["sha256"]) == 6
    assert [name for name, _ in values["sha256"][::3]] == [
        "ud-treebanks-v2.1/UD_Small/xx-ud-dev.conllu", "ud-treebanks-v2.2/UD_Small/xx-ud-dev.conllu",
    ]  # fmt: skip
    assert "ud-treebanks-v2.2/UD_Small/xx-ud-test.conllu" in page
    compared = call("compare", out)
    assert compared.code == 0
    assert "UD 2.1" in compared.text


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("x.json", "x.json is not a Markdown file"),
        ("nowhere/at/all.md", "nowhere/at/all.md cannot be written"),
        ("", "cannot be written (is a folder)"),
    ],
)
def test_where_no_card_can_go(
    call: Call, treebanks: tuple[Path, Path], card: str, said: str, tmp_path: Path
) -> None:
    done = call("report", tmp_path / "run", "--card", card)
    assert (done.code, done.output) == (2, b"")
    assert said in done.errors
    assert done.errors.count("\n") == 1


def test_other_sentences_are_refused(call: Call, treebanks: tuple[Path, Path], tmp_path: Path) -> None:
    words = (
        *("run", "--test-set", "--treebank", treebanks[0], "--alternative", treebanks[1]),
        *("--out", tmp_path / "run", *QUICK),
    )
    text = (treebanks[1] / "xx-ud-test.conllu").read_text(encoding="utf-8")
    (treebanks[1] / "xx-ud-test.conllu").write_text(
        re.sub(r"^1\t[^\t]*", "1\tother", text, flags=re.MULTILINE)
    )
    done = call(*words)
    assert (done.code, done.output) == (2, b"")
    assert "none of the 25 sentences in test has the same words as one in UD_Small" in done.errors
    few = "".join(part + "\n\n" for part in text.split("\n\n")[:5])
    (treebanks[1] / "xx-ud-test.conllu").write_text(few, encoding="utf-8")
    done = call(*words)
    assert (done.code, done.output) == (2, b"")
    assert (
        "only 5 of the 25 test sentences of UD_Small have the same words as a sentence of UD_Small"
        in done.errors
    )


def test_where_relations_alone_differ(call: Call, treebanks: tuple[Path, Path], tmp_path: Path) -> None:
    """A labelled run draws such sentences; each query stands there once."""
    one, other = treebanks[0], tmp_path / "relabelled" / "UD_Small"
    other.mkdir(parents=True)
    for path in one.glob("*.conllu"):
        text = path.read_text(encoding="utf-8").replace("\tobl\t", "\tcomp:obl\t")
        (other / path.name).write_text(text.replace("\tdet\t", "\tobl\t"), encoding="utf-8")
    card = tmp_path / "card.md"
    done = call(
        "run",
        "--test-set",
        "--treebank",
        one,
        "--alternative",
        other,
        "--labelled",
        *QUICK,
        "--out",
        tmp_path / "run",
    )
    assert call("report", tmp_path / "run", "--card", card).code == 0
    assert (done.code, "sentences are the same" in done.text) == (0, False)
    (pair,) = json.loads(card.with_suffix(".json").read_text())["constructions"]
    assert pair["changes"]["tokens_changed"] == 0
    assert len(pair["examples"]) == 2
    asked = {query["finds"]: query["query"] for query in pair["queries"]}
    assert asked["DEPREL obl → comp:obl, in alternative"] == "pattern { H -[comp:obl]-> W }"
    assert len(asked) == len(pair["queries"]) == 4


def test_the_card_of_rules_and_parsers(
    call: Call, treebanks: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = tmp_path / "card.md"
    words = (
        "--transform",
        "case",
        "--alternative",
        "function-heads",
        "--parser",
        "arc-eager",
        "--parser",
        "arc-eager:explore",
    )
    run = tmp_path / "run"
    assert call("run", "--test-set", "--treebank", treebanks[0], *words, "--out", run, *QUICK).code == 0
    assert call("report", run, "--card", card).code == 0
    text, values = card.read_text(encoding="utf-8"), json.loads(card.with_suffix(".json").read_text())
    case, sud = values["constructions"]
    assert [one["name"] for one in values["constructions"]] == ["case", "function-heads"]
    assert case["description"]
    assert sud["description"]
    assert len(case["of_all_parsers"]) == 1
    assert len(case["sentences"]) == len(sud["sentences"]) == 2
    assert {score["parser"] for score in case["comparisons"]} == {"arc-eager", "arc-eager:explore"}
    assert {score["tested"] for score in case["comparisons"]} == {
        "own annotation", "without punctuation", "between phrases", "converted back to UD",
    }  # fmt: skip
    assert len(case["examples"]) == 2
    for example in case["examples"]:
        assert any(line.startswith("*") for line in example["lines"])
        assert "\n".join(example["lines"]) in text
    for verdict in (*case["sentences"], *sud["sentences"], *case["of_all_parsers"], *values["caveats"]):
        assert f"- {verdict}\n" in text
    for _, digest in values["sha256"]:
        assert f"`{digest}`" in text
    case["examples"][0]["where"] = "a `b``"
    hostile = card_markdown({**values, "base": "A|B", "sha256": [["x|y.conllu", "0"]]}).decode()
    assert r"| A\|B | alternative |" in hostile
    assert r"| x\|y.conllu | `0` |" in hostile
    assert "\n``` a `b`` ``` (`*`: another head or relation)\n" in hostile
    rows = [line for line in text.splitlines() if line.startswith("|")]
    tables = [line.count("|") for line in rows]
    assert set(tables) == {len(values["answers"]["headings"]) + 1, 9, 3}
    assert "comp:case" in "".join(case["examples"][0]["lines"])  # what a linguist would propose
    assert "The relations in the drawings were not part of the experiment" in text
    again = tmp_path / "again-2.16"
    assert call("report", run, "--card", again).code == 0
    assert again.read_bytes() == card.read_bytes()
    assert (tmp_path / "again-2.16.json").read_bytes() == card.with_suffix(".json").read_bytes()


def test_a_parser_that_fails_takes_no_examples_from_the_card(
    call: Call, treebanks: tuple[Path, Path], tmp_path: Path
) -> None:
    parser, card = tmp_path / "silent.toml", tmp_path / "card.md"
    commands = 'train = ["true", "{train}", "{model}"]', 'parse = ["false", "{input}", "{output}"]'
    parser.write_text("\n".join([*commands, "projective = true", ""]))
    asked = ("--parser", parser, "--parser", "arc-eager")
    words = ("--treebank", treebanks[0], "--alternative", treebanks[1], *asked)
    done = call("run", "--test-set", *words, "--seeds", "1", "--jobs", "1", "--out", tmp_path / "run")
    assert done.code == 1
    told = call("report", tmp_path / "run", "--card", card)
    assert told.code == 0, told.errors
    values = json.loads(card.with_suffix(".json").read_text())
    (pair,) = values["constructions"]
    assert ["not computed." in verdict for verdict in pair["sentences"]] == [True, False]
    assert len(pair["examples"]) == 2
    assert values["caveats"][0].startswith("silent: ")
