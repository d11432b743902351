"""Join files of decisions of several people: what they agree on, what not, and nothing lost."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from learnability.extending import count_noun
from learnability.extensions.doubts.decisions import (
    ACCEPT,
    OPEN,
    DecidedPlace,
    Decision,
    read_decisions,
    read_rows,
)
from learnability.extensions.doubts.files import COLUMNS

Row = Mapping[str, str]


@dataclass(frozen=True)
class JoinedTable:
    """Hold several files of decisions as one.

    Attributes:
        decided: by column, the outcomes of all who decided about a place, place by place.
        conflicts: the decisions about each place where outcomes differ.
    """

    data: bytes
    rows: int
    decided: Mapping[str, Sequence[Sequence[Decision]]]
    conflicts: Sequence[Sequence[Decision]]


def join_tables(paths: Sequence[str]) -> JoinedTable:
    """Return files of decisions as one; raise an InputError if one cannot be read.

    Decisions about a place that agree become one row, with the notes of all. Where they do not agree, all
    rows stay, so that `--apply` names them until one is deleted. Rows that nobody decided stay once.
    """
    by_place: dict[DecidedPlace, list[tuple[str, Decision, Row]]] = {}
    others: dict[tuple[tuple[str, str], ...], Row] = {}
    for path in paths:
        rows = read_rows(path)
        decisions = read_decisions(path).decisions
        with_word = [row for row in rows if row.get("word")]
        for decision, row in zip(decisions, with_word, strict=True):
            by_place.setdefault(decision.place, []).append((path, decision, row))
        others |= {tuple(row.items()): row for row in rows if not row.get("word")}  # whole patterns
    joined: list[Row] = list(others.values())
    decided: dict[str, list[Sequence[Decision]]] = {}
    conflicts = []
    for place, entries in by_place.items():
        made = [decision for _, decision, _ in entries if decision.verdict != OPEN]
        if len(made) > 1:
            decided.setdefault(place.column, []).append(made)
        outcomes = {decision.outcome for decision in made}
        if len(outcomes) > 1:
            conflicts.append(made)
            joined += [row for _, decision, row in entries if decision.verdict != OPEN]
            continue
        kept = next((row for _, decision, row in entries if decision.verdict != OPEN), entries[0][2])
        notes = dict.fromkeys(row["note"] for *_, row in entries if row.get("note"))
        joined.append({**kept, "note": "; ".join(notes)})
    names = [column.name for column in COLUMNS]
    names += [name for name in dict.fromkeys(name for row in joined for name in row) if name not in names]
    written = io.StringIO()
    writer = csv.DictWriter(written, names, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(joined)
    return JoinedTable(written.getvalue().encode(), len(joined), decided, conflicts)


def agreement_lines(joined: JoinedTable) -> Iterator[str]:
    """Yield in what people agree by column, and every conflict."""
    if not joined.decided:
        yield "Nobody decided about what another one had decided."
    for column, places in sorted(joined.decided.items()):
        agreeing = sum(len({each.outcome for each in made}) == 1 for made in places)
        both = count_noun(len(places), "place")
        yield f"{column}: {both} decided more than once, {agreeing:,} alike ({agreeing / len(places):.0%})"
    for made in joined.conflicts:
        yield f"Decided differently: {made[0].form} ({made[0].place.column}): {tell_decisions(made)}"


def tell_decisions(decisions: Sequence[Decision]) -> str:
    """Return decisions in words, ``anna.csv:3 accept INTJ, ben.csv:7 reject``."""
    return ", ".join(map(_tell_decision, decisions))


def _tell_decision(decision: Decision) -> str:
    told = f"{decision.where} {decision.verdict}"
    if decision.verdict != ACCEPT:
        return told
    arcs = [f"{arc.deprel} of {arc.head}" for arc in decision.arcs]
    return f"{told} {', '.join([*arcs, *(value.new or 'nothing' for value in decision.values)])}"
