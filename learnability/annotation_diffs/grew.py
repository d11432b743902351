"""Write queries for Grew-match (https://match.grew.fr) that find the words of a group.

Such a query finds all words with the value of a group, so also those that have it in both versions.
"""

from __future__ import annotations

import re

from learnability.annotation_diffs.changes import EMPTY_VALUE, NO_VALUE
from learnability.annotation_diffs.difference_kinds import ANY_VALUE, CAPITALS, ORDER, DifferenceKind
from learnability.treebanks.sentence import is_specified

_NAME = re.compile(r"[A-Za-z_]([A-Za-z0-9_.'-]*[A-Za-z0-9_.'])?")
"""What Grew reads as the name of a feature; no other name can be written in a query."""

_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_'.:-]*")
"""The relations that need no quotes."""

_COLUMNS = frozenset({"form", "lemma", "upos", "xpos", "textform", "wordform"})
"""The names of features by which Grew finds other columns."""


def queries_for(kind: DifferenceKind) -> tuple[str, str]:
    """Return a query for the base and one for the alternative; both empty where Grew has no words for it."""
    first_tag, last_tag = kind.tags.split(" > ")[0], kind.tags.split(" > ")[-1]
    return _query(kind, kind.base, first_tag), _query(kind, kind.alternative, last_tag)


def _query(kind: DifferenceKind, value: str, tag: str) -> str:
    if kind.detail == ORDER or (kind.column in ("FEATS", "MISC") and not has_name(kind.detail)):
        return ""
    match kind.column:
        case "FEATS":
            tagged = feature_clause("upos", tag if is_specified(tag) else "")
            return f"pattern {{ W [{tagged}, {feature_clause(kind.detail, value)}] }}"
        case "MISC":
            return f"pattern {{ W [{feature_clause(kind.detail, value and ANY_VALUE)}] }}"
        case "HEAD" | "DEPREL":
            label = value if _LABEL.fullmatch(value) else quote_parts(value)
            return f"pattern {{ H -[{label}]-> W }}" if value else ""
        case "DEPS":
            return f"pattern {{ H -[{quote_parts(value)}, enhanced=yes]-> W }}" if value else ""
        case "LEMMA" if ANY_VALUE in (kind.base, kind.alternative):
            return f"pattern {{ W [{feature_clause('lemma', value)}] }}"
    if kind.detail == CAPITALS:
        return ""
    return f"pattern {{ W [{feature_clause(kind.column.lower(), value)}] }}"


def quote_parts(deprel: str) -> str:
    """Return the parts of a relation, ``1=nmod, 2=of``, with quotes where Grew needs them."""
    parts = enumerate(deprel.split(":"), start=1)
    return ", ".join(
        f"{number}={part if _NAME.fullmatch(part) else quote_value(part)}" for number, part in parts
    )


def grew_name(name: str) -> str:
    """Return the name of a feature as Grew has it, ``Number__psor``."""
    return name.replace("[", "__").removesuffix("]")


def has_name(feature: str) -> bool:
    """Return whether a query can name a feature, so that it finds this one."""
    return _NAME.fullmatch(grew_name(feature)) is not None and feature not in _COLUMNS


def feature_clause(name: str, value: str) -> str:
    """Return that a word has this value of a feature; any value, or none if it is empty."""
    name = grew_name(name)
    if not value:
        return f"!{name}"
    return name if value in (ANY_VALUE, EMPTY_VALUE, NO_VALUE) else f"{name}={quote_value(value)}"


def quote_value(value: str) -> str:
    """Return a value between quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
