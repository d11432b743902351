"""The cost of training on all references of all seven transformations, relative to training on one tree.

Processor seconds of whole trainings with the same number of iterations, the best of --repeats each, so that
other work on the machine has little effect. `sets` is the time to make and encode the reference sets.

With `--labels` both are labelled trainings, the joint training on trees with the deprels of this option.

    python research/joint/joint_speed.py --ud-home DIR [--release 1.3] [--labels external] TREEBANK ...
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from learnability.multiref.arrays import PlaceTable, encode_references, labels_of
from learnability.multiref.oracle import References
from learnability.multiref.references import reference_set
from learnability.multiref.training import MultirefTraining, train_on_references
from learnability.parsing.encoding import NO_LABELS, UNLABELLED, Corpus, Labels, encode_heads, encode_labels
from learnability.parsing.parser import ParserOptions, train_on
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import Trees
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from research.support.treebank_folds import arguments, fastest, folds


def main() -> None:
    """Print one line per treebank."""
    parser = arguments(__doc__)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--labels", choices=("keep", "external"))
    command_line = parser.parse_args()
    print("treebank\ttokens\tplaces\tlargest factor\tlargest set\tsingle\tjoint\tratio\tsets")
    for name, fold in folds(command_line):
        options = ParserOptions(
            iterations=command_line.iterations, labelled=bool(command_line.labels), features=OF_EXPERIMENTS
        )
        rule = JointTransformation(
            [get_transformation(transformation, fold.treebank.conventions) for transformation in PAPER]
        )
        began = time.process_time()
        sets = [reference_set(tree, rule, labels=command_line.labels) for tree in fold.base.sets.train]
        all_labels = labels_of(sets) if command_line.labels else NO_LABELS
        references, table = encode_references(fold.encode(fold.base.sets.train), sets, all_labels)
        seconds_of_sets = time.process_time() - began
        corpus, heads = fold.encode(fold.base.sets.train), [tree.heads for tree in fold.base.sets.train]

        deprels = [tree.deprels for tree in fold.base.sets.train]
        labels = Labels.of(fold.base.sets.train) if command_line.labels else NO_LABELS
        of_words = encode_labels(corpus, deprels, labels.names) if labels.names else UNLABELLED

        gold = Trees(encode_heads(corpus, heads), of_words)
        single = partial(train_on, corpus, gold, labels)
        joint = partial(_train_on_all, corpus, references, table, all_labels)
        works: tuple[Callable[[ParserOptions], object], ...] = (single, joint)
        for work in works:  # compile, or load what was compiled
            work(replace(options, iterations=1))
        on_one, on_all = (fastest(partial(work, options), command_line.repeats)[0] for work in works)
        largest = max(len(factor.places) for alternatives in sets for factor in alternatives.factors)
        most = max(alternatives.places for alternatives in sets)
        print(
            f"{name}\t{corpus.tokens()}\t{len(table.sentence)}\t{largest}\t2^{most}\t"
            f"{on_one:.2f}\t{on_all:.2f}\t{on_all / on_one:.2f}\t{seconds_of_sets:.1f}",
            flush=True,
        )


def _train_on_all(
    corpus: Corpus, references: References, table: PlaceTable, labels: Labels, options: ParserOptions
) -> MultirefTraining:
    """Train on all references, with the iterations of the options."""
    iterations = options.iterations
    assert iterations is not None
    return train_on_references(corpus, references, table, options, iterations, labels=labels)


if __name__ == "__main__":
    main()
