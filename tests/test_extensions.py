"""Extensions are found through entry points, and what they bring has its place beside what the core has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from invoking import Call

from learnability import InputError
from learnability.cli import command_names
from learnability.studies import registry
from learnability.studies.declaration import Declaration
from learnability.support import plugins
from learnability.support.headings import ListedCommand
from learnability.support.plugins import GROUP, Extension, extensions

STUDY = Declaration(
    name="ponder",
    study="learnability.studies.main.study:MainStudy",
    works_on="treebank",
    summary="Ponder a treebank.",
    help="Ponder.",
    example="learnability ponder --treebank demo",
)
OF_RUN = Declaration(
    name="wander", study="learnability.studies.main.study:MainStudy", run_option="Also wander."
)
KEPT = Declaration(name="wondered", study="learnability.studies.main.study:MainStudy")
AGAIN = Declaration(name="run", study="learnability.studies.main.study:MainStudy")


@click.command("wonder", help="Wonder aloud.")
def wonder() -> None:
    click.echo("why?")


HERE = __name__
BRINGS = Extension(
    name="brings",
    studies=(f"{HERE}:STUDY",),
    commands={"wonder": ListedCommand(summary="Wonder aloud.", command=f"{HERE}:wonder")},
)
QUIET = Extension(name="quiet", studies=(f"{HERE}:OF_RUN", f"{HERE}:KEPT"))
TWICE = Extension(name="twice", studies=(f"{HERE}:AGAIN",))
SHADOW = Extension(name="shadow", commands={"transform": ListedCommand(command=f"{HERE}:wonder")})
OWN = Extension(
    name="own", studies=(f"{HERE}:STUDY",), commands={"ponder": ListedCommand(command=f"{HERE}:wonder")}
)
CLAIMS = Extension(name="claims", commands={"ponder": ListedCommand(command=f"{HERE}:wonder")})
BROKEN = Extension(name="broken", studies=(f"{HERE}:nowhere",))
NO_EXTENSION = "nothing"


def forget() -> None:
    extensions.cache_clear()
    registry.known_studies.cache_clear()


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The entry points of extensions: none but those that a test adds."""
    found: list[EntryPoint] = []
    monkeypatch.setattr(metadata, "entry_points", lambda group: found if group == GROUP else [])
    forget()
    yield found
    forget()


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def test_an_extension_brings_studies_and_commands(points: list[EntryPoint], call: Call) -> None:
    points.append(point("brings", f"{HERE}:BRINGS"))
    assert registry.find_declaration("ponder") is STUDY
    assert call("wonder").text == "why?\n"
    listed = call("--help-all").text
    assert "Ponder a treebank." in listed
    assert "Wonder aloud." in listed
    assert "--treebank" in call("ponder", "--help").text


def test_a_study_may_be_an_option_of_run_or_only_read(points: list[EntryPoint], call: Call) -> None:
    points.append(point("quiet", f"{HERE}:QUIET"))
    assert [study.name for study in registry.studies_of_run()] == ["wander"]
    assert registry.find_declaration("wondered") is KEPT
    assert registry.studies_with_command().keys() == {"run"}
    listed = call("--help-all").text
    assert "wander" not in listed
    assert "wondered" not in listed
    assert "there is no command 'wondered'" in call("wondered").errors


def test_an_extension_brings_the_command_of_its_own_study_only(points: list[EntryPoint], call: Call) -> None:
    points.append(point("own", f"{HERE}:OWN"))
    assert call("ponder").text == "why?\n"
    assert command_names().count("ponder") == 1
    points[:] = [point("brings", f"{HERE}:BRINGS"), point("claims", f"{HERE}:CLAIMS")]
    forget()
    assert "two commands are called ponder" in call("list", "parsers").errors


def test_without_extensions_there_are_the_studies_of_the_core(points: list[EntryPoint], call: Call) -> None:
    assert registry.known_studies() == registry.STUDIES
    assert "ponder" not in call("--help-all").text
    with pytest.raises(InputError, match="the study 'ponder' is unknown; upgrade learnability, install"):
        registry.find_declaration("ponder")


def test_an_extension_without_its_folder_is_left_out(
    points: list[EntryPoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where compiled files are left of it."""
    points.append(point("gone", "learnability.extensions.gone:EXTENSION"))
    (tmp_path / "emptied_extension" / "__pycache__").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    points.append(point("emptied", "emptied_extension:EXTENSION"))
    assert extensions() == ()


def test_an_extension_that_needs_what_is_missing_is_named(
    points: list[EntryPoint], call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy_extension.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    points.append(point("needy", "needy_extension:EXTENSION"))
    done = call("list", "systems")
    assert done.code == 2
    assert "entry point needy = needy_extension:EXTENSION of learnability.extensions cannot be" in done.errors
    assert "No module named 'no_such_module'" in done.errors
    sys.modules.pop("needy_extension", None)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("TWICE", f"{HERE}:AGAIN of the extension twice has a name that exists already"),
        ("SHADOW", "two commands are called transform; uninstall the extension of one of them"),
        ("BROKEN", f"{HERE}:nowhere of the extension broken cannot be loaded"),
        ("NO_EXTENSION", "is not an extension; fix or uninstall the package"),
    ],
)
def test_a_faulty_extension_is_named(points: list[EntryPoint], call: Call, name: str, said: str) -> None:
    points.append(point(name.lower(), f"{HERE}:{name}"))
    done = call("list", "systems")
    assert done.code == 2
    assert said in done.errors
    assert len(done.errors.splitlines()) == 1


def test_the_installed_extensions_are_those_of_the_package() -> None:
    """The folders that declare an extension are those that the entry points name."""
    package = Path(plugins.__file__).parents[1]
    declaring = {
        path.parent.name
        for path in package.rglob("__init__.py")
        if "\nEXTENSION = Extension(" in path.read_text(encoding="utf-8")
    }
    assert {extension.name for extension in extensions()} == declaring
