"""Decisions about doubts: what a maintainer says of each, in files that outlive the run.

A file of decisions is doubts.csv with the column `decision` filled in, or has lines of doubts.txt, which
reject those doubts. A decision is about the words of a sentence and the arc of one of them: it holds wherever
these are found again, whatever else was renumbered, moved or corrected.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from learnability.errors import InputError, explain_errors
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.treebanks.fingerprints import digest_text
from learnability.treebanks.sentence import Tree

Verdict = Literal["accept", "reject", "later", ""]
"""What is decided: the proposal is right; the annotation is right; not yet; nothing."""

ACCEPT: Verdict = "accept"
REJECT: Verdict = "reject"
LATER: Verdict = "later"
OPEN: Verdict = ""
VERDICTS = (ACCEPT, REJECT, LATER, OPEN)

PATTERN = "pattern:"
"""The beginning of a line of text that rejects a whole pattern."""

NEEDED = ("content", "word", "head", "deprel", "proposed_head", "proposed_deprel", "decision")
"""The columns that a table of decisions has to have."""

ALSO = ("also_word", "also_head", "also_deprel")
"""The columns of the arc that changes with a proposal."""

_LINE = re.compile(r"\[File .*? Line \d+ Sent (.+) Node (\d+)\]: \[L3 Doubt annotation\] .* #([0-9a-f]{8})")


def fingerprint(tree: Tree) -> str:
    """Return eight hexadecimal digits that change with the words, tags, heads or relations of a sentence."""
    columns = (tree.forms, tree.upos, tuple(map(str, tree.heads)), tree.deprels)
    return digest_text("\n".join("\t".join(column) for column in columns), 8)


class DecidedArc(NamedTuple):
    """Represent what a decision is about: a word by its number in a sentence, and its annotated arc."""

    content: str
    word: int
    head: int
    deprel: str


@dataclass(frozen=True)
class Decision:
    """Represent what someone decided about a doubt.

    Attributes:
        place: the word, with its arc as it was annotated.
        verdict: the decision.
        arcs: the arcs that take the place of the annotated ones, if it is accepted: that of the word first.
        where: the file and line of the decision.
        sent_id: the id that the sentence had.
        form: the word.
        pattern: the pattern of the doubt.
        probability: that of the doubt; 0 if the file has none.
        upos: the tag that the word had; empty if the file does not say it.
        proposed_upos: the tag that takes its place if the decision is to accept; empty: none.
    """

    place: DecidedArc
    verdict: Verdict
    arcs: tuple[ProposedArc, ...]
    where: str = ""
    sent_id: str = ""
    form: str = ""
    pattern: str = ""
    probability: float = 0.0
    upos: str = ""
    proposed_upos: str = ""

    @property
    def outcome(self) -> tuple[Verdict, tuple[ProposedArc, ...], str]:
        """Return in what two decisions about a place have to agree."""
        return (
            (self.verdict, self.arcs, self.proposed_upos)
            if self.verdict == ACCEPT
            else (self.verdict, (), "")
        )


@dataclass(frozen=True)
class Rejected:
    """Hold the rejections of lines of text: doubts by sentence id, word and fingerprint, and patterns."""

    doubts: frozenset[tuple[str, int, str]] = frozenset()
    patterns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DecisionFile:
    """Hold what a file of decisions says."""

    decisions: Sequence[Decision] = ()
    rejected: Rejected = Rejected()


def read_decisions(path: str) -> DecisionFile:
    """Return what a file of decisions says.

    Raises:
        InputError: it cannot be read, or a line of it.
    """
    return parse_decisions(read_text(path), path)


def read_text(path: str) -> str:
    """Return the text of a file of decisions.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    with explain_errors(f"{path} cannot be read", "give a file of decisions"):
        data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: the line is not UTF-8; convert the file to UTF-8") from None


def parse_decisions(text: str, name: str) -> DecisionFile:
    """Return what the text of a file of decisions says; its first line says whether it is a table.

    Raises:
        InputError: a line of it cannot be read.
    """
    lines = _split_lines(text)
    if _are_doubts(lines):
        return DecisionFile(rejected=_read_lines(lines, name))
    first = next(filter(_counts, lines))
    if not {"content", "decision"} <= {cell.strip('"') for cell in re.split("[,;\t]", first)}:
        raise InputError(
            f"{name}:{lines.index(first) + 1}: {first[:60]!r} is no doubt; copy lines of doubts.txt, write "
            f"{PATTERN} and a pattern, or use doubts.csv with decisions"
        )
    return _read_table(text, name)


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]  # ids and forms may hold other ends of lines


