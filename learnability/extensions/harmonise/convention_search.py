"""Find by counting in which conventions a treebank differs from the others of its language.

A convention differs in a context where the treebank mostly has a value that the others hardly ever have
there, or where the others nearly always have a value that the treebank hardly ever has. This must hold for
the same forms on both sides, and be surer than chance allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Context, Contexts, WordTable
from learnability.extensions.harmonise.agreeing_forms import CONSISTENT, FormsInContexts, SidesOfForms
from learnability.extensions.harmonise.conventions import (
    Convention,
    InventoryDifference,
    Kind,
    TreebankConventions,
)
from learnability.extensions.harmonise.inventories import compare_inventories
from learnability.extensions.harmonise.kept_contexts import (
    Codes,
    Flags,
    KeptContexts,
    PairCounts,
    Words,
)
from learnability.extensions.harmonise.searched_columns import (
    MOSTLY,
    STAGES,
    ColumnChoice,
    SearchedColumn,
    is_chosen,
)

FOREIGN = 0.05
"""The largest share of words with a value that one side hardly ever has."""

FEWEST_WORDS, FEWEST_OTHERS = 3, 10
"""The words that a context needs in the treebank and in the others."""

FEWEST_FORMS, FEWEST_FORMS_OF_ENDING = 2, 5
"""The forms that have to agree with a general context; one that is an ending needs more."""

MARGIN = 1.0
"""How much surer than all tests of a column demand a convention has to be, as a decimal logarithm."""

NEARLY_ALWAYS = 0.8
"""The share of words from which the others have a value nearly always that the treebank lacks."""

SIZE_OF_TREEBANK = 10.0
"""The words in a context with which a treebank counts half as much as the largest."""

NEW = 0.5
"""The share of the words of a line that no line before it has."""

DECISIVE = frozenset(stage[-1] for stage in STAGES[:-1])
"""The columns that are searched in any case, because others are compared where these are alike."""


class Candidate(NamedTuple):
    """Represent a context in which a convention may differ."""

    kind: Kind
    template: tuple[str, ...]
    context: int
    value: int
    words: int
    sureness: float


@dataclass
class TableContexts:
    """Hold the contexts of words of a table, which do not depend on the treebank that is compared."""

    table: WordTable
    _comparable: dict[tuple[str, ...], KeptContexts] = field(default_factory=dict)
    _forms: dict[tuple[str, ...], FormsInContexts] = field(default_factory=dict)

    @cached_property
    def choice(self) -> ColumnChoice:
        return ColumnChoice(self.table)

    @cached_property
    def _form_in_document(self) -> Codes:
        return Contexts.number_together(
            self.table.column("form").codes, self.table.document, words=len(self.table)
        )

    def comparable(self, columns: tuple[str, ...]) -> KeptContexts:
        """Return the contexts by these columns that have enough words."""
        if columns not in self._comparable:
            self._comparable[columns] = KeptContexts.comparable(
                self.table, columns, FEWEST_WORDS, FEWEST_OTHERS
            )
        return self._comparable[columns]

    def forms(self, columns: tuple[str, ...]) -> FormsInContexts:
        """Return the forms in the comparable contexts by these columns."""
        if columns not in self._forms:
            contexts = self.comparable(columns)
            self._forms[columns] = FormsInContexts.of(self.table, contexts, self._form_in_document)
        return self._forms[columns]


class ConventionSearch:
    """Search the conventions in which a treebank differs from the others in a table of words."""

    def __init__(self, table: WordTable, treebank: int, like: ConventionSearch | None = None) -> None:
        self.table = table
        self.treebank = treebank
        self.size = int(table.treebank.max()) + 1
        self.is_first: Flags = table.treebank == treebank
        self.contexts: TableContexts = like.contexts if like else TableContexts(table)
        self._totals: dict[tuple[int, int], tuple[Words, Flags]] = {}

    def find(self, columns: Sequence[str] = ()) -> TreebankConventions:
        """Return what differs.

        Args:
            columns: only these, by the names that conventions have, or `feats` for all features.
        """
        inventories = compare_inventories(self.table, self.treebank)
        lacking = {each.value for each in inventories if each.column == "feats"}
        found: list[Convention] = []
        usable = np.ones(len(self.table), np.bool_)
        for stage in STAGES:
            for column in self.contexts.choice.list_columns(stage, usable, lacking):
                if not columns or is_chosen(column.name, columns) or column.name in DECISIVE:
                    found += self._lines_of(column)
            usable &= ~self._taken(stage[-1], found, inventories)
        chosen = [line for line in _join_columns(found) if not columns or is_chosen(line.columns[0], columns)]
        chosen.sort(key=lambda line: (-line.weight, line.columns, line.contexts))
        first = {line.group: place for place, line in reversed(list(enumerate(chosen)))}
        chosen.sort(key=lambda line: first[line.group])  # a value of many contexts is one group
        kept = [
            each
            for each in inventories
            if (not columns or is_chosen(each.column, columns)) and not self._is_nested(each, chosen)
        ]
        detailed = tuple(
            replace(each, details=tuple(line for line in chosen if _belongs(line, each))) for each in kept
        )
        rest = tuple(line for line in chosen if not any(_belongs(line, each) for each in kept))
        return TreebankConventions(self.treebank, detailed, rest)

    def _is_nested(self, difference: InventoryDifference, lines: Iterable[Convention]) -> bool:
        """Return whether a value is lacking because its feature is, in the contexts of some lines."""
        name = difference.column
        presence = [line for line in lines if line.is_presence and name in line.columns]
        if not presence:
            return False
        column = self.table.column(name)
        places = column.codes == column.names.index(difference.value)
        inside = Context.find_words(self.table, (context for line in presence for context in line.contexts))
        return bool(inside[places].mean() >= CONSISTENT)

    def _taken(
        self, name: str, found: Iterable[Convention], differing: Iterable[InventoryDifference]
    ) -> Flags:
        """Return the words whose tag, relation or token differs, so that contexts with it are not alike."""
        taken = np.zeros(len(self.table), np.bool_)
        for line in found:
            if line.columns[0] == name:
                taken[line.places] = True
        if name == "parts":  # of a token, all words
            parts = self.table.column(name)
            token = np.cumsum(parts.codes != parts.number_of(""))
            taken = np.isin(token, token[taken])
        for each in differing:
            if each.column == name and (each.is_own or name == "upos"):
                taken[each.places] = True
            elif each.column == name:
                taken |= self._stands_in(name)
        return taken

    def _stands_in(self, name: str) -> Flags:
        """Return the words of the treebank with the value that is more frequent because it lacks another."""
        column = self.table.column(name)
        rates = [
            np.bincount(column.codes[chosen], minlength=len(column.names)) / max(1, chosen.sum())
            for chosen in (self.is_first, ~self.is_first)
        ]
        more = int((rates[0] - rates[1]).argmax())
        chosen: Flags = self.is_first & (column.codes == more)
        return chosen

    def _lines_of(self, column: SearchedColumn) -> list[Convention]:
        candidates: list[Candidate] = []
        tests = 0
        for template in column.templates if len(column.words) else ():
            found, tested = self._candidates(column, template)
            candidates += found
            tests += tested
        needed = np.log10(max(tests, 1)) + MARGIN
        sure = [each for each in candidates if each.sureness >= needed]
        lines = self._select(column, sure)
        return [replace(line, sureness=line.sureness - needed + MARGIN) for line in lines]

    def _count(self, column: SearchedColumn, contexts: KeptContexts) -> PairCounts:
        if column.having is None:
            return contexts.count_values(column.words, column.codes[column.words])
        key = id(contexts), id(column.compared)
        if key not in self._totals:
            self._totals[key] = contexts.count(column.words), column.compared
        return PairCounts.of_two(contexts.count(column.having), self._totals[key][0])

    def _candidates(self, column: SearchedColumn, template: tuple[str, ...]) -> tuple[list[Candidate], int]:
        """Return the contexts of a template in which the convention may differ, and how many were tested."""
        contexts = self.contexts.comparable(template)
        if not contexts.size:
            return [], 0
        counts = self._count(column, contexts)
        of_context = counts.totals[:, self.treebank]
        is_tested = of_context >= FEWEST_WORDS
        is_tested &= counts.totals.sum(axis=1) - of_context >= FEWEST_OTHERS
        if column.name == "parts":  # most tokens are split on neither side, and cannot differ
            is_tested &= np.bincount(counts.contexts, minlength=contexts.size) > 1
        tested = is_tested[counts.contexts]
        first, mine = of_context[counts.contexts], counts.words[:, self.treebank]
        own = tested & (mine > MOSTLY * first)
        own[own] = self._share_of_others(counts.words[own], counts.totals[counts.contexts[own]]) <= FOREIGN
        missing = tested & (mine <= FOREIGN * first) & (first >= FEWEST_OTHERS)
        missing[missing] = self._others_agree(counts.words[missing], counts.totals[counts.contexts[missing]])
        found = self._assess(column, contexts, counts, own, missing)
        return found, int(tested.sum())

    def _share_of_others(self, words: Words, totals: Words) -> NDArray[np.float64]:
        """Return the mean share of a value in the other treebanks; one with few words counts less."""
        others = [number for number in range(self.size) if number != self.treebank]
        sizes = totals[:, others]
        weights = sizes / (sizes + SIZE_OF_TREEBANK)
        shares = words[:, others] / np.maximum(sizes, 1)
        mean: NDArray[np.float64] = (weights * shares).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        return mean

    def _others_agree(self, words: Words, totals: Words) -> Flags:
        """Return whether each of the other treebanks nearly always has a value, if it has the context."""
        others = [number for number in range(self.size) if number != self.treebank]
        has_context = totals[:, others] >= FEWEST_WORDS
        mostly = words[:, others] >= NEARLY_ALWAYS * totals[:, others]
        agree: Flags = np.logical_and(has_context.any(axis=1), (mostly | ~has_context).all(axis=1))
        return agree

    def _assess(
        self, column: SearchedColumn, contexts: KeptContexts, counts: PairCounts, own: Flags, missing: Flags
    ) -> list[Candidate]:
        """Return those of the candidates whose forms agree, with how sure they are."""
        if column.name == "relation" and "root" in column.names:
            # whether a word heads its sentence is no matter of relations
            is_relation = counts.values != column.names.index("root")
            own, missing = own & is_relation, missing & is_relation
        numbers = np.concatenate([np.flatnonzero(own), np.flatnonzero(missing)])
        if not len(numbers):
            return []
        is_own = np.arange(len(numbers)) < own.sum()
        order = np.lexsort((counts.values[numbers], ~is_own))
        numbers, is_own = numbers[order], is_own[order]
        sure = self._sureness_of_pairs(column, contexts, counts, numbers, is_own)
        found = []
        for place, sureness in sure.items():
            pair = numbers[place]
            context, mine = int(counts.contexts[pair]), int(counts.words[pair, self.treebank])
            kind: Kind = "own" if is_own[place] else "missing"
            words = mine if kind == "own" else int(counts.totals[context, self.treebank]) - mine
            found.append(
                Candidate(kind, contexts.columns, context, int(counts.values[pair]), words, sureness)
            )
        return found

    def _sureness_of_pairs(
        self,
        column: SearchedColumn,
        contexts: KeptContexts,
        counts: PairCounts,
        numbers: Words,
        is_own: Flags,
    ) -> dict[int, float]:
        forms = self.contexts.forms(contexts.columns)
        places, pair = contexts.places_of(counts.contexts[numbers])
        words = contexts.words[places]
        inside = column.compared[words]
        places, pair, words = places[inside], pair[inside], words[inside]
        has = column.codes[words] == counts.values[numbers][pair]
        is_home = self.is_first[words] == is_own[pair]
        sides = SidesOfForms.of(pair, forms.form[places], has, is_home)
        agrees = sides.find_agreeing(len(numbers), self._fewest_forms(contexts.columns))
        kept = agrees[pair]
        if not kept.any():
            return {}
        sides = SidesOfForms.of(pair[kept], forms.form[places[kept]], has[kept], is_home[kept])
        agrees &= sides.find_documented(self.table.document[words[kept]], len(numbers))
        sureness = sides.find_sureness(forms.weight[places[kept]], len(numbers))
        return {place: float(sureness[place]) for place in np.flatnonzero(agrees).tolist()}

    def _fewest_forms(self, template: tuple[str, ...]) -> int:
        match template[-1]:
            case "form" | "lemma" | "surface":
                return 1
            case name if name.startswith(("ending", "token_ending")):
                return FEWEST_FORMS_OF_ENDING
        return FEWEST_FORMS

    def _select(self, column: SearchedColumn, candidates: Sequence[Candidate]) -> list[Convention]:
        """Return lines from general to special; each has words that no line before it has."""
        covered = np.zeros(len(self.table), np.bool_)
        chosen: dict[tuple[object, ...], list[Candidate]] = {}
        order = {template: number for number, template in enumerate(column.templates)}
        for each in sorted(
            candidates, key=lambda one: (-one.words, one.kind != "own", order[one.template], one.context)
        ):
            contexts = self.contexts.comparable(each.template)
            words = contexts.words_of(np.array([each.context]))
            words = words[column.compared[words] & self.is_first[words]]
            has = column.codes[words] == each.value
            places = words[has if each.kind == "own" else ~has]
            if (~covered[places]).sum() < max(1, NEW * len(places)):
                continue
            base = Context.of(self.table, each.template[:1], int(contexts.first_word[each.context]))
            instead = self._instead(column, [each])
            if instead >= 0 and column.name == "relation" and column.names[instead] == "root":
                continue
            covered[places] = True
            key = each.kind, each.value, instead, base if len(each.template) > 1 else ()
            chosen.setdefault(key, []).append(each)
        return [self._line(column, group) for group in chosen.values()]

    def _inside(self, group: Sequence[Candidate]) -> Words:
        found = [self.contexts.comparable(each.template).words_of(np.array([each.context])) for each in group]
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    def _instead(self, column: SearchedColumn, group: Sequence[Candidate]) -> int:
        """Return the value that the side without the value has most, the first of equally frequent ones."""
        inside = self._inside(group)
        is_other = self.is_first[inside] == (group[0].kind == "missing")
        found = column.codes[inside[column.compared[inside] & is_other]]
        found = found[found != group[0].value]
        return int(np.bincount(found).argmax()) if len(found) else -1

    def _line(self, column: SearchedColumn, group: Sequence[Candidate]) -> Convention:
        kind, value = group[0].kind, group[0].value
        every = self._inside(group)
        inside = every[column.counted[every]]
        instead = self._instead(column, group)
        codes, treebank = column.codes[inside], self.table.treebank[inside]
        has = codes == value
        counts = tuple(
            (int((has & (treebank == number)).sum()), int((treebank == number).sum()))
            for number in range(self.size)
        )
        compared = every[column.compared[every]]
        differs = (column.codes[compared] == value) == (kind == "own")
        places = compared[self.is_first[compared] & differs]
        group = sorted(group, key=lambda each: -each.words)
        first_words = [self.contexts.comparable(each.template).first_word[each.context] for each in group]
        return Convention(
            (column.name,),
            kind,
            column.names[value],
            column.names[instead] if instead >= 0 else "",
            tuple(
                Context.of(self.table, each.template, int(word))
                for each, word in zip(group, first_words, strict=True)
            ),
            counts,
            tuple(np.bincount(self.table.treebank[every], minlength=self.size).tolist()),
            tuple(int(((codes == instead) & (treebank == number)).sum()) for number in range(self.size)),
            places,
            max(each.sureness for each in group),
        )


def _join_columns(lines: Iterable[Convention]) -> Iterator[Convention]:
    """Yield lines; features that are there or not in the same contexts of the same words are one line."""
    joined: dict[tuple[object, ...], Convention] = {}
    for number, line in enumerate(lines):
        key = (line.kind, line.value, line.contexts, line.counts) if line.is_presence else (number,)
        if key in joined:
            first = joined[key]
            joined[key] = replace(first, columns=(*first.columns, *line.columns))
        else:
            joined[key] = line
    yield from joined.values()


def _belongs(line: Convention, difference: InventoryDifference) -> bool:
    """Return whether a convention says in which contexts a value stands that one side lacks as a whole."""
    name, value = difference.column, difference.value
    if name == "deprel":
        name, value = "subtype", value.partition(":")[2]
        if any(
            each.column == "relation" and each.value != difference.value.partition(":")[0]
            for context in line.contexts
            for each in context[:1]
        ):
            return False
    return line.columns == (name,) and value in (line.value, line.instead)
