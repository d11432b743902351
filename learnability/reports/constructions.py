"""Say and draw on the page what a run shows of each construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.pair_evidence import PairEvidence
from learnability.reports.examples import TreePair, explanation, opening_pairs
from learnability.reports.story import RunStory
from learnability.reports.text import join_signs
from learnability.reports.trees import DrawnSentence, drawn_pair, word_columns
from learnability.schemes.catalogue import describe_construction
from learnability.support.files import as_name


@dataclass(frozen=True)
class ShownConstruction:
    """Hold what the page says and draws of a construction.

    Attributes:
        heading: its name and the answer.
        description: what the alternative changes; empty where that is not known.
        texts: the evidence, and the next step.
        side: which side is ahead, for the colour of the heading.
        sentences: drawn, each with an explanation.
    """

    heading: str
    description: str
    texts: Sequence[str]
    side: str
    sentences: Sequence[DrawnSentence]


@dataclass(frozen=True)
class PageConstructions:
    """Hold what the page says and draws of the constructions, and how to read the drawings.

    Attributes:
        constructions: each of them.
        base: the name of the annotation that the others are compared with.
        drawn: whether any sentence is drawn.
        unlearned: whether relations are drawn that no parser learned.
        each_parser: with several parsers, the sentence of each.
    """

    constructions: Sequence[ShownConstruction]
    base: str
    drawn: bool
    unlearned: bool
    each_parser: Sequence[str]


def show_constructions(story: RunStory) -> PageConstructions:
    """Return what the page says and draws of constructions, with the parses of the first parser."""
    constructions, examples = [], []
    for told in story.constructions:
        shown = told.evidence[0]
        row, difference = shown.row, shown.row.difference()
        drawn = [
            drawn_example(shown, number, pair) for number, pair in enumerate(opening_pairs(shown), start=1)
        ]
        examples += drawn
        heading, _, reason = (told.together or told.sentences)[0].partition(". ")
        constructions.append(
            ShownConstruction(
                heading=heading.rstrip("."),
                description=describe_construction(row.name) if row.pair.base.is_ud else "",
                texts=[join_signs(text) for text in (reason, *told.together[1:]) if text],
                side=(difference and difference.better) or "",
                sentences=drawn,
            )
        )
    return PageConstructions(
        constructions=constructions,
        base=story.rows[0].base if story.rows else "UD",
        drawn=bool(examples),
        unlearned=any(not example.pair.learned_relations for example in examples),
        each_parser=list(map(join_signs, story.sentences)) if story.panels else [],
    )


def drawn_example(evidence: PairEvidence, number: int, pair: TreePair) -> DrawnSentence:
    """Return a test sentence of a comparison, drawn, with one sentence that explains it."""
    row = evidence.row
    sentence = explanation(pair, row.base, row.parser)
    # trees are named after their annotation; the name of the evidence may also say by which parser
    file_name, names = f"tree-{as_name(evidence.name)}-{number}", (row.base, row.name)
    figure = drawn_pair(pair, file_name, names, word_columns(pair, row.base), sentence)
    return DrawnSentence(pair, figure, sentence)
