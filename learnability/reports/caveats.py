"""State what failed in a run, and what its numbers do not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.comparing.plan import RunPlan
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import PairEvidence
from learnability.metrics.scores import FIRST_SCORE
from learnability.reports.text import enumerate_names
from learnability.reports.verdicts import name_leader, with_same_heads
from learnability.running.config import RunConfig
from learnability.running.records import Record
from learnability.statistics.inference import Side
from learnability.statistics.text_variance import ENOUGH_SENTENCES
from learnability.support.nouns import count_noun

SHOWN = 3
"""So many limits stand among the caveats; the page has the others in its details."""


@dataclass(frozen=True)
class RunCaveats:
    """Hold what a reader has to know before using the answers, and what the numbers do not tell.

    Attributes:
        failed: what failed, and what that means.
        remarks, copies: on the treebanks, and on copies of training sentences in their test sets.
        limits: the most important first.
        skipped: by construction, how often it was left unchanged for which reason.
        unmixed: constructions with the number of sentences in which two schemes cannot be mixed.
        untrained: why no parser was trained on both annotations; empty if one was, or none needs to be.
    """

    failed: Sequence[tuple[str, str]]
    remarks: Sequence[str]
    copies: Sequence[str]
    limits: Sequence[str]
    skipped: Mapping[str, Mapping[str, int]]
    unmixed: Sequence[tuple[str, int]]
    untrained: str

    @property
    def first(self) -> list[str]:
        return [*self.remarks, *self.copies, *self.limits[:SHOWN]]


def list_caveats(
    plan: RunPlan,
    config: RunConfig,
    pairs: Sequence[PairEvidence],
    failed: Sequence[Record],
    limits: Sequence[str] | None,
) -> RunCaveats:
    """Return the caveats of a run; `limits`: what its numbers do not tell, where a study says that."""
    rows = [pair.row for pair in pairs]
    return RunCaveats(
        failed=_describe_failures(config, failed),
        remarks=_name_remarks(config),
        copies=describe_copies(rows),
        limits=describe_limits(rows, config) if limits is None else limits,
        skipped={
            pair.name: pair.measures[0].skipped
            for pair in pairs
            if pair.measures and pair.measures[0].skipped
        },
        unmixed=[(pair.name, int(count)) for pair in pairs if (count := pair.row.sentences_unmixed)],
        untrained=_explain_untrained(rows, plan),
    )


def _name_remarks(config: RunConfig) -> list[str]:
    several = len(config.treebanks) > 1
    found = ((treebank.name, remark) for treebank in config.treebanks for remark in treebank.remarks)
    return list(dict.fromkeys(f"{name}: {remark}" if several else remark for name, remark in found))


def _describe_failures(config: RunConfig, failed: Sequence[Record]) -> list[tuple[str, str]]:
    titles = {parser.spelling: parser.title for parser in config.parsers}
    by_name: dict[str, list[Record]] = {}
    for record in failed:
        by_name.setdefault(titles.get(record.parser) or record.treebank, []).append(record)
    return [
        (
            f"{name}: {count_noun(len(records), 'training')} failed",
            f"so results are missing. The {'first ' * (len(records) > 1)}error: {records[0].failed}. "
            "Fix the problem and rerun with --resume.",
        )
        for name, records in by_name.items()
    ]


def _explain_untrained(rows: Sequence[ComparisonRow], plan: RunPlan) -> str:
    if plan.multiref_parser is not None or not any(row.pair.can_train_on_both for row in rows):
        return ""
    names = [parser.title for parser in plan.options.parsers]
    because = f"because {'it has' if len(names) == 1 else 'they have'} no dynamic oracle"
    return f"{enumerate_names(names)} cannot be trained on both annotations at once, {because}."


def describe_limits(rows: Sequence[ComparisonRow], config: RunConfig) -> list[str]:
    """Return what the numbers of a run do not tell, one or two sentences on each limit."""
    options = config.options
    base = rows[0].base if rows else "UD"
    parsers = [parser.title for parser in config.parsers]
    same_heads, sentences = with_same_heads(rows), tested_sentences(rows)
    # both annotations were imported, so that no rule leads from one to the other
    is_given = bool(rows) and not any(row.pair.has_rules for row in rows)
    seen = {"gold": "gold tags", "xpos": "gold XPOS tags", "predicted": "predicted tags"}.get(
        options["tags"], "no tags"
    )
    manner = f"{'labelled' if options['labels'] else 'unlabelled'}, with {seen}"
    trained = f"only {parsers[0]}" if len(parsers) == 1 else f"{', '.join(parsers[:-1])} and {parsers[-1]}"
    gold_tree = (
        f" This does not apply to {', '.join(same_heads)}: both parsers are tested on the same heads."
        if same_heads
        else ""
    )
    common = "" if is_given else " The other comparisons of the run test whether that is the reason."
    few = (
        f"Neighbouring sentences are alike. With fewer than {ENOUGH_SENTENCES} sentences, here {sentences}, "
        "that can be measured only roughly, so intervals may be too narrow.",
    )
    rewritten = "The alternatives are" if base == "UD" else "Both annotations are"
    return [
        "Easy to learn does not mean right. A parser's score says nothing about linguistic adequacy, "
        "consistency across languages, or use in applications.",
        "Each parser is tested on its own annotation. A scheme can score higher simply because it offers "
        f"fewer ways to be wrong.{common}{gold_tree}",
        *(few if 0 < sentences < ENOUGH_SENTENCES else ()),
        f"We trained {trained} ({manner}). Other parsers may rank the annotations differently.",
        "Both parsers see the same tags, so the run does not compare tags. The difference may come from the "
        "guideline, or from how carefully each treebank was annotated."
        if is_given
        else f"{rewritten} made by rule from UD. They keep the errors and gaps of its annotation. A treebank "
        "annotated by hand under the alternative would have other errors.",
        "One treebank is one sample of genres and annotators. The answer may differ for other texts of the "
        "language, and for other amounts of training data.",
    ]


def describe_copies(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return for each treebank and parser how many tested sentences are copies of training sentences, and the
    scores without them; nothing where none is."""
    families: dict[tuple[str, str], list[ComparisonRow]] = {}
    for row in rows:
        if FIRST_SCORE in row.without_copies and row.difference() is not None:
            families.setdefault((row.treebank_label, row.parser), []).append(row)
    lines: list[str] = []
    for (treebank, parser), family in families.items():
        tested = [
            row for row in family if (found := row.difference()) is not None and found.shown is not None
        ]
        row = max(tested or family, key=_change_by_copies)
        others, difference = row.without_copies[FIRST_SCORE], row.difference()
        assert difference is not None
        names = {Side.FIRST: row.base, Side.SECOND: "the alternative"}
        score = FIRST_SCORE.upper()
        sentences = count_noun(row.test_sentences or 0, "test sentence")
        copies = "is a copy" if others.copies == 1 else "are copies"
        counted = (
            f"{others.copies:,} of the {sentences} of {treebank} {copies} of training sentences, with "
            "(nearly) the same words."
        )
        if others.base is None or others.delta is None:
            lines.append(f"{counted} So no score says how parsers do on new sentences. Use another test set.")
            continue
        if not tested:
            lines.append(counted)
            continue
        by = f" by {parser}" if parser else ""
        most = "" if len(tested) == 1 else ", which changes most,"
        now, before = (name_leader(delta, names) for delta in (others.delta, difference.delta))
        moved = f"the difference for {row.name}{most} is {now} instead of {before}"
        if now == before:
            moved = (
                "no difference moves by 0.1 points" if most else f"the difference for {row.name} stays {now}"
            )
        lines.append(
            f"{counted} Without copies, {row.base} scores {others.base:.1f} {score}{by} instead of "
            f"{difference.base:.1f}, and {moved}."
        )
    return lines


def _change_by_copies(row: ComparisonRow) -> float:
    difference, without_copies = row.difference(), row.without_copies[FIRST_SCORE].delta
    return 0.0 if difference is None or without_copies is None else abs(without_copies - difference.delta)


def tested_sentences(rows: Sequence[ComparisonRow]) -> int:
    """Return how many sentences the differences of rows follow from, the fewest; 0 without any difference."""
    return min((row.test_sentences or 0 for row in rows if row.tested), default=0)
