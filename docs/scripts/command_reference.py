"""Write the page of all commands and options from the declarations of the program.

    python docs/scripts/command_reference.py

writes `docs/commands.md`; a test fails when that file is not what this program makes.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

PAGE = ROOT / "docs" / "commands.md"

HEAD = """# Commands

<!-- made by docs/scripts/command_reference.py; do not edit -->

This page has one line for each option. `learnability COMMAND --help` explains the everyday options in full,
`--help-all` all of them. `learnability --version` prints the version. Results go to standard output,
progress and warnings to standard error. Every command has `--help` (`-h`). [Exit
codes](rules.md#commands-and-exit-codes).
"""

COMMON = 2
"""Options with the same line in at least this many commands stand in one table for all of them."""


class Row(NamedTuple):
    """The line of an option: its name as it is typed, its meaning and its default."""

    name: str
    meaning: str
    default: str

    def __str__(self) -> str:
        return f"| {self.name} | {self.meaning} | {self.default} |"


def page() -> str:
    """Return the whole page."""
    import click

    from learnability.cli import cli

    sections, uses = {}, Counter[Row]()
    with click.Context(cli, info_name="learnability", **cli.context_settings) as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            with click.Context(command, info_name=name, parent=context) as nested:
                rows = [_row(option, nested) for option in _options(command, nested)]
                sections[name] = (command, command.get_usage(nested), rows)
                uses.update(rows)
    common = [row for row in uses if uses[row] >= COMMON]
    links = ", ".join(f"[`{name}`](#{name})" for name in sections)
    parts = [HEAD, f"{links}.\n"]
    parts += [_section(name, *section, common) for name, section in sections.items()]
    parts += ["## Common options\n", _table(common)]
    return "\n".join(parts)


def _options(command: Any, context: Any) -> Iterator[Any]:
    """Yield the options of a command except `--help`; its arguments stand in the usage."""
    for parameter in command.get_params(context):
        if parameter.param_type_name == "option" and "--help" not in parameter.opts:
            yield parameter


def _section(name: str, command: Any, usage: str, rows: list[Row], common: list[Row]) -> str:
    """Return the section of a command: usage, first paragraph of its help, options and example."""
    help_text = inspect.cleandoc(command.help).replace("\b", "").split("\n\n")[0]
    shared = ", ".join(", ".join(re.findall("`[^`]+`", row.name)) for row in rows if row in common)
    example = (command.epilog or "").removeprefix("Example:").strip()
    parts = [
        f"## {name}\n",
        f"```text\n{usage.removeprefix('Usage: ').strip()}\n```\n",
        f"{_escaped(help_text)}\n",
        _table([row for row in rows if row not in common]),
        f"[Common options](#common-options): {shared}.\n",
        f"```sh\n{example}\n```\n",
    ]
    return "\n".join(part for part in parts if part)


def _table(rows: list[Row]) -> str:
    """Return the rows as a table; nothing for no rows."""
    return "\n".join(["| option | meaning | default |", "|---|---|---|", *map(str, rows), ""]) if rows else ""


def _row(option: Any, context: Any) -> Row:
    meaning = _cell(_first_sentence(str(option.help or ""))).replace("; repeatable.", ".")
    meaning += " **Required.**" if option.required else ""
    return Row(_names(option), meaning, _default(option, context))


def _first_sentence(text: str) -> str:
    """Return a help text up to the end of its first sentence."""
    sentence = re.match(r".*?[.?](?=\s+[A-Z`-]|\s*$)", " ".join(text.split()))
    return sentence[0] if sentence else " ".join(text.split())


def _names(option: Any) -> str:
    """Return the option as it is typed, with its values."""
    import click

    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))
    if option.is_flag:
        return names
    kind = option.type
    numbers = {"integer range": "N", "float range": "X"}
    value = option.metavar or numbers.get(kind.name, kind.name.upper())
    value = "|".join(kind.choices) if isinstance(kind, click.Choice) else value
    return f"{names} {_cell(value)}{' (repeatable)' if option.multiple else ''}"


def _default(option: Any, context: Any) -> str:
    """Return the default, where help shows it."""
    import click

    if option.is_flag or not option.show_default:
        return ""
    value = option.get_default(context, call=True)
    if value is None or value is getattr(click.core, "UNSET", object()):
        return ""
    return ", ".join(f"`{each}`" for each in (value if isinstance(value, tuple) else (value,)))


def _cell(text: str) -> str:
    """Return text for a cell of a table."""
    return _escaped(" ".join(text.replace("\b", "").split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return text that Markdown leaves as it is."""
    return text.replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
