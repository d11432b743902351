"""Prepare a fold of a treebank for an experiment: read, lift and encode it once.

What is made of it under an annotation, or under the two of a pair, is in `comparing.annotated_folds`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from learnability.comparing.annotated_folds import (
    AnnotatedFold,
    ComparedFold,
    Inputs,
    LargeObjects,
    Parts,
    TrainingReferences,
    Trees,
)
from learnability.comparing.annotation import Annotation
from learnability.comparing.conversion import Example, example
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair, base_of, pairs_of
from learnability.comparing.run_parsers import parser_options_of, trainer_of
from learnability.comparing.tagging import Taggings, counts_of, with_tags
from learnability.errors import InputError
from learnability.metrics import Nuclei, find_nuclei
from learnability.metrics.flat import BoolArray
from learnability.metrics.scores import FEWEST_SENTENCES, are_words, scores_of
from learnability.multiref.arrays import encode_references, labels_of
from learnability.multiref.contrasts import Change, count_unmixed
from learnability.multiref.references import ReferenceSet
from learnability.parsers.trainer import EncodingTrainer, Trainer
from learnability.parsing.encoding import NO_LABELS, Corpus
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.support.nouns import count_noun
from learnability.transforms.base import Transformation
from learnability.transforms.restriction import check_ud
from learnability.treebanks.alignment import align_folds, titles
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import divide_treebank, read_treebank

T = TypeVar("T")
State = tuple[tuple[int, int], ...]
"""The modification times and the sizes of files."""


def read_folds(files: TreebankFiles, options: DataOptions) -> tuple[Treebank, ...]:
    """Return the folds of a treebank (one unless cross-validated), without the raw lines of the files."""
    return _read_folds(files, options, _state(files))


def _state(files: TreebankFiles) -> State:
    """Return a state of the files that differs once they have changed, as may happen in a notebook."""
    states = (path.stat() for path in files.paths())
    return tuple((state.st_mtime_ns, state.st_size) for state in states)


@lru_cache(maxsize=1)  # a process works on one treebank after the other
def _read_folds(files: TreebankFiles, options: DataOptions, state: State) -> tuple[Treebank, ...]:
    _read_folds.cache_clear()  # frees the treebank before, so that memory never holds two
    read = partial(read_treebank, multiple_roots=options.multiple_roots)
    divisions = {name: value for name, value in asdict(options).items() if name != "multiple_roots"}

    def divide(whole: Treebank) -> tuple[Treebank, ...]:
        return divide_treebank(whole, files, **divisions)

    folds = files.folds(read(files), read, divide)
    if files.alternative is not None:
        other = read(files.alternative)
        tested = sum(len(fold.test) for fold in folds)
        folds = align_folds(folds, other, titles(files))
        left = sum(len(fold.test) for fold in folds)
        if left < min(tested, FEWEST_SENTENCES):
            of_all = f"{left} of the {count_noun(tested, 'test sentence')} of {files.name}"
            have = f"{of_all} {'has' if left == 1 else 'have'}"
            raise InputError(
                f"only {have} the same words as a sentence of {other.name}; choose two annotations of the "
                "same sentences"
            )
    elif not files.list_other_files():
        for _, part in folds[0].splits():
            check_ud(part, files.name)
    slim: dict[int, Sentence] = {}

    def light(part: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        return tuple(slim.setdefault(id(s), replace(s, lines=(), rows=())) for s in part)

    def slimmed(fold: Treebank) -> Treebank:
        return replace(fold, train=light(fold.train), dev=light(fold.dev), test=light(fold.test))

    return tuple(map(slimmed, folds))


def fold_of(files: TreebankFiles, options: ExperimentOptions, number: int) -> Fold:
    """Return one fold, read and lifted.

    Raises:
        InputError: no training sentence is left.
    """
    key = files, options, _state(files)
    if _folds and next(iter(_folds))[0] != key:
        _drop_folds()
    if (key, number) not in _folds:
        folds = _read_folds(files, options.data, key[-1])
        tokens = sum(len(sentence) for _, part in folds[0].splits() for sentence in part)
        keeps_all = len(folds) > 1 and tokens * (1 + len(pairs_of(options))) <= KEPT_TOKENS
        if not keeps_all:
            _drop_folds()  # before the next one grows
        shared = None
        if keeps_all:
            shared = next(iter(_folds.values())).shared if _folds else OnTrees()
        _folds[key, number] = Fold(folds[number], options, cross_validated=len(folds) > 1, shared=shared)
    return _folds[key, number]


KEPT_TOKENS = 1_000_000
"""Tokens times annotations of a treebank of which a process keeps all folds, because they are trained on in
turn; of a larger treebank it keeps the latest fold."""

_folds: dict[tuple[Hashable, int], Fold] = {}
"""The folds that this process keeps, of one treebank and with the same options."""


def _drop_folds() -> None:
    """Free the memory of the folds that this process keeps."""
    if _folds:
        _folds.clear()
        gc.collect()  # a fold and the objects made from it refer to each other


def _tokens(fold: Fold) -> int:
    """Return the tokens of a fold times the pairs, in which its trees are kept, too."""
    return sum(map(len, fold.ud.train)) * (1 + len(fold.pairs))


def ready_for(trees: Trees, projective: bool, nonprojective: str) -> tuple[Trees, int]:
    """Return the trees on which a parser can be trained, and how many of the trees are not projective.

    For a `projective` parser, non-projective trees are lifted, dropped, or (`min-cost`) unchanged.

    Raises:
        InputError: `nonprojective` does not exist.
    """
    if nonprojective not in TREATMENTS:
        raise InputError(f"`nonprojective={nonprojective!r}` is not accepted; use {', '.join(TREATMENTS)}")
    count = sum(not is_projective(tree.heads) for tree in trees)
    if not projective:
        return trees, count
    return tuple(TREATMENTS[nonprojective](trees)), count


class OnTrees:
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


class Fold:
    """Hold one train / dev / test division of a treebank, with whatever split policy made it, for one parser.

    Attributes:
        train: the UD training trees, `nonprojective` of which are not projective.
        ud: the trees trained on, projective where the parser asks for it, and the dev and test trees as they
            are.
        parser_options: the options with which sentences are encoded.
        scores: those by which parsers are scored.
        shared: what it shares with the other folds that the process keeps; None if it keeps no others.
    """

    def __init__(
        self,
        treebank: Treebank,
        options: ExperimentOptions,
        *,
        cross_validated: bool,
        shared: OnTrees | None = None,
    ) -> None:
        self.shared = shared
        self.treebank, self.options, self.cross_validated = treebank, options, cross_validated
        self.pairs = pairs_of(options)
        self.trainer: Trainer = trainer_of(options)
        self.parser_options = parser_options_of(self.trainer, options.tag_column)
        self.scores = scores_of(labelled=options.labels is not None)
        self.train, dev, test = (tuple(s.tree for s in split) for _, split in treebank.splits())
        ready, self.nonprojective = ready_for(self.train, self.trainer.projective, options.nonprojective)
        if not ready:
            raise InputError(
                f"{treebank.name} has no projective training sentence; use `nonprojective='lift'`"
            )
        self.ud = Parts(ready, dev, test)
        self._corpora: dict[Hashable, Corpus | None] = {words_of(part): None for part in (ready, dev, test)}
        self._rules: dict[Annotation, Transformation] = {}
        self._changes: dict[Annotation, Change] = {}
        self._compared: dict[Pair[Annotation], ComparedFold] = {}
        self.large_objects = LargeObjects(lambda: _tokens(self) > KEPT_TOKENS)
        self._kept: dict[Callable[[Fold], Any], Any] = {}
        self._taggings = Taggings(options.seeds)
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
            corpus = self._corpora[words] = self.parser_options.encode(trees)
        return corpus

    def inputs(self, parts: Parts, seed: int) -> Inputs:
        """Return the sentences as the parser sees them in a training with this seed.

        Where tags are predicted, they have the predicted tags of the annotation, and no lemmas, XPOS and
        features, because these would be gold. Else they are the parts themselves.
        """
        if not self.options.predicts_tags:
            return Inputs(parts.train, parts.dev, parts.test)
        others = (*parts.dev, *parts.test)
        tagging = self._taggings.of(parts.train, others, seed)
        seen = with_tags(others, tagging.others)
        dev = len(parts.dev)
        train = with_tags(parts.train, tagging.train)
        return Inputs(train, seen[:dev], seen[dev:], counts_of(tagging, parts.train, parts.test))

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

    def change(self, annotation: Annotation) -> Change:
        """Return the function that gives a tree of this treebank in the annotation."""
        if annotation not in self._changes:
            conventions, labels = self.treebank.conventions, self.options.labels
            self._changes[annotation] = self._remember(
                "change", annotation, annotation.change(conventions, labels)
            )
        return self._changes[annotation]

    def example_of(self, annotation: Annotation) -> Callable[[Tree], Example]:
        """Return the function that gives what a converter to UD learns from a tree of this treebank."""
        return self._remember("example", annotation, partial(example, self.rule(annotation)))

    def _remember(
        self, kind: str, annotation: Annotation, function: Callable[[Tree], T]
    ) -> Callable[[Tree], T]:
        if self.shared is None:
            return function
        return self.shared.remember((kind, annotation), function)

    @cached_property
    def base(self) -> AnnotatedFold:
        """Return the fold under the annotation of setting (a)."""
        return AnnotatedFold(self, base_of(self.options))

    def compare_pair(self, pair: Pair[Annotation]) -> ComparedFold:
        """Return the fold under the two annotations of a pair."""
        if pair not in self._compared:
            self._compared[pair] = ComparedFold(self, pair)
        return self._compared[pair]

    def make_once(self, make: Callable[[Fold], T]) -> T:
        """Return what a class, or a function of a module, makes of the fold: made once, as long as the fold
        lives."""
        if make not in self._kept:
            self._kept[make] = make(self)
        value: T = self._kept[make]
        return value

    def encoded_references(self, sets: Sequence[ReferenceSet]) -> TrainingReferences:
        """Return the reference sets of the training trees as they are trained against."""
        labels = labels_of(sets) if self.options.labels else NO_LABELS
        encoded = encode_references(self.encode(self.ud.train), sets, labels)
        return TrainingReferences(*encoded, labels, count_unmixed(sets))

    @cached_property
    def nuclei(self) -> Nuclei:
        """Return the nuclei of the UD test trees."""
        return find_nuclei(self.ud.test)

    @cached_property
    def test_words(self) -> BoolArray:
        """Return bool[tokens]: which tokens of the test set are not punctuation."""
        return are_words(self.ud.test)

    def check_unchanged(self, sha256: Mapping[str, str]) -> None:
        """Raise an InputError unless this process has read the data that the run was planned with."""
        for path, digest in self.treebank.files.items():
            if sha256.get(path) != digest:
                raise InputError(
                    f"{path} has changed since the run began, or differs on this machine; restore it"
                )


def words_of(trees: Sequence[Tree]) -> Hashable:
    """Return what the encoding of sentences depends on: everything but their trees. Trees of the same words
    share their columns, so columns are compared by identity, not by content; that of a column is its own as
    long as the column lives."""
    return tuple(id(column) for t in trees for column in (t.forms, t.upos, t.xpos, t.lemmas, t.feats))
