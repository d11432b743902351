"""Write down what was asked of a run, and read back its studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import annotations_of
from learnability.comparing.plan import RunPlan
from learnability.comparing.run_parsers import parser_files
from learnability.errors import InputError, without_marks
from learnability.running.config import RunConfig
from learnability.running.folder import CONFIG
from learnability.running.versions import installed_versions, version_of
from learnability.studies.declaration import StudyRequest
from learnability.studies.registry import find_declaration


def run_config(
    plan: RunPlan,
    requests: Sequence[StudyRequest],
    arguments: Mapping[str, Any],
    command_line: str = "",
    out: Path | None = None,
) -> RunConfig:
    """Return what config.json of a run holds: enough to repeat it, and to read it without its treebanks."""
    packages = {name for parser in plan.options.parsers for name in parser.kind.modules}
    return replace(
        plan.config,
        command_line=command_line,
        out=str(out or ""),
        arguments=with_definitions(arguments, plan.options),
        studies={study.declaration.name: asdict(study.options) for study in requests},
        compares=any(study.declaration.compares for study in requests),
        versions=installed_versions() | {name: version_of(name) for name in sorted(packages)},
    )


def folder_typed(config: RunConfig, folder: Path) -> str:
    """Return the folder of a run as its command was typed, wherever it is read now; its name if it has got
    another one."""
    name = folder.resolve().name
    return config.out if config.out and Path(config.out).name in ("", "..", name) else name


def with_definitions(arguments: Mapping[str, Any], options: ExperimentOptions) -> dict[str, Any]:
    """Return the arguments with what schemes and parsers stand for: files may be others the next time."""
    schemes = {
        annotation.spelling: list(annotation.definition)
        for annotation in annotations_of(options)
        if annotation.definition is not None
    }
    definitions = {"schemes": schemes, "parser_files": parser_files(options)}
    return {**arguments, **{name: known for name, known in definitions.items() if known}}


def finished_studies(config: RunConfig) -> list[StudyRequest]:
    return [study for study in stored_studies(config) if study.declaration.name in config.finished]


def stored_studies(config: RunConfig) -> list[StudyRequest]:
    """Return the studies of a run by its config.json."""
    requests = []
    for name, options in config.studies.items():
        declaration = find_declaration(name)
        try:
            requests.append(StudyRequest(declaration, msgspec.convert(options, declaration.options)))
        except msgspec.ValidationError as error:
            raise InputError(
                f"the options of {name} in {CONFIG} cannot be read ({without_marks(error)}); run {name} again"
            ) from None
    return requests
