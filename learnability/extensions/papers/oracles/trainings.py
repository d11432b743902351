"""Define the trainings of the oracle experiments: transition systems x training regimes, and k x p.

Every system meets every regime it has, on any treebank, and is trained as in the papers: a fixed number of
iterations, no development data, averaged weights of the last. `docs/extensions/oracles.md` says which
experiment of Goldberg & Nivre (2012, 2013) and Gómez-Rodríguez & Fernández-González (2015) is which, and how
p differs between them: here, as in 2013, it is the probability of following a wrong prediction after
iteration k.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import msgspec

from learnability.comparing.fold import Fold
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.comparing.scoring import work_of
from learnability.errors import InputError
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.metrics.scores import answered_scores, are_words, per_sentence, right_tokens
from learnability.parsers.registry import parser_named
from learnability.parsing.parser import ParserOptions, train_parser, warm_up_parser
from learnability.parsing.systems import system_named
from learnability.running.cell import Cell, WarmUp
from learnability.running.records import Work
from learnability.support.options import check_values
from learnability.treebanks.sentence import Tree, document_lengths, number_documents

GRID_K, GRID_P = (0, 1, 2, 3, 4, 5), (0.0, 0.3, 0.6, 0.9)
"""The exploration parameters of 2013, Figure 1."""

SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard", "easy-first", "covington")
REGIMES = ("static", "ambiguity", "explore")
"""The regimes that are compared by default."""


@dataclass(frozen=True)
class Regime:
    """Define how a parser is trained, which is a row of the tables; k and p are None without exploration."""

    system: str
    oracle: str
    k: int | None = None
    p: float | None = None

    def __str__(self) -> str:
        return f"{self.system}: {self.oracle}"

    def find_trained_regime(self) -> Regime:
        """Return the regime that trains the same parser: without exploration, k makes no difference."""
        return Regime(self.system, self.oracle, 0, 0.0) if self.p == 0 else self


class OracleTraining(Work, frozen=True, kw_only=True, omit_defaults=True):
    """Hold the result of a training.

    Attributes:
        nonprojective_train: the number of training sentences that are not projective.
        tokens, words: the number in each test sentence; `words` without punctuation (`sentence_counts`).
        documents: the test sentences of each document; empty for one alone.
        uas, uas_without_punctuation: how many have the right head.
        las, las_without_punctuation: how many also have the right label; None if the parser is unlabelled.
        forced: the number of configurations that easy-first left without a correct prediction.
    """

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
    documents: list[int] = msgspec.field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class OracleCell(Cell[OracleTraining]):
    """Hold one training; `options` has the system, the regime and all other options but the seed."""

    SETTING = "oracle"
    RESULT = OracleTraining
    options: ParserOptions

    @property
    def subject(self) -> str:
        """Return the regime, with the parameters of exploration."""
        explored = f"/{self.options.k}/{self.options.p}" if self.options.oracle == "explore" else ""
        return f"{self.options.oracle}{explored}"

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of a fold for the transition system, in its usual regime."""
        return ExperimentOptions(
            (), parsers=(parser_named(self.parser),), tags=options.tags, data=options.data
        )

    def compute(self, fold: Fold) -> OracleTraining:
        """Train and test."""
        test, inputs = fold.ud.test, fold.inputs(fold.ud, self.seed)
        train = inputs.train
        trained = train_parser(train, replace(self.options, seed=self.seed))
        tokens = sum(map(len, train))
        counts: dict[str, Any] = sentence_counts(
            test, trained.parser.parse(inputs.test), labelled=self.options.labelled
        )
        return OracleTraining(
            **work_of(trained, tokens),
            train_sentences=len(train),
            train_tokens=tokens,
            nonprojective_train=fold.nonprojective,
            **counts,
            forced=trained.forced,
            documents=document_lengths(number_documents(fold.treebank.test)),
        )

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        """Return a rough estimate of the processor seconds."""
        system = self.options.transition_system
        return tokens * (self.options.iterations or system.iterations) / system.tokens_per_second

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        """Return what compiles the kernels of the system."""
        usual = ParserOptions(
            system=self.options.system,
            oracle=self.options.transition_system.default_regime,
            labelled=self.options.labelled,
            features=self.options.features,
        )
        return (WarmUp(self.options.system, warm_up_parser, (usual,)),)


