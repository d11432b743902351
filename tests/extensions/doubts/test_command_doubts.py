"""`doubts` as a user meets it: treebanks that lack columns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from doubt_tables import read_table, write_table
from invoking import Call, Result
from small_treebanks import small_treebank

REPOSITORY = Path(__file__).resolve().parents[3]

SHORT = ("--cross-validate", "3", "--iterations", "2", "--jobs", "1", "--parser", "arc-eager")

UPOS, XPOS, FORM, LEMMA = 3, 4, 1, 2


def without(columns: tuple[int, ...], folder: Path, name: str) -> Path:
    """A small treebank with ``_`` in these columns."""
    place = small_treebank(folder, name, train=24, dev=6, test=10)
    for path in place.glob("*.conllu"):
        lines = path.read_text(encoding="utf-8").split("\n")
        for i, line in enumerate(lines):
            cells = line.split("\t")
            if len(cells) == 10:
                for column in columns:
                    cells[column] = "_"
                lines[i] = "\t".join(cells)
        path.write_text("\n".join(lines), encoding="utf-8")
    return place


def test_the_advice_without_upos_works(call: Call, tmp_path: Path) -> None:
    place = without((UPOS, XPOS), tmp_path, "UD_NoTags")
    refused = call("doubts", "--treebank", place, *SHORT, "--out", tmp_path / "refused")
    assert refused.code
    advice = re.search(r"--tags \w+", refused.errors)
    assert advice, refused.errors
    out = tmp_path / "out"
    result = call("doubts", "--treebank", place, *SHORT, *advice[0].split(), "--all", "--out", out)
    assert result.code == 0, result.errors
    found = read_table(out)
    assert found
    assert "punct" not in {row["deprel"] for row in found}  # known by its relation
    assert not any(re.match(r"[A-Z]+:|_", row["pattern"]) for row in found)  # no tag takes part
    scores = [float(row["score"]) for row in found if row["column"] == "head"]
    assert sum(scores) / len(scores) < 0.06


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small treebank with all its columns."""
    return small_treebank(tmp_path_factory.mktemp("tagged"), "UD_Tagged", train=20, dev=6, test=10)


def margins(out: Path) -> dict[str, list[float]]:
    """The margins of the arcs by each parser, by the key of its record."""
    lines = (out / "records.jsonl").read_text(encoding="utf-8").splitlines()
    records = map(json.loads, lines)
    return {
        record["key"]: record["result"]["arc_margins"]
        for record in records
        if record["setting"] in ("votes", "margins")
    }


@pytest.fixture(scope="module")
def finished(call: Call, tagged: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """What a run with gold UPOS prints, and its folder."""
    out = tmp_path_factory.mktemp("gold")
    result = call("doubts", "--treebank", tagged, *SHORT, "--out", out)
    assert result.code == 0, result.errors
    return result, out


def test_what_it_prints_ends_with_the_page_to_work_on(finished: tuple[Result, Path]) -> None:
    result, out = finished
    assert result.text.endswith(f"Open {out / 'doubts.html'}\n")


@pytest.mark.parametrize("tags", ["xpos", pytest.param("none", marks=pytest.mark.slow), "predicted"])
def test_all_parsers_see_the_tags_that_are_asked_for(
    call: Call, tagged: Path, finished: tuple[Result, Path], tmp_path: Path, tags: str
) -> None:
    with_gold_tags = margins(finished[1])
    seen = ("--tags", tags, "--column", "head")
    result = call("doubts", "--treebank", tagged, *SHORT, *seen, "--out", tmp_path)
    assert result.code == 0, result.errors
    found = margins(tmp_path)
    assert found.keys() == with_gold_tags.keys()
    assert len(found) == 9  # a parser and two readings of the graph-based parser, in each of three folds
    assert all(found[key] != with_gold_tags[key] for key in found)


PROMISES = ("probabilit", "probable", "expected", "likel", "chance", "3 %")
"""What no text of doubts says of its scores: with the language left out, no calibration held
(research/doubts)."""


def test_no_text_takes_scores_for_probabilities(call: Call, finished: tuple[Result, Path]) -> None:
    """Scores are an order only: all that a run prints and writes is held to it, and the help."""
    result, out = finished
    texts = {"help": call("doubts", "--help").text, "terminal": result.text}
    assert "Scores only order the doubts. They do not say how many are errors." in " ".join(
        result.text.split()
    )
    for path in sorted(out.rglob("*")):
        if path.suffix in (".csv", ".txt", ".html"):
            texts[path.name] = path.read_text(encoding="utf-8")
    assert {"doubts.csv", "doubts.html"} <= texts.keys()
    for name, text in texts.items():
        text = without_code(text) if name.endswith(".html") else text
        words = re.sub(r"demo\S*", "", text.lower())
        assert not [word for word in PROMISES if word in words], name


def without_code(page: str) -> str:
    """Return a page without its scripts, styles and data."""
    return re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", page)


@pytest.mark.parametrize(
    ("path", "about"),
    [("docs/extensions/doubts.md", ""), ("README.md", "doubts"), ("docs/howto/index.md", "doubts"),
     ("learnability/extensions/harmonise/report.py", "doubts`")],
)  # fmt: skip
def test_no_page_takes_scores_for_probabilities(path: str, about: str) -> None:
    lines = (REPOSITORY / path).read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if about in line and "probab" in line.lower()]


def test_the_loop_closes(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions of the page name their run; after they are applied, the list goes on without training."""
    place, out = small_treebank(tmp_path, "UD_Loop", train=20, dev=6, test=10), tmp_path / "run"
    command = ("doubts", "--treebank", place, *SHORT, "--out", out)
    first = call(*command)
    records, before = (out / "records.jsonl").read_bytes(), read_table(out)
    accepted = next(row for row in before if row["column"] == "upos" and not row["would_break"])
    decided = {**accepted, "decision": "accept", "proposed_value": "X", "run": str(out)}
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    write_table(downloads / "decisions.csv", [decided])
    monkeypatch.chdir(downloads)
    printed = re.search("`learnability (doubts --apply [^`]*)`", " ".join(first.text.split()))
    assert printed
    applied = call(*printed[1].split())
    assert applied.code == 0, applied.errors
    assert applied.output.count(b"\n+") == 2  # the name of the file, and the word
    assert call("doubts", "--apply", "decisions.csv", "--out", place, "--force").code == 0
    again = call(*command, "--decisions", "decisions.csv")
    assert again.code == 0, again.errors
    assert (out / "records.jsonl").read_bytes() == records  # nothing was trained
    keys = ("content", "word", "column")
    decided_place = [accepted[key] for key in keys]
    assert decided_place not in [[row[key] for key in keys] for row in read_table(out)]
    assert "1 decided doubt: 1 accepted" in again.text
    changed = call(*command)  # without the file, what changed is known by its value
    assert decided_place not in [[row[key] for key in keys] for row in read_table(out)]
    assert "1 doubt whose values have changed since we trained" in changed.text
    path = next(place.glob("*test.conllu"))
    path.write_text(path.read_text(encoding="utf-8").split("\n\n", 1)[1], encoding="utf-8")
    other = call(*command)
    assert other.code == 2
    assert "use --force" in other.errors
