"""The cells of `harmonise`: what parsers of each treebank say of all, before and after rewriting.

All parsers learn from equally many words, so that they differ in what they learned from alone. Every training
with another seed sees another sample of its treebank, if that is larger. What a cell needs of the records of
others is in its fields.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
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
    TrainingSettings,
    common_size,
    sample_trees,
)
from learnability.extensions.harmonise.matrix import count_right
from learnability.extensions.harmonise.results import (
    ParsesResult,
    RightResult,
    TagsResult,
)
from learnability.extensions.harmonise.rewriting import Rewriting, rewrite_once
from learnability.extensions.harmonise.seen_tags import SeenTags, with_seen_tags
from learnability.extensions.harmonise.selecting import LanguageTreebank

Result = TypeVar("Result", bound=msgspec.Struct)

TREE = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""A tree that is large enough to call every kernel."""

SECONDS_PER_WORD = 6e-5
"""Rough processor seconds of a training with ten iterations, by words learned from."""

Treebanks = Sequence[ComparedTreebank]


def language_of(fold: Fold) -> LanguageTreebank:
    """Return the treebanks of a fold."""
    assert isinstance(fold.treebank, LanguageTreebank)
    return fold.treebank


def name_ways(rewriting: Rewriting) -> str:
    """Return which treebank a rewriting makes like which, from 1."""
    return f"{rewriting.treebank + 1} like {rewriting.like + 1}"


@dataclass(frozen=True, kw_only=True)
class LanguageCell(Cell[Result]):
    """Represent a cell that works on all treebanks.

    Attributes:
        settings: of the trainings.
    """

    COST: ClassVar[float] = 1.0
    """How long it takes, as a multiple of a training; only for estimates."""

    settings: TrainingSettings

    def compute(self, fold: Fold) -> Result:
        return self.compute_on(language_of(fold).compared)

    @abstractmethod
    def compute_on(self, treebanks: Treebanks) -> Result:
        """Return what comes out."""

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        return self.COST * min(self.settings.words, tokens) * SECONDS_PER_WORD

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        """Return what compiles the kernels of the parser."""
        return (WarmUp(self.settings.system, warm_up_parser, (self.settings.system,)),)

    def divide(self, treebanks: Treebanks) -> DividedTreebanks:
        return DividedTreebanks.of(treebanks, self.settings.folds)

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
    """Compile (or load) the kernels of a parser."""
    Parser.fit([TREE], system=system, labelled=True, iterations=1).parse([TREE])


@dataclass(frozen=True, kw_only=True)
class CrossCell(LanguageCell[Result]):
    """Represent what is learned from a treebank, and says something of the others, or of a part of its own.

    Attributes:
        source: the number of the treebank.
        part: the part of it that is left out of training, and tagged or parsed; None: all others are.
    """

    source: int
    part: int | None = None

    @property
    def subject(self) -> str:
        """Return the treebank and the part, from 1."""
        return f"{self.source + 1}" if self.part is None else f"{self.source + 1}, part {self.part + 1}"

    def training_trees(self, divided: DividedTreebanks) -> list[Tree]:
        """Return what is learned from."""
        trees: Sequence[Tree] = divided.treebanks[self.source].trees
        if self.part is not None:
            trees = divided.without(self.source, self.part)
        return sample_trees(trees, common_size(divided, self.settings), self.seed)

    def places(self, divided: DividedTreebanks) -> dict[int, list[int]]:
        """Return the places of the sentences to tag or parse, by the number of their treebank."""
        places = {} if self.part is None else {self.source: divided.places(self.source, self.part)}
        for number in range(len(divided.treebanks)):
            if number != self.source:
                places[number] = divided.tested(number, self.source, self.part)
        return places


@dataclass(frozen=True, kw_only=True)
class TagsCell(CrossCell[TagsResult]):
    """Train a tagger, and tag."""

    SETTING: ClassVar[str] = "tags"
    RESULT: ClassVar[type[Any]] = TagsResult
    COST: ClassVar[float] = 0.3

    def compute_on(self, treebanks: Treebanks) -> TagsResult:
        """Train and tag."""
        divided = self.divide(treebanks)
        others = [
            treebanks[number].trees[place]
            for number, places in self.places(divided).items()
            for place in places
        ]
        return TagsResult.of(predict_tags(self.training_trees(divided), others, self.seed)[1])

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        return (WarmUp("tagger", warm_up_tagger),)


def warm_up_tagger() -> None:
    """Compile (or load) the kernels of the tagger."""
    predict_tags([TREE], [TREE], 1)


