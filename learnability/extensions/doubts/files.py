"""The table of doubts, doubts.csv."""

from __future__ import annotations

from typing import Any

from learnability.extending import Column
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.linked_arc import ProposedArc

DOUBTS = "doubts.csv"
"""The name of the file."""

COLUMNS = Column.of_decisions(
    "Doubts",
    (
        "column", "text",
        "what is in doubt: `head` (and relation), `punct` (head of punctuation), `subtype`, `upos`, "
        "`lemma`, or `feats:Gender`",
    ),
    ("value", "text", "what is annotated there; empty for arcs, and without the feature"),
    ("proposed_value", "text", "what is proposed there; empty for arcs, and to remove the feature"),
    ("proposed_head", "count", "the head that is proposed"),
    ("proposed_deprel", "text", "the proposed relation; head or relation differ from the annotation"),
    (
        "also_word", "count",
        "the word whose head has to change with it, so that the sentence remains a tree; empty: none",
    ),
    ("also_head", "count", "the head proposed for that word"),
    ("also_deprel", "text", "the relation proposed for that word"),
    ("second_head", "count", "head of the second proposal; `second` in `decision` accepts it; empty: none"),
    ("second_deprel", "text", "the relation of the second proposal"),
    ("second_also_word", "count",
        "the word whose head has to change with it, so that the sentence remains a tree; empty: none"),
    ("second_also_head", "count", "the head proposed for that word"),
    ("second_also_deprel", "text", "the relation proposed for that word"),
    (
        "other_half", "text",
        "what else should change, `deprel=discourse xpos=UH feats=_`; `both` in `decision` accepts it, too; "
        "empty: nothing",
    ),
    (
        "would_break", "text",
        "the errors that the proposal would bring: by the official validator, if it is installed, in the "
        "first 300 rows, otherwise by our own checks; empty: none",
    ),
    ("proposed_upos", "text", "empty, for you to fill in: another tag"),
    (
        "score", "number",
        "the higher, the more doubtful; it orders the rows, and is no share of errors",
    ),
    ("reason", "text", "why it is doubted, in words, the strongest reason first"),
    ("pattern", "text", "tag and lemma, annotated and proposed relation, and where the heads are"),
    ("validator", "text", "errors that the official validator finds at the word, too, if it is installed"),
)  # fmt: skip
"""The columns of doubts.csv, which is a file of decisions."""


def doubt_values(doubt: Doubt) -> dict[str, Any]:
    """Return the values of the columns of doubts.csv."""
    second, second_also, *_ = (*doubt.second_arcs, None, None)
    values = dict(vars(doubt))
    for prefix, arc in (("also", doubt.also), ("second", second), ("second_also", second_also)):
        cells = arc._asdict() if arc else dict.fromkeys(ProposedArc._fields)
        values |= {f"{prefix}_{name}": value for name, value in cells.items()}
    return {column.name: values.get(column.name, "") for column in COLUMNS}
