"""Train the parsers of a pair, and compute their test scores.

Setting (a) trains on the original annotation, (b) on the transformed one, (c) once against all references
between the two (docs/rules.md, Preferred when trained on both).
"""

from __future__ import annotations

from dataclasses import replace

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Inputs, Sets
from learnability.comparing.pair import Pair
from learnability.comparing.results import BothResult, TrainingResult
from learnability.comparing.scoring import TestedParser, examples_of, score_preferred, score_training, work_of
from learnability.multiref.training import preferred_shares, train_on_references


def train_and_test(fold: Fold, sets: Sets, seed: int, inputs: Inputs | None = None) -> TestedParser:
    """Train on the training set, stop by UAS on the development set, and parse the test set; RunError if the
    parser failed, or gave no trees of the same words."""
    inputs = inputs or fold.inputs(sets, seed)
    trained = fold.trainer.train(inputs.train, inputs.dev, seed)
    parsed = fold.parse(trained, inputs.test)
    tokens = sum(map(len, sets.train))
    return TestedParser(fold, trained, tokens, sets.test, parsed, inputs.tagging)


def train_annotation(
    fold: Fold, pair: Pair[Annotation] | None, seed: int, *, keep: bool = False
) -> TrainingResult | None:
    """Train on the alternative (setting b), or without a pair on the original annotation (setting a); None if
    the construction has no places.

    It also scores by the parts of the pair (in (a) of every pair) and converts parses to UD; `keep` sentences
    to draw.
    """
    if pair is not None and not fold.compare_pair(pair).exists:
        return None
    annotated = fold.compare_pair(pair).alternative if pair else fold.base
    annotated = annotated.of_seed(seed)
    tested = train_and_test(fold, annotated.sets, seed, annotated.inputs)
    examples = examples_of(fold, pair, tested.parsed) if keep else None
    pairs = [pair] if pair else fold.pairs
    is_converted = pair.has_conversion_back if pair else annotated.annotation.has_inverse
    back = annotated if is_converted and not annotated.annotation.is_ud else None
    return score_training(tested, pairs, back, examples)


def train_on_both(fold: Fold, pair: Pair[Annotation], seed: int, iterations: int) -> BothResult | None:
    """Train once on both annotations (setting c) and count which one the parser prefers.

    Returns None without places, and for annotations that a parser cannot choose between.
    """
    compared = fold.compare_pair(pair)
    if not (pair.can_train_on_both and compared.exists):
        return None
    references = compared.training_references
    corpus = fold.encode(fold.inputs(fold.ud, seed).train)
    options = replace(fold.parser_options, seed=seed)
    trained = train_on_references(
        corpus, references.references, references.table, options, iterations, labels=references.labels
    )
    shares = [preferred_shares(references.table, survived) for survived in trained.alternative_shares]
    return score_preferred(compared, shares, work_of(trained, corpus.tokens()))
