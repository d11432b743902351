"""Plans and records written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from learnability.experiments.options import ExperimentOptions
from learnability.experiments.plan import Cell, Plan, Setting, TreebankFacts, label
from learnability.treebanks.locate import TreebankFiles

Record = dict[str, Any]


def stored_records(run: Path) -> list[Record]:
    """The records of a run as they stand in its folder; a later one replaces an earlier one."""
    lines = (run / "records.jsonl").read_bytes().split(b"\n")[:-1]
    return list({record["key"]: record for record in map(json.loads, lines)}.values())


def plan(
    *names: str, conditions: tuple[str, ...] = ("case",), folds: int = 1, release: str = "1.3", **options: Any
) -> Plan:
    """A plan over treebanks that are nowhere."""
    treebanks = tuple(TreebankFiles(name, release, None) for name in names or ("UD_X",))
    facts = TreebankFacts(folds, (100,) * folds, "", {})
    return Plan(treebanks, (facts,) * len(treebanks), ExperimentOptions(conditions, **options))


def key(
    plan: Plan, setting: Setting, condition: str = "", seed: int = 0, fold: int = 0, treebank: int = 0
) -> Record:
    """The part of a record that says which cell it is of."""
    cell = Cell(label(plan.treebanks[treebank]), setting, condition, seed, fold)
    return {
        "key": cell.key,
        "treebank": cell.treebank,
        "setting": setting,
        "condition": condition,
        "seed": seed,
        "fold": fold,
    }


def counts(**changes: Any) -> Record:
    """The record of the measures of a condition with sites."""
    return {
        "sites": 12,
        "sentences": 40,
        "sentences_changed": 10,
        "tokens_changed": 24,
        "test_sites": 3,
        "train_tokens": 400,
        "nonprojective_train": 2,
        "skipped": {},
        "predictability": [2.5, 2.25],
        "perplexity": [100.0, 110.0],
        "complexity": [5000, 5000],
        **changes,
    }


def trained(correct: list[int], tokens: list[int], closest: Any, **changes: Any) -> Record:
    """The record of a training of setting (a) or (b)."""
    return {
        "iterations": 8,
        "correct": correct,
        "tokens": tokens,
        "nucleus_correct": 6,
        "nuclei": 8,
        "kernel_seconds": 1.0,
        "closest_correct": closest,
        "relations": {"nsubj": (2, 4)},
        "error_split": {condition: {} for condition in closest} if isinstance(closest, dict) else {},
        **changes,
    }


def survived(original: float, transformed: float, site: float, **changes: Any) -> Record:
    """The record of a training of setting (c) of two iterations; the shares are those of the last."""
    return {
        "iterations": 2,
        "sites": 12,
        "sentences_with_sites": 10,
        "original_share": [0.5, original],
        "transformed_share": [0.5, transformed],
        "site_original_share": [0.5, site],
        "factors_cut": 0,
        "closest_correct": 17,
        "test_tokens": 20,
        "kernel_seconds": 1.0,
        **changes,
    }
