"""Write queries for Grew-match (https://match.grew.fr) that find the words of a group.

Such a query finds all words with the value of a group, so also those that have it in both versions.
"""

from __future__ import annotations

from learnability.annotation_diffs.changes import ANY_VALUE, CAPITALS, ORDER
from learnability.annotation_diffs.difference_kinds import DifferenceKind


def queries_for(kind: DifferenceKind) -> tuple[str, str]:
    """Return a query for the base and one for the alternative; both empty where Grew has no words for it."""
    first_tag, last_tag = kind.tags.split(" > ")[0], kind.tags.split(" > ")[-1]
    return _query(kind, kind.base, first_tag), _query(kind, kind.alternative, last_tag)


def query_for_words(
    *, tag: str, lemma: str, feature: str = "", value: str = "", deprel: str = "", side: str = ""
) -> str:
    """Return a query for the words with this tag and lemma; what is empty or ``_`` does not matter.

    Args:
        tag: the universal tag.
        lemma: the lemma.
        feature: the name of a feature that matters, too; empty for none.
        value: its value; empty for words without it.
        deprel: the relation, with its subtype if it has one.
        side: where the head is, `before` or `after` the word.
    """
    pairs = [(name, text) for name, text in (("upos", tag), ("lemma", lemma)) if text not in ("", "_")]
    pairs += [(feature, value)] if feature else []
    arc = f"; H -[{deprel}]-> W" if deprel else ""
    order = {"before": "; H << W", "after": "; W << H", "": ""}[side]
    return f"pattern {{ W [{', '.join(feature_clause(name, text) for name, text in pairs)}]{arc}{order} }}"


def _query(kind: DifferenceKind, value: str, tag: str) -> str:
    if kind.detail == ORDER:
        return ""
    match kind.column:
        case "FEATS":
            clause = f"upos={quote_value(tag)}, {feature_clause(kind.detail, value)}"
            return f"pattern {{ W [{clause}] }}"
        case "MISC":
            return f"pattern {{ W [{feature_clause(kind.detail, value and ANY_VALUE)}] }}"
        case "HEAD" | "DEPREL":
            return f"pattern {{ H -[{value}]-> W }}" if value else ""
        case "DEPS":
            parts = ", ".join(f"{number}={part}" for number, part in enumerate(value.split(":"), start=1))
            return f"pattern {{ H -[{parts}, enhanced=yes]-> W }}" if value else ""
        case "LEMMA" if ANY_VALUE in (kind.base, kind.alternative):
            return f"pattern {{ W [{feature_clause('lemma', value)}] }}"
    if kind.detail == CAPITALS:
        return ""
    return f"pattern {{ W [{feature_clause(kind.column.lower(), value)}] }}"


def feature_clause(name: str, value: str) -> str:
    """Return the part of a query that says that a word has this value of a feature or column.

    Args:
        name: of the feature.
        value: of the feature, :data:`ANY_VALUE`, or empty for words without it.
    """
    name = name.replace("[", "__").removesuffix("]")
    if not value:
        return f"!{name}"
    return name if value == ANY_VALUE else f"{name}={quote_value(value)}"


def quote_value(value: str) -> str:
    """Return a value as queries write it, in quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
