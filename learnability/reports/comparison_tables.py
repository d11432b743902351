"""Put what finished runs say together into sentences and tables, and print them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import run_of_rows
from learnability.evidence.survey import Construction, Evidence, combine_runs
from learnability.metrics.scores import ANSWERED, Score
from learnability.reports.all_parsers import all_parsers_table, explain_sentences
from learnability.reports.results import (
    BASES,
    BY_POINTS,
    EASIER,
    NOT_COMPUTED,
    SHORT,
    SIGNS,
    TRAIN_ON,
    UNDEFINED,
    interval,
    name_treebanks,
    show_training,
)
from learnability.reports.story import MOST_ROWS, RunStory
from learnability.reports.text import (
    Table,
    TableCell,
    enumerate_names,
    explain_signs,
    join_signs,
    number,
    print_sentences,
    print_table,
    probability,
)
from learnability.reports.verdicts import (
    count_excluded,
    describe_easier,
    describe_training,
    few_seeds,
    list_evidence,
    name_difference,
    name_leader,
    same_gold_trees,
    side_names,
    undefined_comparisons,
)
from learnability.statistics.inference import ALPHA, Side
from learnability.statistics.meta_analysis import RandomEffects, false_discovery_rates
from learnability.support.nouns import count_noun
from learnability.support.terminal import console


def verdict(construction: Construction, score: Score, *, meaning: bool = False) -> str:
    """Return the answers for a construction over all treebanks, and their evidence; with the `meaning` of a
    point."""
    row = construction.row
    easier, names = row.easier(score), side_names(row)
    is_untold = easier.answer is Answer.NONE and bool(construction.list_tested(score))
    sentences = [] if is_untold else [f"{describe_easier(easier, names)}."]
    if not construction.list_tested(score):
        return " ".join([*sentences, *(["No treebank has enough examples."] if easier.answer else [])])
    mean, treebanks = construction.mean(score), _treebanks_of(construction, score)
    disagree = easier.reason == Reason.TREEBANKS_DISAGREE
    if disagree:
        base, other = (
            enumerate_names(construction.list_treebanks(answer, score))
            for answer in (Answer.BASE, Answer.ALTERNATIVE)
        )
        sentences.append(
            f"{row.base} is ahead in {base}. The alternative is ahead in {other}. More tests would not make "
            "them agree: decide for each language."
        )
    if len(construction.list_tested(score)) == 1:
        ((only, _),) = construction.list_tested(score)
        where = f"In one treebank, {only.treebank}"
        return " ".join([*sentences, *list_evidence(only.row, score, where=where, meaning=meaning)])
    if mean is None:
        return " ".join([*sentences, f"We tested {treebanks}.", *([] if is_untold else [FOR_A_MEAN])])
    if disagree:
        difference = row.difference(score)
        assert difference is not None
        sentences.append(f"The mean over {treebanks} is {name_difference(difference, names)}.")
        sentences += describe_training(row, score)
    else:
        sentences += list_evidence(row, score, where=f"On average over {treebanks}", meaning=meaning)
    return " ".join([*sentences, _heterogeneity(row, mean)])


FOR_A_MEAN = "A mean needs treebanks of five languages, or five treebanks of one language."


def _treebanks_of(construction: Construction, score: Score) -> str:
    """Return how many treebanks of how many languages were tested: `9 treebanks of 7 languages`."""
    tested = [c for c, _ in construction.list_tested(score)]
    languages = list(dict.fromkeys(c.language.replace("_", " ") for c in tested))
    of = languages[0] if len(languages) == 1 else count_noun(len(languages), "language")
    return f"{count_noun(len(tested), 'treebank')} of {of}"


def _heterogeneity(row: ComparisonRow, mean: RandomEffects) -> str:
    if mean.p_homogeneous is None or mean.p_homogeneous >= 0.05:
        return "The treebanks do not differ clearly from each other."
    where = "treebank" if mean.languages == 1 else "language"
    return f"In another {where}, expect anything from {_show_expected(row, mean, 'the alternative')}."


def _show_expected(row: ComparisonRow, mean: RandomEffects, alternative: str) -> str:
    if mean.expected_low is None or mean.expected_high is None:
        return ""
    names = {**side_names(row), Side.SECOND: alternative}
    return " to ".join(name_leader(value, names) for value in (mean.expected_high, mean.expected_low))


def verdicts(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Return name, answer with evidence, and side (for the page) of each construction and score; those of
    which the same is to be said are named together."""
    scored = evidence.list_scored()
    first = next((c for _, c, score in scored if c.list_tested(score)), None)
    named: dict[tuple[str, str], list[str]] = {}
    for name, c, score in scored:
        text = join_signs(verdict(c, score, meaning=c is first))
        named.setdefault((text, _show_names(c.row.difference(score))), []).append(name)
    return [(", ".join(names), text, side) for (text, side), names in named.items()]


def _show_names(difference: Difference | None) -> str:
    return (difference and difference.better) or ""


