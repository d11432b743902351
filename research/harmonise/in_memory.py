"""Compare treebanks of one language in memory, as `harmonise` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.cells import LanguageCell, ParsesCell, TagsCell
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, TrainingSettings, check_treebanks
from learnability.extensions.harmonise.selecting import compare_members
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.running.processes import map_in_processes
from learnability.running.records import Record, Records


def compare_treebanks(
    versions: Sequence[Version],
    settings: TrainingSettings | None = None,
    *,
    with_scores: bool = True,
    jobs: int = 1,
) -> TreebankComparison:
    """Return how treebanks differ; nothing is written.

    Args:
        versions: the treebanks.
        settings: of the trainings.
        with_scores: whether parsers also learn from two treebanks together.
        jobs: the number of processes.

    Raises:
        InputError: there are fewer than two treebanks, or one is too small or has no tags.
        RunError: a training failed.
    """
    settings = settings or TrainingSettings()
    treebanks = compare_members(versions)
    check_treebanks(treebanks, settings)
    records = Records()
    comparison = TreebankComparison(treebanks, settings, records)
    kinds = LanguageCell if with_scores else (TagsCell, ParsesCell)
    while cells := [
        cell for cell in comparison.next_cells() if cell.key not in records and isinstance(cell, kinds)
    ]:
        for record in map_in_processes(partial(_record_of, treebanks), cells, jobs):
            records.add(record)
    return comparison


def _record_of(treebanks: Sequence[ComparedTreebank], cell: LanguageCell[Any]) -> Record:
    return Record.of(cell, cell.compute_on(treebanks))
