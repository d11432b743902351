"""Draw sentences for reports: UD above the words, the alternative below, and the parsers' errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.reports.figures import Figure
from learnability.reports.text import Table
from learnability.reports.tree_pair import TreePair, arc_diagram


@dataclass(frozen=True)
class DrawnSentence:
    """Hold a sentence in both annotations, its drawing, and one sentence that explains it."""

    pair: TreePair
    figure: Figure
    explanation: str

    @classmethod
    def of(
        cls,
        pair: TreePair,
        name: str,
        titles: tuple[str, str],
        columns: Sequence[tuple[str, Sequence[str]]] = (),
        explanation: str = "",
    ) -> DrawnSentence:
        """Return the pair with its arc diagram.

        Args:
            pair: both trees.
            name: of the file.
            titles: what the annotations are called; the second may be empty.
            columns: the data of each word; default: its head and its relation in both annotations.
            explanation: one sentence.
        """
        tree, (base, alternative) = pair.base, titles
        words = ["root", *tree.forms]
        columns = columns or [
            (title, [f"{words[head]} {label}" for head, label in zip(each.heads, each.deprels, strict=True)])
            for title, each in zip(titles, (pair.base, pair.alternative), strict=True)
        ]
        numbers = [str(i) for i in range(1, len(tree) + 1)]
        columns = [("token", numbers), ("word", tree.forms), ("tag", tree.upos), *columns]
        rows = zip(*(cells for _, cells in columns), strict=True)
        title = f"{pair.where}: {base} above the words, {alternative} below" if alternative else pair.where
        data = Table(title, tuple(heading for heading, _ in columns), tuple(rows), explanation)
        return cls(pair, Figure(name, data, arc_diagram(name, data, pair, titles)), explanation)


def word_columns(pair: TreePair, side: str) -> list[tuple[str, Sequence[str]]]:
    """Return what the data of a drawing say of each word: relations and heads, and what the parsers found."""
    base, alternative = pair.base, pair.alternative
    words = ["root", *(f"{token} {form}" for token, form in enumerate(base.forms, start=1))]
    columns: list[tuple[str, Sequence[str]]] = [
        ("relation", base.deprels),
        (f"{side} head", _name_heads(words, base.heads, base.heads)),
    ]
    if pair.predicted is not None:
        columns.append((f"{side} parser", _name_heads(words, pair.predicted[0], base.heads)))
    columns.append(("alternative head", _name_heads(words, alternative.heads, alternative.heads)))
    if pair.predicted is not None:
        columns.append(("its parser", _name_heads(words, pair.predicted[1], alternative.heads)))
    if base.deprels != alternative.deprels:
        columns.append(("its relation", alternative.deprels))
    return columns


def _name_heads(words: Sequence[str], heads: Sequence[int], gold: Sequence[int]) -> list[str]:
    """Return the words that are the heads, with a cross where a head is not the gold one."""
    return [
        words[head] if head == right else f"✗ {words[head]}" for head, right in zip(heads, gold, strict=True)
    ]
