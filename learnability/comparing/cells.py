"""The counts and measures of a condition, which need no training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from learnability.comparing.annotation import Condition
from learnability.comparing.criteria import MeasuredTrees, measured
from learnability.comparing.fold import Fold, Trees
from learnability.comparing.results import Measures
from learnability.multiref.contrasts import UNCHANGED, Sides, kinds_of_change
from learnability.parsing.projectivity import is_projective


def measure(fold: Fold, condition: Condition) -> Measures:
    """Counts of a condition and its measures, on training trees that are not lifted; perplexity and
    complexity on the sentences that are projective in both annotations."""
    contrast = fold.contrast(condition)
    sides = [contrast.sides(tree) for tree in fold.train]
    skipped = sum((own.skipped for own in sides), Counter[str]())
    changed = [sum(a != b for a, b in zip(own.original, own.transformed, strict=True)) for own in sides]
    counts = Measures(
        sites=sum(len(own.sites) for own in sides),
        sentences=len(fold.train),
        sentences_changed=sum(tokens > 0 for tokens in changed),
        tokens_changed=sum(changed),
        test_sites=sum(map(len, fold.test_sites(condition))),
        train_tokens=sum(map(len, fold.train)),
        nonprojective_train=fold.nonprojective,
        skipped=dict(sorted(skipped.items())),
        changes=_changes(fold, condition) if condition.is_given else None,
    )
    if counts.sites == 0 and not fold.exists(condition):
        return counts
    dev_sides = [contrast.sides(tree) for tree in fold.ud.dev]
    original, transformed = (
        (_trees(fold.train, sides, side), _trees(fold.ud.dev, dev_sides, side))
        for side in ("original", "transformed")
    )
    masks = tuple(
        tuple(is_projective(a.heads) and is_projective(b.heads) for a, b in zip(*pair, strict=True))
        for pair in zip(original, transformed, strict=True)
    )
    # mostly the same sentences for all conditions
    first = fold.once(("measures", masks), lambda: measured(MeasuredTrees(*original, *masks)))
    second = measured(MeasuredTrees(*transformed, *masks))
    values = {name: (value, second[name]) for name, value in first.items()}
    return msgspec.structs.replace(counts, values=values)


def _changes(fold: Fold, condition: Condition) -> dict[str, tuple[int, int]]:
    """By kind of change the training tokens with another head, and those with another relation only."""
    heads, relations = Counter[str](), Counter[str]()
    for tree in fold.train:
        one, two = (fold.change(own)(tree) for own in (condition.original, condition.transformed))
        kinds = kinds_of_change(one, two, labelled=True)
        for kind, a, b in zip(kinds, one.heads, two.heads, strict=True):
            (relations if a == b else heads)[kind] += 1
    del relations[UNCHANGED]
    return {kind: (heads[kind], relations[kind]) for kind in sorted(heads | relations)}


def _trees(trees: Trees, sides: Sequence[Sides], side: str) -> Trees:
    return tuple(t.with_heads(getattr(own, side)) for t, own in zip(trees, sides, strict=True))
