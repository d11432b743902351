"""Write config.json of a run, and read the run back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import annotations_of
from learnability.comparing.plan import (
    RunPlan,
    TreebankFacts,
    advice_on_pairs,
    label,
    memory_needed,
)
from learnability.comparing.run_parsers import parser_files
from learnability.errors import InputError
from learnability.running.folder import CONFIG
from learnability.running.records import FORMAT
from learnability.running.versions import installed_versions, version_of
from learnability.studies.declaration import Asked
from learnability.studies.registry import find_declaration
from learnability.treebanks.locate import TreebankFiles

Config = dict[str, Any]


def run_config(
    plan: RunPlan,
    asked: Sequence[Asked],
    arguments: Mapping[str, Any],
    command_line: str = "",
    out: Path | None = None,
) -> Config:
    """Return what config.json of a run holds: enough to repeat it, and to read it without its treebanks.

    Args:
        plan: the run.
        asked: its studies.
        arguments: what the user asked for (`experiment_arguments.arguments_of`).
        command_line: the command as it was typed; empty from Python.
        out: the folder as it was typed, or by default.
    """
    declarations = [study.declaration for study in asked]
    design = plan.design
    packages = {name for parser in plan.options.parsers for name in parser.kind.modules}
    return {
        "format": FORMAT,
        "command_line": command_line,
        "out": str(out or ""),
        "arguments": with_definitions(arguments, plan.options),
        "options": plan.options.as_json(),
        "studies": {study.declaration.name: asdict(study.options) for study in asked},
        "treebanks": [
            {
                "label": label(files),
                "name": files.name,
                "release": files.release,
                "folds": facts.folds,
                "split_policy": facts.split_policy,
                "sha256": dict(facts.sha256),
                **({"left_out": warned} if (warned := warnings_of(plan, files, facts)) else {}),
                **({"of_parsers": list(facts.of_parsers)} if facts.of_parsers else {}),
            }
            for files, facts in zip(plan.treebanks, plan.facts, strict=True)
        ],
        "train_tokens": train_tokens(plan),
        "compares": any(declaration.compares for declaration in declarations),
        **design.as_config(),
        "seeds": list(plan.seeds),
        "versions": installed_versions() | {name: version_of(name) for name in sorted(packages)},
    }


def warnings_of(plan: RunPlan, files: TreebankFiles, facts: TreebankFacts) -> list[str]:
    """Return what a run warned about while it read a treebank, without the folders of files: what is missing
    of it, where most of it has the form of an alternative already, and what needs much memory."""
    begin = f"{files.name}: "
    advice = [line.removeprefix(begin) for line in advice_on_pairs(plan) if line.startswith(begin)]
    memory = (f"{problem}." for _, problem in memory_needed(facts, plan.options))
    warned = list(dict.fromkeys([*facts.warnings, *advice, *memory]))
    for folder in sorted({path.parent for path in files.paths()}):
        warned = [line.replace(f"{folder}/", "").replace(str(folder), folder.name) for line in warned]
    return warned


def folder_typed(config: Mapping[str, Any], folder: Path) -> str:
    """Return the folder of a run as its command was typed, wherever it is read now; its name if it has got
    another one."""
    typed, name = config.get("out", ""), folder.resolve().name
    return typed if typed and Path(typed).name in ("", "..", name) else name


def train_tokens(plan: RunPlan) -> dict[str, list[int]]:
    """Return the training tokens of each fold of the treebanks, from which estimates of time follow."""
    return {name: list(facts.train_tokens) for name, (_, facts) in plan.by_label.items()}


def with_definitions(arguments: Mapping[str, Any], options: ExperimentOptions) -> dict[str, Any]:
    """Return the arguments with what schemes and parsers stand for: files may be others the next time."""
    schemes = {
        annotation.spelling: list(annotation.definition)
        for annotation in annotations_of(options)
        if annotation.definition is not None
    }
    definitions = {"schemes": schemes, "parser_files": parser_files(options)}
    return {**arguments, **{name: known for name, known in definitions.items() if known}}


def stored_options(config: Mapping[str, Any]) -> ExperimentOptions:
    """Return the options of a run by its config.json; InputError if they are not those of this version."""
    try:
        values = dict(config["options"])
        data = dict(values.pop("data"))
        return ExperimentOptions.spell_annotations(
            values.pop("alternatives"),
            parsers=tuple(values.pop("parsers")),
            **values,
            data=DataOptions(**data),
        )
    except (KeyError, TypeError) as error:
        raise InputError(
            f"the options in {CONFIG} are not those of this version ({error}); run the command again"
        ) from None


def finished_studies(config: Mapping[str, Any]) -> list[Asked]:
    """Return the studies of a run that have written their files; raises as :func:`stored_studies`.

    One that was interrupted has no outcome yet, and nothing can be said of it.
    """
    studies = {name: options for name, options in config["studies"].items() if name in config["finished"]}
    return stored_studies({**config, "studies": studies})


def stored_studies(config: Mapping[str, Any]) -> list[Asked]:
    """Return the studies of a run by its config.json.

    Raises:
        InputError: this version does not know a study, or its options.
    """
    asked = []
    for name, options in config["studies"].items():
        declaration = find_declaration(name)
        try:
            asked.append(Asked(declaration, msgspec.convert(options, declaration.options)))
        except msgspec.ValidationError as error:
            raise InputError(
                f"the options of {name} in {CONFIG} cannot be read ({error}); run {name} again"
            ) from None
    return asked


def stored_plan(config: Mapping[str, Any]) -> RunPlan:
    """Return the plan of a run by its config.json: what the outcomes of studies need of it."""
    files, facts = [], []
    for treebank in config["treebanks"]:
        files.append(TreebankFiles(treebank["name"], treebank.get("release", ""), None))
        facts.append(
            TreebankFacts(
                folds=treebank.get("folds", 1),
                train_tokens=tuple(config.get("train_tokens", {}).get(treebank["label"], ())),
                split_policy=treebank.get("split_policy", ""),
                sha256=treebank.get("sha256", {}),
            )
        )
    return RunPlan(tuple(files), tuple(facts), stored_options(config))
