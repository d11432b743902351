"""The evidence card: what a run says about each condition, on a page to paste into a discussion.

In Markdown and, with the same content, as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from learnability.comparing.annotation import Annotation
from learnability.comparing.names import annotation_spelled
from learnability.evidence.differences import ComparisonKind
from learnability.evidence.rows import ComparisonRow
from learnability.reports.changes import per_thousand, summary
from learnability.reports.content import RunContent
from learnability.reports.drawn_pairs import lines_of
from learnability.reports.evidence import ConditionEvidence, evidence_of
from learnability.reports.limits import limits
from learnability.reports.page import left_out, render_text
from learnability.reports.panel import sentence
from learnability.reports.paths import names_apart
from learnability.reports.results import BASES, judges_of
from learnability.reports.text import counted, number, probability, signed
from learnability.reports.trees import example_pairs
from learnability.reports.verdicts import construction, reading, verdict
from learnability.transforms.base import Rule

EXAMPLES = 3
"""Sentences drawn of each condition: the shortest that change."""

KINDS_ASKED = 3
"""The most frequent kinds of change between given annotations that have a query."""


def card_values(content: RunContent) -> dict[str, Any]:
    """All that the card says, ready for JSON. The treebank is one."""
    config, rows = content.config, content.rows
    (treebank,) = config["treebanks"]
    options, digests = config["options"], treebank["sha256"]
    evidence = evidence_of(content)
    groups = [list(own) for _, own in groupby(evidence, lambda one: one.condition)]
    panels = [
        [sentence(panel) for panel in content.panels if panel.rows[0].name == own[0].row.name]
        for own in groups
    ]
    is_given = not any(row.has_rules for row in rows)
    return {
        "treebank": treebank["label"],
        "original": rows[0].original,
        "conditions": [
            _condition(own, treebank["label"], said) for own, said in zip(groups, panels, strict=True)
        ],
        "reading": reading(rows, len(config["seeds"])),
        "left_out": left_out(treebank),
        "limits": limits(rows[0].original, judges_of(rows) or [content.judge], options, is_given=is_given),
        "command": config.get("command_line", ""),
        "seeds": len(config["seeds"]),
        "versions": dict(config["versions"]),
        "sha256": list(map(list, zip(names_apart(digests), digests.values(), strict=True))),
    }


def card_markdown(values: Mapping[str, Any]) -> bytes:
    """The card for people, in the Markdown of GitHub."""
    filters = {"signed": signed, "number": number, "probability": probability, "code": code, "cell": cell}
    return render_text("card.md.jinja", **values, **filters)


def code(text: str) -> str:
    """A text as Markdown shows it letter by letter, also where it has backticks."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    pad = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"


def cell(text: str) -> str:
    """A text that does not end a cell of a table."""
    return text.replace("|", r"\|")


def _condition(own: Sequence[ConditionEvidence], treebank: str, panels: Sequence[str]) -> dict[str, Any]:
    """One condition, of which every judge has a row."""
    first, row = own[0], own[0].row
    return {
        "name": construction(replace(row, parser="")),
        "question": _question(row, annotation_spelled(first.condition), treebank),
        "panels": list(panels),
        "verdicts": [verdict(one.row) for one in own],
        "answer": row.answer(),
        "scores": [
            {
                "parser": one.row.parser,
                "score": score.upper(),
                "scored": BASES[basis],
                **asdict(difference),
            }
            for one in own
            for score in row.scores
            for basis, difference in one.row.by_comparison(score).items()
            if basis is not ComparisonKind.MIXTURE
        ],
        "changes": _changes(row),
        "examples": _examples(next((one for one in own if one.a and one.b), first)),
        "queries": _queries(row, annotation_spelled(first.condition)),
    }


def _question(row: ComparisonRow, annotation: Annotation, treebank: str) -> str:
    if not row.has_rules:
        return (
            f"Which annotation of the sentences of {treebank} does a parser learn better: that of "
            f"{row.original}, or that of {row.name}?"
        )
    parts = annotation.parts
    what = f" ({parts[0].description})" if len(parts) == 1 else ""
    return f"Which annotation of {treebank} does a parser learn better: {row.original}, or {row.name}{what}?"


