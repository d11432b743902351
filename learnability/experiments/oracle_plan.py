"""The experiments of the papers on dynamic oracles: transition systems x training regimes, and k x p.

Goldberg & Nivre (2012, Table 2) train arc-eager parsers by the static oracle, with spurious ambiguity and
with exploration; Goldberg & Nivre (2013, Table 1 and Figure 1) arc-eager, arc-hybrid and easy-first without
and with exploration, and vary its parameters k and p; Gómez-Rodríguez & Fernández-González (2015, Table 2)
Covington's non-projective system. Here every system meets every regime it has, on any treebank.

p has opposite meanings in the two papers. Here, as in 2013, it is the probability of following a wrong
prediction after iteration k; in 2012 it is the probability of *not* doing so: their k = 2, p = 0.1 is k = 2,
p = 0.9 here. Where exploration falls back on a correct transition, it takes the best-scoring one as in 2013,
not a random one as in 2012.

Training is as in the papers: a fixed number of iterations, no development data, averaged weights of the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.errors import InputError
from learnability.experiments.data import facts_of
from learnability.experiments.options import OracleOptions
from learnability.experiments.plan import TreebankFacts, label
from learnability.parsing.easy_first import EasyFirst
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_number
from learnability.treebanks.locate import TreebankFiles

ALL_ORACLES = ("static", "ambiguity", "dynamic", "explore")
"""The regimes there are, in the order of the rows."""

ITERATIONS, EASY_FIRST_ITERATIONS = 15, 20
"""Training iterations in all three papers, and those of the easy-first parser (2013, section 5)."""

GRID_K, GRID_P = (0, 1, 2, 3, 4, 5), (0.0, 0.3, 0.6, 0.9)
"""The exploration parameters of 2013, Figure 1."""


SPEEDS = {"covington": 100_000, "easy-first": 50_000}
"""Tokens per second of one process, training and everything around it; others 300,000; for estimates only."""


@dataclass(frozen=True)
class Setting:
    """A way to train a parser, a row of the tables; k and p are None without exploration."""

    system: str
    oracle: str
    k: int | None = None
    p: float | None = None

    def training(self) -> Setting:
        """The setting that trains the same parser: if nothing is ever explored, k makes no difference."""
        return Setting(self.system, self.oracle, 0, 0.0) if self.p == 0 else self


@dataclass(frozen=True)
class OracleCell:
    """One training, and the key of its record; `treebank` is its label."""

    treebank: str
    setting: Setting
    seed: int
    fold: int = 0

    @property
    def key(self) -> str:
        """The key under which the cell's record is found again."""
        s = self.setting
        return f"{self.treebank}/{s.system}/{s.oracle}/{s.k}/{s.p}/{self.seed}/{self.fold}"


@dataclass(frozen=True)
class OraclePlan:
    """The treebanks with what is known of them, the options, and the settings compared."""

    treebanks: tuple[TreebankFiles, ...]
    facts: tuple[TreebankFacts, ...]
    options: OracleOptions
    settings: tuple[Setting, ...]

    def cells(self) -> list[OracleCell]:
        """Every training, once, treebank by treebank."""
        trainings = dict.fromkeys(setting.training() for setting in self.settings)
        return [
            OracleCell(label(files), setting, seed, fold)
            for files, facts in zip(self.treebanks, self.facts, strict=True)
            for fold in range(facts.folds)
            for setting in trainings
            for seed in range(1, self.options.seeds + 1)
        ]

    def seconds(self, cell: OracleCell) -> float:
        """A rough estimate of the time a training takes, in seconds of one processor."""
        files = next(i for i, files in enumerate(self.treebanks) if label(files) == cell.treebank)
        tokens = self.facts[files].train_tokens[cell.fold]
        iterations = parser_options(self.options, cell.setting, cell.seed).iterations or ITERATIONS
        return tokens * iterations / SPEEDS.get(cell.setting.system, 300_000)

    def notes(self) -> list[str]:
        """What the reader of the tables has to know of the systems and the treebanks, one line each."""
        lines = []
        for system in self.options.systems:
            missing = [o for o in self.options.oracles if o not in oracles_of(system)]
            if missing and not self.options.grid:
                lines.append(f"{system}: no {', '.join(missing)}: {_WHY_NOT[_kind(system)]}")
        for files, facts in zip(self.treebanks, self.facts, strict=True):
            if facts.split_policy:
                lines.append(f"{label(files)}: {facts.split_policy}")
            lines += facts.warnings
        return lines


