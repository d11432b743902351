"""Put what finished runs say together into sentences and tables, and print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from learnability.evidence.answers import TREEBANKS_DISAGREE
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.estimates import Estimate
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.reports.figures import Figure
from learnability.reports.panel import constructions_table, panel_table
from learnability.reports.results import BASES, SHORT, UNDEFINED, interval
from learnability.reports.text import (
    Table,
    TableCell,
    enumerated,
    number,
    print_sentences,
    print_table,
    probability,
    span,
    unbroken,
)
from learnability.reports.verdicts import (
    ahead,
    few_seeds,
    reason,
    same_gold_trees,
    side_names,
    treebanks_few,
    undefined_comparisons,
)
from learnability.statistics.significance import Side
from learnability.support.terminal import console
from learnability.support.wording import counted

MEANS, FAMILIES = "Means of every comparison", "By family of languages"
"""The titles of tables over all constructions."""

FEW = 5
"""Treebanks below which their mean says little of other ones."""


def verdict(construction: Construction, score: Score, *, meaning: bool = False) -> str:
    """Return the answer for a construction over all treebanks, and its evidence.

    `meaning`: also say how many words a point is.
    """
    answer, row = construction.answer(score), construction.row
    if not construction.tested(score):
        return "not computed." if not answer else f"{answer}. No treebank has enough examples."
    sentences, mean = [f"{answer}."], construction.means[score, ComparisonKind.ANNOTATION]
    if answer == TREEBANKS_DISAGREE:
        ud, other = (enumerated(construction.ahead(side, score)) for side in (Side.UD, Side.ALTERNATIVE))
        sentences.append(f"{row.original} is ahead in {ud}. The alternative is ahead in {other}.")
    if mean.treebanks == 1:
        only = construction.tested(score)[0][0].treebank
        return " ".join([*sentences, *reason(row, score, where=f"In one treebank, {only}", meaning=meaning)])
    where = f"On average over {counted(mean.treebanks, 'treebank')}"
    sentences += reason(row, score, where=where, meaning=meaning)
    if mean.treebanks < FEW:
        return " ".join([*sentences, treebanks_few(mean.treebanks)])
    return " ".join([*sentences, _heterogeneity(construction, score)])


def _heterogeneity(construction: Construction, score: Score) -> str:
    """Return whether the results vary between treebanks, and where that of another treebank may lie."""
    mean = construction.means[score, ComparisonKind.ANNOTATION]
    if mean.p_homogeneous is None or mean.p_homogeneous >= 0.05:
        return "The treebanks do not differ clearly from each other."
    if mean.expected_low is None or mean.expected_high is None:
        return "Results really do vary between treebanks."
    names = {**side_names(construction.row), Side.ALTERNATIVE: "the alternative"}
    reach = [ahead(value, names) for value in (mean.expected_high, mean.expected_low)]
    return f"Results really do vary between treebanks: expect {reach[0]} to {reach[1]} in another one."


def verdicts(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Return name, answer with evidence, and side (for the page) of each construction and score."""
    scored = evidence.scored()
    first = next((c for _, c, score in scored if c.tested(score)), None)
    return [
        (name, unbroken(verdict(c, score, meaning=c is first)), _shown(c.row.difference(score)))
        for name, c, score in scored
    ]


def _shown(difference: Difference | None) -> str:
    return (difference and difference.better) or ""


def tables(evidence: Evidence) -> list[Table]:
    """Return all tables, as they are printed and put into the page, the answers first."""
    every_table = [_answers(evidence), _treebanks(evidence), _means(evidence), _families(evidence)]
    judged = evidence.panels()
    if judged:
        every_table += [constructions_table(judged), panel_table(judged), _agreement(evidence)]
    return [table for table in every_table if table.rows]


def _agreement(evidence: Evidence) -> Table:
    agreement = evidence.agreement()
    scores = {row["score"] for row in agreement}
    return Table(
        "How far the parsers agree",
        ("parser", "with", "compared", "same\nsign", "clear", "same\nside", "rank\ncorrelation"),
        tuple(
            (
                f"{row['parser']} {row['score'].upper()}" if len(scores) > 1 else row["parser"],
                row["other"],
                str(row["conditions"]),
                number(row["same_sign"], ".0f", " %"),
                str(row["clear"]),
                number(row["same_side"], ".0f", " %"),
                number(row["rank_correlation"]),
            )
            for row in agreement
        ),
        "Compared: the number of constructions, each in one treebank, that both parsers were tested on. Same "
        "sign: how often the same side scores higher. Clear: how often both find a side clearly ahead. Same "
        'side: how often that is the same side. "The others" stands for the mean of the other parsers\' '
        "differences, and for the side that more than half of them favour if none opposes it. We compare the "
        "indirect indicators with all parsers in the same way.",
        "<<>",
    )


