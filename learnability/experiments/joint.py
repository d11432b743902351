"""All transformations at once: a joint training, its advice, and the check of the advice (`run --joint`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from learnability.errors import InputError
from learnability.experiments.data import SCHEME, Fold, transformation_of
from learnability.experiments.options import ExperimentOptions, has_multiref
from learnability.experiments.plan import Cell, Plan, label
from learnability.experiments.scheme_training import mean_nucleus_uas, mean_score, train_scheme
from learnability.multiref.arrays import SiteTable, encode_references, label_names
from learnability.multiref.joint import (
    JointSurvival,
    joint_survival,
    mean_survival,
    survival_from_json,
    survivors,
)
from learnability.multiref.oracle import References
from learnability.multiref.references import LabelOption, ReferenceSet, reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing.parser import ParserOptions
from learnability.transforms import JointTransformation
from learnability.treebanks.sentence import Conventions

Record = dict[str, Any]


ROUNDING = 1e-9
"""Scores that differ by less are equal: they are means over seeds, with rounding errors."""


@dataclass(frozen=True)
class VerifiedScheme:
    """A scheme trained on its own references.

    Attributes:
        transforms: its transformations, none for UD.
        why: `ud`, `single`, `advised` or `candidate` (among the K with the highest agreement).
        head_agreement: its agreement with the survivors (`multiref.joint`), by which it was advised or not.
        uas: own-reference UAS in percent, mean over seeds, punctuation included.
        las: own-reference LAS; None where the parsers are unlabelled.
        nucleus_uas: None where it is not defined (with `cc`).
        rank: from 1, by `uas` among the verified schemes; equal scores share the better rank.
        las_rank, nucleus_rank: by `las` and `nucleus_uas`; None where these are.
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


@dataclass(frozen=True)
class JointReport:
    """The outcome of `run --joint`, as written to `joint.json`.

    Attributes:
        treebank, release, transforms, seeds: what was run.
        iterations: per seed, those of the joint training, as many as the training on UD took.
        sentences, sites, factors: of the training trees.
        largest_factor: the most sites of a factor.
        largest_set: the base-2 logarithm of the size of the largest reference set.
        factors_in_parts, factors_cut: large factors kept exactly, and cut to two options.
        survival: what survived, mean over seeds.
        verified: the schemes trained to check the advice, the best first; empty without `verify`.
        uas_ud, las_ud: own-reference UAS and LAS of UD, percent, mean over seeds; no LAS if unlabelled.
    """

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
    verified: tuple[VerifiedScheme, ...]
    uas_ud: float
    las_ud: float | None

    def as_json(self) -> dict[str, Any]:
        """What joint.json holds."""
        return {**asdict(self), "advised": asdict(self.survival.advised)}


def joint_conditions(options: ExperimentOptions) -> tuple[str, ...]:
    """The conditions that are single transformations: what a joint training chooses between."""
    return tuple(name for name in options.conditions if not name.startswith(SCHEME))


def check_joint(options: ExperimentOptions) -> None:
    """Refuse a joint training that cannot be.

    Raises:
        InputError: fewer than two transformations, one of them in two variants, or a system without
            multi-reference training.
    """
    if not options.joint:
        return
    names = joint_conditions(options)
    if len(names) < 2:
        raise InputError("--joint needs at least two transformations; give more --transform, or none for all")
    try:
        JointTransformation([transformation_of(name, Conventions()) for name in names])
    except InputError as error:
        raise InputError(f"--joint: {error}") from None
    if not has_multiref(options.system):
        raise InputError(f"--joint: no multi-reference training with {options.system}; choose arc-eager")


@lru_cache(maxsize=1)
def _joint_references(
    fold: Fold, conditions: tuple[str, ...], max_options: int, labels: LabelOption | None
) -> tuple[tuple[ReferenceSet, ...], list[str], References, SiteTable]:
    """The joint reference sets of the training trees and their labels; the trainings of all seeds share them.

    Without `labels` (rule 2.8) there are none.
    """
    whole = JointTransformation([transformation_of(name, fold.treebank.conventions) for name in conditions])
    sets = tuple(
        reference_set(tree, whole, max_options=max_options, labels=labels) for tree in fold.train_ready
    )
    names = label_names(sets) if labels else []
    return sets, names, *encode_references(fold.train_corpus, sets, names)


def train_joint(fold: Fold, options: ExperimentOptions, parser: ParserOptions, iterations: int) -> Record:
    """Train once against the joint reference sets; the record of what survived (`JointSurvival`)."""
    conditions = joint_conditions(options)
    sets, labels, references, table = _joint_references(fold, conditions, options.max_options, options.labels)
    trained = train_on_references(fold.train_corpus, references, table, parser, iterations, labels=labels)
    names = [transformation_of(name, fold.treebank.conventions).name for name in conditions]
    factors = [factor for own in sets for factor in own.factors]
    return {
        "iterations": iterations,
        "sentences": len(sets),
        "sites": len(table.sentence),
        "factors": len(factors),
        "largest_factor": max((len(factor.sites) for factor in factors), default=0),
        "largest_set": max((own.sites for own in sets), default=0),
        "factors_in_parts": sum(bool(factor.parts) for factor in factors),
        "factors_cut": table.factors_cut,
        "survival": asdict(joint_survival(survivors(sets, names, trained.survival[-1]))),
        "kernel_seconds": round(trained.seconds, 4),
        "trained_tokens": fold.train_corpus.tokens() * iterations,
        "features": trained.features,
    }


