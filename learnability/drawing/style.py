"""The colours of drawings, light and dark, and what makes of a drawing a picture that stands alone."""

from __future__ import annotations

from functools import cache
from importlib import resources

THEME = (
    "svg{color-scheme:light dark;color:#1b1f24;background:#fff;--paper:#fff;--base:#1f5fa8;"
    "--alternative:#b45309;--muted:#5b6470;--wrong:#a3123f}"
    "@media(prefers-color-scheme:dark){svg{color:#e8eaed;background:#15181c;--paper:#15181c;--base:#7db3f2;"
    "--alternative:#f0a45a;--muted:#a3abb5;--wrong:#ff8fab}}"
)
"""The style sheet of a figure that stands alone; the same colours as page.css."""


@cache
def tree_rules() -> str:
    return (resources.files("learnability.drawing") / "tree.css").read_text(encoding="utf-8")


def add_style(svg: str) -> str:
    """Return a drawn tree as a picture that stands alone; beside others it changes none of them."""
    opening, rest = svg.split(">", 1)
    return f"{opening}><style>{THEME.replace('svg{', 'svg.tree{')}{tree_rules()}</style>{rest}"


def show_svg(svg: str) -> str:
    return f'<div style="overflow-x: auto">{add_style(svg)}</div>'
