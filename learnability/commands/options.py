"""Make click options from the fields of dataclasses (`support.options`), and define those of all commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from learnability.commands import completion
from learnability.commands.messages import with_options
from learnability.errors import InputError
from learnability.support.options import check_number, facts_of_option, option, shorten_value

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from learnability.running.workforce import Workforce

Function = TypeVar("Function", bound=Callable[..., Any])
T = TypeVar("T", bound="DataclassInstance")


@dataclass(frozen=True)
class Execution:
    """Hold where and how to compute, and what to print."""

    PANEL: ClassVar[str] = "Execution and output"

    jobs: str | None = option(
        None, "Number of processes (default: one per processor), or a dask cluster: tcp://HOST:PORT of "
            "its scheduler, or local:N.", metavar="N|ADDRESS",
    )  # fmt: skip
    resume: bool = option(False, "Continue an unfinished run in the folder, or add seeds to a finished one.")
    force: bool = option(False, "Start anew, and replace the run in the folder.")
    dry_run: bool = option(False, "Show the plan and how long it takes, and train nothing.")
    as_json: bool = option(False, "Print JSON instead of a table.", flags=("--json",))
    details: bool = option(False, "Also print all other comparisons.")
    explain: bool = option(False, "Also print how to read each table.")
    quiet: bool = option(False, "Print results and errors only: no progress and no remarks.")

    def workforce(self) -> Workforce:
        """Return the processes or the cluster; InputError for options that contradict each other."""
        from learnability.running.workforce import Workforce

        if self.resume and self.force:
            raise InputError("--resume continues the run and --force starts anew; choose one of the two")
        return Workforce.from_jobs(self.jobs)

    def folder(self, out: str | None, name: str, arguments: Mapping[str, Any]) -> Path:
        """Return the folder of a run: `out`, or by default `name` in ``runs``.

        If a run with other arguments is there already, the name gets a number.
        """
        from learnability.running.folder import free_folder

        return Path(out) if out else free_folder(Path("runs") / name, arguments, resume=self.resume)


SHOWN_OF_EXECUTION = ("jobs", "resume", "force", "dry_run", "as_json", "explain", "quiet")
"""The options of `Execution` that commands have which train on treebanks."""


def options(kind: type[Any], *names: str, **changes: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds options for fields of a dataclass, all or those with these names.

    `changes` replace facts of the options. Help shows them in the panel that the dataclass names. The command
    gets the values by the names of the fields; :func:`take_options` makes an instance of them.
    """
    panel = {"panel": kind.PANEL} if hasattr(kind, "PANEL") else {}
    facts = {field.name: {**panel, **facts_of_option(field)} for field in fields(kind) if field.metadata}
    return combine_options(*(_click_option(name, {**facts[name], **changes}) for name in names or facts))


def combine_options(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Return all the decorators as one, in the order in which they are written above a function."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _click_option(name: str, facts: dict[str, Any]) -> Callable[[Any], Any]:
    default, typed = facts["default"], facts.get("typed", facts["default"])
    least = facts.get("least")
    settings: dict[str, Any] = {
        key: facts[key] for key in ("help", "metavar", "multiple", "panel") if key in facts
    }
    if isinstance(default, bool):
        settings |= {"is_flag": True}
        settings |= {"callback": lambda _context, _option, value: not value} if facts.get("negated") else {}
    elif "parse" in facts:
        settings |= {"type": _make_parser(facts["parse"])}
    elif "choices" in facts:
        settings |= {"type": click.Choice(facts["choices"])}
        if facts.get("flag_value") is not None:
            settings |= {"is_flag": False, "flag_value": facts["flag_value"]}
    elif least is not None:
        settings |= {"type": number_type(least, facts["most"])}
        if facts.get("flag_value") is not None:
            settings |= {"is_flag": False, "flag_value": facts["flag_value"]}
    if not isinstance(default, bool) and typed not in (None, ()):
        settings |= {"default": typed, "show_default": True}
    if "completes" in facts:
        settings |= {"shell_complete": getattr(completion, facts["completes"])}
    return click.option(*facts.get("flags", (f"--{name.replace('_', '-')}",)), name, **settings)


def number_type(least: float, most: float) -> Any:
    """Return the type of an option that is a number in this range; a whole number if `least` is one."""
    kind: Any = _WholeNumber if isinstance(least, int) else _Number
    return kind(least, most)


class _InRange:
    """Check a typed number as one from Python is checked."""

    def convert(self: Any, value: Any, parameter: Any, context: Any) -> Any:
        whole = isinstance(self.min, int)
        try:
            number = (int if whole else float)(value)
        except ValueError:
            number = value
        try:
            check_number(shorten_value(number), number, self.min, self.max)
        except InputError as error:
            raise click.BadParameter(str(error), context, parameter) from None
        return number


class _WholeNumber(_InRange, click.IntRange):
    """Take a whole number."""


class _Number(_InRange, click.FloatRange):
    """Take any number."""


def _make_parser(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except InputError as error:
            raise click.BadParameter(with_options(str(error), None)) from None

    return convert


def take_options(kind: type[T], parameters: dict[str, Any]) -> T:
    return kind(**given_values({field.name: parameters.pop(field.name, None) for field in fields(kind)}))


def given_values(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, ())}


def is_typed(name: str) -> bool:
    return get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def typed_flags() -> dict[str, str]:
    return {
        parameter.name: max(parameter.opts, key=len)
        for parameter in get_current_context().command.params
        if parameter.name and is_typed(parameter.name)
    }


def model_option(help: str) -> Callable[[Function], Function]:
    return click.option(
        "-m", "--model", required=True, metavar="MODEL", shell_complete=completion.files, help=help
    )


def everyday(*names: str) -> Callable[[Function], Function]:
    """Show these options of a command in its help, the others with `--help-all` only."""

    def decorate(command: Any) -> Any:
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name not in (*names, "help_all"):
                parameter.hidden = True
        return command

    return decorate


def _show_all(context: Any, _option: Any, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    hidden = [each for each in context.command.params if isinstance(each, click.Option) and each.hidden]
    for each in hidden:
        each.hidden = False
    click.echo(context.get_help(), color=context.color)
    for each in hidden:
        each.hidden = True
    context.exit()


help_all = click.option(
    "--help-all", is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
    help="Show all options, and exit.",
)  # fmt: skip


def command_typed() -> str:
    """Return the command as the user typed it, without the options of execution and output."""
    context = get_current_context()
    words = list(context.find_root().obj or ())
    left_out = {
        flag: parameter.is_flag
        for parameter in context.command.params
        if isinstance(parameter, click.Option) and parameter.name in ELSEWHERE
        for flag in parameter.opts
    }
    kept: list[str] = []
    skip = False
    for word in words:
        flag, equals, _ = word.partition("=")
        if skip:
            skip = False
        elif flag in left_out:
            skip = not left_out[flag] and not equals
        else:
            kept.append(word)
    return shlex.join(["learnability", *kept])


ELSEWHERE = frozenset({*(field.name for field in fields(Execution)), "out", "card"})
"""Options that do not change what a run computes."""
