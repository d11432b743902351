"""Finished runs written by hand: one as the report gets it, and folders of several for their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
from result_rows import NORMAL, HandRow, compared, described, empty_row, finished
from run_data import changed, counts, record_of, survived, trained, training_of, with_result

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import ParsedSentence
from learnability.evidence.columns import results_csv
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import result_rows
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.parsers.trainer import USUAL_PARSER
from learnability.reports.story import RunStory, tell_story
from learnability.running.config import ParserDesign, RunConfig
from learnability.running.records import FORMAT, Record, Records, encode
from learnability.statistics.spread import SEED_RATIO

USUAL = ParserDesign(USUAL_PARSER, USUAL_PARSER, SEED_RATIO)
"""The parser of the runs."""

PAIRS = ("det", "case", "mwe")
"""The pairs of the run that is shown."""


def row(**values: Any) -> HandRow:
    named = {"treebank": "UD_X", "construction": "det"} | values
    named.setdefault("alternative", named["construction"])
    return empty_row() | {"places": 12, "test_places": 50} | named


ALIKE = {
    "trained_on_both_pick": "base",
    "train_tokens": 12345,
    "trained_on_both_base": 0.9,
    "trained_on_both_alternative": 0.05,
}

FINISHED, *_ = ROWS = finished(
    row(
        **compared(1.4, 0.4, base=80.0),
        **compared(1.2, 0.4, ScoringBasis.WORDS, base=82.0),
        **compared(1.0, 0.5, ScoringBasis.PHRASES, base=75.0),
        **compared(0.7, 0.6, ScoringBasis.CONVERTED, base=80.0),
        **ALIKE,
    ),
    row(
        construction="case",
        **compared(-0.25, 0.75, base=80.0),
        **compared(-0.2, 0.8, ScoringBasis.WORDS, base=82.0),
        **compared(-0.1, 0.7, ScoringBasis.PHRASES, base=75.0),
        **compared(0.1, 0.8, ScoringBasis.CONVERTED, base=80.0),
        **ALIKE,
    ),
    row(construction="mwe", places=0, test_places=0),
)
"""The rows of a run: UD clearly ahead, no difference shown, and no place. `FINISHED` is the first."""


def config(seeds: int = 2, **changes: Any) -> RunConfig:
    """The configuration of `ROWS`."""
    values = {
        "format": FORMAT,
        "command_line": "",
        "arguments": {"command": "run", "treebanks": [{"treebank": "UD_X"}]},
        "options": ExperimentOptions.spell_annotations(PAIRS, seeds=seeds).as_json(),
        "studies": {"run": {}},
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
        "compares": True,
        "pairs": [asdict(described(name)) for name in PAIRS],
        "parsers": [asdict(USUAL)],
        "seeds": list(range(1, seeds + 1)),
        "versions": {"learnability": "0.1.0"},
        "finished": {"run": ["results.csv"]},
    } | changes
    return msgspec.convert(values, RunConfig)


def content_of(
    rows: Sequence[ComparisonRow], records: Iterable[Record], config: RunConfig, **others: Any
) -> RunStory:
    plan = RunPlan((), (), ExperimentOptions(()))
    return tell_story(
        **{"plan": plan, "folder": Path("RUN"), "typed_folder": "RUN", **others},
        config=config, records=Records(records), rows=rows,
    )  # fmt: skip


def records(seeds: int = 2, *, labelled: bool = False) -> list[Record]:
    """The records of `ROWS`: 4 test sentences of 10 tokens; one sentence is decided by det.

    Labelled parsers have as many arcs right as heads.
    """
    tokens = [10, 10, 10, 10]
    made = []
    for seed in range(1, seeds + 1):
        splits = {
            "det": {"place": (9, 10), "phrase": (8, 10), "elsewhere": (15, 20)},
            "case": {"place": (5, 5), "phrase": (10, 15), "elsewhere": (17, 20)},
        }
        right = {"relations": {"det": (9, 10), "nsubj": (23, 30)}, "error_split": splits}
        a = trained([8, 8, 9, 7], tokens, "det", right=right, labelled=labelled)
        made.append(record_of("UD_X", "a", "", seed, result=a))
        for name in ("det", "case"):
            split = {name: {"place": (5, 10), "phrase": (9, 10), "elsewhere": (14, 20)}}
            right = {"relations": {"det": (5, 10), "nsubj": (23, 30)}, "error_split": split}
            correct = [4, 8, 9, 7] if name == "det" else [8, 9, 9, 7]
            b = trained(correct, tokens, name, right=right, labelled=labelled)
            made.append(record_of("UD_X", "b", name, seed, result=b))
            shares = {"base_share": [0.5, 0.75][: seed + 1], "alternative_share": [0.25, 0.125][: seed + 1]}
            c = survived(0.75, 0.125, 0.75, sentences_with_places=8, **shares)
            made.append(record_of("UD_X", "c", name, seed, result=c))
        made.append(record_of("UD_X", "b", "mwe", seed))
    skipped = {"det": {"no <such> thing": 3}}
    measures = {name: counts(skipped=skipped.get(name, {})) for name in PAIRS}
    return [*made, *(record_of("UD_X", "measures", name, result=own) for name, own in measures.items())]


def with_examples(
    records: Sequence[Record], examples: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[Record]:
    return [
        with_result(
            record,
            changed(
                training_of(record), examples=msgspec.convert(examples[record.key], list[ParsedSentence])
            ),
        )
        if record.key in examples
        else record
        for record in records
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


def pair(treebank: str, transform: str, delta: float | None, p_value: float = 0.5, **values: Any) -> HandRow:
    """A row of results.csv with an interval that fits p; without a delta one that was not computed."""
    base = row(treebank=treebank, release="1.3", construction=transform, places=30)
    if delta is None:
        return base | values
    return (
        base
        | compared(delta, abs(delta) * NORMAL.inv_cdf(0.975) / NORMAL.inv_cdf(1 - p_value / 2) or 1.0)
        | {
            "sentences": 50,
            "sentences_changed": 20,
            "trained_on_both_base": 0.5 + delta / 100,
            "trained_on_both_alternative": 0.5,
        }
        | values
    )


def five_pairs() -> list[HandRow]:
    def scored(key: tuple[str, str], p_value: float, multiref: str, shares: Sequence[float]) -> HandRow:
        names = ("trained_on_both_base", "trained_on_both_alternative")
        survival = dict(zip(names, shares or (None, None), strict=True))
        return pair(*key, DELTAS[key], p_value, trained_on_both_pick=multiref, **survival)

    return [
        scored(("UD_X", "case"), 0.03, "base", (0.8, 0.1)),
        scored(("UD_X", "det"), 0.004, "alternative", (0.2, 0.75)),
        scored(("UD_Y", "case"), 0.012, "none", (0.7, 0.3)),
        scored(("UD_Y", "det"), 0.4, "base", (0.5, 0.4)),
        scored(("UD_Z", "case"), 0.6, "base", ()),
        pair("UD_Z", "det", None, places=0, test_places=0),
    ]


FOLDS = (4, 4, 2)
"""The test sentences of the folds of a run; each has 10 tokens."""


def hand_run(
    folder: Path,
    *,
    rows: Sequence[HandRow] | None = None,
    only: Sequence[str] = (),
    release: str = "1.3",
    seed_deltas: Mapping[tuple[str, str], Sequence[float]] = SEED_DELTAS,
    options: Mapping[str, Any] | None = None,
) -> StoredRun:
    seeds = len(next(iter(seed_deltas.values())))
    given = {"release": release, "seeds": seeds}
    own = finished(*(row | given for row in rows or five_pairs() if not only or row.treebank in only))
    treebanks = dict.fromkeys(row.treebank for row in own)
    pairs = tuple(StoredPair(row, folder, "arc-eager") for row in own)
    return StoredRun(folder, run_config(treebanks, release, seeds, options), pairs)


def run_config(
    treebanks: Iterable[str],
    release: str,
    seeds: int,
    options: Mapping[str, Any] | None = None,
    pairs: Sequence[Pair[AnnotationFacts]] = (),
) -> RunConfig:
    alternatives = {"alternatives": [pair.alternative.spelling for pair in pairs]}
    of_run = ExperimentOptions.spell_annotations((), seeds=seeds).as_json() | alternatives
    return config(
        seeds,
        arguments={},
        options={**of_run, **(options or {})},
        treebanks=[
            {"label": f"{name}@{release}", "name": name, "release": release, "folds": len(FOLDS)}
            for name in treebanks
        ],
        pairs=list(map(asdict, pairs)),
        versions={},
    )


def write_run(
    folder: Path,
    *,
    only: Sequence[str] = (),
    release: str = "1.3",
    seed_deltas: Mapping[tuple[str, str], Sequence[float]] = SEED_DELTAS,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a finished run with these UAS differences of its seeds to `folder`; its path.

    Every seed has 100 test tokens in ten sentences and three folds, of which (a) has 40 right and (b) as many
    fewer as the seed's difference says. A treebank that has differences of some pairs has no places of
    the others.
    """
    seeds = len(next(iter(seed_deltas.values())))
    names = list(dict.fromkeys(name for _, name in seed_deltas))
    treebanks = list(dict.fromkeys(name for name, _ in seed_deltas if not only or name in only))
    designs = list(map(described, names))
    config = run_config(treebanks, release, seeds, options, designs)
    records = []
    for treebank in treebanks:
        place = f"{treebank}@{release}"
        for seed in config.seeds:
            records += [_training(place, "a", "", seed, fold, 0, names) for fold in range(len(FOLDS))]
        for name in names:
            deltas = seed_deltas.get((treebank, name), ())
            places = 12 if deltas else 0
            measures = counts(places=places, test_places=places)
            for fold in range(len(FOLDS)):
                records.append(record_of(place, "measures", name, fold=fold, result=measures))
                for seed, delta in enumerate(deltas, start=1):
                    fewer = int(delta) if fold == 1 else 0
                    records.append(_training(place, "b", name, seed, fold, fewer, names))
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(config.as_bytes())
    (folder / "records.jsonl").write_bytes(b"".join(map(encode, records)))
    (folder / "results.csv").write_bytes(results_csv(result_rows(config, Records(records))))
    return folder


def _training(
    treebank: str, setting: str, alternative: str, seed: int, fold: int, fewer: int, names: Sequence[str]
) -> Record:
    correct = [4] * FOLDS[fold]
    correct[0] -= fewer
    right_of = {"error_split": {name: {} for name in names}}
    own = trained(correct, [10] * FOLDS[fold], right=right_of)
    return record_of(treebank, setting, alternative, seed, fold, result=own)
