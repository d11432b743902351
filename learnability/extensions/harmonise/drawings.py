"""Draw sentences that show a pattern: as annotated, and as parsers of the other treebank see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from learnability.extending import DrawnSentence, Section, Tree, count_noun
from learnability.extensions.harmonise.descriptions import PatternSide, describe_pattern, sides_of
from learnability.extensions.harmonise.patterns import ArcChange, PairPatterns
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.words import TreebankWords, words_of

MOST_DRAWN = 20
"""The conventions of two treebanks that are drawn."""

SENTENCES = 2
"""The sentences of each treebank that show a convention."""

SHORT = range(3, 17)
"""The numbers of words with which a sentence shows a difference at a glance."""


def drawn_sections(comparison: TreebankComparison) -> list[Section]:
    """Return a section with drawn sentences and queries for each convention of trees."""
    words = words_of(comparison.parses)
    sections = []
    for place, pair in enumerate(comparison.arcs, start=1):
        for number, pattern in enumerate(pair.conventions[:MOST_DRAWN], start=1):
            sides = sides_of(pair, pattern, words)
            names = comparison.names[pair.first], comparison.names[pair.second]
            lines = [f"{comparison.names[side.treebank]}: {side.query}" for side in sides]
            drawings = [
                drawing
                for side in sides
                for drawing in _drawn(comparison, pair, side, words, f"pattern-{place}-{number}")
            ]
            heading = f"{names[0]} and {names[1]}, {number}. {describe_pattern(sides, pattern.change)}"
            sentence = (
                f"{count_noun(round(pattern.first.words), 'word')} of {names[0]} and "
                f"{count_noun(round(pattern.second.words), 'word')} of {names[1]} show it; it costs "
                f"{pattern.cost:.2f} points."
            )
            sections.append(Section(heading, (sentence,), lines=tuple(lines), drawings=tuple(drawings)))
    return sections


Shows = Callable[[int, int], bool]
"""Tells whether a parse of a sentence, from 0, shows a pattern at a word, from 1."""


def examples_of(side: PatternSide, words: Sequence[TreebankWords], shows: Shows) -> list[tuple[int, int]]:
    """Return the sentences of a treebank that show a pattern, from 0, short ones first, and words, from 1.

    Args:
        side: the pattern in the treebank.
        words: those of all treebanks.
        shows: whether what is shown of a sentence shows it; others come last.
    """
    of_treebank = words[side.treebank]
    places = []
    for word in side.examples:
        sentence = int(of_treebank.sentences[word])
        places.append((sentence, word - int(of_treebank.starts[sentence]) + 1))
    return sorted(places, key=lambda at: (not shows(*at), len(of_treebank.trees[at[0]]) not in SHORT))


def is_change(change: ArcChange, tree: Tree, word: int, head: int, deprel: str) -> bool:
    return deprel == change.other and (head, deprel) != (tree.heads[word - 1], tree.deprels[word - 1])


def _drawn(
    comparison: TreebankComparison, pair: PairPatterns, side: PatternSide, words: Sequence[TreebankWords],
    name: str,
) -> list[DrawnSentence]:  # fmt: skip
    other = pair.second if side.treebank == pair.first else pair.first
    treebank, parses = comparison.treebanks[side.treebank], comparison.parses.parses[side.treebank, other][0]

    def shows(sentence: int, word: int) -> bool:
        parse = parses[sentence]
        arc = parse.heads[word - 1], parse.deprels[word - 1]
        return is_change(side.change, treebank.trees[sentence], word, *arc)

    numbers = list(dict.fromkeys(sentence for sentence, _ in examples_of(side, words, shows)))
    titles = treebank.name, f"as parsers of {comparison.names[other]} see it"
    drawings = []
    for at, number in enumerate(numbers[:SENTENCES], start=1):
        both = _bare(treebank.trees[number]), _bare(parses[number])
        where = treebank.version.sentences[number].name
        drawings.append(DrawnSentence.of_trees(where, *both, f"{name}-{side.treebank + 1}-{at}", titles))
    return drawings


def _bare(tree: Tree) -> Tree:
    """Return a tree without all that a drawing does not show."""
    return Tree(tree.forms, ("",) * len(tree), tree.heads, tree.deprels)
