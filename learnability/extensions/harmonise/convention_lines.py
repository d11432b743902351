"""Say in words in what treebanks differ, one line for a convention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from random import Random
from typing import Any

import numpy as np

from learnability.extending import Context, WordTable, count_noun, enumerate_names, format_signed
from learnability.extensions.harmonise.conventions import (
    THERE,
    Convention,
    InventoryDifference,
    ParserCost,
)
from learnability.extensions.harmonise.sentence_values import SentenceValues

MOST_CONTEXTS = 5
"""The contexts that a line names."""

DRAWN = 2
"""The sentences that are drawn of each side."""

AROUND = 8
"""The words that are shown before and after a word."""


def describe_inventory(difference: InventoryDifference, names: Sequence[str], treebank: int) -> str:
    """Return what one side has and the other lacks: ``UPOS SCONJ: 41 words of B, none of A``."""
    name, value = difference.column, difference.value
    match name:
        case "upos":
            what = f"tag {value}"
        case "feats":
            what = f"feature {value}"
        case "relation" | "deprel":
            what = f"relation {value}" if name == "relation" else f"subtype {value}"
        case _:
            what = f"value {name.partition(':')[2]}={value}"
    order = [treebank, *(number for number in range(len(names)) if number != treebank)]
    has = [number for number in order if difference.counts[number]]
    lacks = [number for number in order if not difference.counts[number]]
    parts = [f"{count_noun(difference.counts[number], 'word')} of {names[number]}" for number in has]
    parts += [f"none of {names[number]}" for number in lacks]
    return f"{what}: {', '.join(parts)}{describe_cost(difference.cost)}"


def describe_convention(line: Convention, names: Sequence[str], treebank: int) -> str:
    """Return a convention as a sentence: where it holds, and how many words of each treebank are so."""
    counts = line.counts
    if line.is_presence and line.value != THERE:
        counts = tuple((total - found, total) for found, total in line.counts)
    order = [treebank, *(number for number in range(len(names)) if number != treebank)]
    told = [
        f"{counts[number][0]:,} of {counts[number][1]:,} of {names[number]}"
        for number in order
        if counts[number][1]
    ]
    counted = enumerate_names(told) + name_counted(line)
    text = f"{describe_contexts(line.contexts)}: {describe_value(line)} in {counted}"
    if line.is_presence:
        return text
    others = names[1 - treebank] if len(names) == 2 else "the others"
    side = others if line.kind == "own" else names[treebank]
    mostly = name_value(line.columns[0], line.instead)
    return f"{text}; {side} mostly: {mostly}{describe_cost(line.cost)}"


def cost_values(cost: ParserCost | None) -> dict[str, Any] | None:
    return None if cost is None else asdict(cost)


def describe_cost(cost: ParserCost | None) -> str:
    """Return what a convention costs, as the end of a sentence; empty if that is not known."""
    if cost is None:
        return ""
    interval = f"({format_signed(cost.low, 2)} to {format_signed(cost.high, 2)})"
    return f"; it costs parsers of the others {cost.points:.2f} points of {cost.measure} {interval}"


def describe_contexts(contexts: Sequence[Context]) -> str:
    """Return contexts in words; those that differ in one value only are listed together."""
    shown = contexts[:MOST_CONTEXTS]
    alike: dict[tuple[object, ...], list[Context]] = {}
    for context in shown:
        alike.setdefault((context[:-1], context[-1].column), []).append(context)
    told = []
    for first, *others in alike.values():
        values = "".join(f", {context[-1].value}" for context in others)
        told.append(first.describe() + values)
    more = f" and {len(contexts) - len(shown)} more" if len(contexts) > len(shown) else ""
    return "; ".join(told) + more


def describe_value(line: Convention) -> str:
    """Return what words have: ``Number and Person are there``, ``tagged ADJ``."""
    if line.is_presence:
        names = [name.partition(":")[2] for name in line.columns]
        return f"{enumerate_names(names)} {'is' if len(names) == 1 else 'are'} there"
    return name_value(line.columns[0], line.value)


def name_counted(line: Convention) -> str:
    """Return which words are counted where some have no value: `` that have XPOS``."""
    column, _, feature = line.columns[0].partition(":")
    if column == "split":
        return " that are split"
    if line.is_presence or column not in ("xpos", "feats"):
        return ""
    return f" that have {feature or 'XPOS'}"


def name_value(column: str, value: str) -> str:
    """Return a value of a column in words."""
    match column:
        case "upos":
            return f"tagged {value}"
        case "xpos":
            return f"XPOS {value}"
        case "lemma":
            return _name_lemma(value)
        case "relation":
            return f"relation {value}"
        case "subtype":
            return f"subtype {value}" if value else "no subtype"
        case "side":
            return f"head {value} the word" if value != "root" else "no head"
        case "head_upos":
            return f"head tagged {value}" if value != "root" else "no head"
        case "parts":
            return f"split into {value} words" if value != "1" else "one word"
        case "split":
            return f"split into {value}"
    return f"{column.partition(':')[2]}={value}"


def _name_lemma(edit: str) -> str:
    """Return a value of `lemma_edit` in words: ``-ies > -y`` is ``lemma with -y for -ies``."""
    if edit.startswith("= "):
        return f"lemma {'like the ' if is_own_form(edit) else ''}{edit.removeprefix('= ')}"
    edit, _, rest = edit.partition(", ")
    gone, _, come = edit.partition(" > ")
    told = f"lemma without {gone}" if come == "-" else f"lemma with {come} for {gone}"
    if gone == "-":
        told = f"lemma with {come} added"
    return f"{told}, {rest}" if rest else told


def queries_of(line: Convention) -> list[str]:
    return [_with_value(line, context).query() for context in line.contexts[:MOST_CONTEXTS]]


def _with_value(line: Convention, context: Context) -> Context:
    """Return a context with the value, where a query can say it."""
    name = line.columns[0]
    if line.is_presence or name in ("lemma", "parts", "split"):
        return context
    return context.with_value(name, line.value)


def value_of(table: WordTable, line: Convention, word: int) -> str:
    """Return what a word has in the column of a convention."""
    name = line.columns[0]
    if line.is_presence:
        return THERE if table.value(name, word) else "not there"
    return table.value("lemma_edit" if name == "lemma" else name, word)


def draw_sentences(
    table: WordTable, line: Convention, treebank: int, seed: int
) -> tuple[list[int], list[int], list[int]]:
    """Draw words that a convention concerns, words of the others, and exceptions in the treebank."""
    concerned = set(line.places.tolist())
    inside = np.flatnonzero(Context.find_words(table, line.contexts))
    wanted = line.instead if line.kind == "own" else line.value
    others = [
        word
        for word in inside[table.treebank[inside] != treebank].tolist()
        if value_of(table, line, word) == wanted
    ]
    counts_all = not name_counted(line)
    exceptions = [
        word
        for word in inside[table.treebank[inside] == treebank].tolist()
        if word not in concerned and (counts_all or value_of(table, line, word))
    ]
    chance = Random(seed)
    drawn = [
        sorted(chance.sample(words, min(DRAWN, len(words))))
        for words in (sorted(concerned), others, exceptions)
    ]
    return drawn[0], drawn[1], drawn[2]


def show_word(table: WordTable, word: int) -> str:
    """Return a word in its sentence: ``dev-s12: cum [deus] sit``."""
    sentence = table.sentences[int(table.sentence[word])]
    place = int(table.position[word]) - 1
    forms = list(sentence.tree.forms)
    forms[place] = f"[{forms[place]}]"
    first, last = max(0, place - AROUND), place + AROUND + 1
    before, after = "… " if first else "", " …" if last < len(forms) else ""
    return f"{sentence.name}: {before}{' '.join(forms[first:last])}{after}"


def value_to_propose(line: Convention, treebank: int) -> str | None:
    """Return what the others nearly always have in the contexts; None if it depends on the sentence."""
    others = [number for number in range(len(line.counts)) if number != treebank]
    total = sum(line.counts[number][1] for number in others)
    if is_sparse(line, treebank):
        return None
    counted = [line.counts[number][0] for number in others]
    if line.kind == "own":
        counted = [line.instead_counts[number] for number in others]
    value = line.instead if line.kind == "own" else line.value
    return value if total and sum(counted) >= PROPOSED * total else None


def is_sparse(line: Convention, treebank: int) -> bool:
    """Return whether too few words of the others have a value there to say that all should have one."""
    filled, there = _count_filled(line, treebank)
    return filled < PROPOSED * there


def _count_filled(line: Convention, treebank: int) -> tuple[int, int]:
    of_each = [(total, there) for (_, total), there in zip(line.counts, line.words_there, strict=True)]
    filled, there = zip(*(of_each[:treebank] + of_each[treebank + 1 :]), strict=True)
    return sum(filled), sum(there)


LEARNED = ("upos", "xpos", "lemma")
"""The columns, besides features, of which classifiers learn what depends on the sentence."""


def depends_on_sentence(line: Convention, treebank: int) -> bool:
    """Return whether contexts do not say what the words of a line should have, but sentences may."""
    column = line.columns[0]
    if not (column in LEARNED or column.startswith("feats:")) or is_sparse(line, treebank):
        return False
    proposal = value_to_propose(line, treebank)
    if line.is_presence:
        return proposal == THERE
    return proposal is None or column == "xpos" or (column == "lemma" and not is_own_form(proposal))


def is_own_form(edit: str) -> bool:
    """Return whether a value of `lemma_edit` says that the lemma is the form."""
    return WordTable.make_lemma("", edit) is not None


WITHOUT_PROPOSALS = frozenset({"side", "head_upos", "parts", "split"})
"""The columns of which a row of decisions cannot say what to do."""

PROPOSED = 0.9
"""The share of the words of the others that have a value that is proposed for each word."""


def as_record(line: Convention, names: Sequence[str], treebank: int, table: WordTable) -> dict[str, Any]:
    """Return a convention as values for JSON."""
    concerned, others, exceptions = draw_sentences(table, line, treebank, 1)
    return {
        "line": describe_convention(line, names, treebank),
        "columns": list(line.columns),
        "kind": line.kind,
        "value": line.value,
        "instead": line.instead,
        "contexts": [[pair._asdict() for pair in context] for context in line.contexts],
        "treebanks": [
            {"treebank": name, "words": found, "of": total, "instead": instead}
            for name, (found, total), instead in zip(names, line.counts, line.instead_counts, strict=True)
        ],
        "words": len(line.places),
        "sureness": line.sureness,
        "cost": cost_values(line.cost),
        "proposal": value_to_propose(line, treebank),
        "queries": queries_of(line),
        "sentences": [show_word(table, word) for word in concerned],
        "sentences_of_others": [show_word(table, word) for word in others],
        "exceptions": [show_word(table, word) for word in exceptions],
    }


def explain_line(line: Convention, names: Sequence[str], treebank: int, table: WordTable) -> Iterator[str]:
    """Yield the lines that explain a convention: sentences of both sides, exceptions, queries."""
    yield describe_convention(line, names, treebank)
    for title, words, _ in titled_sentences(table, line, treebank, names):
        yield f"{title}:"
        for word in words:
            yield f"  {show_word(table, word)}"
    yield from explain_proposal(line, treebank)
    for query in filter(None, queries_of(line)):
        yield f"Grew-match: {query}"


def titled_sentences(
    table: WordTable, line: Convention, treebank: int, names: Sequence[str]
) -> Iterator[tuple[str, list[int], str]]:
    """Yield words that a convention concerns, words of the others, and exceptions, as far as there are any.

    Each with a title, and a query where that finds them.
    """
    first = names[treebank]
    titles = (
        f"{count_noun(len(line.places), 'word')} of {first}, for example",
        f"In {names[1 - treebank] if len(names) == 2 else 'the others'}",
        f"Exceptions in {first}",
    )
    found = 1 if line.kind == "missing" and not line.is_presence else 0
    for number, words in enumerate(draw_sentences(table, line, treebank, 1)):
        if words:
            yield titles[number], words, queries_of(line)[0] if number == found else ""


def explain_proposal(
    line: Convention, treebank: int, learned: Mapping[str, SentenceValues] | None = None
) -> Iterator[str]:
    """Yield where the proposals for the words of a convention come from, or why there are none.

    `learned`: by column what was learned from the others; None: nothing was yet.
    """
    if line.columns[0] in WITHOUT_PROPOSALS:
        yield "Nothing is proposed for heads and split words."
    elif is_sparse(line, treebank):
        filled, there = _count_filled(line, treebank)
        column = line.columns[0].removeprefix("feats:")
        name = "XPOS" if column == "xpos" else column
        of = count_noun(there, "word")
        yield f"The others have {name} in {filled:,} of {of} there, so nothing is proposed."
    elif depends_on_sentence(line, treebank):
        if learned is None:
            yield "What a word should have depends on its sentence; --out learns it from the others."
        for name in line.columns:
            if learned is not None and name in learned:
                yield _tell_learned(name, learned[name])
    elif value_to_propose(line, treebank) is None:
        yield "What a word should have depends on its sentence, so nothing is proposed."


def _tell_learned(name: str, learned: SentenceValues) -> str:
    column = "Tag" if name == "upos" else "XPOS" if name == "xpos" else name.removeprefix("feats:")
    column = column[0].upper() + column[1:]
    if not learned.held:
        return f"{column}: by a classifier; no words of the others were held out."
    of = f"of {count_noun(learned.held, 'held-out word')} of the others"
    return f"{column}: by a classifier. It finds {100 * learned.share:.1f} % {of}."
