"""The experiments of the papers on dynamic oracles: transition systems x training regimes, and k x p.

Every system meets every regime it has, on any treebank, and is trained as in the papers: a fixed number of
iterations, no development data, averaged weights of the last. `docs/oracles.md` says which experiment of
Goldberg & Nivre (2012, 2013) and Gómez-Rodríguez & Fernández-González (2015) is which, and how p differs
between them: here, as in 2013, it is the probability of following a wrong prediction after iteration k.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from itertools import product
from typing import Any

import msgspec

from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions, OracleOptions, default_oracle
from learnability.comparing.trainings import work_of
from learnability.errors import InputError
from learnability.metrics.scores import are_words, per_sentence, right_tokens, scores_of
from learnability.parsing.parser import ParserOptions, train_parser, warm_up_parser
from learnability.parsing.systems import system_named
from learnability.running.configuration import read_treebanks
from learnability.running.engine import Experiment
from learnability.running.plan import TreebankPlan
from learnability.running.records import CellRecord
from learnability.support.options import check_values
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree

GRID_K, GRID_P = (0, 1, 2, 3, 4, 5), (0.0, 0.3, 0.6, 0.9)
"""The exploration parameters of 2013, Figure 1."""


@dataclass(frozen=True)
class Regime:
    """How a parser is trained, a row of the tables; k and p are None without exploration."""

    system: str
    oracle: str
    k: int | None = None
    p: float | None = None

    def __str__(self) -> str:
        return f"{self.system}: {self.oracle}"

    def training(self) -> Regime:
        """The regime that trains the same parser: if nothing is ever explored, k makes no difference."""
        return Regime(self.system, self.oracle, 0, 0.0) if self.p == 0 else self


@dataclass(frozen=True)
class OracleCell:
    """One training; `treebank` is its label."""

    treebank: str
    regime: Regime
    seed: int
    fold: int = 0

    @property
    def key(self) -> str:
        """The key of the cell's record."""
        return "/".join(map(str, (self.treebank, *astuple(self.regime), self.seed, self.fold)))

    @property
    def title(self) -> str:
        """What progress calls the cell."""
        return f"{self.treebank} {self.regime.system} {self.regime.oracle}"


class OracleRecord(CellRecord, frozen=True, kw_only=True, omit_defaults=True):
    """Which training a record is of; by itself that of one that failed. `trained_tokens` are training tokens
    times iterations, `kernel_seconds` those of the training kernel alone."""

    kernel_seconds: float | None = None
    trained_tokens: int | None = None
    treebank: str
    release: str
    system: str
    oracle: str
    k: int | None
    p: float | None
    seed: int
    fold: int


class OracleTraining(OracleRecord, frozen=True, kw_only=True, omit_defaults=True):
    """The record of a training.

    Attributes:
        tokens, words: per test sentence; `words` without punctuation (`oracles.sentence_counts`).
        uas, uas_without_punctuation: of these, with the right head.
        las, las_without_punctuation: with the right label, too; None if the parser is unlabelled.
        forced: configurations that easy-first left without a correct prediction.
        features: features that have a weight.
    """

    iterations: int
    train_sentences: int
    train_tokens: int
    nonprojective_train: int
    tokens: list[int]
    words: list[int]
    uas: list[int]
    uas_without_punctuation: list[int]
    las: list[int] | None = None
    las_without_punctuation: list[int] | None = None
    forced: int
    features: int
    wall_seconds: float


@dataclass(frozen=True)
class OraclePlan(TreebankPlan):
    """The treebanks with what is known of them, the options, and the regimes compared."""

    options: OracleOptions
    regimes: tuple[Regime, ...]

    def cells(self) -> list[OracleCell]:
        """Every training, once, treebank by treebank."""
        trainings = dict.fromkeys(regime.training() for regime in self.regimes)
        return [
            OracleCell(name, regime, seed, fold)
            for name, (_, facts) in self.by_label.items()
            for fold in range(facts.folds)
            for regime in trainings
            for seed in self.seeds
        ]

    def seconds(self, cell: OracleCell) -> float:
        """A rough estimate of the time a training takes, in seconds of one processor."""
        tokens = self.by_label[cell.treebank][1].train_tokens[cell.fold]
        system = system_named(cell.regime.system)
        return tokens * (self.options.iterations or system.iterations) / system.tokens_per_second

    def notes(self) -> list[str]:
        """What the reader of the tables has to know of the systems and the treebanks, one line each."""
        lines = []
        for system in map(system_named, self.options.systems):
            missing = [oracle for oracle in self.options.oracles if oracle not in system.regimes]
            if missing and not self.options.grid:
                lines.append(f"{system.name}: no {', '.join(missing)}: {system.other_regimes}")
        for name, (_, facts) in self.by_label.items():
            if facts.split_policy:
                lines.append(f"{name}: {facts.split_policy}")
            lines += facts.warnings
        return lines


