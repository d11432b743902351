"""Find the words that differ from nearly all words of a context, and say in words what these have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from learnability.regularities.contexts import Context, Contexts, count_values
from learnability.regularities.word_table import (
    DEPENDENTS,
    ENDINGS,
    FEATS,
    FEATURE,
    FORM,
    FORM_AFTER,
    FORM_BEFORE,
    HEAD_UPOS,
    LEMMA,
    NONE,
    RELATION,
    SIDE,
    UPOS,
    XPOS,
    Codes,
    WordColumn,
    WordTable,
)
from learnability.treebanks.sentence import Sentence

FEWEST_AGREEING = 5
"""A value is usual in a context if at least as many words have it there."""

LEAST_SHARE, LEAST_OF_FORM = 0.95, 0.8
"""A value is usual in a context if at least this share of its words have it; lower for words of one form."""

FUNCTION = ("case", "det", "mark", "cc", "aux", "cop")
"""The relations that a form can be expected to have; others depend on the sentence."""

FEW = 10
"""The words that are added to those with a value where the share of exceptions among these is estimated, so
that a rare value shows little. A value nearly all of whose words are exceptions, such as a mark of typos,
explains them: they are no slips."""

SLIPS = 0.002
"""The share of words that are assumed to be slips, against which it counts how usual a value is."""

TOLERANCE = 1e-9
"""A context takes the place of a more general one only if it says more than this."""


@dataclass(frozen=True, slots=True)
class Exceptional:
    """Represent a word that lacks what is usual in a context.

    Attributes:
        sentence: the number of its sentence.
        position: its number there, from 1.
        column: a column of `WordTable`.
        value: what the word has there.
        usual: what is usual there.
        context: what it has in common with the words that are counted.
        agreeing: how many of these have the usual value.
        words: how many these are, itself too.
        alike: how many have its value.
        share: how usual its value is by the other words that are like it in any respect (`_shares_of`).
        agreeing_beside, words_beside: the same counts of the other treebanks.
    """

    sentence: int
    position: int
    column: str
    value: str
    usual: str
    context: Context
    agreeing: int
    words: int
    alike: int
    share: float
    agreeing_beside: int = 0
    words_beside: int = 0

    @staticmethod
    def find_in(
        sentences: Sequence[Sentence],
        *,
        least: float = 0.0,
        beside: Sequence[Sequence[Sentence]] = (),
    ) -> list[Exceptional]:
        """Return the words that lack what is usual, each once for a column, the most improbable values first.

        The columns are tags, XPOS, lemmas, universal relations and each feature. Of the contexts of a word,
        that one is named in which its value is the most improbable; of equals the most general. One of many
        contexts names nearly any rare value, so a word counts by the context that explains its value best:
        its form, the words beside it, its ending, its relation, its dependents. Values that are not given,
        and punctuation, are no exceptions.

        Args:
            sentences: those of a treebank.
            least: the share of words that makes a value usual, in place of those of this module, if it is not
                0; two words are enough then.
            beside: the sentences of other treebanks, whose words count, too. In a context that they have,
                most other words of this treebank have to agree with them: what is a convention here is no
                exception.
        """
        table = WordTable([sentences, *beside])
        columns = ("upos", "xpos", "lemma", "relation", *(FEATURE + name for name in table.features))
        known: dict[tuple[str, ...], Contexts] = {}
        found = (_exceptions_of(table, name, least, known) for name in columns)
        return sorted(chain.from_iterable(found), key=_order)

    @property
    def score(self) -> float:
        """Return how probable a slip is where slips are as usual as `SLIPS`, and its value as its share."""
        return SLIPS / (SLIPS + self.share)

    @property
    def reason(self) -> str:
        """Return what is usual in words: ``412 of 414 ADP with the form durch have the relation case``; other
        treebanks are named where most of their words agree."""
        value = _describe_value(self.column, self.usual)
        text = f"{self.agreeing:,} of {self.words:,} {self.context.describe()} have {value}"
        if 2 * self.agreeing_beside <= self.words_beside:
            return text
        return f"{text}, and {self.agreeing_beside:,} of {self.words_beside:,} in the other treebanks"

    @property
    def rule(self) -> str:
        """Return what gives the words `alike` the usual value, as `diff --rules` does:
        ``upos:ADP=SCONJ,form=durch``; empty where it is not that usual, or where rules have no words for the
        context."""
        if self.agreeing < LEAST_SHARE * self.words:
            return ""
        old, new, name = self.value, self.usual, self.column.removeprefix(FEATURE)
        column = _IN_RULES.get(name, "")
        if self.column.startswith(FEATURE):
            column = "feats"
            old, new = (f"{name}={value}" if value else "_" for value in (old, new))
        kept = [f"{each.column}={each.value}" for each in self.context if each.column in (UPOS, FORM, LEMMA)]
        text = ",".join([f"{column}:{old}={new}", *kept])
        is_whole = column and len(kept) == len(self.context)
        return "" if not is_whole or set("|\\") & set(text) or text.count(",") > len(kept) else text


_IN_RULES = {"upos": "upos", "xpos": "xpos", RELATION: "deprel"}
"""The columns that a rule can change, as it calls them; features, too."""


def _describe_value(column: str, value: str) -> str:
    if column.startswith(FEATURE):
        name = column.removeprefix(FEATURE)
        return f"{name}={value}" if value else f"no {name}"
    name = {"upos": "the tag", "xpos": "XPOS", "relation": "the relation"}.get(column, f"the {column}")
    return f"{name} {value}"


def _order(found: Exceptional) -> tuple[float, int, int, str]:
    return found.share, found.sentence, found.position, found.column


def _exceptions_of(
    table: WordTable, column: str, least_given: float, known: dict[tuple[str, ...], Contexts]
) -> list[Exceptional]:
    values = table.column(column)
    if len(values.names) < 2:
        return []
    doubted = _can_be_doubted(table, column)
    best = np.full(len(table), np.inf)
    context_number, alike_there = np.zeros(len(table), np.int32), np.zeros(len(table), np.int64)
    found: list[tuple[tuple[str, ...], NDArray[np.int64]]] = []
    for columns in _contexts_of(table, column):
        number = _contexts(table, columns, known)
        counted = count_values(number, values.codes, (table.treebank > 0).astype(np.int32))
        own, words = counted.words.sum(axis=1), counted.totals.sum(axis=1)
        usual_pair = np.zeros(len(number), np.int64)
        order = np.argsort(own, kind="stable")
        usual_pair[counted.contexts[order]] = order  # the last one stays: the most frequent
        agreeing = own[usual_pair]
        least = least_given or (LEAST_OF_FORM if FORM in columns else LEAST_SHARE)
        is_usual = (agreeing >= (2 if least_given else FEWEST_AGREEING)) & (agreeing >= least * words)
        is_usual &= (
            _is_specified(table, number) & _can_be_usual(column, values, columns)[counted.values[usual_pair]]
        )
        agreeing_here, words_here = counted.words[usual_pair, 0], counted.totals[:, 0]
        is_usual &= (words == words_here) | (2 * agreeing_here > words_here - 1)
        share = (own[counted.pair] - 0.5) / words[number.number]
        differs = is_usual[number.number] & (usual_pair[number.number] != counted.pair) & doubted
        better = np.flatnonzero(differs & (share < best * (1 - TOLERANCE)))
        best[better] = share[better]
        context_number[better] = len(found)
        alike_there[better] = counted.words[counted.pair[better], 0]
        usual = counted.values[usual_pair]
        every = (usual, agreeing_here, words_here, agreeing - agreeing_here, words - words_here)
        found.append((columns, np.stack(every, axis=1)))
    exceptional = np.flatnonzero(best < np.inf)
    explained = [
        (contexts := _contexts(table, columns, known), _can_explain(table, contexts))
        for columns in _explaining(column)
    ]
    shares = _shares_of(explained, values.codes, exceptional, best[exceptional])
    counts = [
        found[context_number[word]][1][int(known[found[context_number[word]][0]].number[word])].tolist()
        for word in exceptional.tolist()
    ]
    usual_there = np.array([usual for usual, *_ in counts], np.int64)
    asks_for_none = usual_there == values.number_of(NONE)
    has_some = (values.codes != values.number_of(NONE)).astype(np.int32)
    of_presence = _shares_of(explained, has_some, exceptional, best[exceptional])
    shares = np.where(asks_for_none, np.maximum(shares, of_presence), shares)
    alike = np.bincount(values.codes)[values.codes[exceptional]]
    exceptional_alike = np.bincount(values.codes[exceptional])[values.codes[exceptional]]
    shares = np.maximum(shares, (exceptional_alike - 1) / (alike - 1 + FEW))
    if column == LEMMA:
        shares = shares * _share_of_strange(table)[exceptional]
    exceptions = []
    for word, share_of_word, (usual, agreeing_here, words_here, agreeing, words) in zip(
        exceptional.tolist(), shares.tolist(), counts, strict=True
    ):
        columns, _ = found[int(context_number[word])]
        exceptions.append(
            Exceptional(
                int(table.sentence[word]), int(table.position[word]), column,
                values.names[int(values.codes[word])], values.names[usual],
                Context.of(table, columns, word), agreeing_here, words_here, int(alike_there[word]),
                share_of_word, agreeing, words,
            )
        )  # fmt: skip
    return exceptions


def _contexts(table: WordTable, columns: tuple[str, ...], known: dict[tuple[str, ...], Contexts]) -> Contexts:
    if columns not in known:
        known[columns] = Contexts.of(table, columns)
    return known[columns]


def _shares_of(
    explained: Sequence[tuple[Contexts, NDArray[np.bool_]]],
    values: Codes,
    words: NDArray[np.int64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return float64[words], how usual the value of each word is in the context that explains it best.

    Only the other words of a context count, and besides one that has the value as usually as `share` says.
    `explained` has the contexts, and which of them can explain something.
    """
    best = share.copy()
    size = int(values.max(initial=0)) + 1
    for contexts, can_explain in explained:
        looked_at = np.zeros(len(contexts), np.bool_)
        looked_at[contexts.number[words]] = True
        near = np.flatnonzero(looked_at[contexts.number])
        pairs = contexts.number[near] * np.int64(size) + values[near]
        kinds, like = np.unique(pairs, return_counts=True)
        same = like[np.searchsorted(kinds, contexts.number[words] * np.int64(size) + values[words])]
        of = np.bincount(contexts.number[near], minlength=len(contexts))[contexts.number[words]]
        explains = (same - 1 + share) / of
        best = np.where(can_explain[contexts.number[words]], np.maximum(best, explains), best)
    return best


