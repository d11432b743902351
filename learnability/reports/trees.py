"""Draw sentences as arc diagrams: UD above the words, the alternative below, and the parsers' errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from learnability.reports.examples import TreePair
from learnability.reports.figures import Figure, add_title
from learnability.reports.text import Table
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    pass

LEVEL, FIRST, CAPTION = 20, 26, 34
"""Height of an arc above the one inside it, of the lowest arc, and of what is beyond all arcs; pixels."""

GAP, FAN, MARGIN = 16, 7, 22
"""Between two words, between two arcs at a word, and left and right of all; pixels."""

LINE = 44
"""Height of the words with their tags; pixels."""


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

    @classmethod
    def of_trees(
        cls, where: str, base: Tree, alternative: Tree, name: str, titles: tuple[str, str], **more: Any
    ) -> DrawnSentence:
        """Return two trees as :meth:`of` draws them; `where`: what the sentence is called."""
        return cls.of(TreePair(where, base, alternative), name, titles, **more)


@dataclass(frozen=True)
class Arc:
    """Hold an arc between token numbers, head 0 for the root word; a predicted one has an empty label.

    `kind`: `same` in both annotations, `changed`, or `wrong`: predicted, and not gold. `missed`: a gold arc
    that the parser does not have.
    """

    head: int
    dependent: int
    label: str
    kind: str
    missed: bool = False


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


def arcs_of(tree: Tree, predicted: Sequence[int], opposite: Tree, *, labelled: bool = True) -> list[Arc]:
    """Return the gold arcs, and predicted ones that are not; changed where `opposite` has another arc.

    Only an arc with another head is another one unless `labelled`.
    """
    arcs = []
    columns = zip(tree.heads, predicted, opposite.heads, tree.deprels, opposite.deprels, strict=True)
    for dependent, (head, parsed, there, label, label_there) in enumerate(columns, start=1):
        is_same = head == there and (label == label_there or not labelled)
        kind = "same" if is_same else "changed"
        arcs.append(Arc(head, dependent, label, kind, head != parsed))
        if head != parsed:
            arcs.append(Arc(parsed, dependent, "", "wrong"))
    return arcs


def levels_of(arcs: Sequence[Arc], *, chains_apart: bool = False) -> list[int]:
    """Return the height of each arc, from 1: above shorter ones that it overlaps; 0 for roots.

    Args:
        arcs: the arcs of a tree, or of several over the same words.
        chains_apart: whether two arcs that only meet at a word have different heights if one ends there and
            the other begins there. Lines that meet in one column would look like two arcs from one head.
    """
    spans = [tuple(sorted((arc.head, arc.dependent))) for arc in arcs]
    levels = [0] * len(arcs)
    placed: list[int] = []
    for i in sorted(range(len(arcs)), key=lambda i: (spans[i][1] - spans[i][0], i)):
        if arcs[i].head == 0:
            continue
        low, high = spans[i]
        below = [
            levels[j]
            for j in placed
            if (spans[j][0] < high and low < spans[j][1]) or (chains_apart and _continues(arcs[i], arcs[j]))
        ]
        levels[i] = 1 + max(below, default=0)
        placed.append(i)
    return levels


def _continues(arc: Arc, other: Arc) -> bool:
    return arc.head == other.dependent or other.head == arc.dependent


def arc_diagram(name: str, data: Table, pair: TreePair, titles: tuple[str, str]) -> str:
    """Return the sentence as SVG, UD above the words; right-to-left scripts run from right to left.

    Relations that the parsers of a run did not learn are grey.
    """
    drawing, (side, name_below) = _laid_out(pair, titles), titles
    width, height = drawing.width, drawing.height
    look = "tree" if pair.learned_relations else "tree unlearned"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-title {name}-desc">',
        add_title(name, data),
        f'<text class="scheme" x="4" y="14">{escape(side)}</text>',
        f'<text class="scheme" x="4" y="{height - 6}">{escape(name_below)}</text>',
        *_drawn_arcs(drawing.above, drawing.ends_above, drawing.centres, drawing.top, -1),
        *_drawn_arcs(drawing.below, drawing.ends_below, drawing.centres, drawing.top + LINE, 1),
    ]
    for centre, form, tag in zip(drawing.centres, pair.base.forms, _shown_tags(pair), strict=True):
        parts.append(
            f'<text x="{centre:.1f}" y="{drawing.top + 19}">{escape(form)}</text>'
            f'<text class="tag" x="{centre:.1f}" y="{drawing.top + 35}">{escape(tag)}</text>'
        )
    return "".join([*parts, "</svg>"])


def small_diagram(pair: TreePair, titles: tuple[str, str]) -> str:
    """Return the gold trees of a pair as SVG of few bytes, for pages with many drawings.

    It has no title: the page says what it is. What is the same in both annotations is one path on each side,
    and below the words only what differs has a label. Coordinates are whole pixels.
    """
    drawing = _laid_out(pair, titles)
    width, height = drawing.width, drawing.height
    words = (
        (pair.base.forms, f'<text y="{drawing.top + 19}">'),
        (_shown_tags(pair), f'<text class="tag" y="{drawing.top + 35}">'),
    )
    parts = [
        f'<svg class="tree" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<text class="scheme" x="4" y="14">{escape(titles[0])}</text>',
        f'<text class="scheme" x="4" y="{height - 6}">{escape(titles[1])}</text>',
        *_joined_arcs(drawing.above, drawing.ends_above, drawing.centres, drawing.top, -1),
        *_joined_arcs(
            drawing.below, drawing.ends_below, drawing.centres, drawing.top + LINE, 1, _same_labels(pair)
        ),
    ]
    for texts, begin in words:
        spans = (
            f'<tspan x="{centre:.0f}">{escape(text)}</tspan>'
            for centre, text in zip(drawing.centres, texts, strict=True)
        )
        parts.append(f"{begin}{''.join(spans)}</text>")
    return "".join([*parts, "</svg>"])


def _shown_tags(pair: TreePair) -> list[str]:
    """Return the tag of each word, with that of the alternative after an arrow where it differs."""
    both = zip(pair.base.upos, pair.alternative.upos, strict=True)
    return [tag if tag == other else f"{tag}→{other}" for tag, other in both]


def _same_labels(pair: TreePair) -> set[int]:
    first, second = pair.base, pair.alternative
    columns = zip(first.heads, second.heads, first.deprels, second.deprels, strict=True)
    return {
        token
        for token, (head, other, deprel, new) in enumerate(columns, start=1)
        if (head, deprel) == (other, new)
    }


@dataclass(frozen=True)
class _Drawing:
    """Hold where words and arcs of a diagram are, in pixels.

    Attributes:
        above, below: the arcs on each side of the words.
        ends_above, ends_below: where these begin and end.
        centres: the middle of each word.
        top: where the line of the words begins.
    """

    above: Sequence[Arc]
    below: Sequence[Arc]
    ends_above: Sequence[Ends]
    ends_below: Sequence[Ends]
    centres: Sequence[float]
    top: int
    width: int
    height: int


def _laid_out(pair: TreePair, titles: tuple[str, str]) -> _Drawing:
    base, alternative = pair.base, pair.alternative
    labelled = pair.learned_relations
    above = arcs_of(base, pair.parses[0], alternative, labelled=labelled)
    below = arcs_of(alternative, pair.parses[1], base, labelled=labelled) if titles[1] else []
    backwards = base.is_right_to_left
    ends = _ends(above, backwards), _ends(below, backwards)
    texts = zip(base.forms, _shown_tags(pair), strict=True)
    words = [max(text_width(form, 15), text_width(tag, 11)) for form, tag in texts]
    centres = _centres(
        words, [*zip(above, ends[0], strict=True), *zip(below, ends[1], strict=True)], backwards
    )
    top, bottom = (_measure_height(arcs) + CAPTION for arcs in (above, below))
    right_end = max(centre + word / 2 for centre, word in zip(centres, words, strict=True))
    width = round(max(right_end + MARGIN, *(text_width(title, 14) + 8 for title in titles)))
    return _Drawing(above, below, *ends, centres, top, width, top + LINE + bottom)


Ends = tuple[float, float]
"""Where an arc leaves its head and reaches its dependent: pixels right of the middle of the word."""


def _ends(arcs: Sequence[Arc], backwards: bool) -> list[Ends]:
    """Return the ends of arcs on one side of the words, so that arcs at a word do not cross.

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
    """Return the middle of each word: as near as the width of words, arcs and labels allows."""
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
    return text_width(arc.label, 12) + (14 if arc.missed else 0) + 14


