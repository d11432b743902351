"""One cell of a run, computed: from the treebank's files to a record."""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.condition import Condition
from learnability.comparing.criteria import MeasuredTrees, measured
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.on_fold import AnnotatedFold, Trees
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Measures, Record
from learnability.comparing.short_trainings import ITERATIONS, train_pair
from learnability.comparing.trainings import train_annotation, train_on_both
from learnability.multiref.contrasts import UNCHANGED, Heads, kinds_of_change
from learnability.parsing.projectivity import is_projective
from learnability.running.plan import Cell
from learnability.studies.joint.study import train_candidate, train_joint
from learnability.support.memory import peak_memory
from learnability.treebanks.locate import TreebankFiles

Masks = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Of the training and of the dev sentences, which are projective in both annotations."""


def run_cell(
    files: TreebankFiles,
    options: ExperimentOptions,
    cell: Cell,
    needed: Sequence[Record],
    sha256: Mapping[str, str],
) -> Record:
    """The record of a cell, from the records of those that it needs (`Plan.needed`). InputError if the
    treebank's files do not have the `sha256` they had when the run was planned."""
    began = time.perf_counter()
    fold = fold_of(files, options, cell.fold)
    fold.check_unchanged(sha256)
    prepared = time.perf_counter()
    record = cell.record(**result(fold, cell, needed))
    return msgspec.structs.replace(
        record,
        wall_seconds=round(time.perf_counter() - began, 3),
        read_seconds=round(prepared - began, 3),
        worker=f"{socket.gethostname()}:{os.getpid()}",
        peak_memory_mb=peak_memory(),
    )


def result(fold: Fold, cell: Cell, needed: Sequence[Record]) -> dict[str, Any]:
    """The fields of the cell's record that tell what came out."""
    condition = Condition(fold.original.annotation, cell.annotation) if cell.annotation else None
    if cell.setting in ("a", "b", "curve"):
        keep = fold.options.trees and cell.seed == 1 and cell.fold == 0
        return {"training": train_annotation(fold, condition, cell.seed, share=cell.share, keep=keep)}
    if cell.setting == "joint":
        return {"joint": train_joint(fold, cell.seed, iterations_of(needed))}
    if cell.setting == "verify":
        transforms, training = train_candidate(fold, cell.seed, cell.rank, needed)
        return {"transforms": transforms, "training": training}
    assert condition is not None
    if cell.setting == "short":
        return {"pair": train_pair(fold, condition, cell.share, cell.seed)}
    if cell.setting == "c":
        return {"survival": train_on_both(fold, condition, cell.seed, iterations_of(needed))}
    return {"measures": measure(fold, condition)}


def iterations_of(needed: Sequence[Record]) -> int:
    """How long setting (a) trained; as long as a short training where it is not needed."""
    if not needed:
        return ITERATIONS
    assert needed[0].training is not None
    return needed[0].training.iterations


class OriginalMeasures:
    """The measures of an original annotation, which are mostly of the same sentences for all conditions."""

    def __init__(self, fold: Fold) -> None:
        self._values: dict[tuple[Annotation, Masks], dict[str, float]] = {}

    def of(self, annotation: Annotation, train: Trees, dev: Trees, masks: Masks) -> dict[str, float]:
        """Return the values of all measures, where `masks` say which trees are projective."""
        if (annotation, masks) not in self._values:
            self._values[annotation, masks] = measured(MeasuredTrees(train, dev, *masks))
        return self._values[annotation, masks]


def measure(fold: Fold, condition: Condition) -> Measures:
    """Return the counts of a condition and its measures, on training trees that are not lifted; perplexity
    and complexity on the sentences that are projective in both annotations."""
    compared = fold.compared(condition)
    contrast = compared.contrast
    sides = [contrast.sides(tree) for tree in fold.train]
    skipped = sum((side.skipped for side in sides), Counter[str]())
    changed = [sum(a != b for a, b in zip(side.original, side.transformed, strict=True)) for side in sides]
    counts = Measures(
        sites=sum(len(side.sites) for side in sides),
        sentences=len(fold.train),
        sentences_changed=sum(tokens > 0 for tokens in changed),
        tokens_changed=sum(changed),
        test_sites=sum(map(len, compared.test_sites())),
        train_tokens=sum(map(len, fold.train)),
        nonprojective_train=fold.nonprojective,
        skipped=dict(sorted(skipped.items())),
        changes=None if condition.has_rules else _changes(fold, condition),
    )
    if counts.sites == 0 and not compared.exists:
        return counts
    dev_sides = [contrast.sides(tree) for tree in fold.ud.dev]
    first = AnnotatedFold(fold, condition.original)
    second = AnnotatedFold(fold, condition.transformed)
    train = _trees(first, fold.train, [side.original for side in sides])
    dev = _trees(first, fold.ud.dev, [side.original for side in dev_sides])
    other_train = _trees(second, fold.train, [side.transformed for side in sides])
    other_dev = _trees(second, fold.ud.dev, [side.transformed for side in dev_sides])
    masks = _projective_in_both(train, other_train), _projective_in_both(dev, other_dev)
    original = fold.kept(OriginalMeasures).of(condition.original, train, dev, masks)
    transformed = measured(MeasuredTrees(other_train, other_dev, *masks))
    values = {name: (value, transformed[name]) for name, value in original.items()}
    return msgspec.structs.replace(counts, values=values)


def _changes(fold: Fold, condition: Condition) -> dict[str, tuple[int, int]]:
    """Return by kind of change the training tokens with another head, and those of which only the relation
    differs."""
    heads, relations = Counter[str](), Counter[str]()
    for tree in fold.train:
        first, second = fold.change(condition.original)(tree), fold.change(condition.transformed)(tree)
        kinds = kinds_of_change(first, second, labelled=True)
        for kind, a, b in zip(kinds, first.heads, second.heads, strict=True):
            (relations if a == b else heads)[kind] += 1
    del relations[UNCHANGED]
    return {kind: (heads[kind], relations[kind]) for kind in sorted(heads | relations)}


def _trees(annotated: AnnotatedFold, trees: Trees, heads: Sequence[Heads]) -> Trees:
    return tuple(annotated.with_heads(tree, own) for tree, own in zip(trees, heads, strict=True))


def _projective_in_both(first: Trees, second: Trees) -> tuple[bool, ...]:
    pairs = zip(first, second, strict=True)
    return tuple(is_projective(a.heads) and is_projective(b.heads) for a, b in pairs)
