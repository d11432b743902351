"""Say how a run can be repeated: its command, its options, and the files that it read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from learnability.comparing.annotation import SCHEME
from learnability.reports.paths import command_without_folders, names_apart, without_folders
from learnability.reports.text import Table
from learnability.running.config import RunConfig
from learnability.support.nouns import count_noun


@dataclass(frozen=True)
class RunOrigin:
    """Hold how the run can be repeated."""

    command: str
    facts: Sequence[tuple[str, str]]
    hashes: Table
    version: str


def describe_origin(config: RunConfig) -> RunOrigin:
    """Return how a run can be repeated."""
    facts = _facts(config)
    files = tuple(
        (name, treebank.sha256[path])
        for treebank in config.treebanks
        for path, name in sorted(zip(treebank.sha256, names_apart(treebank.sha256), strict=True))
    )
    return RunOrigin(
        command=command_without_folders(config.command_line),
        facts=facts,
        hashes=Table("SHA-256 of the files read", ("file", "SHA-256"), files),
        version=config.versions.get("learnability", ""),
    )


def _facts(config: RunConfig) -> list[tuple[str, str]]:
    facts = []
    for treebank in config.treebanks:
        folds = f", {count_noun(treebank.folds, 'fold')}" if treebank.folds > 1 else ""
        facts.append(("treebank", f"{treebank.label}{folds}"))
    for name, value in config.options.items():
        if isinstance(value, dict):
            facts += [(f"{name}: {key.replace('_', ' ')}", _plain(inner)) for key, inner in value.items()]
        else:
            facts.append((name.replace("_", " "), _plain(value)))
    return [*facts, *((f"version of {name}", version) for name, version in config.versions.items())]


def _plain(value: Any) -> str:
    """Return the value of an option in words, without the folders of files."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(without_folders(str(item).removeprefix(SCHEME)) for item in values)
