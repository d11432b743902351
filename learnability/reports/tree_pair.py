"""Represent a sentence in two annotations, and draw it: UD above the words, the alternative below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from operator import eq, ne

from learnability.drawing.arcs import Arc, Layout, draw_diagram, lay_out
from learnability.drawing.style import add_style, show_svg
from learnability.reports.figures import add_title
from learnability.reports.text import Table
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class TreePair:
    """Hold a sentence in UD (or in the scheme of `--against`) and in the alternative.

    Attributes:
        where: its sent_id, or its place in the file.
        base: the tree in UD.
        alternative: the tree in the alternative.
        predicted: the heads that the parser of each annotation found, where parsers are shown.
        learned_relations: whether the parsers of the run learned relations; if not, the drawing greys them.
    """

    where: str
    base: Tree
    alternative: Tree
    predicted: tuple[Sequence[int], Sequence[int]] | None = None
    learned_relations: bool = True

    @property
    def changed(self) -> list[bool]:
        """Return per token whether its head, its relation or its tag differs."""
        first, second = self.base, self.alternative
        sides = (zip(tree.heads, tree.deprels, *self._tags(tree), strict=True) for tree in (first, second))
        return list(map(ne, *sides))

    @property
    def withheld(self) -> bool:
        return any(self.base.find_withheld())

    def _tags(self, tree: Tree) -> list[Sequence[str]]:
        return [column for column in (tree.upos, tree.xpos, tree.feats) if column]

    @property
    def labels(self) -> tuple[list[str], list[str]]:
        """Return the label of each token in both annotations: its relation, and the tags that differ."""
        first, second = self.base, self.alternative
        pairs = list(zip(self._tags(first), self._tags(second), strict=True))
        shown: tuple[list[str], list[str]] = [], []
        for token in range(len(first)):
            differing = [pair for pair in pairs if pair[0][token] != pair[1][token]]
            for side, tree in enumerate((first, second)):
                shown[side].append(
                    " ".join([tree.deprels[token], *(pair[side][token] for pair in differing)])
                )
        return shown

    def draw_svg(self) -> str:
        """Return the pair as an SVG picture, UD above the words; write it to a file as it is."""
        return add_style(self._draw())

    def _repr_html_(self) -> str:
        return show_svg(self._draw())

    def _draw(self) -> str:
        titles = ("UD", "alternative")
        said = escape(" ".join(self.base.forms), quote=True)
        return draw_diagram(
            _lay_out_pair(self, titles), titles, f'class="tree" role="img" aria-label="{said}"'
        )

    @property
    def parses(self) -> tuple[Sequence[int], Sequence[int]]:
        return self.predicted or (self.base.heads, self.alternative.heads)

    @property
    def right(self) -> tuple[int, int]:
        """Return how many heads each parser found."""
        first, second = self.parses
        return sum(map(eq, self.base.heads, first)), sum(map(eq, self.alternative.heads, second))


def arcs_of(tree: Tree, predicted: Sequence[int], opposite: Tree, *, labelled: bool = True) -> list[Arc]:
    """Return the gold arcs, and predicted ones that are not; changed where `opposite` has another arc:
    another head, or another label if `labelled`."""
    arcs = []
    columns = zip(tree.heads, predicted, opposite.heads, tree.deprels, opposite.deprels, strict=True)
    for dependent, (head, parsed, there, label, label_there) in enumerate(columns, start=1):
        is_same = head == there and (label == label_there or not labelled)
        kind = "same" if is_same else "changed"
        arcs.append(Arc(head, dependent, label, kind, head != parsed))
        if head != parsed:
            arcs.append(Arc(parsed, dependent, "", "wrong"))
    return arcs


def arc_diagram(name: str, data: Table, pair: TreePair, titles: tuple[str, str]) -> str:
    """Return the sentence as SVG, UD above the words; right-to-left scripts run from right to left.

    Relations that the parsers of a run did not learn are grey.
    """
    look = "tree" if pair.learned_relations else "tree unlearned"
    opening = f'class="{look}" role="img" aria-labelledby="{name}-title {name}-desc"'
    return draw_diagram(_lay_out_pair(pair, titles), titles, opening, add_title(name, data))


def _shown_tags(pair: TreePair) -> list[str]:
    both = zip(pair.base.upos, pair.alternative.upos, strict=True)
    return [tag if tag == other else f"{tag}→{other}" for tag, other in both]


def _lay_out_pair(pair: TreePair, titles: tuple[str, str]) -> Layout:
    base, alternative = pair.base, pair.alternative
    labelled = pair.learned_relations
    above = arcs_of(base, pair.parses[0], alternative, labelled=labelled)
    below = arcs_of(alternative, pair.parses[1], base, labelled=labelled) if titles[1] else []
    words = list(zip(base.forms, _shown_tags(pair), strict=True))
    return lay_out(words, above, below, titles)
