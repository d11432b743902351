"""Two versions of a treebank: the sentences that both have, and those that only one of them has.

A later release, or a commit, changes the trees and tags of sentences, adds sentences, deletes some, corrects
words, and moves sentences between the training, development and test set. Here these kinds of change are
told apart. Sentences with the same words are the same (`treebanks.alignment`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from learnability.errors import InputError
from learnability.treebanks.alignment import counted, matching_sentences
from learnability.treebanks.sentence import LaterVersion, Sentence, SentenceCounts, Treebank


def paired(folds: Sequence[Treebank], earlier: Treebank, later: Treebank) -> tuple[Treebank, ...]:
    """Return the folds of the earlier version with only those sentences that both versions have.

    What the later version says of them, and the sentences that only one version has, are in `later` of each
    fold. A new sentence belongs to the training set of a fold if the sentence before it does, of those that
    both versions have in the same set. So it never trains a parser that is tested on its neighbours.

    Args:
        folds: the earlier version, as it is divided.
        earlier: the same sentences in the sets of the release.
        later: the later version.

    Raises:
        InputError: a set of a fold has no sentence that both have.
    """
    before, after = _sentences(earlier), _sentences(later)
    matches, unmatched = matching_sentences(before, after)
    missing = [sentence for sentence in before if id(sentence) not in matches]
    shared_ids = {s.sent_id for s in missing if s.sent_id} & {s.sent_id for s in unmatched if s.sent_id}
    deleted = {id(sentence) for sentence in missing if sentence.sent_id not in shared_ids}
    new = [sentence for sentence in unmatched if sentence.sent_id not in shared_ids]
    near = _neighbours(later, {id(matches[id(s)]): s for s in before if id(s) in matches})
    counts = SentenceCounts(
        shared=len(matches),
        deleted=len(deleted),
        new=len(new),
        reworded=len(shared_ids),
        moved=_moved(earlier, later, matches),
    )
    warnings = []
    if shared_ids:
        examples = ", ".join(sorted(shared_ids)[:3])
        more = ", ..." if len(shared_ids) > 3 else ""
        warnings.append(
            f"{counted(len(shared_ids))} of {earlier.release or 'the earlier version'} with other words or "
            f"tokens in {later.release or 'the later version'}: left out ({examples}{more})"
        )

    def with_later(fold: Treebank) -> Treebank:
        kept = {
            split: tuple(sentence for sentence in part if id(sentence) in matches)
            for split, part in fold.splits()
        }
        for split, part in fold.splits():
            if part and not kept[split]:
                problem = f"none of the {counted(len(part))} in {split} has the same words in both versions"
                raise InputError(f"{fold.name} {fold.release}: {problem}; compare two nearer versions")
        training = {id(sentence) for sentence in kept["train"]}
        train, dev, test = kept.values()
        counterparts = [tuple(matches[id(sentence)] for sentence in part) for part in (train, dev, test)]
        both = LaterVersion(
            release=later.release,
            train=counterparts[0],
            dev=counterparts[1],
            test=counterparts[2],
            deleted=tuple(sentence for sentence in fold.train if id(sentence) in deleted),
            new=tuple(sentence for sentence in new if id(near[id(sentence)]) in training),
            counts=counts,
        )
        files, remarks = {**fold.files, **later.files}, (*fold.warnings, *warnings)
        return replace(fold, train=train, dev=dev, test=test, later=both, files=files, warnings=remarks)

    return tuple(map(with_later, folds))


def _sentences(treebank: Treebank) -> list[Sentence]:
    return list(chain.from_iterable(part for _, part in treebank.splits()))


def _neighbours(later: Treebank, counterparts: Mapping[int, Sentence]) -> dict[int, Sentence | None]:
    """Return, by the `id` of each later sentence, the last sentence up to it that both versions have.

    Args:
        later: the later version.
        counterparts: by the `id` of its sentences, the same sentence of the earlier version.

    Returns:
        Sentences of the earlier version; at the beginning of a set the first that follows, and None where the
            set has none.
    """
    near: dict[int, Sentence | None] = {}
    for _, part in later.splits():
        shared = [counterparts[id(sentence)] for sentence in part if id(sentence) in counterparts]
        last = shared[0] if shared else None
        for sentence in part:
            last = counterparts.get(id(sentence), last)
            near[id(sentence)] = last
    return near


def _moved(earlier: Treebank, later: Treebank, matches: Mapping[int, Sentence]) -> int:
    """Return the number of sentences that both have in different sets."""
    place = {id(sentence): split for split, part in later.splits() for sentence in part}
    pairs = ((split, matches.get(id(s))) for split, part in earlier.splits() for s in part)
    return sum(other is not None and place[id(other)] != split for split, other in pairs)