def _answers(evidence: Evidence) -> Table:
    sides, ud = (Side.UD, Side.ALTERNATIVE, Side.EQUAL, Side.NONE), evidence.original
    rows = []
    for name, construction, score in evidence.scored():
        counts, row = construction.sides(score), construction.row
        rows.append(
            (
                name,
                construction.answer(score) or "not computed",
                " / ".join(str(counts[side]) for side in sides) if counts else "",
                interval(row.difference(score), row),
                interval(row.difference(score, ComparisonKind.CONVERTED), row, brief=True),
            )
        )
    note = (
        f"Treebanks: the four numbers count the treebanks in which {ud} is clearly ahead, the alternative "
        "is, the difference is under half a point, or the answer is open. Each treebank is taken alone. Mean "
        "difference: the mean over treebanks, with the side that is ahead and its interval. A star marks a "
        "clear difference: its interval excludes 0."
    )
    return Table(
        f"{counted(len({c.treebank for c in evidence.conditions}), 'treebank')} together",
        (
            *("construction", "answer", f"treebanks\n{ud} / alt. /\nequal / open"),
            *("mean difference in correct\nheads (points)", "converted back\nto UD (points)"),
        ),
        tuple(rows),
        " ".join([note, *_same_language(evidence)]),
        "<",
    )


def _same_language(evidence: Evidence) -> list[str]:
    """Return that treebanks of one language are not independent, where there are some."""
    of: dict[str, set[str]] = {}
    for c in evidence.conditions:
        of.setdefault(c.language, set()).add(c.treebank)
    several = [
        f"{language.replace('_', ' ')} ({len(treebanks)})"
        for language, treebanks in of.items()
        if len(treebanks) > 1
    ]
    if not several:
        return []
    return [
        f"Some languages have several treebanks: {', '.join(several)}. They are not independent, so the "
        "intervals are narrower than they should be."
    ]


def _treebanks(evidence: Evidence) -> Table:
    """Return the treebanks by construction, with the mean of several below them."""
    rows: list[tuple[str | TableCell, ...]] = []
    known = evidence.estimates
    relabelled = any(c.row.has_common_labels for c in evidence.conditions)
    shown = [
        comparison for comparison in ComparisonKind if relabelled or comparison is not ComparisonKind.LABELS
    ]
    for name, construction, score in evidence.scored():
        lines = [(c.treebank, c.row) for c, _ in construction.tested(score)]
        if len(lines) > 1:
            lines.append((f"mean of {len(lines)}", construction.row))
        for label, row in lines:
            intervals = [
                UNDEFINED if comparison in row.undefined else interval(row.difference(score, comparison), row)
                for comparison in shown
            ]
            given_all = _given_all(known.get((label, construction.row.title, score)), row)
            rows.append((name, label, row.answer(score), *intervals, given_all))
    return Table(
        "By treebank",
        (
            *("construction", "treebank", "answer"),
            *(BASES[comparison] for comparison in shown),
            "given all\ntreebanks",
        ),
        tuple(rows),
        "Differences are in points, with the side that is ahead and the interval. The score between "
        "phrases is "
        "undefined for cc, conj and punct. Best of both: compared with the mixture of both annotations to "
        "which a parse is "
        "closest; the answer does not use it. Given all treebanks: the difference of the treebank, estimated "
        "from its own measurement and those of all others, with its 95 % interval.",
        "<",
        groups=[row[0] for row in rows],
    )


def _given_all(estimate: Estimate | None, row: ComparisonRow) -> str:
    """Return the estimate of a difference given those of all treebanks, with its interval."""
    if estimate is None or estimate.given_all is None:
        return ""
    found, names = estimate.given_all, {**side_names(row), Side.ALTERNATIVE: SHORT}
    return f"{ahead(found.delta, names)} ± {(found.high - found.low) / 2:.1f}"


def false_discoveries(evidence: Evidence) -> list[str]:
    """Return how many differences are clear at a false discovery rate of 5 %, where several are compared."""
    sentences = []
    known = evidence.estimates
    for score in Score:
        of_score = [estimate for (*_, by), estimate in known.items() if by is score]
        if len(of_score) > 1 and len({c.treebank for c in evidence.conditions}) > 1:
            clear = sum(estimate.clear for estimate in of_score)
            sentences.append(
                f"{clear} of {counted(len(of_score), 'difference')} in {score.upper()} are clear if we "
                "accept that one in twenty clear ones is a false alarm (false discovery rate, over all "
                "treebanks)."
            )
    return sentences


