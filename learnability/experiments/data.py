"""The sentences of a treebank, read and encoded once per process and shared by its cells.

What is kept is bounded: the trees of two treebanks, the encoded sentences of two folds, and what a few
conditions make of them. A process works on the cells of one treebank after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from learnability.errors import InputError
from learnability.experiments.options import UD, DataOptions, ExperimentOptions
from learnability.experiments.plan import TreebankFacts
from learnability.multiref.contrasts import AgainstScheme, AgainstUD, Contrast
from learnability.multiref.references import LabelOption, ReferenceSet
from learnability.parsing.encoding import Corpus
from learnability.parsing.parser import ParserOptions
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.parsing.systems import system_named
from learnability.transforms import Transformation, get_transformation
from learnability.treebanks import Treebank, load_folds
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions, Sentence, Tree

SCHEME = "scheme:"
"""Prefix of a condition that is a scheme, not a transformation."""

Trees = tuple[Tree, ...]


@dataclass(frozen=True, eq=False)
class Fold:
    """One train / dev / test division of a treebank, encoded.

    Attributes:
        treebank: as read, with whatever split policy made it.
        train: the original training trees.
        train_ready: the trees trained on, projective where the system asks for it.
        dev, test: original trees, never touched.
        nonprojective: training sentences that are not projective.
        cross_validated: whether this is one of several folds.
    """

    treebank: Treebank
    train: Trees
    train_ready: Trees
    dev: Trees
    test: Trees
    nonprojective: int
    cross_validated: bool
    train_corpus: Corpus
    dev_corpus: Corpus
    test_corpus: Corpus

    def trains_on(self, transformation: Transformation | Contrast) -> bool:
        """Whether the condition exists: whether any training tree has a site.

        In cross-validation any tree of the treebank counts, so that every fold is tested or none.
        """
        parts = (self.train_ready, *((self.dev, self.test) if self.cross_validated else ()))
        return any(transformation.sites(tree) for trees in parts for tree in trees)


@lru_cache(maxsize=2)
def load(files: TreebankFiles, options: DataOptions) -> tuple[Treebank, ...]:
    """The folds of a treebank, one unless it is cross-validated; without the raw lines of the files.

    Raises:
        InputError: malformed files, or a missing split that the options do not make up.
    """
    folds = load_folds(
        files,
        missing_train=options.missing_train,
        split=options.split,
        folds=options.folds,
        multiple_roots=options.multiple_roots,
    )
    slim: dict[int, Sentence] = {}

    def light(part: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        return tuple(slim.setdefault(id(s), replace(s, lines=(), rows=())) for s in part)

    return tuple(
        replace(fold, train=light(fold.train), dev=light(fold.dev), test=light(fold.test)) for fold in folds
    )


def facts_of(files: TreebankFiles, options: DataOptions) -> TreebankFacts:
    """What a plan has to know of a treebank.

    Raises:
        InputError: as :func:`load`, or a fold has nothing to train or to test on.
    """
    folds = load(files, options)
    if not all(fold.train and fold.dev and fold.test for fold in folds):
        raise InputError(f"{files.name}: no sentences in train, dev or test; give other files")
    return TreebankFacts(
        folds=len(folds),
        train_tokens=tuple(sum(map(len, fold.train)) for fold in folds),
        split_policy=folds[0].split_policy,
        sha256=dict(folds[0].files),
        warnings=folds[0].warnings,
    )


@lru_cache(maxsize=2)
def prepare(
    files: TreebankFiles, options: DataOptions, number: int, system: str, nonprojective: str, tags: str
) -> Fold:
    """Read, lift and encode one fold.

    Raises:
        InputError: as :func:`load`, or no training sentence is left.
    """
    folds = load(files, options)
    treebank = folds[number]
    train, dev, test = (tuple(s.tree for s in split) for _, split in treebank.splits())
    ready, count = ready_for(train, system, nonprojective)
    if not ready:
        raise InputError(f"{treebank.name}: no projective training sentence; use --nonprojective lift")
    encode = ParserOptions(system=system, tags=tags).encode
    return Fold(
        treebank=treebank,
        train=train,
        train_ready=ready,
        dev=dev,
        test=test,
        nonprojective=count,
        cross_validated=len(folds) > 1,
        train_corpus=encode(ready),
        dev_corpus=encode(dev),
        test_corpus=encode(test),
    )


def check_unchanged(fold: Fold, sha256: Mapping[str, str]) -> None:
    """Make sure that this process reads the data that the run was planned with.

    Raises:
        InputError: a file differs.
    """
    for path, digest in fold.treebank.files.items():
        if sha256.get(path) != digest:
            raise InputError(f"{path}: has changed since the run was started, or differs on this machine")


def ready_for(trees: Trees, system: str, nonprojective: str) -> tuple[Trees, int]:
    """The trees as the system can be trained on them, and how many were not projective.

    Under a projective system a non-projective tree is lifted, dropped, or (`min-cost`) left as it is;
    a non-projective system trains on all trees as they are.

    Raises:
        InputError: no such treatment.
    """
    if nonprojective not in TREATMENTS:
        raise InputError(f"--nonprojective {nonprojective}: give {', '.join(TREATMENTS)}")
    count = sum(not is_projective(tree.heads) for tree in trees)
    if not system_named(system).projective:
        return trees, count
    return tuple(TREATMENTS[nonprojective](trees)), count


@lru_cache(maxsize=16)
def transformation_of(condition: str, conventions: Conventions) -> Transformation:
    """The transformation (or the joint one of a scheme) that a condition names.

    Raises:
        InputError: no such transformation, option or scheme (with the nearest name).
    """
    if condition.startswith(SCHEME):
        from learnability.schemes import get_scheme

        return get_scheme(condition.removeprefix(SCHEME), conventions)
    return get_transformation(condition, conventions)


@lru_cache(maxsize=16)
def contrast_of(against: str, condition: str, conventions: Conventions) -> Contrast:
    """What a condition compares: setting (a), UD or the scheme `against`, and setting (b).

    Raises:
        InputError: as :func:`transformation_of`.
    """
    second = transformation_of(condition, conventions)
    if against == UD:
        return AgainstUD(second)
    return AgainstScheme(transformation_of(against, conventions), second)


def canonical(condition: str) -> str:
    """The one spelling of a condition: options in order, defaults left out.

    Raises:
        InputError: as :func:`transformation_of`.
    """
    transformation = transformation_of(condition, Conventions())
    return condition if condition.startswith(SCHEME) else transformation.spec


@lru_cache(maxsize=2)
def transformed_trees(fold: Fold, condition: str, labels: LabelOption | None = None) -> tuple[Trees, ...]:
    """Train (as trained on), dev and test with every site transformed.

    `labels`: the label option (rule 2.8); None where only heads matter: deprels stay as they are.
    """
    rule = transformation_of(condition, fold.treebank.conventions)
    parts = (fold.train_ready, fold.dev, fold.test)
    return tuple(tuple(transformed(tree, rule, labels) for tree in part) for part in parts)


def transformed(tree: Tree, transformation: Transformation, labels: LabelOption | None = None) -> Tree:
    """The tree with every site transformed; `labels` as in :func:`transformed_trees`."""
    if labels is not None:
        return transformation.apply(tree, labels=labels)
    plan = transformation.plan(tree)
    return tree.with_heads(plan.heads([site.token for site in plan.sites]))


@lru_cache(maxsize=16)  # a labelled run has two for each of seven transformations
def test_references(
    fold: Fold, against: str, condition: str, max_options: int, labels: LabelOption | None
) -> tuple[ReferenceSet, ...]:
    """The reference sets of the test sentences; with labels where `labels` says which (rule 2.8)."""
    contrast = contrast_of(against, condition, fold.treebank.conventions)
    return tuple(contrast.references(tree, max_options=max_options, labels=labels) for tree in fold.test)


def fold_of(files: TreebankFiles, options: ExperimentOptions, number: int) -> Fold:
    """:func:`prepare` with the options of an experiment."""
    return prepare(files, options.data, number, options.system, options.nonprojective, options.tags)
