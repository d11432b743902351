"""State what the numbers of a run do not tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from learnability.evidence.rows import ComparisonRow
from learnability.statistics.text_variance import ENOUGH_SENTENCES


def limits(
    base: str,
    parsers: Sequence[str],
    options: Mapping[str, Any],
    *,
    is_given: bool,
    same_heads: Collection[str] = (),
    sentences: int = 0,
) -> list[str]:
    """Return what the numbers of a run do not tell, one or two sentences on each limit.

    Args:
        base: what setting (a) was trained on.
        parsers: the names of the parsers.
        options: the options of the run.
        is_given: whether both annotations were imported, so that no rule leads from one to the other.
        same_heads: the names of constructions that change tags or relations and move no head.
        sentences: the sentences that were tested, 0 if that is not known.
    """
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


def tested_sentences(rows: Sequence[ComparisonRow]) -> int:
    """Return how many sentences the differences of rows follow from, the fewest; 0 without any difference."""
    return min((row.test_sentences or 0 for row in rows if row.tested), default=0)
