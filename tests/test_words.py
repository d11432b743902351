"""One concept has one word, from identifier to file, option and column (docs/terminology.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import click
import pytest
from sources import PACKAGE, package_sources, parse_sources

from learnability import cli
from learnability.evidence.columns import STATISTICS

TERMINOLOGY = PACKAGE.parent / "docs" / "terminology.md"

FORBIDDEN = {
    "site": "place",
    "judge": "parser",
    "condition": "pair",
    "nucleus": "phrase",
    "criterion": "indicator",
    "panel": "answer",
    "survival": "preference",
}
"""Words that stand for nothing, and what stands in their place."""

ALLOWED = {
    "site": ("reports/atlas/",),  # a site of pages
    "nucleus": ("extensions/doubts/",),  # variation nuclei (Dickinson and Meurers)
    "criterion": (  # what the restriction of a rule asks of a word
        "transforms/re", "schemes/", "annotation_diffs/restricting.py", "reports/card.py",
    ),
    "panel": ("commands/", "extensions/", "cli.py", "comparing/options.py", "parsing/parser_options.py",
              "studies/stages.py", "studies/settle/", "support/"),  # a box of options in `--help`
}  # fmt: skip
"""The files in which a word has another meaning."""

PLURALS = {"nuclei": "nucleus", "criteria": "criterion"}

ALONE = ("change", "comparison", "difference", "label", "part", "place", "stage")
"""Words that could stand for several things: alone, each names at most one package or module."""


def words_of(name: str) -> list[str]:
    """The words of an identifier, in lower case and in the singular."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return [PLURALS.get(word.lower()) or re.sub(r"(?<!u)s$", "", word.lower()) for word in words]


def identifiers(module: ast.AST) -> Iterator[str]:
    """All names of a module: of what it defines, takes, calls and reads."""
    for node in ast.walk(module):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.alias():
                yield node.name
            case ast.Name():
                yield node.id
            case ast.Attribute():
                yield node.attr
            case ast.arg() | ast.keyword():
                yield node.arg or ""


def forbidden_in(sources: Mapping[str, ast.Module]) -> set[tuple[str, str]]:
    """The files with forbidden words in their names or identifiers, and these."""
    found = set()
    for relative, module in sources.items():
        for name in {*identifiers(module), *relative.removesuffix(".py").split("/")}:
            for word in FORBIDDEN.keys() & set(words_of(name)):
                if not relative.startswith(ALLOWED.get(word, ())):
                    found.add((relative, name))
    return found


def test_no_identifier_and_no_file_has_a_forbidden_word() -> None:
    assert forbidden_in(package_sources()) == set()


def rooms_by_word(files: Iterable[str]) -> dict[str, set[str]]:
    """The packages and modules that each word of `ALONE` names."""
    rooms: dict[str, set[str]] = {}
    for file in files:
        path = PurePosixPath(file).with_suffix("")
        for room in (path, *path.parents):
            (word, *others) = words_of(room.name) or [""]
            if word in ALONE and not others:
                rooms.setdefault(word, set()).add(str(room))
    return rooms


def test_a_word_that_could_stand_for_several_things_names_one_room() -> None:
    rooms = rooms_by_word(package_sources())
    assert rooms["change"] == {"annotation_diffs/changes"}
    assert {word: found for word, found in rooms.items() if len(found) > 1} == {}


def test_a_second_room_of_a_word_is_seen() -> None:
    files = ["evidence/differences.py", "differences/rules.py", "differences/words.py", "a/linked_changes.py"]
    assert rooms_by_word(files) == {"difference": {"evidence/differences", "differences"}}


def test_a_forbidden_word_is_seen(tmp_path: Path) -> None:
    (tmp_path / "judges.py").write_text("def count_sites(opposite):\n    return opposite.JudgeKind\n")
    names = {name for _, name in forbidden_in(parse_sources(tmp_path))}
    assert names == {"judges", "count_sites", "JudgeKind"}
    (tmp_path / "judges.py").write_text("find_nuclei = Nucleus(CRITERIA, criteria=1)\n")
    names = {name for _, name in forbidden_in(parse_sources(tmp_path))}
    assert names == {"judges", "find_nuclei", "Nucleus", "CRITERIA", "criteria"}
    (tmp_path / "judges.py").write_text("conditional = 1\n")
    assert {name for _, name in forbidden_in(parse_sources(tmp_path))} == {"judges"}


def test_no_column_has_a_forbidden_word_or_names_ud_as_a_side() -> None:
    columns = {statistic.name for statistic in STATISTICS}
    assert len(columns) > 100
    assert {name for name in columns if FORBIDDEN.keys() & set(words_of(name))} == set()
    assert {name for name in columns if name.endswith("_ud")} == set()


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_no_option_has_a_forbidden_word(name: str) -> None:
    command = cli.cli.get_command(click.Context(cli.cli), name)
    assert command is not None
    options = {option for parameter in command.params for option in parameter.opts}
    assert {option for option in options if FORBIDDEN.keys() & set(words_of(option))} == set()


def test_the_page_says_which_words_are_not_used() -> None:
    text = TERMINOLOGY.read_text(encoding="utf-8")
    for word, instead in FORBIDDEN.items():
        assert re.search(rf"\*{word}\* \(an? {instead}\b", text), word
