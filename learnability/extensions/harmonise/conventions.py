"""Find by counting in which conventions a treebank differs from the others of its language.

A convention differs in a context where the treebank mostly has a value that the others hardly ever have
there, or where the others nearly always have a value that the treebank hardly ever has. This must hold for
the same forms on both sides, and be surer than chance allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Context, Contexts, WordTable
from learnability.extensions.harmonise.costs import ParserCost, ParserEvidence
from learnability.extensions.harmonise.inventories import InventoryDifference, compare_inventories
from learnability.extensions.harmonise.sureness import sureness_of

Codes = NDArray[np.int32]
Words = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST_DOCUMENTS = 2
"""The documents of each side in which a convention has to be seen."""

FOREIGN = 0.05
"""The largest share of words with a value that one side hardly ever has."""

MOSTLY = 0.5
"""The share of words above which a side mostly has a value."""

FEWEST_WORDS, FEWEST_OTHERS = 3, 10
"""The words that a context needs in the treebank and in the others."""

FEWEST_OF_FORM = 3
"""The words of a form in the others with which it can agree or disagree with its context."""

FORM_FOREIGN = 0.1
"""The largest share with the value among words of a form that agrees with its context."""

CONSISTENT = 0.9
"""The share of the words with the value whose forms agree with the context."""

FEWEST_FORMS, FEWEST_FORMS_OF_ENDING = 2, 5
"""The forms that have to agree with a general context; one that is an ending needs more."""

MARGIN = 1.0
"""How much surer than all tests of a column demand a convention has to be, as a decimal logarithm."""

NEARLY_ALWAYS = 0.8
"""The share of words from which the others have a value nearly always that the treebank lacks."""

SIZE_OF_TREEBANK = 10.0
"""A treebank with so many words in a context counts half as much as the largest."""

SETTLED = 9.0
"""How sure a general context is that no more special one is searched in; more than tests can demand."""

DENSE = 8
"""Combinations that are counted in an array, for each word; more are sorted."""

NEW = 0.5
"""The share of the words of a line that no line before it has."""

FREQUENT_FEATURE = 0.005
"""The share of words that have a feature which is part of contexts."""

CLEAR_DIFFERENCE, FEWEST_DIFFERENT = 0.25, 3
"""A column is searched where forms with so many words differ so much in a share."""

STAGES = (("upos",), ("xpos", "feats", "lemma", "split", "relation"), ("subtype", "side", "head_upos"))
"""The columns in the order in which they are searched.

