"""What records keep of test sentences so that a report can draw them: words, gold trees, and parses.

Only sentences that fit on a page and have a site are kept, at most `KEPT` of a treebank, evenly spread; only
those of the first seed and, in cross-validation, of the first fold. So a report needs no treebank, and the
records stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnability.experiments.condition import Condition
from learnability.experiments.fold import Fold
from learnability.treebanks.sentence import Tree

LENGTHS = range(4, 23)
"""Tokens of a sentence that can be drawn readably."""

KEPT = 300
"""Sentences kept of a treebank."""


def original_examples(fold: Fold, parsed: Sequence[Tree]) -> list[dict[str, Any]]:
    """The sentences with their gold trees of setting (a) and the heads that its parser predicted."""
    trees = {index: fold.original.test_tree(index) for index in example_sentences(fold)}
    return [
        {
            "index": index,
            "sent_id": fold.treebank.test[index].sent_id,
            **{name: list(getattr(tree, name)) for name in ("forms", "upos", "heads", "deprels")},
            "predicted": list(parsed[index].heads),
        }
        for index, tree in trees.items()
    ]


def transformed_examples(fold: Fold, condition: Condition, parsed: Sequence[Tree]) -> list[dict[str, Any]]:
    """Of the same sentences those that differ from (a): gold heads of (b), those that its parser predicted,
    and the relations where they do not follow from those of UD."""
    examples: list[dict[str, Any]] = []
    annotated = fold.transformed(condition)
    with_relations = condition.is_given and fold.options.labels is not None
    for index in example_sentences(fold):
        heads, original = annotated.parts.test[index].heads, fold.original.test_tree(index)
        relabelled = with_relations and annotated.test_tree(index).deprels != original.deprels
        if heads == original.heads and not relabelled:
            continue
        examples.append({"index": index, "heads": list(heads), "predicted": list(parsed[index].heads)})
        if condition.is_given or not condition.original.is_ud or fold.options.labels == "external":
            examples[-1]["deprels"] = list(annotated.test_tree(index).deprels)
    return examples


def example_sentences(fold: Fold) -> tuple[int, ...]:
    """The test sentences that are kept, by index."""
    return fold.once("examples", lambda: _example_sentences(fold))


def _example_sentences(fold: Fold) -> tuple[int, ...]:
    contrasts = [fold.contrast(condition) for condition in fold.conditions]
    suitable = [
        index
        for index, tree in enumerate(fold.ud.test)
        if len(tree) in LENGTHS and any(contrast.sites(tree) for contrast in contrasts)
    ]
    if len(suitable) <= KEPT:
        return tuple(suitable)
    return tuple(suitable[i * len(suitable) // KEPT] for i in range(KEPT))
