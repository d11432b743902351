"""State what failed in a run, and what its numbers do not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.evidence.pair_evidence import PairEvidence
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import FIRST_SCORE
from learnability.reports.content import RunContent
from learnability.reports.results import parsers_of
from learnability.reports.verdicts import name_leader, with_same_heads
from learnability.running.records import Record
from learnability.statistics.inference import Side
from learnability.statistics.text_variance import ENOUGH_SENTENCES
from learnability.support.nouns import count_noun


@dataclass(frozen=True)
class PageCaveats:
    """Hold what a reader has to know before using the answers, and what the numbers do not tell.

    Attributes:
        failed: what failed, how many trainings, and the first reason.
        remarks: on the treebanks.
        limits: the most important first.
        skipped: by construction, how often it was left unchanged for which reason.
        unmixed: constructions with the number of sentences in which two schemes cannot be mixed.
        without_training_on_both: whether the only parser cannot be trained on both annotations.
        parser: the title of the first parser.
    """

    failed: Sequence[tuple[str, int, str]]
    remarks: Sequence[str]
    limits: Sequence[str]
    skipped: Mapping[str, Mapping[str, int]]
    unmixed: Sequence[tuple[str, int]]
    without_training_on_both: bool
    parser: str


def caveats_of(content: RunContent, pairs: Sequence[PairEvidence]) -> PageCaveats:
    """Return the caveats of a run; `pairs`: what it compares."""
    rows, treebanks = content.rows, content.config.treebanks
    trained_on_both = any(c.c for c in pairs)
    return PageCaveats(
        failed=failures_of(content),
        remarks=[
            *dict.fromkeys(remark for treebank in treebanks for remark in treebank.remarks),
            *describe_copies(rows),
        ],
        limits=content.opening.limits if content.opening else limits(content),
        skipped={c.name: c.measures[0].skipped for c in pairs if c.measures and c.measures[0].skipped},
        unmixed=[(c.name, int(count)) for c in pairs if (count := c.row.sentences_unmixed)],
        without_training_on_both=bool(pairs) and len(parsers_of(rows)) < 2 and not trained_on_both,
        parser=content.parser,
    )


def failures_of(content: RunContent) -> list[tuple[str, int, str]]:
    """Return what failed: the parser, else the treebank, how many trainings, and the first reason."""
    titles = {parser.spelling: parser.title for parser in content.config.parsers}
    by_parser: dict[str, list[Record]] = {}
    for record in content.failed:
        by_parser.setdefault(titles.get(record.parser) or record.treebank, []).append(record)
    return [(name, len(records), str(records[0].failed)) for name, records in by_parser.items()]


def limits(content: RunContent) -> list[str]:
    """Return what the numbers of a run do not tell, one or two sentences on each limit."""
    rows, options = content.rows, content.config.options
    base = rows[0].base if rows else "UD"
    parsers = parsers_of(rows) or [content.parser]
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
    tried = " They were only tried on constructions made by rule." if is_given else ""
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
        "Indirect indicators are weak evidence. Over many treebanks, none named the side ahead much more "
        f"often than a guess from the construction alone.{tried}",
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
        row = max(family, key=_change_by_copies)
        others, difference = row.without_copies[FIRST_SCORE], row.difference()
        assert difference is not None
        names = {Side.FIRST: row.base, Side.SECOND: "the alternative"}
        score = FIRST_SCORE.upper()
        tested = count_noun(row.test_sentences or 0, "test sentence")
        copies = "is a copy" if others.copies == 1 else "are copies"
        by = f" by {parser}" if parser else ""
        most = "" if len(family) == 1 else ", which changes most,"
        now, before = (name_leader(delta, names) for delta in (others.delta, difference.delta))
        lines.append(
            f"{others.copies:,} of the {tested} of {treebank} {copies} of training sentences, with (nearly) "
            f"the same words. Without copies, {row.base} scores {others.base:.1f} {score}{by} instead of "
            f"{difference.base:.1f}, and the difference for {row.name}{most} is {now} instead of {before}."
        )
    return lines


def _change_by_copies(row: ComparisonRow) -> float:
    """Return by how many points the difference changes without copies."""
    difference = row.difference()
    return 0.0 if difference is None else abs(row.without_copies[FIRST_SCORE].delta - difference.delta)


def tested_sentences(rows: Sequence[ComparisonRow]) -> int:
    """Return how many sentences the differences of rows follow from, the fewest; 0 without any difference."""
    return min((row.test_sentences or 0 for row in rows if row.tested), default=0)