def _counts(line: str) -> bool:
    return line != "" and not line.startswith("#")


def _are_doubts(lines: Sequence[str]) -> bool:
    """Return whether lines are those of doubts.txt, or patterns, and no table."""
    first = next(filter(_counts, lines), PATTERN)
    return first.startswith(PATTERN) or _LINE.fullmatch(first) is not None


def _read_lines(lines: Iterable[str], name: str) -> Rejected:
    doubts, patterns = set(), set()
    for number, line in enumerate(lines, start=1):
        if line.startswith(PATTERN):
            patterns.add(line.removeprefix(PATTERN).strip())
        elif match := _LINE.fullmatch(line):
            doubts.add((match[1], int(match[2]), match[3]))
        elif _counts(line):
            raise InputError(
                f"{name}:{number}: {line[:60]!r} is no doubt; copy lines of doubts.txt, or write {PATTERN} "
                "and a pattern"
            )
    return Rejected(frozenset(doubts), frozenset(patterns))


def _read_table(text: str, name: str) -> DecisionFile:
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)  # spreadsheets save what their language uses
    decisions, patterns = [], set()
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        if missing := [column for column in NEEDED if column not in (rows.fieldnames or ())]:
            raise InputError(f"{name}:1: there is no column {missing[0]}; use the columns of doubts.csv")
        for cells in rows:
            where = f"{name}:{rows.line_num}"
            row = {
                column: value.strip() for column, value in cells.items() if column and isinstance(value, str)
            }
            verdict = _read_verdict(row.get("decision", ""), where)
            if row.get("pattern") and not row.get("word"):
                if verdict != REJECT:
                    raise InputError(f"{where}: a whole pattern can only be rejected; decide about its words")
                patterns.add(row["pattern"])
            else:
                decisions.append(_read_row(row, verdict, where))
    except csv.Error as error:
        line = rows.line_num + 1
        raise InputError(f"{name}:{line}: the line cannot be read ({error}); correct it") from None
    return DecisionFile(decisions, Rejected(patterns=frozenset(patterns)))


def _read_verdict(text: str, where: str) -> Verdict:
    for verdict in VERDICTS:
        if text.lower() == verdict:
            return verdict
    raise InputError(f"{where}: decision {text[:40]!r} is unknown; use {ACCEPT}, {REJECT} or {LATER}")


def _read_row(row: Mapping[str, str], verdict: Verdict, where: str) -> Decision:
    content = row.get("content", "")
    if not re.fullmatch("[0-9a-f]{16}", content):
        raise InputError(
            f"{where}: content {content[:40]!r} has not sixteen digits; copy them from doubts.csv"
        )
    word = _read_number(row, "word", where)
    place = DecidedArc(content, word, _read_number(row, "head", where), row.get("deprel", ""))
    arcs = [ProposedArc(word, _read_number(row, "proposed_head", where), row.get("proposed_deprel", ""))]
    if row.get("also_word"):
        also_word, also_head = _read_number(row, "also_word", where), _read_number(row, "also_head", where)
        arcs.append(ProposedArc(also_word, also_head, row.get("also_deprel", "")))
    try:
        probability = float(row.get("probability") or 0)
    except ValueError:
        raise InputError(
            f"{where}: probability {row['probability'][:40]!r} is not a number; write it with a point"
        ) from None
    return Decision(
        place, verdict, tuple(arcs), where, row.get("sent_id", ""), row.get("form", ""),
        row.get("pattern", ""), probability, row.get("upos", ""), row.get("proposed_upos", ""),
    )  # fmt: skip


def _read_number(row: Mapping[str, str], column: str, where: str) -> int:
    text = row.get(column, "")
    if not re.fullmatch("[0-9]{1,6}", text):
        raise InputError(f"{where}: {column} {text[:40]!r} is not the number of a word; correct it")
    return int(text)


@dataclass(frozen=True)
class Conflict:
    """Represent decisions about the same place that contradict each other."""

    decisions: Sequence[Decision]


