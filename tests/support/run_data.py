"""Plans and records written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import (
    AlternativeCell,
    BaseCell,
    BothCell,
    ComparisonCell,
    MeasuresCell,
    ShortCell,
)
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, TreebankFacts, id_of_files
from learnability.comparing.results import BothResult, Measures, ScoreCounts, TrainingResult
from learnability.multiref.contrasts import TreeFunction
from learnability.multiref.references import LabelOption
from learnability.parsers.trainer import USUAL_PARSER
from learnability.running.records import Record, Records, decode
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions


class NamedAnnotation(Annotation):
    def change(self, conventions: Conventions, labels: LabelOption | None) -> TreeFunction:
        raise AssertionError(f"{self.spelling} has no trees")


CELLS: dict[str, type[ComparisonCell[Any]]] = {
    cell.SETTING: cell for cell in (BaseCell, AlternativeCell, BothCell, MeasuresCell, ShortCell)
}
UNTRAINED = (MeasuresCell, ShortCell)
"""The cells that no parser of the run is trained in."""


def spelled(*spellings: str) -> tuple[Annotation, ...]:
    return tuple(map(annotation_spelled, spellings))


def plan(
    *names: str,
    alternatives: tuple[str, ...] = ("case",),
    folds: int = 1,
    release: str = "1.3",
    seeds: int = 1,
    **options: Any,
) -> RunPlan:
    """A plan over treebanks that are nowhere."""
    treebanks = tuple(TreebankFiles(name, release, None) for name in names or ("UD_X",))
    facts = tuple(
        TreebankFacts(id_of_files(files), files.name, files.release, folds, train_tokens=(100,) * folds)
        for files in treebanks
    )
    return RunPlan(
        treebanks, facts, ExperimentOptions.spell_annotations(alternatives, seeds=seeds, **options)
    )


def record(
    plan: RunPlan,
    setting: str,
    alternative: str = "",
    seed: int = 0,
    fold: int = 0,
    treebank: int = 0,
    result: msgspec.Struct | None = None,
    **facts: Any,
) -> Record:
    place = id_of_files(plan.treebanks[treebank])
    return record_of(place, setting, alternative, seed, fold, result, parser=plan.parsers[0], **facts)


def record_of(
    treebank: str,
    setting: str,
    alternative: str = "",
    seed: int = 0,
    fold: int = 0,
    result: msgspec.Struct | None = None,
    *,
    parser: str = USUAL_PARSER,
    share: float = 1.0,
    **facts: Any,
) -> Record:
    kind = CELLS[setting]
    cell = kind(
        treebank=treebank,
        annotation=NamedAnnotation(alternative) if alternative else None,
        seed=seed,
        fold=fold,
        parser="" if kind in UNTRAINED else parser,
        share=share,
    )
    return Record.of(cell, result, **facts)


def training_of(record: Record) -> TrainingResult:
    training = record.result_as(TrainingResult)
    assert training is not None
    return training


def both_result_of(record: Record) -> BothResult:
    survival = record.result_as(BothResult)
    assert survival is not None
    return survival


def with_result(record: Record, result: msgspec.Struct | None) -> Record:
    return msgspec.structs.replace(record, result=msgspec.Raw(msgspec.json.encode(result)))


def without(records: Records, keys: Sequence[str]) -> Records:
    return Records(record for key, record in records.items() if key not in keys)


def changed(struct: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(struct, **changes)


def counts(**changes: Any) -> Measures:
    values: dict[str, Any] = {
        "places": 12,
        "sentences": 40,
        "sentences_changed": 10,
        "tokens_changed": 24,
        "test_places": 10,
        "train_tokens": 400,
        "nonprojective_train": 2,
    }
    return Measures(**{**values, **changes})


def trained(
    correct: Sequence[int],
    tokens: Sequence[int],
    alternative: str = "case",
    *,
    right: Mapping[str, Any] | None = None,
    labelled: bool = False,
    **changes: Any,
) -> TrainingResult:
    """A training of setting (a) or (b).

    Without `right`, what it has right on every ground is `correct`, and there is no punctuation and every
    token a phrase. A labelled one has as many arcs right as heads.
    """
    values: dict[str, Any] = {
        "correct": list(correct),
        "words": list(correct),
        "phrases": list(correct),
        "relations": {"nsubj": (2, 4)},
        "error_split": {alternative: {}},
    }
    score = ScoreCounts(**{**values, **(right or {})})
    values = {
        "iterations": 8,
        "tokens": list(tokens),
        "words": list(tokens),
        "phrases": list(tokens),
        "scores": dict.fromkeys(("uas", "las") if labelled else ("uas",), score),
        "kernel_seconds": 1.0,
        "trained_tokens": 100,
    }
    return TrainingResult(**{**values, **changes})


def survived(base: float, alternative: float, place: float, **changes: Any) -> BothResult:
    values: dict[str, Any] = {
        "iterations": 2,
        "places": 12,
        "sentences_with_places": 10,
        "base_share": [0.5, base],
        "alternative_share": [0.5, alternative],
        "place_base_share": [0.5, place],
        "factors_cut": 0,
        "kernel_seconds": 1.0,
        "trained_tokens": 100,
    }
    return BothResult(**{**values, **changes})


def stored(folder: Path) -> dict[str, Record]:
    lines = (folder / "records.jsonl").read_bytes().splitlines()
    records = [decode(line) for line in lines]
    return {
        record.key.partition("/")[2].removesuffix(f"/parser={USUAL_PARSER}"): record for record in records
    }
