"""Write history.csv and history_groups.csv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnability.extending import Column, Difference, Score

if TYPE_CHECKING:
    from learnability.extensions.history.outcome import GroupEffect, History, StepPart

HISTORY, GROUPS = "history.csv", "history_groups.csv"

TOPIC, GROUPS_TOPIC = "Columns of history.csv", "Columns of history_groups.csv"

_TESTED = Column.of_topic(
    TOPIC,
    (
        "uas_delta",
        "number",
        "UAS of the later version minus UAS of the earlier one, in points; empty if not tested",
    ),
    ("uas_delta_low", "number", "lower bound of its interval, which accounts for all rows (Holm)"),
    ("uas_delta_high", "number", "upper bound of its interval"),
    ("p_holm", "number", "p value of the difference, corrected for all rows (Holm)"),
    ("decision", "choice", "easier, harder, no difference that matters, open, too few changes or unchanged"),
)
_LABELLED = Column.of_topic(
    TOPIC,
    ("las_delta", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_low", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_high", "number", "the same by LAS, with `--labelled`"),
    ("las_p_holm", "number", "the same by LAS, with `--labelled`"),
    ("las_decision", "choice", "the same by LAS, with `--labelled`"),
)
_STEP = Column.of_topic(TOPIC, ("from", "text", "the earlier version"), ("to", "text", "the later version"))

COLUMNS = (
    *_STEP,
    *Column.of_topic(TOPIC, ("part", "choice", "what changed: sentences, annotation or tags")),
    *_TESTED,
    *Column.of_topic(
        TOPIC,
        (
            "changed", "count",
            "how many words changed for the parser; for the part `sentences`: how many are new or deleted",
        ),
    ),
    *_LABELLED,
)  # fmt: skip
"""The columns of history.csv."""


def _as_in_history(columns: Sequence[Column]) -> list[Column]:
    """Return columns whose meaning stands in the table of the other file."""
    return [replace(column, meaning="as in history.csv", topic=GROUPS_TOPIC) for column in columns]


GROUP_COLUMNS = (
    *_as_in_history(_STEP),
    *Column.of_topic(GROUPS_TOPIC, ("group", "text", "name of the group of changes")),
    *_as_in_history(_TESTED),
    *Column.of_topic(
        GROUPS_TOPIC,
        (
            "share", "number",
            "`uas_delta` divided by that of all changed trees, if that difference is clear",
        ),
        ("changes", "count", "number of changes in the group; a change is a set of linked words"),
        ("words", "count", "number of words in these changes"),
    ),
    *_as_in_history(_LABELLED),
    *Column.of_topic(GROUPS_TOPIC, ("las_share", "number", "the same by LAS, with `--labelled`")),
)  # fmt: skip
"""The columns of history_groups.csv."""


def _tested_values(differences: dict[Score, Difference], score: Score, decision: str) -> dict[str, Any]:
    known = differences.get(score)
    return {
        f"{score}_delta": known.delta if known else None,
        f"{score}_delta_low": known.low if known else None,
        f"{score}_delta_high": known.high if known else None,
        f"{score.prefix}p_holm": known.p_holm if known else None,
        f"{score.prefix}decision": decision,
    }


def part_values(part: StepPart, scores: Sequence[Score]) -> dict[str, Any]:
    """Return the values of a line of history.csv."""
    values: dict[str, Any] = {"from": part.step.earlier, "to": part.step.later, "part": str(part.part)}
    for score in Score.answered(labelled=True):
        decision = part.decision(score) if score in scores else ""
        values |= _tested_values(part.differences, score, decision)
    return {**values, "changed": part.changed}


def group_values(effect: GroupEffect, scores: Sequence[Score]) -> dict[str, Any]:
    """Return the values of a line of history_groups.csv."""
    step, group = effect.step, effect.group
    values: dict[str, Any] = {"from": step.earlier, "to": step.later, "group": group.name}
    for score in Score.answered(labelled=True):
        decision = effect.decision(score) if score in scores else ""
        values |= _tested_values(effect.differences, score, decision)
    values |= {f"{score.prefix}share": effect.shares.get(score) for score in Score.answered(labelled=True)}
    return {**values, "changes": group.changes, "words": group.words}


def history_files(history: History) -> dict[str, bytes]:
    """Return the files of results; that of groups only where a clear effect is explained."""
    parts = [part_values(part, history.scores) for part in history.parts]
    files = {HISTORY: Column.csv(_list_columns(COLUMNS, history), parts)}
    if history.groups:
        groups = [group_values(effect, history.scores) for effect in history.groups]
        files[GROUPS] = Column.csv(_list_columns(GROUP_COLUMNS, history), groups)
    return files


def _list_columns(columns: Sequence[Column], history: History) -> list[Column]:
    return [column for column in columns if history.labelled or not column.name.startswith("las_")]
