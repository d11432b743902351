"""The pages that explain names name all of them: commands, columns, fields, public names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_reference
import hooks
import pytest
from explained import DOCS, NUMBERS, in_first_cells, names_in_code, parts_of_report
from finished_runs import write_run
from small_treebanks import small_treebank

import learnability
from learnability import cli
from learnability.evidence.all_parsers import ALL_PARSERS
from learnability.evidence.columns import LONG, SCORES, SHOWN, STATISTICS
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.studies.predict.predictions import PREDICTIONS
from learnability.support.plugins import Extension, extensions, import_object

EXTENDING = (DOCS / "extending.md").read_text(encoding="utf-8")


def with_fields(text: str) -> set[str]:
    names = names_in_code(text)
    for module, name in re.findall(r"^::: (\S+)\.(\w+)$", text, re.MULTILINE):
        docstring = import_object(f"{module}:{name}").__doc__
        attributes = re.findall(r"^ {8}(\w[\w, ]*):", docstring.partition("Attributes:")[2], re.MULTILINE)
        names.update(*(each.split(", ") for each in attributes))
    return names


RECORDS, CONFIG = (
    with_fields(EXTENDING.partition(f"## {name}")[2].partition("\n## ")[0])
    for name in ("Records of a run", "config.json")
)

EXPLAINED = names_in_code(NUMBERS)


def test_the_command_reference_is_what_the_commands_declare() -> None:
    assert command_reference.PAGE.read_text(encoding="utf-8") == command_reference.page(), (
        "out of date: python docs/scripts/command_reference.py"
    )


EVERYWHERE = {"--help", "-h"}
"""The options that every command has; they stand once, at the top of the page."""


def test_the_command_reference_of_the_site_has_every_option() -> None:
    page = hooks.with_reference("commands.md", "")
    assert all(f"`{option}`" in page.partition("\n## ")[0] for option in EVERYWHERE)
    brought = {name for extension in extensions() for name in command_reference.commands_of(extension)}
    added = set().union(*(set().union(*command_reference.options_of(each).values()) for each in extensions()))
    for name in cli.command_names():
        if name in brought:
            continue
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        command = cli.cli.get_command(None, name)
        declared = [p for p in command.params if p.param_type_name == "option" and p.name not in added]
        options = {name for option in declared for name in option.opts}
        assert options, name
        assert [option for option in sorted(options - EVERYWHERE) if f"`{option}`" not in section] == []


WITH_PAGE = [each for each in extensions() if command_reference.extension_path(each).exists()]


@pytest.mark.parametrize("extension", WITH_PAGE, ids=lambda extension: extension.name)
def test_a_command_of_an_extension_stands_once(extension: Extension) -> None:
    names = command_reference.commands_of(extension)
    headings = re.findall(r"^## (.+)$", command_reference.page_of(extension), re.MULTILINE)
    assert [name for name in names if headings.count(name) != 1] == []
    assert len({*names}) == len(names)


def test_pages_without_commands_stay_as_they_are_in_the_site() -> None:
    assert hooks.with_reference("tutorial.md", "text") == "text"
    doubts = hooks.with_reference("extensions/doubts.md", "")
    assert doubts.startswith("# ")
    assert "\n| `--apply` FILE" in doubts


def test_every_column_is_explained() -> None:
    assert [column.name for column in STATISTICS if column.statistic not in EXPLAINED] == []
    assert [column.name for column in STATISTICS if column.basis not in {*EXPLAINED, ""}] == []


def test_every_column_of_compare_is_explained(tmp_path: Path) -> None:
    languages = ("Italian", "Spanish", "French", "Portuguese", "Romanian")  # a mean needs five
    deltas = {(f"UD_{name}", "case"): (number % 3, number % 3 + 1) for number, name in enumerate(languages)}
    evidence = combine_runs([read_run(write_run(tmp_path / "run", seed_deltas=deltas))])
    section = NUMBERS.partition("## The files of compare")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {*evidence.means()[0]}


def test_every_column_of_the_panel_is_explained() -> None:
    section = NUMBERS.partition("## parsers.csv")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {column.name for column in ALL_PARSERS}


def test_every_column_of_predictions_is_explained() -> None:
    section = NUMBERS.partition("## predictions.csv")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {column.name for column in PREDICTIONS}


def test_no_column_is_explained_that_does_not_exist() -> None:
    results, scores = (
        in_first_cells(NUMBERS.partition(f"\n## {name}\n")[2].partition("\n## ")[0])
        for name in ("results.csv", "scores.csv")
    )
    assert results == {*SHOWN}
    named = {name for own in LONG for name in (own.basis, own.statistic) if name}
    assert scores == {*(column.name for column in SCORES), *named}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    small = str(small_treebank(folder, train=20))
    rules = "--transform case --transform det"
    commands = {
        "all": f"run {rules} --iterations 1 --folds 3 --most-seeds 2",
        "labelled": f"run --test-set {rules} --iterations 1 --labelled",
        "against": f"run --test-set {rules} --iterations 1 --labelled --against cop",
    }
    for name, words in commands.items():
        where = ["--treebank", small, "--out", str(folder / name), "--jobs", "1", "--quiet"]
        assert cli.run([*words.split(), "--seeds", "1", *where]) == 0
    return folder


def records(run: Path) -> Iterator[dict[str, Any]]:
    for name in ("all", "labelled", "against"):
        for line in (run / name / "records.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def fields_of(value: Any, plain: set[str]) -> Iterator[str]:
    for name, inner in value.items():
        yield name
        if isinstance(inner, dict) and not (name in plain and "iterations" not in inner):
            yield from fields_of(inner, plain)


def test_every_field_of_the_records_is_explained(run: Path) -> None:
    plain = {"correct", "relations", "error_split", "examples", "skipped", "survival"}
    found = {name for record in records(run) for name in fields_of(record, plain)}
    assert len(found) > 50
    assert sorted(found - EXPLAINED - RECORDS) == []


@pytest.mark.parametrize("folder", ["all", "against"])
def test_config_json_is_explained(run: Path, folder: str) -> None:
    content = json.loads((run / folder / "config.json").read_text(encoding="utf-8"))
    assert sorted(set(content) - CONFIG) == []


@pytest.mark.parametrize("folder", ["all", "against"])
def test_every_part_of_the_report_is_explained(run: Path, folder: str) -> None:
    page = (run / folder / "report.html").read_text(encoding="utf-8")
    parts = parts_of_report(page)
    assert len(parts) > 8
    section = NUMBERS.partition("## The report")[2].partition("\n## ")[0].replace("*", "")
    assert [part for part in parts if part not in section] == []


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    named = re.findall(r"^::: learnability\.(\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted(learnability.__all__)


def test_every_setting_of_the_package_is_explained() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(learnability.__file__).parent.rglob("*.py")]
    settings = {
        name for text in sources for name in re.findall(r'^    SETTING\b[^=\n]*= "([^"]+)"', text, re.M)
    }
    assert len(settings) > 15
    rows = re.findall(r"^\| (`.+?) \|", EXTENDING.partition("| setting | ")[2].partition("\n\n")[0], re.M)
    assert settings - {name for row in rows for name in re.findall(r"`([^`]+)`", row)} == set()
