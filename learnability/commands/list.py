"""`learnability list`: list transforms, schemes, systems, parsers, metrics, columns or treebanks."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.options import Execution, options
from learnability.errors import InputError
from learnability.reports.text import Table, list_rows, print_json, print_sentences
from learnability.support.extras import install_command
from learnability.support.plugins import nearest
from learnability.support.terminal import console, print_line
from learnability.support.values import JsonObject
from learnability.treebanks.conllu_io import conllu_bytes
from learnability.treebanks.locate import list_treebanks, locate_treebank

if TYPE_CHECKING:
    from learnability.schemes import Scheme
    from learnability.treebanks.locate import TreebankFiles

Row = JsonObject

_SCHEME = re.compile(rb"\[\[transform\]\]|^\[*(?:merge|split)\.|\A(?:(?!\[).*\n)*?command\s*=", re.MULTILINE)
"""Find scheme files among other TOML files: they have rules, or a command before all tables."""


def transforms() -> list[Row]:
    """Return each construction with its description, the deprels that mark its places, and its options.

    Changes of tags and relations follow; they have the values that change instead of deprels.
    """
    from learnability.schemes.relabellings import built_in, description_of, relabelling_named
    from learnability.transforms.registry import known_transformations

    rows: list[Row] = [
        {
            "name": name,
            "description": kind.description,
            "places": kind.place_labels,
            "options": _options(kind.options),
        }
        for name, kind in known_transformations().items()
    ]
    for name in built_in():
        changes = " ".join(relabelling_named(name).specs)
        rows.append({"name": name, "description": description_of(name), "places": changes, "options": ""})
    return rows


def _options(values: Mapping[str, Sequence[str]]) -> str:
    return " ".join(f"{key}={'|'.join(choices)}" for key, choices in values.items())


def schemes() -> list[Row]:
    """Return the schemes of the catalogue, and those that scheme files in the current folder define."""
    from learnability.schemes import CATALOGUE, find_scheme

    rows = [_scheme(scheme.name, scheme) for scheme in CATALOGUE.values()]
    for name in map(str, sorted(Path().glob("*.toml"))):  # the path to use after --alternative
        try:
            if _SCHEME.search(Path(name).read_bytes()):
                rows.append(_scheme(name, find_scheme(name)))
        except OSError:
            continue
        except InputError as error:
            rows.append({"name": name, "description": f"unusable: {error}", "transformations": ""})
    return rows


def _scheme(name: str, scheme: Scheme) -> Row:
    from learnability.schemes import CommandScheme

    parts = " ".join(scheme.specs)
    if isinstance(scheme, CommandScheme):
        parts = f"by {Path(scheme.annotator.command[0]).name}"
    return {"name": name, "description": scheme.description, "transformations": parts}


def systems() -> list[Row]:
    """Return the transition systems."""
    from learnability.parsing.systems import SYSTEMS

    return [{"name": name, "description": system.summary} for name, system in SYSTEMS.items()]


def parsers() -> list[Row]:
    """Return the parsers: what they are, their options, cost and needs, and whether they are installed.

    Parsers that files in the current folder define are included.
    """
    from learnability.parsers.command import read_parser
    from learnability.parsers.registry import known_parsers

    kinds = dict(known_parsers())
    for path in sorted(Path().glob("*.toml")):
        with suppress(OSError, InputError):  # of a scheme, or of something else
            kinds[str(path)] = read_parser(str(path))
    return [
        {
            "name": name,
            "description": kind.description,
            "options": _options(kind.options),
            "seconds": float(f"{kind.seconds[1]:.2g}"),
            "needs": " ".join(kind.needs),
            "installed": "yes" if kind.installed else f"no: {install_command(kind.needs)}",
        }
        for name, kind in kinds.items()
    ]


METRICS = (
    ("evaluate", "uas", "unlabelled attachment score: tokens with the right head, %"),
    ("evaluate", "las", "labelled attachment score: right head and universal label, % (the official LAS)"),
    ("evaluate", "las_with_subtypes", "labelled attachment score with whole labels, %"),
    ("evaluate", "  _without_punctuation", "variant: tokens that are not punct in the gold tree"),
    ("evaluate", "clas", "content-word labelled attachment score, F1 in % (the official CLAS)"),
    ("evaluate", "relations", "gold, system, correct, precision, recall and F1 of each relation"),
    ("run", "uas_*, uas_delta", "UAS of parsers trained on UD and on the alternative, and the difference"),
    ("run", "trained_on_both_*", "which annotation the parser prefers when trained on both"),
)
"""The scores of parsers, by the command that prints them; all other measures are in `TREE_MEASURES`."""


def metrics() -> list[Row]:
    """Return the measures, each with the command that computes it."""
    from learnability.comparing.tree_measures import TREE_MEASURES

    measured = [("measure", measure.key, measure.summary) for measure in TREE_MEASURES]
    return [
        {"command": command, "name": name, "description": description}
        for command, name, description in (*measured, *METRICS)
    ]


def columns() -> list[Row]:
    """Return the columns of the files of a run, and the statistics in scores.csv, each with its file."""
    from learnability.evidence.all_parsers import ALL_PARSERS
    from learnability.evidence.columns import LONG, RESULTS, SCORES
    from learnability.studies.predict.predictions import PREDICTIONS

    found = [
        *(("results.csv", column, column.name) for column in RESULTS),
        *(("scores.csv", column, column.name) for column in SCORES),
        *(("scores.csv", statistic, statistic.statistic) for statistic in LONG),
        *(("parsers.csv", column, column.name) for column in ALL_PARSERS),
        *(("predictions.csv", column, column.name) for column in PREDICTIONS),
    ]
    entries = dict.fromkeys((name, file, column.topic, column.meaning) for file, column, name in found)
    return [
        {"name": name, "file": file, "about": topic, "description": _without_markup(meaning)}
        for name, file, topic, meaning in entries
    ]


def _without_markup(text: str) -> str:
    return re.sub(r"\*+", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text))


def treebanks(ud_home: str | None) -> list[Row]:
    """Return the treebanks on the search path and the bundled one: splits in tokens, and folders."""
    demo = {**_treebank(locate_treebank("demo")), "name": "demo"}
    return [demo, *map(_treebank, list_treebanks(ud_home))]


def _treebank(files: TreebankFiles) -> Row:
    def tokens(path: Path) -> int:
        # syntactic words are the lines that begin with an integer and a tab
        return len(re.findall(rb"^[0-9]+\t", conllu_bytes(path), re.MULTILINE))

    sizes = {split: sum(map(tokens, paths)) if paths else None for split, paths in files.splits()}
    return {"name": files.name, "release": files.release, **sizes, "path": str(files.folder)}


TABLES: dict[str, Callable[[], list[Row]]] = {
    function.__name__: function for function in (transforms, schemes, systems, parsers, metrics, columns)
}


LINES: dict[str, tuple[str, ...]] = {
    "parsers": ("name", "time"),
    "treebanks": ("name", "release", "train", "dev", "test"),
    "metrics": ("name", "command"),
    "columns": ("name", "file"),
}
"""What stands in a line before the description; elsewhere the name."""

TITLES = {
    "treebanks": "sizes in tokens; none: the treebank has no such set (see `run --splits`)",
    "schemes": "each name in `list transforms` is a scheme, too",
    "parsers": "time: of one processor, roughly, to train on 50,000 tokens with labels",
}

TRAINED_ON = 50
"""The thousands of tokens that the time of a parser is for."""


@click.command(name="list", epilog="Example: learnability list parsers arc-eager")
@click.argument("subject", type=click.Choice([*TABLES, "treebanks"]))
@click.argument("name", required=False)
@click.option("--ud-home", metavar="DIR", help="Folder with treebanks, for `list treebanks`.")
@options(Execution, "as_json")
def command(subject: str, name: str | None, ud_home: str | None, as_json: bool) -> None:
    """List transforms, schemes, parsers, metrics, columns or treebanks.

    There is a line for each; with a name, everything about it.
    """
    rows = treebanks(ud_home) if subject == "treebanks" else TABLES[subject]()
    if name is not None:
        known = [str(row["name"]).strip() for row in rows]
        rows = [row for row in rows if str(row["name"]).strip() == name]
        if not rows:
            raise InputError(nearest(name, known, subject.removesuffix("s")))
    elif subject == "schemes":
        single = {row["name"] for row in transforms()}
        rows = [row for row in rows if row["name"] not in single]
    if as_json:
        print_json(rows)
    elif name is not None:
        for row in rows:
            _print_entry(row)
    else:
        _print_lines(rows, subject)


def _print_entry(row: Row) -> None:
    row = {**row, **({"time": _time(row)} if "seconds" in row else {})}
    row.pop("seconds", None)
    table = Table("", tuple(row), (tuple(_text(value) for value in row.values()),))
    for line in list_rows(table, console().width):
        print_line(line)


def _print_lines(rows: Sequence[Row], subject: str) -> None:
    names = LINES.get(subject, ("name",))
    if title := TITLES.get(subject):
        print_sentences([title])
    cells = [[_time(row) if name == "time" else _text(row[name]) for name in names] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    if len(names) > 1:
        cells = [list(names), *cells]
        widths = [max(width, len(name)) for width, name in zip(widths, names, strict=True)]
    descriptions = [*([""] if len(names) > 1 else []), *(str(row.get("description", "")) for row in rows)]
    for row, description in zip(cells, descriptions, strict=True):
        padded = [f"{row[0]:{widths[0]}}", *(f"{c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True))]
        begun = "  ".join(padded)
        rest = console().width - len(begun) - 2
        print_line(f"{begun}  {_first_words(description, rest)}".rstrip())


def _first_words(text: str, width: int) -> str:
    return textwrap.shorten(text, width, placeholder=" …", break_on_hyphens=False) if width > 1 else ""


def _time(row: Row) -> str:
    per_thousand = row["seconds"]
    assert isinstance(per_thousand, int | float)
    seconds = TRAINED_ON * per_thousand
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _text(value: Any) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
