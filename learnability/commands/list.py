"""`learnability list`: list transforms, schemes, systems, parsers, metrics or treebanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.options import Execution, options
from learnability.errors import InputError
from learnability.reports.text import TableCell, print_json, print_list
from learnability.support.extras import install_command
from learnability.treebanks.locate import list_treebanks, locate_treebank

if TYPE_CHECKING:
    from learnability.schemes import Scheme
    from learnability.treebanks.locate import TreebankFiles

Row = dict[str, Any]

_SCHEME = re.compile(rb"\[\[transform\]\]|^\[*(?:merge|split)\.|\A(?:(?!\[).*\n)*?command\s*=", re.MULTILINE)
"""Find scheme files among other TOML files: they have rules, or a command before all tables."""


def transforms() -> list[Row]:
    """Return each construction with its description, the deprels that mark its places, and its options.

    Changes of tags and relations follow; they have the values that change instead of deprels.
    """
    from learnability.schemes.relabellings import built_in, description_of, relabelling_named
    from learnability.transforms.registry import known_transformations

    rows = [
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
            "options": _options({**kind.options, **dict.fromkeys(kind.files, ("FILE",))}),
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
)
"""The scores of parsers, by the command that prints them; `criteria.TREE_MEASURES` has all other measures."""


def metrics() -> list[Row]:
    """Return the measures, each with the command that computes it; a variant is a suffix of the name."""
    from learnability.comparing.criteria import TREE_MEASURES, Criterion

    measured: list[tuple[str, str, str]] = []
    for measure in TREE_MEASURES:
        if measure.measure:
            measured.append(("measure", measure.key, measure.summary))
            measured += [("measure", f"  :{v.suffix}", f"variant: {v.summary}") for v in measure.variants]
    trained = [m for m in TREE_MEASURES if isinstance(m, Criterion) and m.measure is None]
    criteria = [("run", f"{criterion.key}_*", criterion.meaning) for criterion in trained]
    return [
        {"command": command, "name": name, "description": description}
        for command, name, description in (*measured, *METRICS, *criteria)
    ]


def treebanks(ud_home: str | None) -> list[Row]:
    """Return the treebanks on the search path and the bundled one: splits in tokens, and folders."""
    demo = {**_treebank(locate_treebank("demo")), "name": "demo"}
    return [demo, *map(_treebank, list_treebanks(ud_home))]


def _treebank(files: TreebankFiles) -> Row:
    def tokens(path: Path) -> int:
        # syntactic words are the lines that begin with an integer and a tab
        return len(re.findall(rb"^[0-9]+\t", path.read_bytes(), re.MULTILINE))

    sizes = {split: sum(map(tokens, paths)) if paths else None for split, paths in files.splits()}
    return {"name": files.name, "release": files.release, **sizes, "path": str(files.folder)}


TABLES: dict[str, Callable[[], list[Row]]] = {
    function.__name__: function for function in (transforms, schemes, systems, parsers, metrics)
}


MISSING = TableCell("none")
"""What the table of treebanks shows where a set is missing."""

TITLES = {
    "treebanks": "sizes in tokens; none: the treebank has no such set (see `run --splits`)",
    "parsers": "seconds: of one processor, roughly, to train on 1,000 tokens with labels",
}


@click.command(name="list", epilog="Example: learnability list transforms")
@click.argument("subject", type=click.Choice([*TABLES, "treebanks"]))
@click.option("--ud-home", metavar="DIR", help="Folder with treebanks, for `list treebanks`.")
@options(Execution, "as_json")
def command(subject: str, ud_home: str | None, as_json: bool) -> None:
    """List transforms, schemes, systems, parsers, metrics or treebanks."""
    rows = treebanks(ud_home) if subject == "treebanks" else TABLES[subject]()
    if as_json:
        print_json(rows)
    else:
        missing = MISSING if subject == "treebanks" else None
        lines = [tuple(missing if value is None else value for value in row.values()) for row in rows]
        print_list(tuple(rows[0]), lines, title=TITLES.get(subject, ""))
