"""What a run says about each condition, ready for a paper: a sentence, a row in Markdown and one in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.reports.text import Section, counted, number, signed
from learnability.reports.verdicts import construction, p_value

BEFORE = ("treebank", "construction", "score", "original", "alternative", "difference [95 %], p (Holm)")
CONVERTED = "after conversion to UD [95 %], p (Holm)"
AFTER = ("answer", "seeds", "parser")

LATEX = str.maketrans(
    {"−": "$-$", "+": "$+$", "<": "$<$", "=": "$=$"} | {sign: f"\\{sign}" for sign in "_%&#"} | {"|": "$|$"}
)
"""What LaTeX would take for something else, or set badly."""


def paper_section(rows: Sequence[ComparisonRow], parser: str) -> Section | None:
    """Per condition and score a sentence to quote, a row in Markdown and one in LaTeX; None if no condition
    has enough data. `parser`: the judge of the run."""
    with_rules = any(row.has_conversion_back for row in rows)
    headings = (*BEFORE, *([CONVERTED] if with_rules else []), *AFTER)
    sentences, table = [], [headings]
    for row in rows:
        for score in Score:
            own, back = row.difference(score), row.difference(score, ComparisonKind.CONVERTED)
            if own is None or own.p_value is None:
                continue
            treebank, unit = f"{row.treebank} {row.release}".strip(), score.upper()
            decision = row.answer(score)
            scores = number(own.ud), number(own.alternative)
            both, converted = _compared(own), _compared(back)
            sentences.append(
                f"{treebank}, {construction(row)}: {decision}. {unit} {scores[0]} with {row.original} and "
                f"{scores[1]} with the alternative, each against its own reference ({both})"
                + (f"; after conversion to UD the difference is {converted}" if with_rules else "")
                + f" ({parser}, "
                f"{counted(row.seeds or 0, 'seed')}; p after Holm)."
            )
            on_ud = [converted] if with_rules else []
            compared = (*scores, both, *on_ud, decision, str(row.seeds), parser)
            table.append((treebank, construction(row), unit, *compared))
    if not sentences:
        return None
    rule = "|" + "---|" * len(headings)
    escaped = ([cell.replace("|", r"\|") for cell in cells] for cells in table)
    markdown = [f"| {' | '.join(cells)} |" for cells in escaped]
    latex = [" & ".join(cell.translate(LATEX) for cell in cells) + r" \\" for cells in table]
    lines = (markdown[0], rule, *markdown[1:], "", *latex)
    return Section("For a paper", tuple(sentences), lines=lines)


def _compared(difference: Difference | None) -> str:
    """A difference with interval and corrected p value."""
    if difference is None or difference.low is None or difference.high is None:
        return ""
    low, high = signed(difference.low), signed(difference.high)
    return f"{signed(difference.delta)} [{low}, {high}], {p_value(difference).partition(',')[0]}"
