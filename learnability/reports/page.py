"""Write report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from learnability.evidence.rows_from_records import PairEvidence
from learnability.reports.drawn_pairs import DrawnSentence, word_columns
from learnability.reports.examples import explanation, opening_pairs
from learnability.reports.rendering import render
from learnability.reports.run_figures import difference_figures, part_table
from learnability.reports.story import RunStory, ToldConstruction
from learnability.reports.text import Table, join_signs
from learnability.reports.tree_pair import TreePair
from learnability.support.files import as_name

FIGURES, REPORT = "figures", "report.html"


def report_files(
    story: RunStory, together: Table | None = None, left_out: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return report.html and the files of its figures, by name; the same input gives the same bytes.

    `together`: the answers over several treebanks; `left_out`: which treebanks these leave out, a line each.
    """
    rows = story.rows
    # drawn are sentences of the first treebank that has some, as the first parser found them
    drawings = [_draw_construction(construction) for construction in story.constructions]
    intervals = difference_figures([(pair.name, pair.row) for pair in story.evidence])
    drawn = [example for examples in drawings for example in examples]
    page = render(
        "report.html.jinja",
        story=story,
        together=together,
        left_out=left_out,
        answers=story.opening_table if rows else None,
        intervals=intervals,
        parts=part_table(rows),
        constructions=list(zip(story.constructions, drawings, strict=True)),
        drawn=bool(drawn),
        unlearned=any(not example.pair.learned_relations for example in drawn),
        each_parser=list(map(join_signs, story.sentences)) if story.all_parsers else [],
        base=rows[0].base if rows else "UD",
        labelled=any(row.labelled for row in rows),
        has_rules=any(row.pair.has_rules for row in rows),
        title=story.title,
        version=story.origin.version,
    )
    in_sections = [figure for section in (*story.answers, *story.sections) for figure in section.figures]
    files = [figure.files(f"{FIGURES}/") for figure in (*intervals, *in_sections)]
    return {REPORT: page, **{name: data for pictures in files for name, data in pictures.items()}}


def _draw_construction(construction: ToldConstruction) -> list[DrawnSentence]:
    names = construction.has_several_treebanks
    found = (draw_examples(pair, names_treebank=names) for pair in construction.evidence)
    return next(filter(None, found), [])


def draw_examples(evidence: PairEvidence, *, names_treebank: bool = False) -> list[DrawnSentence]:
    """Return the sentences that open what a page says of a construction."""
    pairs = opening_pairs(evidence)
    if names_treebank:
        pairs = [replace(pair, where=f"{evidence.row.treebank}, {pair.where}") for pair in pairs]
    return [drawn_example(evidence, number, pair) for number, pair in enumerate(pairs, start=1)]


def drawn_example(evidence: PairEvidence, number: int, pair: TreePair) -> DrawnSentence:
    """Return a test sentence of a comparison, drawn, with one sentence that explains it."""
    row = evidence.row
    sentence = explanation(pair, row.base, row.parser)
    # trees are named after their annotation; the name of the evidence may also say by which parser
    file_name, names = f"tree-{as_name(evidence.name)}-{number}", (row.base, row.name)
    return DrawnSentence.of(pair, file_name, names, word_columns(pair, row.base), sentence)
