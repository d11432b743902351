"""Decide how far a run goes: a prediction, the test set, then every sentence of the treebank.

Each stage is a study. A run that stopped early goes on with the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError
from learnability.reports.content import NextStage
from learnability.running.config import RunConfig
from learnability.studies.declaration import StudyRequest
from learnability.studies.registry import STUDIES
from learnability.studies.settle import NEXT_STEP, TRAININGS, SettleOptions
from learnability.support.options import option

COMMANDS = ("run", "run_experiment")
"""What starts runs that have stages."""


@dataclass(frozen=True)
class StageOptions:
    """Choose the stage after which a run stops."""

    PANEL: ClassVar[str] = SettleOptions.PANEL

    quick: bool = option(False, "Stop after the prediction from short trainings.")
    test_set: bool = option(False, "Train on the training set, test on the test set, and stop.")


def stages_of(
    stops: StageOptions, options: ExperimentOptions | None, settling: SettleOptions | None = None
) -> list[StudyRequest]:
    """Return the studies that a run carries out; `options` is None for a run that goes on, which has its
    prediction or none. InputError if options do not go together."""
    if stops.quick and stops.test_set:
        raise InputError("`quick` stops before the test set and `test_set` after it; use one of them")
    stopped = "quick" if stops.quick else "test_set" if stops.test_set else ""
    if stopped and settling is not None:
        raise InputError(
            f"`budget`, `most_seeds` and `folds` are about every sentence of the treebank, where a run with "
            f"`{stopped}=True` does not get; leave out `{stopped}=True`, or these"
        )
    if stops.quick:
        return [StudyRequest(STUDIES["predict"])]
    if stops.test_set:
        return [StudyRequest(STUDIES["run"])]
    studies = [StudyRequest(STUDIES["run"])]
    if options is not None and not STUDIES["predict"].load().find_obstacle(options):
        studies.insert(0, StudyRequest(STUDIES["predict"]))
    if settling is not None or options is None or not STUDIES["settle"].load().find_obstacle(options):
        studies.append(StudyRequest(STUDIES["settle"], settling))
    return studies


def next_stage(config: RunConfig) -> NextStage | None:
    """Return what a run would do next, by its config.json; None if it has no further stage."""
    if config.command not in COMMANDS:
        return None
    if STUDIES["run"].name not in config.studies:
        seeds = len(config.seeds)
        return NextStage("train parsers in full, on the test set and then on every sentence", seeds)
    if STUDIES["settle"].name in config.studies or config.is_cross_validated:
        return None
    return NextStage(NEXT_STEP, TRAININGS)
