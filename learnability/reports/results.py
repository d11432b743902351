"""Show the rows of a run as tables, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import PairEvidence
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.text import (
    Table,
    TableCell,
    explain_signs,
    join_names,
    number,
    percentage,
    probability,
)
from learnability.reports.verdicts import GoldTrees, gold_trees, name_difference, name_leader
from learnability.running.config import RunConfig
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun

SYMBOL: dict[str | None, str] = {
    Side.FIRST: "UD",
    Side.SECOND: "alt.",
    Side.EQUAL: "equal",
    Side.NONE: "–",
    None: "",
}
"""How a winner or a pick is shown."""

WITH_RULES = (
    "Between phrases: a content word and its function words count as one unit, and we score the arcs between "
    "units (undefined for cc, conj and punct). Converted back to UD: we compare the converted parses with "
    "UD's trees. Conversion alone costs some points (ceiling in scores.csv). "
)
WITHOUT_RULES = (
    "Comparisons between phrases and after conversion need rules that convert one annotation to the other, "
    "and this run has none. "
)
"""How to read the comparisons that not every run has."""

BASES = {
    ScoringBasis.ANNOTATION: "own annotation",
    ScoringBasis.WORDS: "without punctuation",
    ScoringBasis.PHRASES: "between phrases",
    ScoringBasis.CONVERTED: "converted back to UD",
    ScoringBasis.LABELS: "each on whole labels",
}
"""What tables call the comparisons."""


GOLD_TREES = {
    GoldTrees.SAME: "the same trees",
    GoldTrees.SAME_HEADS: "the same heads",
    GoldTrees.COMMON: "common labels",
}
"""What tables call the gold trees that both parsers have in common."""


def basis_title(row: ComparisonRow, score: Score, basis: ScoringBasis) -> str:
    """Return what tables call a comparison of a row: words that keep their heads have one gold tree."""
    if basis is not ScoringBasis.ANNOTATION:
        return BASES[basis]
    return GOLD_TREES.get(gold_trees(row, score), BASES[basis])


UNDEFINED = "undefined"
"""What tables show of a comparison that cannot be made; a sentence below says why."""


def names_of(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return the names of the rows: construction and parser, and the treebank where there are several."""
    treebanks = name_treebanks(rows)
    return [f"{treebanks[row.treebank_label]} {row.title}".strip() for row in rows]


def name_treebanks(rows: Iterable[ComparisonRow]) -> dict[str, str]:
    """Return what tables call each treebank, by its label: its name, with the release where two have one, and
    nothing if there is only one."""
    names = {row.treebank_label: row.treebank for row in rows}
    if len(names) == 1:
        return dict.fromkeys(names, "")
    return names if len(set(names.values())) == len(names) else {label: label for label in names}


def parsers_of(rows: Iterable[ComparisonRow]) -> list[str]:
    return list(dict.fromkeys(row.parser for row in rows if row.parser))


def by_score(rows: Sequence[ComparisonRow]) -> list[tuple[str, ComparisonRow, Score]]:
    """Return name, row and score of each comparison; in labelled runs the name includes the score."""
    labelled = any(row.labelled for row in rows)
    return [
        (f"{name} {score.upper()}" if labelled else name, row, score)
        for name, row in zip(names_of(rows), rows, strict=True)
        for score in row.compared_scores
    ]


def answer_table(rows: Sequence[ComparisonRow]) -> Table:
    """Return one row per construction and score: both answers, and the differences that they follow from.

    Where some rest on the test set and some on all sentences, a column says which.
    """
    trains_for_ud = any(row.pair.has_conversion_back for row in rows)
    is_mixed = _is_mixed(rows)
    lines = []
    for name, row, score in by_score(rows):
        difference = row.difference(score)
        answer = shorten_answer(row.name_answer(Question.EASIER, score)) or NOT_COMPUTED
        test_places = row.answering_row(score).test_places
        places = f"{name} ({test_places:,})" if test_places else name
        training = [show_training(row, score)] if trains_for_ud else []
        tested_on = [row.tested_on(score).removesuffix(" sentences")] if is_mixed else []
        lines.append((places, answer, interval(difference, row), *training, *tested_on))
    headings = ["construction", EASIER, BY_POINTS]
    if trains_for_ud:
        headings.append(TRAIN_ON)
    if is_mixed:
        headings.append("tested on")
    note = _explain_answers(rows, lines)
    return Table(title_of(rows), tuple(headings), tuple(lines), note, "<", keeps_names=True)


