"""Propose for the words of each convention what the other treebank would annotate.

A table of proposals has the columns of doubts.csv, so that `learnability doubts --apply` reads the decisions
about them and writes the files.
"""

from __future__ import annotations

from collections.abc import Iterator

from learnability.extending import Column, Sentence, Tree, as_name
from learnability.extensions.harmonise.descriptions import describe_change
from learnability.extensions.harmonise.patterns import ArcChange
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

COLUMNS = Column.of_decisions(
    "Proposals",
    ("proposed_head", "count", "the head that most parsers of the other treebank find"),
    ("proposed_deprel", "text", "the relation that these parsers find"),
    ("score", "number", "the share of the parsers of the other treebank that find both"),
    (
        "conflict", "number",
        "how likely the convention for the word differs from all others: 1 if no parser of another treebank "
        "finds its head, nor that of words like it, and all of its own do",
    ),
    ("pattern", "text", "the annotated and the proposed relation, or where the head goes"),
    ("like", "text", "the other treebank"),
)  # fmt: skip
"""The columns of a table of proposals, which is a file of decisions."""


def file_name(name: str) -> str:
    return as_name(name.replace(" ", "-"))


def proposals_name(name: str) -> str:
    return f"{file_name(name)}-proposals.csv"


def proposals_csv(comparison: TreebankComparison, treebank: int) -> bytes:
    """Return the proposals for the words of a treebank, pattern by pattern.

    Args:
        comparison: of the treebanks.
        treebank: the number of the treebank.
    """
    return Column.csv(COLUMNS, proposals_of(comparison, treebank))


def proposals_of(comparison: TreebankComparison, treebank: int) -> Iterator[dict[str, object]]:
    """Yield the proposals for the words of a treebank as rows; those that would break a tree are left out."""
    places = [
        (sentence, word)
        for sentence, tree in enumerate(comparison.treebanks[treebank].trees)
        for word in range(1, len(tree) + 1)
    ]
    conflicts = comparison.rank_words(treebank).tolist()
    for pair in comparison.arcs:
        if treebank not in (pair.first, pair.second):
            continue
        is_first = pair.first == treebank
        other = pair.second if is_first else pair.first
        for pattern in pair.conventions:
            change = pattern.change if is_first else pattern.change.mirrored
            for place in (pattern.first if is_first else pattern.second).examples:
                row = _proposal(comparison, treebank, other, change, *places[place])
                if row is not None:
                    yield {**row, "conflict": conflicts[place]}


def _proposal(
    comparison: TreebankComparison, treebank: int, other: int, change: ArcChange, sentence: int, word: int
) -> dict[str, object] | None:
    """Return the row of a word; None if parsers do not agree on a head that leaves a tree."""
    head, deprel, share = comparison.parses.vote(treebank, other, sentence, word)
    source = comparison.treebanks[treebank].version.sentences[sentence]
    tree = source.tree
    if (head == 0) != (tree.heads[word - 1] == 0) or _with_head(tree, word, head).find_cycle():
        return None
    return {
        **describe_word(source, word),
        "proposed_head": head,
        "proposed_deprel": deprel,
        "score": share,
        "pattern": describe_change(change),
        "like": comparison.names[other],
    }


def describe_word(sentence: Sentence, word: int) -> dict[str, object]:
    """Return which word a row is about, and what is annotated; nothing is decided."""
    tree = sentence.tree
    return {
        "sent_id": sentence.sent_id,
        "file": sentence.file,
        "line": sentence.line_of(word),
        "word": word,
        "form": tree.forms[word - 1],
        "upos": tree.upos[word - 1],
        "head": tree.heads[word - 1],
        "deprel": tree.deprels[word - 1],
        "content": sentence.content,
        "decision": "",
        "note": "",
    }


def _with_head(tree: Tree, word: int, head: int) -> Tree:
    return tree.with_heads([head if token == word else old for token, old in enumerate(tree.heads, start=1)])