def _share_of_strange(table: WordTable) -> NDArray[np.float64]:
    """Return float64[words], the share of the words with a strange lemma for these, and 1 for the others.

    A lemma is strange if no other word has it, and it begins otherwise than its form. What other lemmas a
    form has says how usual another one is, but not how usual such a one is.
    """
    lemmas, forms = table.column(LEMMA), table.column(FORM)
    is_alone = np.bincount(lemmas.codes)[lemmas.codes] == 1
    strange = [
        word
        for word in np.flatnonzero(is_alone).tolist()
        if lemmas.names[lemmas.codes[word]][:1].lower() != forms.names[forms.codes[word]][:1]
    ]
    shares = np.ones(len(table))
    shares[strange] = len(strange) / max(1, len(table))
    return shares


def _can_explain(table: WordTable, contexts: Contexts) -> NDArray[np.bool_]:
    """Return bool[contexts], in which words are alike: not because they all lack the one thing that is asked
    for, such as an ending or a dependent."""
    if len(contexts.columns) > 1:
        return np.ones(len(contexts), np.bool_)
    column = table.column(contexts.columns[0])
    can: NDArray[np.bool_] = (column.codes != column.number_of(NONE))[contexts.first_word]
    return can


def _explaining(column: str) -> list[tuple[str, ...]]:
    form = (FORM,) if column == UPOS else (UPOS, FORM)
    beside = [form, (FORM_BEFORE, FORM), (FORM, FORM_AFTER), (FORM, DEPENDENTS)]
    match column:
        case "relation":
            return [
                *beside,
                (FORM, HEAD_UPOS, DEPENDENTS),
                (UPOS, HEAD_UPOS, SIDE),
                (UPOS, DEPENDENTS),
                (UPOS, FORM_AFTER),
            ]
        case "lemma":
            return [*beside, (*form, FEATS), (*form, RELATION)]
        case _:
            endings = [(*form[:-1], name) for name in ENDINGS[-2:]]
            return [
                *beside,
                *endings,
                (FORM, RELATION, HEAD_UPOS),
                (*form[:-1], RELATION, DEPENDENTS),
                (DEPENDENTS,),
                (RELATION, DEPENDENTS),
            ]


