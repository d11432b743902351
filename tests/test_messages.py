"""Errors name parameters as Python has them; the command line says them as options."""

from __future__ import annotations

import ast
import pickle
import re

import pytest
from error_texts import error_strings, errors_in, modules, strings

from learnability import InputError, cli
from learnability.commands.messages import OF_RUNS, message_for, with_options
from learnability.comparing.options import TreebankSelection


def test_no_error_names_an_option() -> None:
    texts = [(path, text) for path in modules() for text in error_strings(path)]
    assert [found for found in texts if re.search(r"(?<![\w-])--(?:[a-z]|$)", found[1])] == []


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
        ("run", "leave out `parsers` or `alternative`", "leave out --parser or --alternative"),
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
        ("run", "finish it with `resume=True` first", "finish it with --resume first"),
        ("run", "all are kept; continue with `resume=True`", "all are kept; continue with --resume"),
        (
            "compare",
            "all are kept; continue with `resume=True`",
            "all are kept; continue with the same command",
        ),
        ("run", "start a run with `parsers='arc-eager'`", "start a run with --parser arc-eager"),
        ("parse", "train it with `transforms`", "train it with --transform"),
        ("run", "`threshold=nan`: no number", "--threshold nan: no number"),
        ("run", "`learnability transform --places` lists", "`learnability transform --places` lists"),
    ],
)
def test_parameters_are_said_as_options(command: str, message: str, said: str) -> None:
    assert with_options(message, cli.cli.get_command(None, command)) == said


def test_options_of_runs_are_those_of_the_command() -> None:
    options = {parameter.name: parameter.opts for parameter in cli.cli.get_command(None, "run").params}
    for name, flag in OF_RUNS.items():
        assert flag in (options.get(name) or options[name.removesuffix("s")])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run", "no test set; use --cross-validate 10, --splits cut, or --train, --dev and --test files"),
        ("report", "no test set; use another treebank"),
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