def _measure_height(arcs: Sequence[Arc]) -> int:
    return FIRST + LEVEL * max(levels_of(arcs), default=0)


def _drawn_arcs(
    arcs: Sequence[Arc], ends: Sequence[Ends], centres: Sequence[float], base: float, up: int
) -> list[str]:
    levels, start = levels_of(arcs), base + up * _measure_height(arcs)
    parts = []
    for i in sorted(range(len(arcs)), key=lambda i: ("wrong", "same", "changed").index(arcs[i].kind)):
        arc, tip = arcs[i], centres[arcs[i].dependent - 1] + ends[i][1]
        look = f"{arc.kind} {'base' if up < 0 else 'alternative'}"
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


def _joined_arcs(
    arcs: Sequence[Arc],
    ends: Sequence[Ends],
    centres: Sequence[float],
    base: int,
    up: int,
    unlabelled: Collection[int] = (),
) -> Iterator[str]:
    """Yield the arcs on one side of the words, one path for all that are the same and one for the others.

    `unlabelled`: the dependents whose arcs get no label.
    """
    levels = levels_of(arcs)
    for kind in ("same", "changed"):
        lines, tips, labels = [], [], []
        for arc, level, (tail_end, tip_end) in zip(arcs, levels, ends, strict=True):
            if arc.kind != kind:
                continue
            tip = round(centres[arc.dependent - 1] + tip_end)
            if arc.head == 0:
                ridge = base + up * _measure_height(arcs)
                lines.append(f"M{tip} {ridge}V{base}")
                at, y = tip, ridge + (-4 if up < 0 else 12)
            else:
                tail, rise = round(centres[arc.head - 1] + tail_end), FIRST + LEVEL * (level - 1)
                turn = min(8, abs(tip - tail) // 2)
                across, back = (turn, tip - turn) if tip > tail else (-turn, tip + turn)
                straight = up * (rise - turn)
                lines.append(
                    f"M{tail} {base}v{straight}q0 {up * turn} {across} {up * turn}H{back}"
                    f"q{across} 0 {across} {-up * turn}v{-straight}".replace(" -", "-")
                )
                at, y = (tip + tail) // 2, base + up * rise + 4
            tips.append(f"M{tip} {base}l-3{' ' if up > 0 else ''}{6 * up}h6z")
            if arc.label and arc.dependent not in unlabelled:
                labels.append(f'<text x="{at}" y="{y}">{escape(arc.label)}</text>')
        if lines:
            yield (
                f'<g class="{kind} {"base" if up < 0 else "alternative"}"><path d="{"".join(lines)}"/>'
                f'<path class="tip" d="{"".join(tips)}"/>{"".join(labels)}</g>'
            )


def text_width(text: str, size: float) -> float:
    """Return about the width of a text in pixels at a font size, rather more than less (DejaVu Sans)."""
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
