"""Give parsers the sentences with the tags that our tagger predicts, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from learnability.comparing.results import TaggingCounts
from learnability.parsing.tagger import Tags, Text, encode_text, predict_tags
from learnability.treebanks.sentence import Tree

Words = tuple[tuple[str, ...], ...]
"""Forms or tags of sentences."""


@dataclass(frozen=True)
class Tagging:
    """Hold the predicted tags of training sentences and of others."""

    train: Sequence[Tags]
    others: Sequence[Tags]


class TaggerCache:
    """Hold the latest taggings: annotations with the same tags share those of a seed.

    The encoded forms of the latest sentences are kept, too: all seeds, and annotations with other tags, share
    them.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[tuple[int, Words, Words, Words], Tagging] = {}
        self._text: tuple[tuple[Words, Words], Text] | None = None

    def of(self, train: Sequence[Tree], others: Sequence[Tree], seed: int) -> Tagging:
        """Return the predicted tags of sentences in an annotation (`tagger.predict_tags`)."""
        forms = tuple(tree.forms for tree in train), tuple(tree.forms for tree in others)
        key = seed, *forms, tuple(tree.upos for tree in train)
        if key not in self._kept:
            if len(self._kept) >= self.most:
                del self._kept[next(iter(self._kept))]
            if self._text is None or self._text[0] != forms:
                self._text = forms, encode_text([*train, *others])
            self._kept[key] = Tagging(*predict_tags(train, others, seed, self._text[1]))
        return self._kept[key]


def with_tags(trees: Sequence[Tree], tags: Sequence[Tags]) -> tuple[Tree, ...]:
    """Return the trees with these UPOS tags, and without lemmas, XPOS and features, which are gold."""
    pairs = zip(trees, tags, strict=True)
    return tuple(replace(tree, upos=upos, lemmas=(), xpos=(), feats=()) for tree, upos in pairs)


def counts_of(tagging: Tagging, train: Sequence[Tree], test: Sequence[Tree]) -> TaggingCounts:
    """Return how many tags are right; the test sentences are the last of the others."""
    tags = tagging.others[len(tagging.others) - len(test) :]
    return TaggingCounts(
        correct=_count_right_tags(test, tags),
        train_correct=sum(_count_right_tags(train, tagging.train)),
        train_tokens=sum(map(len, train)),
    )


def _count_right_tags(trees: Sequence[Tree], tags: Sequence[Tags]) -> list[int]:
    return [sum(map(str.__eq__, tree.upos, upos)) for tree, upos in zip(trees, tags, strict=True)]
