"""Show a sentence of either treebank for the conventions that cost most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extending import Tree
from learnability.extensions.harmonise.descriptions import PatternSide, describe_pattern, sides_of
from learnability.extensions.harmonise.drawings import examples_of, is_change
from learnability.extensions.harmonise.patterns import PairPatterns
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.words import TreebankWords

SHOWN = 3
"""The conventions of two treebanks that have sentences; others are drawn."""

AROUND = 7
"""The words on either side of a word that are shown with it."""


def sentences_of(
    comparison: TreebankComparison, pair: PairPatterns, words: Sequence[TreebankWords]
) -> Iterator[str]:
    """Yield a sentence of either treebank for each of the first conventions of trees.

    Args:
        comparison: of the treebanks.
        pair: two of them.
        words: those of all treebanks.
    """
    for number, pattern in enumerate(pair.conventions[:SHOWN], start=1):
        sides = sides_of(pair, pattern, words)
        for side, other in zip(sides, (pair.second, pair.first), strict=True):
            if shown := _describe_example(comparison, side, other, words):
                yield f"{number}. {describe_pattern(sides, pattern.change)}, in {shown}"


def _describe_example(
    comparison: TreebankComparison, side: PatternSide, other: int, words: Sequence[TreebankWords]
) -> str:
    """Return a sentence of a treebank that shows a pattern; empty if there is none."""
    treebank = comparison.treebanks[side.treebank]

    def shows(sentence: int, word: int) -> bool:
        head, deprel, _ = comparison.parses.vote(side.treebank, other, sentence, word)
        return is_change(side.change, treebank.trees[sentence], word, head, deprel)

    places = examples_of(side, words, shows)
    if not places or not shows(*places[0]):
        return ""
    sentence, word = places[0]
    tree, vote = treebank.trees[sentence], comparison.parses.vote(side.treebank, other, sentence, word)
    annotated = _describe_arc(tree, tree.heads[word - 1], tree.deprels[word - 1])
    found = _describe_arc(tree, vote.head, vote.deprel)
    return (
        f"{treebank.name} {treebank.version.sentences[sentence].name}: {_text_around(tree, word)} – "
        f"annotated {annotated}; parsers of {comparison.names[other]} find {found}."
    )


def _describe_arc(tree: Tree, head: int, deprel: str) -> str:
    return f"{deprel} of “{tree.forms[head - 1]}”" if head else deprel


def _text_around(tree: Tree, word: int) -> str:
    first, last = max(0, word - 1 - AROUND), min(len(tree), word + AROUND)
    shown = [f"[{form}]" if number == word else form for number, form in enumerate(tree.forms, start=1)][
        first:last
    ]
    return " ".join([*(["…"] if first else []), *shown, *(["…"] if last < len(tree) else [])])
