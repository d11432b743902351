"""Report how accurate the predicted tags of a run are."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.evidence.rows import ComparisonRow
from learnability.reports.section import Section
from learnability.reports.text import format_signed
from learnability.reports.verdicts import name_leader, side_names


def tagging_section(rows: Sequence[ComparisonRow]) -> Section | None:
    """Return how accurate the predicted tags are, once for each annotation; None if tags were not."""
    sentences: list[str] = []
    for row in rows:
        tags = row.tagging
        if tags is None:
            continue
        copies = ", also in copies of training sentences" if row.without_copies else ""
        sentences.append(
            f"With {row.base}'s tags, the tagger is right for {tags.base:.1f} % of the test words of "
            f"{row.treebank}{copies}."
        )
        if tags.alternative != tags.base:
            span = f"{format_signed(tags.delta_low)} to {format_signed(tags.delta_high)}"
            difference = name_leader(tags.delta, side_names(row))
            sentences.append(
                f"With the tags of {row.name}, it is right for {tags.alternative:.1f} %. The difference is "
                f"{difference} points ({row.base} minus {row.name}: {span})."
            )
    if not sentences:
        return None
    return Section("Predicted tags", tuple(dict.fromkeys(sentences)))
