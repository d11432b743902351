"""Compare two versions of a treebank: the sentences that both have, and those that only one of them has.

A later release, or a commit, changes the trees and tags of sentences, adds sentences, deletes some, corrects
words, and moves sentences between the training, development and test set. Here these kinds of change are
told apart. Two sentences are the same if they have the same words (`treebanks.alignment`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import msgspec

from learnability.extending import (
    InputError,
    Sentence,
    Treebank,
    TreebankFiles,
    count_noun,
    find_copies,
    matching_sentences,
)

EXAMPLES = 3
"""The sentences that a warning names."""


class SentenceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Count the sentences of two versions of a treebank.

    Attributes:
        shared: those with the same words in both.
        deleted: those that only the earlier version has.
        new: those that only the later version has.
        reworded: those with the same sent_id in both, and other words or tokens.
        moved: of `shared`, those that are in different sets (training, development, test).
    """

    shared: int
    deleted: int
    new: int
    reworded: int
    moved: int


@dataclass(frozen=True, repr=False, kw_only=True)
class LaterVersion(Treebank):
    """What a later version of a treebank says of the sentences of a fold, in the order of the fold.

    Attributes:
        deleted: sentences that only the earlier version has, and that belong to the training set of the fold.
        new: sentences that only the later version has, and that belong to it.
        reworded: the sent_id of each sentence that has other words or tokens, and is left out.
    """

    deleted: tuple[Sentence, ...]
    new: tuple[Sentence, ...]
    counts: SentenceCounts
    reworded: tuple[str, ...]


@dataclass(frozen=True, repr=False, kw_only=True)
class VersionedTreebank(Treebank):
    """Hold the sentences of a fold in the earlier version, and what the later one says of them."""

    later: LaterVersion

    def versions(self) -> tuple[Treebank, ...]:
        return self, self.later


@dataclass(frozen=True)
class VersionedFiles(TreebankFiles):
    """Hold the files of a treebank, and those of a later version, which may have other sentences."""

    later: TreebankFiles = field(kw_only=True)

    def list_other_files(self) -> tuple[TreebankFiles, ...]:
        return *super().list_other_files(), self.later

    def folds(
        self,
        treebank: Treebank,
        read: Callable[[TreebankFiles], Treebank],
        divide: Callable[[Treebank], Sequence[Treebank]],
    ) -> tuple[VersionedTreebank, ...]:
        """Return the folds of the sentences that both versions have; raises as :func:`pair_versions`."""
        return _without_lines(pair_versions(treebank, read(self.later), divide))


