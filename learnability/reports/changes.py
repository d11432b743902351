"""What differs between two annotations of the same sentences, in words and a table."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.evidence.rows import ChangeCounts, ComparisonRow
from learnability.metrics.scores import Score
from learnability.reports.text import Section, Table, number, signed

SHOWN = 20
"""The most frequent kinds of change are shown; the others are put together."""

OTHERS = "all other changes"

UNCHANGED = "unchanged"
"""What records call the tokens that are the same in both (`multiref.contrasts`)."""


def changes_section(rows: Sequence[ComparisonRow]) -> Section | None:
    """What differs in the training part, and how both parsers do on such tokens of the test part, for each
    condition that is given; None where rules tell it. All judges have the same trees: the scores are those of
    the first."""
    given: dict[tuple[str, str], ComparisonRow] = {}
    for row in rows:
        if row.changes is not None:
            given.setdefault((row.treebank_label, row.name), row)
    if not given:
        return None
    several = len({treebank for treebank, _ in given}) > 1
    sentences = (f"{treebank}: " * several + summary(row) for (treebank, _), row in given.items())
    return Section("What differs", tuple(sentences), tuple(map(_table, given.values())))


def summary(row: ComparisonRow) -> str:
    """How many tokens of the training part have another head, and how many another relation only."""
    changes, tokens = (row.changes or {}).values(), row.train_tokens or 0
    heads = sum(counts.heads for counts in changes)
    relations = sum(counts.relations_only for counts in changes)
    sentences = f"{row.sentences_changed:,} of {row.sentences:,} sentences"
    if not heads + relations:
        return (
            f"{row.name} has the heads and relations (subtypes aside) of {row.original} in the whole "
            "training part."
        )
    return (
        f"Of {tokens:,} training tokens {heads:,} ({per_thousand(heads, tokens)} per 1,000) have another "
        f"head in {row.name} than in {row.original}, in {sentences}; "
        f"{relations:,} more ({per_thousand(relations, tokens)} per 1,000) have another relation only."
    )


def per_thousand(count: int, tokens: int) -> str:
    """A count per thousand tokens."""
    return number(1000 * count / tokens, ".1f") if tokens else ""


def _table(row: ComparisonRow) -> Table:
    changes, split = row.changes or {}, row.error_split.get(Score.UAS, {})
    same, tokens_tested = (
        ("the same in both", "such tokens of the test part")
        if row.labelled
        else ("the same head in both", "such tokens of the test part with another head")
    )
    tested = sum(part.tokens for part in split.values())
    ordered = [*changes, *(kind for kind in split if kind not in changes and kind != UNCHANGED)]
    kinds = {kind: [kind] for kind in ordered[:SHOWN]}
    if rest := ordered[SHOWN:]:
        kinds[OTHERS] = rest
    if UNCHANGED in split:
        kinds[same] = [UNCHANGED]
    rows = []
    for name, own in kinds.items():
        counted = [changes.get(kind, ChangeCounts(0, 0)) for kind in own]
        counts = [sum(kind.heads for kind in counted), sum(kind.relations_only for kind in counted)]
        parts = [split[kind] for kind in own if kind in split and split[kind].tokens]
        tokens = sum(part.tokens for part in parts)
        right = [
            sum(part.tokens * (part.ud or 0.0) for part in parts),
            sum(part.tokens * (part.alternative or 0.0) for part in parts),
        ]
        scores = [number(own_right / tokens) if tokens else "" for own_right in right]
        points = signed((right[0] - right[1]) / tested) if tokens else ""
        shown = ["", ""] if name == same else [f"{count:,}" for count in counts]
        rows.append((name, *shown, f"{tokens:,}", *scores, points))
    return Table(
        f"What differs between {row.original} and {row.name}, by relation",
        (
            *("relation", "another\nhead", "another\nrelation only", "test\ntokens"),
            *(f"UAS\n{row.original}", f"UAS\n{row.name}", "points"),
        ),
        tuple(rows),
        f"Relation: that of {row.original}, and where it is another one that of {row.name}; subtypes aside. "
        "Another head, another relation only: tokens of the training part. UAS: of both parsers, each "
        f"against its own reference, on {tokens_tested}. Points: what they contribute to the "
        "difference; together they are all of it.",
    )
