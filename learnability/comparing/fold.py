"""A fold of a treebank as an experiment works on it, and all that is made once for the fold.

Reading, lifting, encoding, the original annotation, its measures and the references of the test part serve
every cell of a fold and live as long as it does. What the transformed annotation of a condition needs is kept
until another condition's turn, because a process works on one condition after the other.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from learnability.comparing.annotation import (
    Annotation,
    Condition,
    conditions_of,
    original_of,
    transformed_tree,
)
from learnability.comparing.conversion import Converter, train_converter
from learnability.comparing.judging import judge_of, parser_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import Ceiling
from learnability.errors import InputError
from learnability.judges.judge import Judge
from learnability.judges.transition import TransitionJudge
from learnability.metrics import Nuclei, find_nuclei
from learnability.metrics.flat import BoolArray
from learnability.metrics.scores import FEWEST_SENTENCES, Score, are_words, correct_tokens, scores_of
from learnability.multiref.arrays import SiteTable, encode_references, label_names
from learnability.multiref.contrasts import Change, Contrast, unmixed
from learnability.multiref.oracle import References
from learnability.multiref.references import ReferenceSet
from learnability.parsing.encoding import Corpus
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.transforms.base import Transformation
from learnability.transforms.restriction import check_ud
from learnability.treebanks.alignment import aligned, titles
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_folds, read_treebank

Trees = tuple[Tree, ...]
T = TypeVar("T")
State = tuple[tuple[int, int], ...]
"""When files were changed, and their sizes."""


def read_folds(files: TreebankFiles, options: DataOptions) -> tuple[Treebank, ...]:
    """The folds of a treebank, one unless it is cross-validated; without the raw lines of the files."""
    return _read_folds(files, options, _state(files))


def _state(files: TreebankFiles) -> State:
    """Of files that have changed since, as in a notebook, nothing that was read is used again."""
    states = (path.stat() for path in files.paths())
    return tuple((state.st_mtime_ns, state.st_size) for state in states)


@lru_cache(maxsize=1)  # a process works on one treebank after the other
def _read_folds(files: TreebankFiles, options: DataOptions, state: State) -> tuple[Treebank, ...]:
    _read_folds.cache_clear()  # the one before need not stay until this one is read
    folds = load_folds(files, **asdict(options))
    if files.alternative is not None:
        other = read_treebank(files.alternative, multiple_roots=options.multiple_roots)
        tested = sum(len(fold.test) for fold in folds)
        folds = aligned(folds, other, titles(files))
        left = sum(len(fold.test) for fold in folds)
        if left < min(tested, FEWEST_SENTENCES):
            what = f"only {left} of {tested} test sentences have the words of one of {other.name}"
            raise InputError(f"{files.name}: {what}; give two annotations of the same sentences")
    else:
        for _, part in folds[0].splits():
            check_ud(part, files.name)
    slim: dict[int, Sentence] = {}

    def light(part: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        return tuple(slim.setdefault(id(s), replace(s, lines=(), rows=())) for s in part)

    return tuple(
        replace(fold, train=light(fold.train), dev=light(fold.dev), test=light(fold.test)) for fold in folds
    )


def fold_of(files: TreebankFiles, options: ExperimentOptions, number: int) -> Fold:
    """One fold, read and lifted; InputError if no training sentence is left."""
    return _fold_of(files, options, number, _state(files))


@lru_cache(maxsize=1)  # and on one fold of it after the other
def _fold_of(files: TreebankFiles, options: ExperimentOptions, number: int, state: State) -> Fold:
    _fold_of.cache_clear()
    gc.collect()  # a fold and what is made of it refer to each other
    folds = _read_folds(files, options.data, state)
    return Fold(folds[number], options, cross_validated=len(folds) > 1)


def ready_for(trees: Trees, projective: bool, nonprojective: str) -> tuple[Trees, int]:
    """The trees as a parser can be trained on them, and how many were not projective. For a `projective` one
    these are lifted, dropped, or (`min-cost`) left as they are."""
    if nonprojective not in TREATMENTS:
        raise InputError(f"--nonprojective {nonprojective}: give {', '.join(TREATMENTS)}")
    count = sum(not is_projective(tree.heads) for tree in trees)
    if not projective:
        return trees, count
    return tuple(TREATMENTS[nonprojective](trees)), count


@dataclass(frozen=True, eq=False)
class Parts:
    """The trees of a fold under one annotation: trained on, looked at to stop, and tested on."""

    train: Trees
    dev: Trees
    test: Trees


class TrainingReferences(NamedTuple):
    """The references of the training trees, encoded with the names of the labels (none if unlabelled), and in
    how many sentences two schemes cannot be mixed."""

    references: References
    table: SiteTable
    labels: Sequence[str]
    unmixed: int


class Fold:
    """One train / dev / test division of a treebank, with whatever split policy made it, for one judge.
    `train` holds the UD training trees, `nonprojective` of which are not projective; `ud` the trees trained
    on, projective where the judge asks for it, and the dev and test trees as they are."""

    def __init__(self, treebank: Treebank, options: ExperimentOptions, *, cross_validated: bool) -> None:
        self.treebank, self.options, self.cross_validated = treebank, options, cross_validated
        self.conditions = conditions_of(options)
        self.judge: Judge = judge_of(options)
        self.parser = parser_of(self.judge, options.tags)
        self.scores = scores_of(labelled=options.labels is not None)
        self.train, dev, test = (tuple(s.tree for s in split) for _, split in treebank.splits())
        ready, self.nonprojective = ready_for(self.train, self.judge.projective, options.nonprojective)
        if not ready:
            raise InputError(f"{treebank.name}: no projective training sentence; use --nonprojective lift")
        self.ud = Parts(ready, dev, test)
        self._made: dict[Hashable, Any] = {}
        self._turn: Condition | None = None
        self._kept: dict[str, Any] = {}
        self._words = {words_of(part) for part in (ready, dev, test)}
        if isinstance(self.judge, TransitionJudge):
            self.judge = replace(self.judge, encode=self.encode)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made once for the fold."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def in_turn(self, condition: Condition, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once and kept until another condition's turn."""
        if condition != self._turn:
            self._turn, self._kept = condition, {}
        if name not in self._kept:
            self._kept[name] = make()
        made: T = self._kept[name]
        return made

    def encode(self, trees: Sequence[Tree]) -> Corpus:
        """The sentences as the parser's kernels read them; those of a whole part once."""
        words = words_of(trees)
        if words not in self._words:
            return self.parser.encode(trees)
        return self.once(("corpus", words), lambda: self.parser.encode(trees))

    def rule(self, annotation: Annotation) -> Transformation:
        """The transformation that makes the annotation, for this treebank."""
        return self.once(("rule", annotation), lambda: annotation.rule(self.treebank.conventions))

    def change(self, annotation: Annotation) -> Change:
        """What gives a tree of this treebank in the annotation."""
        conventions, labels = self.treebank.conventions, self.options.labels
        return self.once(("change", annotation), lambda: annotation.change(conventions, labels))

    def contrast(self, condition: Condition) -> Contrast:
        """What the condition compares, for this treebank."""
        conventions, labels = self.treebank.conventions, self.options.labels
        return self.once(("contrast", condition), lambda: condition.contrast(conventions, labels))

    def exists(self, condition: Condition) -> bool:
        """Whether any training tree has a site; in cross-validation any tree of the treebank counts, so that
        every fold is tested or none. Annotations that are given may be equal, and are compared all the same.
        """
        if condition.is_given:
            return True
        parts = (self.ud.train, *((self.ud.dev, self.ud.test) if self.cross_validated else ()))
        contrast = self.contrast(condition)
        return self.once(
            ("exists", condition), lambda: any(contrast.sites(tree) for trees in parts for tree in trees)
        )

    @cached_property
    def original(self) -> Annotated:
        """The annotation of setting (a)."""
        return Annotated(self, original_of(self.options))

    def transformed(self, condition: Condition) -> Annotated:
        """The annotation of setting (b)."""
        return self.in_turn(condition, "transformed", lambda: Annotated(self, condition.transformed))

    def references(self, condition: Condition) -> TrainingReferences:
        """What setting (c) is trained against."""
        contrast, most, labels = self.contrast(condition), self.options.max_options, self.options.labels

        def made() -> TrainingReferences:
            return self.encoded_references([contrast.references(t, most, labels) for t in self.ud.train])

        return self.in_turn(condition, "references", made)

    def encoded_references(self, sets: Sequence[ReferenceSet]) -> TrainingReferences:
        """The reference sets of the training trees as they are trained against."""
        labels = label_names(sets) if self.options.labels else []
        encoded = encode_references(self.encode(self.ud.train), sets, labels)
        return TrainingReferences(*encoded, labels, unmixed(sets))

    @cached_property
    def nuclei(self) -> Nuclei:
        """The nuclei of the UD test trees."""
        return find_nuclei(self.ud.test)

    @cached_property
    def test_words(self) -> BoolArray:
        """bool[tokens]: which tokens of the test part are not punctuation."""
        return are_words(self.ud.test)

    def test_sites(self, condition: Condition) -> list[list[int]]:
        """The site tokens of every test sentence."""
        return [[site.token for site in self.contrast(condition).sites(tree)] for tree in self.ud.test]

    def test_kinds(self, condition: Condition) -> list[str]:
        """What kind of token each of the test part is, seen from what differs."""
        return self.once(("kinds", condition), lambda: self.contrast(condition).kinds(self.ud.test))

    def test_references(self, condition: Condition, score: Score) -> tuple[ReferenceSet, ...]:
        """The reference sets of the test sentences, of heads for UAS, of heads and labels for LAS."""
        labels = None if score is Score.UAS else self.options.labels
        contrast, most = self.contrast(condition), self.options.max_options
        return self.once(
            ("references", condition, score),
            lambda: tuple(contrast.references(t, most, labels) for t in self.ud.test),
        )

    def check_unchanged(self, sha256: Mapping[str, str]) -> None:
        """InputError unless this process has read the data that the run was planned with."""
        for path, digest in self.treebank.files.items():
            if sha256.get(path) != digest:
                raise InputError(f"{path}: has changed since the run was started, or differs on this machine")


