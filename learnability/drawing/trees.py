"""Draw a tree as arcs over its words."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from learnability.drawing.arcs import Arc, draw_diagram, lay_out


def draw_tree(forms: Sequence[str], upos: Sequence[str], heads: Sequence[int], deprels: Sequence[str]) -> str:
    """Return a tree as SVG that needs the style of a page; tags, heads and relations may be empty."""
    arcs = [Arc(head, d, deprels[d - 1] if deprels else "", "same") for d, head in enumerate(heads, start=1)]
    layout = lay_out(list(zip(forms, upos or ("",) * len(forms), strict=True)), arcs)
    said = escape(" ".join(forms), quote=True)
    return draw_diagram(layout, ("", ""), f'class="tree" role="img" aria-label="{said}"')
