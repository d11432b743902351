"""Sentences as arc diagrams: UD above the words, the alternative below, and what the parsers got wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from operator import eq

from learnability.reports.evidence import ConditionEvidence
from learnability.reports.figures import Figure, titled
from learnability.reports.text import Table
from learnability.support.files import as_name
from learnability.treebanks.sentence import Tree

LEVEL, FIRST, CAPTION = 20, 26, 34
"""Height of an arc above the one inside it, of the lowest arc, and of what is beyond all arcs; pixels."""

GAP, FAN, MARGIN = 16, 7, 22
"""Between two words, between two arcs at a word, and left and right of all; pixels."""

LINE = 44
"""Height of the words with their tags; pixels."""


@dataclass(frozen=True)
class TreePair:
    """A sentence in UD (or the scheme of `--against`) and in the alternative.

    Attributes:
        where: its sent_id, or its place in the file.
        predicted: the heads that the parser of each annotation found, where parsers are shown.
        own_relations: whether the alternative has relations that do not follow from those of UD.
    """

    where: str
    original: Tree
    transformed: Tree
    predicted: tuple[Sequence[int], Sequence[int]] | None = None
    own_relations: bool = False

    @property
    def changed(self) -> list[bool]:
        """Per token whether head or relation differ."""
        one, two = self.original, self.transformed
        columns = zip(one.heads, two.heads, one.deprels, two.deprels, strict=True)
        return [a != b or c != d for a, b, c, d in columns]

    @property
    def parses(self) -> tuple[Sequence[int], Sequence[int]]:
        """The predicted heads; without parsers the annotated ones."""
        return self.predicted or (self.original.heads, self.transformed.heads)

    @property
    def right(self) -> list[int]:
        """How many heads each parser has right."""
        trees = self.original, self.transformed
        return [sum(map(eq, tree.heads, parse)) for tree, parse in zip(trees, self.parses, strict=True)]


@dataclass(frozen=True)
class Arc:
    """An arc between token numbers, head 0 for the root word; a predicted one has an empty label.

    `kind`: `same` in both annotations, `changed`, or `wrong`: predicted, and not gold. `missed`: a gold arc
    that the parser does not have.
    """

    head: int
    dependent: int
    label: str
    kind: str
    missed: bool = False


def drawn_sentences(
    conditions: Sequence[ConditionEvidence],
) -> list[tuple[str, list[tuple[TreePair, Figure]]]]:
    """For every condition with example sentences its name and those on which the two parsers differ most."""
    return [
        (c.name, [(pair, _draw(c.row.original, c.name, i, pair)) for i, pair in enumerate(pairs, start=1)])
        for c in conditions
        if (pairs := most_contrasting(c))
    ]


def example_pairs(evidence: ConditionEvidence) -> list[TreePair]:
    """The test sentences that the records of a condition keep, the shortest first, then in their order."""
    if not (evidence.a and evidence.b):
        return []
    original, other = (seeds[0][0].examples or () for seeds in (evidence.a, evidence.b))
    by_index, pairs = {sentence["index"]: sentence for sentence in original}, []
    for two in other:
        one = by_index[two["index"]]
        tree = Tree(*(tuple(one[name]) for name in ("forms", "upos", "heads", "deprels")))
        labels = two.get("deprels") or transformed_labels(tree.deprels, tree.heads, two["heads"])
        where = one["sent_id"] or f"test sentence {one['index'] + 1}"
        predicted = one["predicted"], two["predicted"]
        pairs.append(
            TreePair(where, tree, tree.with_heads(two["heads"], labels), predicted, "deprels" in two)
        )
    return sorted(pairs, key=lambda pair: len(pair.original))


def most_contrasting(evidence: ConditionEvidence, count: int = 3) -> list[TreePair]:
    """Examples by how many more heads one parser has right than the other; of equal ones the shorter first.
    None where both are equally good."""
    contrasts = [(abs(first - second), p) for p in example_pairs(evidence) for first, second in [p.right]]
    return [p for contrast, p in sorted(contrasts, key=lambda pair: -pair[0]) if contrast][:count]


def _draw(side: str, condition: str, number: int, pair: TreePair) -> Figure:
    one, two = pair.original, pair.transformed
    named = ["root", *(f"{i} {form}" for i, form in enumerate(one.forms, start=1))]

    def heads(tree: Tree, shown: Sequence[int]) -> list[str]:
        return [named[h] if h == gold else f"✗ {named[h]}" for h, gold in zip(shown, tree.heads, strict=True)]

    columns = [
        ("relation", one.deprels),
        (side, heads(one, one.heads)),
        (f"{side}’s parser", heads(one, pair.parses[0])),
        ("alternative", heads(two, two.heads)),
        ("its parser", heads(two, pair.parses[1])),
        *([("its relation", two.deprels)] if pair.own_relations else []),
    ]
    counts = f"{pair.right[0]} of {len(one)} heads right, the alternative’s {pair.right[1]}"
    name = f"tree-{as_name(condition)}-{number}"
    return drawn_pair(pair, name, (side, condition), columns, f"{side}’s parser has {counts}.")


def drawn_pair(
    pair: TreePair,
    name: str,
    titles: tuple[str, str],
    columns: Sequence[tuple[str, Sequence[str]]],
    note: str = "",
) -> Figure:
    """The pair as an arc diagram; its data are these columns for each word."""
    tree, (original, alternative) = pair.original, titles
    numbers = [str(i) for i in range(1, len(tree) + 1)]
    columns = [("token", numbers), ("word", tree.forms), ("tag", tree.upos), *columns]
    rows = zip(*(cells for _, cells in columns), strict=True)
    title = f"{pair.where}: {original} above the words, {alternative} below"
    data = Table(title, tuple(heading for heading, _ in columns), tuple(rows), note)
    return Figure(name, data, arc_diagram(name, data, pair, titles))


def arcs_of(tree: Tree, predicted: Sequence[int], opposite: Sequence[int]) -> list[Arc]:
    """The gold arcs, and the predicted ones that are not gold; changed where `opposite` has another head."""
    arcs = []
    columns = zip(tree.heads, predicted, opposite, tree.deprels, strict=True)
    for dependent, (head, parsed, there, label) in enumerate(columns, start=1):
        kind = "same" if head == there else "changed"
        arcs.append(Arc(head, dependent, label, kind, head != parsed))
        if head != parsed:
            arcs.append(Arc(parsed, dependent, "", "wrong"))
    return arcs


def levels_of(arcs: Sequence[Arc]) -> list[int]:
    """The height of each arc, from 1: above all shorter ones that it overlaps; 0 for arrows to the root."""
    spans = [tuple(sorted((arc.head, arc.dependent))) for arc in arcs]
    levels = [0] * len(arcs)
    placed: list[int] = []
    for i in sorted(range(len(arcs)), key=lambda i: (spans[i][1] - spans[i][0], i)):
        if arcs[i].head == 0:
            continue
        low, high = spans[i]
        below = [levels[j] for j in placed if spans[j][0] < high and low < spans[j][1]]
        levels[i] = 1 + max(below, default=0)
        placed.append(i)
    return levels


def transformed_labels(deprels: Sequence[str], heads: Sequence[int], transformed: Sequence[int]) -> list[str]:
    """Relations stay on their words; only the old and the new root word swap theirs (`--labels keep`)."""
    labels = list(deprels)
    old, new = (roots.index(0) if 0 in roots else -1 for roots in (list(heads), list(transformed)))
    if min(old, new) >= 0:
        labels[old], labels[new] = labels[new], labels[old]
    return labels


def arc_diagram(name: str, data: Table, pair: TreePair, titles: tuple[str, str]) -> str:
    """The sentence as SVG, UD above the words; right-to-left scripts run from right to left."""
    one, two, (side, condition) = pair.original, pair.transformed, titles
    forms, tags = one.forms, one.upos
    above, below = arcs_of(one, pair.parses[0], two.heads), arcs_of(two, pair.parses[1], one.heads)
    backwards = is_right_to_left("".join(forms))
    ends = _ends(above, backwards), _ends(below, backwards)
    texts = zip(forms, tags, strict=True)
    words = [max(text_width(form, 15), text_width(tag, 11)) for form, tag in texts]
    centres = _centres(
        words, [*zip(above, ends[0], strict=True), *zip(below, ends[1], strict=True)], backwards
    )
    top, bottom = (_height(arcs) + CAPTION for arcs in (above, below))
    right_end = max(centre + word / 2 for centre, word in zip(centres, words, strict=True))
    width = round(max(right_end + MARGIN, text_width(side, 14) + 8, text_width(condition, 14) + 8))
    height = top + LINE + bottom
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-title {name}-desc">',
        titled(name, data),
        f'<text class="scheme" x="4" y="14">{escape(side)}</text>',
        f'<text class="scheme" x="4" y="{height - 6}">{escape(condition)}</text>',
        *_drawn_arcs(above, ends[0], centres, top, -1),
        *_drawn_arcs(below, ends[1], centres, top + LINE, 1),
    ]
    for centre, form, tag in zip(centres, forms, tags, strict=True):
        parts.append(
            f'<text x="{centre:.1f}" y="{top + 19}">{escape(form)}</text>'
            f'<text class="tag" x="{centre:.1f}" y="{top + 35}">{escape(tag)}</text>'
        )
    return "".join([*parts, "</svg>"])


Ends = tuple[float, float]
"""Where an arc leaves its head and reaches its dependent: pixels right of the middle of the word."""


def _ends(arcs: Sequence[Arc], backwards: bool) -> list[Ends]:
    """The ends of arcs on one side of the words, so that arcs at one word do not cross.

    At every word the arcs to the left come first, the shortest outermost, then the arrow to the root, then
    those to the right, the shortest outermost.
    """
    at: dict[int, list[tuple[int, int, int, int]]] = {}
    for i, arc in enumerate(arcs):
        for end, (here, there) in enumerate(((arc.head, arc.dependent), (arc.dependent, arc.head))):
            if here == 0:
                continue
            distance = (here - there if backwards else there - here) if there else 0
            at.setdefault(here, []).append(((distance > 0) - (distance < 0), -distance, i, end))
    places = [[0.0, 0.0] for _ in arcs]
    for ends in at.values():
        for place, (_, _, i, end) in enumerate(sorted(ends)):
            places[i][end] = FAN * (place - (len(ends) - 1) / 2)
    return [(tail, tip) for tail, tip in places]


def _centres(words: Sequence[float], arcs: Sequence[tuple[Arc, Ends]], backwards: bool) -> list[float]:
    """The middle of each word: as near as the width of words, their arcs and the arcs' labels allow."""
    half = [0.0, *(word / 2 for word in words)]
    from_left: dict[int, list[tuple[int, float]]] = {}
    for arc, (tail, tip) in arcs:
        half[arc.head] = max(half[arc.head], abs(tail))
        half[arc.dependent] = max(half[arc.dependent], abs(tip), 0 if arc.head else _label_width(arc) / 2)
        (left, at_left), (right, at_right) = sorted(
            [(arc.head, tail), (arc.dependent, tip)], key=lambda end: end[0], reverse=backwards
        )
        if arc.head:
            from_left.setdefault(right, []).append((left, at_left - at_right + _label_width(arc)))
    centres = [0.0] * len(half)
    end = MARGIN - GAP * 1.0
    for word in sorted(range(1, len(half)), reverse=backwards):
        spaced = (centres[left] + least for left, least in from_left.get(word, ()))
        centres[word] = max(end + GAP + half[word], *spaced, 0.0)
        end = centres[word] + half[word]
    return centres[1:]


