"""Where the time of a run goes: every stage of one treebank, as seconds and as ratios within this run.

    python research/performance/pipeline.py                     # the bundled treebank
    python research/performance/pipeline.py UD_Greek --release 1.3 --json

Each stage is timed several times and the fastest is printed: other programs can only slow it down. Kernels
are compiled (or loaded) before the first measurement. The last column is the stage's time relative to one
iteration of single-reference training.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from learnability.multiref.arrays import encode_references
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing.encoding import NO_LABELS, UNLABELLED, encode_heads, encode_tokens
from learnability.parsing.parser import ParserOptions, train_on
from learnability.parsing.projectivity import is_projective, projectivize
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import Trees
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import load_treebank
from research.support.treebank_folds import fastest

ITERATIONS = 6


def measure(spec: str, release: str | None, repeat: int) -> dict[str, Any]:
    """Return the seconds of each stage; trainings are seconds per iteration."""
    clocked = partial(fastest, repeat=repeat, clock=time.perf_counter)
    steps: dict[str, float] = {}
    steps["read all splits"], bank = clocked(lambda: load_treebank(spec, release=release, splits="cut"))
    original = [sentence.tree for sentence in bank.train]
    steps["lift"], trees = clocked(
        lambda: [t if is_projective(t.heads) else t.with_heads(projectivize(t.heads)) for t in original]
    )
    steps["encode tokens"], corpus = clocked(lambda: encode_tokens(trees))
    options = ParserOptions(iterations=ITERATIONS, features=OF_EXPERIMENTS)

    def train(which: list[Any]) -> float:
        heads = encode_heads(corpus, [tree.heads for tree in which])
        return train_on(corpus, Trees(heads, UNLABELLED), NO_LABELS, options).seconds / ITERATIONS

    train(trees)
    single = min(train(trees) for _ in range(repeat))
    steps["train, one reference"] = single
    heads = encode_heads(corpus, [tree.heads for tree in trees])
    parser = train_on(corpus, Trees(heads, UNLABELLED), NO_LABELS, options).parser
    steps["parse"], _ = clocked(lambda: parser.parse_corpus(corpus))
    parts = [get_transformation(name, bank.conventions) for name in PAPER]
    for rule in [*parts, JointTransformation(parts, "all together")]:
        steps[f"{rule.name}: apply"], _ = clocked(partial(_applied, rule, trees))
        steps[f"{rule.name}: reference sets"], sets = clocked(partial(_reference_sets, rule, trees))
        steps[f"{rule.name}: encode references"], (references, table) = clocked(
            partial(encode_references, corpus, sets)
        )
        if len(table.sentence):
            train_on_references(corpus, references, table, options, 1)
            steps[f"{rule.name}: train, all references"] = min(
                train_on_references(corpus, references, table, options, ITERATIONS).seconds / ITERATIONS
                for _ in range(repeat)
            )
    ratios = [
        seconds / single
        for name, seconds in steps.items()
        if name.endswith("all references") and "tog" not in name
    ]
    return {
        "treebank": bank.name,
        "release": bank.release,
        "train_tokens": corpus.tokens(),
        "tokens_per_second_training": corpus.tokens() / single,
        "tokens_per_second_parsing": corpus.tokens() / steps["parse"],
        "multiref_ratio_mean": float(np.mean(ratios)) if ratios else None,
        "seconds": steps,
        "ratios": {name: seconds / single for name, seconds in steps.items()},
    }


def _applied(rule: Transformation, trees: Sequence[Tree]) -> list[Tree]:
    return [rule.apply(tree) for tree in trees]


def _reference_sets(rule: Transformation, trees: Sequence[Tree]) -> list[ReferenceSet]:
    return [reference_set(tree, rule) for tree in trees]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", nargs="?", default="demo")
    parser.add_argument("--release")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.treebank, arguments.release, arguments.repeat)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"{found['treebank']} {found['release']}: {found['train_tokens']:,} tokens; training "
        f"{found['tokens_per_second_training']:,.0f}, parsing {found['tokens_per_second_parsing']:,.0f} "
        "tokens/s"
    )
    for name, seconds in found["seconds"].items():
        print(f"{name:36} {seconds:9.4f} s {found['ratios'][name]:8.2f}")


if __name__ == "__main__":
    main()
