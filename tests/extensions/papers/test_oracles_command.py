"""`learnability oracles` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invoking import Call

QUICK = ("--system", "arc-eager", "--unlabelled", "--iterations", 2, "--jobs", 1, "--quiet")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the tests that only look at a finished run."""
    return tmp_path_factory.mktemp("oracles") / "run"


def test_tables_of_the_papers(call: Call, out: Path) -> None:
    result = call("oracles", "--treebank", "demo", *QUICK, "--seeds", 2, "--out", out)
    assert (result.code, result.errors) == (0, "")
    text = result.text
    assert "UAS, punctuation included, mean over 2 seeds" in text
    assert "UAS, without punctuation" in text
    assert "LAS" not in text
    lines = [line.split() for line in text.splitlines()]
    for oracle in ("static", "ambiguity", "explore"):
        (row,) = [line for line in lines if line[:2] == ["arc-eager:", oracle] and len(line) == 3][:1]
        assert 60 < float(row[2].rstrip("*")) < 100
    assert "Difference to static, Demo" in text
    assert "probability p = 0.9" in " ".join(text.split())
    again = call("oracles", "--treebank", "demo", *QUICK, "--seeds", 2, "--out", out, "--resume")
    assert again.output == result.output


def test_json_has_rows_and_averages(call: Call, out: Path) -> None:
    result = call("oracles", "--treebank", "demo", *QUICK, "--seeds", 2, "--out", out, "--resume", "--json")
    found = json.loads(result.output)
    assert [row["oracle"] for row in found["rows"]] == ["static", "ambiguity", "explore"]
    static, _, explore = found["rows"]
    assert explore["uas_delta"] == pytest.approx(explore["uas"] - static["uas"])
    assert found["averages"][2]["uas_delta"] == pytest.approx(explore["uas_delta"])
    assert static["las"] is None
    assert static["iterations"] == 2


def test_labelled_parsers_have_las(call: Call, tmp_path: Path) -> None:
    result = call(
        "oracles", "--treebank", "demo", "--system", "arc-eager", "--oracle", "static", "--iterations", 2,
        "--seeds", 1, "--jobs", 1, "--quiet", "--json", "--out", tmp_path / "run",
    )  # fmt: skip
    (row,) = json.loads(result.output)["rows"]
    assert 40 < row["las"] < row["uas"] < 100


def test_the_grid(call: Call, tmp_path: Path) -> None:
    result = call(
        "oracles", "--treebank", "demo", "--grid", "--unlabelled", "--iterations", 2, "--seeds", 1,
        "--jobs", 1, "--quiet", "--out", tmp_path / "grid",
    )  # fmt: skip
    assert result.code == 0
    rows = [line.split() for line in result.text.splitlines()]
    table = {row[0]: row[1:] for row in rows if len(row) == 5 and row[0].isdigit()}
    assert sorted(table) == ["0", "1", "2", "3", "4", "5"]
    assert len({row[0] for row in table.values()}) == 1  # p = 0: k makes no difference
    assert len(set(table["0"])) > 1
    assert len((tmp_path / "grid" / "records.jsonl").read_text().splitlines()) == 19


@pytest.mark.parametrize(
    ("words", "rows", "headings"), [(("--k", 2), ["2"], 5), (("--p", 0.5), ["0", "1", "2", "3", "4", "5"], 2)]
)
def test_a_part_of_the_grid(
    call: Call, tmp_path: Path, words: tuple[object, ...], rows: list[str], headings: int
) -> None:
    result = call("oracles", "--treebank", "demo", "--grid", *words, "--unlabelled", "--iterations", 1,
                  "--seeds", 1, "--jobs", 1, "--quiet", "--out", tmp_path / "grid")  # fmt: skip
    assert (result.code, result.errors) == (0, "")
    lines = [line.split() for line in result.text.splitlines()]
    assert [line[0] for line in lines if len(line) == headings and line[0].isdigit()] == rows


def test_the_grid_goes_to_another_folder(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ("--treebank", "demo", "--unlabelled", "--iterations", 1, "--seeds", 1, "--jobs", 1, "--quiet")
    for arguments in (("--grid",), ("--system", "arc-eager", "--oracle", "static")):
        monkeypatch.chdir(tmp_path)  # `call` undoes it
        assert call("oracles", *quick, *arguments).code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["oracles", "oracles-2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no treebank is named"),
        (("--treebank", "demo", "--system", "arc-lazy"), "the transition system 'arc-lazy' is unknown"),
        (("--treebank", "demo", "--oracle", "psychic"), "--oracle psychic is not accepted"),
        (("--treebank", "demo", "--system", "arc-standard", "--oracle", "explore"), "not arc-decomposable"),
        (("--treebank", "demo", "--grid", "--system", "arc-standard"), "not arc-decomposable"),
        (("--treebank", "demo", "--grid", "--oracle", "static"), "leave out --oracle"),
        (("--treebank", "demo", "--grid", "--oracle", "explore", "--oracle", "static"), "leave out --oracle"),
        (("--treebank", "demo", "--oracle", "static", "--k", 2), "--k applies to the oracle explore"),
        (("--treebank", "demo", "--oracle", "ambiguity", "--p", 0.5), "--p applies to the oracle explore"),
        (("--treebank", "demo", "--treebank", "demo"), "UD_Demo occurs twice"),
        (("--treebank", "demo", "--treebank", "demo", "--train", "x"), "one --treebank"),
        (("--treebank", "demo", "--p", 2), "--p"),
        (("--treebank", "UD_Nowhere"), "UD_Nowhere"),
    ],
)
def test_wrong_usage_is_one_line(
    call: Call, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    result = call("oracles", *arguments, "--out", tmp_path / "run")
    assert result.code == 2
    assert message in result.errors
    assert len(result.errors.splitlines()) == 1
    assert result.output == b""


def test_several_treebanks_are_averaged(call: Call, tmp_path: Path, demo: Path) -> None:
    other = tmp_path / "UD_Other"
    other.mkdir()
    for path in demo.glob("*.conllu"):
        (other / path.name).write_bytes(path.read_bytes()[: 40_000 if "train" in path.name else None])
    train = other / "demo-ud-train.conllu"
    train.write_text(train.read_text().rpartition("\n\n")[0] + "\n\n")
    result = call(
        "oracles", "--treebank", "demo", "--treebank", other, *QUICK, "--seeds", 1, "--out", tmp_path / "run",
    )  # fmt: skip
    assert result.code == 0, result.errors
    lines = [line.split() for line in result.text.splitlines()]
    (heading,) = [line for line in lines if line[-1:] == ["average"]][:1]
    assert heading == ["system:", "oracle", "Demo", "Other", "average"]
    (row,) = [line for line in lines if line[:2] == ["arc-eager:", "explore"] and len(line) == 5][:1]
    a, b, mean = (float(cell.rstrip("*")) for cell in row[2:])
    assert mean == pytest.approx((a + b) / 2, abs=0.011)
    assert "average over 2 treebanks" in result.text