def _changes(row: ComparisonRow) -> dict[str, Any]:
    tokens, changed = row.train_tokens or 0, row.tokens_changed or 0
    text = (
        summary(row)
        if row.changes is not None
        else f"Of {tokens:,} training tokens {changed:,} ({per_thousand(changed, tokens)} per 1,000) would "
        f"have another head, in {row.sentences_changed:,} of {row.sentences:,} sentences, at "
        f"{counted(row.places or 0, 'site')}."
        if tokens
        else "The treebank has no place where it applies."
    )
    names = ("train_tokens", "tokens_changed", "sentences", "sentences_changed", "places", "test_places")
    return {"text": text, **{name: getattr(row, name) for name in names}}


def _examples(evidence: ConditionEvidence) -> list[dict[str, Any]]:
    """Test sentences with both trees, drawn in characters."""
    names = evidence.row.original, evidence.row.name
    return [
        {"where": pair.where, "lines": [line for line, _ in lines_of(pair, names)]}
        for pair in example_pairs(evidence)[:EXAMPLES]
    ]


def _queries(row: ComparisonRow, annotation: Annotation) -> list[dict[str, str]]:
    """What lists the sites in grew-match: what is found, and the text of the query."""
    if not row.has_rules:
        kinds = list(row.changes or ())[:KINDS_ASKED]
        asked = dict.fromkeys(
            (name, side)
            for kind in kinds
            for name, side in zip(kind.split(" > "), (row.original, row.name), strict=False)
        )
        return [
            {
                "finds": f"{name} in {side}, some of which differ",
                "query": f"pattern {{ H -[1={name.replace(':', ', 2=', 1)}]-> D }}",
            }
            for name, side in asked
        ]
    return [
        {
            "finds": f"sites of {part.spec}" if len(annotation.parts) > 1 else "the sites",
            "query": query,
        }
        for part in annotation.parts
        for query in queries_of(part)
    ]


SUBTYPES = ("aux:pass", "cc:preconj", "flat:name", "flat:foreign")
"""Subtypes by which constructions tell sites from what is none."""


def queries_of(rule: Rule) -> list[str]:
    """Queries of grew-match that together list the tokens which a rule looks at, restrictions included.

    Which of them are sites depends on more (a coordination is one site, a chain begins with the second word
    on a side), so they list the constructions.
    """
    from learnability.treebanks.labels import UNIVERSAL, universal

    whole = sorted(name for name in UNIVERSAL if rule.matches(name))
    edges = [f"1={'|'.join(whole)}"] if whole else []
    edges += [
        "1={}, 2={}".format(*s.split(":")) for s in SUBTYPES if rule.matches(s) and universal(s) not in whole
    ]
    left_out = [s for s in SUBTYPES if universal(s) in whole and not rule.matches(s)]
    without = "".join(" without {{ H -[1={}, 2={}]-> D }}".format(*s.split(":")) for s in left_out)
    conditions = [
        _restricted(name, values) for name, values in (rule.restriction.wanted if rule.restriction else ())
    ]
    more = "".join(f"; {text}" for text, negative in filter(None, conditions) if not negative)
    without += "".join(f" without {{ {text} }}" for text, negative in filter(None, conditions) if negative)
    return [f"pattern {{ H -[{edge}]-> D{more} }}{without}" for edge in edges]


def _restricted(name: str, values: Sequence[str]) -> tuple[str, bool] | None:
    """A restriction as grew-match says it, and whether it excludes; None for that of the language."""
    criterion, negative = name.removesuffix("!"), name.endswith("!")
    quoted = "|".join(f'"{value}"' for value in values)
    match criterion:
        case "form" | "lemma" | "upos":
            return f"D [{criterion}={quoted}]", negative
        case "feats":
            pairs = [value.partition("=") for value in values]
            return " ; ".join(f"D [{n}={v}]" if v else f"D [{n}]" for n, _, v in pairs), negative
        case "deprel":
            edges = ", ".join(values[0].split(":")) if len(values) == 1 else ""
            one, _, two = edges.partition(", ")
            many = "|".join(value.partition(":")[0] for value in values)
            return (f"H -[1={one}, 2={two}]-> D" if two else f"H -[1={many}]-> D"), negative
        case "side":
            return ("D << H" if values[0] == "left" else "H << D"), negative
    return None
