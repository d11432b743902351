"""Parse each treebank by parsers of its own other folds, and by parsers of each other treebank.

All parsers learn from equally many words, so that they differ in what they learned from alone. Every training
with another seed sees another sample of its treebank, if that is larger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.differences.version import Version
from learnability.parsing.parser import Parser
from learnability.parsing.tagger import Tags, predict_tags
from learnability.running.processes import map_in_processes
from learnability.treebanks.sentence import Tree, number_documents


@dataclass(frozen=True)
class TrainingSettings:
    """Hold what determines the trainings.

    Attributes:
        words: how many words a parser learns from, at most.
        folds: the folds of a treebank, each parsed by parsers of the others.
        seeds: the seed of each training of a kind, which also chooses the sentences.
        iterations: the passes over the training sentences.
        system: the transition system.
    """

    words: int = 25_000
    folds: int = 5
    seeds: tuple[int, ...] = (1, 2, 3)
    iterations: int = 10
    system: str = "arc-eager"


@dataclass(frozen=True)
class ComparedTreebank:
    """Represent a treebank that takes part.

    Attributes:
        version: its sentences.
    """

    version: Version

    @property
    def name(self) -> str:
        """Return what people call it."""
        return self.version.name

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """Return the trees of all sentences, in order."""
        return tuple(sentence.tree for sentence in self.version.sentences)

    @cached_property
    def documents(self) -> NDArray[np.int64]:
        """Return int64[sentences], the number of the document of each."""
        return np.array(number_documents(self.version.sentences), np.int64)

    def with_trees(self, trees: Sequence[Tree]) -> ComparedTreebank:
        """Return the treebank with other trees of its sentences."""
        pairs = zip(self.version.sentences, trees, strict=True)
        sentences = tuple(replace(sentence, tree=tree) for sentence, tree in pairs)
        return ComparedTreebank(replace(self.version, sentences=sentences))

    def fold_places(self, folds: int) -> list[range]:
        """Return the sentences of each fold, which are neighbours."""
        count = len(self.trees)
        return [range(fold * count // folds, (fold + 1) * count // folds) for fold in range(folds)]

    def without(self, places: range) -> list[Tree]:
        """Return the trees of all other sentences."""
        return [*self.trees[: places.start], *self.trees[places.stop :]]


class ParserTask(NamedTuple):
    """Hold a training, and the sentences that its parser parses."""

    train: Sequence[Tree]
    texts: Sequence[Sequence[Tree]]
    seed: int
    settings: TrainingSettings


class TaggerTask(NamedTuple):
    """Hold the training of a tagger, and the sentences that it tags."""

    train: Sequence[Tree]
    others: Sequence[Tree]
    seed: int


Parsed = tuple[Tree, ...]
"""Parses of the sentences of a treebank, in order."""


@dataclass(frozen=True)
class CrossParses:
    """Hold what parsers say of the sentences of each treebank.

    Attributes:
        treebanks: those that take part.
        parses: by the numbers of a treebank and of the one that its parsers learned from, the parses of each
            seed.
    """

    treebanks: tuple[ComparedTreebank, ...]
    parses: Mapping[tuple[int, int], tuple[Parsed, ...]]

    def others(self, treebank: int) -> list[int]:
        """Return the numbers of all other treebanks."""
        return [number for number in range(len(self.treebanks)) if number != treebank]

    def vote(self, treebank: int, source: int, sentence: int, word: int) -> ArcVote:
        """Return the head and the relation of a word that most parsers find.

        Args:
            treebank: the number of the treebank.
            source: the number of the one that the parsers learned from.
            sentence: its number in the treebank, from 0.
            word: its number in the sentence, from 1.
        """
        parses = self.parses[treebank, source]
        votes = Counter(
            (parsed[sentence].heads[word - 1], parsed[sentence].deprels[word - 1]) for parsed in parses
        )
        ((head, deprel), count) = votes.most_common(1)[0]
        return ArcVote(head, deprel, count / len(parses))


class ArcVote(NamedTuple):
    """Hold the head and the relation of a word that most parsers find, and the share of the parsers."""

    head: int
    deprel: str
    share: float


def sample_trees(trees: Sequence[Tree], words: int, seed: int) -> list[Tree]:
    """Return sentences that are chosen at random, together at most that many words."""
    return [trees[place] for place in sample_places(list(map(len, trees)), words, seed)]


def sample_places(lengths: Sequence[int], words: int, seed: int) -> list[int]:
    """Return the places of sentences chosen at random, together at most that many words, but at least one.

    Args:
        lengths: of all sentences, in words.
        words: how many words they have together, at most.
        seed: of the choice.
    """
    places = list(range(len(lengths)))
    Random(seed).shuffle(places)
    total = 0
    for count, place in enumerate(places):
        total += lengths[place]
        if total > words and count:
            return places[:count]
    return places


def common_size(treebanks: Sequence[ComparedTreebank], settings: TrainingSettings) -> int:
    """Return from how many words every parser learns: what the smallest treebank has without a fold."""
    rest = [
        sum(map(len, treebank.without(places)))
        for treebank in treebanks
        for places in treebank.fold_places(settings.folds)
    ]
    return min(settings.words, *rest)


def train_and_parse(task: ParserTask) -> list[Parsed]:
    """Train a parser, and return its parses of each text."""
    parser = Parser.fit(
        list(task.train),
        system=task.settings.system,
        labelled=True,
        iterations=task.settings.iterations,
        seed=task.seed,
        multiple_roots=False,
    )
    return [tuple(parser.parse(list(text))) for text in task.texts]


def cross_parse(
    treebanks: Sequence[ComparedTreebank],
    settings: TrainingSettings,
    seen: Mapping[tuple[int, int], Sequence[Tree]] | None = None,
    jobs: int = 1,
) -> CrossParses:
    """Return the parses of all treebanks by parsers of all treebanks.

    Args:
        treebanks: those that take part.
        settings: of the trainings.
        seen: by the numbers of a treebank and of the one that parsers learned from, the sentences as these
            parsers see them, where that differs from how they are annotated.
        jobs: the number of processes.
    """
    size = common_size(treebanks, settings)
    tasks = _foreign_tasks(treebanks, settings, seen or {})
    for treebank in treebanks:
        for places in treebank.fold_places(settings.folds):
            rest, text = treebank.without(places), treebank.trees[places.start : places.stop]
            tasks += [
                ParserTask(sample_trees(rest, size, seed), [text], seed, settings) for seed in settings.seeds
            ]
    results = map_in_processes(train_and_parse, tasks, jobs)
    return CrossParses(tuple(treebanks), _arranged(results, len(treebanks), settings))


def parse_each_other(
    treebanks: Sequence[ComparedTreebank],
    settings: TrainingSettings,
    seen: Mapping[tuple[int, int], Sequence[Tree]] | None = None,
    jobs: int = 1,
) -> CrossParses:
    """Return the parses of all treebanks by parsers of the others, with the arguments of `cross_parse`."""
    results = map_in_processes(train_and_parse, _foreign_tasks(treebanks, settings, seen or {}), jobs)
    return CrossParses(tuple(treebanks), _arranged_foreign(results, len(treebanks), settings))


def _foreign_tasks(
    treebanks: Sequence[ComparedTreebank],
    settings: TrainingSettings,
    seen: Mapping[tuple[int, int], Sequence[Tree]],
) -> list[ParserTask]:
    """Return the trainings of each treebank whose parsers parse all others."""
    size = common_size(treebanks, settings)
    tasks: list[ParserTask] = []
    for number, treebank in enumerate(treebanks):
        texts = [seen.get((target, number), other.trees) for target, other in enumerate(treebanks)]
        del texts[number]
        tasks += [
            ParserTask(sample_trees(treebank.trees, size, seed), texts, seed, settings)
            for seed in settings.seeds
        ]
    return tasks


def _arranged_foreign(
    results: Iterator[list[Parsed]], treebanks: int, settings: TrainingSettings
) -> dict[tuple[int, int], tuple[Parsed, ...]]:
    """Return the first results, which come in the order of the tasks, by treebank and by where parsers come
    from."""
    parses: dict[tuple[int, int], tuple[Parsed, ...]] = {}
    for source in range(treebanks):
        by_seed = [next(results) for _ in settings.seeds]
        targets = [target for target in range(treebanks) if target != source]
        for place, target in enumerate(targets):
            parses[target, source] = tuple(texts[place] for texts in by_seed)
    return parses


def _arranged(
    results: Iterator[list[Parsed]], treebanks: int, settings: TrainingSettings
) -> dict[tuple[int, int], tuple[Parsed, ...]]:
    """Return all results, those of folds last, by treebank and by where parsers come from."""
    parses = _arranged_foreign(results, treebanks, settings)
    for number in range(treebanks):
        whole: list[list[Tree]] = [[] for _ in settings.seeds]
        for _ in range(settings.folds):
            for trees in whole:
                (text,) = next(results)
                trees.extend(text)
        parses[number, number] = tuple(map(tuple, whole))
    return parses


def tag_others(task: TaggerTask) -> list[Tags]:
    """Train a tagger, and return its tags of the other sentences."""
    return predict_tags(task.train, task.others, task.seed)[1]


def cross_tag(
    treebanks: Sequence[ComparedTreebank], settings: TrainingSettings, jobs: int = 1
) -> CrossParses:
    """Return the sentences of all treebanks with the tags of taggers of all treebanks, by the first seed."""
    size, seed = common_size(treebanks, settings), settings.seeds[0]
    once = replace(settings, seeds=(seed,))
    tasks: list[TaggerTask] = []
    lengths: list[list[int]] = []
    for number, treebank in enumerate(treebanks):
        others = [tree for other in treebanks if other is not treebank for tree in other.trees]
        tasks.append(TaggerTask(sample_trees(treebank.trees, size, seed), others, seed))
        lengths.append([len(other.trees) for place, other in enumerate(treebanks) if place != number])
    for treebank in treebanks:
        for places in treebank.fold_places(settings.folds):
            text = treebank.trees[places.start : places.stop]
            tasks.append(TaggerTask(sample_trees(treebank.without(places), size, seed), text, seed))
            lengths.append([len(text)])
    tagged = map_in_processes(tag_others, tasks, jobs)
    texts = (
        _cut_texts(task.others, tags, cuts) for task, tags, cuts in zip(tasks, tagged, lengths, strict=True)
    )
    return CrossParses(tuple(treebanks), _arranged(texts, len(treebanks), once))


def _cut_texts(trees: Sequence[Tree], tags: Sequence[Tags], lengths: Sequence[int]) -> list[Parsed]:
    """Return the trees with their new tags, cut into texts."""
    tagged = iter([replace(tree, upos=upos) for tree, upos in zip(trees, tags, strict=True)])
    return [tuple(next(tagged) for _ in range(length)) for length in lengths]
