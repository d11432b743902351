"""The cells of `harmonise`: what parsers of each treebank say of all.

All parsers learn from equally many words, so that they differ in what they learned from alone. Every training
with another seed sees another sample of its treebank, if that is larger. What a cell needs of the records of
others is in its fields.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import msgspec

from learnability.extending import (
    Cell,
    ExperimentOptions,
    Fold,
    Parser,
    Tree,
    WarmUp,
    predict_tags,
)
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    DividedTreebanks,
    SeenTags,
    TrainingSettings,
    common_size,
    sample_trees,
    with_seen_tags,
)
from learnability.extensions.harmonise.cross_scores import count_right
from learnability.extensions.harmonise.selecting import LanguageTreebank

Result = TypeVar("Result", bound=msgspec.Struct)
Said = TypeVar("Said")

TREE = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""A tree that is large enough to call every kernel."""

SECONDS_PER_WORD = 6e-5
"""Rough processor seconds of a training with ten iterations, by words learned from."""

SHARE_OF_TAGGER = 0.3
"""The processor time of a tagger, as a share of that of a parser."""

Treebanks = Sequence[ComparedTreebank]


class TagsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The tags that taggers give to all treebanks, as indices in `names`; one entry per word."""

    tags: list[int]
    names: list[str]

    @classmethod
    def of(cls, tags: Sequence[Sequence[str]]) -> TagsResult:
        """Return the tags of sentences."""
        names = sorted({tag for sentence in tags for tag in sentence})
        number = {name: place for place, name in enumerate(names)}
        return cls(tags=[number[tag] for sentence in tags for tag in sentence], names=names)

    def each_tag(self) -> Iterator[str]:
        return (self.names[tag] for tag in self.tags)


class ParsesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The heads that parsers find in all treebanks, and the relations as indices in `names`; one entry per
    word."""

    heads: list[int]
    relations: list[int]
    names: list[str]

    @classmethod
    def of(cls, parsed: Sequence[Tree]) -> ParsesResult:
        """Return the heads and relations of trees."""
        names = sorted({deprel for tree in parsed for deprel in tree.deprels})
        number = {name: place for place, name in enumerate(names)}
        return cls(
            heads=[head for tree in parsed for head in tree.heads],
            relations=[number[deprel] for tree in parsed for deprel in tree.deprels],
            names=names,
        )

    def arcs(self) -> Iterator[tuple[int, str]]:
        return zip(self.heads, (self.names[relation] for relation in self.relations), strict=True)


class RightResult(msgspec.Struct, frozen=True, kw_only=True):
    """How many words of each sentence parsers give the right head and relation."""

    right: list[int]


@dataclass(frozen=True, kw_only=True)
class LanguageCell(Cell[Result]):
    """Represent a cell that works on all treebanks."""

    settings: TrainingSettings

    def compute(self, fold: Fold) -> Result:
        """Return what comes out on the treebanks of a fold."""
        assert isinstance(fold.treebank, LanguageTreebank)
        return self.compute_on(fold.treebank.compared)

    @abstractmethod
    def compute_on(self, treebanks: Treebanks) -> Result:
        """Return what comes out."""

    @property
    @abstractmethod
    def trainings(self) -> float:
        """Return how many trainings it takes, each as long as one of a parser; only for estimates."""

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return self.trainings * min(self.settings.words, tokens) * SECONDS_PER_WORD

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp(self.settings.system, warm_up_parser, (self.settings.system,)),)

    def divide(self, treebanks: Treebanks) -> DividedTreebanks:
        return DividedTreebanks.of(treebanks, self.settings.folds)

    def learn_across(
        self,
        treebanks: Treebanks,
        source: int,
        texts: Sequence[Sequence[Tree]],
        learn: Callable[[list[Tree], list[Tree]], Sequence[Said]],
    ) -> list[Said]:
        """Return what is learned from a treebank says of the sentences of all.

        No sentence is tested by what was learned from it, or from its copy.
        """
        divided = self.divide(treebanks)
        size = common_size(divided, self.settings)
        said: dict[tuple[int, int], Said] = {}
        for trees, tested in divided.trainings(source):
            places = [(number, place) for number, of in sorted(tested.items()) for place in of]
            if places:
                train = sample_trees(trees, size, self.seed)
                found = learn(train, [texts[number][place] for number, place in places])
                said |= zip(places, found, strict=True)
        return [said[number, place] for number, text in enumerate(texts) for place in range(len(text))]

    def train_and_parse(self, train: Sequence[Tree], text: Sequence[Tree]) -> list[Tree]:
        """Train a parser, and return its parses."""
        parser = Parser.fit(
            list(train),
            system=self.settings.system,
            labelled=True,
            iterations=self.settings.iterations,
            seed=self.seed,
            multiple_roots=False,
        )
        return parser.parse(list(text))


