"""Train one parser on all references of every sentence (Wisniewski, Lacroix & Yvon 2018, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.multiref.arrays import PlaceTable
from learnability.multiref.oracle import References
from learnability.parsing.encoding import NO_LABELS, Corpus, Labels
from learnability.parsing.parser import Iteration, Parser, ParserOptions, Progress, Training, train_on
from learnability.parsing.systems import SYSTEMS, system_named


@dataclass(kw_only=True)
class MultirefTraining(Training[Parser]):
    """Represent a finished training on reference sets.

    Attributes:
        alternative_shares: float64[iterations, places], the share of the surviving references that
            transform each place.
    """

    alternative_shares: NDArray[np.float64]


def train_on_references(
    corpus: Corpus,
    references: References,
    table: PlaceTable,
    options: ParserOptions,
    iterations: int,
    progress: Progress | None = None,
    labels: Labels = NO_LABELS,
) -> MultirefTraining:
    """Train a parser on reference sets (Wisniewski, Lacroix & Yvon 2018, Algorithm 1).

    The order of sentences is that of training on single trees with the same seed.

    Args:
        corpus: the encoded training sentences.
        references: their reference sets (:func:`encode_references`).
        table: the places of the reference sets (:func:`encode_references`).
        options: the options of the parser; `oracle` and `iterations` are not used.
        iterations: the exact number of iterations.
        progress: called after each iteration.
        labels: the labels by which `references` were encoded; required if `options.labelled`.

    Returns:
        The training: its parser, and per iteration the share of surviving references that transform each
            place.

    Raises:
        InputError: the costs of the system's transitions are unknown (arc-standard), or options do not exist.
    """
    reason = system_named(options.system).unknown_costs
    if reason:
        raise InputError(
            f"{options.system} cannot be trained on several trees per sentence ({reason}); choose one of "
            + ", ".join(name for name, system in SYSTEMS.items() if not system.unknown_costs)
        )
    alternative_shares = []

    def survey(iteration: Iteration) -> None:
        alternative_shares.append(table.alternative_share(references.alive))
        if progress is not None:
            progress(iteration)

    fixed = replace(options, oracle="dynamic", iterations=iterations)
    training = train_on(corpus, references, labels, fixed, progress=survey)
    training.parser = replace(training.parser, options=options)
    return MultirefTraining(**vars(training), alternative_shares=np.array(alternative_shares))


@dataclass(frozen=True)
class PreferredShares:
    """Count how often each annotation is preferred when trained on both (docs/rules.md).

    Attributes:
        base_share: the share of the training sentences with places in which more of them survived as in UD.
        alternative_share: the share in which more places survived transformed (ties count for neither).
        place_base_share: the share of the places that survived as in the original tree.
    """

    sentences: int
    base_share: float
    alternative_share: float
    place_base_share: float


def preferred_shares(table: PlaceTable, transformed: NDArray[np.float64]) -> PreferredShares:
    """Return how often each annotation survived, over the training sentences with places.

    Args:
        table: the places (:func:`encode_references`).
        transformed: float64[places], a row of `MultirefTraining.alternative_shares`.
    """
    if len(transformed) == 0:
        return PreferredShares(0, float("nan"), float("nan"), float("nan"))
    _, sentence = np.unique(table.sentence, return_inverse=True)
    balance = np.bincount(sentence, weights=1.0 - 2.0 * transformed)
    return PreferredShares(
        sentences=len(balance),
        base_share=float((balance > 1e-9).mean()),
        alternative_share=float((balance < -1e-9).mean()),
        place_base_share=float(1.0 - transformed.mean()),
    )
