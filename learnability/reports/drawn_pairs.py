"""Draw a sentence in two annotations side by side: on a terminal, and as SVG for files and pages.

On the terminal every token has a line of its own: the arcs of UD run at its left, those of the alternative at
its right, and both end at the word. What differs is marked with a star.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.drawing.arcs import Arc, levels_of
from learnability.drawing.style import tree_rules
from learnability.reports.figures import Figure
from learnability.reports.text import Table
from learnability.reports.tree_pair import TreePair, arc_diagram
from learnability.treebanks.sentence import Tree

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

LINES = dict(zip(range(16), " ││││┘┐┤│└┌├─┴┬┼", strict=True)) | {LEFT: "─", RIGHT: "─"}
"""The character that connects a cell with its neighbours in these directions."""

MIRRORED = str.maketrans("┌└├┐┘┤▶", "┐┘┤┌└├◀")


def arcs_beside(heads: Sequence[int]) -> list[str]:
    """Return per token the arcs at the left of its line, equally wide; an arrow points to each dependent."""
    arcs = [Arc(head, token, "", "same") for token, head in enumerate(heads, start=1)]
    levels = levels_of(arcs, chains_apart=True)
    width = 2 * max(levels, default=0) + 1
    cells = [[0] * width for _ in heads]
    for arc, level in zip(arcs, levels, strict=True):
        if arc.head == 0:
            continue
        column = width - 1 - 2 * level
        first, last = sorted((arc.head - 1, arc.dependent - 1))
        for row in range(first, last + 1):
            cells[row][column] |= (UP if row > first else 0) | (DOWN if row < last else 0)
        for row in (first, last):
            cells[row][column] |= RIGHT
            for between in range(column + 1, width):
                cells[row][between] |= LEFT | RIGHT
    lines = ["".join(LINES[cell] for cell in row) for row in cells]
    return [f"{line[:-1]}▶" if head else line for line, head in zip(lines, heads, strict=True)]


def lines_of(pair: TreePair, names: tuple[str, str] = ("UD", "alternative")) -> list[tuple[str, bool]]:
    """Return the lines of the drawing, and which of them differ; the first is a heading."""
    base, alternative = pair.base, pair.alternative
    words = [f"{token} {form}" for token, form in enumerate(base.forms, start=1)]
    left = arcs_beside(base.heads)
    right = [line[::-1].translate(MIRRORED) for line in arcs_beside(alternative.heads)]
    relations, new_relations = map(_pad_texts, pair.labels)
    middle = _pad_texts(words)
    margin = " " * (2 + len(left[0]) + 1)
    width = max(_width(relations[0]) + 2 + _width(middle[0]), _width(names[0])) + 2
    heading = _fill(names[0], width)
    lines = [(margin + heading + names[1], False)]
    for i, differs in enumerate(pair.changed):
        mark = "*" if differs else " "
        line = f"{mark} {left[i]} {relations[i]}  {middle[i]}  {new_relations[i]} {right[i]}"
        lines.append((line.rstrip(), differs))
    return lines


def lines_of_tree(tree: Tree) -> list[tuple[str, bool]]:
    """Return the lines of the drawing of one tree, like those of a pair in which nothing differs."""
    words = _pad_texts([f"{token} {form}" for token, form in enumerate(tree.forms, start=1)])
    columns = zip(arcs_beside(tree.heads), _pad_texts(tree.deprels), words, tree.upos, strict=True)
    return [(f"  {arcs} {relation}  {word}  {tag}".rstrip(), False) for arcs, relation, word, tag in columns]


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _fill(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _pad_texts(texts: Sequence[str]) -> list[str]:
    widest = max(map(_width, texts), default=0)
    return [_fill(text, widest) for text in texts]


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
        columns: Sequence[tuple[str, Sequence[str]]],
        explanation: str = "",
    ) -> DrawnSentence:
        """Return the pair with its arc diagram; `titles`: what the annotations are called, the second may be
        empty; `columns`: the data of each word."""
        tree, (base, alternative) = pair.base, titles
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
    return [
        words[head] if head == right else f"✗ {words[head]}" for head, right in zip(heads, gold, strict=True)
    ]


def draw_for_page(pair: TreePair, name: str, alternative: str) -> Figure:
    """Return the pair as an arc diagram with its data; only UD without the name of an alternative."""
    names = ("UD", alternative) if alternative else ("UD",)
    trees = (pair.base, pair.alternative)[: len(names)]
    columns = [
        (name, [f"{head} {label}" for head, label in zip(tree.heads, labels, strict=True)])
        for name, tree, labels in zip(names, trees, pair.labels, strict=False)
    ]
    return DrawnSentence.of(pair, name, ("UD", alternative), columns).figure


def svg_file(figure: Figure) -> bytes:
    """Return the picture as a separate file, with the style that a page would give it."""
    svg = figure.files()[f"{figure.name}.svg"].decode()
    return svg.replace("</style>", f"{tree_rules()}</style>", 1).encode()
