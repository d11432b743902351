"""Evaluate joint trainings: what the parser preferred, and whether the recommended scheme is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import AlternativeCell, BaseCell, ComparisonCell, OwnCell
from learnability.comparing.names import join_transformations
from learnability.comparing.plan import RunPlan, label
from learnability.comparing.results import TrainingResult
from learnability.evidence.differences import Difference, compare_trainings, correct_differences, values_of
from learnability.evidence.grouping import find_results, mean, test_places, trainings
from learnability.extensions.combinations.joint.products import JointSurvival, mean_survival
from learnability.extensions.combinations.joint.training import JointCell, joint_annotations
from learnability.metrics.scores import ANSWERED, Score, answered_scores
from learnability.running.records import Records
from learnability.support.options import shared


@dataclass(frozen=True)
class VerifiedScheme:
    """Represent a scheme trained alone, and tested on its own annotation.

    Attributes:
        transforms: its constructions; none for UD.
        why: `ud`, `single`, `advised` or `candidate` (among the K with the highest agreement).
        head_agreement: agreement with the preferences of the jointly trained parser (`joint.products`).
        uas, las, nucleus_uas: scores in percent, means over seeds. LAS is None for unlabelled parsers,
            nucleus UAS is None with `cc`.
        rank, las_rank, nucleus_rank: ranks by these scores, from 1; equal scores share the better rank.
        from_ud: by score, UD minus the scheme, with p corrected for all other schemes. None for UD, and where
            the test set has too few places at which the two differ.
        from_advised: the same for the recommended scheme minus this one.
    """

    transforms: tuple[str, ...]
    why: str
    head_agreement: float | None
    uas: float
    las: float | None
    nucleus_uas: float | None
    rank: int
    las_rank: int | None
    nucleus_rank: int | None
    from_ud: dict[Score, Difference | None]
    from_advised: dict[Score, Difference | None]


@dataclass(frozen=True)
class JointReport:
    """Hold the outcome of a joint study, as written to `joint.json`.

    It has counts of the training trees, which `JointTraining` explains.

    Attributes:
        iterations: for each seed, the number that the training on UD took.
        survival: what the jointly trained parser preferred, mean over seeds.
        advised_in: the number of seeds that, taken alone, recommend the same scheme.
        verified: the schemes trained to check the recommendation, the best first.
        uas_base, las_base: scores of UD on its own annotation, in percent, means over seeds; LAS is None if
            unlabelled.
    """

    treebank: str
    release: str
    transforms: tuple[str, ...]
    seeds: int
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
    verified: tuple[VerifiedScheme, ...]
    uas_base: float
    las_base: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the content of joint.json."""
        return {**values_of(self), "advised": asdict(self.survival.advised)}


def transformation_annotations(plan: RunPlan) -> dict[str, Annotation]:
    """Return the annotations with a single transformation, by the name of its rule."""
    return {annotation.parts[0].name: annotation for annotation in joint_annotations(plan.options)}


def joint_report(plan: RunPlan, records: Records, verify: int) -> JointReport | None:
    """Return the outcome of the joint trainings of a plan with one treebank, by the records that succeeded.

    Args:
        plan: the plan of the run.
        records: those that succeeded.
        verify: how many schemes are ranked; 0: those that an earlier command trained for this.

    Returns:
        The outcome; None if a training that it needs failed.
    """
    (files,) = plan.treebanks
    trained: dict[str, Any] = {"treebank": label(files), "parser": plan.multiref_parser or ""}
    base = trainings(records, BaseCell(**trained), plan.seeds)
    joint = [training for (training,) in find_results(records, JointCell(**trained), plan.seeds)]
    if not (base and joint):
        return None
    survival = mean_survival([training.survival for training in joint])
    verify = verify or _verified_before(plan, survival, records)
    verified = _verify_schemes(plan, survival, records, verify) if verify else ()
    if verified is None:
        return None
    # the counts are the same for all seeds
    facts = shared(JointReport, joint[0]) | {
        "iterations": tuple(training.iterations for training in joint),
        "survival": survival,
    }
    of_base: dict[str, Any] = {f"{score}_base": _mean_percent(base, score, plan) for score in ANSWERED}
    return JointReport(
        treebank=files.name,
        release=files.release,
        transforms=tuple(annotation.parts[0].name for annotation in joint_annotations(plan.options)),
        seeds=plan.options.seeds,
        **facts,
        advised_in=sum(
            training.survival.advised.transforms == survival.advised.transforms for training in joint
        ),
        verified=verified,
        **of_base,
    )