def _is_mixed(rows: Sequence[ComparisonRow]) -> bool:
    return len({row.tested_on(score) for row in rows for score in row.scores if row.tested}) > 1


def shorten_answer(answer: str) -> str:
    return NO_DIFFERENCE if answer == Answer.SAME else answer


NOT_COMPUTED = "not computed"

NO_DIFFERENCE = "no difference"
"""What tables call :attr:`Answer.SAME`."""

EASIER, BY_POINTS, TRAIN_ON = "easier", "by how many points\n(interval)", "train on\n(for UD trees)"
"""The headings of the answers, and of the difference that the first one follows from."""


def _explain_answers(rows: Sequence[ComparisonRow], lines: Sequence[Sequence[str | TableCell]]) -> str:
    place = "that were tested"
    if not _is_mixed(rows):
        place = "in the treebank" if any(row.tests_all_places for row in rows) else "in the test set"
    counts = [row.answering_row(score).test_places for _, row, score in by_score(rows)]
    counts = [count for count in counts if count]
    signs = {f"({counts[0]:,})": f"places {place}"} if counts else {}
    return explain_signs([cell for line in lines for cell in line], {**signs, **SIGNS})


def show_training(row: ComparisonRow, score: Score) -> str | TableCell:
    """Return which annotation to train on if UD trees are needed, with the difference that says so."""
    answered, difference = row.train_on(score), row.difference(score, ScoringBasis.CONVERTED)
    if not answered.answer:
        return UNDEFINED if answered.reason else ""
    if difference is None or difference.shown is None or not difference.is_clear:
        return shorten_answer(row.name_answer(Question.TRAIN_ON, score))
    names = {Side.FIRST: row.base, Side.SECOND: str(Answer.ALTERNATIVE)}
    return star_difference(name_leader(difference.delta, names), difference)


def title_of(rows: Sequence[ComparisonRow]) -> str:
    """Return what was compared: `UD_Irish 1.3 · 150 test sentences · 3 trainings each`."""
    if not rows:
        return ""
    treebanks = dict.fromkeys(" ".join(filter(None, (row.treebank, row.release))) for row in rows)
    bases = [(row.tested_on(score), row.answering_row(score)) for row in rows for score in row.scores]
    sizes = {tested_on: row.test_sentences for tested_on, row in bases if row.test_sentences}
    seeds = sorted({row.seeds for _, row in bases if row.seeds})
    parts = [join_names(treebanks, "treebank")]
    if sizes and len(treebanks) == 1:
        counts = [
            f"{tested_on} ({count:,})" if len(sizes) > 1 else count_noun(count, "test sentence")
            for tested_on, count in sizes.items()
        ]
        parts.append(", ".join(sorted(counts, reverse=True)))
    if seeds:
        spread = f"{seeds[0]} to " if len(seeds) > 1 else ""
        parts.append(f"{spread}{count_noun(seeds[-1], 'training')} each")
    return " · ".join(filter(None, parts))


def describe_size(pairs: Sequence[PairEvidence], config: RunConfig) -> str:
    """Return in one line what was compared on how much data."""
    parts = sorted({f"UD {pair.row.release}" for pair in pairs if pair.row.release})
    first = next((pair for pair in pairs if pair.row.train_tokens), None)
    if first is not None and len(config.treebanks) == 1:
        parts.append(count_noun(first.row.train_tokens or 0, "training token"))
        if first.a:
            parts.append(count_noun(sum(len(fold.tokens) for fold in first.a[0]), "test sentence"))
    parsers = len(config.options["parsers"])
    constructions = count_noun(len({pair.row.name for pair in pairs}), "construction")
    treebanks = len(config.treebanks)
    parts.append(f"{constructions} in {treebanks} treebanks" if treebanks > 1 else constructions)
    if parsers > 1:
        parts.append(count_noun(parsers, "parser"))
    parts.append(f"{count_noun(len(config.seeds), 'training')} each")
    folded = [pair.row for pair in pairs if pair.row.tests_all_places and pair.a and len(pair.a[0]) == 1]
    if folded:  # the records are those of the test set
        names = " and ".join(sorted({f"{row.test_sentences or 0:,}" for row in folded}))
        parts.append(f"then all {names} sentences for what was open")
    return " · ".join(parts)


