"""How well `harmonise` finds what a hand changed in four Latin treebanks.

    python research/harmonise/latin.py FOLDER [--of ITTB --of LLCT ...] [--jobs 2]

FOLDER has `ud-2.10` and `harmonised` with four treebanks each. Constants were chosen on ITTB and LLCT, before
PROIEL and UDante were looked at.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from learnability.extensions.harmonise.cross_parses import CrossParses, TrainingSettings, cross_parse
from learnability.extensions.harmonise.ranking import rank_conflicts, share_against
from learnability.extensions.harmonise.words import Flags, Floats
from research.harmonise.gold import NAMES, Gold, read_gold, treebanks_of

DEPTHS = (200, 500, 1000)
"""The numbers of words that are looked at, the most suspect first."""


def precision(scores: Floats, compared: Flags, changed: Flags, depth: int) -> float:
    """Return the share of changed words among the first ones of those that are compared."""
    places = np.flatnonzero(compared)
    first = places[np.argsort(-scores[places], kind="stable")][:depth]
    return float(changed[first].mean())


def print_ranking(parses: CrossParses, golds: list[Gold], of: list[str]) -> None:
    print("treebank | changed | order | " + " | ".join(f"at {n}: precision, times chance" for n in DEPTHS))
    for number, gold in enumerate(golds):
        if gold.before.name not in of:
            continue
        others = parses.others(number)
        votes = np.mean([share_against(parses, number, other) for other in others], axis=0)
        doubts = share_against(parses, number, number)
        orders = {
            "conflicts of conventions": rank_conflicts(parses, number),
            "foreign votes where home agrees": votes * (1 - doubts),
            "home folds alone": doubts,
        }
        for kind, changed in (("heads", gold.heads), ("heads or relations", gold.arcs)):
            base = float(changed[gold.compared].mean())
            if not base:
                continue
            for name, scores in orders.items():
                found = [precision(scores, gold.compared, changed, depth) for depth in DEPTHS]
                cells = " | ".join(f"{value:.3f}, {value / base:.1f}" for value in found)
                print(f"{gold.before.name} | {kind} {base * 100:.1f} % | {name} | {cells}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--of", action="append", choices=NAMES)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    golds = [read_gold(arguments.folder, name) for name in NAMES]
    parses = cross_parse(treebanks_of(golds), TrainingSettings(), jobs=arguments.jobs)
    print_ranking(parses, golds, arguments.of or list(NAMES))


if __name__ == "__main__":
    main()
