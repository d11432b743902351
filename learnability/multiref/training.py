"""Training one parser against all references of every sentence (Algorithm 1 of NAACL 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.multiref.arrays import SiteTable
from learnability.multiref.oracle import References
from learnability.parsing.encoding import Corpus
from learnability.parsing.parser import Iteration, Parser, ParserOptions, Progress, Training, train_on
from learnability.parsing.systems import SYSTEMS, system_named


@dataclass(kw_only=True)
class MultirefTraining(Training[Parser]):
    """`survival`: float64[iterations, sites], the share of the surviving references that transform a site."""

    survival: NDArray[np.float64]


def train_on_references(
    corpus: Corpus,
    references: References,
    table: SiteTable,
    options: ParserOptions,
    iterations: int,
    progress: Progress | None = None,
    labels: Sequence[str] = (),
) -> MultirefTraining:
    """Run Algorithm 1 for so many iterations; the order of sentences is that of single-reference training.

    A labelled training (`options.labelled`) needs `labels`, the names that `references` was encoded with.
    `progress` is called after each iteration.

    Raises:
        InputError: a system whose transitions have no known costs, or options that do not exist.
    """
    reason = system_named(options.system).unknown_costs
    if reason:
        raise InputError(
            f"{options.system} cannot be trained against sets of references ({reason}); choose one of "
            + ", ".join(name for name, system in SYSTEMS.items() if not system.unknown_costs)
        )
    survival = []

    def survey(iteration: Iteration) -> None:
        survival.append(table.transformed_share(references.alive))
        if progress is not None:
            progress(iteration)

    fixed = replace(options, oracle="dynamic", iterations=iterations)
    training = train_on(corpus, references, labels, fixed, progress=survey)
    training.parser = replace(training.parser, options=options)
    return MultirefTraining(**vars(training), survival=np.array(survival))


@dataclass(frozen=True)
class Survival:
    """How often which annotation survived in the last iteration (docs/rules.md, Survival).

    Of the training sentences with sites, the shares in which more sites survived so (ties count for neither);
    of the sites, the share of those that survived as in the original.
    """

    sentences: int
    original_share: float
    transformed_share: float
    site_original_share: float


def survival_shares(table: SiteTable, transformed: NDArray[np.float64]) -> Survival:
    """Shares over the training sentences with sites; `transformed`: float64[sites], one iteration."""
    if len(transformed) == 0:
        return Survival(0, float("nan"), float("nan"), float("nan"))
    _, sentence = np.unique(table.sentence, return_inverse=True)
    balance = np.bincount(sentence, weights=1.0 - 2.0 * transformed)
    return Survival(
        sentences=len(balance),
        original_share=float((balance > 1e-9).mean()),
        transformed_share=float((balance < -1e-9).mean()),
        site_original_share=float(1.0 - transformed.mean()),
    )
