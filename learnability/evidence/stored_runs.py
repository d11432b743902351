"""Read finished runs again: rows made from their records.

Rows are made from `config.json` and `records.jsonl` alone: a treebank or the file of a scheme
may be gone, and columns may have been added since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from learnability.errors import InputError, without_marks
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import result_rows
from learnability.running.config import RunConfig, read_config
from learnability.running.folder import CONFIG, RECORDS, has_outputs
from learnability.running.records import Records, read_records
from learnability.support.nouns import count_noun
from learnability.treebanks.families import Origin, family_of, language_of, origin_of


@dataclass(frozen=True)
class StoredPair:
    """Hold one row of a finished run; `parser`: that was trained, empty where it is not known."""

    row: ComparisonRow
    folder: Path
    parser: str = ""

    @property
    def construction(self) -> str:
        return self.row.title

    @property
    def treebank(self) -> str:
        return self.row.treebank_label

    @property
    def scores(self) -> tuple[Any, ...]:
        """Return a key that is equal for runs with the same outcome, without what is corrected for others."""
        return tuple(
            replace(difference, p_holm=None, p_equal_holm=None, better=None, low=None, high=None)
            for difference in self.row.by_basis().values()
        )

    @property
    def language(self) -> str:
        return language_of(self.row.treebank)

    @property
    def family(self) -> str:
        return family_of(self.language)

    @property
    def origin(self) -> Origin:
        return origin_of(self.language)


@dataclass(frozen=True)
class StoredRun:
    """Represent a finished run."""

    folder: Path
    config: RunConfig
    pairs: tuple[StoredPair, ...]

    def without(self, labels: Set[str]) -> StoredRun:
        """Return the run without the treebanks of these labels."""
        treebanks = tuple(each for each in self.config.treebanks if each.label not in labels)
        tokens = {each.label: self.config.train_tokens.get(each.label, []) for each in treebanks}
        pairs = tuple(pair for pair in self.pairs if pair.treebank not in labels)
        return replace(
            self,
            config=replace(self.config, treebanks=treebanks, train_tokens=tokens),
            pairs=pairs,
        )

    @property
    def wordless(self) -> set[str]:
        """Return the labels of treebanks without words, of which parsers were to learn words."""
        if self.config.options.get("tags") == "only":
            return set()
        return {treebank.label for treebank in self.config.treebanks if not treebank.has_words}


@dataclass(frozen=True)
class FoundRuns:
    """Hold the runs below a folder: those that compare annotations, unfinished ones, and finished others."""

    finished: tuple[Path, ...] = ()
    unfinished: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()


def find_runs(folder: Path) -> FoundRuns:
    """Return the runs below a folder, but not below a hidden one: of a run only itself, and where there is
    none the folder itself."""
    if (folder / CONFIG).exists():
        if has_outputs(folder) and not read_config(folder / CONFIG).compares:
            return FoundRuns(others=(folder,))
        return FoundRuns((folder,))
    finished, unfinished, others = [], [], []
    for path in sorted(path.parent.relative_to(folder) for path in folder.rglob(RECORDS)):
        place = folder / path
        if any(part.startswith(".") for part in path.parts) or not (place / CONFIG).exists():
            continue
        if not has_outputs(place):
            unfinished.append(place)
        elif read_config(place / CONFIG).compares:
            finished.append(place)
        else:
            others.append(place)
    return FoundRuns(tuple(finished) or (() if others else (folder,)), tuple(unfinished), tuple(others))


def runs_to_compare(folders: Iterable[Path]) -> FoundRuns:
    """Return the runs below these folders."""
    below = [find_runs(folder) for folder in folders]
    found = FoundRuns(
        finished=tuple(run for runs in below for run in runs.finished),
        unfinished=tuple(run for runs in below for run in runs.unfinished),
        others=tuple(run for runs in below for run in runs.others),
    )
    if found.others and not found.finished:
        raise InputError(
            f"the run in {found.others[0]} compares no annotations; name the folder of a run that does"
        )
    return found


def finished_config(folder: Path) -> RunConfig:
    """Return the config.json of the finished run in a folder.

    Raises:
        InputError: there is none, it is unfinished, or its records have another format.
    """
    if not folder.exists():
        problem = "there is no such folder"
        raise InputError(f"{folder} holds no run ({problem}); name the `out` folder of a finished run")
    if not (folder / CONFIG).exists():
        raise InputError(
            f"{folder} holds no run (there is no {CONFIG}); name the `out` folder of a finished run"
        )
    if not has_outputs(folder):
        raise InputError(
            f"{folder} holds an unfinished run; first repeat the command that started it, with `resume=True`"
        )
    return read_config(folder / CONFIG)


def finished_records(folder: Path, config: RunConfig) -> Records:
    """Return the records of a finished run.

    Raises:
        InputError: records that the run had are gone, or a line is not a record.
    """
    records = Records(read_records(folder / RECORDS).values())
    expected = config.records
    if len(records) < expected:
        raise InputError(
            f"{folder / RECORDS} holds {len(records)} of {count_noun(expected, 'record')} of the finished "
            "run; restore the file, or run the command again with `force=True`"
        )
    return records


def read_run(folder: Path) -> StoredRun:
    """Return the finished run in a folder, its rows made of its records.

    Raises:
        InputError: there is no finished run, it compares nothing, or its files are not those of one.
    """
    config = finished_config(folder)
    if not config.compares:
        raise InputError(f"the run in {folder} compares no annotations; name the folder of a run that does")
    records = finished_records(folder, config)
    with name_run_in_errors(folder):
        return run_of_rows(folder, config, result_rows(config, records))


@contextmanager
def name_run_in_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except msgspec.ValidationError as error:
        raise InputError(
            f"{folder / CONFIG} is not the configuration of a run ({without_marks(error)}); repeat the "
            "command that made it, with `force=True`"
        ) from None
    except InputError as error:
        if str(error).startswith(str(folder)):
            raise
        raise InputError(f"{folder}: {error}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        problem = f"its files do not belong together ({type(error).__name__}: {without_marks(error)})"
        raise InputError(f"{folder}: {problem}; repeat the command that made it, with `force=True`") from None


def run_of_rows(folder: Path, config: RunConfig, rows: Sequence[ComparisonRow]) -> StoredRun:
    """Return a run from its rows."""
    alone = config.parsers[0].title
    return StoredRun(folder, config, tuple(StoredPair(row, folder, row.parser or alone) for row in rows))
