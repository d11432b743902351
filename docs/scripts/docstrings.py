"""Docstrings as the site shows them: references to code in the style of Sphinx become plain code.

Fields of dataclasses that are options (`learnability.support.options`) are shown with their defaults.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import griffe

_ROLE = re.compile(r":\w+:`~?(?P<name>[^`]+)`")


def plain(text: str) -> str:
    """``:func:`~a.b.c` `` as ``c`` in code."""

    def short(role: re.Match[str]) -> str:
        name = role["name"]
        return f"`{name.rpartition('.')[2] if role[0].partition('`')[2].startswith('~') else name}`"

    return _ROLE.sub(short, text)


class PlainReferences(griffe.Extension):
    """Rewrites every docstring that is collected."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by the collector for each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = plain(obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Called by the collector for each attribute."""
        if str(attr.value).startswith(("option(", "same(")):
            kind = getattr(importlib.import_module(attr.module.path), attr.parent.name)
            attr.value = repr(kind.__dataclass_fields__[attr.name].default)
