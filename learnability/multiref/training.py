"""Training one parser against all references of every sentence (Algorithm 1 of NAACL 2018)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.multiref import easy_first_training
from learnability.multiref.arrays import References, SiteTable
from learnability.multiref.labels import step_label
from learnability.multiref.oracle import prune, reference_costs, revive
from learnability.parsing import systems, training
from learnability.parsing.configuration import N
from learnability.parsing.easy_first import EasyFirst
from learnability.parsing.easy_first_training import new_points
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates
from learnability.parsing.jit import njit
from learnability.parsing.oracle import set_gold
from learnability.parsing.parser import Iteration, Parser, ParserOptions, Progress, averaged
from learnability.parsing.perceptron import ROWS, STEP, new_perceptron, update
from learnability.parsing.systems import System
from learnability.parsing.training import (
    Learner,
    Workspace,
    best_correct,
    least_cost,
    only_legal,
    predict,
)

NO_MULTIREF = {
    "arc-standard": "it is not arc-decomposable",
}
"""Systems without a multi-reference oracle, and why."""


@njit
def train_sentences(
    system: System,
    order: NDArray[np.int64],
    first: int,
    corpus: Corpus,
    references: References,
    labelled: bool,
    templates: Templates,
    learner: Learner,
    labeller: Learner,
    allowed: NDArray[np.uint8],
    work: Workspace,
) -> int:
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    After each sentence `references.alive` marks the references that survived. Returns the index in `order`
    of the first sentence not trained on.
    """
    features = templates.terms.shape[0]
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n = corpus.length[sentence]
        room = systems.most_transitions(system, n) * features
        if learner.perceptron.meta[ROWS] + room > learner.row_keys.shape[0]:
            return position
        if labelled and labeller.perceptron.meta[ROWS] + room > labeller.row_keys.shape[0]:
            return position
        base = corpus.start[sentence]
        root = systems.root_position(system, n)
        set_gold(work.gold, n, root, references.fixed, references.fixed_label, base)
        revive(references, sentence)
        systems.initial(system, work.configuration, n)
        while not systems.is_final(system, work.configuration):
            step(
                system, corpus.attributes, base, references, labelled, templates, learner, labeller,
                allowed, work,
            )  # fmt: skip
    return int(order.shape[0])


@njit
def step(
    system: System,
    attributes: NDArray[np.uint64],
    base: int,
    references: References,
    labelled: bool,
    templates: Templates,
    learner: Learner,
    labeller: Learner,
    allowed: NDArray[np.uint8],
    work: Workspace,
) -> None:
    """Lines 3 to 12 of Algorithm 1: predict, update if wrong, prune the references, take the transition."""
    c, p = work.configuration, learner.perceptron
    choices = systems.legal(system, c, work.mask)
    if choices == 1:
        chosen = only_legal(work.mask)
        if labelled:
            predict(attributes, base, templates, p, work)  # for the keys of the label's features
    else:
        chosen = predict(attributes, base, templates, p, work)
        reference_costs(system, c, work.gold, references, base, work.mask, work.cost)
        least = least_cost(work.mask, work.cost)
        p.meta[STEP] += 1
        if work.cost[chosen] != least:
            best = best_correct(work.scores, work.mask, work.cost, least)
            update(p, learner.row_keys, work.keys, work.rows, best, chosen)
            chosen = best
    prune(system, c, references, base, chosen)
    label = 0
    if labelled:
        head, dependent = systems.arc(system, c, chosen)
        if dependent <= c.at[N]:
            label = step_label(base, head, dependent, chosen, references, labeller, allowed, work) + 1
    systems.apply(system, c, chosen, label)


@dataclass
class MultirefTraining:
    """A finished training against sets of references.

    Attributes:
        parser: with the averaged weights of the last iteration.
        iterations: how many were run.
        survival: float64[iterations, sites], the share of surviving references that transform the site.
        seconds: wall time spent in the kernels.
        features: features with weights.
    """

    parser: Parser
    iterations: int
    survival: NDArray[np.float64]
    seconds: float = 0.0
    features: int = 0
    transform: tuple[str, ...] = field(default=())


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
    """
    if options.system in NO_MULTIREF:
        raise InputError(
            f"{options.system} cannot be trained against sets of references ({NO_MULTIREF[options.system]}); "
            f"choose one of {', '.join(name for name in systems.SYSTEMS if name not in NO_MULTIREF)}"
        )
    templates = options.templates()
    system = systems.system_number(options.system)
    longest = int(corpus.length.max(initial=0))
    learner = training.new_learner(systems.TRANSITIONS)
    labeller = training.new_learner(len(labels)) if options.labelled else training.new_learner(1, 16)
    allowed = np.zeros(len(labels), np.uint8)
    work = training.new_workspace(longest, templates, len(labels), options.seed)
    points = new_points(longest, templates)
    if isinstance(system, EasyFirst):
        room = 2 * templates.terms.shape[0]
    else:
        room = systems.most_transitions(system, longest) * templates.terms.shape[0]
    generator = np.random.default_rng(options.seed)
    survival = np.zeros((iterations, len(table.sentence)))
    seconds = 0.0
    for iteration in range(iterations):
        began = time.perf_counter()
        order = generator.permutation(len(corpus.length)).astype(np.int64)
        done = 0
        while done < len(order):
            learner = training.with_room(learner, room)
            if options.labelled:
                labeller = training.with_room(labeller, room)
            if isinstance(system, EasyFirst):
                done = easy_first_training.train_sentences(
                    system, order, done, corpus, references, options.labelled, templates, learner, labeller,
                    allowed, points, work,
                )  # fmt: skip
            else:
                done = train_sentences(
                    system, order, done, corpus, references, options.labelled, templates, learner, labeller,
                    allowed, work,
                )  # fmt: skip
        elapsed = time.perf_counter() - began
        seconds += elapsed
        survival[iteration] = table.transformed_share(references.alive)
        if progress is not None:
            speed = corpus.tokens() / max(elapsed, 1e-9)
            progress(Iteration(iteration + 1, iterations, elapsed, speed))
    label_weights = averaged(labeller) if options.labelled else new_perceptron(1, 16)
    parser = Parser(options, averaged(learner), label_weights, tuple(labels))
    rows = int(learner.perceptron.meta[ROWS])
    return MultirefTraining(parser, iterations, survival, seconds, rows, table.transform)


@dataclass(frozen=True)
class Survival:
    """How often which annotation survived in the last iteration (design section 8).

    Attributes:
        sentences: training sentences with sites.
        original_share, transformed_share: share of them in which more sites survived so; ties count for
            neither.
        site_original_share: share of the sites that survived as in the original.
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
