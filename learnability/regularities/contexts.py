"""Name the contexts of a value, say them in words, find their words with Grew, and count values in each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.annotation_diffs.grew import feature_clause, has_name, quote_parts, quote_value
from learnability.regularities.word_table import (
    AFTER,
    BEFORE,
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
    SHOWN_CHILDREN,
    SIDE,
    SUBTYPE,
    SURFACE,
    TOKEN_ENDINGS,
    UPOS,
    XPOS,
    Codes,
    WordTable,
)

DENSE = 8
"""Combinations that are marked in an array, for each word; more are sorted."""


class ColumnValue(NamedTuple):
    """Say that words have a value in a column."""

    column: str
    value: str


class Context(tuple[ColumnValue, ...]):
    """Hold what words have in common: a value in each of some columns."""

    __slots__ = ()

    @classmethod
    def of(cls, table: WordTable, columns: Sequence[str], word: int) -> Context:
        """Return the context of a word: its values in these columns.

        Args:
            table: the words.
            columns: by their names.
            word: the number of the word in the table.
        """
        return cls(ColumnValue(name, table.value(name, word)) for name in columns)

    @staticmethod
    def columns_for(
        column: str, features: Sequence[str], *, with_xpos: bool = True
    ) -> tuple[tuple[str, ...], ...]:
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
                return (*((name,) for name in (*xpos, *reversed(ENDINGS))), (LEMMA,), (FORM,))
            case "lemma" | "lemma_edit":
                return ((UPOS,), *((UPOS, name) for name in inner), (UPOS, FORM))
            case "relation" | "deprel":
                inner = [HEAD_UPOS, CHILDREN, SIDE, *xpos, *(FEATURE + name for name in features)]
            case "subtype":
                tag = [RELATION]
                inner = [UPOS, HEAD_UPOS, CHILDREN, *xpos]
            case "side" | "head_upos":
                tag = [RELATION]
                inner = [UPOS, CHILDREN, *([HEAD_UPOS] if column == SIDE else [SIDE])]
            case "parts":
                return (*((name,) for name in reversed(TOKEN_ENDINGS)), (SURFACE,))
            case "split":
                return ((SURFACE,),)
        further = (*(name for name in inner if name != column), LEMMA, FORM)
        return ((*tag,), *((*tag, name) for name in further))

    def with_value(self, column: str, value: str) -> Context:
        return Context((*self, ColumnValue(column, value)))

    @staticmethod
    def find_words(table: WordTable, contexts: Iterable[Context]) -> NDArray[np.bool_]:
        """Return bool[words]: which words of a table are in any of some contexts."""
        inside = np.zeros(len(table), np.bool_)
        for context in contexts:
            fits = np.ones(len(table), np.bool_)
            for name, value in context:
                fits &= table.column(name).codes == table.column(name).number_of(value)
            inside |= fits
        return inside

    def describe(self) -> str:
        """Return it in words: ``AUX with XPOS VBP``, ``obl whose head is a VERB``; empty for all."""
        if not self:
            return "all words"
        first, *others = self
        noun = "tokens" if first.column in (SURFACE, *TOKEN_ENDINGS) else "words"
        base = first.value if first.column in (UPOS, RELATION, DEPREL) else f"{noun} {_describe(first)}"
        return " and ".join(
            [" ".join([base, *(_describe(each) for each in others[:1])]), *map(_describe, others[1:])]
        )

    def query(self) -> str:
        """Return a query of Grew for its words; empty where Grew has no words for a column.

        A form is sought in lower case and with a capital.
        """
        words: list[str] = []
        arcs: list[str] = []
        without: list[str] = []
        for column, value in self:
            if column.startswith(FEATURE) and not has_name(column.removeprefix(FEATURE)):
                return ""
            if column in (UPOS, XPOS, LEMMA) or column.startswith(FEATURE):
                words.append(feature_clause(column.removeprefix(FEATURE), value))
            elif column in ENDINGS:
                words.append(f'form=re".*{_escape(value)}"')
            elif column == "form":
                capital = value[:1].upper() + value[1:]
                words.append("form=" + "|".join(dict.fromkeys(map(quote_value, (value, capital)))))
            elif column == "children":
                for number, name in enumerate(SHOWN_CHILDREN):
                    clause = f"W -[1={name}]-> C{number}"
                    (arcs if name in value.split() else without).append(clause)
            elif column in (RELATION, DEPREL, SUBTYPE, SIDE, HEAD_UPOS):
                arcs += _arc_clauses(column, value)
            else:
                return ""
        heads = [] if not any("H" in clause for clause in arcs) else ["H -> W"]
        clauses = "; ".join([f"W [{', '.join(words)}]", *heads, *arcs])
        return " ".join([f"pattern {{ {clauses} }}", *(f"without {{ {clause} }}" for clause in without)])


_IN_WORDS = {
    UPOS: "tagged",
    XPOS: "with XPOS",
    LEMMA: "with the lemma",
    **dict.fromkeys((FORM, SURFACE), "with the form"),
    **dict.fromkeys((RELATION, DEPREL), "with the relation"),
}
"""What is said before the value of a column."""


def _describe(pair: ColumnValue) -> str:
    column, value = pair
    if column.startswith(FEATURE):
        name = column.removeprefix(FEATURE)
        return f"with {name}={value}" if value else f"without {name}"
    if column in (*ENDINGS, *TOKEN_ENDINGS):
        return f"ending in -{value}"
    if column in _IN_WORDS:
        return f"{_IN_WORDS[column]} {value}"
    match column:
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


def _arc_clauses(column: str, value: str) -> Iterator[str]:
    match column:
        case "relation" | "deprel":
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


@dataclass(frozen=True)
class Contexts:
    """Hold the context of each word: its values in some columns.

    Attributes:
        columns: whose values are a context; none for one context of all words.
        number: int32[words], the number of the context of each word.
        first_word: int64[contexts], the first word in each.
    """

    columns: tuple[str, ...]
    number: Codes
    first_word: NDArray[np.int64]

    @classmethod
    def of(cls, table: WordTable, columns: tuple[str, ...]) -> Contexts:
        """Return the contexts of words by these columns.

        Args:
            table: the words.
            columns: by their names.
        """
        number = cls.number_together(*(table.column(name).codes for name in columns), words=len(table))
        first_word = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
        first_word[number[::-1]] = np.arange(len(number))[::-1]
        return cls(columns, number, first_word)

    def __len__(self) -> int:
        return len(self.first_word)

    @staticmethod
    def number_together(*columns: Codes, words: int) -> Codes:
        """Return numbers from 0 that are equal where all columns are; without columns all are 0."""
        together: Codes = np.zeros(words, np.int32)
        size = min(1, words)
        for codes in columns:
            more = int(codes.max(initial=0)) + 1
            joint = together * np.int64(more) + codes
            if size * more <= DENSE * words:
                occurs = np.zeros(size * more, np.bool_)
                occurs[joint] = True
                numbers = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
                together = numbers[joint]
            else:
                together = np.unique(joint, return_inverse=True)[1].ravel().astype(np.int32)
            size = int(together.max(initial=-1)) + 1
        return together


@dataclass(frozen=True)
class ContextCounts:
    """Hold how many words of each context have each value, in each group of words.

    A pair is a context with one of the values that words have in it.

    Attributes:
        contexts, values: int32[pairs], the numbers of the context and of the value.
        words: int64[pairs, groups], how many words have the value in the context.
        totals: int64[contexts, groups], how many words are in the context.
        pair: int32[words], the pair of each word.
    """

    contexts: Codes
    values: Codes
    words: NDArray[np.int64]
    totals: NDArray[np.int64]
    pair: Codes


def count_values(contexts: Contexts, values: Codes, groups: Codes) -> ContextCounts:
    """Return how often each value occurs in each context.

    Args:
        contexts: of all words.
        values: int32[words], a column.
        groups: int32[words], which are counted apart, for example treebanks.
    """
    pair = Contexts.number_together(contexts.number, values, words=len(values))
    first = np.full(int(pair.max(initial=-1)) + 1, -1, np.int64)
    first[pair[::-1]] = np.arange(len(pair))[::-1]
    size = int(groups.max(initial=0)) + 1
    words = np.bincount(pair * np.int64(size) + groups, minlength=len(first) * size).reshape(-1, size)
    totals = np.bincount(contexts.number * np.int64(size) + groups, minlength=len(contexts) * size).reshape(
        -1, size
    )
    return ContextCounts(contexts.number[first], values[first], words, totals, pair)
