"""Finished runs, read again: rows made of their records, and the scores of single seeds.

What a row is made of stands in `config.json` and `records.jsonl` alone: a treebank or the file of a scheme
may be gone, and columns may have been added since.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from learnability.comparing.results import Record, decode
from learnability.errors import InputError
from learnability.evidence.design import RunDesign, found_condition
from learnability.evidence.grouping import ConditionRecords, Records, by_key, per_sentence
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.running.folder import CONFIG, RECORDS, RESULTS, check_format, read_config
from learnability.running.records import read_records
from learnability.treebanks.families import family_of, language_of

Predicted = Callable[[Mapping[str, Any], RunDesign, Records], Collection[tuple[str, str]]]
"""Tells, from the options of config.json, the design and the records, of which conditions a prediction was
enough: see `rows_from_records.result_rows`."""


@dataclass(frozen=True)
class StoredCondition:
    """One row of a finished run.

    Attributes:
        row: its values; `p_holm` over all conditions compared.
        folder: the run it is from.
        judge: the parser that was trained; empty where that is not known.
        seed_deltas: UAS difference of each seed by itself, in points; empty if records are missing.
        trained_sentences: training sentences with sites, as setting (c) was trained on them (lifting may
            take sites away), over folds each sentence once; None if records are missing.
    """

    row: ComparisonRow
    folder: Path
    judge: str = ""
    seed_deltas: tuple[float, ...] = ()
    trained_sentences: float | None = None

    @property
    def transform(self) -> str:
        """The transformation with its variant, as on the command line, and the judge if there are several."""
        return self.row.title

    @property
    def treebank(self) -> str:
        """The treebank with its release, where it has one."""
        return self.row.treebank_label

    @property
    def scores(self) -> tuple[Any, ...]:
        """What another run with the same outcome has in common with it.

        The corrected p values are left out: they depend on what else was compared.
        """
        return tuple(
            replace(difference, p_holm=None, better=None) for difference in self.row.by_basis().values()
        )

    @property
    def language(self) -> str:
        """The language that the treebank's name names."""
        return language_of(self.row.treebank)

    @property
    def family(self) -> str:
        """The family of its language."""
        return family_of(self.language)

    @property
    def sentences_with_sites(self) -> float:
        """The sentences that survival is counted over; without records those that the rule changes."""
        if self.trained_sentences is None:
            return float(self.row.sentences_changed or 0)
        return self.trained_sentences


@dataclass(frozen=True)
class StoredRun:
    """A finished run."""

    folder: Path
    config: dict[str, Any]
    conditions: tuple[StoredCondition, ...]


def find_runs(folder: Path) -> tuple[list[Path], list[Path]]:
    """The folders of finished and of unfinished runs below a folder, by path; of a run only itself, and where
    there is none the folder that was given.

    Runs of `oracles`, which compares no annotations, and folders that begin with a dot are none of them.
    """
    if (folder / CONFIG).exists():
        return [folder], []
    below = sorted(path.parent.relative_to(folder) for path in folder.rglob(RECORDS))
    shown = [folder / own for own in below if not any(part.startswith(".") for part in own.parts)]
    configs = {own: read_config(own / CONFIG) for own in shown if (own / CONFIG).exists()}
    runs = [own for own, config in configs.items() if config["arguments"].get("command") != "oracles"]
    finished = [own for own in runs if (own / RESULTS).exists()]
    return finished or [folder], [own for own in runs if own not in finished]


def finished_config(folder: Path) -> dict[str, Any]:
    """Return the config.json of the finished run in a folder.

    Raises:
        InputError: there is none, it is unfinished, or its records have another format.
    """
    if not (folder / CONFIG).exists():
        raise InputError(f"{folder}: holds no run (no {CONFIG}); give the --out of a finished run")
    config = read_config(folder / CONFIG)
    check_format(config, folder)
    if not (folder / RESULTS).exists():
        raise InputError(f"{folder}: holds an unfinished run; finish it with --resume first")
    return config


def read_run(folder: Path, predicted: Predicted | None = None) -> StoredRun:
    """Return the finished run in a folder, its rows made of its records.

    Args:
        folder: that of `--out`.
        predicted: for a run that predicts, see :data:`Predicted`.

    Raises:
        InputError: there is no finished run, or its files are not those of one.
    """
    config = finished_config(folder)
    records = list(read_records(folder / RECORDS, decode).values())
    try:
        design = design_of(config, records)
        known = by_key(records)
        rows = result_rows(design, known, predicted(config["options"], design, known) if predicted else ())
        return run_of(folder, config, rows, records)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{folder / CONFIG}: is not the configuration of a run ({error}); run it again"
        ) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        what = f"its files do not belong together ({type(error).__name__}: {error})"
        raise InputError(f"{folder}: {what}; run it again") from None


def design_of(config: dict[str, Any], records: Sequence[Record]) -> RunDesign:
    """Return the design of a run; the conditions that a study found while it ran are those of its records."""
    design = RunDesign.of_config(config)
    if design.conditions:
        return design
    found = dict.fromkeys(record.condition for record in records if record.setting == "b")
    return replace(design, conditions=tuple(map(found_condition, found)))


def run_of(
    folder: Path, config: dict[str, Any], rows: Sequence[ComparisonRow], records: Sequence[Record]
) -> StoredRun:
    """Return a run from its rows, with the scores of single seeds from its records."""
    design = design_of(config, records)
    titles = {judge.named: judge.title for judge in design.judges}
    conditions = (
        StoredCondition(row, folder, titles[row.judge], seed_deltas(own), sentences_with_sites(own))
        for row, own in zip(rows, records_of_rows(design, rows, by_key(records)), strict=True)
    )
    return StoredRun(folder, config, tuple(conditions))


def seed_deltas(records: ConditionRecords) -> tuple[float, ...]:
    """UAS difference of each seed, in points; nothing unless every seed and fold is there."""
    a, b = (per_sentence(side, lambda fold: fold.scores["uas"].correct) for side in (records.a, records.b))
    tokens = per_sentence(records.a, lambda fold: fold.tokens)
    sums = zip(map(sum, a), map(sum, b), map(sum, tokens), strict=False)
    return tuple(100.0 * (right_a - right_b) / total for right_a, right_b, total in sums)


def sentences_with_sites(records: ConditionRecords) -> float | None:
    """Training sentences with sites of setting (c); with K folds each is trained on in K - 2 of them."""
    if not records.c:
        return None
    counts = [fold.sentences_with_sites for fold in records.c[0]]
    return sum(counts) / max(1, len(counts) - 2)
