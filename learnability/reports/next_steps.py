"""Say what to do next about the constructions that a run leaves open: a sentence, and the command for it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.answers import is_left_open
from learnability.evidence.rows import ComparisonRow
from learnability.reports.content import NextStage
from learnability.running.config import RunConfig
from learnability.support.nouns import count_noun


@dataclass(frozen=True)
class NextStep:
    """Say how a run goes on; `why`: a sentence without its end."""

    why: str

    def command(self, folder: str) -> str:
        """Return the command; `folder`: that of the run, as a user types it."""
        return f"learnability run --resume {shlex.join(['--out', folder])}"


def find_next_step(
    config: RunConfig, rows: Sequence[ComparisonRow], offer: NextStage | None
) -> NextStep | None:
    """Return how a run goes on that stopped early; None where that would answer nothing.

    `offer`: what the run would do next.
    """
    if offer is None:
        return None
    if not rows:
        return NextStep(f"Next: {offer.text}")
    # where every sentence has been tested already, there is nothing to add but trainings
    folds = {treebank.label: treebank.folds for treebank in config.treebanks}
    # studies train the first parser
    parsers = {"", *(parser.title for parser in config.parsers[:1])}
    open_rows = [
        row
        for row in rows
        if is_left_open(row) and row.parser in parsers and folds.get(row.treebank_label, 1) == 1
    ]
    if not open_rows:
        return None
    names = ", ".join(dict.fromkeys(row.name for row in open_rows))
    return NextStep(f"Next ({names}): {offer.text} ({_duration(open_rows, offer.trainings, config)})")


def _duration(rows: Sequence[ComparisonRow], trainings: int, config: RunConfig) -> str:
    seconds = config.parsers[0].seconds
    tokens = {(row.treebank_label, row.pair.alternative.spelling): row.train_tokens or 0 for row in rows}
    tokens |= {(row.treebank_label, ""): row.train_tokens or 0 for row in rows}  # in the original annotation
    minutes = seconds * sum(tokens.values()) / 1000 * trainings / 60
    time = f"about {count_noun(round(minutes), 'minute')}" if minutes >= 1 else "less than a minute"
    return f"{time} of one processor"