def merge_decisions(files: Iterable[DecisionFile]) -> tuple[list[Decision], list[Conflict]]:
    """Return the decisions of several files, each once, and those that contradict each other.

    What is open or to be decided later contradicts nothing.
    """
    by_place: dict[DecidedArc, list[Decision]] = {}
    for file in files:
        for decision in file.decisions:
            if decision.verdict in (ACCEPT, REJECT):
                by_place.setdefault(decision.place, []).append(decision)
    agreed, conflicts = [], []
    for decisions in by_place.values():
        distinct = list({decision.outcome: decision for decision in reversed(decisions)}.values())
        if len(distinct) == 1:
            agreed.append(distinct[0])
        else:
            conflicts.append(Conflict(distinct[::-1]))
    return agreed, conflicts


def accept_matching(file: DecisionFile, choices: Sequence[str]) -> DecisionFile:
    """Return a file in which the open doubts that a choice names are accepted.

    Doubts about the same word of sentences with the same words are one. What is decided about it stands;
    otherwise the most probable of those that are named is accepted, which holds for all these sentences.

    Args:
        file: what is read from doubts.csv.
        choices: a pattern each, or a probability, ``>0.9``.

    Raises:
        InputError: a choice names no doubt.
    """
    chosen: set[int] = set()
    for choice in choices:
        found = {i for i, decision in enumerate(file.decisions) if _is_chosen(decision, choice)}
        if not found:
            raise InputError(
                f"no doubt fits {choice!r}; name a pattern of patterns.csv, or for example '>0.9'"
            )
        chosen |= found
    settled = {decision.place for decision in file.decisions if decision.verdict != OPEN}
    decisions = list(file.decisions)
    for i in sorted(chosen, key=lambda i: (-decisions[i].probability, i)):
        if decisions[i].place not in settled:
            settled.add(decisions[i].place)
            decisions[i] = replace(decisions[i], verdict=ACCEPT)
    return replace(file, decisions=decisions)


def _is_chosen(decision: Decision, choice: str) -> bool:
    least = re.fullmatch(r"\s*>\s*([0-9]*\.?[0-9]+)\s*", choice)
    return decision.probability > float(least[1]) if least else decision.pattern == choice


@dataclass(frozen=True)
class Known:
    """Hold the doubts that are decided, so that they are not listed again.

    Attributes:
        decisions: what tables accept and reject, each place once.
        rejected: what lines of text reject.
    """

    decisions: Sequence[Decision] = ()
    rejected: Rejected = Rejected()

    @cached_property
    def places(self) -> Mapping[DecidedArc, Verdict]:
        """Return what is decided by what it is about."""
        return {decision.place: decision.verdict for decision in self.decisions}

    def find_verdict(self, place: DecidedArc, sent_id: str, mark: str, patterns: Iterable[str]) -> Verdict:
        """Return what is decided about a doubt; empty if nothing is.

        Args:
            place: what it is about.
            sent_id: the id of the sentence.
            mark: its :func:`fingerprint`.
            patterns: the names of the pattern, of now and of earlier versions.
        """
        is_rejected = (sent_id, place.word, mark) in self.rejected.doubts
        if is_rejected or not self.rejected.patterns.isdisjoint(patterns):
            return REJECT
        return self.places.get(place, OPEN)


def decisions_typed(path: str) -> str:
    """Return a file of decisions as it is kept with a run: what is accepted and rejected, as text.

    Raises:
        InputError: it cannot be read.
    """
    text = read_text(path)
    file = parse_decisions(text, path)
    if _are_doubts(_split_lines(text)):
        return "\n".join(filter(_counts, _split_lines(text)))
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    writer.writerow((*NEEDED, "upos", "proposed_upos", "probability", "pattern", *ALSO))
    for decision in file.decisions:
        if decision.verdict in (ACCEPT, REJECT):
            content, *place = decision.place
            also = decision.arcs[1] if len(decision.arcs) > 1 else ("", "", "")
            row = content, *place, *decision.arcs[0][1:], decision.verdict
            tags = decision.upos, decision.proposed_upos
            writer.writerow((*row, *tags, decision.probability or "", decision.pattern, *also))
    for pattern in sorted(file.rejected.patterns):
        writer.writerow(("", "", "", "", "", "", REJECT, "", "", "", pattern, "", "", ""))
    return kept.getvalue()


def known_doubts(texts: Sequence[str]) -> Known:
    """Return what files decide, as :func:`decisions_typed` returns them; where they disagree, nothing."""
    files = [parse_decisions(text, "decisions") for text in texts]
    agreed, _ = merge_decisions(files)
    doubts = frozenset[tuple[str, int, str]]().union(*(file.rejected.doubts for file in files))
    patterns = frozenset[str]().union(*(file.rejected.patterns for file in files))
    return Known(agreed, Rejected(doubts, patterns))
