"""What training against all references of all seven transformations costs, relative to one reference.

Processor seconds of whole trainings with the same number of iterations, the better of --repeats each, so that
other work on the machine matters little. `sets` is the time to make and encode the reference sets.

With `--labels` both are labelled trainings, the joint one against trees with the deprels of this option.

    python benchmarks/joint_speed.py --ud-home DIR [--release 1.3] [--labels external] TREEBANK ...
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from treebank_folds import arguments, fastest, folds

from learnability.multiref.arrays import SiteTable, encode_references, label_names
from learnability.multiref.oracle import References
from learnability.multiref.references import reference_set
from learnability.multiref.training import MultirefTraining, train_on_references
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_labels
from learnability.parsing.parser import ParserOptions, train_on
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.parsing.training import Trees
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation


def main() -> None:
    """Print one line per treebank."""
    parser = arguments(__doc__)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--labels", choices=("keep", "external"))
    given = parser.parse_args()
    print("treebank\ttokens\tsites\tlargest factor\tlargest set\tsingle\tjoint\tratio\tsets")
    for name, fold in folds(given):
        options = ParserOptions(
            iterations=given.iterations, labelled=bool(given.labels), features=OF_EXPERIMENTS
        )
        rule = JointTransformation([get_transformation(one, fold.treebank.conventions) for one in PAPER])
        began = time.process_time()
        sets = [reference_set(tree, rule, labels=given.labels) for tree in fold.ud.train]
        all_names = label_names(sets) if given.labels else []
        references, table = encode_references(fold.encode(fold.ud.train), sets, all_names)
        made = time.process_time() - began
        corpus, heads = fold.encode(fold.ud.train), [tree.heads for tree in fold.ud.train]

        deprels = [tree.deprels for tree in fold.ud.train]
        names = sorted({name for own in deprels for name in own}) if given.labels else []
        labels = encode_labels(corpus, deprels, names) if names else UNLABELLED

        gold = Trees(encode_heads(corpus, heads), labels)
        single = partial(train_on, corpus, gold, names)
        joint = partial(_train_on_all, corpus, references, table, all_names)
        works: tuple[Callable[[ParserOptions], object], ...] = (single, joint)
        for work in works:  # compile, or load what was compiled
            work(replace(options, iterations=1))
        one, all_at_once = (fastest(partial(work, options), given.repeats)[0] for work in works)
        largest = max(len(factor.sites) for own in sets for factor in own.factors)
        most = max(own.sites for own in sets)
        print(
            f"{name}\t{corpus.tokens()}\t{len(table.sentence)}\t{largest}\t2^{most}\t"
            f"{one:.2f}\t{all_at_once:.2f}\t{all_at_once / one:.2f}\t{made:.1f}",
            flush=True,
        )


def _train_on_all(
    corpus: Corpus, references: References, table: SiteTable, labels: list[str], options: ParserOptions
) -> MultirefTraining:
    """Train against all references, with the iterations of the options."""
    iterations = options.iterations
    assert iterations is not None
    return train_on_references(corpus, references, table, options, iterations, labels=labels)


if __name__ == "__main__":
    main()
