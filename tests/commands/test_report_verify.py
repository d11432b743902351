"""`report --verify`: what was recorded is repeated, and every difference is found and told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from invoking import Call, Result, left_unfinished
from small_treebanks import small_treebank

Run = tuple[Path, Path]
"""A run's folder, and that of its treebank."""


@pytest.fixture(scope="module")
def finished(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run and its treebank."""
    base = tmp_path_factory.mktemp("verify")
    small_treebank(base / "ud")
    (base / "ud" / "own.toml").write_text('name = "own"\n[[transform]]\nname = "det"\n')
    words = "--transform case --seeds 1 --iterations 1 --out run"
    alone = ("--jobs", "1", "--quiet")
    with chdir(base):
        done = call("run", "--test-set", "--treebank", "ud/UD_Small", *words.split(), *alone)
        assert done.code == 0, done.errors
        done = call("run", "--resume", "--out", "run", "--most-seeds", "2", "--folds", "3", *alone)
        assert done.code == 0, done.errors
    return base


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Iterator[Run]:
    """A copy of the finished run to damage; its treebank is at a relative path."""
    out, ud = (Path(shutil.copytree(finished / name, tmp_path / name)) for name in ("run", "ud"))
    with chdir(tmp_path):
        yield out, ud


def verified(call: Call, *options: str, share: str = "0.1") -> Result:
    return call("report", "run", "--verify", share, "--jobs", "1", "--quiet", *options)


def changed(path: Path, pattern: str, new: str) -> None:
    text, count = re.subn(pattern, new, path.read_text(), count=1)
    assert count
    path.write_text(text)


def test_every_cell_can_be_repeated(call: Call, run: Run) -> None:
    cells = (run[0] / "records.jsonl").read_text().count("\n")
    done = verified(call, share="1")
    assert (done.code, done.errors) == (0, "")
    said = "data, versions, results and numbers match the records"
    assert done.text == f"repeated {cells} of {cells} trainings (seed 1): {said}\n"


def test_a_record_that_nothing_wants_is_not_counted_as_repeated(call: Call, run: Run) -> None:
    path = run[0] / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    line = next(line for line in lines if "/measures/case/" in line)
    path.write_text("".join(lines) + line.replace("/measures/case/", "/measures/det/"))
    done = verified(call, share="1")
    assert (done.code, done.errors) == (0, "")
    assert done.text.startswith(f"repeated {len(lines)} of {len(lines) + 1} trainings")


def test_the_seed_draws_the_cells(call: Call, run: Run) -> None:
    records = [json.loads(line)["key"] for line in (run[0] / "records.jsonl").read_text().splitlines()]
    sizes = {name: json.loads(verified(call, "--json", share=share).text) for name, share in (
        ("least", "0"), ("a third", "0.33"))
    }  # fmt: skip
    assert sizes["least"]["repeated"] == 1
    assert sizes["a third"]["repeated"] == -(-33 * len(records) // 100)
    assert sizes["least"]["cells"] == len(records)


@pytest.mark.parametrize("setting", ["b", "c", "measures"])
def test_a_number_that_is_not_repeated_is_named(call: Call, run: Run, setting: str) -> None:
    path = run[0] / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    number, line = next((i, ln) for i, ln in enumerate(lines) if f'"setting":"{setting}"' in ln)
    names = {"c": "places", "measures": "train_tokens"}
    name = names.get(setting, "iterations")
    before = int(re.search(rf'"{name}":(\d+)', line)[1])  # type: ignore[index]
    lines[number] = line.replace(f'"{name}":{before}', f'"{name}":{before + 1}', 1)
    path.write_text("".join(lines))
    key = json.loads(line)["key"]
    done = verified(call, share="1")
    assert done.code == 1
    assert re.search(
        rf"^{re.escape(key)}: \S*{name} was recorded as {before + 1}, is {before}$", done.text, re.M
    )
    assert re.fullmatch(
        r"learnability: run has \d+ differences? between the records and the repetition, "
        r"which repeated \d+ of \d+ trainings \(seed 1\); run the experiment again in a new folder\n",
        done.errors,
    )


@pytest.mark.parametrize("name", ["results.csv", "scores.csv"])
def test_outputs_must_be_what_the_records_give(call: Call, run: Run, name: str) -> None:
    changed(run[0] / name, r"\b7", "8")
    done = verified(call)
    assert (done.code, done.text) == (1, f"{name} differs from the file that the records yield\n")


def test_other_data_is_told_and_nothing_repeated(call: Call, run: Run) -> None:
    path = run[1] / "UD_Small" / "xx-ud-test.conllu"
    path.write_bytes(path.read_bytes() + b"\n")
    done = verified(call)
    assert done.code == 1
    assert re.fullmatch(r"data: \S+/xx-ud-test.conllu of UD_Small has changed since the run\n", done.text)
    assert " 0 of " in done.errors


def test_another_scheme_of_the_same_name_is_told(call: Call, run: Run) -> None:
    how = ("--alternative", "ud/own.toml", "--seeds", "1", "--iterations", "1", "--jobs", "1", "--quiet")
    assert call("run", "--test-set", "--treebank", "ud/UD_Small", *how, "--out", "run", "--force").code == 0
    assert verified(call).code == 0
    changed(run[1] / "own.toml", '"det"', '"mark"')
    done = verified(call)
    assert done.code == 1
    assert "data: the scheme scheme:ud/own.toml has changed since the run" in done.text


def test_other_versions_are_told(call: Call, run: Run) -> None:
    changed(run[0] / "config.json", r'"numpy": "[^"]*"', '"numpy": "0.1"')
    done = verified(call)
    assert done.code == 1
    assert done.text.startswith("versions: numpy 0.1 was recorded, ")


def test_missing_records_are_told(call: Call, run: Run) -> None:
    path = run[0] / "records.jsonl"
    first, rest = path.read_text().split("\n", 1)
    path.write_text(rest)
    done = verified(call, share="1")
    assert done.code == 1
    assert f"records.jsonl has no record of {json.loads(first)['key']}\n" in done.text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "nowhere", "--verify", "1"), "nowhere holds no run"),
        (("report", "run", "--verify", "1", "--seeds", "3"), "No such option '--seeds'"),
        (("report", "run", "--verify", "1", "--treebank", "demo"), "No such option '--treebank'"),
        (("report", "run", "--verify", "1", "--card", "x.md"), "writes nothing, so --card has no effect"),
        (("report", "run", "--verify", "1", "--details"), "writes nothing, so --details has no effect"),
        (("report", "run", "--card", "-", "--paper", "x"), "so --paper has no effect; leave it out"),
        (("report", "run", "--seed", "3"), "--seed is of use with --verify alone; add --verify 0.1"),
        (("report", "run", "--jobs", "1"), "--jobs is of use with --verify alone; add --verify 0.1"),
        (("report", "run", "--verify", "2"), "'--verify': 2.0 is not accepted; use a number from 0 to 1"),
        (
            ("report", "run", "--verify", "1", "--jobs", "0"),
            "--jobs 0 is not accepted; use a number from 1 to 1,000",
        ),
    ],
)
def test_wrong_usage(call: Call, run: Run, words: tuple[str, ...], said: str) -> None:
    done = call(*words)
    assert (done.code, done.output) == (2, b"")
    assert said in done.errors
    assert done.errors.count("\n") == 1


def test_a_treebank_that_is_gone_and_an_unfinished_run(call: Call, run: Run) -> None:
    shutil.rmtree(run[1])
    done = verified(call)
    assert done.code == 2
    assert "UD_Small" in done.errors
    left_unfinished(run[0])
    assert "run holds an unfinished run" in verified(call).errors
