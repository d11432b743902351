"""Write the pages of commands and options from the declarations of the program.

    python docs/scripts/command_reference.py

writes `docs/commands.md` on the commands of the core, and the end of the page of each extension on what it
brings: what each command does, with an example. Tests fail when a page is not what this program makes. The
tables of options are made when the site is built (`hooks.py`), since `--help-all` prints the same.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from learnability.support.plugins import Extension, extensions, import_object  # noqa: E402

DOCS = ROOT / "docs"

PAGE = DOCS / "commands.md"

MADE = "<!-- made by docs/scripts/command_reference.py; do not edit -->"
"""In the page of an extension, everything below this line is made."""

HEAD = f"""# Commands

{MADE}

`learnability --help` lists the commands to begin with, and `learnability --help-all` all. Every command
explains its everyday options with `--help` (`-h`), and all of them with `--help-all` where it has more. The
site of this manual has a table of them below each command. `learnability --version` prints the version.
Results go to standard output, progress and warnings to standard error. [Exit
codes](rules.md#commands-and-exit-codes).

What extensions bring is on their pages: {{extensions}}.
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


class Shared(NamedTuple):
    """The options that several commands have, and the link to their table."""

    rows: list[Row]
    link: str


def page(*, options: bool = False) -> str:
    """Return the page of the commands of the core, in the site with their options."""
    brought = {name for extension in extensions() for name in commands_of(extension)}
    with main_context() as context:
        names = [name for name in context.command.list_commands(context) if name not in brought]
        sections = {name: parts_of(context, name) for name in names}
    pages = ", ".join(f"[{path.stem}](extensions/{path.name})" for path in sorted(DOCS.glob("extensions/*")))
    common = common_rows(sections)
    parts = [HEAD.format(extensions=pages)]
    shared = Shared(common, "#common-options") if options else None
    parts += [_section(name, *section, shared) for name, section in sections.items()]
    parts += ["## Common options\n", _table(common)] if options else []
    return "\n".join(parts)


def page_of(extension: Extension, *, options: bool = False) -> str:
    """Return the page of an extension with what it brings below `MADE`, in the site with the options."""
    kept = extension_path(extension).read_text(encoding="utf-8").partition(MADE)[0].rstrip()
    brought = {name for each in extensions() for name in commands_of(each)}
    with main_context() as context:
        core = [name for name in context.command.list_commands(context) if name not in brought]
        common = common_rows({name: parts_of(context, name) for name in core})
        shared = Shared(common, "../commands.md#common-options") if options else None
        sections = [_section(name, *parts_of(context, name), shared) for name in commands_of(extension)]
        for name, added in options_of(extension).items():
            command = context.command.get_command(context, name)
            rows = [_row(option, context) for option in command.params if option.name in added]
            if rows:
                sections.append(f"## Options of {name}\n\n{_table(rows)}")
    return "\n".join([kept, "", MADE, "", *sections])


def extension_path(extension: Extension) -> Path:
    """Return the page of an extension."""
    return DOCS / "extensions" / f"{extension.name}.md"


def commands_of(extension: Extension) -> list[str]:
    """Return the commands that an extension brings."""
    studies = [import_object(study) for study in extension.studies]
    names = [*(study.name for study in studies if study.has_command), *extension.commands]
    return list(dict.fromkeys(names))  # an extension may bring the command of its study


def options_of(extension: Extension) -> dict[str, set[str]]:
    """Return the options that an extension adds to commands of the core."""
    studies = [import_object(study) for study in extension.studies]
    return {"run": {study.name for study in studies if study.run_option}}


def main_context() -> Any:
    """Return the context of the program."""
    import click

    from learnability.cli import cli

    return click.Context(cli, info_name="learnability", **cli.context_settings)


def parts_of(context: Any, name: str) -> tuple[Any, str, list[Row]]:
    """Return a command, its usage, and the rows of its options."""
    import click

    command = context.command.get_command(context, name)
    added = set().union(*(options_of(extension).get(name, ()) for extension in extensions()))
    if name in {each for extension in extensions() for each in commands_of(extension)}:
        added |= set().union(*(options_of(extension)["run"] for extension in extensions()))
    with click.Context(command, info_name=name, parent=context) as nested:
        rows = [_row(option, nested) for option in _options(command, nested) if option.name not in added]
        return command, command.get_usage(nested), rows


def common_rows(sections: Mapping[str, tuple[Any, str, list[Row]]]) -> list[Row]:
    """Return the rows that at least `COMMON` commands have."""
    uses = Counter[Row]()
    for _, _, rows in sections.values():
        uses.update(rows)
    return [row for row in uses if uses[row] >= COMMON]


def _options(command: Any, context: Any) -> Iterator[Any]:
    """Yield the options of a command except `--help`; its arguments stand in the usage."""
    for parameter in command.get_params(context):
        if parameter.param_type_name == "option" and "--help" not in parameter.opts:
            yield parameter


def _section(name: str, command: Any, usage: str, rows: list[Row], shared: Shared | None) -> str:
    """Return the section of a command: its help, its example, and with `shared` its usage and options."""
    help_text = inspect.cleandoc(command.help).replace("\b", "").split("\n\n")[0]
    example = (command.epilog or "").removeprefix("Example:").strip()
    parts = [f"## {name}\n", f"{_escaped(help_text)}\n"]
    if shared is not None:
        names = ", ".join(", ".join(re.findall("`[^`]+`", row.name)) for row in rows if row in shared.rows)
        parts += [
            f"```text\n{usage.removeprefix('Usage: ').strip()}\n```\n",
            _table([row for row in rows if row not in shared.rows]),
            f"[Common options]({shared.link}): {names}.\n" if names else "",
        ]
    parts.append(f"{NOT_RUN if ' UD_' in example else ''}```sh\n{example}\n```\n")
    return "\n".join(part for part in parts if part)


NOT_RUN = "<!-- not run: needs treebanks of UD -->\n"
"""What stands before an example that names treebanks which have to be fetched."""


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


def in_site(uri: str) -> str | None:
    """Return a page as the site has it, with options; None if this program makes no part of it."""
    if DOCS / uri == PAGE:
        return page(options=True)
    for each in extensions():
        if DOCS / uri == extension_path(each) and MADE in extension_path(each).read_text(encoding="utf-8"):
            return page_of(each, options=True)
    return None


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    for each in extensions():
        if commands_of(each) or any(options_of(each).values()):
            extension_path(each).write_text(page_of(each), encoding="utf-8")