SHORT = "alt."
"""What tables call the alternative."""


SIGNS = {SHORT: "the alternative", "*": "interval excludes 0", NO_DIFFERENCE: "under half a point"}
"""The signs of tables of differences, and what they mean."""


def interval(difference: Difference | None, row: ComparisonRow) -> str | TableCell:
    """Return a difference with the side that is ahead, its interval, and a star if the interval excludes 0;
    empty if it was not tested."""
    if difference is None or difference.shown is None:
        return ""
    names = {Side.FIRST: row.base, Side.SECOND: SHORT}
    return star_difference(name_difference(difference, names), difference)


def star_difference(text: str, difference: Difference) -> TableCell:
    """Return a difference in words with a star if it is clear; the cell is sorted by the difference."""
    return TableCell(text + ("*" if difference.is_clear else ""), f"{difference.delta:.6f}")


def comparison_table(rows: Sequence[ComparisonRow]) -> Table:
    """Return one row per construction, score and comparison: both scores, their difference, its p values."""
    base = rows[0].base if rows else "UD"
    compared = [
        (name, row, score, basis, difference)
        for name, row, score in by_score(rows)
        for basis in ScoringBasis.of(score)
        if (difference := row.difference(score, basis)) is not None or basis in row.undefined
    ]
    names_parser = bool(parsers_of(rows))
    return Table(
        "Every comparison",
        ("construction", "comparison", base, "alt.", "difference", "p", "p\n(Holm)"),
        tuple(
            (
                name,
                basis_title(row, score, basis),
                *_cells(row, difference),
            )
            for name, row, score, basis, difference in compared
        ),
        explain_signs([cell for *_, row, _, _, found in compared for cell in _cells(row, found)], SIGNS),
        explanation=(WITHOUT_RULES if not any(row.pair.has_rules for row in rows) else WITH_RULES)
        + "p: the p value of the difference; p (Holm): adjusted for all constructions"
        f"{' of this parser' if names_parser else ''}. The interval is adjusted in the same way.",
        align="<<>",
        groups=[name for name, *_ in compared],
    )


def _cells(row: ComparisonRow, difference: Difference | None) -> tuple[str | TableCell, ...]:
    if difference is None:
        return "", "", UNDEFINED, "", ""
    return (
        number(difference.base),
        number(difference.alternative),
        interval(difference, row),
        probability(difference.p_value),
        probability(difference.p_holm),
    )


def preference_table(rows: Sequence[ComparisonRow]) -> Table:
    """Return which annotation a parser prefers that is trained on both, beside the answer."""
    base = rows[0].base if rows else "UD"
    lines = []
    for name, row in zip(names_of(rows), rows, strict=True):
        if row.trained_on_both.pick:
            answer = shorten_answer(row.name_answer(Question.EASIER)) or NOT_COMPUTED
            side = shown_side(row, row.trained_on_both.pick)
            lines.append((name, answer, _preferred(row), side))
    return Table(
        "Preferred when trained on both (not used for the answer)",
        ("construction", EASIER, f"last iteration\n{base} / alt.", "side over all\niterations"),
        tuple(lines),
        explanation="Last iteration: share of the training sentences with places in which the parser "
        f"preferred {base} / the alternative in it. Side: the one with the larger mean share over all "
        "iterations. Compare it with the answer: it is weak evidence.",
        align="<<^^",
    )


def _preferred(row: ComparisonRow) -> str | TableCell:
    ours, theirs = row.trained_on_both.base, row.trained_on_both.alternative
    return "" if ours is None else TableCell(f"{percentage(ours)} / {percentage(theirs)}", f"{ours:.6f}")


def shown_side(row: ComparisonRow, side: str | None) -> str:
    """Return a side as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    return row.base if side == Side.FIRST else SYMBOL[side]
