"""Define what differs at a word, and the group of all words that differ in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from learnability.support.values import JsonObject
from learnability.treebanks.labels import ROOT_LABEL

if TYPE_CHECKING:
    from learnability.annotation_diffs.matching import SentencePair

CAPITALS = "capital letters"
"""The detail of forms and lemmas that differ in nothing else."""

ORDER = "order"
"""The detail of cells with the same values in another order."""

ROOT_PLACE, CHILD, BELOW, GRANDPARENT = "root", "child", "below", "grandparent"
SIBLING, NEPHEW, ABOVE, ELSEWHERE, ABSENT = "sibling", "nephew", "above", "elsewhere", "absent"
"""Where a word is in the tree, seen from another one (:func:`place_of`)."""

ANY_VALUE = "(any)"
"""Stands for a value where it does not matter which one. There are lemmas *any*."""

MOVED = "moved"
"""The detail of an enhanced edge that goes to another word."""

NONE = "none"
"""Stands where there is no value."""

PLACES = {
    ROOT_PLACE: "the root",
    CHILD: "its own dependent",
    BELOW: "a word below it",
    GRANDPARENT: "the head of its head",
    SIBLING: "another dependent of its head",
    NEPHEW: "a word further below its head",
    ABOVE: "a word further up",
    ELSEWHERE: "a word elsewhere",
    ABSENT: "a word that is not there",
}
"""Where a head is, seen from the word, in words."""

USUAL = {
    ROOT_PLACE: CHILD,
    CHILD: GRANDPARENT,
    BELOW: GRANDPARENT,
    GRANDPARENT: SIBLING,
    SIBLING: GRANDPARENT,
    NEPHEW: ABOVE,
    ABOVE: NEPHEW,
    ELSEWHERE: ELSEWHERE,
    ABSENT: ABSENT,
}
"""Where the old head of a word mostly is, if the word moves to a certain place; other places are named."""

SWAP = "changes places with its head"
"""What a word does that takes the place of its head, which then hangs on it."""

APART = ("DEPS", "MISC")
"""The columns that are counted apart."""


class DifferenceKind(NamedTuple):
    """Say what differs at a word.

    Attributes:
        column: the column of CoNLL-U.
        detail: the feature or the attribute of MISC; of HEAD where the new head is in the base, and where the
            old head is in the alternative (``grandparent, sibling``); :data:`CAPITALS`.
        tags: of FEATS, the UPOS tag of the word, or both tags: ``VERB``, ``VERB > ADJ``.
        base: the value in the base, of HEAD the relation; empty where there is none.
        alternative: the value in the alternative.
        punctuation: whether the word is punctuation in both.
    """

    column: str
    detail: str
    tags: str
    base: str
    alternative: str
    punctuation: bool

    def mirror_kind(self) -> DifferenceKind:
        """Return the kind of the same difference from the alternative to the base."""
        detail = self.detail
        if self.column == "HEAD":
            new, old = detail.split(", ")
            detail = f"{old}, {new}"
        tags = " > ".join(reversed(self.tags.split(" > ")))
        return self._replace(detail=detail, tags=tags, base=self.alternative, alternative=self.base)

    def describe(self) -> str:
        """Return what differs, without the column: ``NOUN → PROPN``."""
        if self.detail == ORDER:
            return "order of the same values only"
        before, after = (value or NONE for value in (self.base, self.alternative))
        match self.column:
            case "FEATS":
                before, after = (
                    f"{self.detail}={value}" if value else NONE for value in (self.base, self.alternative)
                )
                return f"{self.tags}: {before} → {after}"
            case "HEAD":
                relations = (
                    self.base if self.base == self.alternative else f"{self.base} > {self.alternative}"
                )
                return f"{relations}: {_movement(self)}"
            case "DEPS":
                if self.detail == MOVED:
                    return f"edge {self.base} from another word"
                if self.base and self.alternative:
                    return f"edge {before} → {after}"
                return f"edge {self.base or self.alternative} {_fate(self)}"
            case "MISC":
                return f"{self.detail} {_fate(self)}"
        if self.detail == CAPITALS:
            return "capital letters only"
        if ANY_VALUE in (self.base, self.alternative) and self.column == "LEMMA":
            return "lemma removed" if self.base else "lemma added"
        return f"{before} → {after}"


def movement_of(new: str, old: str) -> str:
    """Return where a head moved.

    Args:
        new: where the new head is in the base, seen from the word (:func:`place_of`).
        old: where the old head is in the alternative.
    """
    return SWAP if (new, old) == (GRANDPARENT, CHILD) else f"to {PLACES[new]}"


def _movement(kind: DifferenceKind) -> str:
    """Return where heads moved, such that no other kind with these relations reads alike."""
    new, old = kind.detail.split(", ")
    movement = movement_of(new, old)
    usual = ROOT_PLACE if kind.base == ROOT_LABEL else USUAL[new]
    return movement if movement == SWAP or old == usual else f"{movement}; its old head becomes {PLACES[old]}"


def _fate(kind: DifferenceKind) -> str:
    if kind.base and kind.alternative:
        return "changed"
    return "removed" if kind.base else "added"


class ValueCounts(NamedTuple):
    """Count the words that have a value, of those that could have it.

    Attributes:
        base, alternative: the words with the value in each version.
        of_base, of_alternative: the words of which these are a part: of a feature, those with the tag; of
            another column, those that have one of the two values of the group. Of HEAD: the words that move
            so, of those with their relation.
    """

    base: int
    alternative: int
    of_base: int
    of_alternative: int


class Example:
    """Name a word that shows a difference: its sentence in both versions, and its number in each."""

    __slots__ = "alternative", "base", "pair"

    def __init__(self, pair: SentencePair, base: int, alternative: int) -> None:
        self.pair, self.base, self.alternative = pair, base, alternative


class Group(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hold all differences of one kind; records keep them without `enhanced` and `examples`.

    Attributes:
        column, base, alternative, detail, tags, punctuation: the kind of the difference.
        words: how many words differ so.
        sentences: in how many sentences.
        base_value: how often the value of the base occurs; None where there is none to count.
        alternative_value: how often the value of the alternative occurs.
        queries: for Grew-match: finds the words in the base, and in the alternative; empty where Grew has no
            words for it.
        examples: words that show it, at most :data:`EXAMPLES`, in different sentences.
        enhanced: how many of the words differ in the same way in the enhanced graph.
    """

    column: str
    base: str
    alternative: str
    words: int
    sentences: int
    detail: str = ""
    tags: str = ""
    punctuation: bool = False
    base_value: ValueCounts | None = None
    alternative_value: ValueCounts | None = None
    queries: tuple[str, str] = ("", "")
    enhanced: int = 0
    examples: tuple[Example, ...] = ()

    @property
    def kind(self) -> DifferenceKind:
        return DifferenceKind(*(getattr(self, name) for name in DifferenceKind._fields))

    @property
    def title(self) -> str:
        """Return the column and what differs, as the name of the group."""
        mark = " (punctuation)" if self.punctuation else ""
        return f"{', '.join(self.columns)} {self.kind.describe()}{mark}"

    @property
    def stored(self) -> Group:
        return msgspec.structs.replace(self, enhanced=0, examples=())

    @property
    def record(self) -> JsonObject:
        """Return the group for JSON."""
        values: JsonObject = msgspec.structs.asdict(self)
        del values["enhanced"], values["examples"]
        return values | {name: values[name] or () for name in ("base_value", "alternative_value")}

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column, "DEPS") if self.enhanced else (self.column,)

    @property
    def is_apart(self) -> bool:
        """Return whether the group is counted apart: punctuation, enhanced graphs, MISC."""
        return self.punctuation or self.column in APART
