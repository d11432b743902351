"""Find a command, run it, and turn every failure into one line and an exit code.

Exit codes (docs/rules.md, Commands and exit codes): 0 done, 1 failed while running, 2 wrong usage or input,
128 plus the number of the signal that ended the command. A command is the file
`learnability/commands/NAME.py` with a click command called `command`, and its name in `COMMANDS`; a study
without such a file gets its command from its declaration, and extensions bring others. Modules of commands
import heavy packages inside their functions, so that help is instant.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import sys
import threading
from collections import ChainMap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import rich_click
from click.exceptions import Abort, ClickException, Exit, UsageError

from learnability.errors import WRONG_PATH, InputError, RunError, meant, reason_of
from learnability.studies.registry import studies_with_command
from learnability.support import signals
from learnability.support.headings import Heading, ListedCommand
from learnability.support.memory import collect_rarely
from learnability.support.plugins import extensions, import_object
from learnability.support.terminal import print_line

rich_click.rich_click.THEME = "default-slim"  # without boxes, which cost a third of the lines of help


COMMANDS = {
    "fetch": ListedCommand(
        heading=Heading.GET, summary="Download treebanks of a UD release, for all commands."
    ),
    "diff": ListedCommand(
        heading=Heading.LOOK, summary="Show what differs between two annotations of the same sentences."
    ),
    "compare": ListedCommand(
        heading=Heading.COMPARE, summary="Combine finished runs over several treebanks."
    ),
    "transform": ListedCommand(
        heading=Heading.REWRITE, summary="Rewrite UD trees in another annotation scheme, or back."
    ),
    "train": ListedCommand(
        heading=Heading.PARSER, summary="Train a parser on the trees of FILE and write it to MODEL."
    ),
    "parse": ListedCommand(
        heading=Heading.PARSER, summary="Parse CoNLL-U; all but HEAD, DEPREL and DEPS stays as it is."
    ),
    "evaluate": ListedCommand(
        heading=Heading.PARSER, summary="Score a parse against a gold file: UAS, LAS, CLAS, relations."
    ),
    "list": ListedCommand(
        heading=Heading.MORE, summary="List transforms, schemes, parsers, metrics, columns, treebanks."
    ),
    "show": ListedCommand(
        heading=Heading.MORE, summary="Draw sentences in UD and in the alternative side by side."
    ),
    "report": ListedCommand(
        heading=Heading.MORE, summary="Write a finished run's files again, a card, or a paper's table."
    ),
    "measure": ListedCommand(
        heading=Heading.MORE, summary="Measure how predictable the annotation of a treebank is."
    ),
    "references": ListedCommand(
        heading=Heading.MORE, summary="Count or write all mixtures of UD and the alternative."
    ),
    "warm": ListedCommand(
        heading=Heading.MORE, summary="Compile all parsers now, so that no command waits for that."
    ),
}
"""The commands of the core that are no studies, as help lists them: it imports none of them."""

COMPLETE = "_LEARNABILITY_COMPLETE"
"""The environment variable with which a shell requests its completion script, and then completions."""


def command_headings() -> dict[Heading, list[str]]:
    """Return the names of all commands under their headings, as help shows them.

    Raises:
        InputError: an extension is faulty.
    """
    headings = {name: declaration.heading for name, declaration in studies_with_command().items()}
    headings |= {name: listed.heading for name, listed in COMMANDS.items()}
    for extension in extensions():
        own = {import_object(study).name for study in extension.studies}
        for name, listed in extension.commands.items():
            if name in headings and name not in own:
                raise InputError(f"two commands are called {name}; uninstall the extension of one of them")
            headings.setdefault(name, listed.heading)
    names: dict[Heading, list[str]] = {heading: [] for heading in Heading}
    for name, heading in headings.items():
        names[heading].append(name)
    return names


def command_names() -> list[str]:
    return [name for names in command_headings().values() for name in names]


_LISTS = f"{__name__}.lists"
"""The key in the memory of a context that is set where commands are only listed."""

_ALL = f"{__name__}.all"
"""The key that is set where help lists all commands, not only those in front."""


def summarize_command(name: str) -> str:
    """Return the line that describes a command in the list of all."""
    study = studies_with_command().get(name)
    if study is not None:
        return study.summary
    brought = ChainMap(COMMANDS, *(dict(extension.commands) for extension in extensions()))
    return brought[name].summary


class LazyGroup(rich_click.RichGroup):
    """Import the module of a command only when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        if _LISTS in ctx.meta and _ALL not in ctx.meta:
            headings = command_headings().items()
            return [name for heading, names in headings if heading.is_in_front for name in names]
        return command_names()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the commands under their headings."""
        ctx.meta[_LISTS] = True
        formatter.config.command_groups = {
            ctx.command_path: [
                {"name": heading.value, "commands": names}
                for heading, names in command_headings().items()
                if heading.is_in_front or _ALL in ctx.meta
            ]
        }
        super().format_help(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if _ALL not in ctx.meta:
            super().format_epilog(ctx, formatter)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or None if there is none of that name."""
        if cmd_name not in command_names():
            return None
        if ctx is not None and _LISTS in ctx.meta:
            return rich_click.RichCommand(name=cmd_name, short_help=summarize_command(cmd_name))
        for extension in extensions():
            if cmd_name in extension.commands:
                return import_object(extension.commands[cmd_name].command)
        if importlib.util.find_spec(f"learnability.commands.{cmd_name}") is not None:
            return import_object(f"learnability.commands.{cmd_name}:command")
        return import_object("learnability.commands.study:study_command")(studies_with_command()[cmd_name])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command as click does, but suggest the nearest one for an unknown name.

        Raises:
            UsageError: there is no such command, or an option that takes one value has several.
        """
        if args and not args[0].startswith("-") and args[0] not in command_names():
            raise UsageError(f"there is no command {args[0]!r}; {meant(args[0], command_names())}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            context = command.context_class(command, parent=ctx, info_name=name, **command.context_settings)
            _check_single_values(context, rest)
        return name, command, rest


def _check_single_values(ctx: Any, arguments: list[str]) -> None:
    """Refuse several values of an option that takes one: click keeps the last and drops the others."""
    try:
        _, _, used = ctx.command.make_parser(ctx).parse_args(list(arguments))
    except UsageError:
        return  # which the command reports itself, with its own help
    for option in dict.fromkeys(used):
        single = isinstance(option, rich_click.Option) and not (
            option.multiple or option.is_flag or option.count
        )
        if single and used.count(option) > 1:
            raise UsageError(
                f"{option.opts[0]} is used {used.count(option)} times, but takes one value; use it once", ctx
            )


def _version(ctx: Any, _: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        import learnability

        rich_click.echo(f"learnability {learnability.__version__}")
        ctx.exit()


def _help_all(ctx: Any, _: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        rich_click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


@rich_click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="More commands, among them report, list, show and train: learnability --help-all",
)
@rich_click.option(
    "--help-all",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_help_all,
    help="Show all commands and exit.",
)
@rich_click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def cli() -> None:
    """Find out which annotation a parser learns best: learnability run --treebank demo"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line with `arguments` (default: those of the program) and exit."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    signals.handle_signals(lambda name: _say_stopped(name, words))
    collect_rarely()
    code = run(words)
    signals.ignore_signals()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` and return the exit code; failures are one line on stderr."""
    if sys.stdout is None:
        return _fail("standard output is closed; redirect it to a file", 1)
    _prepare_streams()
    code = _run(sys.argv[1:] if arguments is None else list(arguments))
    try:
        sys.stdout.flush()
    except OSError:
        # Otherwise Python would try to write the rest again at exit, and report the failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


START = """\
decide     which annotation is easier to learn:  learnability run --treebank demo
clean      words that contradict the rest:       learnability doubts --treebank demo
harmonise  what two treebanks do differently:    learnability harmonise UD_A UD_B

All commands: learnability --help
"""
"""What the program says if nothing is asked."""


def _run(arguments: list[str]) -> int:
    if not arguments and COMPLETE not in os.environ:
        print_line(START, error=True, end="")
        return 2
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return 1  # the reader of our output has closed it
    except (Abort, KeyboardInterrupt, EOFError):
        return _report_signal(arguments)
    except UsageError as error:
        where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return _fail(f"{error.format_message().rstrip('.')}{_treebank_meant(error)}{where}", 2)
    except ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except (InputError, RunError) as error:
        from learnability.commands.messages import message_for

        return _fail(message_for(error, _command_of(arguments)), 2 if isinstance(error, InputError) else 1)
    except OSError as error:
        place = error.filename or "reading or writing failed"
        if error.errno in WRONG_PATH:
            return _fail(f"{place}: {reason_of(error)}; choose another path", 2)
        return _fail(f"{place}: {reason_of(error)}; fix the problem and run the same command again", 1)
    except UnicodeEncodeError as error:  # an argument or the name of a file, which may be any bytes
        text = ascii(error.object[max(0, error.start - 40) : error.end + 40])
        return _fail(f"{text} is not UTF-8; rename the file, or choose another name", 2)
    except MemoryError:
        return _fail("out of memory; choose a smaller treebank", 1)
    except Exception as error:
        if os.environ.get("LEARNABILITY_DEBUG"):
            raise
        if signals.received():
            return _report_signal(arguments)  # a callback swallowed the signal and left its work undone
        problem = f"internal error, {type(error).__name__}: {str(error)[:300]}"
        return _fail(f"{problem} (LEARNABILITY_DEBUG=1 shows where; please report it)", 1)


def _report_signal(arguments: list[str]) -> int:
    signals.ignore_signals()
    name = signals.received() or "SIGINT"
    _say_stopped(name, arguments)
    return signals.exit_code(name)


_stop_printed = threading.Lock()
"""Held by the thread that prints why the command ends: the line is printed once."""


def _say_stopped(name: str, arguments: list[str]) -> None:
    if not _stop_printed.acquire(blocking=False):
        return
    line = signals.NAMES[name]
    if kept := signals.kept_work():
        command = _command_of(arguments)
        resumes = any(option.name == "resume" for option in command.params) if command else False
        continued = " and --resume" if resumes and "--resume" not in arguments else ""
        line = f"{line}; {kept}; continue with the same command{continued}"
    _fail(line, signals.exit_code(name))


def _command_of(arguments: list[str]) -> Any:
    with suppress(InputError):
        return next((cli.get_command(None, word) for word in arguments if word in command_names()), None)
    return None


def _treebank_meant(error: UsageError) -> str:
    extra = re.search(r"unexpected extra arguments? \((\S+)", error.format_message())
    if extra and error.ctx and any(option.name == "treebank" for option in error.ctx.command.params):
        return f"; did you mean --treebank {extra[1].rstrip(')')}?"
    return ""


def _invoke(arguments: list[str]) -> int:
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "learnability", COMPLETE, instruction)
    try:
        with cli.make_context("learnability", list(arguments), obj=tuple(arguments)) as context:
            cli.invoke(context)
    except Exit as stop:
        return int(stop.exit_code)
    except ClickException as error:
        if type(error).__name__ != "NoArgsIsHelpError":
            raise
        # `learnability` alone: the help, as the answer to wrong usage
        print(error.message, file=sys.stderr)
        return 2
    return 0


def _fail(message: str, code: int) -> int:
    with suppress(OSError):  # the terminal may be gone
        print_line(f"learnability: {' '.join(message.split())}", error=True)
    return code


def _prepare_streams() -> None:
    """Make the output streams UTF-8 in every locale. With PYTHONUNBUFFERED, Python's stream writes only as
    much as a pipe takes at once and drops the rest silently, so it gets its buffer back."""
    if isinstance(sys.stdout.buffer, io.RawIOBase):
        sys.stdout = open(sys.stdout.fileno(), "w", closefd=False)  # noqa: SIM115 (it stays open)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
