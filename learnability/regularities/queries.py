"""Write queries for Grew-match that find the words of a context."""

from __future__ import annotations

import re
from collections.abc import Iterator

from learnability.annotation_diffs.grew import feature_clause, has_name, quote_parts, quote_value
from learnability.regularities.contexts import Context
from learnability.regularities.word_table import AFTER, BEFORE, ENDINGS, FEATURE, NO_HEAD, SHOWN_CHILDREN

_ARC = frozenset({"relation", "deprel", "subtype", "side", "head_upos"})
"""The columns that are about the arc to the head."""

_SAME = {"upos": "upos", "xpos": "xpos", "lemma": "lemma"}
"""The columns that Grew calls so, too."""


def query_of_context(context: Context) -> str:
    """Return a query for the words that have all these values.

    A form is sought in lower case and with a capital. Empty where Grew has no words for a column.

    Args:
        context: the values by columns.
    """
    words: list[str] = []
    arcs: list[str] = []
    without: list[str] = []
    for column, value in context:
        if column.startswith(FEATURE) and not has_name(column.removeprefix(FEATURE)):
            return ""
        if column in _SAME or column.startswith(FEATURE):
            words.append(feature_clause(_SAME.get(column, column.removeprefix(FEATURE)), value))
        elif column in ENDINGS:
            words.append(f'form=re".*{_escape(value)}"')
        elif column in ("form", "surface"):
            capital = value[:1].upper() + value[1:]
            words.append("form=" + "|".join(dict.fromkeys(map(quote_value, (value, capital)))))
        elif column == "children":
            for number, name in enumerate(SHOWN_CHILDREN):
                clause = f"W -[1={name}]-> C{number}"
                (arcs if name in value.split() else without).append(clause)
        elif column in _ARC:
            arcs += _arc_clauses(column, value)
        else:
            return ""
    heads = [] if not any("H" in clause for clause in arcs) else ["H -> W"]
    clauses = "; ".join([f"W [{', '.join(words)}]", *heads, *arcs])
    return " ".join([f"pattern {{ {clauses} }}", *(f"without {{ {clause} }}" for clause in without)])


def _arc_clauses(column: str, value: str) -> Iterator[str]:
    match column:
        case "relation":
            yield f"H -[{quote_parts(value)}]-> W"
        case "deprel":
            yield f"H -[{quote_parts(value)}]-> W"
        case "subtype":
            yield f"H -[2={quote_value(value)}]-> W" if value else "H -[!2]-> W"
        case "side" if value in (BEFORE, AFTER):
            yield "H << W" if value == BEFORE else "W << H"
        case "head_upos" if value != NO_HEAD:
            yield f"H [upos={quote_value(value)}]"
        case _:
            yield "H -[root]-> W"


def _escape(value: str) -> str:
    return re.sub(r'([.*+?\[\](){}|^$\\"])', r"\\\1", value)
