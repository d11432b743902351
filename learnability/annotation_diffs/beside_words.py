"""Find what differs beside the columns of words: multiword tokens, empty nodes, comments, further columns.

What is found is counted by its kind. Together with `changes`, nothing in the lines of a sentence is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from learnability.annotation_diffs.matching import SentencePair
from learnability.annotation_diffs.words import NO_WORD
from learnability.treebanks.columns import COLUMNS
from learnability.treebanks.sentence import Sentence

MULTIWORD_TOKEN, EMPTY_NODE, COMMENT = "multiword token", "empty node", "comment"
FURTHER_COLUMN, SENTENCE = "further column", "sentence"
"""What differs, beside columns of words."""

NEW, GONE, CHANGED = "new", "gone", "changed"
"""What became of it."""

RANGE = "range"
"""The detail of multiword tokens that consist of other words."""

ORDER = "order"
"""The detail of comments in another place or with other spaces, and of sentences in another place."""

SENT_ID = "sent_id"


class OtherKind(NamedTuple):
    """Say what differs beside the columns of words, and what became of it.

    `detail`: the column that changed, the key of the comment, or the name of the further column.
    """

    thing: str
    fate: str
    detail: str

    def mirror_kind(self) -> OtherKind:
        """Return the kind of the same difference from the alternative to the base."""
        return self._replace(fate={NEW: GONE, GONE: NEW}.get(self.fate, self.fate))


@dataclass(frozen=True, slots=True)
class OtherDifference:
    """Count the differences of one kind beside the columns of words, and name their sentences in order."""

    kind: OtherKind
    count: int
    sentences: tuple[str, ...]


def count_differences(sentences: Mapping[OtherKind, Sequence[str]]) -> tuple[OtherDifference, ...]:
    """Return how often each kind occurs, from the names of sentences, one for each time; by thing and
    count."""
    things = (MULTIWORD_TOKEN, EMPTY_NODE, FURTHER_COLUMN, COMMENT, SENTENCE)
    order = {thing: position for position, thing in enumerate(things)}
    found = [
        OtherDifference(kind, len(names), tuple(dict.fromkeys(names))) for kind, names in sentences.items()
    ]
    return tuple(sorted(found, key=lambda each: (order[each.kind.thing], -each.count, each.kind)))


def differences_beside_words(pair: SentencePair, ignored_comment: str = "") -> list[OtherKind]:
    """Return what differs in the lines of a sentence, but not in its words; a kind for each time.

    Args:
        pair: the sentence in both versions.
        ignored_comment: the key of a comment that is not compared.
    """
    first, second = pair.base, pair.alternative
    if all(getattr(first, part) == getattr(second, part) for part in ("lines", "further", "comments_before")):
        return []
    here = _Lines.of(first, pair.alignment.base_units)
    there = _Lines.of(second, pair.alignment.alternative_units)
    # another sent_id is the name of a sentence, which `is_renamed` tells
    ignored = (ignored_comment, SENT_ID if pair.is_renamed else "")
    return [
        *_compare_rows(MULTIWORD_TOKEN, here.ranges, there.ranges),
        *_compare_rows(EMPTY_NODE, here.empty_nodes, there.empty_nodes),
        *_compare_comments(here, there, set(filter(None, ignored))),
        *_compare_further_columns(pair, here.words, there.words),
    ]


Row = dict[str, str]
"""The cells of a line by their columns."""

Place = tuple[int, int]
"""A unit of words, and which of its lines: several of its words may begin a range, or have empty nodes."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """Hold the lines of a sentence, with units of words for their numbers; `places`: those before
    comments."""

    ranges: dict[Place, Row]
    empty_nodes: dict[Place, Row]
    words: list[Row]
    comments: list[str]
    places: list[int]

    @classmethod
    def of(cls, sentence: Sentence, units: Sequence[int]) -> _Lines:
        before = list(sentence.comments_before)
        lines = cls({}, {}, [], before, [NO_WORD] * len(before))
        words = set(sentence.rows)
        further = iter(zip(*(cells for _, cells in sentence.further), strict=True))
        names = (*COLUMNS, *(name for name, _ in sentence.further))
        for number, line in enumerate(sentence.lines):
            if line.startswith("#"):
                lines.comments.append(line)
                lines.places.append(units[len(lines.words)])
                continue
            row = dict(zip(names, (*line.split("\t"), *next(further, ())), strict=True))
            first, is_range, last = row["ID"].partition("-")
            if number in words:
                lines.words.append(row)
            elif is_range:
                row["ID"] = str(units[int(last)])
                _add_row(lines.ranges, units[int(first)], row)
            else:
                word, _, row["ID"] = row["ID"].partition(".")
                row["DEPS"] = in_units(row["DEPS"], units)
                _add_row(lines.empty_nodes, units[int(word)], row)
        return lines


def _add_row(rows: dict[Place, Row], unit: int, row: Row) -> None:
    rows[unit, sum(place[0] == unit for place in rows)] = row


def in_units(deps: str, units: Sequence[int]) -> str:
    """Return an enhanced graph at a word with the units of its heads in place of their numbers."""
    edges = []
    for edge in deps.split("|"):
        head, colon, relation = edge.partition(":")
        word, dot, number = head.partition(".")
        if colon and word.isascii() and word.isdigit() and int(word) < len(units):
            head = f"{units[int(word)]}{dot}{number}"
        edges.append(f"{head}{colon}{relation}")
    return "|".join(edges)


def _compare_rows(thing: str, here: dict[Place, Row], there: dict[Place, Row]) -> Iterator[OtherKind]:
    for place in sorted({*here, *there}):
        if place not in there:
            yield OtherKind(thing, GONE, "")
        elif place not in here:
            yield OtherKind(thing, NEW, "")
        else:
            row, other = here[place], there[place]
            for name in row.keys() & other.keys():
                if row[name] != other[name]:
                    yield OtherKind(thing, CHANGED, RANGE if name == "ID" else name)


def _compare_comments(here: _Lines, there: _Lines, ignored: Set[str]) -> Iterator[OtherKind]:
    if (here.comments, here.places) == (there.comments, there.places):
        return
    before, after = _by_key(here.comments), _by_key(there.comments)
    if before == after:
        yield OtherKind(COMMENT, CHANGED, ORDER)
    for key in sorted({*before, *after} - ignored):
        old, new = (Counter(values.get(key, ())) for values in (before, after))
        gone, added = (old - new).total(), (new - old).total()
        changed = min(gone, added)
        yield from [OtherKind(COMMENT, CHANGED, key)] * changed
        yield from [OtherKind(COMMENT, GONE, key)] * (gone - changed)
        yield from [OtherKind(COMMENT, NEW, key)] * (added - changed)


def _by_key(comments: list[str]) -> dict[str, list[str]]:
    """Return the sorted values of comments by their keys; comments without a key have an empty one."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for comment in comments:
        key, has_value, value = map(str.strip, comment[1:].partition("="))
        is_mark = key in ("newdoc", "newpar")
        values[key if has_value or is_mark else ""].append(value if has_value or is_mark else key)
    return {key: sorted(found) for key, found in values.items()}