def scheme_cell(
    plan: RunPlan, annotation_of: Mapping[str, Annotation], transforms: Sequence[str]
) -> ComparisonCell[TrainingResult]:
    """Return the cell in which a combination of the transformations is trained, of seed 0.

    For UD and for single transformations, that is the cell of setting (a) or (b) of the run.
    """
    trained: dict[str, Any] = {"treebank": plan.single(), "parser": plan.multiref_parser or ""}
    if not transforms:
        return BaseCell(**trained)
    annotations = [annotation_of[name] for name in transforms]
    if len(annotations) == 1:
        return AlternativeCell(**trained, annotation=annotations[0])
    return OwnCell(
        **trained, annotation=join_transformations([annotation.spelling for annotation in annotations])
    )


def _verified_before(plan: RunPlan, survival: JointSurvival, records: Records) -> int:
    """Return how many schemes an earlier command verified, by their records.

    UD and single transformations are always recorded, so the last scheme that counts is a combination.
    """
    annotation_of = transformation_annotations(plan)
    verified = 0
    for number, scheme in enumerate(survival.schemes, start=1):
        if not trainings(records, scheme_cell(plan, annotation_of, scheme.transforms), plan.seeds):
            break
        if len(scheme.transforms) > 1:
            verified = number
    return verified


def _verify_schemes(
    plan: RunPlan, survival: JointSurvival, records: Records, verify: int
) -> tuple[VerifiedScheme, ...] | None:
    """Return UD, the single transformations and the most agreeing schemes, ranked; None if one failed."""
    name, annotation_of = plan.single(), transformation_annotations(plan)
    reasons: dict[tuple[str, ...], str] = {survival.advised.transforms: "advised"}
    for scheme in survival.schemes[:verify]:
        reasons.setdefault(scheme.transforms, "candidate")
    for entry in survival.survival:
        reasons.setdefault((entry.transform,), "single")
    reasons.setdefault((), "ud")
    agreement = {scheme.transforms: scheme.head_agreement for scheme in survival.schemes}
    trained = {
        transforms: trainings(records, scheme_cell(plan, annotation_of, transforms), plan.seeds)
        for transforms in reasons
    }
    if not all(trained.values()):
        return None
    scores = answered_scores(labelled=plan.options.labels is not None)
    percent = {
        score: [_mean_percent(results, score, plan) for results in trained.values()] for score in ANSWERED
    }
    nuclei = []
    for transforms, results in trained.items():
        keeps_nuclei = all(annotation_of[transform].keeps_nuclei for transform in transforms)
        nuclei.append(mean(result.nucleus_uas for result in results) if keeps_nuclei else None)
    places = {
        transform: test_places(records, name, annotation.spelling) or 0
        for transform, annotation in annotation_of.items()
    }
    columns: dict[str, Iterable[Any]] = {
        "transforms": reasons,
        "why": reasons.values(),
        "head_agreement": map(agreement.get, reasons),
        **{score.value: percent[score] for score in ANSWERED},
        "nucleus_uas": nuclei,
        **{f"{score.prefix}rank": _ranks(percent[score]) for score in ANSWERED},
        "nucleus_rank": _ranks(nuclei),
        "from_ud": _differences(trained, (), places, scores),
        "from_advised": _differences(trained, survival.advised.transforms, places, scores),
    }
    rows = zip(*columns.values(), strict=True)
    ranked = [VerifiedScheme(**dict(zip(columns, row, strict=True))) for row in rows]
    return tuple(sorted(ranked, key=lambda scheme: (scheme.rank, scheme.transforms)))


def _mean_percent(results: Sequence[TrainingResult], score: Score, plan: RunPlan) -> float | None:
    """Return the mean score over seeds; None if the parsers do not have it."""
    if score not in answered_scores(labelled=plan.options.labels is not None):
        return None
    return mean(result.percent(score) for result in results)


def _differences(
    trained: Mapping[tuple[str, ...], Sequence[TrainingResult]],
    first: tuple[str, ...],
    places: Mapping[str, int],
    scores: Iterable[Score],
) -> list[dict[Score, Difference | None]]:
    """Compare the scheme `first` with each; `places`: places in the test set, by construction."""
    by_scheme: list[dict[Score, Difference | None]] = [{} for _ in trained]
    for score in scores:
        differences = []
        for transforms, results in trained.items():
            differing = sum(places[transform] for transform in {*first} ^ {*transforms})
            comparison = compare_trainings(trained[first], results, score, differing)
            differences.append(None if comparison is None else Difference.of(comparison))
        for of_scheme, difference in zip(by_scheme, correct_differences(differences), strict=True):
            of_scheme[score] = difference
    return by_scheme


def _ranks(scores: Sequence[float | None]) -> list[int | None]:
    """Return ranks from 1, the highest score first; equal scores share the better rank, None has no rank."""
    present = [score - 1e-9 for score in scores if score is not None]  # means over seeds have rounding errors
    return [None if score is None else 1 + sum(other > score for other in present) for score in scores]
