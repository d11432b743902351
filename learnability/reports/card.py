"""Write the evidence card: what a run says about each construction, to paste into a discussion.

In Markdown and, with the same content, as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from learnability.annotation_diffs.grew import grew_name, has_name, quote_parts, quote_value
from learnability.comparing.annotation import Annotation
from learnability.comparing.names import annotation_spelled
from learnability.errors import InputError
from learnability.evidence.questions import Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import values_of
from learnability.reports.change_kinds import changed_by_rules, summary
from learnability.reports.drawn_pairs import lines_of
from learnability.reports.examples import opening_pairs
from learnability.reports.rendering import render_text
from learnability.reports.results import BASES
from learnability.reports.story import RunStory, ToldConstruction
from learnability.reports.text import Table, format_signed, number, probability
from learnability.reports.verdicts import construction
from learnability.support.values import JsonObject
from learnability.transforms.base import Rule
from learnability.transforms.restriction import Restriction

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
        "preferred": _table_values(story.comparisons.preferred),
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
    return render_text("card.md.jinja", **values, **filters)


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
    try:
        annotation: Annotation | None = annotation_spelled(first.alternative)
    except InputError:  # the file of its scheme is gone
        annotation = None
    drawn = next((found for found in group if found.a and found.b), first)
    names = row.base, row.name
    return {
        "name": construction(replace(row, parser="")),
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
        "queries": _queries(row, annotation),
    }


def _changes(row: ComparisonRow) -> JsonObject:
    names = ("train_tokens", "tokens_changed", "sentences", "sentences_changed", "places", "test_places")
    text = summary(row) if row.changes is not None else changed_by_rules(row)
    return {"text": text, **{name: getattr(row, name) for name in names}}


def _queries(row: ComparisonRow, annotation: Annotation | None) -> list[dict[str, str]]:
    """Return queries for grew-match that list the places, each with what it finds."""
    if not row.pair.has_rules:
        return _queries_for_changes(row)
    parts = annotation.rules if annotation is not None else ()
    return [
        {
            "finds": (f"places of {part.spec}" if len(parts) > 1 else "the places") + describe_beyond(part),
            "query": query,
        }
        for part in parts
        for query in queries_of(part)
    ]


def describe_beyond(rule: Rule) -> str:
    """Return what a query for a rule also finds, because Grew has no words for some of its restrictions."""
    unsaid = [
        (name, values)
        for name, values in (rule.restriction.wanted if rule.restriction else ())
        if not name.startswith("language") and _find_restriction(name, values) is None
    ]
    without = Restriction(**dict(unsaid))
    return f", and those that {without} leaves out" if without else ""


def _queries_for_changes(row: ComparisonRow) -> list[dict[str, str]]:
    """Return queries for the largest groups of differences between imported annotations."""
    queries: dict[str, str] = {}
    for group in row.groups[:MOST_GROUPS]:
        for query, side in zip(group.queries, (row.base, row.name), strict=True):
            if query:
                queries.setdefault(f"{group.title}, in {side}", query)
    return [{"finds": finds, "query": query} for finds, query in queries.items()]


SUBTYPES = ("aux:pass", "cc:preconj", "flat:name", "flat:foreign")
"""Subtypes that decide whether a construction has a place."""


def queries_of(rule: Rule) -> list[str]:
    """Return queries for grew-match that list the tokens that a rule looks at, with its restrictions.

    Not every token is a place: a coordination is one place, and a chain begins with the second word on a
    side.
    """
    from learnability.treebanks.labels import UNIVERSAL, universal

    whole = sorted(name for name in UNIVERSAL if rule.matches(name))
    edges = [f"1={'|'.join(whole)}"] if whole else []
    edges += [
        "1={}, 2={}".format(*s.split(":")) for s in SUBTYPES if rule.matches(s) and universal(s) not in whole
    ]
    left_out = [s for s in SUBTYPES if universal(s) in whole and not rule.matches(s)]
    without = "".join(" without {{ H -[1={}, 2={}]-> D }}".format(*s.split(":")) for s in left_out)
    pairs = [
        _find_restriction(name, values)
        for name, values in (rule.restriction.wanted if rule.restriction else ())
    ]
    more = "".join(f"; {text}" for text, negative in filter(None, pairs) if not negative)
    without += "".join(f" without {{ {text} }}" for text, negative in filter(None, pairs) if negative)
    return [f"pattern {{ H -[{edge}]-> D{more} }}{without}" for edge in edges]


def _find_restriction(name: str, values: Sequence[str]) -> tuple[str, bool] | None:
    """Return a restriction as grew-match says it, and whether it excludes; None for that of the language."""
    criterion, negative = name.removesuffix("!"), name.endswith("!")
    quoted = "|".join(map(quote_value, values))
    match criterion:
        case "head_upos":
            return f"H [upos={quoted}]", negative
        case "form" | "lemma" | "upos":
            return f"D [{criterion}={quoted}]", negative
        case "feats" | "misc":
            pairs = [value.partition("=") for value in values]
            if len({key for key, _, _ in pairs}) > 1:
                return None  # a query has no words for one or another attribute
            if not has_name(pairs[0][0]):
                return None
            key = grew_name(pairs[0][0])
            wanted = "|".join(quote_value(value) for _, _, value in pairs)
            return (f"D [{key}={wanted}]" if all(value for _, _, value in pairs) else f"D [{key}]"), negative
        case "deprel":
            if len(values) == 1:
                return f"H -[{quote_parts(values[0])}]-> D", negative
            if any(":" in value for value in values):
                return None  # nor for one or another relation with a subtype
            return f"H -[1={'|'.join(values)}]-> D", negative
        case "side":
            return ("D << H" if values[0] == "left" else "H << D"), negative
    return None
