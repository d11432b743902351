"""Draw configurations and derivations: stack, buffer, arcs and costs, as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Generic, TypeVar

from learnability.drawing.arcs import CAPTION, LINE, Arc, Layout, draw_arcs, draw_words, lay_out, text_width
from learnability.drawing.style import add_style, show_svg

ROOT_NAME = "ROOT"

ZERO, WRONG = "✓", "✗"
"""The marks of a transition of zero cost, and of an arc that is not in the gold tree."""

PADDING, BOX, COST_LINE = 12, 24, 17
"""The room beside words in their boxes, the height of these, and of a line of costs; pixels."""

PARTS = ("stack", "middle", "buffer")
"""The lists of a configuration from left to right; only Covington's system has a middle."""

C = TypeVar("C")


@dataclass(frozen=True, kw_only=True, repr=False)
class Derivation(Generic[C]):
    """Represent configurations and the transitions between them; it draws itself in terminals and notebooks.

    As a sequence it has pairs: a configuration, and the transition that is taken from it.

    Attributes:
        forms: the words.
        configurations: all configurations, also the last one.
        transitions: those that are taken, one less.
        arcs: the arcs of each configuration, as pairs of head and dependent.
        costs: the cost of each legal transition of each configuration; None where it is unknown.
        golds: the gold trees: the head of each word, 0 for the root. Other arcs are drawn as wrong.
        surviving: with several gold trees, the numbers (from 0) of those nearest to each configuration.
    """

    forms: tuple[str, ...]
    configurations: tuple[C, ...]
    transitions: tuple[Any, ...] = ()
    arcs: tuple[tuple[tuple[int, int], ...], ...]
    costs: tuple[Mapping[Any, float] | None, ...] = ()
    golds: tuple[Sequence[int], ...] = ()
    surviving: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.transitions)

    def __iter__(self) -> Iterator[tuple[C, Any]]:
        return iter(zip(self.configurations, self.transitions, strict=False))

    def __getitem__(self, step: int) -> tuple[C, Any]:
        return self.configurations[step], self.transitions[step]

    def __repr__(self) -> str:
        return f"<Derivation of {' '.join(self.forms)}: {' '.join(map(str, self.transitions)) or 'initial'}>"

    def __str__(self) -> str:
        """Return a table with a line for each configuration; zero costs have a mark, wrong arcs a cross."""
        from rich.cells import cell_len

        names, has_lists = (ROOT_NAME, *self.forms), all(map(_has_lists, self.configurations))
        middle = has_lists and any(getattr(c, "middle", ()) for c in self.configurations)
        shown = [part for part in PARTS if part != "middle" or middle] if has_lists else ["configuration"]
        header = ["", "transition", *shown, "new arc"]
        rows: list[list[str]] = []
        for i, c in enumerate(self.configurations):
            cells = [_list_words(getattr(c, part), names) for part in shown] if has_lists else [str(c)]
            before = self.arcs[i - 1] if i else ()
            new = (self._name_arc(arc, names) for arc in self.arcs[i] if arc not in before)
            rows.append([str(i), str(self.transitions[i - 1]) if i else "", *cells, ", ".join(new)])
        for heading, column in (
            ("cost of each transition", self._cost_texts),
            ("nearest gold", self._nearest),
        ):
            if any(column):
                header.append(heading)
                for row, cell in zip(rows, column, strict=True):
                    row.append(cell)
        widths = [max(map(cell_len, column)) for column in zip(header, *rows, strict=True)]
        lines = []
        for row in (header, *rows):
            # a Chinese character takes two columns, a combining one none
            filled = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join(filled).rstrip())
        return "\n".join(lines)

    def draw_svg(self) -> str:
        """Return the derivation as an SVG picture, a row for each configuration; write it to a file as it is.

        Words on the stack have a box, those in the buffer a dashed one.

        Raises:
            TypeError: a configuration has no `stack`, `buffer` and `heads`.
        """
        return add_style(self._draw())

    def _repr_html_(self) -> str | None:
        return show_svg(self._draw()) if all(map(_has_lists, self.configurations)) else None

    def _draw(self) -> str:
        if not all(map(_has_lists, self.configurations)):
            raise TypeError(
                "only configurations with a `stack` and a `buffer` can be drawn; print it instead"
            )
        pictures = [self._lay_out(i) for i in range(len(self.configurations))]
        steps = [f"{i} {t}" for i, t in enumerate(("", *self.transitions))] if self.transitions else [""]
        at_words = max(text_width(step, 14) for step in steps) + (8 if self.transitions else 0)
        at_costs = at_words + max(picture.width for picture, _ in pictures)
        beside = [self._lines_beside(i) for i in range(len(self.configurations))]
        width = (
            at_costs + max((text_width(line, 13) for lines in beside for line, _ in lines), default=-8) + 8
        )
        parts, y = [], 0.0
        for step, (picture, order), lines, c in zip(
            steps, pictures, beside, self.configurations, strict=True
        ):
            height = max(picture.top - CAPTION + 8 + LINE, COST_LINE * len(lines) + 14)
            base = y + height - LINE
            middle = base + 15
            parts.append(f'<text class="step" x="4" y="{middle + 4:.0f}">{escape(step)}</text>')
            place = f'x="{at_words:.0f}" y="{base - picture.top:.0f}" overflow="visible"'
            parts.append(f"<svg {place}>")
            parts += [
                *_draw_boxes(picture, order, c),
                *draw_arcs(picture.above, picture.ends_above, picture.centres, picture.top, -1),
            ]
            parts += [*draw_words(picture), "</svg>"]
            first = y + (height - COST_LINE * len(lines)) / 2 + 13
            for line, (text, look) in enumerate(lines):
                at = f'x="{at_costs:.0f}" y="{first + COST_LINE * line:.0f}"'
                parts.append(f'<text class="cost{look}" {at}>{escape(text)}</text>')
            y += height
            parts.append(f'<path class="rule" d="M0 {y:.0f}H{width:.0f}"/>')
        said = escape(f"A derivation of: {' '.join(self.forms)}", quote=True)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" aria-label="{said}" '
            f'width="{width:.0f}" height="{y:.0f}" viewBox="0 0 {width:.0f} {y:.0f}">{"".join(parts)}</svg>'
        )

    def _lay_out(self, i: int) -> tuple[Layout, list[int]]:
        """Return where words and arcs of a configuration are, and the order of the words; 0 is the root."""
        c = self.configurations[i]
        order = _order_words(c, len(self.forms), with_root=any(0 in (head, d) for head, d in self.arcs[i]))
        place = {word: at for at, word in enumerate(order, start=1)}
        arcs = [
            Arc(place[head], place[d], "", "same" if self._is_right((head, d)) else "wrong")
            for head, d in self.arcs[i]
        ]
        names = (ROOT_NAME, *self.forms)
        # all words get room for what may stand below them, so that they stay where they are
        layout = lay_out([(names[word], "front") for word in order], arcs, padding=PADDING)
        return replace(layout, words=[(names[word], _name_end(c, word)) for word in order]), order

    def _lines_beside(self, i: int) -> list[tuple[str, str]]:
        costs = (self.costs[i] if self.costs else None) or {}
        taken = self.transitions[i] if i < len(self.transitions) else None
        lines = []
        for t, cost in costs.items():
            text = f"{'→ ' if t == taken else ''}{t} {cost}{f' {ZERO}' if cost == 0 else ''}"
            lines.append((text, " zero" if cost == 0 else ""))
        if self.surviving:
            lines.append((f"nearest gold: {self._nearest[i]}", ""))
        return lines

    @property
    def _cost_texts(self) -> list[str]:
        texts = []
        for costs in self.costs:
            cells = (f"{t} {cost}{f' {ZERO}' if cost == 0 else ''}" for t, cost in (costs or {}).items())
            texts.append(", ".join(cells))
        return texts

    @property
    def _nearest(self) -> list[str]:
        """Return the numbers (from 1) of the gold trees that each configuration is nearest to."""
        return [" ".join(str(number + 1) for number in numbers) for numbers in self.surviving]

    def _name_arc(self, arc: tuple[int, int], names: Sequence[str]) -> str:
        return " -> ".join(names[word] for word in arc) + ("" if self._is_right(arc) else f" {WRONG}")

    def _is_right(self, arc: tuple[int, int]) -> bool:
        head, dependent = arc
        return not self.golds or any(gold[dependent - 1] == head for gold in self.golds)