def warm_up_parser(system: str) -> None:
    Parser.fit([TREE], system=system, labelled=True, iterations=1).parse([TREE])


@dataclass(frozen=True, kw_only=True)
class TagsCell(LanguageCell[TagsResult]):
    """Train taggers of a treebank, and tag all treebanks."""

    SETTING: ClassVar[str] = "tags"
    RESULT: ClassVar[type[Any]] = TagsResult

    source: int

    @property
    def subject(self) -> str:
        return f"{self.source + 1}"

    @property
    def trainings(self) -> float:
        return SHARE_OF_TAGGER * (1 + self.settings.folds)

    def compute_on(self, treebanks: Treebanks) -> TagsResult:
        """Train and tag."""

        def tag(train: list[Tree], text: list[Tree]) -> Sequence[Sequence[str]]:
            return predict_tags(train, text, self.seed)[1]

        texts = [treebank.trees for treebank in treebanks]
        return TagsResult.of(self.learn_across(treebanks, self.source, texts, tag))

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp("tagger", warm_up_tagger),)


def warm_up_tagger() -> None:
    predict_tags([TREE], [TREE], 1)


@dataclass(frozen=True, kw_only=True)
class ParsesCell(LanguageCell[ParsesResult]):
    """Train parsers of a treebank, and parse all treebanks.

    Attributes:
        seen: by the number of another treebank, the tags that parsers see in it in place of those annotated.
    """

    SETTING: ClassVar[str] = "parses"
    RESULT: ClassVar[type[Any]] = ParsesResult

    source: int
    seen: Mapping[int, SeenTags] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        return f"{self.source + 1}"

    @property
    def trainings(self) -> float:
        return 1 + self.settings.folds

    def compute_on(self, treebanks: Treebanks) -> ParsesResult:
        """Train and parse."""
        texts = [
            with_seen_tags(treebank.trees, self.seen.get(number, {}))
            for number, treebank in enumerate(treebanks)
        ]
        return ParsesResult.of(self.learn_across(treebanks, self.source, texts, self.train_and_parse))


@dataclass(frozen=True, kw_only=True)
class TogetherCell(LanguageCell[RightResult]):
    """Train parsers on a treebank without each part, and on another one, and parse this part."""

    SETTING: ClassVar[str] = "together"
    RESULT: ClassVar[type[Any]] = RightResult

    tested: int
    added: int

    @property
    def subject(self) -> str:
        return f"{self.tested + 1} and {self.added + 1}"

    @property
    def trainings(self) -> float:
        return 2 * self.settings.folds

    def compute_on(self, treebanks: Treebanks) -> RightResult:
        """Train, parse and score."""
        divided = self.divide(treebanks)
        size = common_size(divided, self.settings)
        trees, other = treebanks[self.tested].trees, treebanks[self.added].trees
        copies = divided.parts_of_copies(self.added, self.tested)
        right = [0] * len(trees)
        for part in range(self.settings.folds):
            unseen = [tree for tree, number in zip(other, copies, strict=True) if number != part]
            train = [
                *sample_trees(divided.without(self.tested, part), size, self.seed),
                *sample_trees(unseen, size, self.seed),
            ]
            places = divided.places(self.tested, part)
            text = [trees[place] for place in places]
            counts = count_right(text, self.train_and_parse(train, text))
            for place, count in zip(places, counts, strict=True):
                right[place] = count
        return RightResult(right=right)
