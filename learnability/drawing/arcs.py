"""Lay out arcs over words, and draw them as SVG; right-to-left scripts run from right to left."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

LEVEL, FIRST, CAPTION = 20, 26, 34
"""Height of an arc above the one inside it, of the lowest arc, and of what is beyond all arcs; pixels."""

GAP, FAN, MARGIN = 16, 7, 22
"""Between two words, between two arcs at a word, and left and right of all; pixels."""

LINE = 44
"""Height of the words with their tags; pixels."""


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


def levels_of(arcs: Sequence[Arc], *, chains_apart: bool = False) -> list[int]:
    """Return the height of each arc, from 1: above shorter ones that it overlaps; 0 for roots.

    `chains_apart`: whether two arcs have different heights of which one ends at a word and the other begins
    there. Lines that meet in one column would look like two arcs from one head.
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


Ends = tuple[float, float]
"""Where an arc leaves its head and reaches its dependent: pixels right of the middle of the word."""


@dataclass(frozen=True)
class Layout:
    """Hold words, the arcs on each side of them, and where all are, in pixels.

    `words`: each with what stands below it; `top`: where the line of the words begins.
    """

    words: Sequence[tuple[str, str]]
    above: Sequence[Arc]
    below: Sequence[Arc]
    ends_above: Sequence[Ends]
    ends_below: Sequence[Ends]
    centres: Sequence[float]
    top: int
    width: int
    height: int


def lay_out(
    words: Sequence[tuple[str, str]],
    above: Sequence[Arc],
    below: Sequence[Arc] = (),
    titles: Sequence[str] = (),
    *,
    padding: float = 0,
) -> Layout:
    """Return the places of everything in a diagram; the width of words, and their `padding`, decides them."""
    backwards = is_right_to_left("".join(form for form, _ in words))
    ends = _ends(above, backwards), _ends(below, backwards)
    widths = [max(text_width(form, 15), text_width(tag, 11)) + padding for form, tag in words]
    centres = _centres(
        widths, [*zip(above, ends[0], strict=True), *zip(below, ends[1], strict=True)], backwards
    )
    top = _measure_height(above) + CAPTION
    bottom = _measure_height(below) + CAPTION if below or any(titles[1:]) else 0
    right_end = max((centre + width / 2 for centre, width in zip(centres, widths, strict=True)), default=0.0)
    width = round(max(right_end + MARGIN, *(text_width(title, 14) + 8 for title in titles), 0))
    return Layout(words, above, below, *ends, centres, top, width, top + LINE + bottom)


def draw_diagram(layout: Layout, titles: tuple[str, str], opening: str, title: str = "") -> str:
    """Return words with arcs above and below them as SVG.

    `titles`: above and below; `opening`: the attributes that the picture has besides its size; `title`: SVG
    that names the picture for people who do not see it.
    """
    height = layout.height
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {opening} width="{layout.width}" height="{height}" '
            f'viewBox="0 0 {layout.width} {height}">',
            title,
            *draw_titles(titles, height),
            *draw_arcs(layout.above, layout.ends_above, layout.centres, layout.top, -1),
            *draw_arcs(layout.below, layout.ends_below, layout.centres, layout.top + LINE, 1),
            *draw_words(layout),
            "</svg>",
        ]
    )


def draw_titles(titles: tuple[str, str], height: int) -> Iterator[str]:
    for title, y in zip(titles, (14, height - 6), strict=True):
        if title:
            yield f'<text class="scheme" x="4" y="{y}">{escape(title)}</text>'


def draw_words(layout: Layout) -> Iterator[str]:
    for centre, (form, tag) in zip(layout.centres, layout.words, strict=True):
        yield (
            f'<text x="{centre:.1f}" y="{layout.top + 19}">{escape(form)}</text>'
            f'<text class="tag" x="{centre:.1f}" y="{layout.top + 35}">{escape(tag)}</text>'
        )


def _ends(arcs: Sequence[Arc], backwards: bool) -> list[Ends]:
    """Return the ends of arcs on one side of the words, so that arcs at a word do not cross: from the left
    first those to the left, the shortest outermost, then the root, then those to the right."""
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


def draw_arcs(
    arcs: Sequence[Arc], ends: Sequence[Ends], centres: Sequence[float], base: float, up: int
) -> list[str]:
    """Return the arcs on one side of the words as SVG, wrong ones below gold ones; `up` is -1 above the words
    and 1 below."""
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


def is_right_to_left(text: str) -> bool:
    """Return whether most letters belong to a script that is written from right to left."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")
