"""The command that a run was started with, from the arguments in its config.json."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import Any

from learnability.comparing.kinds import scheme, treebank
from learnability.comparing.kinds.ud import UD
from learnability.comparing.options import (
    MISSING_TRAIN_OF_MANY,
    ComparedTreebanks,
    ExperimentOptions,
    default_oracle,
)
from learnability.transforms.registry import PAPER, every_variant

_STATED = (*fields(ComparedTreebanks), *fields(ExperimentOptions))
DEFAULTS = {field.name: field.default for field in _STATED}
"""Options that are not written out where they have this value."""

FLAGS = {field.name: field.metadata["flags"][0] for field in _STATED if "flags" in field.metadata}
"""Options that are not written by their names."""

ELSEWHERE = frozenset(
    {"command", "treebank", "treebanks", "conditions", "data", "schemes", "judge_files", "trees"}
)
"""Arguments that are no options, or are treated by themselves."""


def command_line(arguments: Mapping[str, Any]) -> str:
    """The command as it can be given again, paths without folders of the machine (:func:`without_folders`);
    empty if the arguments do not say which it was.
    """
    if "command" not in arguments:
        return ""
    command = str(arguments["command"])
    words = ["learnability", command]
    selection = arguments.get("treebank") or {}
    for name in arguments.get("treebanks") or ():
        words += ["--treebank", name]
    words += _options(selection, command)
    conditions = tuple(c for c in arguments.get("conditions") or () if not c.startswith(treebank.PREFIX))
    if conditions != (every_variant() if arguments.get("search") else PAPER):
        for condition in conditions:
            name = condition.removeprefix(scheme.PREFIX)
            words += ["--transform" if name == condition else "--scheme", name]
    rest = {name: value for name, value in arguments.items() if name not in ELSEWHERE}
    if "oracle" in rest and rest["oracle"] == default_oracle(rest.get("system", ExperimentOptions.system)):
        del rest["oracle"]
    labels = rest.pop("labels", None)
    if against := rest.pop("against", None):
        is_typed = against != UD.spelling and not against.startswith(treebank.PREFIX)
        rest |= {"against": against.removeprefix(scheme.PREFIX)} if is_typed else {}
    words += _options(rest, command)
    if labels:
        words += ["--labelled", *(["--labels", labels] if labels != "external" else [])]
    if command == "reproduce":
        words += ["--out", "DIR"]
    return shlex.join(map(without_folders, words))


def without_folders(text: str) -> str:
    """Of an absolute path its last name, so that a page is the same wherever a run was; else the text."""
    return PurePath(text).name if PurePath(text).is_absolute() else text


def names_apart(paths: Collection[str]) -> list[str]:
    """Paths as :func:`without_folders` gives them, with as many folders as it takes to tell them apart."""
    named, depth = list(map(without_folders, paths)), 1
    while len(set(named)) < len(paths):
        depth += 1
        parts = ((path, PurePath(path)) for path in paths)
        named = [str(PurePath(*p.parts[-depth:])) if p.is_absolute() else path for path, p in parts]
    return named


def _options(values: Mapping[str, Any], command: str) -> Iterator[str]:
    """The options that are not at their default."""
    for name, value in values.items():
        default = DEFAULTS.get(name)
        if name == "missing_train" and command == "reproduce":
            default = MISSING_TRAIN_OF_MANY
        if not value or (tuple(value) if isinstance(value, list) else value) == default:
            continue
        option = FLAGS.get(name, f"--{name.replace('_', '-')}")
        if value is True:
            yield option
        elif name == "split":
            yield from (option, ":".join(map(str, value)))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for element in value:
                yield from (option, str(element))
        else:
            yield from (option, str(value))
