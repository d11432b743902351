"""The page of all commands and options, made of the program's own declarations.

    python docs/scripts/command_reference.py

writes `docs/commands.md`; a test fails when that file is not what this program makes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

PAGE = ROOT / "docs" / "commands.md"

HEAD = """# Commands

<!-- made by docs/scripts/command_reference.py; do not edit -->

`learnability COMMAND --help` says the same in the terminal; of many options it shows those of every day, and
`--help-all` all. Results go to standard output, progress and remarks to standard error. Exit codes: 0 done,
1 failed while running, 2 wrong usage or input, 130 interrupted, 143 terminated, 129 hung up.
`learnability --version` prints the version.
"""


def page() -> str:
    """The whole page."""
    import click

    from learnability.cli import cli

    with click.Context(cli, info_name="learnability", **cli.context_settings) as context:
        names = cli.list_commands(context)
        commands = [(name, cli.get_command(context, name)) for name in names]
        rows = [f"| [`{name}`](#{name}) | {command.get_short_help_str(200)} |" for name, command in commands]
        parts = [HEAD, "\n".join(["| command | does |", "|---|---|", *rows, ""])]
        for name, command in commands:
            with click.Context(command, info_name=name, parent=context) as own:
                parts.append("\n".join(_section(name, command, own)))
    return "\n".join(parts)


def _section(name: str, command: Any, context: Any) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ').strip()}\n```\n"
    yield f"{_cell(inspect.cleandoc(command.help), paragraphs=True)}\n"
    panels: dict[str, list[str]] = {}
    for option in command.get_params(context):
        if option.param_type_name == "option":  # arguments stand in the usage
            row = f"| {_names(option)} | {_cell(_help(option))} | {_default(option, context)} |"
            panels.setdefault(getattr(option, "panel", None) or "Options", []).append(row)
    for title, options in panels.items():
        yield "\n".join([f"| {title} | meaning | default |", "|---|---|---|", *options, ""])
    example = (command.epilog or "").removeprefix("Example:").strip()
    yield f"```sh\n{example}\n```\n"


def _names(option: Any) -> str:
    """The option as it is typed, with its values."""
    import click

    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))
    if option.is_flag:
        return names
    kind = option.type
    numbers = {"integer range": "N", "float range": "X"}
    value = option.metavar or numbers.get(kind.name, kind.name.upper())
    value = "|".join(kind.choices) if isinstance(kind, click.Choice) else value
    return f"{names} {_cell(value)}{' (repeatable)' if option.multiple else ''}"


def _help(option: Any) -> str:
    said = str(option.help or "")
    return f"{said} **Required.**" if option.required else said


def _default(option: Any, context: Any) -> str:
    """The default, where help shows it."""
    import click

    if option.is_flag or not option.show_default:
        return ""
    value = option.get_default(context, call=True)
    if value is None or value is getattr(click.core, "UNSET", object()):
        return ""
    return f"`{':'.join(map(str, value)) if isinstance(value, tuple) else value}`"


def _cell(text: str, *, paragraphs: bool = False) -> str:
    """Text that Markdown leaves as it is."""
    text = text.replace("\b", "")
    if not paragraphs:
        text = " ".join(text.split()).replace("|", "\\|")
    return text.replace("<", "&lt;").replace("*", "\\*").replace("\\*\\*Required.\\*\\*", "**Required.**")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