def _without_lines(folds: tuple[VersionedTreebank, ...]) -> tuple[VersionedTreebank, ...]:
    slim: dict[int, Sentence] = {}

    def light(part: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        return tuple(slim.setdefault(id(s), replace(s, lines=(), rows=())) for s in part)

    def slimmed(later: LaterVersion) -> LaterVersion:
        later = replace(later, train=light(later.train), dev=light(later.dev), test=light(later.test))
        return replace(later, deleted=light(later.deleted), new=light(later.new))

    return tuple(replace(fold, later=slimmed(fold.later)) for fold in folds)


def pair_versions(
    earlier: Treebank, later: Treebank, divide: Callable[[Treebank], Sequence[Treebank]]
) -> tuple[VersionedTreebank, ...]:
    """Return folds of the sentences that both versions have, as the earlier version annotates them.

    What the later version says of them, and the sentences that only one version has, are in `later` of each
    fold. A sentence that only one version has belongs to the training set of a fold if the sentence before it
    does, of those that both versions have in the same set. So it never trains a parser that is tested on its
    neighbours. In a set without such a sentence, all belong to every training set. A copy of a sentence that
    is tested belongs to none.

    Raises:
        InputError: the versions have no sentence in common, or `divide` refuses those that they have.
    """
    before, after = _sentences(earlier), _sentences(later)
    matches, unmatched = matching_sentences(before, after)
    if not matches:
        raise InputError(
            f"{earlier.name} {earlier.release} and {later.release} have no sentence with the same words; "
            "name versions of one treebank"
        )
    missing = [sentence for sentence in before if id(sentence) not in matches]
    reworded = {s.known_id for s in missing if s.known_id} & {s.known_id for s in unmatched if s.known_id}
    deleted = [sentence for sentence in missing if sentence.known_id not in reworded]
    new = [sentence for sentence in unmatched if sentence.known_id not in reworded]
    shared = {id(sentence): sentence for sentence in before if id(sentence) in matches}
    near = _neighbours(earlier, shared)
    near |= _neighbours(later, {id(matches[key]): sentence for key, sentence in shared.items()})
    counts = SentenceCounts(
        shared=len(matches),
        deleted=len(deleted),
        new=len(new),
        reworded=len(reworded),
        moved=_count_moved(earlier, later, matches),
    )
    train, dev, test = (tuple(s for s in part if id(s) in matches) for _, part in earlier.splits())
    common = replace(earlier, train=train, dev=dev, test=test)
    warnings = [*later.warnings, *_warnings(earlier, later, reworded)]

    # a fold may begin its documents elsewhere, so its sentences are known by their trees
    later_of = {id(sentence.tree): matches[key] for key, sentence in shared.items()}

    def with_later(fold: Treebank) -> VersionedTreebank:
        training = {id(sentence.tree) for sentence in fold.train}

        def extra(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
            """Return those that train the parser of the fold: copies of what it is tested on do not."""
            neighbours = (near[id(sentence)] for sentence in sentences)
            is_tested = find_copies((s.tree for s in sentences), [s.tree for s in (*fold.dev, *fold.test)])
            return tuple(
                sentence
                for sentence, neighbour, copy in zip(sentences, neighbours, is_tested, strict=True)
                if not copy and (neighbour is None or id(neighbour.tree) in training)
            )

        both = LaterVersion(
            name=fold.name,
            release=later.release,
            train=tuple(later_of[id(sentence.tree)] for sentence in fold.train),
            dev=tuple(later_of[id(sentence.tree)] for sentence in fold.dev),
            test=tuple(later_of[id(sentence.tree)] for sentence in fold.test),
            deleted=extra(deleted),
            new=extra(new),
            counts=counts,
            reworded=tuple(sorted(reworded)),
        )
        files, remarks = {**fold.files, **later.files}, (*fold.warnings, *warnings)
        named = {**vars(fold), "files": files, "warnings": remarks}
        return VersionedTreebank(**named, later=both)

    return tuple(map(with_later, divide(common)))


def _warnings(earlier: Treebank, later: Treebank, reworded: Collection[str]) -> list[str]:
    if not reworded:
        return []
    examples = ", ".join(sorted(reworded)[:EXAMPLES]) + (", ..." if len(reworded) > EXAMPLES else "")
    versions = earlier.release or "the earlier version", later.release or "the later version"
    return [
        f"left out {count_noun(len(reworded), 'sentence')} of {versions[0]} with other words or tokens "
        f"in {versions[1]} ({examples})"
    ]


def _sentences(treebank: Treebank) -> list[Sentence]:
    return list(chain.from_iterable(part for _, part in treebank.splits()))


def _neighbours(treebank: Treebank, counterparts: Mapping[int, Sentence]) -> dict[int, Sentence | None]:
    """Return, by the `id` of each sentence, the last sentence up to it that both versions have, as the
    earlier version has it; at the beginning of a set the first that follows, None where the set has none."""
    near: dict[int, Sentence | None] = {}
    for _, part in treebank.splits():
        shared = [counterparts[id(sentence)] for sentence in part if id(sentence) in counterparts]
        last = shared[0] if shared else None
        for sentence in part:
            last = counterparts.get(id(sentence), last)
            near[id(sentence)] = last
    return near


def _count_moved(earlier: Treebank, later: Treebank, matches: Mapping[int, Sentence]) -> int:
    place = {id(sentence): split for split, part in later.splits() for sentence in part}
    pairs = ((split, matches.get(id(s))) for split, part in earlier.splits() for s in part)
    return sum(other is not None and place[id(other)] != split for split, other in pairs)