def train_candidate(
    fold: Fold, options: ExperimentOptions, parser: ParserOptions, rank: int, joint: Sequence[Record]
) -> Record:
    """Train on the scheme that is number `rank` by agreement with the survivors; `joint`: of all seeds.

    UD and single transformations are not trained again: settings (a) and (b) are these trainings. Where
    there are fewer schemes than that, `transforms` is None.
    """
    schemes = _survival(joint).schemes
    if rank > len(schemes):
        return {"transforms": None}
    names = schemes[rank - 1].transforms
    if len(names) < 2:
        return {"transforms": names}
    parts = [transformation_of(name, fold.treebank.conventions) for name in joint_conditions(options)]
    rule = JointTransformation([part for part in parts if part.name in names])
    return {
        "transforms": names,
        **train_scheme(fold, rule, parser, parser.seed, labels=options.labels).record(),
    }


def _survival(joint: Sequence[Record]) -> JointSurvival:
    return mean_survival([survival_from_json(record["survival"]) for record in joint])


def joint_report(plan: Plan, records: Mapping[str, Record]) -> JointReport | None:
    """The outcome of the joint trainings of a plan with one treebank; `records`: those that succeeded.

    None if a training that it needs failed.
    """
    (files,) = plan.treebanks
    cells = [cell for cell in plan.cells() if cell.setting in ("a", "joint", "verify")]
    if not all(cell.key in records for cell in cells):
        return None
    original, joint = (
        [records[cell.key] for cell in cells if cell.setting == setting] for setting in ("a", "joint")
    )
    survival = _survival(joint)
    verified = _verified(plan, survival, records) if plan.options.verify else ()
    if verified is None:
        return None
    first = joint[0]
    return JointReport(
        treebank=files.name,
        release=files.release,
        transforms=tuple(_condition_by_name(plan)),
        seeds=plan.options.seeds,
        iterations=tuple(record["iterations"] for record in joint),
        **{name: first[name] for name in COUNTS},
        survival=survival,
        verified=verified,
        uas_ud=mean_score(original),
        las_ud=mean_score(original, "las_correct") if plan.options.labels else None,
    )


COUNTS = (
    *("sentences", "sites", "factors", "largest_factor", "largest_set"),
    *("factors_in_parts", "factors_cut"),
)
"""What the records of all seeds say alike."""


def _condition_by_name(plan: Plan) -> dict[str, str]:
    """The conditions of the joint training by the name of the transformation (`cop` of `cop:...`)."""
    return {
        transformation_of(condition, Conventions()).name: condition
        for condition in joint_conditions(plan.options)
    }


def _verified(
    plan: Plan, survival: JointSurvival, records: Mapping[str, Record]
) -> tuple[VerifiedScheme, ...] | None:
    """UD, the single transformations and the most agreeing schemes, ranked by UAS; None if one failed."""
    name, seeds = label(plan.treebanks[0]), range(1, plan.options.seeds + 1)
    conditions = _condition_by_name(plan)
    count = plan.options.verify
    reasons: dict[tuple[str, ...], str] = {survival.advised.transforms: "advised"}
    for scheme in survival.schemes[:count]:
        reasons.setdefault(scheme.transforms, "candidate")
    for entry in survival.survival:
        reasons.setdefault((entry.transform,), "single")
    reasons.setdefault((), "ud")
    agreement = {scheme.transforms: scheme.head_agreement for scheme in survival.schemes}
    ranks = {scheme.transforms: str(rank) for rank, scheme in enumerate(survival.schemes, start=1)}

    def cell(transforms: tuple[str, ...], seed: int) -> Cell:
        if len(transforms) > 1:
            return Cell(name, "verify", ranks[transforms], seed)
        return Cell(name, "b", conditions[transforms[0]], seed) if transforms else Cell(name, "a", "", seed)

    scored: list[dict[str, Any]] = []
    for transforms, why in reasons.items():
        keys = [cell(transforms, seed).key for seed in seeds]
        if not all("correct" in records.get(key, {}) for key in keys):
            return None
        trained = [records[key] for key in keys]
        scored.append(
            {
                "transforms": transforms,
                "why": why,
                "head_agreement": agreement.get(transforms),
                "uas": mean_score(trained),
                "las": mean_score(trained, "las_correct") if plan.options.labels else None,
                "nucleus_uas": None if "cc" in transforms else mean_nucleus_uas(trained),
            }
        )
    ranks_of = {score: _ranks([own[score] for own in scored]) for score in ("uas", "las", "nucleus_uas")}
    ranked = [
        VerifiedScheme(**own, rank=rank or 0, las_rank=las_rank, nucleus_rank=nucleus_rank)
        for own, rank, las_rank, nucleus_rank in zip(scored, *ranks_of.values(), strict=True)
    ]
    return tuple(sorted(ranked, key=lambda scheme: (scheme.rank, scheme.transforms)))


def _ranks(scores: Sequence[float | None]) -> list[int | None]:
    """From 1, the highest score first; equal scores share the better rank, and what is None has none."""
    present = [score for score in scores if score is not None]
    return [
        None if score is None else 1 + sum(other > score + ROUNDING for other in present) for score in scores
    ]
