"""What `run` does beyond its table: the joint training (--joint) and learning curves (--learning-curve).

Both write one JSON file into the folder of the run and say the outcome in words on stderr.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnability.commands.streams import note
from learnability.errors import InputError
from learnability.files import write_atomically

if TYPE_CHECKING:
    from learnability.experiments.data import Fold
    from learnability.experiments.joint import JointReport
    from learnability.experiments.plan import ExperimentOptions
    from learnability.parsing.parser import ParserOptions
    from learnability.treebanks import TreebankFiles

JOINT = "joint.json"
CURVES = "learning_curve.json"


def check_joint(options: ExperimentOptions) -> None:
    """Refuse what --joint cannot do, before anything is run.

    Raises:
        InputError: fewer than two transformations, or a system without multi-reference training.
    """
    from learnability.experiments.plan import WITHOUT_MULTIREF

    if len(_single(options)) < 2:
        raise InputError("--joint needs at least two transformations; give more --transform, or none for all")
    if options.system in WITHOUT_MULTIREF:
        raise InputError(f"--joint: no multi-reference training with {options.system}; choose arc-eager")


def write_joint(
    files: TreebankFiles, options: ExperimentOptions, folder: Path, verify: int, *, quiet: bool
) -> None:
    """Train against the single transformations among the conditions together, and write joint.json.

    Raises:
        InputError: a cross-validated treebank, or as :func:`check_joint`.
    """
    from learnability.experiments.data import transformation_of
    from learnability.experiments.joint import run_joint

    check_joint(options)
    fold, parser = _data(files, options, "--joint")
    report = run_joint(
        fold,
        [transformation_of(name, fold.treebank.conventions) for name in _single(options)],
        parser,
        seeds=options.seeds,
        verify=verify,
        max_options=options.max_options,
        notify=lambda what: note(f"joint: {what}", quiet=quiet),
    )
    _write(folder / JOINT, report.as_json())
    for line in joint_lines(report):
        note(line, quiet=quiet)


def _single(options: ExperimentOptions) -> list[str]:
    """The conditions that are single transformations."""
    from learnability.experiments.data import SCHEME

    return [name for name in options.conditions if not name.startswith(SCHEME)]


def joint_lines(report: JointReport) -> list[str]:
    """The outcome in words."""
    advised = report.survival.advised
    shares = ", ".join(f"{s.transform} {100 * s.transformed_share:.0f} %" for s in report.survival.survival)
    lines = [
        f"survived transformed: {shares}",
        f"advised scheme: {_name(advised.transforms)} "
        f"({100 * advised.factor_agreement:.0f} % of {report.factors} factors agree)",
    ]
    if report.factors_cut:
        lines.append(f"{report.factors_cut} factors cut to two options; a larger --max-options keeps all")
    for scheme in report.verified:
        if scheme.transforms == advised.transforms:
            best = report.verified[0]
            lines.append(
                f"verified: the advised scheme is number {scheme.rank} of {len(report.verified)} with "
                f"{scheme.uas:.2f} UAS; first is {_name(best.transforms)} with {best.uas:.2f}"
            )
    return lines


def write_learning_curves(
    files: TreebankFiles, options: ExperimentOptions, folder: Path, *, quiet: bool
) -> None:
    """The learning curves of UD and of every condition with sites, in learning_curve.json.

    Raises:
        InputError: a cross-validated treebank.
    """
    from learnability.experiments.data import SCHEME, transformation_of
    from learnability.experiments.learning_curve import learning_curve

    fold, parser = _data(files, options, "--learning-curve")
    curves = []
    for condition in options.conditions:
        rule = transformation_of(condition, fold.treebank.conventions)
        if not fold.trains_on(rule):
            continue
        name = condition.removeprefix(SCHEME)
        curve = learning_curve(fold, name, rule, parser, seeds=options.seeds)
        curves.append(curve.as_json())
        gain = -curve.area_delta
        note(f"learning curve: {name} {gain:+.2f} points of mean UAS against UD", quiet=quiet)
    _write(folder / CURVES, {"curves": curves})


def _data(files: TreebankFiles, options: ExperimentOptions, option: str) -> tuple[Fold, ParserOptions]:
    """The data and the parser of the run."""
    from learnability.experiments.cells import parser_options
    from learnability.experiments.data import fold_of

    fold = fold_of(files, options, 0)
    if fold.cross_validated:
        raise InputError(f"{option} does not cross-validate; give --missing-train split, or --split")
    return fold, parser_options(options, 1)


def _write(path: Path, content: dict[str, Any]) -> None:
    write_atomically(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _name(transforms: tuple[str, ...]) -> str:
    return "+".join(transforms) or "UD"
