"""How much of what a transformation changed comes back from the transformed trees alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from learnability.transforms.base import Transformation, invert_all
from learnability.transforms.joint import JointTransformation
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Conventions, Tree


def joint(spec: str, conventions: Conventions) -> JointTransformation:
    return JointTransformation([get_transformation(one, conventions) for one in spec.split("+")])


def restored(
    rule: Transformation, trees: Sequence[Tree], labels: str = "keep", known: SidePreferences | None = None
) -> Counter[str]:
    """Counts of re-headed tokens (`moved`), of those that come back (`kept`), and of `wrong deprels`.

    With external labels a token has come back if its deprel has, too.
    """
    after = [rule.apply(tree, labels=labels) for tree in trees]
    counts: Counter[str] = Counter()
    for before, there, back in zip(
        trees, after, invert_all(rule, after, side_preferences=known), strict=True
    ):
        for i, (old, new) in enumerate(zip(before.heads, there.heads, strict=True)):
            same_label = back.deprels[i] == before.deprels[i]
            counts["moved"] += old != new
            counts["kept"] += old != new and back.heads[i] == old and (labels == "keep" or same_label)
            counts["wrong deprels"] += not same_label
    return counts
