"""Find which sentence of one version is which of the other, by their words.

The steps are, in order: the same words (`treebanks.alignment`), the same text that is divided into other
words, the same sent_id with similar words, sentences that were split or merged, and similar words beside
sentences that match. Whatever is left was deleted, or is new; or it is a copy of a sentence that has a match.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from learnability.annotation_diffs.version import Version
from learnability.annotation_diffs.words import Alignment, align, same_words
from learnability.treebanks.alignment import matching_sentences
from learnability.treebanks.sentence import Sentence, without_spaces

MOST_STARTS = 100
"""How many sentences with the same text are tried as the first part of a divided one."""

SIMILAR = 0.5
"""The share of words that two sentences with the same sent_id have in common at least."""


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Hold a sentence in both versions, its set in each, and which of their words are the same.

    A set is empty where a version has none.
    """

    base: Sentence
    alternative: Sentence
    base_set: str
    alternative_set: str
    alignment: Alignment

    @property
    def is_renamed(self) -> bool:
        return "" != self.base.known_id != self.alternative.known_id != ""

    @property
    def is_moved(self) -> bool:
        return "" != self.base_set != self.alternative_set != ""

    @property
    def is_reworded(self) -> bool:
        return self.base.tree.forms != self.alternative.tree.forms


@dataclass(frozen=True, slots=True)
class Divided:
    """Hold a sentence of one version that is several sentences in the other."""

    whole: Sentence
    parts: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """Hold what became of every sentence.

    Attributes:
        pairs: those that both versions have, in the order of the base.
        split: those of the base that are several in the alternative.
        merged: those of the alternative that are several in the base.
        deleted: those that only the base has.
        new: those that only the alternative has.
        copies_removed: further copies in the base of sentences that both have.
        copies_added: further copies in the alternative of sentences that both have.
    """

    pairs: tuple[SentencePair, ...]
    split: tuple[Divided, ...]
    merged: tuple[Divided, ...]
    deleted: tuple[Sentence, ...]
    new: tuple[Sentence, ...]
    copies_removed: tuple[Sentence, ...]
    copies_added: tuple[Sentence, ...]


def match_versions(base: Version, alternative: Version) -> Matching:
    """Return what became of every sentence; with the versions exchanged, it is the mirror image."""
    matches, _ = matching_sentences(base.sentences, alternative.sentences)
    used = set(map(id, matches.values()))
    left = [sentence for sentence in base.sentences if id(sentence) not in matches]
    right = [sentence for sentence in alternative.sentences if id(sentence) not in used]
    for key, are_similar in ((_text, None), (lambda each: each.known_id or None, _have_common_words)):
        found = _matched_by(key, left, right, are_similar)
        matches |= found
        used = {id(sentence) for sentence in found.values()}
        left = [sentence for sentence in left if id(sentence) not in found]
        right = [sentence for sentence in right if id(sentence) not in used]
    split, left, right = _find_divided(left, right)
    merged, right, left = _find_divided(right, left)
    free = set(map(id, right))
    for step in (1, -1):
        both = base.sentences[::step], alternative.sentences[::step]
        found = _match_neighbours(*both, matches, set(map(id, left)), free)
        matches |= found
        free -= {id(sentence) for sentence in found.values()}
        left = [sentence for sentence in left if id(sentence) not in found]
    right = [sentence for sentence in right if id(sentence) in free]
    sets = dict(zip(map(id, alternative.sentences), alternative.sets, strict=True))
    pairs = []
    for sentence, base_set in zip(base.sentences, base.sets, strict=True):
        other = matches.get(id(sentence))
        if other is not None:
            forms = sentence.tree.forms, other.tree.forms
            alignment = same_words(len(sentence)) if forms[0] == forms[1] else align(*forms)
            pairs.append(SentencePair(sentence, other, base_set, sets[id(other)], alignment))
    in_both = {pair.base.tree.forms for pair in pairs} | {pair.alternative.tree.forms for pair in pairs}
    copies_removed, deleted = _split_by_words(left, in_both)
    copies_added, new = _split_by_words(right, in_both)
    return Matching(tuple(pairs), split, merged, deleted, new, copies_removed, copies_added)