def _compare_further_columns(
    pair: SentencePair, here: Sequence[Row], there: Sequence[Row]
) -> Iterator[OtherKind]:
    names = [name for name, _ in pair.base.further]
    others = [name for name, _ in pair.alternative.further]
    yield from (OtherKind(FURTHER_COLUMN, GONE, name) for name in names if name not in others)
    yield from (OtherKind(FURTHER_COLUMN, NEW, name) for name in others if name not in names)
    for i, j in pair.alignment.words:
        for name in names:
            if name in others and here[i - 1][name] != there[j - 1][name]:
                yield OtherKind(FURTHER_COLUMN, CHANGED, name)


def find_displaced(positions: Sequence[int]) -> list[int]:
    """Return which items (from 0) are out of order: the fewest whose removal leaves the others in order."""
    ends: list[int] = []  # the smallest last place of an ordered run of each length
    last_of: list[int] = []
    before: list[int] = []
    for item, position in enumerate(positions):
        length = bisect_left(ends, position)
        if length == len(ends):
            ends.append(position)
            last_of.append(item)
        else:
            ends[length], last_of[length] = position, item
        before.append(last_of[length - 1] if length else -1)
    ordered = set()
    item = last_of[-1] if last_of else -1
    while item >= 0:
        ordered.add(item)
        item = before[item]
    return [item for item in range(len(positions)) if item not in ordered]