_WHY_NOT = {
    "arc-standard": "it is not arc-decomposable, so no dynamic oracle is known",
    "easy-first": "static stands for the non-deterministic oracle, which is the same training",
}


def _kind(system: str) -> str:
    return "easy-first" if isinstance(system_number(system), EasyFirst) else system


def oracles_of(system: str) -> tuple[str, ...]:
    """The training regimes that differ for the system, in the order of the rows.

    Arc-standard has its static oracle only. For easy-first `static`, `ambiguity` and `dynamic` are one:
    training with the non-deterministic oracle (2013), which stands as its `static`.

    Raises:
        InputError: no system of that name.
    """
    if _kind(system) == "easy-first":
        return ("static", "explore")
    found = []
    for oracle in ALL_ORACLES:
        try:
            ParserOptions(system=system, oracle=oracle).regime()
        except InputError:
            continue
        found.append(oracle)
    return tuple(found)


def settings_of(options: OracleOptions) -> tuple[Setting, ...]:
    """What is compared, in the order of the rows.

    Raises:
        InputError: unknown names, numbers out of range, or a system with none of the oracles.
    """
    if options.seeds < 1 or not 0 <= options.p <= 1 or options.k < 0:
        given = f"seeds {options.seeds}, k {options.k}, p {options.p}"
        raise InputError(f"{given}: give at least 1 seed, k of at least 0 and p from 0 to 1")
    for oracle in options.oracles:
        ParserOptions(oracle=oracle).regime()
    wanted = ("explore",) if options.grid else options.oracles
    settings: list[Setting] = []
    for system in dict.fromkeys(options.systems):
        ParserOptions(system=system, features=options.features, labelled=options.labelled).templates()
        chosen = [oracle for oracle in oracles_of(system) if oracle in wanted]
        if not chosen:
            raise InputError(
                f"{system} has no {', '.join(wanted)} training: {_WHY_NOT[_kind(system)]}; "
                f"choose of {', '.join(oracles_of(system))}, or another --system"
            )
        if options.grid:
            settings += [Setting(system, "explore", k, p) for k in GRID_K for p in GRID_P]
            continue
        for oracle in chosen:
            explores = oracle == "explore"
            settings.append(
                Setting(system, oracle, options.k if explores else None, options.p if explores else None)
            )
    return tuple(settings)


def make_oracle_plan(treebanks: Sequence[TreebankFiles], options: OracleOptions) -> OraclePlan:
    """Check the options and read the treebanks.

    Raises:
        InputError: malformed or repeated treebanks, missing splits, unknown systems or oracles.
    """
    settings = settings_of(options)
    if not treebanks:
        raise InputError("no treebank given; give --treebank")
    labels = [label(files) for files in treebanks]
    for name in labels:
        if labels.count(name) > 1:
            raise InputError(f"{name} is given {labels.count(name)} times; give every treebank once")
    facts = tuple(facts_of(files, options.data) for files in treebanks)
    return OraclePlan(tuple(treebanks), facts, options, settings)


def parser_options(options: OracleOptions, setting: Setting, seed: int) -> ParserOptions:
    """The options of a training."""
    standard = EASY_FIRST_ITERATIONS if _kind(setting.system) == "easy-first" else ITERATIONS
    return ParserOptions(
        system=setting.system,
        oracle=setting.oracle,
        iterations=options.iterations or standard,
        labelled=options.labelled,
        features=options.features,
        tags=options.tags,
        k=0 if setting.k is None else setting.k,
        p=0.0 if setting.p is None else setting.p,
        seed=seed,
        multiple_roots=options.data.multiple_roots,
    )
