"""Finished runs, read again: their rows as values, and the scores of single seeds."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from learnability.comparing.annotation import RecordedAnnotation
from learnability.comparing.judging import ALONE
from learnability.comparing.kinds.scheme import PREFIX
from learnability.comparing.results import Record, decode
from learnability.errors import InputError
from learnability.evidence.columns import Row, columns
from learnability.evidence.grouping import ConditionRecords, by_key, condition_records, per_sentence
from learnability.judges.registry import judge_named
from learnability.running.folder import CONFIG, RECORDS, RESULTS, read_config
from learnability.running.records import read_records
from learnability.treebanks.families import family_of, language_of


@dataclass(frozen=True)
class StoredCondition:
    """One row of a results.csv.

    Attributes:
        row: its values; `p_holm` over all conditions compared.
        folder: the run it is from.
        judge: the parser that was trained; empty where that is not known.
        seed_deltas: UAS difference of each seed by itself, in points; empty if records are missing.
        trained_sentences: training sentences with sites, as setting (c) was trained on them (lifting may
            take sites away), over folds each sentence once; None if records are missing.
    """

    row: Row
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
        """What another run with the same outcome has in common with it."""
        return tuple(
            self.row[f"uas_{name}"] for name in ("original", "transformed", "delta_low", "back_transformed")
        )

    @property
    def language(self) -> str:
        """The language that the treebank's name names."""
        return language_of(self.row["treebank"])

    @property
    def family(self) -> str:
        """The family of its language."""
        return family_of(self.language)

    @property
    def sentences_with_sites(self) -> float:
        """The sentences that survival is counted over; without records those that the rule changes."""
        own = self.trained_sentences
        return float(self.row["sentences_changed"]) if own is None else own


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
    """The config.json of the finished run in a folder; InputError if there is none."""
    if not (folder / CONFIG).exists():
        raise InputError(f"{folder}: holds no run (no {CONFIG}); give the --out of a finished run")
    if not (folder / RESULTS).exists():
        raise InputError(f"{folder}: holds an unfinished run; finish it with --resume first")
    return read_config(folder / CONFIG)


def read_run(folder: Path) -> StoredRun:
    """The finished run in a folder; InputError if there is none, or its files are not those of a run."""
    config = finished_config(folder)
    records = read_records(folder / RECORDS, decode)
    rows = read_results(folder / RESULTS)
    try:
        return run_of(folder, config, rows, list(records.values()))
    except (ArithmeticError, LookupError) as error:
        what = f"its files do not belong together ({type(error).__name__}: {error})"
        raise InputError(f"{folder}: {what}; run it again") from None


def run_of(folder: Path, config: dict[str, Any], rows: Sequence[Row], records: Sequence[Record]) -> StoredRun:
    """A run from its rows, with the scores of single seeds from its records."""
    options = config["options"]
    alone = judge_named(f"{options['system']}:{options['oracle']}").title if "system" in options else ""
    conditions = (
        StoredCondition(row, folder, row.judge or alone, seed_deltas(own), sentences_with_sites(own))
        for row, own in zip(rows, records_of_stored_rows(config, rows, records), strict=True)
    )
    return StoredRun(folder, config, tuple(conditions))


def records_of_stored_rows(
    config: dict[str, Any], rows: Sequence[Row], records: Sequence[Record]
) -> list[ConditionRecords]:
    """What each row of a run with this configuration was made of."""
    known, options, seeds = by_key(records), config["options"], config.get("seeds", ())
    folds = {treebank["label"]: treebank["folds"] for treebank in config["treebanks"]}
    # a scheme from a file has its path in the records and its name in the row: the order says which it is
    ordered = list(product(folds, options.get("conditions", ()), options.get("judges") or [ALONE]))
    if len(ordered) != len(rows) or options.get("search"):  # which compares its finalists
        trained = {(record.treebank, record.condition) for record in known.values()}
        names = ((row.treebank_label, row.name, row.judge) for row in rows)
        ordered = [
            (label, name if (label, name) in trained else PREFIX + name, judge)
            for label, name, judge in names
        ]
    return [
        condition_records(known, label, RecordedAnnotation(name), judge, seeds, folds.get(label, 0))
        for label, name, judge in ordered
    ]


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


def read_results(path: Path) -> list[Row]:
    """The rows of a results.csv, None for empty cells; InputError for other columns or malformed cells."""
    try:
        reader = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
        header = next(reader, [])
        lines = [(reader.line_num, cells) for cells in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is no CSV file in UTF-8 ({error}); run it again") from None
    kinds = product((False, True), repeat=3)
    tables = (columns(labelled=labelled, against=a, judged=j) for labelled, a, j in kinds)
    own = next((table for table in tables if [column.name for column in table] == header), None)
    if own is None:
        raise InputError(f"{path}: has other columns than this version writes; run it again")
    rows = []
    for number, cells in lines:
        where = f"{path}:{number}"
        if len(cells) != len(own):
            raise InputError(f"{where}: has {len(cells)} cells, not {len(own)}")
        row = Row()
        for column, cell in zip(own, cells, strict=True):
            try:
                row[column.name] = column.value(cell)
            except ValueError:
                raise InputError(f"{where}: {column.name} is {cell!r}, no number") from None
        rows.append(row)
    return rows
