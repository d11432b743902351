"""Finished runs, read again: their rows as values, and the scores of single seeds."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.experiments.data import SCHEME
from learnability.experiments.plan import label_of
from learnability.experiments.records import CONFIG, RECORDS, RESULTS, read_config, read_records
from learnability.experiments.results import COLUMNS, Row, further_columns

NAMES = ("treebank", "release", "transform", "variant", "against")
"""Columns of text; those that tell of a choice (winner, better, pick) hold text or nothing."""


@dataclass(frozen=True)
class Condition:
    """One row of a results.csv.

    Attributes:
        row: its values, numbers as numbers, None where empty; `p_holm` over all conditions compared.
        folder: the run it is from.
        seed_deltas: UAS difference of each seed by itself, in points; empty if records are missing.
        trained_sentences: training sentences with sites, as setting (c) was trained on them (lifting may
            take sites away), over folds each sentence once; None if records are missing.
    """

    row: Row
    folder: Path
    seed_deltas: tuple[float, ...] = ()
    trained_sentences: float | None = None

    @property
    def transform(self) -> str:
        """The transformation with its variant, as on the command line."""
        return name_of(self.row)

    @property
    def treebank(self) -> str:
        """The treebank with its release, where it has one."""
        return label_of(self.row["treebank"], self.row["release"])

    @property
    def language(self) -> str:
        """What the treebank's name says of its language: `Greek` of `UD_Greek` and of `UD_Greek-GDT`."""
        return str(self.row["treebank"]).removeprefix("UD_").partition("-")[0]

    @property
    def sentences_with_sites(self) -> float:
        """The sentences that survival is counted over; without records those that the rule changes."""
        own = self.trained_sentences
        return float(self.row["sentences_changed"]) if own is None else own


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, its configuration, and the rows with their scores per seed."""

    folder: Path
    config: dict[str, Any]
    conditions: tuple[Condition, ...]


def name_of(row: Row) -> str:
    """The transformation of a row with its variant."""
    return f"{row['transform']}:{row['variant']}" if row["variant"] else str(row["transform"])


def original_of(row: Row) -> str:
    """What setting (a) of a row was trained on: UD, or the scheme of `--against`."""
    return str(row.get("against") or "UD")


def holds_text(column: str) -> bool:
    """Whether a column of results.csv holds text: a name, or a choice (winner, better, pick)."""
    return column in NAMES or column.startswith("pick_") or column.endswith(("winner", "better"))


def read_run(folder: Path) -> Run:
    """A finished run.

    Raises:
        InputError: there is none, it is not finished, or its files are not those of a run.
    """
    if not (folder / CONFIG).exists():
        raise InputError(f"{folder}: holds no run (no {CONFIG}); give the --out of a finished run")
    if not (folder / RESULTS).exists():
        raise InputError(f"{folder}: holds an unfinished run; finish it with --resume, then compare")
    config = read_config(folder / CONFIG)
    return run_of(folder, config, read_results(folder / RESULTS), read_records(folder / RECORDS))


def run_of(
    folder: Path, config: dict[str, Any], rows: Sequence[Row], records: Sequence[dict[str, Any]]
) -> Run:
    """A run from its rows, with the scores of single seeds from its records."""
    by_seed, by_condition = seed_deltas(records, config), sentences_with_sites(records, config)
    # a scheme from a file has its path in the records and its name in the row: told by the order of the rows
    conditions = config["options"].get("conditions", ())
    ordered = list(product((t["label"] for t in config["treebanks"]), conditions))
    if len(ordered) != len(rows):
        ordered = [(label_of(row["treebank"], row["release"]), name_of(row)) for row in rows]
    found = []
    for row, (treebank, name) in zip(rows, ordered, strict=True):
        keys = ((treebank, name), (treebank, SCHEME + name))
        deltas: tuple[float, ...] = next((by_seed[key] for key in keys if key in by_seed), ())
        sentences = next((by_condition[key] for key in keys if key in by_condition), None)
        found.append(Condition(row, folder, deltas, sentences))
    return Run(folder, config, tuple(found))


def read_results(path: Path) -> list[Row]:
    """The rows of a results.csv with numbers as numbers and None for empty cells.

    Raises:
        InputError: other columns, or a cell that is no number.
    """
    reader = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    columns = tuple(next(reader, ()))
    pairs = product((False, True), repeat=2)
    known = [(*COLUMNS, *further_columns(labelled=labelled, against=against)) for labelled, against in pairs]
    if columns not in known:
        raise InputError(f"{path}: has other columns than this version writes; run it again")
    rows = []
    for cells in reader:
        row: Row = {}
        if len(cells) != len(columns):
            raise InputError(f"{path}:{reader.line_num}: has {len(cells)} cells, not {len(columns)}")
        for column, cell in zip(columns, cells, strict=True):
            if column in NAMES:
                row[column] = cell
                continue
            if holds_text(column):
                row[column] = cell or None
                continue
            try:
                row[column] = float(cell) if cell else None
            except ValueError:
                raise InputError(f"{path}:{reader.line_num}: {column} is {cell!r}, no number") from None
        rows.append(row)
    return rows


def seed_deltas(
    records: Sequence[dict[str, Any]], config: dict[str, Any]
) -> dict[tuple[str, str], tuple[float, ...]]:
    """UAS difference of each seed, by treebank and condition; only where every seed and fold is there."""
    folds = {treebank["label"]: treebank["folds"] for treebank in config["treebanks"]}
    correct: Counter[tuple[str, str, str, int]] = Counter()
    parts: Counter[tuple[str, str, str, int]] = Counter()
    tokens: Counter[tuple[str, int]] = Counter()
    for record in records:
        if record["setting"] not in ("a", "b") or "correct" not in record:
            continue
        key = (record["treebank"], record["setting"], record["condition"], record["seed"])
        correct[key] += sum(record["correct"])
        parts[key] += 1
        if record["setting"] == "a":
            tokens[record["treebank"], record["seed"]] += sum(record["tokens"])
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for treebank, condition in sorted({(key[0], key[2]) for key in correct if key[1] == "b"}):
        deltas = []
        for seed in config["seeds"]:
            a, b = (treebank, "a", "", seed), (treebank, "b", condition, seed)
            if parts[a] == parts[b] == folds.get(treebank):
                deltas.append(100.0 * (correct[a] - correct[b]) / tokens[treebank, seed])
        if len(deltas) == len(config["seeds"]):
            found[treebank, condition] = tuple(deltas)
    return found


def sentences_with_sites(
    records: Sequence[dict[str, Any]], config: dict[str, Any]
) -> dict[tuple[str, str], float]:
    """Training sentences with sites of setting (c), by treebank and condition, where every fold is there.

    They are the same for all seeds; with K folds every sentence is trained on in K - 2 of them.
    """
    folds = {treebank["label"]: treebank["folds"] for treebank in config["treebanks"]}
    counts: dict[tuple[str, str], dict[int, int]] = {}
    for record in records:
        if record["setting"] == "c" and "sentences_with_sites" in record:
            key = (record["treebank"], record["condition"])
            counts.setdefault(key, {})[record["fold"]] = record["sentences_with_sites"]
    return {
        key: sum(found.values()) / max(1, len(found) - 2)
        for key, found in counts.items()
        if len(found) == folds.get(key[0])
    }
