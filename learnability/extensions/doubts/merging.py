"""Put several files of decisions together: what they agree on, and which doubts are decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from learnability.extending import InputError
from learnability.extensions.doubts.decisions import (
    ACCEPT,
    OPEN,
    REJECT,
    DecidedPlace,
    Decision,
    DecisionFile,
    Verdict,
    decisions_text,
    parse_decisions,
    read_decisions,
)


def merge_decisions(
    files: Iterable[DecisionFile],
) -> tuple[list[Decision], list[Sequence[Decision]]]:
    """Return the decisions of several files, each once, and those about a place that contradict each other.

    What is open or to be decided later contradicts nothing.
    """
    by_place: dict[DecidedPlace, list[Decision]] = {}
    for file in files:
        for decision in file.decisions:
            if decision.verdict in (ACCEPT, REJECT):
                by_place.setdefault(decision.place, []).append(decision)
    agreed: list[Decision] = []
    conflicts: list[Sequence[Decision]] = []
    for decisions in by_place.values():
        distinct = list({decision.outcome: decision for decision in reversed(decisions)}.values())
        if len(distinct) == 1:
            agreed.append(distinct[0])
        else:
            conflicts.append(distinct[::-1])
    return agreed, conflicts


def accept_matching(file: DecisionFile, choices: Sequence[str]) -> DecisionFile:
    """Return a file in which the open doubts that a choice names are accepted.

    A choice is a pattern, the number that it begins with, or a score, ``>0.9``. Doubts about the same word of
    sentences with the same words are one. What is decided about it stands; otherwise the most doubtful of
    those that are named is accepted, which holds for all these sentences.

    Raises:
        InputError: a choice names no doubt.
    """
    chosen: set[int] = set()
    for choice in choices:
        found = {i for i, decision in enumerate(file.decisions) if _is_chosen(decision, choice)}
        if not found:
            raise InputError(
                f"no row fits {choice!r}; copy a pattern from the column pattern, or use for example '>0.9'"
            )
        chosen |= found
    settled = {decision.place for decision in file.decisions if decision.verdict != OPEN}
    decisions = list(file.decisions)
    for i in sorted(chosen, key=lambda i: (-decisions[i].score, i)):
        if decisions[i].place not in settled:
            settled.add(decisions[i].place)
            decisions[i] = replace(decisions[i], verdict=ACCEPT)
    return replace(file, decisions=decisions)


def accept_lines(file: DecisionFile, folder: Path) -> DecisionFile:
    """Return a file with the words of patterns that it accepts as a whole: those decided in it stand, and
    those that would bring an error stay open.

    Files with the words are in the folder of the file, or beside the page that wrote it.

    Raises:
        InputError: a file with the words is not found, or cannot be read, or has no such words.
    """
    decisions = list(file.decisions)
    for name in dict.fromkeys(file.lines.values()):
        places = [place / Path(name).name for place in (Path(file.run), folder) if place != Path()]
        found = next((path for path in places if path.is_file()), folder / Path(name).name)
        words = read_decisions(str(found)).decisions
        decisions += [each for each in words if each.pattern in file.lines and not each.would_break]
    return accept_matching(replace(file, decisions=decisions), list(file.lines))


def _is_chosen(decision: Decision, choice: str) -> bool:
    least = re.fullmatch(r"\s*>\s*([0-9]*\.?[0-9]+)\s*", choice)
    if least:
        return decision.score > float(least[1])
    if choice.isdecimal():
        return decision.pattern.partition(" ")[0] == choice
    return decision.pattern.replace("→", "->") == choice.replace("→", "->")  # which is easier to type


def decisions_typed(path: str) -> str:
    """Return a file of decisions as it is kept with a run: what it accepts and rejects, as text."""
    file = accept_lines(read_decisions(path), Path(path).parent)
    return decisions_text(file.decisions, file.patterns)


@dataclass(frozen=True)
class DecidedDoubts:
    """Hold what is decided, each place once, and the patterns that are rejected as a whole."""

    decisions: Sequence[Decision] = ()
    patterns: frozenset[str] = frozenset()

    @cached_property
    def places(self) -> Mapping[DecidedPlace, Verdict]:
        return {place: decision.verdict for decision in self.decisions for place in decision.settled}

    def find_verdict(self, place: DecidedPlace, pattern: str) -> Verdict:
        return REJECT if pattern in self.patterns else self.places.get(place, OPEN)


def known_doubts(texts: Sequence[str]) -> DecidedDoubts:
    """Return what files decide, as :func:`decisions_typed` returns them; where they disagree, nothing."""
    files = [parse_decisions(text, "decisions") for text in texts]
    agreed, _ = merge_decisions(files)
    return DecidedDoubts(agreed, frozenset().union(*(file.patterns for file in files)))
