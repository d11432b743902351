"""Runs made in this process, in a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.reports.story import RunStory
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes, read_config
from learnability.running.folder import CONFIG, DEFINITIONS
from learnability.studies.registry import find_declaration
from learnability.studies.run import Run
from learnability.studies.runner import StudyRequest, Workforce, make_plan, run_studies, studies_of
from learnability.studies.study import Study
from learnability.treebanks.locate import TreebankFiles


def asked(study: str, **options: Any) -> StudyRequest:
    declaration = find_declaration(study)
    return StudyRequest(declaration, declaration.options(**options))


def planned(
    files: TreebankFiles | Sequence[TreebankFiles], options: ExperimentOptions, *studies: StudyRequest
) -> RunPlan:
    return make_plan(Run(treebanks=_several(files), options=options, studies=studies or [asked("run")]))


def study_of(plan: RunPlan, study: StudyRequest) -> Study[Any]:
    (made,) = studies_of(plan, [study])
    return made


def foreseen_cells(plan: RunPlan, study: str = "run", **options: Any) -> list[Cell[Any]]:
    """The cells that a study foresees."""
    return list(study_of(plan, asked(study, **options)).plan_cells())


def carried_out(
    files: TreebankFiles | Sequence[TreebankFiles],
    options: ExperimentOptions,
    out: Path,
    *studies: StudyRequest,
    jobs: int | str = 1,
    arguments: dict[str, Any] | None = None,
    keep_going: bool = False,
    **more: Any,
) -> RunStory:
    if arguments is None:
        arguments = {"command": "run", "options": options.as_json()}
    run = Run(
        treebanks=_several(files), options=options, studies=studies or [asked("run")], arguments=arguments,
        keeps_going=keep_going,
    )  # fmt: skip
    return run_studies(run, out, Workforce.from_jobs(jobs), **{"report": None, **more})


def extended(
    out: Path,
    files: TreebankFiles | Sequence[TreebankFiles],
    study: StudyRequest,
    *,
    jobs: int | str = 1,
    **more: Any,
) -> RunStory:
    config = read_config(out / CONFIG)
    arguments = {name: value for name, value in config.arguments.items() if name not in DEFINITIONS}
    options = ExperimentOptions.of_config(config)
    run = Run(treebanks=_several(files), options=options, studies=[study], arguments=arguments)
    return run_studies(run, out, Workforce.from_jobs(jobs), resume=True, **{"report": None, **more})


def interrupt(out: Path) -> None:
    """Make a finished run one that was killed before it wrote its files."""
    config = json.loads((out / CONFIG).read_bytes())
    for name in (name for names in config.pop("finished").values() for name in names):
        (out / name).unlink(missing_ok=True)
    (out / CONFIG).write_bytes(as_json_bytes(config))


def _several(files: TreebankFiles | Sequence[TreebankFiles]) -> Sequence[TreebankFiles]:
    return [files] if isinstance(files, TreebankFiles) else files
