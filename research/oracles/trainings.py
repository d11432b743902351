"""Define the trainings of the oracle experiments: transition systems x training regimes, and k x p.

Every system meets every regime it has, on any treebank, and is trained as in the papers: a fixed number of
iterations, no development data, averaged weights of the last. The page says which experiment of Goldberg &
Nivre (2012, 2013) and Gómez-Rodríguez & Fernández-González (2015) is which, and how p differs between them:
here, as in 2013, it is the probability of following a wrong prediction after iteration k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import msgspec

from learnability.comparing.fold import fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.errors import InputError
from learnability.metrics.scores import Score, are_words, per_sentence, right_tokens
from learnability.parsers.registry import parser_named
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.systems import system_named
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.running.processes import map_in_processes
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree, number_documents

GRID_K, GRID_P = (0, 1, 2, 3, 4, 5), (0.0, 0.3, 0.6, 0.9)
"""The exploration parameters of 2013, Figure 1."""

ITERATIONS = {"easy-first": 20}
"""The iterations in the papers on dynamic oracles, where they are not 15."""

NO_OTHERS = {
    "easy-first": "static stands for the non-deterministic oracle, which is the same training",
    "arc-standard": "it is not arc-decomposable, so no dynamic oracle is known",
}
"""Why a system has no other training regimes."""

SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard", "easy-first", "covington")
REGIMES = ("static", "ambiguity", "explore")
"""The regimes that are compared by default."""


@dataclass(frozen=True)
class OracleOptions:
    """Choose the parsers that are trained.

    A training regime that a system lacks is left out for it. With `grid`, explore is tried with all k and p
    of the grid, unless k or p is given. Without `iterations`, each system has its usual number.
    """

    systems: tuple[str, ...] = ()
    oracles: tuple[str, ...] = ()
    labelled: bool = True
    k: int | None = None
    p: float | None = None
    grid: bool = False
    features: str = OF_EXPERIMENTS
    iterations: int | None = None
    seeds: int = 5


@dataclass(frozen=True)
class Regime:
    """Define how a parser is trained, which is a row of the tables; k and p are None without exploration."""

    system: str
    oracle: str
    k: int | None = None
    p: float | None = None

    def __str__(self) -> str:
        return f"{self.system} {self.oracle}"

    def find_trained_regime(self) -> Regime:
        """Return the regime that trains the same parser: without exploration, k makes no difference."""
        return Regime(self.system, self.oracle, 0, 0.0) if self.p == 0 else self

    def parser_options(self, options: OracleOptions, seed: int = 0) -> ParserOptions:
        """Return the options of the parser."""
        return ParserOptions(
            system=self.system,
            oracle=self.oracle,
            iterations=options.iterations or ITERATIONS.get(self.system, 15),
            labelled=options.labelled,
            features=options.features,
            k=self.k or 0,
            p=self.p or 0.0,
            seed=seed,
        )


def regimes_of(options: OracleOptions) -> tuple[Regime, ...]:
    """Return the regimes to compare, in the order of the rows.

    Raises:
        InputError: unknown systems or regimes; a system that has none of the regimes; options that have no
            effect.
    """
    systems = options.systems or (SYSTEMS[:1] if options.grid else SYSTEMS)
    wanted = options.oracles or (("explore",) if options.grid else REGIMES)
    for oracle in wanted:
        ParserOptions(oracle=oracle).regime()
    if options.grid and set(wanted) != {"explore"}:
        raise InputError("--grid compares k and p of the oracle explore; leave out --oracle, or --grid")
    if "explore" not in wanted and (options.k, options.p) != (None, None):
        raise InputError("--k and --p apply to the oracle explore, which is not trained; leave them out")
    usual = ParserOptions()
    ks = GRID_K if options.grid and options.k is None else (usual.k if options.k is None else options.k,)
    ps = GRID_P if options.grid and options.p is None else (usual.p if options.p is None else options.p,)
    regimes: list[Regime] = []
    for system in map(system_named, dict.fromkeys(systems)):
        oracles = [oracle for oracle in system.regimes if oracle in wanted]
        if not oracles:
            raise InputError(
                f"{system.name} has no {', '.join(wanted)} training ({NO_OTHERS[system.name]}); "
                f"choose from {', '.join(system.regimes)}, or another --system"
            )
        for oracle in oracles:
            parameters = list(product(ks, ps)) if oracle == "explore" else [(None, None)]
            regimes += [Regime(system.name, oracle, k, p) for k, p in parameters]
    return tuple(regimes)


class Training(msgspec.Struct, frozen=True):
    """Hold what came out of a training.

    Attributes:
        tokens, words: the number in each test sentence; `words` without punctuation (`sentence_counts`).
        documents: the number of the document of each test sentence.
        correct: by score, how many tokens of each test sentence are right.
    """

    tokens: list[int]
    words: list[int]
    documents: list[int]
    correct: dict[str, list[int]]


class TrainingKey(msgspec.Struct, frozen=True):
    """Name a training: the treebank, the seed, and all other options of the parser."""

    treebank: str
    release: str
    seed: int
    options: str


class StoredTraining(msgspec.Struct, frozen=True):
    """Hold a training and what came out, as a line of a file."""

    key: TrainingKey
    training: Training


Trainings = dict[TrainingKey, Training]


def key_of(files: TreebankFiles, regime: Regime, options: OracleOptions, seed: int) -> TrainingKey:
    """Return the name of the training of a regime on a treebank."""
    spelled = repr(regime.find_trained_regime().parser_options(options))
    return TrainingKey(files.name, files.release, seed, spelled)


def train_all(treebanks: Sequence[TreebankFiles], options: OracleOptions, jobs: int, kept: Path) -> Trainings:
    """Return every training, treebank by treebank; those that the file has are not repeated.

    Args:
        treebanks: their files.
        options: what is trained.
        jobs: the number of processes.
        kept: the file that keeps each training, a line of JSON each; it need not exist.
    """
    known: Trainings = {}
    if kept.exists():
        for line in kept.read_bytes().splitlines():
            stored = msgspec.json.decode(line, type=StoredTraining)
            known[stored.key] = stored.training
    regimes = dict.fromkeys(regime.find_trained_regime() for regime in regimes_of(options))
    wanted = [
        (files, regime, seed)
        for files in treebanks
        for regime in regimes
        for seed in range(1, options.seeds + 1)
        if key_of(files, regime, options, seed) not in known
    ]
    with kept.open("ab") as file:
        found = map_in_processes(partial(train_once, options=options), wanted, jobs)
        for (files, regime, seed), training in zip(wanted, found, strict=True):
            key = key_of(files, regime, options, seed)
            known[key] = training
            file.write(msgspec.json.encode(StoredTraining(key, training)) + b"\n")
            file.flush()
    return known


def train_once(work: tuple[TreebankFiles, Regime, int], options: OracleOptions) -> Training:
    """Train and test a parser on a treebank; without a training set, the development set takes its place."""
    files, regime, seed = work
    parser = (parser_named(regime.system),)
    fold = fold_of(files, ExperimentOptions((), parsers=parser, data=DataOptions(splits="dev")), 0)
    inputs = fold.inputs(fold.base.sets, seed)
    trained = train_parser(inputs.train, regime.parser_options(options, seed))
    test = fold.ud.test
    tokens, words, correct = sentence_counts(
        test, trained.parser.parse(inputs.test), labelled=options.labelled
    )
    return Training(tokens, words, number_documents(fold.treebank.test), correct)


def sentence_counts(
    gold: Sequence[Tree], parsed: Sequence[Tree], *, labelled: bool
) -> tuple[list[int], list[int], dict[str, list[int]]]:
    """Return for each sentence its tokens, its words, and the right ones by score.

    Words leave out punctuation: tokens with the gold label `punct`. Labels are compared without subtypes, as
    in the official scorer.
    """
    word = are_words(gold)
    correct = {}
    for score in Score.answered(labelled=labelled):
        right = right_tokens(gold, parsed, score)
        correct[str(score)] = per_sentence(right, gold).tolist()
        correct[f"{score}_without_punctuation"] = per_sentence(right & word, gold).tolist()
    return list(map(len, gold)), per_sentence(word, gold).tolist(), correct
