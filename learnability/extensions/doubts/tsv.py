"""Write corrections as a list for treebanks that are made from other sources, with tabs between the cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from learnability.extending import Sentence, Tree
from learnability.extensions.doubts.columns import (
    ARCS,
    DEPREL,
    FEATS,
    HEAD,
    LEMMA,
    UPOS,
    XPOS,
    group_of,
    values_in,
)
from learnability.extensions.doubts.decisions import Decision
from learnability.extensions.doubts.doubt import Doubt

HEADINGS = ("sent_id", "word", "form", "column", "old", "new", "reason")


def tsv_lines(doubts: Iterable[Doubt]) -> Iterator[str]:
    """Yield the list of what is proposed in doubts; of an arc head and relation, `3:nsubj`."""
    yield "\t".join(HEADINGS)
    for doubt in doubts:
        old, new = doubt.value, doubt.proposed_value
        if doubt.column in ARCS:
            old = f"{doubt.head}:{doubt.deprel}"
            new = f"{doubt.proposed_head}:{doubt.proposed_deprel}"
        yield _line(doubt.sent_id, doubt.word, doubt.form, doubt.column, old, new, doubt.reason)


def change_lines(pairs: Iterable[tuple[Sentence, Tree]], decisions: Sequence[Decision]) -> list[str]:
    """Return the list of what differs between sentences and their new trees; the decisions have the
    reasons."""
    reasons = _reasons_of(decisions)
    lines = ["\t".join(HEADINGS)]
    for sentence, tree in pairs:
        for column in (LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL):
            old, new = (values_in(each, column) for each in (sentence.tree, tree))
            for word, (before, after) in enumerate(zip(old, new, strict=True), start=1):
                if before != after:
                    reason = reasons.get((sentence.content, word, column), "")
                    form = tree.forms[word - 1]
                    lines.append(_line(sentence.sent_id, word, form, column, before, after, reason))
    return lines


def _reasons_of(decisions: Iterable[Decision]) -> dict[tuple[str, int, str], str]:
    """Return why each column of a word changes, by the content of its sentence, the word and the column."""
    found: dict[tuple[str, int, str], list[str]] = {}
    for each in decisions:
        changed = [(arc.word, column) for arc in each.arcs for column in (HEAD, DEPREL)]
        changed += [(each.place.word, group_of(value.column)) for value in each.values]
        for word, column in changed:
            found.setdefault((each.place.content, word, column), []).append(each.reason)
    return {key: "; ".join(dict.fromkeys(filter(None, reasons))) for key, reasons in found.items()}


def _line(*cells: object) -> str:
    return "\t".join(" ".join(str(cell).split()) for cell in cells)
