"""The names of parsers: how they are written, listed, completed, and registered by other packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from learnability import InputError, cli
from learnability.commands.completion import parsers
from learnability.parsers import registry
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import ParserKind, Setup
from learnability.parsers.transition import TransitionTrainer
from learnability.parsing.systems import SYSTEMS


@pytest.mark.parametrize(
    ("spec", "spelling"),
    [
        ("arc-eager", "arc-eager"),
        ("arc-eager:dynamic", "arc-eager"),
        ("arc-eager:oracle=explore", "arc-eager:explore"),
        (" arc-eager : rich , explore ", "arc-eager:explore,rich"),
        ("arc-standard:static", "arc-standard"),
    ],
)
def test_a_parser_has_one_spelling(spec: str, spelling: str) -> None:
    named = parser_named(spec)
    assert named.spelling == named.title == spelling
    assert parser_named(spelling) == named


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("arc-eagre", "no parser 'arc-eagre'; did you mean 'arc-eager'?"),
        ("arc-eager:exploer", "parser arc-eager: there is no value 'exploer'; did you mean 'explore'?"),
        ("arc-eager:oracel=static", "parser arc-eager: there is no option 'oracel'; did you mean 'oracle'?"),
        ("arc-eager:oracle=rich", "parser arc-eager: there is no oracle value 'rich'"),
        ("arc-eager:explore,static", "option oracle occurs twice"),
        ("arc-standard:explore", "no value 'explore'"),
        ("nowhere.toml", "nowhere.toml"),
    ],
)
def test_what_cannot_be_asked_is_told(spec: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        parser_named(spec)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_every_system_parsers_with_the_options_of_the_run() -> None:
    setup = Setup(labelled=True, tags="xpos", iterations=4, multiple_roots=True)
    for name, system in SYSTEMS.items():
        parser = parser_named(name).trainer(setup)
        assert isinstance(parser, TransitionTrainer)
        options = parser.options
        assert (options.system, options.oracle, options.features) == (name, system.default_regime, "zn11")
        assert (options.labelled, options.tags, options.iterations) == (True, "xpos", 4)
        assert options.multiple_roots
        assert parser.projective == system.projective


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    found: list[EntryPoint] = []
    others = metadata.entry_points
    monkeypatch.setattr(
        metadata, "entry_points", lambda group: found if group == registry.GROUP else others(group=group)
    )
    registry.known_parsers.cache_clear()
    yield found
    registry.known_parsers.cache_clear()


def _make(setup: Setup, options: Any) -> Any:
    raise AssertionError("not needed")


OTHER = ParserKind("other", "of another package", _make, (1.0, 2.0), modules=("no_such_module",))
NOTHING = "nothing"


def test_other_packages_register_parsers(entry_points: list[EntryPoint]) -> None:
    entry_points.append(EntryPoint("other", f"{__name__}:OTHER", registry.GROUP))
    assert parser_named("other").kind is OTHER
    with pytest.raises(InputError, match=r"parser other is not installed; run pip install no_such_module"):
        parser_named("other").trainer(Setup())


def test_a_faulty_entry_point_is_named(entry_points: list[EntryPoint]) -> None:
    entry_points.append(EntryPoint("nothing", f"{__name__}:NOTHING", registry.GROUP))
    with pytest.raises(InputError, match="not a ParserKind; fix or uninstall"):
        parser_named("other")


def test_the_list_says_what_there_is(
    capsys: pytest.CaptureFixture[str], entry_points: list[EntryPoint]
) -> None:
    known = list(registry.known_parsers())
    registry.known_parsers.cache_clear()
    entry_points.append(EntryPoint("other", f"{__name__}:OTHER", registry.GROUP))
    assert cli.run(["list", "parsers", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [*known, "other"]
    assert rows["other"]["installed"] == "no: pip install no_such_module"
    assert (rows["other"]["needs"], rows["udpipe"]["needs"]) == ("no_such_module", "ufal-udpipe>=1.3.0.1")
    assert rows["arc-standard"]["options"] == "oracle=static features=zn11|form|rich"
    assert rows["arc-eager"]["installed"] == "yes"


def test_the_list_has_the_files_of_the_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = 'train = ["a", "{train}"]\nparse = ["a", "{input}"]\n'
    Path("malt.toml").write_text(f'description = "a parser"\n{commands}')
    Path("other.toml").write_text("nothing = 1\n")
    assert cli.run(["list", "parsers", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [*registry.known_parsers(), "malt.toml"]
    assert rows["malt.toml"]["description"] == "a parser"


def test_completion(tmp_path: Path) -> None:
    def completed(typed: str) -> list[str]:
        return [item.value for item in parsers(None, None, typed)]

    assert completed("arc-e") == ["arc-eager", "arc-eager-root-first"]
    assert completed("arc-hybrid:e") == ["arc-hybrid:explore"]
