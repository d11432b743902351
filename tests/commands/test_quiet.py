"""`--quiet` means the same everywhere: stdout is what it is without, and stderr has errors only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability import cli
from learnability.commands.options import Execution
from learnability.support.options import facts_of_option

FAST = ("--seeds", "1", "--iterations", "1", "--jobs", "1")

Words = Callable[[Path], tuple[object, ...]]
"""The words of a command, given the folder that it works in."""

COMMANDS: dict[str, Words] = {
    "run": lambda at: (
        "run",
        "--test-set",
        "--treebank",
        at / "ud" / "UD_NoDev",
        "--transform",
        "det",
        *FAST,
        "--out",
        at / "run",
    ),
    "doubts": lambda at: (
        *(
            "doubts",
            "--treebank",
            at / "ud" / "UD_NoDev",
            "--parser",
            "arc-eager",
            "--cross-validate",
            "3",
            *FAST,
        ),
        *("--out", at / "doubts"),
    ),
    "compare": lambda at: ("compare", at / "run", "--out", at / "tables"),
    "report": lambda at: ("report", at / "run"),
    "transform": lambda at: ("transform", "--transform", "case", at / "x.conllu", "-o", at / "y.conllu"),
    "references": lambda at: ("references", "--transform", "case", "--max-options", "2", at / "x.conllu"),
    "measure": lambda at: ("measure", at / "x.conllu"),
    "train": lambda at: (
        *("train", at / "x.conllu", "-m", at / "model", "--iterations", "1", "--transform", "case"),
    ),
    "parse": lambda at: ("parse", "-m", at / "model", at / "x.conllu"),
    "diff": lambda at: ("diff", at / "x.conllu", "--transform", "det", "--out", at / "diff"),
    "evaluate": lambda at: ("evaluate", at / "x.conllu", at / "x.conllu"),
}
"""In an order in which each finds what it needs."""

ALIKE = frozenset({"combinations", "history", "transfer"})
"""Studies whose commands `commands.study` makes, as it makes that of `doubts`."""

ELSEWHERE = frozenset({"fetch", "harmonise", "warm"})
"""They need a server (`test_command_fetch`), two treebanks (`test_harmonise_files`), and minutes of compiling
(`test_warm`)."""

SAYS = COMMANDS.keys() - {"references", "parse", "evaluate"}
"""The commands that say something on stderr without `--quiet`."""


def option_of(name: str) -> click.Option | None:
    command = cli.cli.get_command(click.Context(cli.cli), name)
    found = [each for each in command.params if isinstance(each, click.Option) and each.name == "quiet"]
    return found[0] if found else None


def test_it_is_one_option_with_one_meaning() -> None:
    options = {name: option for name in cli.command_names() if (option := option_of(name))}
    assert options.keys() == (COMMANDS.keys() | ALIKE | ELSEWHERE) & {*cli.command_names()}
    (field,) = (field for field in Execution.__dataclass_fields__.values() if field.name == "quiet")
    meaning = facts_of_option(field)["help"]
    assert meaning == "Print results and errors only: no progress and no remarks."
    assert {option.help for option in options.values()} == {meaning}


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quiet")
    treebank = small_treebank(folder / "ud", "UD_NoDev", train=20, dev=6)
    (treebank / "xx-ud-dev.conllu").rename(folder / "x.conllu")
    return folder


@pytest.mark.parametrize("name", [name for name in COMMANDS if name in cli.command_names()])
def test_only_what_is_not_a_result_goes(call: Call, at: Path, name: str) -> None:
    words = COMMANDS[name](at)
    loud = call(*words)
    assert loud.code == 0, loud.errors
    assert bool(loud.errors) == (name in SAYS)
    quiet = call(*words, "--quiet")
    assert (quiet.code, quiet.errors) == (0, "")
    assert quiet.output == loud.output


def test_errors_remain(call: Call, at: Path) -> None:
    refused = call("measure", at / "missing.conllu", "--quiet")
    assert (refused.code, refused.output) == (2, b"")
    assert "missing.conllu" in refused.errors
