"""What joint trainings show: survival, the advised scheme, and whether the advice holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from learnability.comparing.annotation import Annotation
from learnability.comparing.names import together
from learnability.comparing.plan import RunPlan, label
from learnability.comparing.results import TrainingResult
from learnability.comparing.settings import AlternativeCell, ComparisonCell, OriginalCell, OwnCell
from learnability.evidence.differences import Difference, compared, corrected, values_of
from learnability.evidence.grouping import mean, test_sites, trainings, whole
from learnability.metrics.scores import Score, scores_of
from learnability.multiref.joint import JointSurvival, mean_survival
from learnability.running.records import Records
from learnability.studies.joint.training import JointCell, joint_annotations
from learnability.support.options import shared


@dataclass(frozen=True)
class VerifiedScheme:
    """A scheme (`transforms` are none for UD) trained on its own annotation. `why`: `ud`, `single`, `advised`
    or `candidate` (among the K with the highest agreement); `head_agreement`: with the survivors
    (`multiref.joint`). Own-reference scores in percent, mean over seeds; None as LAS of unlabelled parsers
    and as nucleus UAS with `cc`. Ranks by these scores, from 1; equal scores share the better rank. By score
    `from_ud` is UD minus the scheme, `from_advised` the advised scheme minus it, p corrected for all the
    others; None for themselves and where the test part has too few sites of where the two differ."""

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
    """The outcome of a joint study, as written to `joint.json`: counts of the training trees (see
    `JointTraining`), what survived (mean over seeds), in how many seeds by themselves the advised scheme
    agrees best with the survivors (`advised_in`), the schemes trained to check the advice (the best first),
    and own-reference scores of UD (percent, mean over seeds; no LAS if unlabelled). `iterations`: per seed,
    as many as the training on UD took."""

    treebank: str
    release: str
    transforms: tuple[str, ...]
    seeds: int
    iterations: tuple[int, ...]
    sentences: int
    sites: int
    factors: int
    largest_factor: int
    largest_set: int
    factors_in_parts: int
    factors_cut: int
    survival: JointSurvival
    advised_in: int
    verified: tuple[VerifiedScheme, ...]
    uas_ud: float
    las_ud: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the content of joint.json."""
        return {**values_of(self), "advised": asdict(self.survival.advised)}


def transformation_annotations(plan: RunPlan) -> dict[str, Annotation]:
    """Return the single transformations among the conditions, by the name of the rule."""
    return {annotation.parts[0].name: annotation for annotation in joint_annotations(plan.options)}


def joint_report(plan: RunPlan, records: Records, verify: int) -> JointReport | None:
    """Return the outcome of the joint trainings of a plan with one treebank, by the records that succeeded.

    Args:
        plan: of the run.
        records: those that succeeded.
        verify: how many schemes are ranked; 0: those that an earlier command trained for this.

    Returns:
        The outcome; None if a training that it needs failed.
    """
    (files,) = plan.treebanks
    trained: dict[str, Any] = {"treebank": label(files), "judge": plan.multiref_judge or ""}
    original = trainings(records, OriginalCell(**trained), plan.seeds)
    joint = [training for (training,) in whole(records, JointCell(**trained), plan.seeds)]
    if not (original and joint):
        return None
    survival = mean_survival([training.survival for training in joint])
    verify = verify or _verified_before(plan, survival, records)
    verified = _verified(plan, survival, records, verify) if verify else ()
    if verified is None:
        return None
    # the counts are the same for all seeds
    facts = shared(JointReport, joint[0]) | {
        "iterations": tuple(own.iterations for own in joint),
        "survival": survival,
    }
    return JointReport(
        treebank=files.name,
        release=files.release,
        transforms=tuple(annotation.parts[0].name for annotation in joint_annotations(plan.options)),
        seeds=plan.options.seeds,
        **facts,
        advised_in=sum(own.survival.advised.transforms == survival.advised.transforms for own in joint),
        verified=verified,
        uas_ud=mean(own.percent(Score.UAS) for own in original),
        las_ud=mean(own.percent(Score.LAS) for own in original) if plan.options.labels else None,
    )


def scheme_cell(
    plan: RunPlan, annotation_of: Mapping[str, Annotation], transforms: Sequence[str]
) -> ComparisonCell[TrainingResult]:
    """Return the cell in which a combination of the transformations is trained, of seed 0.

    Of UD and of single transformations that is setting (a) and (b) of the run.
    """
    trained: dict[str, Any] = {"treebank": plan.single(), "judge": plan.multiref_judge or ""}
    if not transforms:
        return OriginalCell(**trained)
    annotations = [annotation_of[name] for name in transforms]
    if len(annotations) == 1:
        return AlternativeCell(**trained, annotation=annotations[0])
    return OwnCell(**trained, annotation=together([annotation.spelling for annotation in annotations]))


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


def _verified(
    plan: RunPlan, survival: JointSurvival, records: Records, verify: int
) -> tuple[VerifiedScheme, ...] | None:
    """UD, the single transformations and the most agreeing schemes, ranked by UAS; None if one failed."""
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
    scores = scores_of(labelled=plan.options.labels is not None)
    uas, las = (
        [mean(t.percent(score) for t in own) if score in scores else None for own in trained.values()]
        for score in Score
    )
    nuclei = [
        mean(training.nucleus_uas for training in own)
        if all(annotation_of[one].keeps_nuclei for one in transforms)
        else None
        for transforms, own in trained.items()
    ]
    sites = {
        t: test_sites(records, name, annotation.spelling) or 0 for t, annotation in annotation_of.items()
    }
    columns: dict[str, Iterable[Any]] = {
        "transforms": reasons,
        "why": reasons.values(),
        "head_agreement": map(agreement.get, reasons),
        "uas": uas,
        "las": las,
        "nucleus_uas": nuclei,
        "rank": _ranks(uas),
        "las_rank": _ranks(las),
        "nucleus_rank": _ranks(nuclei),
        "from_ud": _differences(trained, (), sites, scores),
        "from_advised": _differences(trained, survival.advised.transforms, sites, scores),
    }
    rows = zip(*columns.values(), strict=True)
    ranked = [VerifiedScheme(**dict(zip(columns, row, strict=True))) for row in rows]
    return tuple(sorted(ranked, key=lambda scheme: (scheme.rank, scheme.transforms)))


def _differences(
    trained: Mapping[tuple[str, ...], Sequence[TrainingResult]],
    first: tuple[str, ...],
    sites: Mapping[str, int],
    scores: Iterable[Score],
) -> list[dict[Score, Difference | None]]:
    """Compare the scheme `first` with each; `sites`: places in the test set, by construction."""
    between = [sum(sites[name] for name in {*first} ^ {*other}) for other in trained]
    others = list(zip(trained.values(), between, strict=True))
    by_score = {}
    for score in scores:
        comparisons = [compared(trained[first], other, score, places) for other, places in others]
        by_score[score] = corrected([None if c is None else Difference.of(c) for c in comparisons])
    return [{score: own[i] for score, own in by_score.items()} for i in range(len(trained))]


def _ranks(scores: Sequence[float | None]) -> list[int | None]:
    """From 1, the highest score first; equal scores share the better rank, and what is None has none."""
    present = [score - 1e-9 for score in scores if score is not None]  # means over seeds have rounding errors
    return [None if score is None else 1 + sum(other > score for other in present) for score in scores]