def regimes_of(options: OracleOptions) -> tuple[Regime, ...]:
    """What is compared, in the order of the rows; InputError for wrong options."""
    check_values(options)
    for oracle in options.oracles:
        ParserOptions(oracle=oracle).regime()
    wanted = ("explore",) if options.grid else options.oracles
    explored = list(product(GRID_K, GRID_P)) if options.grid else [(options.k, options.p)]
    regimes: list[Regime] = []
    for system in map(system_named, dict.fromkeys(options.systems)):
        ParserOptions(system=system.name, features=options.features, labelled=options.labelled).templates()
        oracles = [oracle for oracle in system.regimes if oracle in wanted]
        if not oracles:
            raise InputError(
                f"{system.name} has no {', '.join(wanted)} training: {system.other_regimes}; "
                f"choose of {', '.join(system.regimes)}, or another --system"
            )
        for oracle in oracles:
            parameters = explored if oracle == "explore" else [(None, None)]
            regimes += [Regime(system.name, oracle, k, p) for k, p in parameters]
    return tuple(regimes)


def make_oracle_plan(
    treebanks: Sequence[TreebankFiles],
    options: OracleOptions,
    *,
    jobs: int = 1,
    progress: Stages | None = None,
) -> OraclePlan:
    """Check the options and read the treebanks; InputError if they cannot be used."""
    regimes = regimes_of(options)
    if not treebanks:
        raise InputError("no treebank given; give --treebank")
    files, facts, _ = read_treebanks(treebanks, options.data, jobs=jobs, stages=progress or Stages())
    return OraclePlan(files, facts, options, regimes)


def parser_options(options: OracleOptions, regime: Regime, seed: int) -> ParserOptions:
    """The options of a training."""
    return ParserOptions(
        system=regime.system,
        oracle=regime.oracle,
        iterations=options.iterations or system_named(regime.system).iterations,
        labelled=options.labelled,
        features=options.features,
        tags=options.tags,
        k=regime.k or 0,
        p=regime.p or 0.0,
        seed=seed,
        multiple_roots=options.data.multiple_roots,
    )


def oracle_experiment(plan: OraclePlan) -> Experiment[OracleCell, OracleTraining]:
    """The experiment that the engine computes."""

    def task(cell: OracleCell, _needed: object) -> Callable[[], OracleTraining]:
        files, facts = plan.by_label[cell.treebank]
        return partial(run_oracle_cell, files, plan.options, cell, facts.sha256)

    def failure(cell: OracleCell, reason: str) -> OracleRecord:
        return OracleRecord(**_identity(plan.by_label[cell.treebank][0], cell), failed=reason)

    of_systems = {regime.system: parser_options(plan.options, regime, 1) for regime in plan.regimes}
    return Experiment(
        cells=plan.cells(),
        systems=list(of_systems),
        warm_ups=[partial(warm_up_parser, options) for options in of_systems.values()],
        task=task,
        failure=failure,
        decode=msgspec.json.Decoder(OracleTraining).decode,
        seconds=plan.seconds,
    )


def run_oracle_cell(
    files: TreebankFiles, options: OracleOptions, cell: OracleCell, sha256: Mapping[str, str]
) -> OracleTraining:
    """Train and test one parser; InputError if the files do not have the `sha256` of the plan."""
    began = time.perf_counter()
    system, tags, data = cell.regime.system, options.tags, options.data
    own = ExperimentOptions((), system=system, oracle=default_oracle(system), tags=tags, data=data)
    fold = fold_of(files, own, cell.fold)
    fold.check_unchanged(sha256)
    train, test = fold.ud.train, fold.ud.test
    trained = train_parser(train, parser_options(options, cell.regime, cell.seed))
    tokens = sum(map(len, train))
    counts: dict[str, Any] = sentence_counts(test, trained.parser.parse(test), labelled=options.labelled)
    return OracleTraining(
        **_identity(files, cell),
        **work_of(trained, tokens),
        train_sentences=len(train),
        train_tokens=tokens,
        nonprojective_train=fold.nonprojective,
        **counts,
        forced=trained.forced,
        wall_seconds=round(time.perf_counter() - began, 3),
    )


def sentence_counts(gold: Sequence[Tree], parsed: Sequence[Tree], *, labelled: bool) -> dict[str, list[int]]:
    """Per sentence the correct tokens of every score, and the tokens they are out of: `tokens`, or `words`
    for those without punctuation (tokens that the reference labels `punct`). Labels are compared without
    their subtypes, as the official scorer does."""
    word = are_words(gold)
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
