"""All transformations at once: a joint training, its advice, and the check of the advice (`run --joint`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from learnability.experiments.data import Fold
from learnability.experiments.scheme_training import SchemeTraining, train_scheme
from learnability.multiref.joint import JointSurvival, joint_survival, survivors
from learnability.multiref.references import MAX_OPTIONS, encode_references, reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing.parser import ParserOptions
from learnability.transforms import JointTransformation, Transformation

Notify = Callable[[str], None]


@dataclass(frozen=True)
class VerifiedScheme:
    """A scheme trained on its own references.

    Attributes:
        transforms: its transformations, none for UD.
        why: `ud`, `single`, `advised` or `candidate` (among the K with the highest agreement).
        factor_agreement: its agreement with the survivors; None if it was not computed.
        uas: own-reference UAS in percent, mean over seeds, punctuation included.
        nucleus_uas: None where it is not defined (with `cc`).
        rank: from 1, by `uas` among the verified schemes; equal scores share the better rank.
        nucleus_rank: by `nucleus_uas`; None where that is not defined.
    """

    transforms: tuple[str, ...]
    why: str
    factor_agreement: float | None
    uas: float
    nucleus_uas: float | None
    rank: int
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
        survival: what survived.
        verified: the schemes trained to check the advice; empty without `verify`.
        uas_ud: own-reference UAS of UD, percent, mean over seeds.
        seconds_per_iteration: kernel seconds of joint and UD training; times do not enter joint.json.
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
    seconds_per_iteration: tuple[float, float]

    def as_json(self) -> dict[str, Any]:
        """What joint.json holds: everything but times."""
        found = asdict(self)
        del found["seconds_per_iteration"]
        found["advised"] = asdict(self.survival.advised)
        return found


def run_joint(
    fold: Fold,
    parts: Sequence[Transformation],
    options: ParserOptions,
    *,
    seeds: int = 1,
    verify: int = 0,
    max_options: int = MAX_OPTIONS,
    notify: Notify = lambda what: None,
) -> JointReport:
    """Train against the joint reference sets of `parts`, once per seed (1, 2, ...), and read the survivors.

    `options`: the parser's; its seed is replaced. `verify`: train the pure schemes with the K highest
    agreements, UD and the single transformations as well, and rank them. `notify` is told what begins.
    """
    whole = JointTransformation(parts)
    sets = [reference_set(tree, whole, max_options=max_options) for tree in fold.train_ready]
    references, table = encode_references(fold.train_corpus, sets)
    original, survived, seconds = [], [], [0.0, 0.0]
    for seed in range(1, seeds + 1):
        notify(f"UD, seed {seed}")
        ud = train_scheme(fold, None, options, seed)
        notify(f"joint training, seed {seed}")
        joint = train_on_references(
            fold.train_corpus, references, table, _with_seed(options, seed), ud.iterations
        )
        original.append(ud)
        survived.append(joint.survival[-1])
        seconds[0] += joint.seconds / joint.iterations
        seconds[1] += ud.seconds / ud.iterations
    names = [part.name for part in parts]
    survival = joint_survival(survivors(sets, names, survived))
    factors = [factor for references_of in sets for factor in references_of.factors]
    verified: tuple[VerifiedScheme, ...] = ()
    if verify:
        verified = verified_schemes(fold, parts, options, survival, original, verify, notify)
    return JointReport(
        treebank=fold.treebank.name,
        release=fold.treebank.release,
        transforms=tuple(names),
        seeds=seeds,
        iterations=tuple(ud.iterations for ud in original),
        sentences=len(sets),
        sites=len(table.sentence),
        factors=len(factors),
        largest_factor=max((len(factor.sites) for factor in factors), default=0),
        largest_set=max((references_of.sites for references_of in sets), default=0),
        factors_in_parts=sum(bool(factor.parts) for factor in factors),
        factors_cut=table.factors_cut,
        survival=survival,
        verified=verified,
        uas_ud=_mean([ud.uas for ud in original]),
        seconds_per_iteration=(seconds[0] / seeds, seconds[1] / seeds),
    )


def verified_schemes(
    fold: Fold,
    parts: Sequence[Transformation],
    options: ParserOptions,
    survival: JointSurvival,
    original: Sequence[SchemeTraining],
    count: int,
    notify: Notify = lambda what: None,
) -> tuple[VerifiedScheme, ...]:
    """UD, the single transformations and the `count` most agreeing schemes, trained and ranked by UAS.

    `original`: the trainings on UD, one per seed.
    """
    by_name = {part.name: part for part in parts}
    agreement = {scheme.transforms: scheme.factor_agreement for scheme in survival.schemes}
    reasons: dict[tuple[str, ...], str] = {survival.advised.transforms: "advised"}
    for scheme in survival.schemes[:count]:
        reasons.setdefault(scheme.transforms, "candidate")
    for entry in survival.survival:
        reasons.setdefault((entry.transform,), "single")
    reasons.setdefault((), "ud")
    scored = []
    for transforms, why in reasons.items():
        trained = list(original)
        if transforms:
            rule = JointTransformation([by_name[name] for name in transforms])
            trained = []
            for seed in range(1, len(original) + 1):
                notify(f"{'+'.join(transforms)}, seed {seed}")
                trained.append(train_scheme(fold, rule, options, seed))
        nucleus = None if "cc" in transforms else _mean([one.nucleus_uas for one in trained])
        scored.append((transforms, why, _mean([one.uas for one in trained]), nucleus))
    scores = [uas for _, _, uas, _ in scored]
    nuclei = [nucleus for _, _, _, nucleus in scored if nucleus is not None]
    ranked = [
        VerifiedScheme(
            transforms, why, agreement.get(transforms), uas, nucleus, _rank(uas, scores),
            None if nucleus is None else _rank(nucleus, nuclei),
        )
        for transforms, why, uas, nucleus in scored
    ]  # fmt: skip
    return tuple(sorted(ranked, key=lambda scheme: (scheme.rank, scheme.transforms)))


def _with_seed(options: ParserOptions, seed: int) -> ParserOptions:
    from dataclasses import replace

    return replace(options, seed=seed)


def _rank(score: float, scores: Sequence[float]) -> int:
    return 1 + sum(other > score for other in scores)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
