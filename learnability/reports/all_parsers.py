"""Present what all parsers of a run show together: in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.evidence.all_parsers import DIVIDED, AllParsers
from learnability.evidence.questions import Answer, Reason
from learnability.evidence.score_differences import ScoringBasis
from learnability.reports.results import SHORT, SIGNS, UNDEFINED, name_treebanks, parsers_of
from learnability.reports.text import (
    Table,
    TableCell,
    enumerate_names,
    explain_signs,
    in_words,
)
from learnability.reports.verdicts import explain_missing as why_missing
from learnability.reports.verdicts import (
    name_leader,
    side_names,
)
from learnability.statistics.inference import AHEAD, Side

STARS = {Side.FIRST: "*", Side.SECOND: "*", Side.EQUAL: "=", Side.NONE: ""}
"""The mark of a clear difference, and of no difference that matters."""


def explain_sentences(pairs: Sequence[AllParsers]) -> list[str]:
    """Return that some parsers were tested on more sentences than others, where that is so."""
    mixed = [all_parsers for all_parsers in pairs if len(all_parsers.by_sentences) > 1]
    if not mixed:
        return []
    whole = dict.fromkeys(
        parser for all_parsers in mixed for parser in all_parsers.by_sentences.get("all sentences", ())
    )
    names = enumerate_names([name_pair(all_parsers, pairs) for all_parsers in mixed])
    were = f"{enumerate_names(list(whole))} {'was' if len(whole) == 1 else 'were'}"
    return [
        f"{names}: {were} tested on all sentences, the others on the test set. To test all parsers on all "
        "sentences, use --cross-validate 10."
    ]


def name_pair(all_parsers: AllParsers, pairs: Sequence[AllParsers]) -> str:
    """Return the construction, with the treebank where there are several, and the score in labelled runs."""
    row = all_parsers.rows[0]
    treebank = name_treebanks([pair.rows[0] for pair in pairs])[row.treebank_label]
    score = all_parsers.score.upper() if any(other.score.needs_labels for other in pairs) else ""
    return " ".join(filter(None, (treebank, row.name, score)))


def tell_common_answer(all_parsers: AllParsers) -> str:
    """Return what all parsers together find for a construction."""
    row, heard = all_parsers.rows[0], all_parsers.heard
    name = f"{row.name}{f', {how}' if (how := all_parsers.score.qualification) else ''}"
    absent = [other.parser for other in all_parsers.rows if other not in heard]
    missing = f" Did not run: {enumerate_names(absent)}." if absent else ""
    if not heard and {other.easier().answer for other in all_parsers.rows} == {Answer.TOO_FEW_EXAMPLES}:
        return f"{name}: {Answer.TOO_FEW_EXAMPLES}. {why_missing(row)}"
    if all_parsers.verdict is None:
        some = f"{in_words(len(heard))} of {in_words(len(all_parsers.rows))} parsers"
        return f"{name}: no common answer, because only {some} ran.{missing}"
    return f"{name}: {_verdict(all_parsers)}{_contrary(all_parsers)}.{missing}"


def _contrary(all_parsers: AllParsers) -> str:
    names = side_names(all_parsers.rows[0])
    found = [
        f"training on {names[side]} gives better UD trees with {_parsers(parsers)}"
        for side, parsers in all_parsers.contrary_training().items()
    ]
    if parsers := all_parsers.parsers_with(Reason.HOLDS_LESS):
        found.append(f"it may hold less, by {_parsers(parsers)}")
    return f", but {enumerate_names(found)}" if found else ""


def _parsers(names: Sequence[str]) -> str:
    return f"{in_words(len(names))} ({enumerate_names(names)})"


def _verdict(all_parsers: AllParsers) -> str:
    row, number = all_parsers.rows[0], len(all_parsers.heard)
    names = side_names(row)
    parsers = f"{in_words(number)} parsers"

    def parsers_for(side: str) -> str:
        found = all_parsers.parsers(side)
        return _parsers(found) if found else "none"

    if all_parsers.verdict == DIVIDED:
        return (
            f"the parsers disagree: of {parsers}, {names[Side.FIRST]} is easier for "
            f"{parsers_for(Side.FIRST)}, and {names[Side.SECOND]} is easier for {parsers_for(Side.SECOND)}"
        )
    if all_parsers.verdict in AHEAD:
        side = Side(all_parsers.verdict)
        if len(all_parsers.parsers(side)) == number:
            every = "both" if number == 2 else f"all {in_words(number)}"
            return f"{names[side]} is easier for {every} parsers"
        return (
            f"{names[side]} is easier for {parsers_for(side)} of {parsers}, and no parser favours the other"
        )
    if all_parsers.verdict == Side.EQUAL:
        return f"no difference that matters (under 0.5) for {parsers_for(Side.EQUAL)} of {parsers}"
    favoured = next((side for side in names if all_parsers.parsers(side)), None)
    if favoured is not None:
        return f"open: {names[favoured]} is easier for only {parsers_for(favoured)} of {parsers}"
    no_difference = f"; no difference that matters for {parsers_for(Side.EQUAL)}"
    equal = no_difference if all_parsers.parsers(Side.EQUAL) else ""
    no_parser = "neither parser" if number == 2 else f"none of {parsers}"
    return f"open: {no_parser} finds a clear difference{equal}"


def all_parsers_table(pairs: Sequence[AllParsers], title: str = "The parsers side by side") -> Table:
    """Return a row per construction and score, with the difference that each parser finds."""
    parsers = parsers_of(row for all_parsers in pairs for row in all_parsers.rows)
    converted = any(
        row.difference(all_parsers.score, ScoringBasis.CONVERTED)
        for all_parsers in pairs
        for row in all_parsers.heard
    )
    lines = [
        (
            name_pair(all_parsers, pairs),
            _show_common_answer(all_parsers),
            *_cells(all_parsers, parsers),
            *([_list_converted(all_parsers)] if converted else []),
        )
        for all_parsers in pairs
    ]
    return Table(
        title,
        (
            "construction",
            "easier\n(all parsers)",
            *parsers,
            *(["train on\n(for UD trees)"] if converted else []),
        ),
        tuple(lines),
        explain_signs([cell for line in lines for cell in line], {**SIGNS, **EQUAL_SIGN}),
        "<<>",
        explanation="All parsers: the majority, unless one parser clearly disagrees. Similar parsers make "
        "similar errors, but each gets a vote.",
    )


EQUAL_SIGN = {"=": "no difference that matters (under 0.5)"}
"""What a sign of a parser's difference means."""


