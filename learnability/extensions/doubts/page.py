"""Make the page on which a maintainer works through doubts: one file, which needs no network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from learnability.extending import Tree, render
from learnability.extensions.doubts.columns import ARCS, HEAD
from learnability.extensions.doubts.decisions import Decision
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.files import COLUMNS
from learnability.extensions.doubts.learning import DoubtFeatures, describe_model

PAGE = "doubts.html"
"""The name of the page."""

MOST = 5000
"""Doubts on the page, at most: `--all` lists every word of a treebank."""

FIELDS = (
    *("sentence", "line", "word", "lemma", "head", "deprel", "proposed_head", "proposed_deprel", "also"),
    "second_arcs",
    *("score", "pattern", "content", "validator", "column", "value", "proposed_value", "other_half"),
    *("would_break", "reason", "traits"),
)
"""What the page has of each doubt, in this order."""

TEMPLATES = "learnability.extensions.doubts"


def make_page(
    treebank: str, doubts: Sequence[Doubt], trees: Sequence[Tree], decisions: Sequence[Decision] = ()
) -> bytes:
    """Return the page.

    Args:
        treebank: its name.
        doubts: those that can be decided, in the order of their scores; the first `MOST` are on the
            page.
        trees: those of the treebank.
        decisions: what was decided before, from which the page learns the order.
    """
    return render(
        f"{TEMPLATES}:doubts.html.jinja",
        style=f"{TEMPLATES}:doubts.css",
        script=f"{TEMPLATES}:doubts.js",
        treebank=treebank,
        data=_embed(_values_of_page(treebank, doubts[:MOST], trees, decisions)),
    )


def _values_of_page(
    treebank: str, doubts: Sequence[Doubt], trees: Sequence[Tree], decisions: Sequence[Decision]
) -> dict[str, Any]:
    traits = DoubtFeatures()
    lessons = traits.lessons(decisions)
    numbers: dict[int, int] = {}
    sentences: list[dict[str, Any]] = []
    rows = []
    for doubt in doubts:
        tree = trees[doubt.sentence]
        if doubt.sentence not in numbers:
            numbers[doubt.sentence] = len(sentences)
            sentences.append(_describe_sentence(doubt, tree))
        values = {
            **vars(doubt),
            "sentence": numbers[doubt.sentence],
            "lemma": tree.lemmas_or_forms()[doubt.word - 1],
            "score": round(doubt.score, 4),
            "traits": traits.see(doubt.score, doubt.pattern, doubt.content).traits,
        }
        rows.append([values[name] for name in FIELDS])
    mark = hashlib.sha256(treebank.encode()).hexdigest()[:16]
    return {
        "store": f"learnability doubts {mark}",
        "columns": [column.name for column in COLUMNS],
        "fields": FIELDS,
        "arcs": [HEAD, *sorted(ARCS - {HEAD})],
        "relations": sorted({deprel for tree in trees for deprel in tree.deprels}),
        "tags": sorted({tag for tree in trees for tag in tree.upos}),
        "sentences": sentences,
        "doubts": rows,
        "learning": {**describe_model(), "spreads": traits.spreads, "lessons": lessons},
    }


def _describe_sentence(doubt: Doubt, tree: Tree) -> dict[str, Any]:
    return {
        "sent_id": doubt.sent_id,
        "file": doubt.file,
        "forms": tree.forms,
        "tags": tree.upos or ("",) * len(tree),
        "heads": tree.heads,
        "deprels": tree.deprels,
    }


def _embed(values: Any) -> str:
    """Return values as JSON that nothing in it can end: what opens a tag is written as a number."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
