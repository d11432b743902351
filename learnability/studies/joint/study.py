"""All transformations at once: a joint training, its advice, and the check of the advice (`run --joint`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from learnability.comparing.annotation import Annotation, transformed_of
from learnability.comparing.fold import Fold, TrainingReferences, transformed_parts
from learnability.comparing.judging import multiref_judge
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import JointTraining, Record, Training
from learnability.comparing.trainings import train_and_test, train_on_sets
from learnability.errors import InputError
from learnability.evidence.differences import Difference, compared, corrected
from learnability.evidence.grouping import Records, mean, test_sites, trainings, whole
from learnability.metrics.scores import Score, scores_of
from learnability.multiref.joint import JointSurvival, joint_survival, mean_survival, survivors
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.running.plan import Cell, Plan, label
from learnability.support.options import shared
from learnability.transforms.joint import JointTransformation


@dataclass(frozen=True)
class VerifiedScheme:
    """A scheme (`transforms` are none for UD) trained on its own references. `why`: `ud`, `single`, `advised`
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
    """The outcome of `run --joint`, as written to `joint.json`: counts of the training trees (see
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
        """What joint.json holds."""
        return {**asdict(self), "advised": asdict(self.survival.advised)}


def joint_annotations(options: ExperimentOptions) -> tuple[Annotation, ...]:
    """The single transformations among the conditions: what a joint training chooses between."""
    return tuple(annotation for annotation in transformed_of(options) if not annotation.is_scheme)


def check_joint(options: ExperimentOptions) -> None:
    """InputError for a joint training of fewer than two transformations or two variants of one, or with a
    system that has no multi-reference training."""
    if not options.joint:
        return
    annotations = joint_annotations(options)
    if len(annotations) < 2:
        raise InputError("--joint needs at least two transformations; give more --transform, or none for all")
    try:
        JointTransformation([annotation.any_rule for annotation in annotations])
    except InputError as error:
        raise InputError(f"--joint: {error}") from None
    if multiref_judge(options) is None:
        who = " or ".join(options.judges) or options.system
        raise InputError(f"--joint: no multi-reference training with {who}; choose arc-eager")


def joint_rule(fold: Fold, names: Sequence[str] | None = None) -> JointTransformation:
    """The transformations of the joint training together; `names`: only these."""
    rules = [fold.rule(annotation) for annotation in joint_annotations(fold.options)]
    return JointTransformation([rule for rule in rules if names is None or rule.name in names])


def train_joint(fold: Fold, seed: int, iterations: int) -> JointTraining:
    """Train once against the joint reference sets, and see what survives."""
    rule, options = joint_rule(fold), fold.options

    def joint_references() -> tuple[tuple[ReferenceSet, ...], TrainingReferences]:
        sets = tuple(
            reference_set(tree, rule, max_options=options.max_options, labels=options.labels)
            for tree in fold.ud.train
        )
        return sets, fold.encoded_references(sets)

    sets, references = fold.once("joint references", joint_references)
    trained, work = train_on_sets(fold, references, seed, iterations)
    names = [part.name for part in rule.parts]
    factors = [factor for own in sets for factor in own.factors]
    return JointTraining(
        **work,
        sentences=len(sets),
        sites=len(references.table.sentence),
        factors=len(factors),
        largest_factor=max((len(factor.sites) for factor in factors), default=0),
        largest_set=max((own.sites for own in sets), default=0),
        factors_in_parts=sum(bool(factor.parts) for factor in factors),
        factors_cut=references.table.factors_cut,
        survival=joint_survival(survivors(sets, names, trained.survival[-1])),
    )


def train_candidate(
    fold: Fold, seed: int, rank: int, joint: Sequence[Record]
) -> tuple[tuple[str, ...] | None, Training | None]:
    """The transformations of the scheme that is number `rank` by agreement with the survivors, and a training
    on it; `joint`: records of all seeds. UD and single transformations are not trained again: settings (a)
    and (b) are these trainings. Nothing where there are fewer schemes."""
    schemes = mean_survival([own.joint.survival for own in joint if own.joint]).schemes
    if rank > len(schemes):
        return None, None
    names = schemes[rank - 1].transforms
    if len(names) < 2:
        return names, None
    return names, train_and_test(fold, transformed_parts(fold, joint_rule(fold, names)), seed).record()


def joint_report(plan: Plan, records: Records) -> JointReport | None:
    """The outcome of the joint trainings of a plan with one treebank, by the records that succeeded; None if
    a training that it needs failed."""
    (files,) = plan.treebanks
    cell = Cell(label(files), "a", judge=plan.multiref_judge or "")
    original = trainings(records, cell, plan.seeds)
    joint = [own for (own,) in whole(records, replace(cell, setting="joint"), lambda r: r.joint, plan.seeds)]
    if not (original and joint):
        return None
    survival = mean_survival([own.survival for own in joint])
    verified = _verified(plan, survival, records) if plan.options.verify else ()
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
        transforms=tuple(annotation.any_rule.name for annotation in joint_annotations(plan.options)),
        seeds=plan.options.seeds,
        **facts,
        advised_in=sum(own.survival.advised.transforms == survival.advised.transforms for own in joint),
        verified=verified,
        uas_ud=mean(own.percent(Score.UAS) for own in original),
        las_ud=mean(own.percent(Score.LAS) for own in original) if plan.options.labels else None,
    )


def _verified(plan: Plan, survival: JointSurvival, records: Records) -> tuple[VerifiedScheme, ...] | None:
    """UD, the single transformations and the most agreeing schemes, ranked by UAS; None if one failed."""
    name, judge = label(plan.treebanks[0]), plan.multiref_judge or ""
    annotation_of = {a.any_rule.name: a for a in joint_annotations(plan.options)}
    reasons: dict[tuple[str, ...], str] = {survival.advised.transforms: "advised"}
    for scheme in survival.schemes[: plan.options.verify]:
        reasons.setdefault(scheme.transforms, "candidate")
    for entry in survival.survival:
        reasons.setdefault((entry.transform,), "single")
    reasons.setdefault((), "ud")
    agreement = {scheme.transforms: scheme.head_agreement for scheme in survival.schemes}
    ranks = {scheme.transforms: rank for rank, scheme in enumerate(survival.schemes, start=1)}

    def cell(transforms: tuple[str, ...]) -> Cell:
        if len(transforms) > 1:
            return Cell(name, "verify", rank=ranks[transforms], judge=judge)
        if transforms:
            return Cell(name, "b", annotation_of[transforms[0]], judge=judge)
        return Cell(name, "a", judge=judge)

    trained = {transforms: trainings(records, cell(transforms), plan.seeds) for transforms in reasons}
    if not all(trained.values()):
        return None
    scores = scores_of(labelled=plan.options.labels is not None)
    uas, las = (
        [mean(t.percent(score) for t in own) if score in scores else None for own in trained.values()]
        for score in Score
    )
    nuclei = [
        mean(training.nucleus_uas for training in own)
        if all(annotation_of[one].any_rule.keeps_nuclei for one in transforms)
        else None
        for transforms, own in trained.items()
    ]
    sites = {t: test_sites(records, name, annotation) or 0 for t, annotation in annotation_of.items()}
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
    trained: Mapping[tuple[str, ...], Sequence[Training]],
    first: tuple[str, ...],
    sites: Mapping[str, int],
    scores: Iterable[Score],
) -> list[dict[Score, Difference | None]]:
    """The scheme `first` against each by its own reference; `sites`: in the test part, by transformation."""
    between = [sum(sites[name] for name in {*first} ^ {*other}) for other in trained]
    others = list(zip(trained.values(), between, strict=True))
    by_score = {s: corrected([compared(trained[first], own, s, n) for own, n in others]) for s in scores}
    return [{score: own[i] for score, own in by_score.items()} for i in range(len(trained))]


def _ranks(scores: Sequence[float | None]) -> list[int | None]:
    """From 1, the highest score first; equal scores share the better rank, and what is None has none."""
    present = [score - 1e-9 for score in scores if score is not None]  # means over seeds have rounding errors
    return [None if score is None else 1 + sum(other > score for other in present) for score in scores]
