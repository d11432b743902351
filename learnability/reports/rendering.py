"""Fill the templates of pages and texts."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from learnability.drawing.style import tree_rules

if TYPE_CHECKING:
    import jinja2


def render(template: str, *, style: str = "", script: str = "page.js", **values: Any) -> bytes:
    """Return a page from the template, with style sheet and script in it, as UTF-8 bytes."""
    css = template_text("page.css") + tree_rules() + (template_text(style) if style else "")
    own = {"css": css, "js": template_text(script), "version": version("learnability")}
    return fill_template(template, **own | values)


def fill_template(template: str, *, escaped: bool = True, **values: Any) -> bytes:
    """Return a page or a text from the template as UTF-8 bytes; `escaped`: for HTML."""
    return _environment(escaped).get_template(template).render(**values).encode()


@cache
def _environment(escaped: bool) -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(template_text),
        autoescape=escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not escaped,
        undefined=jinja2.StrictUndefined,
    )


def template_text(name: str) -> str:
    """Return the text of a file among the templates; ``PACKAGE:NAME`` is one of another package."""
    package, _, file = name.rpartition(":")
    return (files(package or "learnability.reports") / "templates" / file).read_text(encoding="utf-8")
