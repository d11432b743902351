"""Write the answers of a run for a paper: a sentence, a row in Markdown and one in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.questions import Question
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import ANSWERED, Score
from learnability.reports.latex import escape_latex
from learnability.reports.results import UNDEFINED
from learnability.reports.section import Section
from learnability.reports.text import format_signed, number
from learnability.reports.verdicts import construction, describe_easier, gold_trees, p_value, side_names
from learnability.support.nouns import count_noun

BEFORE = ("treebank", "construction", "score")
CONVERTED = "converted back to UD [interval], p (Holm)"
AFTER = ("seeds", "parser")


@dataclass(frozen=True)
class Quote:
    """Hold a sentence to quote, and the cells of its row."""

    sentence: str
    cells: tuple[str, ...]


def paper_section(rows: Sequence[ComparisonRow], parser: str) -> Section | None:
    """Return per construction and score a sentence to quote, and rows in Markdown and LaTeX.

    Args:
        rows: the comparisons of a run with one parser.
        parser: its name.

    Returns:
        The section; None if no construction has enough examples.
    """
    converted_back = any(row.pair.has_conversion_back for row in rows)
    quotes = [
        quote
        for row in rows
        for score in ANSWERED
        if (quote := _quote(row, score, parser, converted_back=converted_back)) is not None
    ]
    if not quotes:
        return None
    base = rows[0].base
    compared = (base, "alternative", f"{base} − alternative [interval], p (Holm)")
    headings = (*BEFORE, *compared, "easier", *([CONVERTED, "train on"] if converted_back else []), *AFTER)
    table = [headings, *(quote.cells for quote in quotes)]
    markdown = [_write_markdown(cells) for cells in table]
    latex = [" & ".join(map(escape_latex, cells)) + r" \\" for cells in table]
    lines = (markdown[0], "|" + "---|" * len(headings), *markdown[1:], "", *latex)
    return Section("For a paper", tuple(quote.sentence for quote in quotes), lines=lines)


def _quote(
    row: ComparisonRow,
    score: Score,
    parser: str,
    *,
    converted_back: bool,
) -> Quote | None:
    """Return what to quote of a construction by a score; None if nothing was tested."""
    difference = row.difference(score)
    if difference is None or difference.p_value is None:
        return None
    treebank, unit = f"{row.treebank} {row.release}".strip(), score.upper()
    scores = number(difference.base), number(difference.alternative)
    basis = row.basis(score)
    tested, compared = _name_tested(basis), _describe_difference(difference)
    converted = UNDEFINED
    if ComparisonKind.CONVERTED not in row.undefined:
        converted = _describe_difference(row.difference(score, ComparisonKind.CONVERTED))
    easier = describe_easier(row.easier(score), side_names(row))
    sentence = (
        f"{treebank}, {construction(row)}, {tested}: {easier}. {unit} is {scores[0]} with "
        f"{row.base} and {scores[1]} with the alternative, {gold_trees(row, score)} ({compared})"
    )
    if converted and converted != UNDEFINED:
        sentence += f". After conversion back to UD, the difference is {converted}"
    sentence += (
        f". Positive values mean that {row.base} is ahead. We used {parser} with "
        f"{count_noun(basis.seeds or 0, 'seed')}, and adjusted p values and intervals for all constructions "
        "of the run (Holm)."
    )
    cells = [treebank, construction(row), unit, *scores, compared, row.name_answer(Question.EASIER, score)]
    if converted_back:
        cells += [converted, row.name_answer(Question.TRAIN_ON, score)]
    return Quote(sentence, (*cells, str(basis.seeds), parser))


def _name_tested(row: ComparisonRow) -> str:
    """Return what was tested: `test set`, or `all sentences in 5 folds`."""
    return f"all sentences in {row.folds} folds" if row.tests_all_places else "test set"


def _write_markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _describe_difference(difference: Difference | None) -> str:
    """Return a difference with its interval and corrected p value."""
    if difference is None or difference.low is None or difference.high is None:
        return ""
    low, high = format_signed(difference.low), format_signed(difference.high)
    return f"{format_signed(difference.delta)} [{low}, {high}], {p_value(difference).partition(',')[0]}"
