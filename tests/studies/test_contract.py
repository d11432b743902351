"""What every study keeps, declared here or in an extension: a new one is tried without a line of its own.

Each is carried out as the example of its declaration says, on a small treebank: the same command gives the
same bytes, in several processes and after an interruption too; asked again it trains nothing; and `report`
writes the same files from the records.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path

import pytest
from recorded_run import VOLATILE
from small_treebanks import small_treebank

from learnability import cli
from learnability.running import engine
from learnability.running.config import as_json_bytes
from learnability.running.engine import AnyCell, Outlook, Workload
from learnability.running.folder import CONFIG
from learnability.running.records import Record, Records
from learnability.studies.declaration import Declaration
from learnability.studies.registry import known_studies

FAST = {
    "seeds": "--seeds 1",
    "iterations": "--iterations 1",
    "folds": "--folds 3",
    "most_seeds": "--most-seeds 2",
}
"""How options are set, where the command of a study has them."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contract")
    for number, name in enumerate(("UD_Irish-IDT", "UD_Tamil-TTB"), start=1):
        small_treebank(folder / "ud-treebanks-v2.16", name, first=40 * number, train=30, dev=8, test=12)
    for release, first in (("2.4", 0), ("2.16", 3)):
        named = small_treebank(
            folder / f"ud-treebanks-v{release}", "UD_Greek-GDT", first=first, train=30, dev=8, test=12
        )
        changed = named / "xx-ud-train.conllu"
        if first:
            changed.write_text(changed.read_text(encoding="utf-8").replace("\tamod\t", "\tnmod\t"), "utf-8")
    return folder


def started(*words: object) -> None:
    assert cli.run([*map(str, words), "--quiet"]) == 0, shlex.join(map(str, words))


OF_RUN = {
    "predict": "run --quick --treebank demo --transform case --transform det",
    "run": "run --test-set --treebank demo --transform case --transform det",
    "settle": "run --treebank demo --transform case --transform det --most-seeds 2 --folds 3",
}
"""The commands of studies that are a part of `run`; options of run ask for others (`run_option`)."""


def options_of(command: str) -> set[str]:
    return {name for parameter in cli.cli.get_command(None, command).params for name in parameter.opts}


def flags_of(command: str) -> set[str]:
    parameters = cli.cli.get_command(None, command).params
    return {
        name for parameter in parameters if getattr(parameter, "is_flag", False) for name in parameter.opts
    }


def carry_out(declaration: Declaration, home: Path, folder: Path, *more: str) -> None:
    has_own = declaration.has_command and declaration.name not in OF_RUN
    of_run = OF_RUN.get(declaration.name, f"{OF_RUN['run']} --{declaration.name}")
    words = shlex.split(declaration.example)[1:] if has_own else shlex.split(of_run)
    taken = {"seeds", "iterations"}
    if has_own:
        taken = {*declaration.shared, *(field.name for field in fields(declaration.options))}
    for option, fast in FAST.items():
        if option in taken and fast.split()[0] not in words:
            words += fast.split()
    if has_own and "--cross-validate" in options_of(words[0]):
        words += ["--cross-validate", "3"]
    if has_own and "--train" in flags_of(words[0]):  # what it does without is no study
        words.append("--train")
    if "--treebank" not in words:  # names stand alone
        places = (home / release / "UD_Greek-GDT" for release in ("ud-treebanks-v2.4", "ud-treebanks-v2.16"))
        words = [str(next(places)) if word.startswith("UD_") else word for word in words]
    elif "--releases" in words:
        named = words.index("--treebank") + 1
        words[named:named] = ["UD_Greek-GDT", "--ud-home", str(home)]
        del words[named + 3]
    else:
        words[words.index("--treebank") + 1] = str(home / "ud-treebanks-v2.16" / "UD_Greek-GDT")
        if has_own and "--source" in options_of(words[0]):  # others are learned from
            words += ["--ud-home", str(home)]
    started(*words, "--out", folder, *more)


def interrupt(folder: Path, name: str, records: list[bytes]) -> None:
    """Make a run one in which a study was killed when so much was recorded; the last line may be torn."""
    config = json.loads((folder / CONFIG).read_bytes())
    for file in config["finished"].pop(name):
        (folder / file).unlink(missing_ok=True)
    (folder / CONFIG).write_bytes(as_json_bytes(config))
    (folder / "records.jsonl").write_bytes(b"".join(records))


def files_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.name == "records.jsonl":
            records = [json.loads(line) for line in path.read_bytes().splitlines()]
            found[name] = {record["key"]: without_times(record) for record in records}
        elif path.is_file() and path.name not in (CONFIG, ".lock", ".written"):
            found[name] = path.read_bytes()
    return found


def count_records(folder: Path) -> int:
    return (folder / "records.jsonl").read_bytes().count(b"\n")


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name not in VOLATILE}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


class Watched(Outlook):
    """Notes what is computed although it was not ahead."""

    def __init__(self, workload: Workload, records: Records, failed: Collection[Record]) -> None:
        super().__init__(workload, records, failed)
        self.unforeseen: list[str] = []

    def note(self, cell: AnyCell) -> None:
        if self.to_do is not None and cell.key not in self.to_do:
            self.unforeseen.append(cell.key)
        super().note(cell)


def watch_outlooks(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """Return what runs will know of what is ahead, which they then look up after every record."""
    made: list[Watched] = []

    def make(workload: Workload, records: Records, failed: Collection[Record]) -> Watched:
        made.append(Watched(workload, records, failed))
        return made[-1]

    monkeypatch.setattr(engine, "Outlook", make)
    monkeypatch.setattr(engine, "LOOK_AHEAD_EVERY", 0.0)
    return made


def is_asked(declaration: Declaration) -> bool:
    return declaration.has_command or bool(declaration.run_option) or declaration.name in OF_RUN


@pytest.mark.parametrize("name", [name for name, known in known_studies().items() if is_asked(known)])
def test_the_contract_of_a_study(
    name: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declaration, folder = known_studies()[name], tmp_path / "run"
    outlooks = watch_outlooks(monkeypatch)
    carry_out(declaration, home, folder, "--jobs", "1")
    assert outlooks
    for outlook in outlooks:
        assert outlook.unforeseen == []
        assert not outlook.to_do, "progress ends with the work"
    expected = files_of(folder)
    records = (folder / "records.jsonl").read_bytes()
    lines = records.splitlines(keepends=True)
    assert len(lines) > 1

    carry_out(declaration, home, folder, "--jobs", "1", "--resume")
    assert (folder / "records.jsonl").read_bytes() == records
    assert files_of(folder) == expected

    started("report", folder)
    assert files_of(folder) == expected

    half = len(lines) // 2
    interrupt(folder, name, [*lines[:half], lines[half][:20]])
    carry_out(declaration, home, folder, "--jobs", "2", "--resume")
    assert files_of(folder) == expected
    assert count_records(folder) == len(lines), "nothing is computed twice"
