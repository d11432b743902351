"""Word errors for the command line, which names the options that set parameters."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval

import click

from learnability.errors import InputError

PARAMETER = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
"""A parameter in a message as in Python, maybe with its value."""


CONTINUES, SAME_COMMAND = "continue with `resume=True`", "continue with the same command"
"""How to go on, with a command that has the option `--resume`, and with one that always continues."""


OF_RUNS = {"parsers": "--parser", "labels": "--labelled", "transforms": "--transform"}
"""The options of runs that have other names than their parameters: a command may lead to another run."""


def message_for(error: Exception, command: click.Command | None) -> str:
    """Return the message of an error with options, and without ways that the command has no option for."""
    if command is None or not isinstance(error, InputError) or not error.ways:
        return with_options(str(error), command)
    names = {parameter.name for parameter in command.params}
    names |= {name for name in OF_RUNS if name.removesuffix("s") in names}

    takes_schemes = "alternative" not in names and "parsers" in names  # with neither, constructions alone

    def is_possible(way: str) -> bool:
        parameters = PARAMETER.findall(way)
        scheme = any(value.startswith("'scheme:") for _, value in parameters)
        return names.issuperset(name for name, _ in parameters) and (takes_schemes or not scheme)

    ways = list(filter(is_possible, error.ways)) or ["another treebank"]
    return with_options(str(InputError(error.problem, ways)), command)


def with_options(message: str, command: click.Command | None) -> str:
    """Return the message of an error with options instead of parameters.

    Args:
        message: a text with parameters in backticks: `` `splits='dev'` ``.
        command: the command whose options replace them. Other parameters become options of a run.

    >>> with_options("`cross_validate=2`: use 3 or more, or leave out `force=True`", None)
    '--cross-validate 2: use 3 or more, or leave out --force'
    """
    parameters = command.params if command is not None else ()
    if command is not None and all(parameter.name != "resume" for parameter in parameters):
        message = message.replace(CONTINUES, SAME_COMMAND)
    flags = {each.name: max(each.opts, key=len) for each in parameters if isinstance(each, click.Option)}

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        usual = OF_RUNS.get(name, f"--{name.replace('_', '-')}")
        flag = flags.get(name) or flags.get(name.removesuffix("s")) or usual
        return flag if value in (None, "True") else f"{flag} {_spell_value(value)}"

    return PARAMETER.sub(option, message)


def _spell_value(value: str) -> str:
    try:
        literal = literal_eval(value)
    except (ValueError, SyntaxError):
        return value
    return shlex.quote(literal) if isinstance(literal, str) else str(literal)