def regimes_of(options: OracleOptions) -> tuple[Regime, ...]:
    """Return the regimes to compare, in the order of the rows.

    Raises:
        InputError: unknown systems, regimes or values; a system that has none of the regimes; options that
            have no effect.
    """
    check_values(options)
    systems = options.systems or (SYSTEMS[:1] if options.grid else SYSTEMS)
    wanted = options.oracles or (("explore",) if options.grid else REGIMES)
    for oracle in wanted:
        ParserOptions(oracle=oracle).regime()
    if options.grid and set(wanted) != {"explore"}:
        raise InputError("`grid` compares K and P of the oracle explore; leave out `oracles`, or `grid`")
    for name in ("k", "p"):
        if getattr(options, name) is not None and "explore" not in wanted:
            raise InputError(
                f"`{name}` applies to the oracle explore, which this run does not train; leave it out"
            )
    usual = ParserOptions()
    ks = GRID_K if options.grid and options.k is None else (usual.k if options.k is None else options.k,)
    ps = GRID_P if options.grid and options.p is None else (usual.p if options.p is None else options.p,)
    regimes: list[Regime] = []
    for system in map(system_named, dict.fromkeys(systems)):
        ParserOptions(system=system.name, features=options.features, labelled=options.labelled).templates()
        oracles = [oracle for oracle in system.regimes if oracle in wanted]
        if not oracles:
            raise InputError(
                f"{system.name} has no {', '.join(wanted)} training ({system.other_regimes}); "
                f"choose from {', '.join(system.regimes)}, or choose another of `systems`"
            )
        for oracle in oracles:
            parameters = list(product(ks, ps)) if oracle == "explore" else [(None, None)]
            regimes += [Regime(system.name, oracle, k, p) for k, p in parameters]
    return tuple(regimes)


def oracle_cell(
    plan: RunPlan, options: OracleOptions, regime: Regime, treebank: str, seed: int = 0, fold: int = 0
) -> OracleCell:
    """Return the cell that trains a regime on a treebank (its label)."""
    trained = regime.find_trained_regime()
    parser = ParserOptions(
        system=trained.system,
        oracle=trained.oracle,
        iterations=plan.options.iterations or system_named(trained.system).iterations,
        labelled=options.labelled,
        features=options.features,
        tags=plan.options.tag_column,
        k=trained.k or 0,
        p=trained.p or 0.0,
        multiple_roots=plan.options.data.multiple_roots,
    )
    return OracleCell(treebank=treebank, parser=trained.system, seed=seed, fold=fold, options=parser)


def oracle_cells(plan: RunPlan, options: OracleOptions) -> Iterator[OracleCell]:
    """Yield every training, once, treebank by treebank."""
    trainings = dict.fromkeys(regime.find_trained_regime() for regime in regimes_of(options))
    for name in plan.by_label:
        for fold, regime, seed in product(plan.folds(name), trainings, plan.seeds):
            yield oracle_cell(plan, options, regime, name, seed, fold)


def notes(plan: RunPlan, options: OracleOptions) -> list[str]:
    """Return remarks on the systems and the treebanks for the reader of the tables, one line each."""
    lines = []
    wanted = options.oracles or REGIMES
    for system in dict.fromkeys(regime.system for regime in regimes_of(options)):
        transitions = system_named(system)
        missing = [oracle for oracle in wanted if oracle not in transitions.regimes]
        if missing and not options.grid:
            lines.append(f"{system} has no {' or '.join(missing)} training: {transitions.other_regimes}")
    for name, (_, facts) in plan.by_label.items():
        lines += [f"{name}: {facts.split_policy}"] if facts.split_policy else []
        lines += facts.left_out
    return lines


def sentence_counts(gold: Sequence[Tree], parsed: Sequence[Tree], *, labelled: bool) -> dict[str, list[int]]:
    """Return for each sentence the correct tokens of every score, and the totals `tokens` and `words`.

    `words` leaves out punctuation: tokens with the gold label `punct`. Labels are compared without subtypes,
    as in the official scorer.
    """
    word = are_words(gold)
    counts = {"tokens": list(map(len, gold)), "words": per_sentence(word, gold).tolist()}
    for score in answered_scores(labelled=labelled):
        right = right_tokens(gold, parsed, score)
        counts[score] = per_sentence(right, gold).tolist()
        counts[f"{score}_without_punctuation"] = per_sentence(right & word, gold).tolist()
    return counts
