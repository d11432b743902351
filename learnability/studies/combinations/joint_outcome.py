"""Evaluate joint trainings: which combination of constructions the parsers prefer."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.names import join_transformations
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.evidence.grouping import find_results
from learnability.running.records import Records
from learnability.studies.combinations.joint_preferences import JointSurvival, mean_survival
from learnability.studies.combinations.joint_training import JointCell, joint_annotations
from learnability.support.options import shared
from learnability.support.values import JsonObject


@dataclass(frozen=True)
class JointReport:
    """Hold what the joint trainings show, with counts of the training trees, which `JointTraining` explains.

    Attributes:
        transforms: the constructions that were trained on together.
        iterations: for each seed, the number that the training on UD took.
        survival: what the jointly trained parser preferred, mean over seeds.
        advised_in: the number of seeds that, taken alone, recommend the same combination.
    """

    transforms: tuple[str, ...]
    iterations: tuple[int, ...]
    sentences: int
    places: int
    factors: int
    largest_factor: int
    largest_set: int
    factors_in_parts: int
    factors_cut: int
    survival: JointSurvival
    advised_in: int

    @property
    def seeds(self) -> int:
        """Return the number of trainings."""
        return len(self.iterations)

    @property
    def advised(self) -> tuple[str, ...]:
        """Return the constructions of the recommended combination; none for UD."""
        return self.survival.advised.transforms

    def as_json(self) -> JsonObject:
        """Return the values for combinations.json."""
        return {**asdict(self), "advised": asdict(self.survival.advised)}


def joint_cell(plan: RunPlan, seed: int = 0) -> JointCell:
    """Return the joint training of a seed."""
    return JointCell(treebank=plan.single(), parser=plan.multiref_parser or "", seed=seed)


def joint_report(plan: RunPlan, records: Records) -> JointReport | None:
    """Return what the joint trainings of a plan with one treebank show; None if one is missing or failed."""
    trainings = [training for (training,) in find_results(records, joint_cell(plan), plan.seeds)]
    if not trainings:
        return None
    survival = mean_survival([training.survival for training in trainings])
    # the counts are the same for all seeds
    facts = shared(JointReport, trainings[0]) | {
        "iterations": tuple(training.iterations for training in trainings),
        "survival": survival,
    }
    advised = survival.advised.transforms
    return JointReport(
        transforms=tuple(annotation.parts[0].name for annotation in joint_annotations(plan.options)),
        **facts,
        advised_in=sum(training.survival.advised.transforms == advised for training in trainings),
    )


def advised_annotation(options: ExperimentOptions, joint: JointReport, choices: set[str]) -> Annotation:
    """Return the recommended combination.

    Args:
        options: of the run.
        joint: what the joint trainings show.
        choices: the spellings of the constructions that take part; others are left out of the combination.

    Returns:
        The combination, which may be UD.
    """
    spellings = [
        annotation.spelling
        for annotation in joint_annotations(options)
        if annotation.parts[0].name in joint.advised and annotation.spelling in choices
    ]
    return join_transformations(spellings) if spellings else UD
