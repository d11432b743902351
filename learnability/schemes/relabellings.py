"""Read changes of tags, features and relations from scheme files, and list those that come with the package.

::

    [merge.upos]
    AUX = "VERB"                       # AUX becomes VERB

    [merge.deprel]
    "aux:pass|auxpass" = "aux"         # both become aux

    [split.upos]
    PART = "lemma"                     # one tag for each lemma: PART-to, PART-not

    [[merge.deprel]]                   # with restrictions
    from = "obl"
    to = "nmod"
    side = "left"

Each file in `schemes/builtin` is a scheme of this kind that has a name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from learnability.errors import InputError, meant
from learnability.support.toml_section import SUFFIX, TomlSection
from learnability.transforms.relabelling import COLUMNS, Relabelling, ValueChange, parsed_change, value_change
from learnability.transforms.restriction import RESTRICTIONS, Restriction

MERGE, SPLIT = "merge", "split"
KEYS = (MERGE, SPLIT)
"""The tables of a scheme file with changes of tags, features and relations."""

FOLDER = files(__package__) / "builtin"


def relabelling_of(
    top: TomlSection, language: tuple[str, ...] = (), not_in_ud: Collection[str] = ()
) -> Relabelling:
    """Return the changes of tags, features and relations that a scheme file defines; empty if there are none.

    `not_in_ud`: tags and relations that are no mistakes. InputError: the file has a mistake.
    """
    try:
        changes = [change for key in KEYS for change in _changes(top, key, not_in_ud)]
        return Relabelling(tuple(_in_language(change, language) for change in changes))
    except InputError as error:
        if str(error).startswith(f"{top.path}:"):
            raise
        key = next(key for key in KEYS if key in top.values)
        top.fail(str(error), key)


def _changes(top: TomlSection, key: str, not_in_ud: Collection[str]) -> Iterator[ValueChange]:
    columns = top.values.get(key, {})
    if not isinstance(columns, dict):
        top.fail(f'{key} is not a table of columns; write [{key}.upos] and AUX = "VERB"', key)
    for column, values in columns.items():
        if column not in COLUMNS:
            top.fail(f"{key}: no column {column!r}; {meant(column, COLUMNS)}", key, column)
        pairs = values.items() if isinstance(values, dict) else ()
        for old, new in pairs:
            if not isinstance(new, str) or not new:
                top.fail(f'{key}.{column}: {old} is not a string; write {old} = "..."', key, old)
            if key == SPLIT:  # every value of a criterion gets its own tag
                new = f"{old}{':' if column == 'deprel' else '-'}{{{new}}}"
            yield value_change(column, old.split("|"), new, {}, not_in_ud)
        if not pairs:
            for table in _tables(top, key, column, values):
                yield _restrict_change(top, key, column, table, not_in_ud)


def _in_language(change: ValueChange, language: tuple[str, ...]) -> ValueChange:
    wanted = dict(change.restriction.wanted) if change.restriction else {}
    if not language or {"language", "language!"} & wanted.keys():
        return change
    return replace(change, restriction=Restriction(**wanted, language=language))


def _tables(top: TomlSection, key: str, column: str, values: Any) -> list[dict[str, Any]]:
    if isinstance(values, list) and values and all(isinstance(table, dict) for table in values):
        return values
    top.fail(f'{key}.{column} is empty or not a table; write [{key}.{column}] and OLD = "NEW"', key)


def _restrict_change(
    top: TomlSection, key: str, column: str, values: dict[str, Any], not_in_ud: Collection[str]
) -> ValueChange:
    """Return the change of a table ``[[merge.COLUMN]]`` or ``[[split.COLUMN]]``."""
    section = TomlSection(top.path, top.source, None, values, key)
    known = ("from", "to", *RESTRICTIONS)
    for name in values:
        if name not in known:
            top.fail(f"{key}.{column}: unknown key {name!r}; {meant(name, known)}", key, name)
    old, new = section.strings("from"), section.text("to")
    if not old or not new:
        top.fail(f'{key}.{column}: add from = "OLD" and to = "NEW"', key)
    wanted = {name: list(section.strings(name)) for name in RESTRICTIONS if name in values}
    return value_change(column, old, new, wanted, not_in_ud)


@cache
def built_in() -> dict[str, str]:
    """Return the text of every scheme in the folder, by name in alphabetical order."""
    texts = {
        file.name.removesuffix(SUFFIX): file.read_text(encoding="utf-8")
        for file in FOLDER.iterdir()
        if file.name.endswith(SUFFIX)
    }
    return dict(sorted(texts.items()))


def is_relabelling(spec: str) -> bool:
    """Return whether a name is that of a built-in change, or has the form ``COLUMN:OLD=NEW``."""
    return spec in built_in() or spec.partition(":")[0] in COLUMNS


@cache
def relabelling_named(spec: str) -> Relabelling:
    """Return the changes that a name after ``--transform`` stands for; InputError if it has a mistake."""
    if spec not in built_in():
        return Relabelling((parsed_change(spec),))
    name = spec + SUFFIX
    return relabelling_of(TomlSection.top(name, built_in()[spec]))


def description_of(name: str) -> str:
    return TomlSection.top(name + SUFFIX, built_in()[name]).text("description")