class Annotated:
    """A fold under one annotation, which is given, or which a rule makes of UD."""

    def __init__(self, fold: Fold, annotation: Annotation) -> None:
        self.fold, self.annotation = fold, annotation

    @cached_property
    def rule(self) -> Transformation:
        """The rule; there is none where the annotation is given."""
        return self.fold.rule(self.annotation)

    @cached_property
    def parts(self) -> Parts:
        """The trees in the annotation."""
        return changed_parts(self.fold, self.fold.change(self.annotation))

    def test_tree(self, index: int) -> Tree:
        """A test sentence with its deprels as labelled parsers are trained on them."""
        tree, labels = self.fold.ud.test[index], self.fold.options.labels or "keep"
        if self.annotation.is_given:
            return self.annotation.given(tree)
        return tree if self.annotation.is_ud else self.rule.apply(tree, labels=labels)

    @cached_property
    def converter(self) -> Converter:
        """The way back to UD, learned from the UD training trees once for all seeds."""
        fold = self.fold
        return train_converter(
            fold.ud.train, self.rule, fold.options.labels, fold.encode, tags=fold.options.tags
        )

    @cached_property
    def ceilings(self) -> dict[Score, Ceiling]:
        """What is right after converting the gold test trees, by score."""
        gold, trees = self.fold.ud.test, self.parts.test
        back = self.converter.convert(trees)
        by_gold_sites = self.converter.convert(trees, [self.rule.sites(tree) for tree in gold])

        def right(converted: Sequence[Tree], score: Score) -> int:
            return int(correct_tokens(gold, converted, score).sum())

        scores, given = self.fold.scores, {Score.UAS: right(by_gold_sites, Score.UAS)}
        return {s: Ceiling(found_sites=right(back, s), gold_sites=given.get(s)) for s in scores}


def changed_parts(fold: Fold, change: Change, sentences: Collection[int] | None = None) -> Parts:
    """The parts of a fold with every tree changed; `sentences`: of the training part only these."""
    train = fold.ud.train if sentences is None else tuple(fold.ud.train[i] for i in sentences)
    return Parts(*(tuple(map(change, part)) for part in (train, fold.ud.dev, fold.ud.test)))


def transformed_parts(fold: Fold, rule: Transformation, sentences: Collection[int] | None = None) -> Parts:
    """The parts of a fold with every site transformed; see :func:`changed_parts`."""
    change = partial(transformed_tree, rule=rule, labels=fold.options.labels)
    return changed_parts(fold, change, sentences)


def words_of(trees: Sequence[Tree]) -> Hashable:
    """What the encoding of sentences depends on: everything but their trees. Trees of the same words share
    their columns, so columns are compared by identity, not by content."""
    return tuple(id(column) for t in trees for column in (t.forms, t.upos, t.xpos, t.lemmas, t.feats))