@dataclass(frozen=True, kw_only=True)
class ParsesCell(CrossCell[ParsesResult]):
    """Train a parser, and parse.

    Attributes:
        seen: by the number of another treebank, the tags that the parser sees in it in place of those
            annotated.
    """

    SETTING: ClassVar[str] = "parses"
    RESULT: ClassVar[type[Any]] = ParsesResult

    seen: Mapping[int, SeenTags] = field(default_factory=dict)

    def compute_on(self, treebanks: Treebanks) -> ParsesResult:
        """Train and parse."""
        divided = self.divide(treebanks)
        seen: list[Tree] = []
        for number, places in self.places(divided).items():
            trees = with_seen_tags(treebanks[number].trees, self.seen.get(number, {}))
            seen += [trees[place] for place in places]
        return ParsesResult.of(self.train_and_parse(self.training_trees(divided), seen))


@dataclass(frozen=True, kw_only=True)
class TogetherCell(LanguageCell[RightResult]):
    """Train a parser on a treebank without a part, and on another one, and parse this part.

    Attributes:
        tested: the number of the treebank.
        added: the number of the other one.
        part: the part that is parsed.
        rewriting: what makes the other one like the first; None: it is not rewritten.
    """

    SETTING: ClassVar[str] = "together"
    RESULT: ClassVar[type[Any]] = RightResult
    COST: ClassVar[float] = 2.0

    tested: int
    added: int
    part: int
    rewriting: Rewriting | None = None

    @property
    def subject(self) -> str:
        """Return both treebanks and the part, from 1, and what is rewritten."""
        by = f" rewritten by {self.rewriting.key}" if self.rewriting else ""
        return f"{self.tested + 1} and {self.added + 1}{by}, part {self.part + 1}"

    @property
    def title(self) -> str:
        """Return what progress calls the cell."""
        rewritten = " rewritten" if self.rewriting else ""
        return f"({self.SETTING}) {self.tested + 1} and {self.added + 1}{rewritten}, part {self.part + 1}"

    def compute_on(self, treebanks: Treebanks) -> RightResult:
        """Train, parse and score."""
        divided = self.divide(treebanks)
        size = common_size(divided, self.settings)
        tested, added = treebanks[self.tested], treebanks[self.added]
        if self.rewriting is not None:
            added = rewrite_once(self.rewriting, added)
        copies = divided.parts_of_copies(self.added, self.tested)
        unseen = [tree for tree, part in zip(added.trees, copies, strict=True) if part != self.part]
        train = [
            *sample_trees(divided.without(self.tested, self.part), size, self.seed),
            *sample_trees(unseen, size, self.seed),
        ]
        text = [tested.trees[place] for place in divided.places(self.tested, self.part)]
        return RightResult(right=count_right(text, self.train_and_parse(train, text)))


@dataclass(frozen=True, kw_only=True)
class RewrittenCell(LanguageCell[RightResult]):
    """Train a parser on one of two treebanks of which one is rewritten like the other, and parse the other.

    Attributes:
        rewriting: what is rewritten.
        parses_rewritten: whether the parser learns from the other treebank, and parses the rewritten one;
            else it learns from the rewritten one.
        seen: the tags that the parser sees in place of those annotated.
    """

    SETTING: ClassVar[str] = "rewritten"
    RESULT: ClassVar[type[Any]] = RightResult

    rewriting: Rewriting
    parses_rewritten: bool
    seen: SeenTags

    @property
    def subject(self) -> str:
        """Return both treebanks, from 1, what is rewritten, and which is parsed."""
        parsed = self.rewriting.treebank if self.parses_rewritten else self.rewriting.like
        return f"{name_ways(self.rewriting)} by {self.rewriting.key}, {parsed + 1} parsed"

    @property
    def title(self) -> str:
        return f"({self.SETTING}) {name_ways(self.rewriting)}"

    def compute_on(self, treebanks: Treebanks) -> RightResult:
        """Train, parse and score."""
        before, other = treebanks[self.rewriting.treebank], treebanks[self.rewriting.like]
        made = rewrite_once(self.rewriting, before)
        learned, parsed = (other, made) if self.parses_rewritten else (made, other)
        text = with_seen_tags(parsed.trees, self.seen)
        divided = self.divide(treebanks)
        size = common_size(divided, self.settings)
        numbers = self.rewriting.treebank, self.rewriting.like
        tested, source = numbers if self.parses_rewritten else numbers[::-1]
        parses = list(text)
        for part in (None, *range(self.settings.folds)):
            places = divided.tested(tested, source, part)
            pairs = zip(learned.trees, divided.parts[source], strict=True)
            train = sample_trees([tree for tree, number in pairs if number != part], size, self.seed)
            found = self.train_and_parse(train, [text[place] for place in places]) if places else []
            for place, parse in zip(places, found, strict=True):
                parses[place] = parse
        return RightResult(right=count_right(parsed.trees, parses))
