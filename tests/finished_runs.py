"""Finished runs written by hand, for the comparison of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from result_rows import HandRow, empty_row
from run_data import record_of, trained

from learnability.experiments.columns import results_csv
from learnability.experiments.plan import Setting
from learnability.experiments.run_records import Record

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


def condition(treebank: str, transform: str, delta: float | None, **values: Any) -> HandRow:
    """A row of results.csv; without a delta one that was not computed."""
    row = empty_row()
    row.update(treebank=treebank, release="1.3", transform=transform, variant="", sites=30)
    if delta is not None:
        winner = "original" if delta > 0 else "transformed" if delta < 0 else "none"
        row.update(
            sentences=50,
            sentences_changed=20,
            uas_delta=delta,
            uas_delta_low=delta - 1,
            uas_delta_high=delta + 1,
            p_value=0.5,
            p_holm=0.5,
            winner=winner,
            better="none",
            multiref_original_share=0.5 + delta / 100,
            multiref_transformed_share=0.5,
            predictability_original=3.0,
            predictability_transformed=3.0,
            perplexity_original=9.0,
            perplexity_transformed=9.0,
            complexity_original=100,
            complexity_transformed=100,
        )
    return row | values


def five_conditions() -> list[dict[str, Any]]:
    """Three treebanks; one condition of UD_Z has no site."""

    def row(key: tuple[str, str], p: float, multiref: str, shares: Sequence[float], **more: Any) -> Any:
        names = ("multiref_original_share", "multiref_transformed_share")
        found = dict(zip(names, shares or (None, None), strict=True))
        return condition(*key, DELTAS[key], p_value=p, pick_multiref=multiref, **found, **more)

    right, wrong = {"pick_perplexity": "original"}, {"pick_perplexity": "transformed"}
    return [
        row(("UD_X", "case"), 0.03, "original", (0.8, 0.1), better="original", **right),
        row(("UD_X", "det"), 0.004, "transformed", (0.2, 0.75), better="transformed"),
        row(("UD_Y", "case"), 0.012, "none", (0.7, 0.3), better="original", **wrong),
        row(("UD_Y", "det"), 0.4, "original", (0.5, 0.4)),
        row(("UD_Z", "case"), 0.6, "original", ()),
        condition("UD_Z", "det", None, sites=0),
    ]


def write_run(
    folder: Path,
    *,
    rows: Sequence[dict[str, Any]] | None = None,
    only: Sequence[str] = (),
    release: str = "1.3",
    seed_deltas: Mapping[tuple[str, str], Sequence[float]] = SEED_DELTAS,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a finished run of `rows` (default: the five conditions) to `folder`; its path.

    Every seed has 100 test tokens in two folds, of which (a) has 40 right and (b) as many fewer as the
    seed's difference says.
    """
    chosen = [
        dict(r, release=release) for r in rows or five_conditions() if not only or r["treebank"] in only
    ]
    treebanks = list(dict.fromkeys(r["treebank"] for r in chosen))
    seeds = len(next(iter(seed_deltas.values())))
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
    (folder / "results.csv").write_bytes(results_csv(chosen))
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
    return record_of(treebank, setting, condition, seed, fold, training=trained([correct], [50], correct))
