"""Write scores, what rewriting gains and rewritten treebanks; return values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from learnability.extending import Column, TreebankFiles, as_name
from learnability.extensions.harmonise.convention_words import file_name
from learnability.extensions.harmonise.counting import contents_of, values_of_lines
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.pattern_lines import TrainedTreebanks
from learnability.extensions.harmonise.rewriting import Rewriting
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

SCORES = "scores.csv"
"""The scores of all parsers on all treebanks."""

GAINS = "rewriting.csv"
"""Says what rewriting gains."""

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


def values_of(trained: TrainedTreebanks) -> dict[str, Any]:
    """Return what was found as values for JSON."""
    comparison = trained.comparison
    names = comparison.names
    return {
        **values_of_lines(trained),
        "words_learned_from": comparison.size,
        "shared": [
            {
                "treebank": name,
                "with": names[other],
                "sentences": len(comparison.divided.shared(number, other)),
            }
            for number, name in enumerate(names)
            for other in comparison.parses.others(number)
        ],
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
        "rewritten": list(gain_rows(comparison)),
    }


def scored_names(comparison: TreebankComparison, numbers: Sequence[int]) -> str:
    return " + ".join(comparison.names[number] for number in numbers)


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


def _pair_name(comparison: TreebankComparison, treebank: int, like: int) -> str:
    return f"{file_name(comparison.names[treebank])}-like-{file_name(comparison.names[like])}"


def contents_of_trainings(trained: TrainedTreebanks, files: Sequence[TreebankFiles]) -> dict[str, bytes]:
    """Return the files by name, those that counting alone writes, too.

    Args:
        trained: the treebanks.
        files: those of each treebank; none if they are not found any more.
    """
    comparison = trained.comparison
    contents = contents_of(trained, files)
    contents[SCORES] = Column.csv(SCORE_COLUMNS, score_rows(comparison))
    if comparison.rewritten:
        contents[GAINS] = Column.csv(GAIN_COLUMNS, gain_rows(comparison))
    for construction in comparison.rewritten_constructions:
        back = construction.is_converted_back
        name = f"{file_name(comparison.names[construction.treebank])}-{as_name(construction.rule.name)}"
        mark = "" if back else construction.rule.spec
        contents[f"{name}-{'ud' if back else 'alternative'}.conllu"] = rewritten_file(
            comparison, construction, transformed=mark
        )
    for (treebank, like), joined in comparison.joined.items():
        if len(joined.parts) > 1:
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
