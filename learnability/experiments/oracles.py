"""Running the experiments on dynamic oracles: planned in `oracle_plan`, summarised in `oracle_tables`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from learnability.experiments.configuration import configuration
from learnability.experiments.engine import Experiment, complete
from learnability.experiments.fold import fold_of
from learnability.experiments.folder import RESULTS, RunFolder
from learnability.experiments.options import ExperimentOptions, OracleOptions
from learnability.experiments.oracle_plan import (
    OracleCell,
    OraclePlan,
    OracleRecord,
    OracleTraining,
    Regime,
    make_oracle_plan,
    parser_options,
    regimes_of,
)
from learnability.experiments.oracle_tables import AVERAGES, Average, Row, average_rows, oracle_rows, rows_csv
from learnability.experiments.progress import CONDITION_SECONDS
from learnability.metrics.scores import per_sentence, right_tokens, scores_of
from learnability.parsing.parser import train_parser
from learnability.parsing.warm_up import warm_up_parser
from learnability.progress import Stages
from learnability.treebanks.labels import PUNCT, universal
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class OracleOutcome:
    """A run that has tried everything: rows per treebank, averages, the failed trainings, and its folder."""

    plan: OraclePlan
    rows: list[Row]
    averages: list[Average]
    failed: list[OracleRecord]
    folder: Path


def run_oracles(
    treebanks: Sequence[TreebankFiles],
    options: OracleOptions,
    out: Path,
    arguments: Mapping[str, Any],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    resume: bool = False,
    progress: Stages | None = None,
) -> OracleOutcome:
    """Train what is missing; config.json, records.jsonl, results.csv and averages.csv are written to `out`. A
    training that fails is recorded with its reason and the others go on; `resume` tries it again. The same
    treebanks and options give the same tables, wherever they are computed and however often interrupted."""
    regimes_of(options)
    stages = progress or Stages()
    folder = RunFolder(out)
    with folder.locked():
        folder.check(resume=resume)
        plan = make_oracle_plan(treebanks, options, jobs=jobs, progress=stages)
        config = configuration(plan.by_label.values(), arguments, asdict(options), notes=plan.notes())
        folder.begin(config, resume=resume)
        results = complete(oracle_experiment(plan), folder, jobs=jobs, cluster=cluster, stages=stages)
        count = len(plan.regimes) * len(plan.treebanks)
        stages.stage("intervals and tests", expected=count * CONDITION_SECONDS)
        rows = oracle_rows(plan, results.records)
        averages = average_rows(rows)
        if not results.failed:
            folder.complete({AVERAGES: rows_csv(averages), RESULTS: rows_csv(rows)})
    return OracleOutcome(plan, rows, averages, results.failed, out)


def oracle_experiment(plan: OraclePlan) -> Experiment[OracleCell, OracleTraining]:
    """The experiment that the engine computes."""

    def task(cell: OracleCell, _needed: object) -> Callable[[], OracleTraining]:
        files, facts = plan.by_label[cell.treebank]
        return partial(run_oracle_cell, files, plan.options, cell, facts.sha256)

    def failure(cell: OracleCell, reason: str) -> OracleRecord:
        return OracleRecord(**_identity(plan.by_label[cell.treebank][0], cell), failed=reason)

    of_system = {regime.system: regime for regime in plan.regimes}
    return Experiment(
        cells=plan.cells(),
        systems=list(of_system),
        warm_up=partial(_warm_up, plan.options, list(of_system.values())),
        task=task,
        failure=failure,
        decode=msgspec.json.Decoder(OracleTraining).decode,
        seconds=plan.seconds,
    )


def _warm_up(options: OracleOptions, regimes: Sequence[Regime]) -> None:
    for regime in regimes:
        warm_up_parser(parser_options(options, regime, 1))


def run_oracle_cell(
    files: TreebankFiles, options: OracleOptions, cell: OracleCell, sha256: Mapping[str, str]
) -> OracleTraining:
    """Train and test one parser; InputError if the files do not have the `sha256` of the plan."""
    began = time.perf_counter()
    own = ExperimentOptions((), system=cell.regime.system, tags=options.tags, data=options.data)
    fold = fold_of(files, own, cell.fold)
    fold.check_unchanged(sha256)
    train, test = fold.ud.train, fold.ud.test
    trained = train_parser(train, parser_options(options, cell.regime, cell.seed))
    tokens = sum(map(len, train))
    counts: dict[str, Any] = sentence_counts(test, trained.parser.parse(test), labelled=options.labelled)
    return OracleTraining(
        **_identity(files, cell),
        iterations=trained.iterations,
        train_sentences=len(train),
        train_tokens=tokens,
        nonprojective_train=fold.nonprojective,
        **counts,
        forced=trained.forced,
        features=trained.features,
        kernel_seconds=round(trained.seconds, 4),
        trained_tokens=tokens * trained.iterations,
        wall_seconds=round(time.perf_counter() - began, 3),
    )


def sentence_counts(gold: Sequence[Tree], parsed: Sequence[Tree], *, labelled: bool) -> dict[str, list[int]]:
    """Per sentence the correct tokens of every score, and the tokens they are out of: `tokens`, or `words`
    for those without punctuation (tokens that the reference labels `punct`). Labels are compared without
    their subtypes, as the official scorer does."""
    word = np.array([universal(deprel) not in PUNCT for tree in gold for deprel in tree.deprels], np.bool_)
    counts = {"tokens": list(map(len, gold)), "words": per_sentence(word, gold).tolist()}
    for score in scores_of(labelled=labelled):
        right = right_tokens(gold, parsed, score)
        counts[score] = per_sentence(right, gold).tolist()
        counts[f"{score}_without_punctuation"] = per_sentence(right & word, gold).tolist()
    return counts


def _identity(files: TreebankFiles, cell: OracleCell) -> dict[str, Any]:
    """The fields of a record that say which cell it is of."""
    names = {"key": cell.key, "treebank": files.name, "release": files.release}
    return {**names, **asdict(cell.regime), "seed": cell.seed, "fold": cell.fold}
