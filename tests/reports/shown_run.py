"""A small run written by hand, as the report gets it: rows, records and configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from result_rows import HandRow, empty_row
from run_data import changed, counts, record_of, survived, trained

from learnability.experiments.learning_curve import Curve, LearningCurve
from learnability.experiments.run_records import Record
from learnability.metrics.scores import Score

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


UAS = (
    Curve(((60.0, 61.0), (65.0, 66.0)), 63.0, 90.0),
    Curve(((50.0, 51.0), (55.0, 56.0)), 53.0, None),
)
CURVES = (LearningCurve("UD_X", "", 2, 5, (0.5, 1), (100.0, 200.0), "det", {Score.UAS: UAS}),)
"""The learning curves of a run."""


def labelled_curves() -> tuple[LearningCurve, ...]:
    """:data:`CURVES` of labelled parsers, LAS five points below UAS."""
    original, transformed = (
        replace(
            curve,
            scores=tuple(tuple(score - 5 for score in share) for share in curve.scores),
            area=curve.area - 5,
        )
        for curve in UAS
    )
    return (replace(CURVES[0], curves={Score.UAS: UAS, Score.LAS: (original, transformed)}),)


def config(seeds: int = 2, **values: Any) -> dict[str, Any]:
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


def records(seeds: int = 2, *, labelled: bool = False) -> list[Record]:
    """The records of `ROWS`: 4 test sentences of 10 tokens; one sentence is decided by det.

    Labelled parsers have as many arcs right as heads.
    """
    tokens = [10, 10, 10, 10]
    made = []
    for seed in range(1, seeds + 1):
        splits = {
            "det": {"site": (9, 10), "nucleus": (8, 10), "elsewhere": (15, 20)},
            "case": {"site": (5, 5), "nucleus": (10, 15), "elsewhere": (17, 20)},
        }
        relations = {"det": (9, 10), "nsubj": (23, 30)}
        a = trained([8, 8, 9, 7], tokens, 32, error_split=splits, relations=relations, labelled=labelled)
        made.append(record_of("UD_X", "a", "", seed, training=a))
        for name in ("det", "case"):
            split = {name: {"site": (5, 10), "nucleus": (9, 10), "elsewhere": (14, 20)}}
            relations = {"det": (5, 10), "nsubj": (23, 30)}
            correct = [4, 8, 9, 7] if name == "det" else [8, 9, 9, 7]
            b = trained(correct, tokens, 30, name, error_split=split, relations=relations, labelled=labelled)
            made.append(record_of("UD_X", "b", name, seed, training=b))
            shares = {
                "original_share": [0.5, 0.75][: seed + 1],
                "transformed_share": [0.25, 0.125][: seed + 1],
            }
            c = survived(0.75, 0.125, 0.75, sentences_with_sites=8, **shares)
            made.append(record_of("UD_X", "c", name, seed, survival=c))
        made.append(record_of("UD_X", "b", "mwe", seed))
    skipped = {"det": {"no <such> thing": 3}}
    measures = {name: counts(skipped=skipped.get(name, {})) for name in CONDITIONS}
    return [*made, *(record_of("UD_X", "measures", name, measures=own) for name, own in measures.items())]


def with_examples(
    records: Sequence[Record], examples: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[Record]:
    """The records, those with these keys with sentences to be drawn."""
    return [
        changed(own, training=changed(own.training, examples=list(examples[own.key])))
        if own.key in examples
        else own
        for own in records
    ]