def tables(evidence: Evidence) -> list[Table]:
    """Return all tables, as they are printed and put into the page, the answers first."""
    every_table = [_answers(evidence), _treebanks(evidence), means_table(evidence)]
    pairs = evidence.combine_parsers()
    if pairs:
        every_table.append(all_parsers_table(pairs))
    return [table for table in every_table if table.rows]


def _answers(evidence: Evidence) -> Table:
    base, rows = evidence.base, []
    trains_for_ud = any(c.row.pair.has_conversion_back for c in evidence.constructions)
    for name, construction, score in evidence.list_scored():
        counts, row = construction.answers(score), construction.row
        by_answer = [str(counts[answer]) if counts else "" for answer in COUNTED]
        training = [show_training(row, score)] if trains_for_ud else []
        answer = row.name_answer(Question.EASIER, score) or NOT_COMPUTED
        rows.append((name, answer, interval(row.difference(score), row), *training, *by_answer))
    signs = explain_signs([cell for row in rows for cell in row], SIGNS)
    notes = [f"{base}, {SHORT}, same, open: treebanks with this answer.", signs]
    answered, explanation = [c.row.easier(score) for _, c, score in evidence.list_scored()], ""
    if any(each.answer is Answer.TOO_FEW_TREEBANKS for each in answered):
        explanation = FOR_A_MEAN
    training_heading = [TRAIN_ON] if trains_for_ud else []
    return Table(
        f"{count_noun(len({c.treebank for c in evidence.pairs}), 'treebank')} together",
        (
            *("construction", EASIER, BY_POINTS, *training_heading),
            *(base, SHORT, "same", "open"),
        ),
        tuple(rows),
        " ".join(filter(None, notes)),
        "<" * (3 + trains_for_ud) + ">",
        keeps_names=True,
        explanation=" ".join(
            filter(
                None,
                [
                    explanation,
                    f"An interval is that of the side before it. In files, positive: {evidence.positive}.",
                    *_explain_dependence(evidence),
                ],
            )
        ),
    )


COUNTED = (Answer.BASE, Answer.ALTERNATIVE, Answer.SAME, Answer.OPEN)
"""The answers whose treebanks are counted."""


def _explain_dependence(evidence: Evidence) -> list[str]:
    """Return that treebanks of one language or family are not independent, where there is a mean of such."""
    means = [mean for _, c, score in evidence.list_scored() if (mean := c.mean(score)) is not None]
    if not any(mean.families < mean.treebanks and mean.languages > 1 for mean in means):
        return []
    allow = "The means allow for treebanks of one language being alike"
    if any(mean.tau_family is not None for mean in means):
        return [f"{allow}, and languages of one family."]
    return [f"{allow}. Their languages are of too few families to tell how much families differ."]


def _treebanks(evidence: Evidence) -> Table:
    rows: list[tuple[str | TableCell, ...]] = []
    compared = {basis for c in evidence.pairs for _, basis in c.row.differences}
    shown = [basis for basis in ScoringBasis if basis in compared]
    names = name_treebanks(c.row for c in evidence.pairs)
    for name, construction, score in evidence.list_scored():
        lines = [(names[c.treebank] or c.treebank, c.row) for c, _ in construction.list_tested(score)]
        if construction.mean(score) is not None:
            lines.append((f"mean of {len(lines)}", construction.row))
        for shown_name, row in lines:
            intervals = [
                UNDEFINED if basis in row.undefined else interval(row.difference(score, basis), row)
                for basis in shown
            ]
            answers = (row.name_answer(question, score) for question in Question)
            rows.append((name, shown_name, *answers, *intervals))
    return Table(
        "By treebank",
        (
            *("construction", "treebank", "easier", "train on"),
            *(BASES[basis] for basis in shown),
        ),
        tuple(rows),
        explain_signs([cell for row in rows for cell in row], SIGNS),
        explanation="Differences are in points, with the side that is ahead and the interval. "
        "Between phrases is "
        "undefined for cc, conj and punct.",
        align="<",
        groups=[row[0] for row in rows],
    )


STATISTICS = ("τ", "I²", "p\n(Holm)")
"""The columns of means that pages leave out: `--details` prints them, and CSV files have them."""


def leave_out_statistics(table: Table) -> Table:
    return table.select_columns([i for i, name in enumerate(table.headings) if name not in STATISTICS])


def false_discoveries(evidence: Evidence) -> list[str]:
    """Return how many differences withstand a false discovery rate of 5 %, where there are several
    treebanks: answers are corrected for the constructions of a treebank alone."""
    sentences: list[str] = []
    if len({c.treebank for c in evidence.pairs}) == 1:
        return sentences
    for score in ANSWERED:
        tested = (c.row.difference(score) for c in evidence.pairs)
        p_values = [found.p_of_two_tests for found in tested if found is not None and found.error is not None]
        if len(p_values) > 1:
            number = sum(rate < ALPHA for rate in false_discovery_rates(p_values))
            sentences.append(
                "Each answer accounts for the constructions of its treebank only. Over all treebanks, "
                f"{number} of the {count_noun(len(p_values), 'difference')} in {score.upper()} "
                f"{'withstands' if number == 1 else 'withstand'} a false discovery rate of 5 %."
            )
    return sentences


