"""One cell of a run, computed: from the treebank's files to a record."""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from learnability.comparing.annotation import Condition
from learnability.comparing.criteria import MeasuredTrees, measured
from learnability.comparing.fold import Fold, Trees, fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Measures, Record
from learnability.comparing.short_trainings import ITERATIONS, train_pair
from learnability.comparing.trainings import train_annotation, train_on_both
from learnability.multiref.contrasts import UNCHANGED, Sides, kinds_of_change
from learnability.parsing.projectivity import is_projective
from learnability.running.plan import Cell
from learnability.studies.joint.study import train_candidate, train_joint
from learnability.support.memory import peak_memory
from learnability.treebanks.locate import TreebankFiles


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


def measure(fold: Fold, condition: Condition) -> Measures:
    """Counts of a condition and its measures, on training trees that are not lifted; perplexity and
    complexity on the sentences that are projective in both annotations."""
    contrast = fold.contrast(condition)
    sides = [contrast.sides(tree) for tree in fold.train]
    skipped = sum((own.skipped for own in sides), Counter[str]())
    changed = [sum(a != b for a, b in zip(own.original, own.transformed, strict=True)) for own in sides]
    counts = Measures(
        sites=sum(len(own.sites) for own in sides),
        sentences=len(fold.train),
        sentences_changed=sum(tokens > 0 for tokens in changed),
        tokens_changed=sum(changed),
        test_sites=sum(map(len, fold.test_sites(condition))),
        train_tokens=sum(map(len, fold.train)),
        nonprojective_train=fold.nonprojective,
        skipped=dict(sorted(skipped.items())),
        changes=_changes(fold, condition) if condition.is_given else None,
    )
    if counts.sites == 0 and not fold.exists(condition):
        return counts
    dev_sides = [contrast.sides(tree) for tree in fold.ud.dev]
    original, transformed = (
        (_trees(fold.train, sides, side), _trees(fold.ud.dev, dev_sides, side))
        for side in ("original", "transformed")
    )
    masks = tuple(
        tuple(is_projective(a.heads) and is_projective(b.heads) for a, b in zip(*pair, strict=True))
        for pair in zip(original, transformed, strict=True)
    )
    # mostly the same sentences for all conditions
    first = fold.once(("measures", masks), lambda: measured(MeasuredTrees(*original, *masks)))
    second = measured(MeasuredTrees(*transformed, *masks))
    values = {name: (value, second[name]) for name, value in first.items()}
    return msgspec.structs.replace(counts, values=values)


def _changes(fold: Fold, condition: Condition) -> dict[str, tuple[int, int]]:
    """By kind of change the training tokens with another head, and those with another relation only."""
    heads, relations = Counter[str](), Counter[str]()
    for tree in fold.train:
        one, two = (fold.change(own)(tree) for own in (condition.original, condition.transformed))
        kinds = kinds_of_change(one, two, labelled=True)
        for kind, a, b in zip(kinds, one.heads, two.heads, strict=True):
            (relations if a == b else heads)[kind] += 1
    del relations[UNCHANGED]
    return {kind: (heads[kind], relations[kind]) for kind in sorted(heads | relations)}


def _trees(trees: Trees, sides: Sequence[Sides], side: str) -> Trees:
    return tuple(t.with_heads(getattr(own, side)) for t, own in zip(trees, sides, strict=True))
