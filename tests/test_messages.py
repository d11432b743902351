"""Errors name parameters as Python has them; the command line says them as options."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import learnability
from learnability import InputError, cli
from learnability.commands.messages import message_for, with_options
from learnability.comparing.options import TreebankSelection

PACKAGE = Path(learnability.__file__).parent
ERRORS = {"InputError", "RunError", "explained", "fail"}
"""Functions that are given messages of errors."""
OF_USERS_AT_TERMINALS = {"option", "same", "Declaration", "print_line", "print_section", "Section"}
"""Functions that are given what is typed, or shown on a terminal."""
COMMAND_TO_TYPE = "_again"
"""The function that says how a run of another version is made again: a whole command."""


def modules() -> list[Path]:
    """The modules of the package but those of the command line."""
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "cli.py" and PACKAGE / "commands" not in path.parents
    ]


def strings(node: ast.AST) -> Iterator[str]:
    """The strings below a node, without docstrings, what is no message of an error, and whole commands."""
    for child in ast.iter_child_nodes(node):
        called = getattr(child, "func", None)
        name = getattr(called, "id", getattr(called, "attr", ""))
        if name in OF_USERS_AT_TERMINALS or getattr(child, "name", "") == COMMAND_TO_TYPE:
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield re.sub(r"`learnability [^`]*`", "", child.value)
        yield from strings(child)


def errors_in(tree: ast.AST) -> Iterator[ast.AST]:
    """What is called to make an error, and the functions around it: a message may be put together before."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name != COMMAND_TO_TYPE:
            calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
            if any(getattr(call, "id", getattr(call, "attr", "")) in ERRORS for call in calls):
                yield function


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_error_names_an_option(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {text for part in errors_in(tree) for text in strings(part)}
    found = [text for text in texts if re.search(r"(?<![\w-])--(?:[a-z]|$)", text)]
    assert not found


def test_what_is_looked_for_is_found() -> None:
    source = 'def f(x):\n    "--doc"\n    what = f"give --out {x}"\n    raise InputError(what)\n'
    assert [text for part in errors_in(ast.parse(source)) for text in strings(part)] == ["give --out "]


@pytest.mark.parametrize(
    ("command", "message", "said"),
    [
        (
            "run",
            "`cross_validate=2` is too low; use 3 or more",
            "--cross-validate 2 is too low; use 3 or more",
        ),
        ("run", "use `splits='cut'`", "use --splits cut"),
        ("run", "`resume=True`, or another `out`", "--resume, or another --out"),
        ("run", "leave out `judges` or `schemes`", "leave out --judge or --scheme"),
        (
            "run",
            "`labels='kept'` is not accepted; use external or keep",
            "--labelled kept is not accepted; use external or keep",
        ),
        (
            "train",
            "`labels='kept'` is not accepted; use external or keep",
            "--labels kept is not accepted; use external or keep",
        ),
        ("run", "`alternative=''`: use a name", "--alternative '': use a name"),
        ("run", "use `transforms='case:lemma=of|to'`", "use --transform 'case:lemma=of|to'"),
        ("joint", "finish it with `resume=True` first", "finish it with --resume first"),
        ("run", "all are kept; continue with `resume=True`", "all are kept; continue with --resume"),
        (
            "settle",
            "all are kept; continue with `resume=True`",
            "all are kept; continue with the same command",
        ),
        ("oracles", "choose another of `systems`", "choose another of --system"),
        ("run", "`threshold=nan`: no number", "--threshold nan: no number"),
        ("run", "`learnability transform --sites` lists", "`learnability transform --sites` lists"),
    ],
)
def test_parameters_are_said_as_options(command: str, message: str, said: str) -> None:
    assert with_options(message, cli.cli.get_command(None, command)) == said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run", "no test set; use --cross-validate 10, --splits cut, or --train, --dev and --test files"),
        ("search", "no test set; use --splits cut, or --train, --dev and --test files"),
        ("history", "no test set; use --cross-validate 10"),
        ("settle", "no test set; use another treebank"),
    ],
)
def test_only_ways_that_the_command_has(command: str, said: str) -> None:
    ways = ["`cross_validate=10`", "`splits='cut'`", "`train`, `dev` and `test` files"]
    error = InputError("no test set", ways)
    assert str(error) == f"no test set; use {ways[0]}, {ways[1]}, or {ways[2]}"
    assert message_for(error, cli.cli.get_command(None, command)) == said
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.ways) == (str(error), error.ways)


def test_the_same_error_in_both_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as caught:
        TreebankSelection().files()
    assert str(caught.value) == "no treebank is named; use `treebank`, or `train`, `dev` and `test` files"
    assert cli.run(["run"]) == 2
    line = "learnability: no treebank is named; use --treebank, or --train, --dev and --test files\n"
    assert capsys.readouterr().err == line
