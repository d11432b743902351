"""Prepare docstrings for the site: Sphinx references become plain code.

Fields of dataclasses that are options (`learnability.support.options`) are shown with their defaults.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n\1(?!\s*$).+)*", re.MULTILINE)
"""A prompt with what follows it, up to the next empty line."""

_ROLE = re.compile(r":\w+:`~?(?P<name>[^`]+)`")


def plain(text: str) -> str:
    """Return ``:func:`~a.b.c` `` as ``c`` in code, and examples as blocks of code."""

    def short(role: re.Match[str]) -> str:
        name = role["name"]
        return f"`{name.rpartition('.')[2] if role[0].partition('`')[2].startswith('~') else name}`"

    return _EXAMPLE.sub(r"\1```pycon\n\g<0>\n\1```", _ROLE.sub(short, text))


class PlainReferences(griffe.Extension):
    """Rewrite every docstring that the collector finds."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = plain(obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Show the default of an attribute that is an option."""
        if str(attr.value).startswith(("option(", "same(")):
            kind = getattr(importlib.import_module(attr.module.path), attr.parent.name)
            attr.value = repr(kind.__dataclass_fields__[attr.name].default)
