"""What every study keeps, declared here or in an extension: a new one is tried without a line of its own.

Each is carried out as the example of its declaration says, on a small treebank: the same command gives the
same bytes, in several processes and after an interruption too; asked again it trains nothing; and `report`
writes the same files from the records.
"""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from small_treebanks import small_treebank

from learnability import cli
from learnability.running.folder import CONFIG, FINISHED, as_json_bytes
from learnability.studies.declaration import Declaration
from learnability.studies.registry import STUDIES
from learnability.studies.verification import VOLATILE

FAST = {
    "seeds": "--seeds 1",
    "iterations": "--iterations 1",
    "folds": "--folds 3",
    "most_seeds": "--most-seeds 2",
}
"""How options are set, where the command of a study has them."""


@dataclass(frozen=True)
class Place:
    """The folder with treebanks in releases, and that of a finished run."""

    home: Path
    run: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("contract")
    for release, first in (("2.4", 0), ("2.16", 3)):
        named = small_treebank(folder / f"ud-treebanks-v{release}", "UD_Greek-GDT", first=first, train=30)
        changed = named / "xx-ud-train.conllu"
        if first:
            changed.write_text(changed.read_text(encoding="utf-8").replace("\tamod\t", "\tnmod\t"), "utf-8")
    run = folder / "run"
    started("run", "--treebank", folder / "ud-treebanks-v2.16" / "UD_Greek-GDT", "--out", run, "--seeds", "2",
            "--iterations", "1", "--transform", "case", "--transform", "det")  # fmt: skip
    return Place(folder, run)


def started(*words: object) -> None:
    """Run a command, which has to succeed."""
    assert cli.run([*map(str, words), "--quiet"]) == 0, shlex.join(map(str, words))


def carry_out(declaration: Declaration, place: Place, folder: Path, *more: str) -> None:
    """Carry out a study as its example says, fast and on a small treebank; in the folder of a run, if it
    builds on one."""
    words = shlex.split(declaration.example)[1:]
    taken = {field.name for field in fields(declaration.options)}
    if declaration.takes != "run":
        taken.update(declaration.shared)
    for option, fast in FAST.items():
        if option in taken and fast.split()[0] not in words:
            words += fast.split()
    if declaration.takes == "run":
        words = [str(folder) if word.startswith("runs/") else word for word in words]
        started(*words, *(word for word in more if word != "--resume"))
        return
    named = words.index("--treebank") + 1
    if "--releases" in words:
        words[named:named] = ["UD_Greek-GDT", "--ud-home", str(place.home)]
        del words[named + 3]
    else:
        words[named] = str(place.home / "ud-treebanks-v2.16" / "UD_Greek-GDT")
    started(*words, "--out", folder, *more)


def interrupt(folder: Path, name: str, records: list[bytes]) -> None:
    """Make a run one in which a study was killed when so much was recorded."""
    config = json.loads((folder / CONFIG).read_bytes())
    for file in config[FINISHED].pop(name):
        (folder / file).unlink(missing_ok=True)
    if not config[FINISHED]:
        del config[FINISHED]
    (folder / CONFIG).write_bytes(as_json_bytes(config))
    (folder / "records.jsonl").write_bytes(b"".join(records))


def files_of(folder: Path) -> dict[str, object]:
    """The files of a run; records without times and without the process that made them."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.name == "records.jsonl":
            records = [json.loads(line) for line in path.read_bytes().splitlines()]
            found[name] = {record["key"]: without_times(record) for record in records}
        elif path.is_file() and path.name not in (CONFIG, ".lock", ".written"):
            found[name] = path.read_bytes()
    return found


def without_times(value: object) -> object:
    """A JSON value without what two runs of one command differ in."""
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name not in VOLATILE}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "run"])
def test_the_contract_of_a_study(name: str, place: Place, tmp_path: Path) -> None:
    declaration, folder = STUDIES[name], tmp_path / "run"
    before = 0
    if declaration.takes == "run":
        shutil.copytree(place.run, folder)
        before = (folder / "records.jsonl").read_bytes().count(b"\n")
    carry_out(declaration, place, folder, "--jobs", "1")
    expected = files_of(folder)
    records = (folder / "records.jsonl").read_bytes()
    lines = records.splitlines(keepends=True)
    assert len(lines) > before + 1

    carry_out(declaration, place, folder, "--jobs", "1", "--resume")
    assert (folder / "records.jsonl").read_bytes() == records
    assert files_of(folder) == expected

    started("report", folder)
    assert files_of(folder) == expected

    interrupt(folder, name, lines[: before + (len(lines) - before) // 2])
    carry_out(declaration, place, folder, "--jobs", "2", "--resume")
    assert files_of(folder) == expected
