"""Name the contexts of a value from general to special, and say them in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from learnability.regularities.word_table import (
    CHILDREN,
    DEPREL,
    ENDINGS,
    FEATURE,
    FORM,
    HEAD_UPOS,
    LEMMA,
    NO_HEAD,
    NONE,
    RELATION,
    SIDE,
    SURFACE,
    UPOS,
    XPOS,
    WordTable,
)


class ColumnValue(NamedTuple):
    """Say that words have a value in a column."""

    column: str
    value: str


Context = tuple[ColumnValue, ...]
"""What words have in common."""


def context_of(table: WordTable, columns: Sequence[str], word: int) -> Context:
    """Return the context of a word: its values in these columns.

    Args:
        table: the words.
        columns: by their names.
        word: the number of the word in the table.
    """
    return tuple(ColumnValue(name, table.value(name, word)) for name in columns)


def contexts_for(column: str, features: Sequence[str], *, with_xpos: bool = True) -> list[tuple[str, ...]]:
    """Return the columns of the contexts in which a column is counted, from general to special.

    Args:
        column: whose values are counted (a column of :class:`WordTable`).
        features: the names of the features that are contexts of others.
        with_xpos: whether XPOS is a context.
    """
    xpos = [XPOS] if with_xpos else []
    tag = [UPOS]
    inner = [*xpos, RELATION, *(FEATURE + name for name in features), *reversed(ENDINGS)]
    match column:
        case "upos":
            return [*((name,) for name in (*xpos, *reversed(ENDINGS))), (LEMMA,), (FORM,)]
        case "lemma" | "lemma_edit":
            return [(UPOS,), *((UPOS, name) for name in inner), (UPOS, FORM)]
        case "relation" | "deprel":
            inner = [HEAD_UPOS, CHILDREN, SIDE, *xpos, *(FEATURE + name for name in features)]
        case "subtype":
            tag = [RELATION]
            inner = [UPOS, HEAD_UPOS, CHILDREN, *xpos]
        case "side" | "head_upos":
            tag = [RELATION]
            inner = [UPOS, CHILDREN, *([HEAD_UPOS] if column == SIDE else [SIDE])]
        case "split":
            return [(SURFACE,)]
    further = (*(name for name in inner if name != column), LEMMA, FORM)
    return [(*tag,), *((*tag, name) for name in further)]


def describe_context(context: Context) -> str:
    """Return a context in words: ``AUX with XPOS VBP``, ``obl whose head is a VERB``; empty for all words."""
    if not context:
        return "all words"
    first, *others = context
    base = first.value if first.column in (UPOS, RELATION, DEPREL) else f"words {_describe(first)}"
    return " and ".join(
        [" ".join([base, *(_describe(each) for each in others[:1])]), *map(_describe, others[1:])]
    )


def _describe(pair: ColumnValue) -> str:
    column, value = pair
    if column.startswith(FEATURE):
        name = column.removeprefix(FEATURE)
        return f"with {name}={value}" if value else f"without {name}"
    if column in ENDINGS:
        return f"ending in -{value}"
    match column:
        case "xpos":
            return f"with XPOS {value}"
        case "upos":
            return f"tagged {value}"
        case "lemma":
            return f"with the lemma {value}"
        case "form" | "surface":
            return f"with the form {value}"
        case "relation" | "deprel":
            return f"with the relation {value}"
        case "subtype":
            return f"with the subtype {value}" if value else "without a subtype"
        case "side":
            return "without a head" if value == NO_HEAD else f"with the head {value} them"
        case "head_upos":
            return "without a head" if value == NO_HEAD else f"whose head is {value}"
        case "children":
            return (
                f"with {value.replace(' ', ' and ')} below"
                if value != NONE
                else "without case, mark or cop below"
            )
    raise KeyError(column)
