"""Does the joint oracle equal brute force? On every training sentence with at most `--most-places` places.

For each sentence, all 2^m trees are made by applying every selection of the places of the seven
transformations, without factors. In every configuration of a parse by random correct transitions, the joint
oracle's cost of each transition must be the least over the surviving trees, and the number of surviving
references must be the same. At the end a single reference survives, the same tree. (The tests compare whole
trainings with enumerated ones.)

With `--labels` the trees have the deprels of this label option. Every arc gets a random label of those that
the surviving trees give it, the oracle must allow the same labels, and trees with another label are dropped.

    python research/joint/joint_exactness.py --ud-home DIR [--most-places 12] [--labels external] TREEBANK ...
"""

from __future__ import annotations

import itertools
import random
import time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.arrays import encode_references, labels_of
from learnability.multiref.oracle import References, allow_labels, begin, commit, prune_labels
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.parsing import transitions
from learnability.parsing.configuration import KernelConfiguration
from learnability.parsing.encoding import NO_LABELS, encode_tokens
from learnability.parsing.features import Templates
from learnability.parsing.jit import Flags, Ints, njit
from learnability.parsing.oracle import Gold, cost, new_gold, set_gold
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_named
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import total_cost
from learnability.parsing.transitions import CLASSES, System
from learnability.parsing.workspace import new_workspace
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, folds

Labels = Literal["keep", "external"] | None


@njit
def tree_costs(
    system: System,
    c: KernelConfiguration,
    gold: Gold,
    n: int,
    root: int,
    trees: Ints,
    alive: NDArray[np.int64],
    mask: Flags,
    out: Ints,
) -> None:
    """Set out[i] to the costs of the legal transitions with respect to tree alive[i]."""
    for i in range(alive.shape[0]):
        set_gold(gold, n, root, trees[alive[i]], trees[0, :0], 0)
        for t in range(mask.shape[0]):
            out[i, t] = cost(system, c, gold, t) if mask[t] == 1 else 0


@njit
def set_costs(
    references: References, system: System, c: KernelConfiguration, gold: Gold, mask: Flags, out: Ints
) -> None:
    """Set out to the costs of the legal transitions with respect to the set."""
    for t in range(mask.shape[0]):
        out[t] = total_cost(references, system, c, gold, 0, t) if mask[t] == 1 else 0


def every_tree(tree: Tree, rule: Transformation, labels: Labels) -> tuple[Ints, list[tuple[str, ...]]]:
    """Return the heads of all 2^m trees, padded, and with `labels` their deprels."""
    plan = rule.plan(tree)
    chosen = itertools.product((False, True), repeat=len(plan.places))
    selections = [[s for s, take in zip(plan.places, takes, strict=True) if take] for takes in chosen]
    if labels:
        found = [rule.apply(tree, selection, labels=labels) for selection in selections]
        heads = [found_tree.heads for found_tree in found]
        deprels = [found_tree.deprels for found_tree in found]
    else:
        heads = [plan.heads([place.token for place in selection]) for selection in selections]
        deprels = []
    return np.array([[0, *of_tree, 0, 0] for of_tree in heads], np.int32), deprels


