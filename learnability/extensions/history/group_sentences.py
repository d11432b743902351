"""Say in words what a group of changes did, and what a difference between two versions shows."""

from __future__ import annotations

from learnability.extending import (
    Difference,
    Score,
    Side,
    count_noun,
    describe_size,
    format_signed,
    movement_of,
)
from learnability.extensions.history.linked_changes import (
    ANY_OTHER,
    OTHERS,
    ROOT_LABEL,
    SAME_HEAD,
    ChangeGroup,
)
from learnability.extensions.history.step_parts import PartKind

PARTS = {
    PartKind.SENTENCES: "sentences added or deleted",
    PartKind.ANNOTATION: "changed trees",
    PartKind.TAGS: "changed tags",
}
"""What a part of a step is called in sentences."""

NOUNS = {
    "ADJ": "adjective",
    "ADP": "adposition",
    "ADV": "adverb",
    "AUX": "auxiliary",
    "CCONJ": "coordinator",
    "DET": "determiner",
    "INTJ": "interjection",
    "NOUN": "noun",
    "NUM": "numeral",
    "PART": "particle",
    "PRON": "pronoun",
    "PROPN": "proper noun",
    "PUNCT": "punctuation mark",
    "SCONJ": "subordinator",
    "SYM": "symbol",
    "VERB": "verb",
}
"""What words with a tag are called; others are words tagged so."""

PLURALS = {"auxiliary": "auxiliaries"}
"""Plurals that do not end in s alone."""

USUAL = {
    ("ADJ", "amod"),
    ("ADP", "case"),
    ("ADV", "advmod"),
    ("AUX", "aux"),
    ("CCONJ", "cc"),
    ("DET", "det"),
    ("NUM", "nummod"),
    ("PUNCT", "punct"),
    ("SCONJ", "mark"),
}
"""Tags with the relation that goes without saying."""

FRACTIONS = {
    "a quarter": 1 / 4,
    "a third": 1 / 3,
    "half": 1 / 2,
    "two thirds": 2 / 3,
    "three quarters": 3 / 4,
}

NEAR = 0.04
"""How near to a fraction a share is called by it."""


def describe_group(group: ChangeGroup) -> str:
    """Return what the words of a group did: ``420 conjoined verbs became the root``."""
    if group.pattern == OTHERS:
        return f"{count_noun(group.changes, 'other change')}"
    return f"{_describe_words(group)} {_describe_action(group)}"


def name_group(group: ChangeGroup) -> str:
    """Return the same without a number, for a table: ``conjoined verbs became the root``."""
    return describe_group(group).partition(" ")[2] if group.pattern else group.name


def _describe_words(group: ChangeGroup) -> str:
    """Return how many words a group has, with their tag, lemma and relation in the earlier version."""
    tag, _, relations = group.pattern.partition(" ")
    relation = relations.removesuffix(ANY_OTHER).partition(" > ")[0]
    noun = NOUNS.get(tag, "word")
    counted = count_noun(group.changes, noun) if noun not in PLURALS else f"{group.changes:,} {PLURALS[noun]}"
    number, _, counted = counted.partition(" ")
    if relation == "conj":
        counted = f"conjoined {counted}"
    if tag not in NOUNS:
        counted += f" tagged {tag}"
    if group.lemma:
        counted += f" ({group.lemma})"
    if relation == ROOT_LABEL:
        counted += " at the root"
    elif relation != "conj" and (tag, relation) not in USUAL:
        counted += f" labelled {relation}"
    return f"{number} {counted}"


def _describe_action(group: ChangeGroup) -> str:
    """Return what became of the words of a group: their relation, and where their head moved."""
    relations = group.pattern.partition(" ")[2]
    _, changes, after = relations.partition(" > ")
    actions = []
    if relations.endswith(ANY_OTHER):
        actions.append("got other relations")
    elif changes and after != ROOT_LABEL:
        actions.append(f"became {after}")
    if after == ROOT_LABEL or group.move == movement_of("root", ""):
        actions.append("became the root")
    elif group.move == movement_of("grandparent", "child"):
        actions.append("changed places with their heads")
    elif group.move and group.move != SAME_HEAD:
        actions.append(f"moved {_of_many(group.move)}")
    elif not actions:
        actions.append("got another head")
    return " and ".join(actions)


def _of_many(move: str) -> str:
    """Return where heads moved, said of several words."""
    return move.replace("its own dependent", "one of their own dependents").replace("its", "their")


def describe_share(share: float, *, gain: bool) -> str:
    """Return which part of a gain or loss a group explains, as the object of a sentence."""
    whole = "gain" if gain else "loss"
    for name, fraction in FRACTIONS.items():
        if abs(share - fraction) <= NEAR:
            return f"{name} of the {whole}"
    if abs(share - 1) <= 2 * NEAR:
        return f"nearly all of the {whole}"
    if share > 1:
        return f"more than the whole {whole}"
    return f"{100 * share:.0f} % of the {whole}"


def describe_effect(group: ChangeGroup, difference: Difference, share: float | None) -> str:
    """Return what a group did and what it explains alone, in two sentences.

    Args:
        group: the group of changes.
        difference: its effect alone.
        share: its share of the effect of all changed trees; None if that is not clear.
    """
    did, interval = f"{describe_group(group)}.", signed_interval(difference)
    if not difference.is_clear:
        if difference.better is Side.EQUAL:
            return f"{did} Alone, the effect, if any, is under half a point ({interval})."
        return f"{did} Alone, this has no clear effect ({interval})."
    size = describe_size(difference)
    easier = difference.delta > 0
    if share is None or share <= 0:
        return f"{did} Alone, this makes the treebank {'easier' if easier else 'harder'} by {size}."
    return f"{did} Alone, this explains {describe_share(share, gain=easier)}: {size}."


def describe_finding(difference: Difference, score: Score) -> str:
    """Return what a difference shows, as the rest of a sentence."""
    unit = f"points {score.upper()}" if score.needs_labels else "points"
    if difference.is_clear:
        word = "easier" if difference.delta > 0 else "harder"
        size = describe_size(difference, f"{unit} {word} to learn")
        share = f"1 word in {round(100 / abs(difference.delta)):,}" if difference.delta else ""
        return f"the treebank became {size}, {share}"
    if difference.better is Side.EQUAL:
        return f"the difference, if any, is under half a point ({signed_interval(difference)})"
    return f"no clear effect ({signed_interval(difference)} {unit})"


def signed_interval(difference: Difference, decimals: int = 1) -> str:
    """Return the interval of a difference with signs: ``−0.1 to +0.3``; empty where it is not known."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return ""
    return f"{format_signed(low, decimals)} to {format_signed(high, decimals)}"
