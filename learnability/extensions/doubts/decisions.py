"""Decisions about doubts: what a maintainer says of each, in files that outlive the run.

A file of decisions is doubts.csv with the column `decision` filled in. A decision is about the words of a
sentence and the arc of one of them: it holds wherever these are found again, whatever else was renumbered,
moved or corrected.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from learnability.extending import InputError
from learnability.extensions.doubts.columns import ARCS, DEPREL, FEATS, HEAD, LEMMA, UPOS, XPOS, is_column
from learnability.extensions.doubts.linked_arc import ProposedArc

Verdict = Literal["accept", "reject", "later", ""]
"""What is decided: the proposal is right; the annotation is right; not yet; nothing."""

ACCEPT: Verdict = "accept"
REJECT: Verdict = "reject"
LATER: Verdict = "later"
OPEN: Verdict = ""
VERDICTS = (ACCEPT, REJECT, LATER, OPEN)

SECOND = "second"

BOTH = "both"
"""What accepts the proposal and the other half of the correction."""

HALVES = (DEPREL, UPOS, XPOS, FEATS, LEMMA)

NEEDED = ("content", "word", "head", "deprel", "proposed_head", "proposed_deprel", "decision")
"""The columns that a table of decisions has to have."""

VALUE = ("column", "value", "proposed_value")
"""The columns of what is decided about. In a table without them it is the arc."""

ALSO = ("also_word", "also_head", "also_deprel")
"""The columns of the arc that changes with a proposal."""

OF_SECOND = {
    "proposed_head": "second_head",
    "proposed_deprel": "second_deprel",
    **{name: f"second_{name}" for name in ALSO},
}
"""The columns of the second proposal, by those of the first."""


class DecidedPlace(NamedTuple):
    """Represent what a decision is about: a word by its number in a sentence, and what is annotated there.

    Attributes:
        content: the digits of the sentence.
        head, deprel: its arc; 0 and empty if another column is decided about, which holds with any arc.
        value: what is annotated there; empty for arcs.
    """

    content: str
    word: int
    head: int = 0
    deprel: str = ""
    column: str = HEAD
    value: str = ""

    @classmethod
    def of(cls, content: str, word: int, arc: tuple[int, str], column: str, value: str) -> DecidedPlace:
        return (
            cls(content, word, *arc, column) if column in ARCS else cls(content, word, 0, "", column, value)
        )


class ProposedValue(NamedTuple):
    """Represent another value of a word in a column that is no arc; `old` is empty if it is not known."""

    column: str
    old: str
    new: str


@dataclass(frozen=True)
class Decision:
    """Represent what someone decided about a doubt.

    Attributes:
        place: the word, with its arc or its value as it was annotated.
        arcs: the arcs that take the place of the annotated ones, if it is accepted: that of the word first.
        where: the file and line of the decision.
        sent_id, form, pattern, reason, rule, would_break: those of the doubt.
        score: that of the doubt; 0 if the file has none.
        upos: the tag that the word had; empty if the file does not say it.
        proposed_upos: the tag that takes its place if the decision is to accept; empty: none.
        proposed_value: the value that takes the place of that of the column, if no arc is decided about.
        other_half: what else changes if the decision is to accept.
    """

    place: DecidedPlace
    verdict: Verdict
    arcs: tuple[ProposedArc, ...]
    where: str = ""
    sent_id: str = ""
    form: str = ""
    pattern: str = ""
    score: float = 0.0
    upos: str = ""
    proposed_upos: str = ""
    proposed_value: str = ""
    other_half: tuple[ProposedValue, ...] = ()
    reason: str = ""
    rule: str = ""
    would_break: str = ""

    @property
    def values(self) -> tuple[ProposedValue, ...]:
        """Return the values that take the place of others, if the decision is to accept."""
        tag = [ProposedValue(UPOS, self.upos, self.proposed_upos)] if self.proposed_upos else []
        if self.place.column in ARCS or (tag and self.place.column == UPOS):
            return (*tag, *self.other_half)
        own = ProposedValue(self.place.column, self.place.value, self.proposed_value)
        return (own, *tag, *self.other_half)

    @property
    def settled(self) -> Iterator[DecidedPlace]:
        """Yield what is decided: the place, and what has taken its place where it was accepted."""
        yield self.place
        if self.verdict != ACCEPT:
            return
        content, word = self.place[:2]
        for arc in self.arcs:
            for column in ARCS:
                yield DecidedPlace.of(content, arc.word, (arc.head, arc.deprel), column, "")
        for column, _, new in self.values:
            yield DecidedPlace.of(content, word, (0, ""), column, new)

    @property
    def outcome(self) -> tuple[Verdict, tuple[ProposedArc, ...], tuple[str, ...]]:
        """Return in what two decisions about a place have to agree."""
        if self.verdict != ACCEPT:
            return self.verdict, (), ()
        return self.verdict, self.arcs, tuple(value.new for value in self.values)


@dataclass(frozen=True)
class DecisionFile:
    """Hold what a file of decisions says.

    Attributes:
        decisions: those about words.
        patterns: those that are rejected as a whole.
        run: the folder of the run whose page wrote it, if it says so.
        lines: the patterns that are accepted as a whole, with the names of the files that have their words.
    """

    decisions: Sequence[Decision] = ()
    patterns: frozenset[str] = frozenset()
    run: str = ""
    lines: Mapping[str, str] = field(default_factory=dict)


def read_decisions(path: str) -> DecisionFile:
    """Return what a file of decisions says; raise an InputError if it, or a line of it, cannot be read."""
    return parse_decisions(read_text(path), path)


def read_text(path: str) -> str:
    """Return the text of a file of decisions; raise an InputError if it cannot be read, or is not UTF-8."""
    with InputError.explain(f"{path} cannot be read", "give a file of decisions"):
        data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: the line is not UTF-8; convert the file to UTF-8") from None


def read_rows(path: str) -> list[dict[str, str]]:
    """Return the cells of a table of decisions by the names of their columns; an InputError as
    `read_text`."""
    return [
        {column: value for column, value in cells.items() if column and isinstance(value, str)}
        for cells in _rows_of(read_text(path))
    ]


def _rows_of(text: str) -> csv.DictReader[str]:
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)  # spreadsheets save what their language uses
    return csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)


def parse_decisions(text: str, name: str) -> DecisionFile:
    """Return what the text of a file of decisions says; an empty one says nothing.

    Raises:
        InputError: a line of it cannot be read.
    """
    if not text.strip():
        return DecisionFile()
    decisions, patterns, run, lines = [], set(), "", {}
    rows = _rows_of(text)
    try:
        if missing := [column for column in NEEDED if column not in (rows.fieldnames or ())]:
            raise InputError(f"{name}:1: there is no column {missing[0]}; use the columns of doubts.csv")
        for cells in rows:
            where = f"{name}:{rows.line_num}"
            row = {
                column: value.strip() for column, value in cells.items() if column and isinstance(value, str)
            }
            if row.get("decision", "").lower() == SECOND:
                row = _with_second(row, where)
            row = _with_half(row, where)
            run = run or row.get("run", "")
            verdict = _read_verdict(row.get("decision", ""), where)
            if row.get("pattern") and not row.get("word"):
                if verdict == ACCEPT and row.get("file"):
                    lines[row["pattern"]] = row["file"]
                elif verdict == REJECT:
                    patterns.add(row["pattern"])
                else:
                    raise InputError(f"{where}: a whole pattern can only be rejected; decide about its words")
            else:
                decisions.append(_read_row(row, verdict, where))
    except csv.Error as error:
        line = rows.line_num + 1
        raise InputError(f"{name}:{line}: the line cannot be read ({error}); correct it") from None
    return DecisionFile(decisions, frozenset(patterns), run, lines)


def _with_second(row: Mapping[str, str], where: str) -> dict[str, str]:
    if not row.get("second_head"):
        raise InputError(f"{where}: there is no second proposal; use {ACCEPT}, {REJECT} or {LATER}")
    return {**row, **{name: row.get(second, "") for name, second in OF_SECOND.items()}, "decision": ACCEPT}


def _with_half(row: Mapping[str, str], where: str) -> dict[str, str]:
    if row.get("decision", "").lower() != BOTH:
        return {**row, "other_half": ""}
    if not row.get("other_half"):
        raise InputError(f"{where}: there is no other half; use {ACCEPT}, {REJECT} or {LATER}")
    return {**row, "decision": ACCEPT}


def _read_half(text: str, where: str) -> tuple[ProposedValue, ...]:
    """Return the values of a cell like ``deprel=discourse xpos=UH feats=_``."""
    values = []
    for item in text.split():
        column, _, value = item.partition("=")
        if column not in HALVES or not value:
            raise InputError(
                f"{where}: {item[:40]!r} is no other half; write for example deprel=discourse xpos=UH feats=_"
            )
        values.append(ProposedValue(column, "", value))
    return tuple(values)


def half_in_cell(values: Iterable[tuple[str, str]]) -> str:
    """Return the other half as a cell has it; `values`: by column."""
    return " ".join(f"{column}={value}" for column, value in values)


def _read_verdict(text: str, where: str) -> Verdict:
    for verdict in VERDICTS:
        if text.lower() == verdict:
            return verdict
    raise InputError(
        f"{where}: decision {text[:40]!r} is unknown; use {ACCEPT}, {SECOND}, {BOTH}, {REJECT} or {LATER}"
    )


def _read_row(row: Mapping[str, str], verdict: Verdict, where: str) -> Decision:
    content = row.get("content", "")
    if not re.fullmatch("[0-9a-f]{16}", content):
        raise InputError(
            f"{where}: content {content[:40]!r} has not sixteen digits; copy them from doubts.csv"
        )
    word = _read_number(row, "word", where)
    column = row.get("column") or HEAD
    if not is_column(column):
        raise InputError(f"{where}: there is no column {column[:40]!r}; copy it from doubts.csv")
    arc = _read_number(row, "head", where), row.get("deprel", "")
    place = DecidedPlace.of(content, word, arc, column, row.get("value", ""))
    _check_columns(row, column, where)
    arcs = _read_arcs(row, word, where) if column in ARCS else ()
    try:
        score = float(row.get("score") or 0)
    except ValueError:
        raise InputError(
            f"{where}: score {row['score'][:40]!r} is not a number; write it with a point"
        ) from None
    return Decision(
        place, verdict, arcs, where, row.get("sent_id", ""), row.get("form", ""),
        row.get("pattern", ""), score, row.get("upos", ""), row.get("proposed_upos", ""),
        row.get("proposed_value", ""), _read_half(row.get("other_half", ""), where),
        row.get("reason", ""), row.get("rule", ""), row.get("would_break", ""),
    )  # fmt: skip


def _read_arcs(row: Mapping[str, str], word: int, where: str) -> tuple[ProposedArc, ...]:
    own = ProposedArc(word, _read_number(row, "proposed_head", where), row.get("proposed_deprel", ""))
    if not row.get("also_word"):
        return (own,)
    also_word, also_head = _read_number(row, "also_word", where), _read_number(row, "also_head", where)
    if also_word == word:
        raise InputError(
            f"{where}: also_word {word} is the word itself; write its head into proposed_head, or "
            "another word into also_word"
        )
    return own, ProposedArc(also_word, also_head, row.get("also_deprel", ""))


def _check_columns(row: Mapping[str, str], column: str, where: str) -> None:
    """Refuse a proposal in a column that a row does not read, so that none is ignored."""
    if column in ARCS and row.get("proposed_value"):
        raise InputError(
            f"{where}: proposed_value is not read in a row of column {column}; write the arc into "
            "proposed_head and proposed_deprel, a tag into proposed_upos"
        )
    given = [(row.get(name, ""), row.get(f"proposed_{name}", "")) for name in ("head", "deprel")]
    if column not in ARCS and any(proposed not in ("", old) for old, proposed in given):
        raise InputError(
            f"{where}: proposed_head and proposed_deprel are not read in a row of column {column}; write the "
            "value into proposed_value, and decide about the arc in a row of column head"
        )


def _read_number(row: Mapping[str, str], column: str, where: str) -> int:
    text = row.get(column, "")
    if not re.fullmatch("[0-9]{1,6}", text):
        raise InputError(f"{where}: {column} {text[:40]!r} is not the number of a word; correct it")
    return int(text)


def decisions_text(decisions: Iterable[Decision], patterns: Iterable[str] = ()) -> str:
    """Return what is accepted and rejected, words and whole patterns, as the text of a file."""
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    writer.writerow((*NEEDED, "upos", "proposed_upos", "score", "pattern", *ALSO, *VALUE, "other_half"))
    for decision in {id(decision): decision for decision in decisions}.values():  # copies share one
        if decision.verdict in (ACCEPT, REJECT):
            content, word, head, deprel, column, value = decision.place
            also = decision.arcs[1] if len(decision.arcs) > 1 else ("", "", "")
            proposed = decision.arcs[0][1:] if decision.arcs else (head, deprel)
            half = half_in_cell((column, new) for column, _, new in decision.other_half)
            row = content, word, head, deprel, *proposed, BOTH if half else decision.verdict
            tags = decision.upos, decision.proposed_upos
            values = column, value, decision.proposed_value
            writer.writerow((*row, *tags, decision.score or "", decision.pattern, *also, *values, half))
    for pattern in sorted(patterns):
        writer.writerow(
            ("", "", "", "", "", "", REJECT, "", "", "", pattern, *[""] * len((*ALSO, *VALUE, BOTH)))
        )
    return kept.getvalue()
