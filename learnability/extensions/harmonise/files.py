"""The files of `harmonise`: a page, tables, proposals and rewritten treebanks; and values for JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from learnability.evidence.columns import columns_of_topic, csv_bytes
from learnability.extensions.harmonise.comparison import TreebankComparison
from learnability.extensions.harmonise.descriptions import (
    describe_change,
    scored_names,
    sides_of,
)
from learnability.extensions.harmonise.drawings import drawn_sections
from learnability.extensions.harmonise.matrix import SCORE
from learnability.extensions.harmonise.patterns import PairPatterns
from learnability.extensions.harmonise.proposals import proposals_csv
from learnability.extensions.harmonise.rewriting import rewrite_treebank
from learnability.extensions.harmonise.section import question_of, sections_of
from learnability.extensions.harmonise.words import words_of
from learnability.reports.rendering import render
from learnability.support.files import as_name, folder_atomically
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_writing import conllu_text, with_tree

PAGE, PATTERNS, SCORES = "harmonise.html", "patterns.csv", "scores.csv"
"""The names of the files that every comparison has."""

ANSWERS = "answers.csv"
"""Says which side of each construction is easier to learn."""

PATTERN_COLUMNS = columns_of_topic(
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
    ("second_words", "number", "words that parsers of the first change back so"),
    ("second_of", "count", "how many words are annotated like these"),
    ("first_query", "text", "for Grew-match: finds such words"),
    ("second_query", "text", "for Grew-match: finds such words"),
)  # fmt: skip
"""The columns of patterns.csv."""

SCORE_COLUMNS = columns_of_topic(
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


ANSWER_COLUMNS = columns_of_topic(
    "Which side is easier",
    ("construction", "text", "the rule that one treebank follows"),
    ("treebank", "text", "where both sides were learned"),
    ("is_converted_back", "text", "`yes` if the UD trees are made by the rule"),
    ("easier", "text", "which annotation is easier to learn, as in results.csv"),
    ("train_on", "text", "which one to train on where UD is needed, as in results.csv"),
    ("delta", "number", f"{SCORE.upper()} on UD minus that on the alternative, in points"),
    ("delta_low", "number", "of the 95 % interval"),
    ("delta_high", "number", "of the 95 % interval"),
)
"""The columns of answers.csv."""


def values_of(comparison: TreebankComparison) -> dict[str, Any]:
    """Return the comparison as values for JSON."""
    names = comparison.names
    return {
        "treebanks": list(names),
        "words_learned_from": comparison.size,
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
        "answers": list(answer_rows(comparison)),
        "rewritten": [
            {
                "construction": each.spec,
                "rewritten": names[each.rewritten],
                "like": names[each.like],
                "gain_on_rewritten": vars(each.gains[0]),
                "gain_on_other": vars(each.gains[1]),
            }
            for each in comparison.rewritten
        ],
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
                "second_words": pattern.second.words,
                "second_of": pattern.second.of,
                "first_query": first.query,
                "second_query": second.query,
            }


def score_rows(comparison: TreebankComparison) -> Iterator[dict[str, Any]]:
    """Yield the scores of all parsers on all treebanks."""
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
    """Yield both answers about each construction in both treebanks."""
    for answer in comparison.answers:
        difference = answer.difference
        yield {
            "construction": answer.spec,
            "treebank": comparison.names[answer.treebank],
            "is_converted_back": "yes" if answer.is_converted_back else "",
            "easier": answer.easier,
            "train_on": answer.train_on,
            "delta": None if difference is None else difference.value,
            "delta_low": None if difference is None else difference.low,
            "delta_high": None if difference is None else difference.high,
        }


def contents_of(comparison: TreebankComparison) -> dict[str, bytes]:
    """Return the files by name."""
    contents = {
        PAGE: page_of(comparison),
        PATTERNS: csv_bytes(PATTERN_COLUMNS, pattern_rows(comparison)),
        SCORES: csv_bytes(SCORE_COLUMNS, score_rows(comparison)),
    }
    if comparison.answers:
        contents[ANSWERS] = csv_bytes(ANSWER_COLUMNS, answer_rows(comparison))
    for number, name in enumerate(comparison.names):
        contents[f"{as_name(name.replace(' ', '-'))}-proposals.csv"] = proposals_csv(comparison, number)
    for support in comparison.constructions:
        treebanks = comparison.treebanks
        rule = get_transformation(support.spec, treebanks[support.treebank].version.conventions)
        for number, back in ((support.treebank, False), (support.source, True)):
            name = as_name(f"{comparison.names[number].replace(' ', '-')}-{rule.name}")
            rewritten = rewrite_treebank(treebanks[number], rule, back=back)
            ending = "ud" if back else "alternative"
            mark = "" if back else rule.spec
            pairs = zip(treebanks[number].version.sentences, rewritten.trees, strict=True)
            sentences = [with_tree(sentence, tree, transformed=mark) for sentence, tree in pairs]
            contents[f"{name}-{ending}.conllu"] = conllu_text(sentences).encode()
    return contents


def page_of(comparison: TreebankComparison) -> bytes:
    """Return a page that needs no network."""
    sections = [*sections_of(comparison, most=None), *drawn_sections(comparison)]
    return render(
        "learnability.extensions.harmonise:harmonise.html.jinja",
        title=question_of(comparison),
        sections=[(f"section-{number}", section) for number, section in enumerate(sections, start=1)],
        version=version("learnability"),
    )


def replaceable_in(folder: str | os.PathLike[str]) -> list[str]:
    """Return the names of files that a new comparison in this folder may replace."""
    there = os.listdir(folder) if os.path.isdir(folder) else []
    endings = ("-proposals.csv", "-ud.conllu", "-alternative.conllu")
    return [PAGE, PATTERNS, SCORES, ANSWERS, *(name for name in there if name.endswith(endings))]


def write_files(comparison: TreebankComparison, folder: str | os.PathLike[str]) -> list[str]:
    """Write the files of a comparison into a new folder, or in place of such a folder; return their names.

    Args:
        comparison: of the treebanks.
        folder: where the files go.

    Raises:
        InputError: the folder cannot be written, or holds other files.
    """
    contents = contents_of(comparison)
    with folder_atomically(folder, replaceable_in(folder)) as work:
        for name, content in contents.items():
            (work / name).write_bytes(content)
    return list(contents)