def _means(evidence: Evidence) -> Table:
    rows = tuple(
        (
            *(name, BASES[basis], str(mean.treebanks), interval(difference, c.row)),
            number(mean.tau),
            number(mean.i2 and 100 * mean.i2, ".0f", " %"),
            span(mean.expected_low, mean.expected_high),
            probability(difference.p_holm),
        )
        for name, c, score in evidence.scored()
        for basis, difference in c.row.by_comparison(score).items()
        if (mean := c.means.get((score, basis))) is not None
    )
    return Table(
        MEANS,
        (
            "construction",
            "comparison",
            "n",
            "mean difference",
            "τ",
            "I²",
            "in another\ntreebank",
            "p\n(Holm)",
        ),
        rows,
        "n: treebanks. τ: standard deviation of the true differences between treebanks, in points. I²: "
        "share of the variance between treebanks that is not measurement error. In another treebank: the "
        "range of its difference, UD minus alternative, in 95 % of the cases (with five treebanks or more). "
        "p (Holm): adjusted for the constructions with several treebanks; with one treebank it is the p "
        "value of that treebank.",
        "<<>",
        groups=[row[0] for row in rows],
    )


def _families(evidence: Evidence) -> Table:
    rows: list[tuple[str | TableCell, ...]] = []
    for name, c, score in evidence.scored():
        means, p_value = c.families(score)
        if len(means) < 2 or max(mean.treebanks for mean in means.values()) < 2:
            continue
        for i, (family, mean) in enumerate(means.items()):
            half = (mean.high - mean.low) / 2
            spread = f"{ahead(mean.mean, {**side_names(c.row), Side.ALTERNATIVE: SHORT})} ± {half:.1f}"
            rows.append((name, family, str(mean.treebanks), spread, "" if i else probability(p_value)))
    return Table(
        FAMILIES,
        ("construction", "family", "treebanks", "mean difference", "p of no difference\nbetween families"),
        tuple(rows),
        "For Indo-European languages: the branch. Mean difference ± 95 %, over the treebanks of the "
        "family; a "
        "mean of two or three treebanks says little. Constructions without a family of several treebanks are "
        "left out. p: analysis of variance with the weights of the overall mean, not corrected.",
        "<<>",
        groups=[row[0] for row in rows],
    )


def changes_of_answers(evidence: Evidence) -> list[str]:
    """Return one sentence for each treebank whose answer differs from that of its run."""
    return [
        f'{change.treebank} {change.construction}: the answer of its run was "{change.before}". Here it is '
        f'"{change.after}", because it accounts for {counted(change.comparisons, "comparison")}.'
        for change in evidence.changed
    ]


def remarks(evidence: Evidence) -> list[str]:
    """Return what limits the comparison, one line each."""
    found = []
    if evidence.without_data:
        found.append(f"We left out {counted(evidence.without_data, 'comparison')} with too few examples.")
    if evidence.not_computed:
        found.append(
            f"We left out {counted(evidence.not_computed, 'comparison')} without scores, because the "
            f"trainings "
            "failed or are missing."
        )
    whole = [c for c in evidence.conditions if c.row.tests_all_places]
    if whole and len(whole) < len(evidence.conditions):
        found.append(
            f"{len(whole)} of {counted(len(evidence.conditions), 'difference')} "
            f"{'comes' if len(whole) == 1 else 'come'} from whole treebanks, the others from test sets."
        )
    found += false_discoveries(evidence)
    seeds = {c.row.seeds for c in evidence.conditions if c.row.seeds}
    constructions = [construction.row for construction in evidence.constructions]
    explained = [*same_gold_trees(constructions), *undefined_comparisons(constructions)]
    return [*found, *evidence.remarks, *(few_seeds(min(seeds)) if seeds else ()), *explained]


@dataclass(frozen=True)
class Supplement:
    """Hold additions to a comparison: tables under a heading, figures, values for JSON, rows of CSV files."""

    heading: str
    tables: Sequence[Table]
    figures: Sequence[Figure]
    values: Mapping[str, Any]
    files: Mapping[str, Sequence[Mapping[str, Any]]]


def print_evidence(
    evidence: Evidence, supplement: Supplement | None = None, *, details: bool = False
) -> None:
    """Print the answers, and with `details` every comparison."""
    on = console()
    first, by_treebank, *others = tables(evidence)
    print_table(first, on, "bold", tight=True)
    on.print()
    print_sentences([f"{name}: {text}" for name, text, _ in verdicts(evidence)])
    print_sentences(changes_of_answers(evidence))
    if not details:
        note = "--details prints every comparison. --json prints all scores, and --out writes them to files."
        by_treebank = replace(by_treebank.only([0, 1, 2, 3, 6]), note=note)
    for table in (by_treebank, *(others if details else ()), *(supplement.tables if supplement else ())):
        on.print()
        print_table(table, on, "bold", tight=True)
    on.print()
    print_sentences(remarks(evidence))