def _label_width(arc: Arc) -> float:
    """Pixels that an arc needs between its ends, or above the root word, for its label."""
    return text_width(arc.label, 12) + (14 if arc.missed else 0) + 14


def _height(arcs: Sequence[Arc]) -> int:
    """Pixels from the words to the start of the arrow to the root, which is above all arcs."""
    return FIRST + LEVEL * max(levels_of(arcs), default=0)


def _drawn_arcs(
    arcs: Sequence[Arc], ends: Sequence[Ends], centres: Sequence[float], base: float, up: int
) -> list[str]:
    """The arcs on one side of the words; `up` is -1 above and 1 below. Wrong ones first: gold is on top."""
    levels, start = levels_of(arcs), base + up * _height(arcs)
    parts = []
    for i in sorted(range(len(arcs)), key=lambda i: ("wrong", "same", "changed").index(arcs[i].kind)):
        arc, tip = arcs[i], centres[arcs[i].dependent - 1] + ends[i][1]
        look = f"{arc.kind} {'ud' if up < 0 else 'alternative'}"
        if arc.head == 0:
            path, label_at, label_y = (
                f"M{tip:.1f} {start:.1f}V{base:.1f}",
                tip,
                start + (-4 if up < 0 else 12),
            )
        else:
            tail = centres[arc.head - 1] + ends[i][0]
            ridge = base + up * (FIRST + LEVEL * (levels[i] - 1))
            turn = min(8.0, abs(tip - tail) / 2)
            step = turn if tip > tail else -turn
            path = (
                f"M{tail:.1f} {base:.1f}V{ridge - up * turn:.1f}"
                f"Q{tail:.1f} {ridge:.1f} {tail + step:.1f} {ridge:.1f}"
                f"H{tip - step:.1f}Q{tip:.1f} {ridge:.1f} {tip:.1f} {ridge - up * turn:.1f}V{base:.1f}"
            )
            label_at, label_y = (tip + tail) / 2, ridge + 3.5
        arrow = f"M{tip:.1f} {base:.1f}l-3.2 {up * 6.5:.1f}h6.4z"
        parts.append(f'<g class="{look}"><path d="{path}"/><path class="tip" d="{arrow}"/>')
        if arc.label:
            label = escape(arc.label) + (' <tspan class="miss">✗</tspan>' if arc.missed else "")
            parts.append(f'<text x="{label_at:.1f}" y="{label_y:.1f}">{label}</text>')
        parts.append("</g>")
    return parts


def text_width(text: str, size: float) -> float:
    """About the width of a text in pixels at a font size, rather more than less (that of DejaVu Sans)."""
    units = 0.0
    for character in text:
        kind, left_to_right = unicodedata.category(character), unicodedata.bidirectional(character) == "L"
        if kind in ("Mn", "Me", "Cf"):
            continue
        if (kind == "Lo" and left_to_right) or character in "mwMW@%…—жмшщюыфЖМШЩЮЫФ":
            units += 1.0  # scripts without capitals that run from left to right are wide
        elif character in "fijlrtI.,:;!|'":
            units += 0.41
        else:
            units += 0.76 if kind == "Lu" else 0.65
    return units * size


def is_right_to_left(text: str) -> bool:
    """Whether most letters belong to a script that is written from right to left."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")
