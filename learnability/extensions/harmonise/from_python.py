"""Compare treebanks of one language from Python, in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from learnability.extending import Record, Records, Version, map_in_processes, version_named
from learnability.extensions.harmonise.answers import AnswerCell
from learnability.extensions.harmonise.cells import LanguageCell
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, TrainingSettings, check_treebanks
from learnability.extensions.harmonise.selecting import compare_members
from learnability.extensions.harmonise.steps import ComparisonSteps
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison


def compare_treebanks(
    versions: Sequence[Version],
    settings: TrainingSettings | None = None,
    *,
    with_matrix: bool = True,
    with_answers: bool = False,
    jobs: int = 1,
) -> TreebankComparison:
    """Return how treebanks differ; nothing is written.

    Args:
        versions: the treebanks.
        settings: of the trainings.
        with_matrix: whether parsers also learn from two treebanks together, and from rewritten ones.
        with_answers: whether `run` answers which side of each rewriting is easier to learn.
        jobs: the number of processes.

    Raises:
        InputError: there are fewer than two treebanks, or one is too small or has no tags.
        RunError: a training failed.
    """
    settings = settings or TrainingSettings()
    treebanks = compare_members(versions)
    check_treebanks(treebanks, settings)
    records = Records()
    ask = partial(AnswerCell, treebank="", settings=settings)
    steps = ComparisonSteps(
        treebanks, settings, records, with_matrix=with_matrix, ask=ask if with_answers else None
    )
    while cells := [cell for cell in steps.next_cells() if cell.key not in records]:
        for record in map_in_processes(partial(_record_of, treebanks), cells, jobs):
            records.add(record)
    comparison = steps.comparison()
    assert comparison is not None  # all cells are recorded
    return comparison


def _record_of(treebanks: Sequence[ComparedTreebank], cell: LanguageCell[Any]) -> Record:
    return Record.of(cell, cell.compute_on(treebanks))


def harmonise(
    *treebanks: str | os.PathLike[str] | Version,
    ud_home: str | os.PathLike[str] | None = None,
    settings: TrainingSettings | None = None,
    with_matrix: bool = True,
    with_answers: bool = False,
    jobs: int = 1,
) -> TreebankComparison:
    """Return which conventions differ between treebanks of one language, and what they cost.

    Args:
        treebanks: two or more: names (``UD_X@2.16``: in a release), folders, files, or versions.
        ud_home: the folder in which names are searched, as in :func:`learnability.load_treebank`.
        settings: of the trainings.
        with_matrix: whether parsers also learn from two treebanks together, and from rewritten ones.
        with_answers: whether `run` answers which side of each rewriting is easier to learn.
        jobs: the number of processes.

    Returns:
        The comparison: its `arcs`, `tags`, `constructions` and `matrix`.

    Raises:
        InputError: a treebank cannot be found, read or compared.
        RunError: a training failed.
    """
    versions = [
        item if isinstance(item, Version) else version_named(os.fspath(item), ud_home=ud_home)
        for item in treebanks
    ]
    return compare_treebanks(
        versions, settings, with_matrix=with_matrix, with_answers=with_answers, jobs=jobs
    )