def _show_common_answer(all_parsers: AllParsers) -> str:
    if all_parsers.verdict is None:
        return ""
    if all_parsers.verdict == DIVIDED:
        return "parsers disagree"
    return Answer.of_side(Side(all_parsers.verdict)).named(all_parsers.rows[0].base)


def _cells(all_parsers: AllParsers, parsers: Sequence[str]) -> list[TableCell | str]:
    """Return the differences of these parsers with their marks; empty if a parser did not run."""
    heard, names = {row.parser: row for row in all_parsers.heard}, _short_names(all_parsers)
    cells: list[TableCell | str] = []
    for parser in parsers:
        row = heard.get(parser)
        side = row.easier(all_parsers.score).side if row else None
        if row is None or side is None:
            cells.append("")
            continue
        delta = all_parsers.delta(row)
        cells.append(TableCell(f"{name_leader(delta, names)}{STARS[side] or ' '}", f"{delta:.6f}"))
    return cells


def _list_converted(all_parsers: AllParsers) -> str:
    names, found = _short_names(all_parsers), []
    for row in all_parsers.heard:
        difference = row.difference(all_parsers.score, ScoringBasis.CONVERTED)
        if difference is not None and difference.is_clear:
            found.append(f"{name_leader(difference.delta, names)}* ({row.parser})")
    if found:
        return ", ".join(found)
    answers = {row.train_on(all_parsers.score).answer for row in all_parsers.heard} - {Answer.NONE}
    if answers:
        return str(answers.pop() if len(answers) == 1 else Answer.OPEN)
    return UNDEFINED if any(row.train_on(all_parsers.score).reason for row in all_parsers.heard) else ""


def _short_names(all_parsers: AllParsers) -> dict[Side, str]:
    return {Side.FIRST: all_parsers.rows[0].base, Side.SECOND: SHORT}
