"""Every option of an experiment and its default, stated once: commands, API and records read them here."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from learnability.treebanks.splits import MissingTrain

UD = "ud"
"""`ExperimentOptions.against` of a run that compares with UD."""

SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard", "easy-first", "covington")
"""The systems compared by default, in the order of the rows."""

ORACLES = ("static", "ambiguity", "explore")
"""The regimes compared by default."""


def default_oracle(system: str) -> str:
    """The training regime of a system if none is asked for.

    Raises:
        InputError: no system of that name.
    """
    from learnability.parsing.systems import system_named

    return system_named(system).default_regime


def has_multiref(system: str) -> bool:
    """Whether a system can be trained against sets of references: setting (c).

    Raises:
        InputError: no system of that name.
    """
    from learnability.parsing.systems import system_named

    return not system_named(system).unknown_costs


@dataclass(frozen=True)
class DataOptions:
    """How splits are made up where they are missing (design section 4)."""

    missing_train: MissingTrain = "error"
    split: tuple[int, int, int] = (80, 10, 10)
    folds: int = 10
    multiple_roots: bool = False


@dataclass(frozen=True)
class ExperimentOptions:
    """Everything besides the treebanks that determines the results.

    Attributes:
        conditions: setting (b), what is compared with `against`: transformations (`case`,
            `cop:reattach=clause`) and schemes (`scheme:all`), in the order of the rows.
        seeds: how many seeds; they are 1, 2, ...
        iterations: exactly so many; None: until dev UAS has not improved for 3, at most 15.
        oracle: training regime of (a) and (b): dynamic or explore; static where `default_oracle` says so.
        max_options: see `multiref.references.MAX_OPTIONS`.
        labels: None for unlabelled parsers; else how transformed trees are labelled (rule 2.8), `external`
            or `keep`.
        joint: also train against all single transformations among the conditions at once.
        verify: train so many of the schemes that agree best with the survivors of the joint training.
        learning_curve: also train on `CURVE_SHARES` of the data.
        trees: records keep test sentences that a report can draw (`experiments.drawable`).
        against: setting (a): UD, or a scheme written like a condition.
    """

    conditions: tuple[str, ...]
    seeds: int = 1
    iterations: int | None = None
    system: str = "arc-eager"
    oracle: str = "dynamic"
    tags: str = "gold"
    nonprojective: str = "lift"
    max_options: int = 4096
    labels: Literal["external", "keep"] | None = None
    joint: bool = False
    verify: int = 0
    learning_curve: bool = False
    trees: bool = False
    against: str = UD
    data: DataOptions = field(default_factory=DataOptions)

    def as_json(self) -> dict[str, Any]:
        """A JSON-serialisable dictionary of the fields."""
        return asdict(self)


@dataclass(frozen=True)
class OracleOptions:
    """Everything besides the treebanks that determines the results.

    Attributes:
        systems, oracles: what is compared; an oracle that a system lacks is left out for it.
        labelled: train labelled parsers, which have UAS and LAS; else unlabelled ones, which have UAS.
        iterations: of every training; None: as in the papers, 15, for easy-first 20.
        k, p: of `explore`: after iteration k a wrong prediction is followed with probability p.
        seeds: how many seeds; they are 1, 2, ...
        grid: compare all k of `GRID_K` with all p of `GRID_P` by exploration instead.
    """

    systems: tuple[str, ...] = SYSTEMS
    oracles: tuple[str, ...] = ORACLES
    labelled: bool = True
    iterations: int | None = None
    k: int = 1
    p: float = 0.9
    seeds: int = 5
    features: str = "zn11"
    tags: str = "gold"
    grid: bool = False
    data: DataOptions = field(default_factory=DataOptions)
