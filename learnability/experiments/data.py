"""The sentences of a treebank, read and encoded once per process and shared by its cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from learnability.errors import InputError
from learnability.experiments.plan import NONPROJECTIVE, DataOptions
from learnability.parsing.encoding import Corpus, encode_tokens
from learnability.parsing.projectivity import is_projective, projectivized
from learnability.transforms import Transformation, get_transformation
from learnability.treebanks import Treebank, load_folds
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions, Tree

SCHEME = "scheme:"
"""Prefix of a condition that is a scheme, not a transformation."""


@dataclass(frozen=True, eq=False)
class Fold:
    """One train / dev / test division of a treebank, encoded.

    Attributes:
        treebank: as read, with whatever split policy made it.
        train: the original training trees.
        train_ready: the trees trained on, projective where the system asks for it.
        dev, test: original trees, never touched.
        nonprojective: training sentences that are not projective.
    """

    treebank: Treebank
    train: tuple[Tree, ...]
    train_ready: tuple[Tree, ...]
    dev: tuple[Tree, ...]
    test: tuple[Tree, ...]
    nonprojective: int
    train_corpus: Corpus
    dev_corpus: Corpus
    test_corpus: Corpus


@lru_cache(maxsize=2)
def load(files: TreebankFiles, options: DataOptions) -> tuple[Treebank, ...]:
    """The folds of a treebank, one unless it is cross-validated.

    Raises:
        InputError: malformed files, or a missing split that the options do not make up.
    """
    return load_folds(
        files,
        missing_train=options.missing_train,
        split=options.split,
        folds=options.folds,
        multiple_roots=options.multiple_roots,
    )


@lru_cache(maxsize=2)
def prepare(
    files: TreebankFiles, options: DataOptions, fold: int, system: str, nonprojective: str, tags: str
) -> Fold:
    """Read, lift and encode one fold."""
    treebank = load(files, options)[fold]
    train, dev, test = (tuple(s.tree for s in split) for _, split in treebank.splits())
    ready, count = ready_for(train, system, nonprojective)
    if not ready:
        raise InputError(f"{treebank.name}: no projective training sentence; use --nonprojective lift")
    return Fold(
        treebank=treebank,
        train=train,
        train_ready=ready,
        dev=dev,
        test=test,
        nonprojective=count,
        train_corpus=encode_tokens(ready, tags=tags),
        dev_corpus=encode_tokens(dev, tags=tags),
        test_corpus=encode_tokens(test, tags=tags),
    )


def ready_for(
    trees: tuple[Tree, ...], system: str, nonprojective: str
) -> tuple[tuple[Tree, ...], int]:
    """The trees as the system can be trained on them, and how many were not projective.

    Under a projective system a non-projective tree is lifted, dropped, or (`min-cost`) left as it is;
    a non-projective system trains on all trees as they are.

    Raises:
        InputError: no such treatment.
    """
    if nonprojective not in NONPROJECTIVE:
        raise InputError(f"--nonprojective {nonprojective}: give {', '.join(NONPROJECTIVE)}")
    projective = [is_projective(tree.heads) for tree in trees]
    count = projective.count(False)
    if system == "covington" or nonprojective == "min-cost":
        return trees, count
    if nonprojective == "drop":
        return tuple(t for t, p in zip(trees, projective, strict=True) if p), count
    return (
        tuple(
            t if p else t.with_heads(projectivized(t.heads))
            for t, p in zip(trees, projective, strict=True)
        ),
        count,
    )


def transformation_of(condition: str, conventions: Conventions) -> Transformation:
    """The transformation (or the joint one of a scheme) that a condition compares with UD.

    Raises:
        InputError: no such transformation, option or scheme (with the nearest name).
    """
    if condition.startswith(SCHEME):
        from learnability.schemes import get_scheme

        return get_scheme(condition.removeprefix(SCHEME), conventions).transformation
    return get_transformation(condition, conventions)
