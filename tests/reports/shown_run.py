"""A small run written by hand, as the report gets it: rows, records and configuration."""

from __future__ import annotations

from typing import Any

from result_rows import HandRow, empty_row

Record = dict[str, Any]

CONDITIONS = ("det", "case", "mwe")


def row(**values: Any) -> HandRow:
    base = empty_row() | {"treebank": "UD_X", "release": "", "transform": "det", "variant": ""}
    return base | {"sites": 12} | values


FINISHED = row(
    uas_original=80.0,
    uas_transformed=78.6,
    uas_delta=1.4,
    uas_delta_low=1.0,
    uas_delta_high=1.8,
    p_value=0.0002,
    p_holm=0.0004,
    test_sites=5,
    winner="original",
    better="original",
    pick_multiref="original",
    pick_predictability="original",
    pick_perplexity="original",
)

ROWS = [
    FINISHED | {"train_tokens": 12345, "multiref_original_share": 0.9, "multiref_transformed_share": 0.05},
    FINISHED
    | {"transform": "case", "uas_delta": -0.25, "uas_delta_low": -1.0, "uas_delta_high": 0.5}
    | {"p_value": 0.4, "p_holm": 0.4, "winner": "transformed", "better": "none"},
    row(transform="mwe", sites=0),
]


CURVES: Record = {
    "curves": [
        {
            "seeds": 2,
            "test_sites": 5,
            "shares": [0.5, 1],
            "tokens": [100.0, 200.0],
            "area_delta": 10.0,
            "area_delta_sd": 0.5,
            "las_area_delta": None,
            "original": {
                "scheme": "ud",
                "uas": [[60.0, 61.0], [65.0, 66.0]],
                "means": [60.5, 65.5],
                "area": 63.0,
                "tokens_to_reach_other": 90.0,
            },
            "transformed": {
                "scheme": "det",
                "uas": [[50.0, 51.0], [55.0, 56.0]],
                "means": [50.5, 55.5],
                "area": 53.0,
                "tokens_to_reach_other": None,
            },
        }
    ]
}
"""The content of learning_curve.json."""


def labelled_curves() -> Record:
    """:data:`CURVES` of labelled parsers, LAS five points below UAS."""
    (curve,) = CURVES["curves"]
    found = {**curve, "las_area_delta": curve["area_delta"], "las_area_delta_sd": curve["area_delta_sd"]}
    for side in ("original", "transformed"):
        found[side] = {
            **curve[side],
            "las": [[score - 5 for score in scores] for scores in curve[side]["uas"]],
            "las_means": [mean - 5 for mean in curve[side]["means"]],
            "las_area": curve[side]["area"] - 5,
            "las_tokens_to_reach_other": curve[side]["tokens_to_reach_other"],
        }
    return {"curves": [found]}


def config(seeds: int = 2, **values: Any) -> Record:
    """The configuration of `ROWS`."""
    return {
        "arguments": {
            "command": "run",
            "treebank": {"treebank": "UD_X"},
            "conditions": ["det", "case", "mwe"],
        },
        "options": {
            "oracle": "dynamic",
            "system": "arc-eager",
            "tags": "gold",
            "labels": None,
            "conditions": list(CONDITIONS),
        },
        "treebanks": [
            {
                "label": "UD_X",
                "name": "UD_X",
                "release": "",
                "folds": 1,
                "split_policy": "no dev split: made up <here>",
                "sha256": {"UD_X/x-ud-train.conllu": "0123abcd"},
            }
        ],
        "seeds": list(range(1, seeds + 1)),
        "versions": {"learnability": "0.1.0"},
    } | values


def records(seeds: int = 2) -> list[Record]:
    """The records of `ROWS`: 4 test sentences of 10 tokens; one sentence is decided by det."""
    found = []
    for seed in range(1, seeds + 1):
        found.append(
            _record("a", "", seed)
            | {
                "kernel_seconds": 1.0,
                "correct": [8, 8, 9, 7],
                "tokens": [10, 10, 10, 10],
                "relations": {"det": [9, 10], "nsubj": [23, 30]},
                "error_split": {
                    "det": {"site": [9, 10], "nucleus": [8, 10], "elsewhere": [15, 20]},
                    "case": {"site": [5, 5], "nucleus": [10, 15], "elsewhere": [17, 20]},
                },
            }
        )
        for name in ("det", "case"):
            found.append(
                _record("b", name, seed)
                | {
                    "kernel_seconds": 1.0,
                    "correct": [4, 8, 9, 7] if name == "det" else [8, 9, 9, 7],
                    "tokens": [10, 10, 10, 10],
                    "relations": {"det": [5, 10], "nsubj": [23, 30]},
                    "error_split": {"site": [5, 10], "nucleus": [9, 10], "elsewhere": [14, 20]},
                }
            )
            found.append(
                _record("c", name, seed)
                | {
                    "kernel_seconds": 1.0,
                    "sites": 12,
                    "sentences_with_sites": 8,
                    "original_share": [0.5, 0.75][: seed + 1],
                    "transformed_share": [0.25, 0.125][: seed + 1],
                }
            )
        found.append(_record("b", "mwe", seed) | {"sites": 0})
    skipped = {"skipped": {"no <such> thing": 3}}
    return [
        *found,
        *(_record("measures", name, 0) | (skipped if name == "det" else {}) for name in CONDITIONS),
    ]


def _record(setting: str, condition: str, seed: int) -> Record:
    key = f"UD_X/{setting}/{condition}/{seed}/0"
    return {
        "key": key,
        "treebank": "UD_X",
        "setting": setting,
        "condition": condition,
        "seed": seed,
        "fold": 0,
    }


def labelled_records(seeds: int = 2) -> list[Record]:
    """:func:`records` of labelled parsers that have as many arcs right as heads."""
    fields = ("relations", "error_split")
    return [one | {f"las_{field}": one[field] for field in fields if field in one} for one in records(seeds)]
