"""Write history.csv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from learnability.extending import Column, Score

if TYPE_CHECKING:
    from learnability.extensions.history.outcome import History, StepPart

HISTORY, TOPIC = "history.csv", "Columns of history.csv"

COLUMNS = Column.of_topic(
    TOPIC,
    ("from", "text", "the earlier version"),
    ("to", "text", "the later version"),
    ("part", "choice", "what changed: sentences, annotation or tags"),
    (
        "uas_delta",
        "number",
        "UAS of the later version minus UAS of the earlier one, in points; empty if not tested",
    ),
    ("uas_delta_low", "number", "lower bound of its interval, which accounts for all rows (Holm)"),
    ("uas_delta_high", "number", "upper bound of its interval"),
    ("p_holm", "number", "p value of the difference, corrected for all rows (Holm)"),
    ("decision", "choice", "easier, harder, no difference that matters, open, too few changes or unchanged"),
    (
        "changed",
        "count",
        "how many words changed for the parser; for the part `sentences`: how many are new or deleted",
    ),
    ("las_delta", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_low", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_high", "number", "the same by LAS, with `--labelled`"),
    ("las_p_holm", "number", "the same by LAS, with `--labelled`"),
    ("las_decision", "choice", "the same by LAS, with `--labelled`"),
)
"""The columns of history.csv."""


def part_values(part: StepPart, scores: Sequence[Score]) -> dict[str, Any]:
    """Return the values of a line of history.csv."""
    values: dict[str, Any] = {"from": part.step.earlier, "to": part.step.later, "part": str(part.part)}
    for score in Score.answered(labelled=True):
        known = part.differences.get(score)
        values |= {
            f"{score}_delta": known.delta if known else None,
            f"{score}_delta_low": known.low if known else None,
            f"{score}_delta_high": known.high if known else None,
            f"{score.prefix}p_holm": known.p_holm if known else None,
            f"{score.prefix}decision": part.decision(score) if score in scores else "",
        }
    return {**values, "changed": part.changed}


def history_files(history: History) -> dict[str, bytes]:
    """Return the file of results."""
    columns = [column for column in COLUMNS if history.labelled or not column.name.startswith("las_")]
    return {HISTORY: Column.csv(columns, [part_values(part, history.scores) for part in history.parts])}