def write_configuration(c: Any, arcs: Iterable[tuple[int, int]], forms: Sequence[str]) -> str:
    """Return a configuration in the notation of the papers, or as it prints itself if it has no stack."""
    if not _has_lists(c):
        return str(c)
    names = (ROOT_NAME, *forms)
    lists = [getattr(c, part, ()) for part in PARTS]
    shown = [
        _list_words(words, names)
        for part, words in zip(PARTS, lists, strict=True)
        if words or part != "middle"
    ]
    return f"({', '.join(shown)}, {{{', '.join(f'{names[h]} -> {names[d]}' for h, d in arcs)}}})"


def number_words(n: int) -> tuple[str, ...]:
    """Return what the words of a sentence are called that has none, ``w1``, ``w2`` ..."""
    return tuple(f"w{i}" for i in range(1, n + 1))


def _has_lists(c: Any) -> bool:
    return hasattr(c, "stack") and hasattr(c, "buffer")


def _list_words(words: Iterable[int], names: Sequence[str]) -> str:
    return f"[{' '.join(names[word] for word in words)}]"


def _order_words(c: Any, n: int, *, with_root: bool) -> list[int]:
    """Return the words as the lists of a configuration order them, others after the word before them."""
    order = [word for part in PARTS for word in getattr(c, part, ())]
    for word in range(0 if with_root else 1, n + 1):
        if word not in order:
            # the root may come before all words, or after them; at the bottom of a stack it comes before
            follows = word > 1 or 0 in c.stack
            order.insert(order.index(word - 1) + 1 if follows and word - 1 in order else 0, word)
    return order


def _name_end(c: Any, word: int) -> str:
    if c.stack and word == c.stack[-1]:
        return "top"
    return "front" if c.buffer and word == c.buffer[0] else ""


def _draw_boxes(picture: Layout, order: Sequence[int], c: Any) -> Iterator[str]:
    for part in PARTS:
        for word in getattr(c, part, ()):
            at = order.index(word)
            width = text_width(picture.words[at][0], 15) + PADDING
            yield (
                f'<rect class="{part}" x="{picture.centres[at] - width / 2:.1f}" y="{picture.top + 1}" '
                f'width="{width:.1f}" height="{BOX}" rx="4"/>'
            )
