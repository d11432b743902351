"""Write the evidence card: what a run says about each construction, to paste into a discussion.

In Markdown and, with the same content, as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from learnability.errors import InputError
from learnability.evidence.questions import Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import values_of
from learnability.reports.change_kinds import describe_changes, describe_rewriting
from learnability.reports.drawn_pairs import lines_of
from learnability.reports.examples import opening_pairs
from learnability.reports.rendering import fill_template
from learnability.reports.results import BASES
from learnability.reports.story import RunStory, ToldConstruction
from learnability.reports.text import Table, format_signed, number, probability
from learnability.reports.verdicts import name_construction
from learnability.support.values import JsonObject

MOST_GROUPS = 3
"""The largest groups of differences between imported annotations have queries."""


def card_values(story: RunStory) -> JsonObject:
    """Return all that the card says, ready for JSON."""
    config, rows = story.config, story.rows
    if not rows:
        raise InputError("a card needs comparisons, and this run has none; start one with `learnability run`")
    if len(config.treebanks) > 1:
        raise InputError("a card is about one treebank, and this run has several; run one of them alone")
    return {
        "treebank": config.treebanks[0].label,
        "base": rows[0].base,
        "answers": _table_values(story.comparisons.answers),
        "constructions": list(map(_construction, story.constructions)),
        "further": [
            {"heading": section.heading, "sentences": list(section.sentences)} for section in story.answers
        ],
        "next_step": [step.why, step.command(story.typed_folder)] if (step := story.next_step) else None,
        "reading": story.reading,
        "caveats": [*map(", ".join, story.caveats.failed), *story.caveats.first],
        "relations": rows[0].labelled,
        "command": story.origin.command,
        "seeds": len(config.seeds),
        "versions": dict(config.versions),
        "sha256": [list(map(str, line)) for line in story.origin.hashes.rows],
    }


def _table_values(table: Table) -> JsonObject:
    return {
        "headings": list(table.headings),
        "rows": [list(map(str, cells)) for cells in table.rows],
        "note": table.legend,
    }


def card_markdown(values: Mapping[str, Any]) -> bytes:
    """Return the card for people, in the Markdown of GitHub."""
    filters = {
        "signed": format_signed,
        "number": number,
        "probability": probability,
        "code": code,
        "cell": cell,
    }
    return fill_template("card.md.jinja", escaped=False, **values, **filters)


def code(text: str) -> str:
    """Return a text as Markdown shows it letter by letter, also where it has backticks."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    pad = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"


def cell(text: str) -> str:
    """Return a text that ends neither a cell nor a line of a table."""
    return text.replace("|", r"\|").replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ").strip()


def _construction(told: ToldConstruction) -> JsonObject:
    group = told.evidence
    first, row = group[0], group[0].row
    drawn = next((found for found in group if found.a and found.b), first)
    names = row.base, row.name
    return {
        "name": name_construction(replace(row, parser="")),
        "description": told.description,
        "of_all_parsers": list(told.of_all_parsers),
        "sentences": list(told.sentences),
        **{str(question): row.name_answer(question) for question in Question},
        **{f"{question}_reason": row.answered(question).reason for question in Question},
        "comparisons": [
            {
                "parser": found.row.parser,
                "score": score.upper(),
                "tested": BASES[basis],
                **values_of(difference),
                "delta": difference.shown,
            }
            for found in group
            for score in row.scores
            for basis, difference in found.row.by_basis(score).items()
        ],
        "changes": _changes(row),
        "examples": [
            {"where": pair.where, "lines": [line for line, _ in lines_of(pair, names)]}
            for pair in opening_pairs(drawn)
        ],
        "queries": _queries(row),
    }


def _changes(row: ComparisonRow) -> JsonObject:
    names = ("train_tokens", "tokens_changed", "sentences", "sentences_changed", "places", "test_places")
    text = describe_changes(row) if row.changes is not None else describe_rewriting(row)
    return {"text": text, **{name: getattr(row, name) for name in names}}


def _queries(row: ComparisonRow) -> list[dict[str, str]]:
    queries: dict[str, str] = {}
    for group in row.groups[:MOST_GROUPS]:
        for query, side in zip(group.queries, (row.base, row.name), strict=True):
            if query:
                queries.setdefault(f"{group.title}, in {side}", query)
    return [{"finds": finds, "query": query} for finds, query in queries.items()]
