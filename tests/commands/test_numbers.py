"""Every number that a user chooses has a range, which is checked at once: at the terminal and in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

import click
import pytest
from invoking import Call

from learnability import InputError, cli, derivation_perplexity, get_transformation, load_folds, reference_set
from learnability.cli import command_names
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.parsers.command import read_parser
from learnability.parsing.parser import train_parser
from learnability.parsing.parser_options import ParserOptions
from learnability.running.workforce import Workforce
from learnability.studies.registry import known_studies
from learnability.support.options import check_values
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

LONG = "9" * 5000

HOSTILE = ("nan", "inf", "-inf", "-1", "1e400", "-0.5", "20000000000", LONG, "", "1_0_", "٣x")
"""Texts that are no number, or one out of every range; 0 is out of some."""

STRINGS = {
    "jobs": (
        "0",
        "-1",
        "nan",
        "inf",
        "1.5",
        "20000000000",
        LONG,
        "local:0",
        "local:20000000000",
        "local:nan",
    ),
    "splits": ("0:0:0", "nan:1:1", "-1:1:1", "1:1:inf", f"1:1:{LONG}", "1:1", "1e9:1:1", "20000000:1:1"),
    "budget": ("0s", "-1s", "nans", "infs", "1e400h", "1e300h", f"{LONG}s", "10", "s", ""),
    "releases": ("nan..inf", "0..-1", "2..3", f"2.4..{LONG}", "2.4..2.99999", "2.4,nan", ".."),
    "iterations": ("0", "-1", "nan", "inf", "1.5", "20000000000", LONG, ""),
    "parsers": ("arc-eager:beam=20000000", "graph:beam=nan", "arc-eager:k=-1", f"graph:{LONG}"),
}
"""Options whose values are strings with numbers in them, and values that they refuse."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "run": ("--treebank", "demo", "--transform", "case", "--dry-run"),
    "combinations": ("--treebank", "demo", "--dry-run"),
    "history": ("--treebank", "UD_Nowhere", "--dry-run"),
    "doubts": ("--treebank", "demo", "--dry-run"),
    "report": ("nowhere",),
    "show": ("--treebank", "demo", "--transform", "case"),
    "references": ("--transform", "case", "-"),
    "measure": ("--treebank", "demo"),
    "train": ("nowhere.conllu", "-m", "nowhere.model"),
}
"""What each command needs besides the option, so that it would begin to work if the option were accepted."""


def numeric(parameter: click.Parameter) -> bool:
    kinds = (click.types.IntParamType, click.types.FloatParamType)
    return isinstance(parameter, click.Option) and isinstance(parameter.type, kinds)


def options_of_commands() -> Iterator[tuple[str, click.Option]]:
    for name in command_names():
        for parameter in cli.cli.get_command(None, name).params:
            if isinstance(parameter, click.Option):
                yield name, parameter


def command_with(name: str, option: click.Option, value: str) -> tuple[str, ...]:
    others = REQUIRED.get(name, ())
    return (name, *others, max(option.opts, key=len), value)


NUMBERS = [(name, option) for name, option in options_of_commands() if numeric(option)]
TEXTS = [(name, option) for name, option in options_of_commands() if option.name in STRINGS]


def test_every_numeric_option_has_a_range() -> None:
    without = [
        f"{name} {option.opts[0]}"
        for name, option in NUMBERS
        if getattr(option.type, "min", None) is None or getattr(option.type, "max", None) is None
    ]
    assert without == []
    assert {option.name for _, option in NUMBERS} >= {
        *("seeds", "cross_validate", "folds", "most_seeds", "k", "p", "seed"),
        *("most", "max_options"),
    }


@pytest.mark.parametrize(("name", "option"), NUMBERS, ids=[f"{n}-{o.name}" for n, o in NUMBERS])
def test_a_number_out_of_range_is_one_line(name: str, option: click.Option, call: Call) -> None:
    low, high = option.type.min, option.type.max  # type: ignore[attr-defined]
    for value in (*HOSTILE, str(low - 1), str(high + 1), str(high * 1000)):
        done = call(*command_with(name, option, value))
        assert (done.code, done.output) == (2, b""), value
        assert done.errors.count("\n") == 1, value
        assert len(done.errors) < 250, value
        # where the value may be left out, what begins with a hyphen is the next option
        if option._flag_needs_value and value.startswith("-"):
            assert "No such option" in done.errors, value
            continue
        assert f"'{max(option.opts, key=len)}'" in done.errors, value
        assert "is not accepted; use a number from" in done.errors, value