def differences(
    tree: Tree,
    rule: Transformation,
    system: System,
    templates: tuple[Templates, Templates],
    draw: random.Random,
    labels: Labels,
) -> tuple[int, int, int]:
    """Return the numbers of configurations, of those in which the oracles differ, and of trees."""
    trees, deprels = every_tree(tree, rule, labels)
    alternatives = reference_set(tree, rule, labels=labels)
    known = labels_of([alternatives]) if labels else NO_LABELS
    names = known.names
    references, _ = encode_references(encode_tokens([tree]), [alternatives], known)
    n, root = len(tree), transitions.root_position(system, len(tree))
    work, gold = new_workspace(n, *templates, 0), new_gold(n)
    begin(references, 0, n, root, 0, work.gold)
    c, alive = work.configuration, np.arange(len(trees))
    transitions.initial(system, c, n)
    steps = wrong = 0
    while not transitions.is_final(system, c):
        transitions.legal(system, c, work.mask)
        set_costs(references, system, c, work.gold, work.mask, work.cost)
        costs = np.zeros((len(alive), CLASSES), np.int32)
        tree_costs(system, c, gold, n, root, trees, alive, work.mask, costs)
        legal = [t for t in range(CLASSES) if work.mask[t]]
        found, least = [int(work.cost[t]) for t in legal], [int(costs[:, t].min()) for t in legal]
        taken = draw.choice([t for t, cost in zip(legal, least, strict=True) if cost == min(least)])
        commit(references, system, c, 0, taken)
        alive = alive[costs[:, taken] == costs[:, taken].min()]
        head, dependent = transitions.arc(system, c, taken)
        if labels and dependent <= n and work.gold.head[dependent] < 0:
            has_arc = trees[alive, dependent] == (0 if head == root else head)
            allow_labels(references, 0, root, head, dependent)
            wanted = sorted({deprels[i][dependent - 1] for i in alive[has_arc]})
            wrong += [names[k] for k in np.flatnonzero(references.allowed)] != wanted
            if wanted:
                name = draw.choice(wanted)
                prune_labels(references, 0, root, head, dependent, names.index(name))
                other = np.array([deprels[i][dependent - 1] != name for i in alive])
                alive = alive[~(has_arc & other)]
        steps += 1
        wrong += found != least or surviving(alternatives, references) != len(alive)
        transitions.apply(system, c, taken, 0)
    kept = set(map(tuple, trees[alive, 1 : n + 1].tolist()))
    wrong += kept != {survivor(alternatives, references, tree)}
    return steps, wrong, len(trees)


def surviving(alternatives: ReferenceSet, references: References) -> int:
    """Return the number of references left by `references.alive`; there must be no factors in parts."""
    count, first = 1, 0
    for factor in alternatives.factors:
        count *= int(references.alive[first : first + len(factor.parts[0].options)].sum())
        first += len(factor.parts[0].options)
    return count


def survivor(alternatives: ReferenceSet, references: References, tree: Tree) -> tuple[int, ...]:
    """Return the tree of the first surviving option of every factor."""
    heads, first = list(tree.heads), 0
    for factor in alternatives.factors:
        kept = int(references.alive[first : first + len(factor.parts[0].options)].argmax())
        for token, head in zip(factor.tokens, factor.parts[0].options[kept], strict=True):
            heads[token - 1] = head
        first += len(factor.parts[0].options)
    return tuple(heads)


def main() -> None:
    """Print one line per treebank."""
    parser = arguments(__doc__)
    parser.add_argument("--most-places", type=int, default=12)
    parser.add_argument("--system", default="arc-eager")
    parser.add_argument("--labels", choices=("keep", "external"))
    command_line = parser.parse_args()
    system = system_named(command_line.system).kernels
    templates = ParserOptions(system=command_line.system, features=OF_EXPERIMENTS).templates()
    print("treebank\tsentences with places\tcompared\ttrees\tconfigurations\tdifferent\tseconds")
    for name, fold in folds(command_line, command_line.system):
        rule = JointTransformation(
            [get_transformation(transformation, fold.treebank.conventions) for transformation in PAPER]
        )
        places = {i: len(rule.places(tree)) for i, tree in enumerate(fold.base.sets.train)}
        draw, began = random.Random(1), time.perf_counter()
        found = [
            differences(fold.base.sets.train[i], rule, system, templates, draw, command_line.labels)
            for i, count in places.items()
            if 1 <= count <= command_line.most_places
        ]
        steps, wrong, trees = map(sum, zip(*found, strict=True))
        with_places = sum(count > 0 for count in places.values())
        seconds = time.perf_counter() - began
        print(
            f"{name}\t{with_places}\t{len(found)}\t{trees}\t{steps}\t{wrong}\t{seconds:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
