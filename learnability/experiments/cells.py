"""One cell of a run, computed: from the treebank's files to a record."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from learnability.experiments.condition import Condition
from learnability.experiments.fold import Fold, fold_of
from learnability.experiments.joint import train_candidate, train_joint
from learnability.experiments.learning_curve import train_part
from learnability.experiments.measuring import measure
from learnability.experiments.options import ExperimentOptions
from learnability.experiments.plan import Cell
from learnability.experiments.run_records import Record
from learnability.experiments.settings import train_on_both, train_original, train_transformed
from learnability.experiments.short_trainings import ITERATIONS, train_pair
from learnability.memory import peak_memory
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
    keep = fold.options.trees and cell.seed == 1 and cell.fold == 0
    if cell.setting == "a":
        return {"training": train_original(fold, cell.seed, keep=keep)}
    if cell.setting == "joint":
        return {"joint": train_joint(fold, cell.seed, iterations_of(needed))}
    if cell.setting == "verify":
        transforms, training = train_candidate(fold, cell.seed, cell.rank, needed)
        return {"transforms": transforms, "training": training}
    if cell.setting == "curve":
        return {"training": train_part(fold, cell.annotation, cell.seed, cell.share)}
    assert cell.annotation is not None
    condition = Condition(fold.original.annotation, cell.annotation)
    if cell.setting == "short":
        return {"pair": train_pair(fold, condition, cell.share, cell.seed)}
    if cell.setting == "b":
        return {"training": train_transformed(fold, condition, cell.seed, keep=keep)}
    if cell.setting == "c":
        return {"survival": train_on_both(fold, condition, cell.seed, iterations_of(needed))}
    return {"measures": measure(fold, condition)}


def iterations_of(needed: Sequence[Record]) -> int:
    """How long setting (a) trained; as long as a short training where it is not needed."""
    if not needed:
        return ITERATIONS
    assert needed[0].training is not None
    return needed[0].training.iterations
