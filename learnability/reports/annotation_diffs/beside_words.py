"""Say what differs beside the columns of words, what was not compared, and how far versions are the same."""

from __future__ import annotations

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.beside_words import (
    CHANGED,
    ORDER,
    RANGE,
    SENTENCE,
    OtherDifference,
    OtherKind,
)
from learnability.reports.annotation_diffs.descriptions import name_examples
from learnability.support.nouns import choose_verb, count_noun, join_words


def other_sentences(comparison: AnnotationDiff) -> list[str]:
    return [_describe(difference) for difference in comparison.others]


def _describe(difference: OtherDifference) -> str:
    kind, count = difference.kind, difference.count
    subject, verb = _words_for(kind, count)
    return f"{subject} {verb} ({name_examples(difference.sentences)})."


def _words_for(kind: OtherKind, count: int) -> tuple[str, str]:
    differ, are = choose_verb(count, "differs", "differ"), choose_verb(count, "is", "are")
    match kind.thing:
        case "sentence":
            return count_noun(count, SENTENCE), f"{choose_verb(count, 'stands', 'stand')} in another place"
        case "further column" if kind.fate == CHANGED:
            return count_noun(count, "word"), f"{differ} in {kind.detail}"
        case "further column":
            return f"The column {kind.detail}", f"is {kind.fate} in {count_noun(count, 'sentence')}"
        case "comment" if kind.detail == ORDER:
            where = count_noun(count, "sentence")
            return f"The comments of {where}", "differ only in their place, order or spaces"
        case "comment":
            key = f"# {kind.detail}" if kind.detail else "without a key"
            return (
                f"{count_noun(count, 'comment')} {key}",
                f"{differ} in value" if kind.fate == CHANGED else f"{are} {kind.fate}",
            )
    if kind.fate != CHANGED:
        return count_noun(count, kind.thing), f"{are} {kind.fate}"
    words = choose_verb(count, "its words", "their words")
    return count_noun(count, kind.thing), f"{differ} in {words if kind.detail == RANGE else kind.detail}"


def not_compared_sentences(comparison: AnnotationDiff) -> list[str]:
    """Return what was not compared, and why."""
    lines = []
    for columns, names in comparison.not_compared.items():
        reason = "heads are not given" if "HEAD" in columns else "a version has no such column"
        what = f"{join_words(columns)} {choose_verb(len(columns), 'is', 'are')} not compared"
        where = count_noun(len(names), "sentence")
        lines.append(f"{what} in {where}, because {reason} ({name_examples(names)}).")
    left_out = comparison.base_left_out, comparison.alternative_left_out
    if any(left_out):
        lines.append(
            "Not compared, because they were divided differently, inserted or deleted: "
            f"{count_noun(left_out[0], 'word')} here, {left_out[1]:,} there "
            f"({name_examples(comparison.words_left_out)})."
        )
    if comparison.base.has_lines != comparison.alternative.has_lines:
        lines.append("Only words and trees are compared, because one of the two was not read from a file.")
    return lines


def same_sentence(comparison: AnnotationDiff) -> str:
    """Return how far two versions that do not differ are the same."""
    both = count_noun(len(comparison.matching.pairs), "sentence")
    digests = comparison.base.digests, comparison.alternative.digests
    if not_compared_sentences(comparison):
        return f"Nothing that was compared differs in {both}."
    if comparison.are_same_files or not all(digests):
        return f"Nothing differs in {both}."
    if len(digests[0]) != len(digests[1]):
        files = f"{count_noun(len(digests[0]), 'file')} here, {len(digests[1]):,} there"
        return f"No sentence differs, of {both}. They are in {files}."
    where = "which file a sentence is in, " if len(digests[0]) > 1 else ""
    return (
        f"No sentence differs, of {both}. The bytes of the files differ: {where}line ends, blank lines, or a "
        "byte order mark."
    )
