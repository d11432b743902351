"""Say what to do next about the constructions that a run leaves open: a sentence, and the command for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from learnability.evidence.answers import is_left_open
from learnability.evidence.questions import Answer
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.survey import Evidence
from learnability.reports.content import NextStage
from learnability.running.config import RunConfig
from learnability.support.nouns import count_noun

FOLDS = 10
"""The folds of a cross-validation that is offered as the next step."""

MANY_SEEDS = 10
"""The trainings of each annotation that are offered where every sentence is tested already."""

FEW_SEEDS = 3
"""The trainings of each annotation that are offered where one cannot show training noise."""

SETS_OUTPUT = ("--out", "--splits", "--cross-validate")
"""Options of a run that do not go with a repetition on all sentences in another folder."""


@dataclass(frozen=True)
class NextStep:
    """Say what to do next about some constructions.

    Attributes:
        why: a sentence without its end.
        begins, ends: the command before and after the option that names the folder.
        suffix: what the name of the folder gets at its end.
    """

    why: str
    begins: str
    suffix: str = ""
    ends: str = ""

    def command(self, folder: str) -> str:
        """Return the command; `folder`: that of the run, as a user types it."""
        return f"{self.begins} {shlex.join(['--out', folder + self.suffix])}{self.ends}"


def find_next_step(
    config: RunConfig, rows: Sequence[ComparisonRow], offer: NextStage | None
) -> NextStep | None:
    """Return what to do first about the constructions without a clear answer; None if nothing helps.

    `offer`: what the run would do next.
    """
    # where every sentence has been tested already, there is nothing to add but trainings
    folds = {treebank.label: treebank.folds for treebank in config.treebanks}
    # studies train the first parser
    parsers = {"", *(parser.title for parser in config.parsers[:1])}
    open_rows = [
        row
        for row in rows
        if is_left_open(row) and row.parser in parsers and folds.get(row.treebank_label, 1) == 1
    ]
    return next(chain(_go_on(config, rows, offer, open_rows), _about_ud_output(config, rows)), None)


def find_more_trainings(evidence: Evidence) -> tuple[str, str] | None:
    """Return why to train a run of one seed more often, and the command; None where no answer needs it."""
    rests = {c.folder for c in evidence.pairs if c.row.seeds == 1 and not c.row.tests_all_places}
    folders = [folder for folder in evidence.trained_once if folder in rests]
    if not folders:
        return None
    number = count_noun(len(folders), "run")
    others = f"; {number} have one seed, the first is this" if len(folders) > 1 else ""
    step = NextStep(
        f"Next: train more often to measure training noise{others}",
        f"learnability run --resume --seeds {FEW_SEEDS}",
    )
    return step.why, step.command(str(folders[0]))


def _go_on(
    config: RunConfig,
    rows: Sequence[ComparisonRow],
    offer: NextStage | None,
    open_rows: Sequence[ComparisonRow],
) -> Iterator[NextStep]:
    """Yield how the run goes on where it stopped early; `open_rows`: what it leaves open."""
    if offer is None or (rows and not open_rows):
        return
    command = "learnability run --resume"
    if open_rows:
        names = ", ".join(dict.fromkeys(row.name for row in open_rows))
        time = _duration(open_rows, offer.trainings, config)
        yield NextStep(f"Next ({names}): {offer.text} ({time})", command)
    else:
        yield NextStep(f"Next: {offer.text}", command)


def _about_ud_output(config: RunConfig, rows: Sequence[ComparisonRow]) -> Iterator[NextStep]:
    """Yield how to find out what parsers trained on an easier alternative mean for users of UD trees."""
    easier = [
        row
        for row in rows
        if row.easier().answer is Answer.ALTERNATIVE and row.train_on().answer is Answer.OPEN
    ]
    command = config.command_line
    is_run = command.startswith("learnability run ") and len(config.studies) <= 1
    if not easier or not is_run:
        return
    names = ", ".join(dict.fromkeys(row.name for row in easier))
    if config.is_cross_validated:
        yield from _more_trainings(names, command, len(config.seeds))
        return
    if set(SETS_OUTPUT) & set(shlex.split(command)):
        return
    yield NextStep(
        f"Next ({names}): test every sentence to see whether users of UD trees gain, too "
        f"(about {FOLDS} times the work of this run)",
        f"{command} --cross-validate {FOLDS}",
        suffix=f"-{FOLDS}-folds",
    )


def _more_trainings(names: str, command: str, seeds: int) -> Iterator[NextStep]:
    if seeds < MANY_SEEDS and "--seeds" not in shlex.split(command):
        yield NextStep(
            f"Next ({names}): train more often to see whether users of UD trees gain, too "
            f"({_work(round(MANY_SEEDS / seeds - 1))} this run)",
            f"{command} --seeds {MANY_SEEDS}",
            ends=" --resume",
        )


def _work(times: int) -> str:
    """Return how much work something is, before `this run`; less than that of the run counts as as much."""
    return f"about {times} times the work of" if times > 1 else "about as much work as"


def _duration(rows: Sequence[ComparisonRow], trainings: int, config: RunConfig) -> str:
    seconds = config.parsers[0].seconds
    tokens = {(row.treebank_label, row.pair.alternative.spelling): row.train_tokens or 0 for row in rows}
    tokens |= {(row.treebank_label, ""): row.train_tokens or 0 for row in rows}  # in the original annotation
    minutes = seconds * sum(tokens.values()) / 1000 * trainings / 60
    time = f"about {count_noun(round(minutes), 'minute')}" if minutes >= 1 else "less than a minute"
    return f"{time} of one processor"
