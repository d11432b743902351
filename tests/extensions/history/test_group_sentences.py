"""What groups of changes and their effects are called in sentences."""

from __future__ import annotations

import pytest

from learnability.evidence.score_differences import Difference
from learnability.extensions.history.group_sentences import describe_effect, describe_group, describe_share
from learnability.extensions.history.linked_changes import ChangeGroup
from learnability.statistics.inference import Side


def group(pattern: str, changes: int = 420, **more: str) -> ChangeGroup:
    return ChangeGroup(pattern=pattern, name=pattern, changes=changes, words=changes, examples=[], **more)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (group("VERB conj", move="to the root"), "420 conjoined verbs became the root"),
        (group("VERB conj > root", 1, move="to the root"), "1 conjoined verb became the root"),
        (group("VERB root > conj"), "420 verbs at the root became conj"),
        (
            group("ADP case", move="changes places with its head"),
            "420 adpositions changed places with their heads",
        ),
        (
            group("CCONJ cc", 1234, lemma="ve", move="to the head of its head"),
            "1,234 coordinators (ve) moved to the head of their head",
        ),
        (group("AUX cop > other relations", 12), "12 auxiliaries labelled cop got other relations"),
        (
            group("NOUN nmod > obl", move="to another dependent of its head"),
            "420 nouns labelled nmod became obl and moved to another dependent of their head",
        ),
        (group("NOUN nmod > obl", move="same head"), "420 nouns labelled nmod became obl"),
        (
            group("VERB root > punct", 2, move="to its own dependent"),
            "2 verbs at the root became punct and moved to one of their own dependents",
        ),
        (group("X dep"), "420 words tagged X labelled dep got another head"),
        (group("", 3), "3 other changes"),
    ],
)  # fmt: skip
def test_groups_in_words(found: ChangeGroup, said: str) -> None:
    assert describe_group(found) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.5, "half of the gain"),
        (0.53, "half of the gain"),
        (0.56, "56 % of the gain"),
        (0.34, "a third of the gain"),
        (0.97, "nearly all of the gain"),
        (1.3, "more than the whole gain"),
    ],
)
def test_shares_in_words(share: float, said: str) -> None:
    assert describe_share(share, gain=True) == said


def effect(delta: float, low: float, high: float, side: Side) -> Difference:
    return Difference(None, None, delta, low=low, high=high, better=side)


def test_effects_in_words() -> None:
    verbs = group("VERB conj", move="to the root")
    gain = describe_effect(verbs, effect(1.0, 0.6, 1.4, Side.FIRST), 0.5)
    assert gain == (
        "420 conjoined verbs became the root. Alone, this explains half of the gain: 1.0 points (0.6 to 1.4)."
    )
    loss = describe_effect(verbs, effect(-1.0, -1.4, -0.6, Side.SECOND), 0.5)
    assert loss.endswith("Alone, this explains half of the loss: 1.0 points (0.6 to 1.4).")
    against = describe_effect(verbs, effect(-1.0, -1.4, -0.6, Side.SECOND), -0.2)
    assert against.endswith("Alone, this makes the treebank harder by 1.0 points (0.6 to 1.4).")
    unclear = describe_effect(verbs, effect(0.1, -0.4, 0.6, Side.NONE), 0.1)
    assert unclear.endswith("Alone, this has no clear effect (−0.4 to +0.6).")
    small = describe_effect(verbs, effect(0.1, -0.1, 0.3, Side.EQUAL), 0.1)
    assert small.endswith("Alone, the effect, if any, is under half a point (−0.1 to +0.3).")
