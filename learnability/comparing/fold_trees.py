"""Hold the trees of a fold as a parser learns and sees them: rewritten, lifted, encoded, each once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from learnability.comparing.annotation import Annotation
from learnability.comparing.conversion import Example, PreferencesOfTree, example, learns_preferences
from learnability.comparing.pair import annotations_of
from learnability.comparing.results import TaggingCounts
from learnability.comparing.run_parsers import parser_options_of, trainer_of
from learnability.errors import InputError
from learnability.metrics import Phrases, find_phrases
from learnability.metrics.flat import BoolArray
from learnability.metrics.scores import are_words, scores_of
from learnability.multiref.arrays import PlaceTable, encode_references, labels_of
from learnability.multiref.contrasts import TreeFunction, count_unmixed
from learnability.multiref.oracle import References
from learnability.multiref.references import ReferenceSet
from learnability.parsers.trainer import EncodingTrainer, TrainedParser, Trainer, check_parses
from learnability.parsing.encoding import NO_LABELS, Corpus, Labels, check_tags, encode_rows, join_rows
from learnability.parsing.projectivity import TREATMENTS, is_projective, lift
from learnability.parsing.tagger import Tags, Text, encode_text, predict_tags
from learnability.transforms.base import Transformation
from learnability.transforms.preferences import Counted
from learnability.treebanks.copies import find_copies
from learnability.treebanks.sentence import Tree, Treebank

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions


Words = tuple[tuple[str, ...], ...]
"""Forms or tags of sentences."""


@dataclass(frozen=True)
class Tagging:
    """Hold the predicted tags of training sentences and of others."""

    train: Sequence[Tags]
    others: Sequence[Tags]


class TaggerCache:
    """Hold the latest taggings, which annotations with the same tags share, and the encoded forms of the
    latest sentences."""

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


T = TypeVar("T")

Trees = tuple[Tree, ...]


ATTRIBUTE_COLUMNS = {"x": "xpos", "f": "feats", "m": "lemmas"}
"""The columns that parsers read only for these attributes (`parsing.templates`)."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Hold the trees of a fold under one annotation: trained on, looked at to stop, and tested on."""

    train: Trees
    dev: Trees
    test: Trees


@dataclass(frozen=True, eq=False)
class Inputs(Sets):
    """Hold the trees as a parser sees them, and how good predicted tags are; None if tags are not
    predicted."""

    tagging: TaggingCounts | None = None


class TrainingReferences(NamedTuple):
    """Hold the references of the training trees, encoded with their labels (none if unlabelled), and in how
    many sentences two schemes cannot be mixed."""

    references: References
    table: PlaceTable
    labels: Labels
    unmixed: int


class TreeMemory:
    """Hold functions of the trees of a treebank that remember their results, because folds share trees."""

    def __init__(self) -> None:
        self._functions: dict[Hashable, Callable[[Tree], Any]] = {}

    def remember(self, key: Hashable, function: Callable[[Tree], T]) -> Callable[[Tree], T]:
        """Return the first function that came with `key`; it remembers what it returned for each tree."""
        if key not in self._functions:
            results: dict[int, tuple[Tree, T]] = {}  # with the tree, so that no other tree gets its id

            def with_memory(tree: Tree) -> T:
                if id(tree) not in results:
                    results[id(tree)] = tree, function(tree)
                return results[id(tree)][1]

            self._functions[key] = with_memory
        return self._functions[key]


