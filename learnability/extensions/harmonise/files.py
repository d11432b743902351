"""The files of `harmonise`: tables, proposals and rewritten treebanks; and values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from learnability.extending import Column, as_name
from learnability.extensions.harmonise.descriptions import (
    describe_change,
    scored_names,
    sides_of,
)
from learnability.extensions.harmonise.learned_rules import ConventionRule
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.patterns import PairPatterns
from learnability.extensions.harmonise.proposals import file_name, proposals_csv, proposals_name
from learnability.extensions.harmonise.ranked_patterns import rank_patterns
from learnability.extensions.harmonise.rewriting import ConstructionRewriting, Rewriting
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.words import words_of

PATTERNS, BY_TREEBANK, SCORES = "patterns.csv", "by-treebank.csv", "scores.csv"
"""The names of the files that every comparison has."""

ANSWERS = "answers.csv"
"""Says which side of each convention is easier to learn."""

RULES = "rules.csv"
"""The rules that were learned."""

GAINS = "rewriting.csv"
"""Says what rewriting gains."""

PATTERN_COLUMNS = Column.of_topic(
    "Patterns of two treebanks",
    ("first", "text", "a treebank"),
    ("second", "text", "another treebank"),
    ("about", "text", "`arc`: heads and relations; `tag`: tags"),
    ("pattern", "text", "what differs"),
    ("is_convention", "text", "`yes` if both treebanks show it clearly"),
    ("points", "number", "its cost in LAS (of tags: accuracy)"),
    ("p_value", "number", "of the weaker side, corrected (Bonferroni)"),
    (
        "first_words", "number",
        "words that parsers of the second change so, beyond its own parsers",
    ),
    ("first_of", "count", "how many words are annotated like these"),
    ("first_weight", "number", "these words, each counted as the share of words like it that change so"),
    ("second_words", "number", "words that parsers of the first change back so"),
    ("second_of", "count", "how many words are annotated like these"),
    ("second_weight", "number", "as `first_weight`"),
    ("first_query", "text", "for Grew-match: finds such words"),
    ("second_query", "text", "for Grew-match: finds such words"),
)  # fmt: skip
"""The columns of patterns.csv."""

RANKED_COLUMNS = Column.of_topic(
    "Patterns of one treebank",
    ("treebank", "text", "a treebank"),
    ("about", "text", "`arc`: heads and relations; `tag`: tags"),
    ("annotated", "text", "what the treebank annotates"),
    ("other", "text", "what others annotate; the same if only heads differ"),
    ("is_convention", "text", "`yes` if it differs so clearly from another treebank"),
    ("weight", "number", "of the words, as in patterns.csv, summed over all other treebanks"),
)
"""The columns of by-treebank.csv."""

SCORE_COLUMNS = Column.of_topic(
    "Scores across treebanks",
    ("trained", "text", "where parsers learned"),
    ("tested", "text", "what they parsed"),
    (str(SCORE), "number", f"{SCORE.upper()} in percent"),
    (f"{SCORE}_low", "number", "of the 95 % interval"),
    (f"{SCORE}_high", "number", "of the 95 % interval"),
    ("gain", "number", "points above the treebank alone; empty for parsers of one treebank"),
    ("gain_low", "number", "of the 95 % interval"),
    ("gain_high", "number", "of the 95 % interval"),
)
"""The columns of scores.csv."""


ANSWER_COLUMNS = Column.of_topic(
    "Which side is easier",
    ("rule", "text", "the construction, or the rule that was learned"),
    ("treebank", "text", "where both sides were learned"),
    ("like", "text", "the other treebank, which is annotated so"),
    ("is_converted_back", "text", "`yes` if the UD trees are made by the rule"),
    (
        "easier", "text",
        "which annotation is easier to learn, as in results.csv; of a learned rule, `UD` is the annotation "
        "of the treebank. `not compared`: it changes no word, or only gives a relation another name",
    ),
    ("train_on", "text", "which one to train on where UD is needed, as in results.csv"),
    ("delta", "number", f"{SCORE.upper()} on UD minus that on the alternative, in points"),
    ("delta_low", "number", "of the 95 % interval"),
    ("delta_high", "number", "of the 95 % interval"),
)  # fmt: skip
"""The columns of answers.csv."""

RULE_COLUMNS = Column.of_topic(
    "Rules between treebanks",
    ("treebank", "text", "the treebank that it changes"),
    ("like", "text", "the other treebank, like which it becomes"),
    ("differs", "text", "what differs"),
    ("rule", "text", "the rule, as `diff --rules` writes it"),
    ("precision", "number", "share of the changed words that parsers of the other treebank see so"),
    ("recall", "number", "share of the words that they see so which it changes"),
    ("changed", "count", "changed words in sentences that it was not learned from"),
    ("scheme", "text", "the file with the rule"),
)
"""The columns of rules.csv."""

GAIN_COLUMNS = Column.of_topic(
    "What rewriting gains",
    ("rules", "text", "what was rewritten"),
    ("rewritten", "text", "the treebank that was rewritten"),
    ("like", "text", "the other treebank"),
    ("trained", "text", "where parsers learned, with one training of each"),
    ("tested", "text", "what they parsed"),
    *(
        (f"{name}{end}", "number", f"{what}{', end of the 95 % interval' if end else ''}")
        for name, what in (
            ("before", f"{SCORE.upper()} in percent before"),
            ("after", f"{SCORE.upper()} in percent after"),
            ("gain", "after minus before, in points"),
        )
        for end in ("", "_low", "_high")
    ),
)
"""The columns of rewriting.csv."""


def values_of(comparison: TreebankComparison) -> dict[str, Any]:
    """Return the comparison as values for JSON."""
    names = comparison.names
    return {
        "treebanks": list(names),
        "words_learned_from": comparison.size,
        "shared": [
            {
                "treebank": name,
                "with": comparison.names[other],
                "sentences": len(comparison.divided.shared(number, other)),
            }
            for number, name in enumerate(names)
            for other in comparison.parses.others(number)
        ],
        "patterns": list(pattern_rows(comparison)),
        "constructions": [
            {
                "construction": each.spec,
                "as_ud": names[each.treebank],
                "as_alternative": names[each.source],
                "moved": each.moved,
                "by_rule": each.by_rule,
                "as_annotated": each.as_annotated,
            }
            for each in comparison.constructions
        ],
        "scores": list(score_rows(comparison)),
        "words": [
            {"treebank": name, **{str(kind): count for kind, count in comparison.count_kinds(number).items()}}
            for number, name in enumerate(names)
        ],
        "rules": list(rule_rows(comparison)),
        "answers": list(answer_rows(comparison)),
        "rewritten": list(gain_rows(comparison)),
    }


def pattern_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    """Yield the patterns of all pairs of treebanks, conventions first."""
    words = words_of(comparison.parses)
    pairs: list[PairPatterns] = [*comparison.arcs, *comparison.tags]
    for pair in pairs:
        for pattern in sorted(pair.patterns, key=lambda each: not each.is_convention):
            first, second = sides_of(pair, pattern, words)
            yield {
                "first": comparison.names[pair.first],
                "second": comparison.names[pair.second],
                "about": pattern.change.about,
                "pattern": describe_change(pattern.change),
                "is_convention": "yes" if pattern.is_convention else "",
                "points": pattern.cost,
                "p_value": pattern.p_value,
                "first_words": pattern.first.words,
                "first_of": pattern.first.of,
                "first_weight": pattern.first.weight,
                "second_words": pattern.second.words,
                "second_of": pattern.second.of,
                "second_weight": pattern.second.weight,
                "first_query": first.query,
                "second_query": second.query,
            }


def ranked_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(comparison.names):
        for ranked in rank_patterns([*comparison.arcs, *comparison.tags], number):
            yield {
                "treebank": name,
                **ranked.values._asdict(),
                "is_convention": "yes" if ranked.is_convention else "",
                "weight": ranked.weight,
            }


def score_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    for cell in comparison.matrix:
        gain = cell.gain
        yield {
            "trained": scored_names(comparison, cell.learned),
            "tested": comparison.names[cell.tested],
            str(SCORE): cell.las.value,
            f"{SCORE}_low": cell.las.low,
            f"{SCORE}_high": cell.las.high,
            "gain": None if gain is None else gain.value,
            "gain_low": None if gain is None else gain.low,
            "gain_high": None if gain is None else gain.high,
        }


def answer_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    for answer in comparison.answers or ():
        yield {
            "rule": answer.rewriting.spec,
            "treebank": comparison.names[answer.rewriting.treebank],
            "like": comparison.names[answer.rewriting.like],
            "is_converted_back": "yes" if answer.is_converted_back else "",
            "easier": answer.easier,
            "train_on": answer.train_on,
            **_with_ends("delta", answer.difference),
        }


def rule_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    for rule in comparison.rules:
        yield {
            "treebank": comparison.names[rule.treebank],
            "like": comparison.names[rule.like],
            "differs": rule.learned.differs,
            "rule": rule.spec,
            "precision": rule.learned.precision,
            "recall": rule.learned.recall,
            "changed": rule.learned.changed,
            "scheme": scheme_name(comparison, rule),
        }


def gain_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    for pair in comparison.rewritten:
        for change in pair.changes:
            yield {
                "rules": pair.rewriting.spec,
                "rewritten": comparison.names[pair.rewriting.treebank],
                "like": comparison.names[pair.rewriting.like],
                "trained": scored_names(comparison, change.learned),
                "tested": comparison.names[change.tested],
                **_with_ends("before", change.before),
                **_with_ends("after", change.after),
                **_with_ends("gain", change.gain),
            }


def _with_ends(name: str, estimate: Estimate95 | None) -> dict[str, float | None]:
    """Return an estimate and the ends of its interval; None where there is none."""
    ends = (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))


def scheme_name(comparison: TreebankComparison, rule: ConventionRule) -> str:
    return f"{_pair_name(comparison, rule.treebank, rule.like)}-rule{rule.learned.number}.toml"


def _pair_name(comparison: TreebankComparison, treebank: int, like: int) -> str:
    return f"{file_name(comparison.names[treebank])}-like-{file_name(comparison.names[like])}"


def contents_of(comparison: TreebankComparison) -> dict[str, bytes]:
    """Return the files by name."""
    contents = {
        PATTERNS: Column.csv(PATTERN_COLUMNS, pattern_rows(comparison)),
        BY_TREEBANK: Column.csv(RANKED_COLUMNS, ranked_rows(comparison)),
        SCORES: Column.csv(SCORE_COLUMNS, score_rows(comparison)),
    }
    if comparison.answers:
        contents[ANSWERS] = Column.csv(ANSWER_COLUMNS, answer_rows(comparison))
    if comparison.rules:
        contents[RULES] = Column.csv(RULE_COLUMNS, rule_rows(comparison))
    if comparison.rewritten:
        contents[GAINS] = Column.csv(GAIN_COLUMNS, gain_rows(comparison))
    for number, name in enumerate(comparison.names):
        contents[proposals_name(name)] = proposals_csv(comparison, number)
    for rule in comparison.rules:
        contents[scheme_name(comparison, rule)] = rule.learned.scheme.encode()
    for construction in comparison.rewritten_constructions:
        back = construction.is_converted_back
        name = f"{file_name(comparison.names[construction.treebank])}-{as_name(construction.rule.name)}"
        mark = "" if back else construction.rule.spec
        contents[f"{name}-{'ud' if back else 'alternative'}.conllu"] = rewritten_file(
            comparison, construction, transformed=mark
        )
    for (treebank, like), joined in comparison.joined.items():
        if len(joined.parts) > 1 or not isinstance(joined.parts[0], ConstructionRewriting):
            contents[f"{_pair_name(comparison, treebank, like)}.conllu"] = rewritten_file(
                comparison, joined, transformed=joined.alternative or None
            )
    return contents


def rewritten_file(
    comparison: TreebankComparison, rewriting: Rewriting, *, transformed: str | None = None
) -> bytes:
    """Return the file of a rewritten treebank.

    Args:
        comparison: of the treebanks.
        rewriting: what is rewritten.
        transformed: the construction that its trees follow; empty for UD, None to leave comments as they are.
    """
    treebank = comparison.treebanks[rewriting.treebank]
    trees = rewriting.rewrite(treebank).trees
    return treebank.version.conllu_text(trees, transformed=transformed).encode()
