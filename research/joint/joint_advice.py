"""How good is the advice of a joint training? Every pure scheme trained alone, against every criterion.

For each treebank all 2^7 schemes of the paper's transformations are trained, each tested on its own
annotation, and ranked by criteria that are known without these trainings:

- `factors`: share of the factors that survived the joint training as in the scheme;
- `places`: share of the places; adds up over transformations;
- `heads`: share of the training tokens whose head survived as in the scheme, so that a place counts by the
  heads it moves;
- `parser`: share of the dev tokens that the jointly trained parser attaches as in the scheme;
- `singles`: sum over the scheme's transformations of the gain in dev UAS of the transformation alone (not
  from the joint training: seven more trainings, which `run` does anyway).

Printed per treebank and criterion: Spearman's correlation with UAS over all schemes, the UAS of the scheme
ranked first minus that of UD, its rank among all schemes, and its distance from the best scheme. All are
means of --seeds trainings; `--out FILE` keeps the scores of every scheme.

    python research/joint/joint_advice.py --ud-home DIR [--release 1.3] [--seeds 2] TREEBANK ...
"""

from __future__ import annotations

import itertools
import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from learnability.comparing.annotated_folds import changed_parts
from learnability.comparing.annotation import transformed_tree
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Parts
from learnability.comparing.trainings import train_and_test
from learnability.metrics.scores import Score, right_tokens
from learnability.multiref.arrays import encode_references
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing.encoding import encode_heads
from learnability.parsing.parser import ParserOptions
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.studies.combinations.joint_preferences import joint_survival, mean_survival, survivors
from learnability.transforms.base import Rule
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Plan
from learnability.transforms.registry import PAPER, get_transformation
from research.support.treebank_folds import arguments, folds

CRITERIA = ("factors", "places", "heads", "parser", "singles")
OPTIONS = ParserOptions(features=OF_EXPERIMENTS)


@dataclass(frozen=True)
class SchemeScores:
    """A scheme: its transformations, its UAS, and its value by each of :data:`CRITERIA`."""

    scheme: list[str]
    uas: float
    criteria: dict[str, float]


def scores_of(fold: Fold, seeds: int) -> list[SchemeScores]:
    """Return the UAS and the criteria of every scheme."""
    rules = [get_transformation(name, fold.treebank.conventions) for name in PAPER]
    rules = [rule for rule in rules if any(rule.places(tree) for tree in fold.ud.train)]
    whole = JointTransformation(rules)
    sets = [reference_set(tree, whole) for tree in fold.ud.train]
    corpus, dev_corpus = fold.encode(fold.ud.train), fold.encode(fold.ud.dev)
    references, table = encode_references(corpus, sets)
    schemes = [
        tuple(rule for rule, take in zip(rules, chosen, strict=True) if take)
        for chosen in itertools.product((False, True), repeat=len(rules))
    ]
    found = []
    plans, dev_plans = ([whole.plan(tree) for tree in trees] for trees in (fold.ud.train, fold.ud.dev))
    survival, heads, attached = [], np.zeros(len(schemes)), np.zeros(len(schemes))
    gain = {rule.name: 0.0 for rule in rules}
    kept, predicted = [], []
    for seed in range(1, seeds + 1):
        ud, iterations = trained_on(fold, (), seed, on_dev=True)
        joint = train_on_references(corpus, references, table, replace(OPTIONS, seed=seed), iterations)
        survival.append(joint_survival(survivors(sets, [r.name for r in rules], joint.survival[-1])))
        kept.append(surviving_heads(plans, sets, joint.survival[-1]))
        predicted.append(joint.parser.parse_corpus(dev_corpus)[0])
        for rule in rules:
            gain[rule.name] += trained_on(fold, (rule,), seed, on_dev=True)[0] - ud
    rows = dev_corpus.rows_of_tokens()
    for i, scheme in enumerate(schemes):
        wanted = heads_of(plans, scheme)
        heads[i] = sum(agreement(wanted, each) for each in kept)
        gold = encode_heads(dev_corpus, heads_of(dev_plans, scheme))
        attached[i] = sum(float((each == gold)[rows].mean()) for each in predicted)
    agreements = {frozenset(s.transforms): s for s in mean_survival(survival).schemes}
    for i, scheme in enumerate(schemes):
        names = [rule.name for rule in scheme]
        trained = [trained_on(fold, scheme, seed)[0] for seed in range(1, seeds + 1)]
        survived = agreements[frozenset(names)]
        criteria = {
            "factors": survived.factor_agreement,
            "places": survived.place_agreement,
            "heads": float(heads[i]) / seeds,
            "parser": float(attached[i]) / seeds,
            "singles": sum(gain[name] for name in names) / seeds,
        }
        found.append(SchemeScores(names, sum(trained) / seeds, criteria))
    return found


def trained_on(fold: Fold, rules: Sequence[Rule], seed: int, *, on_dev: bool = False) -> tuple[float, int]:
    """Return UAS on its own annotation, in the test or the development set, and the iterations."""
    change = partial(transformed_tree, rule=JointTransformation(rules), labels=fold.options.labels)
    parts = changed_parts(fold, change)
    tested = train_and_test(fold, Parts(parts.train, parts.dev, parts.dev) if on_dev else parts, seed)
    right = right_tokens(tested.gold, tested.parsed, Score.UAS)
    return 100 * float(right.mean()), tested.trained.iterations


def heads_of(plans: Sequence[Plan], scheme: Sequence[Rule]) -> list[tuple[int, ...]]:
    """Return the heads of the trees under a scheme."""
    names = {rule.name for rule in scheme}
    return [plan.heads([place.token for place in plan.places if place.transform in names]) for plan in plans]


def surviving_heads(
    plans: Sequence[Plan], sets: Sequence[ReferenceSet], alternative: NDArray[np.float64]
) -> list[tuple[int, ...]]:
    """Return the surviving heads of every training tree."""
    states, found = iter(alternative.tolist()), []
    for plan, references in zip(plans, sets, strict=True):
        kept = {place.token for factor in references.factors for place in factor.places if next(states) > 0.5}
        found.append(plan.heads(sorted(kept)))
    return found


def agreement(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> float:
    """Return the share of equal heads."""
    equal = 0
    for heads, other_heads in zip(a, b, strict=True):
        equal += sum(map(operator.eq, heads, other_heads))
    return equal / sum(map(len, a))


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--out", type=Path)
    command_line = parser.parse_args()
    print("treebank\tUD\tbest\tcriterion\tcorrelation\tadvised - UD\trank\tbest - advised\tadvised")
    for name, fold in folds(command_line):
        found = scores_of(fold, command_line.seeds)
        if command_line.out:
            with command_line.out.open("a") as file:
                for entry in found:
                    line = {
                        "treebank": name,
                        "release": command_line.release,
                        "scheme": entry.scheme,
                        "uas": entry.uas,
                    }
                    file.write(json.dumps(line | entry.criteria) + "\n")
        uas = np.array([entry.uas for entry in found])
        ud = next(entry.uas for entry in found if not entry.scheme)
        for criterion in CRITERIA:
            values = np.round([entry.criteria[criterion] for entry in found], 9)  # means with rounding errors
            first = int(values.argmax())  # the smaller scheme, if equal
            print(
                f"{name}\t{ud:.2f}\t{uas.max():.2f}\t{criterion}\t{spearmanr(values, uas).statistic:.2f}\t"
                f"{uas[first] - ud:+.2f}\t{1 + int((uas > uas[first]).sum())}/{len(uas)}\t"
                f"{uas.max() - uas[first]:.2f}\t{'+'.join(found[first].scheme) or 'UD'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