def _split_by_words(
    sentences: Iterable[Sentence], known: set[tuple[str, ...]]
) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    copies: list[Sentence] = []
    others: list[Sentence] = []
    for sentence in sentences:
        is_copy = sentence.tree.forms in known and not all(sentence.tree.find_withheld())
        (copies if is_copy else others).append(sentence)
    return tuple(copies), tuple(others)


def _text(sentence: Sentence) -> Hashable:
    """Return the characters of the words without spaces; None where they are withheld."""
    text = without_spaces("".join(sentence.tree.forms)).casefold()
    return None if all(sentence.tree.find_withheld()) or not text else text


def _have_common_words(first: Sentence, second: Sentence) -> bool:
    """Return whether two sentences share enough words, which are known, to be versions of one sentence."""
    if all(first.tree.find_withheld()) or all(second.tree.find_withheld()):
        return False
    common = Counter(map(str.casefold, first.tree.forms)) & Counter(map(str.casefold, second.tree.forms))
    return 2 * common.total() >= SIMILAR * (len(first) + len(second))


def _matched_by(
    key: Callable[[Sentence], Hashable],
    left: Sequence[Sentence],
    right: Sequence[Sentence],
    are_similar: Callable[[Sentence, Sentence], bool] | None,
) -> dict[int, Sentence]:
    waiting: defaultdict[Hashable, deque[Sentence]] = defaultdict(deque)
    for sentence in right:
        waiting[key(sentence)].append(sentence)
    waiting.pop(None, None)
    matches: dict[int, Sentence] = {}
    for sentence in left:
        value = key(sentence)
        queue = waiting.get(value) if value is not None else None
        if not queue:
            continue
        other = queue.popleft()
        if are_similar is None or are_similar(sentence, other):
            matches[id(sentence)] = other
    return matches


def _match_neighbours(
    base: Sequence[Sentence],
    alternative: Sequence[Sentence],
    matches: Mapping[int, Sentence],
    left: Set[int],
    right: Set[int],
) -> dict[int, Sentence]:
    """Return matches of similar sentences that come right after sentences that match.

    `left`, `right`: the `id` of the sentences that have no match yet.
    """
    positions = {id(sentence): position for position, sentence in enumerate(alternative)}
    found: dict[int, Sentence] = {}
    for before, sentence in pairwise(base):
        match = found.get(id(before)) or matches.get(id(before))
        if match is None or id(sentence) not in left or positions[id(match)] + 1 == len(alternative):
            continue
        other = alternative[positions[id(match)] + 1]
        if id(other) in right and _have_common_words(sentence, other):
            found[id(sentence)] = other
    return found


def _find_divided(
    wholes: Sequence[Sentence], others: Sequence[Sentence]
) -> tuple[tuple[Divided, ...], list[Sentence], list[Sentence]]:
    """Return the sentences whose text is that of several consecutive others; and those left on each side."""
    texts = [_text(sentence) or "" for sentence in others]
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for position, text in enumerate(texts):
        if text:
            positions[str(text)].append(position)
    lengths = sorted(set(map(len, positions)))
    taken: set[int] = set()
    found: list[Divided] = []
    left: list[Sentence] = []
    for whole in wholes:
        text = str(_text(whole) or "")
        parts = _parts(text, texts, positions, lengths, taken)
        if parts:
            taken.update(parts)
            found.append(Divided(whole, tuple(others[position] for position in parts)))
        else:
            left.append(whole)
    return tuple(found), left, [other for position, other in enumerate(others) if position not in taken]


def _parts(
    text: str,
    texts: Sequence[Hashable],
    positions: dict[str, list[int]],
    lengths: Sequence[int],
    taken: set[int],
) -> range | None:
    for length in lengths:
        if length >= len(text):
            return None
        for start in positions.get(text[:length], ())[:MOST_STARTS]:
            end, joined = start, ""
            while end < len(texts) and end not in taken and len(joined) < len(text):
                joined += str(texts[end])
                end += 1
            if joined == text:
                return range(start, end)
    return None