def means_table(evidence: Evidence) -> Table:
    """Return the means of each construction in each comparison, and how much treebanks differ."""
    rows = tuple(
        (
            *(name, BASES[basis], f"{mean.treebanks} / {mean.languages}", interval(difference, c.row)),
            number(mean.tau),
            number(mean.i2 and 100 * mean.i2, ".0f", " %"),
            _show_expected(c.row, mean, SHORT),
            probability(difference.p_holm),
        )
        for name, c, score in evidence.list_scored()
        for basis, difference in c.row.by_basis(score).items()
        if (mean := c.means.get((score, basis))) is not None
    )
    return Table(
        "Means of every comparison",
        (
            "construction",
            "comparison",
            "treebanks /\nlanguages",
            "mean difference",
            "τ",
            "I²",
            "in another\nlanguage",
            "p\n(Holm)",
        ),
        rows,
        explain_signs([cell for row in rows for cell in row], SIGNS),
        explanation="τ: standard deviation of the true differences between treebanks of different "
        "languages, in points. "
        "I²: share of the variance between treebanks that is not measurement error. In another language: the "
        "range of the difference in a treebank there in 95 % of the cases. p (Holm): "
        "adjusted for all constructions that have a mean.",
        align="<<>",
        groups=[row[0] for row in rows],
    )


def remarks(evidence: Evidence) -> list[str]:
    """Return what limits the comparison, one line each."""
    found = []
    if evidence.without_data:
        found.append(f"We left out {count_noun(evidence.without_data, 'comparison')} with too few examples.")
    if evidence.not_computed:
        found.append(
            f"We left out {count_noun(evidence.not_computed, 'comparison')} without scores, because the "
            f"trainings failed or are missing."
        )
    whole = [c for c in evidence.pairs if c.row.tests_all_places]
    if whole and len(whole) < len(evidence.pairs):
        found.append(
            f"{len(whole)} of {count_noun(len(evidence.pairs), 'difference')} "
            f"{'was' if len(whole) == 1 else 'were'} tested on all sentences, the others on test sets."
        )
    for score in ANSWERED:
        is_open = [c.row for c in evidence.pairs if c.row.easier(score).answer is Answer.OPEN]
        differences = [difference for row in is_open if (difference := row.difference(score)) is not None]
        if differences:
            text = count_excluded(differences, {**side_names(is_open[0]), Side.SECOND: "the alternative"})
            found.append(f"{score.upper()}: {text}" if evidence.names_scores else text)
    found += explain_sentences(evidence.combine_parsers())
    found += false_discoveries(evidence)
    seeds = {c.row.seeds for c in evidence.pairs if c.row.seeds and not c.row.tests_all_places}
    constructions = [construction.row for construction in evidence.constructions]
    explained = [*same_gold_trees(constructions), *undefined_comparisons(constructions)]
    return [*found, *evidence.remarks, *(few_seeds(min(seeds)) if seeds else ()), *explained]


def print_evidence(evidence: Evidence, *, details: bool = False, explain: bool = False) -> None:
    """Print the answers, with `details` every comparison, and with `explain` how to read each table."""
    on = console()
    print_answers(evidence, details=details, explain=explain)
    _, by_treebank, *others = tables(evidence)
    if not details:
        note = "--details prints every comparison. --json prints all scores, and --out writes them to files."
        by_treebank = replace(by_treebank.select_columns([0, 1, 2, 3, 4]), note=note)
    is_listed = details or len(evidence.pairs) <= MOST_ROWS
    for table in (*([by_treebank] if is_listed else ()), *(others if details else ())):
        on.print()
        print_table(table, on, "bold", tight=True, explain=explain)
    on.print()
    if not is_listed:
        print_sentences([f"{describe_unlisted(evidence)} --out DIR writes them to a page and files."])
    print_sentences(remarks(evidence))


def print_answers(evidence: Evidence, *, details: bool = False, explain: bool = False) -> None:
    """Print what all treebanks say together, and how far they differ; with `details` in full sentences."""
    on = console()
    print_table(tables(evidence)[0], on, "bold", tight=True, explain=explain)
    on.print()
    if details:
        print_sentences([f"{name}: {text}" for name, text, _ in verdicts(evidence)])
        return
    scored = evidence.list_scored()
    differ = [
        f"{name}: {_heterogeneity(construction.row, mean)}"
        for name, construction, score in scored
        if (mean := construction.mean(score)) is not None
    ]
    print_sentences(differ if len(differ) == len(scored) else [*differ, FOR_A_MEAN])


def combine_treebanks(story: RunStory) -> Evidence:
    return combine_runs([run_of_rows(Path(), story.config, story.rows)])


def describe_unlisted(evidence: Evidence) -> str:
    """Return that a terminal does not list single treebanks."""
    count = count_noun(len(evidence.pairs), "comparison")
    return f"--details lists the {count} of single treebanks."
