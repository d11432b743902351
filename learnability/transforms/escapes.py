"""Write values so that the signs between them can be in them: ``\\,``, ``\\|``, ``\\+`` and ``\\``."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\,|]|\+(?=[A-Za-z])")
"""The signs that mean something else; a ``+`` only before what may be a name."""

_ESCAPED = re.compile(r"\\([\\,|+])")


def escape_value(value: str) -> str:
    r"""Return a value with a backslash before each sign that would separate it.

    >>> print(escape_value("to|from, a"))
    to\|from\, a
    """
    return _SPECIAL.sub(r"\\\g<0>", value)


def unescape_value(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def split_escaped(text: str, separator: str, beginning: str = "") -> list[str]:
    r"""Return the parts of a text, still escaped; a separator after a backslash is a part of them.

    Every part but the first begins with the pattern `beginning`; elsewhere the separator is no end.

    >>> split_escaped("a|b", "|")
    ['a', 'b']
    >>> print(*split_escaped(r"a\|b", "|"))
    a\|b
    """
    plain = rf"[^\\{re.escape(separator)}]"
    first, *others = re.findall(rf"(?:^|{re.escape(separator)})((?:\\.|{plain}|\\$)*)", text, re.DOTALL)
    parts = [first]
    for part in others:
        if re.match(beginning, part):
            parts.append(part)
        else:
            parts[-1] += separator + part
    return parts
