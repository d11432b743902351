"""Declare the study of oracles and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.templates import FEATURE_SETS, OF_EXPERIMENTS
from learnability.studies.declaration import NOTHING, Declaration
from learnability.support.options import option, same


@dataclass(frozen=True)
class OracleOptions:
    """Choose the parsers that are trained.

    A training regime that a system lacks is left out for it. With `grid`, explore is tried with all k of
    `trainings.GRID_K` and all p of `trainings.GRID_P`, unless k or p is given.
    """

    PANEL: ClassVar[str] = "Training"

    systems: tuple[str, ...] = option(
        (), "Transition system; repeatable. Default: arc-eager, arc-hybrid, arc-standard, easy-first, "
        "covington; with --grid arc-eager.", flags=("--system",), multiple=True, metavar="S",
        completes="systems",
    )  # fmt: skip
    oracles: tuple[str, ...] = option(
        (), "Training regime: static, ambiguity, explore or dynamic; repeatable. Default: the "
        "first three, if the system has them; with --grid explore alone.",
        flags=("--oracle",), multiple=True, metavar="R",
    )  # fmt: skip
    labelled: bool = option(
        True, "Train unlabelled parsers, which have UAS only.", flags=("--unlabelled",), negated=True
    )
    k: int | None = same(
        ParserOptions, "k", default=None, help="With exploration: the iteration after which training "
        "may follow wrong predictions. [default: 1]", metavar="K",
        typed=None,
    )  # fmt: skip
    p: float | None = same(
        ParserOptions, "p", default=None, metavar="P", typed=None,
        help="With exploration: the probability of following a wrong prediction (p in 2013, 1 - p in 2012). "
        "[default: 0.9]",
    )  # fmt: skip
    features: str = option(OF_EXPERIMENTS, f"Feature set: {', '.join(FEATURE_SETS)}.", metavar="F")
    grid: bool = option(
        False, "Train with exploration for K = 0 to 5 and P = 0, .3, .6, .9, and compare them."
    )


DECLARATION = Declaration(
    name="oracles",
    study="learnability.extensions.papers.oracles.study:OraclesStudy",
    options=OracleOptions,
    takes="treebanks",
    summary="Compare static and dynamic oracles over transition systems.",
    help="""Train parsers of every transition system by every oracle, and compare each with its static oracle.

    The experiments of Goldberg & Nivre 2012 and 2013 and of Gómez-Rodríguez & Fernández-González 2015. Scores
    are on the test split, means over seeds; the development split is not used.
    """,
    example="learnability oracles --treebank demo --system arc-eager --seeds 2",
    shared=("seeds", "iterations", "tags"),
    defaults={"seeds": 5},
    usual=NOTHING,
    cross_validates=True,
    several=True,
    folder="oracles",
)
