"""Choose which columns are searched for conventions, in which words and contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from learnability.extending import Context, WordTable
from learnability.extensions.harmonise.conventions import ABSENT, THERE
from learnability.extensions.harmonise.kept_contexts import Codes, Flags, Words

MOSTLY = 0.5
"""The share of words above which a side mostly has a value."""

FREQUENT_FEATURE = 0.005
"""The share of words that have a feature which is part of contexts."""

STAGES = (
    ("split", "parts"),
    ("upos",),
    ("xpos", "feats", "lemma", "relation"),
    ("subtype", "side", "head_upos"),
)
"""The columns in the order in which they are searched.

Words in which the last column of a stage differs are left out of those after it, whose contexts name it.
"""

Templates = tuple[tuple[str, ...], ...]
"""The columns of contexts, from general to special."""


@dataclass(frozen=True)
class SearchedColumn:
    """Hold a column whose values are compared.

    Attributes:
        compared: bool[words], which are compared: none whose tag or relation another line is about.
        counted: bool[words], which have a value, and are counted for a line.
        templates: the columns of contexts, from general to special.
        having: int64, the words that have a feature, of a column that says whether they do.
    """

    name: str
    codes: Codes
    names: tuple[str, ...]
    compared: Flags
    counted: Flags
    templates: Templates
    having: Words | None = None

    @cached_property
    def words(self) -> Words:
        return np.flatnonzero(self.compared)


@dataclass
class ColumnChoice:
    """Choose the columns that are searched in a table; what is found out about the table is kept."""

    table: WordTable
    _has: dict[str, Flags] = field(default_factory=dict)

    @cached_property
    def with_xpos(self) -> bool:
        """Return whether most words of each treebank have an XPOS that each other treebank has, too."""
        table, has = self.table, self.has_value("xpos")
        codes = table.column("xpos").codes
        sets = [codes[has & (table.treebank == number)] for number in range(int(table.treebank.max()) + 1)]
        return all(
            len(each) > 0 and bool(np.isin(each, np.unique(other)).mean() > MOSTLY)
            for each in sets
            for other in sets
        )

    @cached_property
    def _frequent(self) -> list[str]:
        shares = {name: np.mean(self.has_value(f"feats:{name}")) for name in self.table.features}
        return [name for name, share in shares.items() if share >= FREQUENT_FEATURE]

    def has_value(self, name: str) -> Flags:
        """Return bool[words], which have a value in a column."""
        if name not in self._has:
            column = self.table.column(name)
            has = np.array([value not in ("", "_") for value in column.names], np.bool_)
            self._has[name] = has[column.codes]
        return self._has[name]

    def _templates(self, column: str) -> Templates:
        return Context.columns_for(column, self._frequent, with_xpos=self.with_xpos)

    def list_columns(
        self, stage: Sequence[str], usable: Flags, lacking: Iterable[str]
    ) -> Iterator[SearchedColumn]:
        """Yield the columns of a stage with the words that can be compared.

        `lacking`: the features that one side lacks as a whole, which are not searched.
        """
        everything = np.ones(len(self.table), np.bool_)
        for name in stage:
            if name == "feats":
                for feature in self.table.features:
                    if feature not in lacking:
                        yield from self._feature(f"feats:{feature}", usable, everything)
                continue
            if name == "xpos" and not self.with_xpos:
                continue
            source = "lemma_edit" if name == "lemma" else name
            column = self.table.column(source)
            known = self.has_value(source) if name != "subtype" else everything
            if name == "split":  # whether a token is split is `parts`
                known = known & (
                    self.table.column("parts").codes != self.table.column("parts").number_of("1")
                )
            templates = self._templates(source)
            yield SearchedColumn(name, column.codes, column.names, known & usable, known, templates)

    def _feature(self, name: str, usable: Flags, everything: Flags) -> Iterator[SearchedColumn]:
        """Yield a feature as one that is there or not, then its values."""
        column, has = self.table.column(name), self.has_value(name)
        templates = self._templates(name)
        having = usable & has
        codes = has.astype(np.int32)
        yield SearchedColumn(
            name, codes, (ABSENT, THERE), usable, everything, templates, np.flatnonzero(having)
        )
        if len(column.names) > 2:
            yield SearchedColumn(name, column.codes, column.names, having, has, templates)


def is_chosen(name: str, columns: Sequence[str]) -> bool:
    """Return whether a user chose a column, by its name or that of its family."""
    family = {"deprel": "subtype", "side": "head", "head_upos": "head", "parts": "split"}.get(name, name)
    return name in columns or family in columns or name.partition(":")[0] in columns
