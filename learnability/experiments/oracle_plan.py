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
from learnability.options import check_values
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_named
from learnability.treebanks.locate import TreebankFiles

GRID_K, GRID_P = (0, 1, 2, 3, 4, 5), (0.0, 0.3, 0.6, 0.9)
"""The exploration parameters of 2013, Figure 1."""


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
        system = system_named(cell.setting.system)
        return tokens * (self.options.iterations or system.iterations) / system.tokens_per_second

    def notes(self) -> list[str]:
        """What the reader of the tables has to know of the systems and the treebanks, one line each."""
        lines = []
        for system in map(system_named, self.options.systems):
            missing = [oracle for oracle in self.options.oracles if oracle not in system.regimes]
            if missing and not self.options.grid:
                lines.append(f"{system.name}: no {', '.join(missing)}: {system.other_regimes}")
        for files, facts in zip(self.treebanks, self.facts, strict=True):
            if facts.split_policy:
                lines.append(f"{label(files)}: {facts.split_policy}")
            lines += facts.warnings
        return lines


def settings_of(options: OracleOptions) -> tuple[Setting, ...]:
    """What is compared, in the order of the rows.

    Raises:
        InputError: unknown names, numbers out of range, or a system with none of the oracles.
    """
    check_values(options)
    for oracle in options.oracles:
        ParserOptions(oracle=oracle).regime()
    wanted = ("explore",) if options.grid else options.oracles
    settings: list[Setting] = []
    for system in dict.fromkeys(options.systems):
        facts = system_named(system)
        ParserOptions(system=system, features=options.features, labelled=options.labelled).templates()
        chosen = [oracle for oracle in facts.regimes if oracle in wanted]
        if not chosen:
            raise InputError(
                f"{system} has no {', '.join(wanted)} training: {facts.other_regimes}; "
                f"choose of {', '.join(facts.regimes)}, or another --system"
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
    return ParserOptions(
        system=setting.system,
        oracle=setting.oracle,
        iterations=options.iterations or system_named(setting.system).iterations,
        labelled=options.labelled,
        features=options.features,
        tags=options.tags,
        k=0 if setting.k is None else setting.k,
        p=0.0 if setting.p is None else setting.p,
        seed=seed,
        multiple_roots=options.data.multiple_roots,
    )