def _can_be_usual(column: str, values: WordColumn, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return bool[values], which values a context may ask for.

    That a tag or a lemma lacks a feature is no rule: other forms of it have the feature.
    """
    if column == "relation":
        return np.array([name in FUNCTION for name in values.names], bool)
    if column.startswith(FEATURE) and FORM not in columns and XPOS not in columns:
        return np.array([name != "" for name in values.names], bool)
    return np.array([column.startswith(FEATURE) or name not in ("", "_") for name in values.names], bool)


def _is_specified(table: WordTable, contexts: Contexts) -> NDArray[np.bool_]:
    said = np.ones(len(contexts), bool)
    for name in contexts.columns:
        if not name.startswith(FEATURE):
            column = table.column(name)
            is_said = np.array([value not in ("", "_") for value in column.names], bool)
            said &= is_said[column.codes[contexts.first_word]]
    return said


def _contexts_of(table: WordTable, column: str) -> list[tuple[str, ...]]:
    """Return the columns of the contexts that are looked at, from general to special.

    Endings are left out: frequent forms decide about them, and no rule does.
    """
    own_tag = () if column == UPOS else (UPOS,)
    form, lemma = (*own_tag, FORM), (*own_tag, LEMMA)
    match column:
        case "lemma":
            every = [form]
        case "relation":
            every = [lemma, form]
        case "upos":
            every = [(XPOS,), form]
        case "xpos":
            every = [(UPOS,), form]
        case _:
            every = [(UPOS,), (UPOS, XPOS), lemma, form]
    with_xpos = len(table.column(XPOS).names) > 1
    return [columns for columns in every if with_xpos or XPOS not in columns]


def _can_be_doubted(table: WordTable, column: str) -> NDArray[np.bool_]:
    """Return bool[words], which words say something in a column, and are no punctuation."""
    values, tags = table.column(column), table.column("upos")
    says = np.array([column.startswith(FEATURE) or name not in ("", "_") for name in values.names], bool)
    is_word = np.array([name != "PUNCT" for name in tags.names], bool)
    doubted: NDArray[np.bool_] = says[values.codes] & is_word[tags.codes] & (table.treebank == 0)
    return doubted
