"""Read the folds of a treebank for an experiment, and keep them while a process works on them.

Their trees are in `comparing.fold_trees`; what is made of them under an annotation, or under the two of a
pair, in `comparing.annotated_folds`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import asdict
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from learnability.comparing.annotated_folds import AnnotatedFold, ComparedFold, LargeObjects
from learnability.comparing.annotation import Annotation
from learnability.comparing.fold_trees import FoldTrees, TreeMemory
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair, pairs_of
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST
from learnability.support.memory import collect_garbage
from learnability.support.nouns import count_noun
from learnability.transforms.provenance import check_ud
from learnability.treebanks.alignment import align_treebank, titles
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Treebank, drop_lines
from learnability.treebanks.splits import NO_SHARES, divide_treebank, read_treebank

T = TypeVar("T")
State = tuple[tuple[int, int], ...]
"""The modification times and the sizes of files."""


def read_folds(files: TreebankFiles, options: DataOptions) -> tuple[Treebank, ...]:
    return _read_folds(files, options, _state(files))


def _state(files: TreebankFiles) -> State:
    states = (path.stat() for path in files.paths())
    return tuple((state.st_mtime_ns, state.st_size) for state in states)


@lru_cache(maxsize=1)  # a process works on one treebank after the other
def _read_folds(files: TreebankFiles, options: DataOptions, state: State) -> tuple[Treebank, ...]:
    _read_folds.cache_clear()  # frees the treebank before, so that memory never holds two
    read = partial(read_treebank, **options.reading)
    divisions = {name: value for name, value in asdict(options).items() if name not in options.reading}

    def divide(whole: Treebank) -> tuple[Treebank, ...]:
        return divide_treebank(whole, files, **divisions)

    whole = read(files)
    if files.alternative is not None:
        whole = _align(whole, read(files.alternative), files, options)
    folds = files.folds(whole, read, divide)
    if files.alternative is None and not files.list_other_files():
        for _, part in folds[0].splits():
            check_ud(part, files.name)
    return drop_lines(folds)


def _align(whole: Treebank, other: Treebank, files: TreebankFiles, options: DataOptions) -> Treebank:
    keeps_sets = options.cross_validate is None and options.splits in NO_SHARES
    aligned = align_treebank(whole, other, titles(files), keeps_sets=keeps_sets)
    tested, left = len(whole.test), len(aligned.test)
    noun = "test sentence"
    if not keeps_sets:
        tested, left = (sum(len(part) for _, part in treebank.splits()) for treebank in (whole, aligned))
        noun = "sentence"
    if left < min(tested, FEWEST.sentences):
        of_all = f"{left} of the {count_noun(tested, noun)} of {files.name}"
        have = f"{of_all} {'has' if left == 1 else 'have'}"
        raise InputError(
            f"only {have} the same words as a sentence of {other.name}; choose two annotations of the "
            "same sentences"
        )
    return aligned


def fold_of(files: TreebankFiles, options: ExperimentOptions, number: int) -> Fold:
    """Return one fold, read and lifted."""
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
            shared = next(iter(_folds.values())).shared if _folds else TreeMemory()
        _folds[key, number] = Fold(folds[number], options, cross_validated=len(folds) > 1, shared=shared)
    return _folds[key, number]


KEPT_TOKENS = 1_000_000
"""Tokens times annotations of a treebank of which a process keeps all folds, because they are trained on in
turn; of a larger treebank it keeps the latest fold."""

_folds: dict[tuple[Hashable, int], Fold] = {}
"""The folds that this process keeps, of one treebank and with the same options."""


def _drop_folds() -> None:
    if _folds:
        _folds.clear()
        collect_garbage()  # a fold and the objects made from it refer to each other


def _tokens(fold: Fold) -> int:
    return sum(map(len, fold.ud.train)) * (1 + len(fold.pairs))


class Fold(FoldTrees):
    """Hold one train / dev / test division of a treebank under the annotations of a run, for one parser."""

    def __init__(
        self,
        treebank: Treebank,
        options: ExperimentOptions,
        *,
        cross_validated: bool,
        shared: TreeMemory | None = None,
    ) -> None:
        super().__init__(treebank, options, cross_validated=cross_validated, shared=shared)
        self.pairs = pairs_of(options)
        self.large_objects = LargeObjects(lambda: _tokens(self) > KEPT_TOKENS)
        self._compared: dict[Pair[Annotation], ComparedFold] = {}
        self._kept: dict[Callable[[Fold], Any], Any] = {}

    @cached_property
    def base(self) -> AnnotatedFold:
        return AnnotatedFold(self, self.options.against)

    def compare_pair(self, pair: Pair[Annotation]) -> ComparedFold:
        """Return the fold under the two annotations of a pair."""
        if pair not in self._compared:
            self._compared[pair] = ComparedFold(self, pair, self.large_objects)
        return self._compared[pair]

    def make_once(self, make: Callable[[Fold], T]) -> T:
        """Return what a class, or a function of a module, makes of the fold: made once, as long as the fold
        lives."""
        if make not in self._kept:
            self._kept[make] = make(self)
        value: T = self._kept[make]
        return value
