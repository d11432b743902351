"""Finished runs written by hand: one as the report gets it, and folders of several for their comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from result_rows import NORMAL, HandRow, compared, empty_row, finished
from run_data import changed, counts, record_of, survived, trained

from learnability.comparing.results import Record
from learnability.evidence.columns import Difference, Ground, results_csv
from learnability.metrics.scores import Score
from learnability.running.plan import Setting
from learnability.studies.curve.study import Curve, LearningCurve

CONDITIONS = ("det", "case", "mwe")
"""The conditions of the run that is shown."""


def row(**values: Any) -> HandRow:
    """A condition with sites, of which nothing else was computed."""
    base = empty_row() | {"treebank": "UD_X", "release": "", "transform": "det", "variant": ""}
    return base | {"sites": 12, "test_sites": 50} | values


ALIKE = {
    "pick_multiref": "original",
    "pick_predictability": "original",
    "pick_perplexity": "original",
    "train_tokens": 12345,
    "multiref_original_share": 0.9,
    "multiref_transformed_share": 0.05,
}

FINISHED, *_ = ROWS = finished(
    row(
        **compared(1.4, 0.4, original=80.0),
        **compared(1.2, 0.4, Ground.WORDS, original=82.0),
        **compared(1.0, 0.5, Ground.NUCLEI, original=75.0),
        **compared(0.7, 0.6, Ground.BACK, original=80.0),
        **compared(0.3, 0.4, Ground.CLOSEST, original=81.0),
        **ALIKE,
    ),
    row(
        transform="case",
        **compared(-0.25, 0.75, original=80.0),
        **compared(-0.2, 0.8, Ground.WORDS, original=82.0),
        **compared(-0.1, 0.7, Ground.NUCLEI, original=75.0),
        **compared(0.1, 0.8, Ground.BACK, original=80.0),
        **compared(0.0, 0.6, Ground.CLOSEST, original=81.0),
        **ALIKE,
    ),
    row(transform="mwe", sites=0, test_sites=0),
)
"""The rows of a run: UD clearly ahead, no difference shown, and no site. `FINISHED` is the first."""


UAS = (
    Curve(((60.0, 61.0), (65.0, 66.0)), 63.0, 90.0),
    Curve(((50.0, 51.0), (55.0, 56.0)), 53.0, None),
)
AREA = Difference(63.0, 53.0, 10.0, 0.5, 9.0, 11.0, 0.001, 0.002, 1.0, "original")
CURVES = (
    LearningCurve("UD_X", "", 2, 5, (0.5, 1), (100.0, 200.0), "det", {Score.UAS: UAS}, {Score.UAS: AREA}),
)
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
    curves = {Score.UAS: UAS, Score.LAS: (original, transformed)}
    areas = {Score.UAS: AREA, Score.LAS: replace(AREA, original=58.0, transformed=48.0)}
    return (replace(CURVES[0], curves=curves, areas=areas),)


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
        right = {
            "relations": {"det": (9, 10), "nsubj": (23, 30)},
            "error_split": splits,
            "closest": {name: [8, 8, 9, 7] for name in splits},
        }
        a = trained([8, 8, 9, 7], tokens, "det", right=right, labelled=labelled)
        made.append(record_of("UD_X", "a", "", seed, training=a))
        for name in ("det", "case"):
            split = {name: {"site": (5, 10), "nucleus": (9, 10), "elsewhere": (14, 20)}}
            right = {"relations": {"det": (5, 10), "nsubj": (23, 30)}, "error_split": split}
            correct = [4, 8, 9, 7] if name == "det" else [8, 9, 9, 7]
            b = trained(correct, tokens, name, right=right, labelled=labelled)
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


DELTAS: dict[tuple[str, str], float] = {
    ("UD_X", "case"): 1.0,
    ("UD_X", "det"): -2.0,
    ("UD_Y", "case"): 3.0,
    ("UD_Y", "det"): 0.5,
    ("UD_Z", "case"): -1.0,
}

SEED_DELTAS = {
    ("UD_X", "case"): [1, 1],
    ("UD_X", "det"): [-5, 1],
    ("UD_Y", "case"): [3, 3],
    ("UD_Y", "det"): [2, -1],
    ("UD_Z", "case"): [-1, -1],
}


def condition(
    treebank: str, transform: str, delta: float | None, p_value: float = 0.5, **values: Any
) -> HandRow:
    """A row of results.csv with an interval that fits p; without a delta one that was not computed."""
    base = row(treebank=treebank, release="1.3", transform=transform, sites=30)
    if delta is None:
        return base | values
    return (
        base
        | compared(delta, abs(delta) * NORMAL.inv_cdf(0.975) / NORMAL.inv_cdf(1 - p_value / 2) or 1.0)
        | {
            "sentences": 50,
            "sentences_changed": 20,
            "multiref_original_share": 0.5 + delta / 100,
            "multiref_transformed_share": 0.5,
            "predictability_original": 3.0,
            "predictability_transformed": 3.0,
            "perplexity_original": 9.0,
            "perplexity_transformed": 9.0,
            "complexity_original": 100,
            "complexity_transformed": 100,
        }
        | values
    )


def five_conditions() -> list[HandRow]:
    """Three treebanks; one condition of UD_Z has no site."""

    def scored(
        key: tuple[str, str], p_value: float, multiref: str, shares: Sequence[float], **more: Any
    ) -> HandRow:
        names = ("multiref_original_share", "multiref_transformed_share")
        survival = dict(zip(names, shares or (None, None), strict=True))
        return condition(*key, DELTAS[key], p_value, pick_multiref=multiref, **survival, **more)

    return [
        scored(("UD_X", "case"), 0.03, "original", (0.8, 0.1), pick_perplexity="original"),
        scored(("UD_X", "det"), 0.004, "transformed", (0.2, 0.75)),
        scored(("UD_Y", "case"), 0.012, "none", (0.7, 0.3), pick_perplexity="transformed"),
        scored(("UD_Y", "det"), 0.4, "original", (0.5, 0.4)),
        scored(("UD_Z", "case"), 0.6, "original", ()),
        condition("UD_Z", "det", None, sites=0, test_sites=0),
    ]


def write_run(
    folder: Path,
    *,
    rows: Sequence[HandRow] | None = None,
    only: Sequence[str] = (),
    release: str = "1.3",
    seed_deltas: Mapping[tuple[str, str], Sequence[float]] = SEED_DELTAS,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a finished run of `rows` (default: the five conditions) to `folder`; its path.

    Every seed has 100 test tokens in two folds, of which (a) has 40 right and (b) as many fewer as the
    seed's difference says.
    """
    every = rows or five_conditions()
    seeds = len(next(iter(seed_deltas.values())))
    given = {"release": release, "seeds": seeds}
    own = finished(*(row | given for row in every if not only or row["treebank"] in only))
    treebanks = list(dict.fromkeys(row["treebank"] for row in own))
    folder.mkdir(parents=True)
    config = {
        "arguments": {},
        "options": {"oracle": "dynamic", "system": "arc-eager", "seeds": seeds, **(options or {})},
        "treebanks": [
            {
                "label": f"{t}@{release}",
                "name": t,
                "release": release,
                "folds": 2,
                "split_policy": "",
                "sha256": {},
            }
            for t in treebanks
        ],
        "seeds": list(range(1, seeds + 1)),
        "versions": {},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "results.csv").write_bytes(results_csv(own))
    records = [
        _training(f"{t}@{release}", "a", "", seed, fold, 20)
        for t in treebanks
        for seed in config["seeds"]
        for fold in (0, 1)
    ]
    for (t, name), deltas in seed_deltas.items():
        if t in treebanks:
            for seed, delta in enumerate(deltas, start=1):
                records.append(_training(f"{t}@{release}", "b", name, seed, 0, 20))
                records.append(_training(f"{t}@{release}", "b", name, seed, 1, int(20 - delta)))
    (folder / "records.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in records))
    return folder


def _training(treebank: str, setting: Setting, condition: str, seed: int, fold: int, correct: int) -> Record:
    return record_of(treebank, setting, condition, seed, fold, training=trained([correct], [50]))