@pytest.mark.parametrize(("name", "option"), TEXTS, ids=[f"{n}-{o.name}" for n, o in TEXTS])
def test_a_number_in_a_text_is_checked(name: str, option: click.Option, call: Call) -> None:
    assert option.name is not None
    for value in STRINGS[option.name]:
        done = call(*command_with(name, option, value))
        assert (done.code, done.output) == (2, b""), value
        assert done.errors.count("\n") == 1, value
        assert len(done.errors) < 600, value
        assert not re.search("internal error|nowhere", done.errors), value


KINDS = {
    *(DataOptions, ExperimentOptions, ParserOptions),
    *(declaration.options for declaration in known_studies().values()),
}
"""The dataclasses of options."""

IN_PYTHON: tuple[Any, ...] = (math.nan, math.inf, -math.inf, -1, 10**12, 10**5000, "3", "", [], object())
"""Values that no numeric option accepts in Python."""


def is_number(declared: Field[Any]) -> bool:
    return bool(declared.metadata) and re.search(r"\b(int|float)\b", str(declared.type)) is not None


PARAMETERS = sorted(
    ((kind, declared.name) for kind in KINDS for declared in fields(kind) if is_number(declared)),
    key=lambda pair: (pair[0].__name__, pair[1]),
)


@pytest.mark.parametrize(("kind", "name"), PARAMETERS, ids=[f"{k.__name__}-{n}" for k, n in PARAMETERS])
def test_a_number_out_of_range_is_refused_in_python(kind: type[Any], name: str) -> None:
    usual = kind(alternatives=()) if kind is ExperimentOptions else kind()
    check_values(usual)
    (declared,) = (declared for declared in fields(kind) if declared.name == name)
    assert {"least", "most"} <= set(declared.metadata)
    whole = re.search(r"\bint\b", str(declared.type)) is not None
    assert isinstance(declared.metadata["least"], int) == whole
    for value in (*IN_PYTHON, *([2.5, True] if whole else [])):
        if value == declared.default:
            continue
        with pytest.raises(InputError) as caught:
            check_values(replace(usual, **{name: value}))
        assert f"`{name}=" in str(caught.value)
        assert "is not accepted; use a number from" in str(caught.value)
        assert len(str(caught.value)) < 250


SMALL = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))


@pytest.mark.parametrize(
    "function",
    [
        lambda number: train_parser([SMALL], ParserOptions(p=number)),
        lambda number: train_parser([SMALL], ParserOptions(k=number)),
        lambda number: train_parser([SMALL], ParserOptions(seed=number)),
        lambda number: load_folds(locate_treebank("demo"), cross_validate=number),
        lambda number: reference_set(SMALL, get_transformation("det"), max_options=number),
        lambda number: next(reference_set(SMALL, get_transformation("det")).enumerate(number)),
        lambda number: derivation_perplexity([SMALL], [SMALL], unknown_below=number),
        lambda number: Workforce.from_jobs(number),
        lambda number: ExperimentOptions((), seeds=number).check(),
        lambda number: ExperimentOptions((), data=DataOptions(cross_validate=number)).check(),
    ],
)
@pytest.mark.parametrize("number", [math.nan, -1, math.inf, "many"])
def test_functions_refuse_numbers_out_of_range(function: Callable[[Any], object], number: Any) -> None:
    with pytest.raises(
        InputError, match=r"^`\w+=.*` is not accepted; use (at least|a number from) \d[^\n]*$"
    ):
        function(number)


def test_a_file_has_no_number_out_of_range(tmp_path: Path) -> None:
    commands = 'train = ["true", "{train}", "{model}"]\nparse = ["true", "{model}", "{input}"]\n'
    for key in ("threads", "seconds", "seed_ratio", "time_limit"):
        for value in ("nan", "inf", "-inf", "-1", "0", "1e300", "99999999999"):
            path = tmp_path / "parser.toml"
            path.write_text(f"{commands}{key} = {value}\n", encoding="utf-8")
            with pytest.raises(
                InputError, match=rf"parser\.toml:3: {key} is .*; use a number above 0, up to"
            ):
                read_parser(str(path))