class FoldTrees:
    """Hold the trees of one train / dev / test division of a treebank, as one parser learns and sees them.

    `train` are the UD training trees, `ud` those of all sentences that are trained and tested on, as they
    are; `shared` is None if the process keeps no other folds.
    """

    def __init__(
        self,
        treebank: Treebank,
        options: ExperimentOptions,
        *,
        cross_validated: bool,
        shared: TreeMemory | None = None,
    ) -> None:
        self.shared = shared
        self.treebank, self.options, self.cross_validated = treebank, options, cross_validated
        self.trainer: Trainer = trainer_of(options)
        self.parser_options = parser_options_of(self.trainer, options.tag_column)
        self.scores = scores_of(labelled=options.labels is not None)
        self.train, dev, test = (tuple(s.tree for s in split) for _, split in treebank.splits())
        self._rules: dict[Annotation, Transformation] = {}
        self._changes: dict[Annotation, TreeFunction] = {}
        self.nonprojective = sum(not is_projective(tree.heads) for tree in self.train)
        self.ud = Sets(self._kept_trees(), dev, test)
        parts = self.ud.train, dev, test
        self._corpora: dict[Hashable, Corpus | None] = {words_of(part): None for part in parts}
        self._taggings = TaggerCache(options.seeds)
        if isinstance(self.trainer, EncodingTrainer):
            self.trainer = replace(self.trainer, encode=self.encode)

    def encode(self, trees: Sequence[Tree]) -> Corpus:
        """Return the sentences as the parser's kernels read them; whole parts with the words and tags of the
        treebank are encoded once."""
        words = words_of(trees)
        if words not in self._corpora:
            return self.parser_options.encode(trees)
        corpus = self._corpora[words]
        if corpus is None:
            corpus = self._corpora[words] = self._encode_part(trees)
        return corpus

    def _encode_part(self, trees: Sequence[Tree]) -> Corpus:
        if self.shared is None:
            return self.parser_options.encode(trees)
        return self.encode_once(trees, self.shared)

    def encode_once(self, trees: Sequence[Tree], shared: TreeMemory) -> Corpus:
        """Return sentences encoded, each of them once for all calls with the same `shared`."""
        tags, columns = self.parser_options.tags, self.parser_options.attributes()
        check_tags(trees, tags)
        rows_of = shared.remember(
            ("rows", tags, columns), lambda tree: encode_rows([tree], tags=tags, columns=columns)
        )
        return join_rows(list(map(rows_of, trees)), list(map(len, trees)))

    def inputs(self, sets: Sets, seed: int) -> Inputs:
        """Return the sentences as the parser sees them in a training with this seed.

        Where tags are predicted, they have the predicted tags of the annotation, and no lemmas, XPOS and
        features, because these would be gold. Else they are the parts themselves.
        """
        if not self.options.predicts_tags:
            return Inputs(sets.train, sets.dev, sets.test)
        others = (*sets.dev, *sets.test)
        tagging = self._taggings.of(sets.train, others, seed)
        seen = with_tags(others, tagging.others)
        dev = len(sets.dev)
        train = with_tags(sets.train, tagging.train)
        return Inputs(train, seen[:dev], seen[dev:], counts_of(tagging, sets.train, sets.test))

    def _kept_trees(self) -> Trees:
        """Return the UD trees of the sentences that are trained on: by `drop` those that cross arcs in none
        of the annotations, so that all parsers learn from the same sentences."""
        treatment = self.options.nonprojective
        if treatment not in TREATMENTS:
            accepted = ", ".join(TREATMENTS)
            raise InputError(f"`nonprojective={treatment!r}` is not accepted; use {accepted}")
        if not self.trainer.projective or treatment != "drop":
            return self.train
        changes = list(map(self.change, annotations_of(self.options)))
        kept = tuple(tree for tree in self.train if all(is_projective(to(tree).heads) for to in changes))
        if not kept:
            name = self.treebank.name
            raise InputError(f"{name} has no projective training sentence; use `nonprojective='lift'`")
        return kept

    @property
    def lifts(self) -> bool:
        return self.trainer.projective

    def make_ready(self, trees: Iterable[Tree]) -> Trees:
        """Return training trees of an annotation as the parser can learn them: all are lifted after they are
        made, so that none crosses arcs by another one's choice."""
        return tuple(map(self.remember("lifted", lift), trees)) if self.lifts else tuple(trees)

    def parse(self, trained: TrainedParser, sentences: Trees) -> Sequence[Tree]:
        """Return the parses of sentences."""
        parsed = trained.parse(sentences)
        (parser,) = self.options.parsers
        check_parses(parser.spelling, sentences, parsed)
        return parsed

    def columns_read(self, tree: Tree) -> list[Sequence[str]]:
        """Return the columns that the parser reads beside the words, with empty values where there are
        none."""
        names = ["upos", *ATTRIBUTE_COLUMNS.values()]
        if isinstance(self.trainer, EncodingTrainer):
            attributes = self.parser_options.attributes()
            tags = {"xpos": "xpos" if tree.xpos else "upos", "none": ""}.get(self.parser_options.tags, "upos")
            names = [tags, *(column for name, column in ATTRIBUTE_COLUMNS.items() if name in attributes)]
        return [getattr(tree, name) or ("",) * len(tree) for name in names if name]

    def rule(self, annotation: Annotation) -> Transformation:
        """Return the transformation that makes the annotation, for this treebank; InputError if none does."""
        if annotation not in self._rules:
            rule = annotation.rule(self.treebank.conventions)
            if rule is None:
                raise InputError(
                    f"{annotation.name} has no rules, which are needed here; use constructions "
                    "or schemes of rules"
                )
            self._rules[annotation] = rule
        return self._rules[annotation]

    def change(self, annotation: Annotation) -> TreeFunction:
        """Return the function that gives a tree of this treebank in the annotation."""
        if annotation not in self._changes:
            conventions, labels = self.treebank.conventions, self.options.labels
            change = annotation.change(conventions, labels)
            self._changes[annotation] = self.remember(("change", annotation), change)
        return self._changes[annotation]

    def example_of(self, annotation: Annotation) -> Callable[[Tree], Example]:
        """Return the function that gives what a converter to UD learns from a tree of this treebank."""
        make = partial(example, self.rule(annotation), lifts=self.lifts)
        return self.remember(("example", annotation, self.lifts), make)

    def counted_in(self, annotation: Annotation) -> Callable[[Tree], Sequence[Counted]] | None:
        """Return the function that gives what side preferences count in a tree of this treebank; None where
        the way back needs none, and where no other fold has the same trees, because it is faster to count in
        all of them at once."""
        if self.shared is None or not learns_preferences(self.rule(annotation)):
            return None
        tags = self.options.tag_column
        count = PreferencesOfTree(self.rule(annotation), tags)
        return self.shared.remember(("preferences", annotation, tags), count)

    def remember(self, key: Hashable, function: Callable[[Tree], T]) -> Callable[[Tree], T]:
        return function if self.shared is None else self.shared.remember(key, function)

    def encoded_references(self, sets: Sequence[ReferenceSet]) -> TrainingReferences:
        """Return the reference sets of the training trees as they are trained against."""
        labels = labels_of(sets) if self.options.labels else NO_LABELS
        encoded = encode_references(self.encode(self.ud.train), sets, labels)
        return TrainingReferences(*encoded, labels, count_unmixed(sets))

    @cached_property
    def phrases(self) -> Phrases:
        return find_phrases(self.ud.test)

    @cached_property
    def test_words(self) -> BoolArray:
        """Return bool[tokens]: which tokens of the test set are not punctuation."""
        return are_words(self.ud.test)

    @cached_property
    def test_copies(self) -> list[bool]:
        return find_copies(self.ud.test, self.train)

    def check_unchanged(self, sha256: Mapping[str, str]) -> None:
        for path, digest in self.treebank.files.items():
            if sha256.get(path) != digest:
                raise InputError(
                    f"{path} has changed since the run began, or differs on this machine; restore it"
                )


def words_of(trees: Sequence[Tree]) -> Hashable:
    """Return what the encoding of sentences depends on: everything but their trees. Trees of the same words
    share their columns, so columns are compared by identity, not by content; that of a column is its own as
    long as the column lives."""
    return tuple(map(id, chain.from_iterable(map(columns_of_words, trees))))


columns_of_words = attrgetter("forms", "upos", "xpos", "lemmas", "feats")
"""Returns the columns of a tree's words: everything but heads and relations."""
