"""Write the paragraph that a release should have had: what changed, how often, where, and what did not."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.difference_kinds import Group
from learnability.annotation_diffs.groups import FeatureCounts
from learnability.reports.annotation_diffs.beside_words import (
    not_compared_sentences,
    other_sentences,
    same_sentence,
)
from learnability.reports.annotation_diffs.descriptions import fates_of, per_cent
from learnability.reports.text import enumerate_names
from learnability.support.nouns import count_noun

MOST_NAMED = 3
"""The most features, labels and groups that a sentence names."""

NOUNS = {
    "FORM": "another spelling",
    "LEMMA": "another lemma",
    "UPOS": "another UPOS tag",
    "XPOS": "another XPOS tag",
    "HEAD": "another head",
    "DEPREL": "another relation",
}
"""What a word of a column has, in words."""

PLURALS = {
    "FORM": "word forms",
    "LEMMA": "lemmas",
    "UPOS": "UPOS tags",
    "XPOS": "XPOS tags",
    "FEATS": "features",
    "HEAD": "heads",
    "DEPREL": "relations",
    "DEPS": "enhanced graphs",
    "MISC": "MISC",
}
"""The columns, in words."""


CHANGED_NUMBER = ("new", "deleted", "copies_added", "copies_removed", "split", "merged")
"""The fates of sentences after which a version has more sentences or fewer."""


def changelog(comparison: AnnotationDiff) -> str:
    """Return the paragraph, in lines of at most 80 characters."""
    base, alternative = comparison.base.name, comparison.alternative.name
    if not comparison.differs:
        same = f"{alternative} is the same as {base}, byte for byte."
        if not comparison.are_same_files:
            same = f"{base} and {alternative}: {same_sentence(comparison)}"
        return textwrap.fill(" ".join([same, *not_compared_sentences(comparison)]), 80)
    sentences = [_write_opening(comparison), *_sentences(comparison)]
    sentences += _list_vanished(comparison)
    sentences += _features(comparison)
    for column in ("UPOS", "XPOS", "DEPREL", "HEAD", "LEMMA", "FORM"):
        sentences += _column(comparison, column)
    sentences += _write_apart(comparison)
    sentences += other_sentences(comparison)
    sentences += _write_unchanged(comparison)
    return textwrap.fill(" ".join(sentences), 80, break_on_hyphens=False, break_long_words=False)


def _write_opening(comparison: AnnotationDiff) -> str:
    both, differing = len(comparison.matching.pairs), comparison.sentences_differing
    versions = f"{comparison.base.name} and {comparison.alternative.name}"
    share = f" ({per_cent(differing, both)})" if differing else ""
    return (
        f"{versions} have {count_noun(both, 'sentence')} in common, of which {differing:,}{share} "
        f"{'differs' if differing == 1 else 'differ'}."
    )


def _sentences(comparison: AnnotationDiff) -> list[str]:
    fates = fates_of(comparison)
    lines = [fate.sentence() for fate in fates]
    if not any(fate.name in CHANGED_NUMBER for fate in fates):
        lines.append("No sentence was added or deleted.")
    return lines


def _list_vanished(comparison: AnnotationDiff) -> list[str]:
    lines = []
    values = comparison.base_values, comparison.alternative_values
    for column, noun in (("UPOS", "UPOS tag"), ("DEPREL", "relation")):
        here, there = (each.all(column) for each in values)
        for only, counts, fate, verb in (
            (here.keys() - there.keys(), here, "vanished", "had"),
            (there.keys() - here.keys(), there, "is new", "have"),
        ):
            names = sorted(only, key=lambda name, counts=counts: (-counts[name], name))  # type: ignore[misc]
            for name in names[:MOST_NAMED]:
                words = count_noun(counts[name], "word")
                lines.append(f"The {noun} {name} {fate}: {words} {_agree(verb, counts[name])} it.")
            if len(names) > MOST_NAMED:
                others = count_noun(len(names) - MOST_NAMED, f"other {noun}")
                lines.append(f"{others} {_past(fate, len(names) - MOST_NAMED)}, too.")
    return lines


def _agree(verb: str, count: int) -> str:
    return "has" if verb == "have" and count == 1 else verb


def _past(fate: str, count: int) -> str:
    return "are new" if fate == "is new" and count > 1 else fate


def _features(comparison: AnnotationDiff) -> list[str]:
    lines = []
    features = comparison.features
    ends = [row for row in features if not row.alternative or not row.base]
    for row in ends:
        if row.base:
            lines.append(
                f"The feature {row.name} vanished: {count_noun(row.base, 'word')} had it, and none has it "
                "now."
            )
        else:
            lines.append(f"The feature {row.name} is new: {_have(row.alternative)} it.")
    others = [row for row in features if row not in ends]
    lines += [_feature(comparison, row) for row in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        rest = others[MOST_NAMED:]
        total = sum(row.removed + row.added + row.changed for row in rest)
        names = enumerate_names([row.name for row in rest[:MOST_NAMED]])
        more = f" and {len(rest) - MOST_NAMED} more" if len(rest) > MOST_NAMED else ""
        noun = "feature differs" if len(rest) == 1 else "features differ"
        lines.append(f"{len(rest)} other {noun} on {count_noun(total, 'word')} ({names}{more}).")
    return lines


def _have(words: int) -> str:
    return f"{count_noun(words, 'word')} {'has' if words == 1 else 'have'}"


def _feature(comparison: AnnotationDiff, row: FeatureCounts) -> str:
    parts = [
        f"{verb} {count_noun(count, 'word')}"
        for verb, count in (
            ("added to", row.added),
            ("removed from", row.removed),
            ("changed on", row.changed),
        )
        if count
    ]
    groups = [
        group for group in comparison.groups if group.kind.column == "FEATS" and group.kind.detail == row.name
    ]
    total = sum(group.words for group in groups)
    largest = groups[0]
    most = ""
    if len(groups) > 1 and largest.words > total / 10:
        most = f", most often {largest.kind.describe()} ({largest.words:,})"
    counts = f"before, {count_noun(row.base, 'word')} had it, now {row.alternative:,}"
    if row.base == row.alternative:
        counts = f"before and now, {count_noun(row.base, 'word')} had it"
    return f"The feature {row.name} was {enumerate_names(parts)}{most}; {counts}."


def _column(comparison: AnnotationDiff, column: str) -> list[str]:
    words = comparison.words_differing[column]
    if not words:
        return []
    groups = [group for group in comparison.groups if group.kind.column == column]
    named = _name_group([group for group in groups if not group.kind.punctuation])
    marks = sum(group.words for group in groups if group.kind.punctuation)
    punctuation = f" ({marks:,} of them punctuation)" if marks else ""
    sentence = f"{_have(words)} {NOUNS[column]} ({per_cent(words, comparison.words)}){punctuation}"
    return [f"{sentence}{named}."]


def _name_group(groups: Sequence[Group]) -> str:
    """Return the largest groups in words. Groups that read alike, as of punctuation and others, are one."""
    if not groups:
        return ""
    where = groups[0].examples[0].pair.base.name
    words = Counter[str]()
    for group in groups:
        words[group.kind.describe()] += group.words
    largest = words.most_common(MOST_NAMED)
    if len(words) == 1:
        return f", {largest[0][0]}, for example in {where}"
    shown = [f"{what} ({count:,})" for what, count in largest]
    return f", most often {'; '.join(shown)}, for example in {where}"


def _write_apart(comparison: AnnotationDiff) -> list[str]:
    lines = []
    for column, noun in (("DEPS", "another enhanced graph"), ("MISC", "other attributes in MISC")):
        words = comparison.words_differing[column]
        if words:
            named = _name_group([group for group in comparison.groups if group.kind.column == column])
            lines.append(f"{_have(words)} {noun}{named}.")
    return lines


def _write_unchanged(comparison: AnnotationDiff) -> list[str]:
    lines = not_compared_sentences(comparison)
    same = [PLURALS[column] for column in comparison.unchanged]
    if same:
        text = enumerate_names(same)
        where = " in what was compared" if lines else ""
        lines.append(f"{text[0].upper()}{text[1:]} did not change{where}.")
    return lines