Contexts of a stage name the last column of the one before it, so words in which this differs are left out.
"""

THERE, ABSENT = "there", "not there"
"""The values of a feature as one that is there or not."""

Kind = Literal["own", "missing"]
"""Whether the treebank has a value that the others lack, or lacks one that they have."""


@dataclass(frozen=True)
class Convention:
    """Represent a convention in which a treebank differs from the others.

    Attributes:
        columns: the columns that differ alike, `feats:Number` and `feats:Person`; nearly always one.
        kind: whether the treebank has a value that the others lack there, or lacks one that they have.
        value: the value; of a feature that differs in being there, `there` or `not there`.
        instead: what the other side has most in its place.
        contexts: where it holds: words of any of these contexts.
        counts: for each treebank how many words there have the value, and how many words there are.
        instead_counts: how many have what the other side has most.
        places: int64[words], the words of the treebank that it concerns, as numbers in the table.
        sureness: minus the decimal logarithm of a bound on the probability that chance did it, after a
            correction for the contexts that were tested.
        cost: what it costs parsers; None if none were trained, or if they do not see it.
        evidence: of a line that only parsers find, which words of the others show it; `counts` are then the
            words for which parsers find what the others have, and the reverse in the others.
    """

    columns: tuple[str, ...]
    kind: Kind
    value: str
    instead: str
    contexts: tuple[Context, ...]
    counts: tuple[tuple[int, int], ...]
    instead_counts: tuple[int, ...]
    places: Words
    sureness: float
    cost: ParserCost | None = None
    evidence: ParserEvidence | None = None

    @property
    def found_by(self) -> Literal["counting", "parsers"]:
        return "counting" if self.evidence is None else "parsers"

    @property
    def is_presence(self) -> bool:
        return self.value in (THERE, ABSENT)

    @property
    def weight(self) -> float:
        """Return by how much it comes before others: how many words it concerns, times how sure it is."""
        return len(self.places) * self.sureness


@dataclass(frozen=True)
class DetailedInventory:
    """Hold what one side has and the other lacks, with the conventions that say what stands in its place.

    Attributes:
        difference: what differs.
        details: in which contexts the other side has what in its place.
    """

    difference: InventoryDifference
    details: tuple[Convention, ...]


@dataclass(frozen=True)
class TreebankConventions:
    """Hold in what a treebank differs from the others.

    Attributes:
        treebank: its number.
        inventories: what one side has and the other lacks.
        conventions: in order: those that concern most words come first.
        by_parsers: those that only parsers find, which were trained.
    """

    treebank: int
    inventories: tuple[DetailedInventory, ...]
    conventions: tuple[Convention, ...]
    by_parsers: tuple[Convention, ...] = ()


@dataclass(frozen=True)
class SearchedColumn:
    """Hold a column whose values are compared.

    Attributes:
        name: its name.
        codes, names: the values of all words.
        words: int64, the words that are compared: none whose tag or relation another line is about.
        every: int64, all words that have a value, which are counted for a line.
        templates: the columns of contexts, from general to special.
        base: the key by which forms are compared first.
        having: int64, the words that have a feature, of a column that says whether they do.
    """

    name: str
    codes: Codes
    names: tuple[str, ...]
    words: Words
    every: Words
    templates: tuple[tuple[str, ...], ...]
    base: tuple[str, ...]
    having: Words | None = None


class Candidate(NamedTuple):
    """Represent a context in which a convention may differ."""

    kind: Kind
    template: tuple[str, ...]
    context: int
    value: int
    words: int
    sureness: float


class ConventionSearch:
    """Search the conventions in which a treebank differs from the others in a table of words."""

    def __init__(self, table: WordTable, treebank: int, like: ConventionSearch | None = None) -> None:
        self.table = table
        self.treebank = treebank
        self.size = int(table.treebank.max()) + 1
        self.is_first: Flags = table.treebank == treebank
        # what does not depend on the treebank is found once
        self._contexts: dict[tuple[str, ...], Contexts] = like._contexts if like else {}
        self._forms: dict[tuple[str, ...], FormsInContexts] = like._forms if like else {}
        self._keys: dict[tuple[str, ...], Words] = like._keys if like else {}
        self._counted: dict[tuple[str, ...], Flags] = like._counted if like else {}
        self._totals: dict[tuple[tuple[str, ...], int], tuple[Words, Words]] = {}

    def find(self, columns: Sequence[str] = ()) -> TreebankConventions:
        """Return what differs.

        Args:
            columns: only these, by the names that conventions have, or `feats` for all features.
        """
        inventories = compare_inventories(self.table, self.treebank)
        found: list[Convention] = []
        usable = np.ones(len(self.table), np.bool_)
        for stage in STAGES:
            for column in self._searched(stage, usable, inventories):
                if not columns or _is_chosen(column.name, columns) or column.name in ("upos", "relation"):
                    found += self._lines_of(column)
            usable &= ~self._taken(stage[-1], found, inventories)
        chosen = [
            line for line in _join_columns(found) if not columns or _is_chosen(line.columns[0], columns)
        ]
        chosen.sort(key=lambda line: (-line.weight, line.columns, line.contexts))
        kept = [
            each
            for each in inventories
            if (not columns or _is_chosen(each.column, columns)) and not self._is_nested(each, chosen)
        ]
        detailed = tuple(_detail(each, chosen) for each in kept)
        rest = tuple(line for line in chosen if not any(_belongs(line, each) for each in kept))
        return TreebankConventions(self.treebank, detailed, rest)

    def _is_nested(self, difference: InventoryDifference, lines: Iterable[Convention]) -> bool:
        """Return whether a value is lacking because its feature is, in the contexts of some lines."""
        name = difference.column
        presence = [line for line in lines if line.is_presence and name in line.columns]
        if not presence:
            return False
        column = self.table.column(name)
        places = np.flatnonzero(column.codes == column.names.index(difference.value))
        inside = np.zeros(len(places), np.bool_)
        for context in (context for line in presence for context in line.contexts):
            fits = np.ones(len(places), np.bool_)
            for pair in context:
                other = self.table.column(pair.column)
                fits &= other.codes[places] == other.names.index(pair.value)
            inside |= fits
        return bool(inside.mean() >= CONSISTENT)

    def contexts(self, columns: tuple[str, ...]) -> Contexts:
        """Return the contexts of words by these columns, which are kept."""
        if columns not in self._contexts:
            self._contexts[columns] = Contexts.of(self.table, columns)
        return self._contexts[columns]

    def forms(self, columns: tuple[str, ...]) -> FormsInContexts:
        """Return the forms in the contexts of these columns."""
        if columns not in self._forms:
            self._forms[columns] = FormsInContexts.of(self.table, self.contexts(columns))
        return self._forms[columns]

    def _taken(
        self, name: str, found: Iterable[Convention], differing: Iterable[InventoryDifference]
    ) -> Flags:
        """Return the words whose tag or relation differs, so that contexts with it are not alike."""
        taken = np.zeros(len(self.table), np.bool_)
        for line in found:
            if line.columns[0] == name:
                taken[line.places] = True
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

    def _searched(
        self, stage: Sequence[str], usable: Flags, inventories: Sequence[InventoryDifference]
    ) -> Iterator[SearchedColumn]:
        """Yield the columns of a stage with the words that can be compared."""
        table = self.table
        with_xpos = shares_xpos(table)
        frequent = [
            name for name in table.features if np.mean(_has_value(table, f"feats:{name}")) >= FREQUENT_FEATURE
        ]
        lacking = {each.value for each in inventories if each.column == "feats"}
        everyone = np.flatnonzero(usable)
        for name in stage:
            if name == "feats":
                for feature in table.features:
                    if feature not in lacking:
                        templates = Context.columns_for(f"feats:{feature}", frequent, with_xpos=with_xpos)
                        yield from self._feature(feature, usable, everyone, templates)
                continue
            if name == "xpos" and not with_xpos:
                continue
            source = "lemma_edit" if name == "lemma" else name
            column = table.column(source)
            known = _has_value(table, source) if name != "subtype" else np.ones(len(table), np.bool_)
            templates = Context.columns_for(source, frequent, with_xpos=with_xpos)
            base = ("form",) if name == "upos" else ("surface",) if name == "split" else ("upos", "form")
            if name in ("subtype", "side", "head_upos"):
                base = ("relation", "form")
            words, every = np.flatnonzero(known & usable), np.flatnonzero(known)
            yield SearchedColumn(name, column.codes, column.names, words, every, templates, base)

    def _feature(
        self,
        feature: str,
        usable: Flags,
        everyone: Words,
        templates: tuple[tuple[str, ...], ...],
    ) -> Iterator[SearchedColumn]:
        """Yield a feature as one that is there or not, then its values."""
        name = f"feats:{feature}"
        column, has = self.table.column(name), _has_value(self.table, name)
        base = ("upos", "form")
        having = np.flatnonzero(usable & has)
        codes, every = has.astype(np.int32), np.arange(len(self.table))
        yield SearchedColumn(name, codes, (ABSENT, THERE), everyone, every, templates, base, having)
        if len(column.names) > 2:
            every = np.flatnonzero(has)
            yield SearchedColumn(name, column.codes, column.names, having, every, templates, base)

    def _lines_of(self, column: SearchedColumn) -> list[Convention]:
        """Return the conventions of a column, merged."""
        if not len(column.words) or not self._differs(column):
            return []
        candidates: list[Candidate] = []
        settled: list[Candidate] = []
        tests = 0
        for template in column.templates:
            found, tested = self._candidates(column, template, settled)
            candidates += found
            tests += tested
            if len(template) == 1:
                settled += [each for each in found if each.sureness >= SETTLED]
        needed = np.log10(max(tests, 1)) + MARGIN
        sure = [each for each in candidates if each.sureness >= needed]
        lines = self._select(column, sure)
        return [replace(line, sureness=line.sureness - needed + MARGIN) for line in lines]

    def _differs(self, column: SearchedColumn) -> bool:
        """Return whether enough words are of forms in which the sides differ."""
        counts = self._count(column, column.base)
        of_form = counts.totals[counts.contexts]
        first, second = of_form[:, self.treebank], of_form.sum(axis=1) - of_form[:, self.treebank]
        mine = counts.words[:, self.treebank]
        others = counts.words.sum(axis=1) - mine
        compared = (first > 0) & (second > 0)
        more = mine[compared] / first[compared] - others[compared] / second[compared]
        return bool(mine[compared][more >= CLEAR_DIFFERENCE].sum() >= FEWEST_DIFFERENT) or bool(
            others[compared][more <= -CLEAR_DIFFERENCE].sum() >= FEWEST_DIFFERENT
        )

    def _count(self, column: SearchedColumn, template: tuple[str, ...]) -> PairCounts:
        """Return how many words of each context and treebank have each value."""
        size = len(self.contexts(template)) * self.size
        if template not in self._keys:
            self._keys[template] = self.contexts(template).number * np.int64(self.size) + self.table.treebank
        keys = self._keys[template]
        cached = self._totals.get((template, id(column.words)))
        if cached is None or cached[0] is not column.words:
            totals = np.bincount(keys[column.words], minlength=size).reshape(-1, self.size)
            self._totals[template, id(column.words)] = column.words, totals
        else:
            totals = cached[1]
        if column.having is None:
            return PairCounts.of(keys[column.words], column.codes[column.words], totals)
        there = np.bincount(keys[column.having], minlength=size).reshape(-1, self.size)
        return PairCounts.of_two(totals - there, there, totals)

    def _candidates(
        self, column: SearchedColumn, template: tuple[str, ...], settled: Sequence[Candidate]
    ) -> tuple[list[Candidate], int]:
        """Return the contexts of a template in which the convention may differ, and how many were tested.

        Those inside a context that is settled are left out: they would add nothing to its line.
        """
        counts = self._count(column, template)
        totals = counts.totals[counts.contexts]
        first, mine = totals[:, self.treebank], counts.words[:, self.treebank]
        others = totals.sum(axis=1) - first
        share = self._share_of_others(counts.words, totals)
        tested = (first >= FEWEST_WORDS) & (others >= FEWEST_OTHERS) & self._is_context(template, counts)
        own = tested & (mine > MOSTLY * first) & (share <= FOREIGN)
        agreed = self._others_agree(counts.words, totals)
        missing = tested & (mine <= FOREIGN * first) & agreed & (first >= FEWEST_OTHERS)
        found: list[Candidate] = []
        for each in settled if len(template) > 1 else ():
            outer = self.contexts(each.template).number[self.contexts(template).first_word[counts.contexts]]
            chosen = own if each.kind == "own" else missing
            if each.template == template[:1]:
                chosen &= (counts.values != each.value) | (outer != each.context)
        for kind, chosen in (("own", own), ("missing", missing)):
            numbers = np.flatnonzero(chosen)
            if len(numbers):
                found += self._assess(column, template, counts, numbers, kind)  # type: ignore[arg-type]
        return found, int(tested.sum())

    def _is_context(self, template: tuple[str, ...], counts: PairCounts) -> Flags:
        """Return whether contexts count: those without a feature do not, because sides may differ in it."""
        if template not in self._counted:
            contexts = self.contexts(template)
            fits = np.ones(len(contexts), np.bool_)
            for name in template[-1:]:
                if name.startswith(("feats:", "ending")) or name in ("lemma", "xpos"):
                    column = self.table.column(name)
                    has = np.array([value not in ("", "_") for value in column.names], np.bool_)
                    fits = has[column.codes[contexts.first_word]]
            self._counted[template] = fits
        return self._counted[template][counts.contexts]

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
        self,
        column: SearchedColumn,
        template: tuple[str, ...],
        counts: PairCounts,
        numbers: Words,
        kind: Kind,
    ) -> Iterator[Candidate]:
        """Yield those of the candidates whose forms agree, with how sure they are."""
        contexts = self.contexts(template)
        forms = self.forms(template)
        for value in np.unique(counts.values[numbers]).tolist():
            if column.name == "relation" and column.names[value] == "root":
                continue  # whether a word heads its sentence is no matter of relations
            pairs = numbers[counts.values[numbers] == value]
            is_candidate = np.zeros(len(contexts), np.bool_)
            is_candidate[counts.contexts[pairs]] = True
            words = column.words[is_candidate[contexts.number[column.words]]]
            agreement = forms.compare(words, column.codes[words] == value, self.is_first[words], kind)
            fewest = self._fewest_forms(template)
            for pair in pairs.tolist():
                context = int(counts.contexts[pair])
                place = int(np.searchsorted(agreement.contexts, context))
                if agreement.forms[place] < fewest or not agreement.is_consistent[place]:
                    continue
                mine = int(counts.words[pair, self.treebank])
                if kind == "missing":
                    mine = int(counts.totals[context, self.treebank]) - mine
                yield Candidate(kind, template, context, value, mine, float(agreement.sureness[place]))

    def _fewest_forms(self, template: tuple[str, ...]) -> int:
        match template[-1]:
            case "form" | "lemma" | "surface":
                return 1
            case name if name.startswith("ending"):
                return FEWEST_FORMS_OF_ENDING
        return FEWEST_FORMS

    def _select(self, column: SearchedColumn, candidates: Sequence[Candidate]) -> list[Convention]:
        """Return lines from general to special; each has words that no line before it has."""
        words = column.words[self.is_first[column.words]]
        values = column.codes[words]
        covered = np.zeros(len(self.table), np.bool_)
        chosen: dict[tuple[object, ...], list[Candidate]] = {}
        order = {template: number for number, template in enumerate(column.templates)}
        for each in sorted(
            candidates, key=lambda one: (-one.words, one.kind != "own", order[one.template], one.context)
        ):
            contexts = self.contexts(each.template)
            inside = contexts.number[words] == each.context
            has = values == each.value
            places = words[inside & (has if each.kind == "own" else ~has)]
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

    def _inside(self, words: Words, group: Sequence[Candidate]) -> Words:
        """Return those of some words that are in the contexts of candidates."""
        inside = np.zeros(len(words), np.bool_)
        for each in group:
            inside |= self.contexts(each.template).number[words] == each.context
        return words[inside]

    def _instead(self, column: SearchedColumn, group: Sequence[Candidate]) -> int:
        """Return the value that the side without the value has most, the first of equally frequent ones."""
        inside = self._inside(column.words, group)
        lacks = inside[self.is_first[inside] == (group[0].kind == "missing")]
        found = column.codes[lacks]
        found = found[found != group[0].value]
        return int(np.bincount(found).argmax()) if len(found) else -1

    def _line(self, column: SearchedColumn, group: Sequence[Candidate]) -> Convention:
        kind, value = group[0].kind, group[0].value
        inside = self._inside(column.every, group)
        instead = self._instead(column, group)
        codes, treebank = column.codes[inside], self.table.treebank[inside]
        has = codes == value
        counts = tuple(
            (int((has & (treebank == number)).sum()), int((treebank == number).sum()))
            for number in range(self.size)
        )
        compared = self._inside(column.words, group)
        differs = (column.codes[compared] == value) == (kind == "own")
        places = compared[self.is_first[compared] & differs]
        group = sorted(group, key=lambda each: -each.words)
        return Convention(
            (column.name,),
            kind,
            column.names[value],
            column.names[instead] if instead >= 0 else "",
            tuple(
                Context.of(
                    self.table, each.template, int(self.contexts(each.template).first_word[each.context])
                )
                for each in group
            ),
            counts,
            tuple(int(((codes == instead) & (treebank == number)).sum()) for number in range(self.size)),
            places,
            max(each.sureness for each in group),
        )


@dataclass(frozen=True)
class PairCounts:
    """Hold how many words of each context and treebank have each value that occurs there.

    Attributes:
        contexts, values: int64[pairs].
        words: int64[pairs, treebanks].
        totals: int64[contexts, treebanks].
    """

    contexts: Words
    values: Words
    words: Words
    totals: Words

    @classmethod
    def of(cls, keys: Words, values: Codes, totals: Words) -> PairCounts:
        """Count words by their contexts, treebanks and values.

        Args:
            keys: int64[words], the context of each word times the number of treebanks, plus its treebank.
            values: int32[words], the value of each word.
            totals: as in the class.
        """
        groups = totals.shape[1]
        more = int(values.max(initial=0)) + 1
        contexts, treebanks = keys // groups, keys % groups
        joint = contexts * more + values
        if len(totals) * more * groups <= DENSE * len(values):
            every = np.bincount(joint * groups + treebanks, minlength=len(totals) * more * groups)
            every = every.reshape(-1, groups)
            pairs = np.flatnonzero(every.any(axis=1))
            words = every[pairs]
        else:
            pairs, number = np.unique(joint, return_inverse=True)
            numbers = number.ravel() * np.int64(groups) + treebanks
            words = np.bincount(numbers, minlength=len(pairs) * groups).reshape(-1, groups)
        return cls(pairs // more, pairs % more, words, totals)

    @classmethod
    def of_two(cls, absent: Words, there: Words, totals: Words) -> PairCounts:
        """Return the counts of the two values 0 and 1."""
        contexts = np.arange(len(totals))
        values = np.repeat([0, 1], len(totals))
        return cls(np.concatenate([contexts, contexts]), values, np.concatenate([absent, there]), totals)


@dataclass(frozen=True)
class FormAgreement:
    """Hold for contexts whether their forms agree, and how sure the difference is.

    Attributes:
        contexts: int32, sorted.
        forms: how many forms agree with each.
        is_consistent: whether enough words are of such forms.
        sureness: as `sureness_of` gives it.
    """

    contexts: Codes
    forms: Words
    is_consistent: Flags
    sureness: NDArray[np.float64]


@dataclass(frozen=True)
class FormsInContexts:
    """Hold the forms in the contexts of some columns, and in which documents they occur.

    Attributes:
        context: int32[words].
        form: int32[words], the number of the form in its context.
        weight: float64[words], 1 divided by the words of the form in the context in the same document.
        document: int32[words], the document.
    """

    context: Codes
    form: Codes
    weight: NDArray[np.float64]
    document: Codes

    @classmethod
    def of(cls, table: WordTable, contexts: Contexts) -> FormsInContexts:
        """Return the forms of words in their contexts."""
        inner = () if contexts.columns[-1] in ("form", "surface") else (table.column("form").codes,)
        form = Contexts.number_together(contexts.number, *inner, words=len(table))
        document = Contexts.number_together(form, table.document, words=len(table))
        return cls(contexts.number, form, 1 / np.bincount(document)[document], table.document)

    def compare(self, words: Words, has: Flags, is_first: Flags, kind: Kind) -> FormAgreement:
        """Return how far the forms of contexts agree that a value is that of one side.

        Args:
            words: all words of these contexts.
            has: bool[words], whether a word has the value.
            is_first: bool[words], whether a word is one of the treebank.
            kind: whether the value is that of the treebank.
        """
        is_home = is_first if kind == "own" else ~is_first
        names, form = np.unique(self.form[words], return_inverse=True)
        form = form.ravel()
        size = len(names)
        of_form = np.zeros(size, np.int32)
        of_form[form] = self.context[words]
        contexts, numbers = np.unique(of_form, return_inverse=True)
        context: Codes = numbers.ravel().astype(np.int32)

        def count(chosen: Flags) -> NDArray[np.float64]:
            return np.bincount(form[chosen], minlength=size).astype(np.float64)

        def weigh(chosen: Flags) -> NDArray[np.float64]:
            return np.bincount(form[chosen], self.weight[words[chosen]], minlength=size).astype(np.float64)

        home_with, away, away_with = count(is_home & has), count(~is_home), count(~is_home & has)
        testable = (away >= FEWEST_OF_FORM) & (home_with > 0)
        agrees = testable & (away_with <= FORM_FOREIGN * away)
        tested = np.bincount(context, np.where(testable, home_with, 0), minlength=len(contexts))
        agreed = np.bincount(context, np.where(agrees, home_with, 0), minlength=len(contexts))
        documents = np.ones(len(contexts), np.bool_)
        for chosen in (is_home & has, ~is_home & ~has):
            documents_of = self.document[words[chosen]].astype(np.int64)
            keys = context[form[chosen]] * (int(self.document.max()) + 1) + documents_of
            seen = np.unique(keys) // (int(self.document.max()) + 1)
            documents &= np.bincount(seen, minlength=len(contexts)) >= FEWEST_DOCUMENTS
        sides = weigh(is_home), weigh(is_home & has), weigh(~is_home), weigh(~is_home & has)
        return FormAgreement(
            contexts,
            np.bincount(context[agrees], minlength=len(contexts)),
            (tested > 0) & (agreed >= CONSISTENT * tested) & documents,
            sureness_of(context, len(contexts), sides),
        )


def shares_xpos(table: WordTable) -> bool:
    """Return whether most words of each treebank have an XPOS that each other treebank has, too."""
    column, has = table.column("xpos"), _has_value(table, "xpos")
    sets = [column.codes[has & (table.treebank == number)] for number in range(int(table.treebank.max()) + 1)]
    return all(
        len(codes) > 0 and bool(np.isin(codes, np.unique(other)).mean() > MOSTLY)
        for codes in sets
        for other in sets
    )


def _has_value(table: WordTable, name: str) -> Flags:
    column = table.column(name)
    has: Flags = np.array([value not in ("", "_") for value in column.names], np.bool_)[column.codes]
    return has


def _is_chosen(name: str, columns: Sequence[str]) -> bool:
    family = {"deprel": "subtype", "side": "head", "head_upos": "head"}.get(name, name)
    return name in columns or family in columns or name.partition(":")[0] in columns


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


def _detail(difference: InventoryDifference, lines: Iterable[Convention]) -> DetailedInventory:
    return DetailedInventory(difference, tuple(line for line in lines if _belongs(line, difference)))


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
