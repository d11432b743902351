"""Compare two annotations of the same sentences: what differs, how often, and how far they agree."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from learnability.annotation_diffs.agreement import Agreement, agreement_of
from learnability.annotation_diffs.beside_words import (
    CHANGED,
    ORDER,
    SENTENCE,
    OtherDifference,
    OtherKind,
    count_differences,
    differences_beside_words,
    find_displaced,
)
from learnability.annotation_diffs.changes import (
    ATTRIBUTES,
    COLUMNS,
    TREE_COLUMNS,
    are_from_files,
    changes_in,
)
from learnability.annotation_diffs.difference_kinds import APART, Group
from learnability.annotation_diffs.groups import (
    FeatureCounts,
    GroupedChanges,
    Values,
    feature_counts,
)
from learnability.annotation_diffs.matching import Matching, SentencePair, match_versions
from learnability.annotation_diffs.rules import MOST_RULES, LearnedRule, learn_rules
from learnability.annotation_diffs.version import Version
from learnability.annotation_diffs.words import divided_words
from learnability.errors import InputError
from learnability.support.nouns import choose_verb, count_noun
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import UNSPECIFIED, Sentence, Tree, Treebank, is_known


class NoCommonSentence(InputError):
    """Signal two versions without a sentence in common."""


NOTHING = "(nothing)"
"""Stands where a version has no word."""

MOST_STORED = 40
"""How many groups of a comparison records keep, the largest ones."""

Annotation = str | os.PathLike[str] | Treebank | Iterable[Tree | Sentence]
"""What :func:`diff` compares: a name or path, a treebank, a file from `read_conllu`, sentences or trees."""


@dataclass(frozen=True, repr=False)
class AnnotationDiff:
    """Hold what differs between two annotations of the same sentences.

    Attributes:
        base, alternative: the two versions.
        base_values, alternative_values: how often each value of a column occurs in each version.
        matching: which sentences both have, and what became of the others.
        groups: the differences, those of one kind together, the largest group first; punctuation, enhanced
            graphs and MISC come last.
        words: the words that were compared.
        words_differing: the words that differ, per column.
        others: what differs beside the columns of words: multiword tokens, empty nodes, further columns,
            comments, and the order of sentences.
        sentences_differing: the sentences that differ in anything.
        not_compared: the columns that could not be compared, each with the sentences.
        base_left_out: the words of the base, in sentences that both have, that cannot be compared because
            they were divided differently, inserted or deleted.
        alternative_left_out: the same of the alternative.
    """

    base: Version
    alternative: Version
    base_values: Values
    alternative_values: Values
    matching: Matching
    groups: tuple[Group, ...]
    words: int
    words_differing: dict[str, int]
    others: tuple[OtherDifference, ...]
    sentences_differing: int
    not_compared: dict[tuple[str, ...], tuple[str, ...]]
    base_left_out: int
    alternative_left_out: int

    def __repr__(self) -> str:
        return (
            f"<AnnotationDiff of {self.base.name} and {self.alternative.name}: "
            f"{self.sentences_differing:,} of {count_noun(len(self.matching.pairs), 'sentence')} "
            f"{choose_verb(self.sentences_differing, 'differs', 'differ')}>"
        )

    @property
    def stored_groups(self) -> list[Group]:
        """Return the largest groups, as records keep them."""
        return [group.stored for group in self.groups[:MOST_STORED]]

    @cached_property
    def features(self) -> tuple[FeatureCounts, ...]:
        """Return what became of each feature that differs, the one with most differences first."""
        return feature_counts(self.groups, self.base_values, self.alternative_values)

    @cached_property
    def agreement(self) -> Agreement:
        return agreement_of(self.matching.pairs)

    @cached_property
    def unchanged(self) -> tuple[str, ...]:
        """Return the columns that say something, and that are the same for all compared words."""
        candidates = [column for column in COLUMNS if not self.words_differing[column]]
        return tuple(column for column in candidates if _is_known(column, self.matching.pairs))

    def learn_rules(
        self, *, most: int = MOST_RULES, numbers: Collection[int] = (), seed: int = 1
    ) -> tuple[LearnedRule, ...]:
        """Return for each of the largest groups the shortest rule that makes B of A.

        Each rule is learned from half of the sentences with the same words on both sides, and its precision
        and recall are those on the other half.

        Args:
            most: for how many groups.
            numbers: the numbers of groups, from 1; by default the largest ones.
            seed: which sentences are learned from.

        Returns:
            The rules, in the order of the groups. Where none was found, a rule says why.
        """
        return learn_rules(
            self.groups, self.matching.pairs, self.base.conventions, most=most, numbers=numbers, seed=seed
        )

    @property
    def differences(self) -> int:
        """Return how many differences there are, of words and of what is beside them."""
        return sum(group.words for group in self.groups) + sum(other.count for other in self.others)

    @property
    def differs(self) -> bool:
        """Return whether anything differs: a word, or which sentences there are."""
        matching = self.matching
        others = (matching.split, matching.merged, matching.deleted, matching.new)
        copies = matching.copies_added, matching.copies_removed
        words = self.groups, self.others, self.base_left_out, self.alternative_left_out
        return any((*words, *others, *copies)) or any(
            pair.is_renamed or pair.is_moved or pair.is_reworded for pair in matching.pairs
        )

    @property
    def are_same_files(self) -> bool:
        """Return whether both were read from files with the same bytes."""
        return self.base.digests == self.alternative.digests != ()

    @cached_property
    def words_left_out(self) -> tuple[str, ...]:
        """Return the words that could not be compared: ``s1: don't → do n't``."""
        return tuple(
            f"{pair.base.name}: {' '.join(old) or NOTHING} → {' '.join(new) or NOTHING}"
            for pair in self.matching.pairs
            for old, new in divided_words(pair.alignment, pair.base.tree.forms, pair.alternative.tree.forms)
        )


def _is_known(column: str, pairs: Iterable[SentencePair]) -> bool:
    """Return whether a column that is the same on both sides was compared and says something."""
    if column == "HEAD":
        return any(pair.base.tree.heads and pair.alternative.tree.heads for pair in pairs)
    if column in ATTRIBUTES:
        return any(is_known(getattr(pair.base.tree, ATTRIBUTES[column])) for pair in pairs)
    position = APART.index(column) + 1  # of the last three parts of a line
    return any(
        line.rsplit("\t", 2)[position] != UNSPECIFIED
        for pair in pairs
        if are_from_files(pair)
        for line in map(pair.base.lines.__getitem__, pair.base.rows)
    )


def compare_versions(base: Version, alternative: Version, *, ignored_comment: str = "") -> AnnotationDiff:
    """Return what differs between two versions.

    Args:
        base: the first one.
        alternative: the second one.
        ignored_comment: the key of a comment that is not compared.

    Raises:
        InputError: one has no sentences.
        NoCommonSentence: they have no sentence in common.
    """
    for version in (base, alternative):
        if not version.sentences:
            raise InputError(f"{version.name} has no sentences; name an annotation that has some")
    matching = match_versions(base, alternative)
    if not (matching.pairs or matching.split or matching.merged):
        raise NoCommonSentence(
            f"{base.name} and {alternative.name} have no sentence with the same words; name two annotations "
            "of the same text"
        )
    collected = GroupedChanges()
    differing = Counter[str]()
    others: defaultdict[OtherKind, list[str]] = defaultdict(list)
    not_compared: dict[tuple[str, ...], list[str]] = {}
    words = sentences = left_out = other_left_out = 0
    for number, pair in enumerate(matching.pairs):
        compared = len(pair.alignment.words)
        words += compared
        left_out += len(pair.base) - compared
        other_left_out += len(pair.alternative) - compared
        changes = changes_in(pair)
        beside = differences_beside_words(pair, ignored_comment) if are_from_files(pair) else []
        for kind in beside:
            others[kind].append(pair.base.name)
        if changes:
            collected.add(pair, changes, number)
            differing.update(
                column for column, _ in {(column, c.base) for c in changes for column in c.columns}
            )
        is_aligned = compared == len(pair.base) == len(pair.alternative)
        sentences += bool(changes or beside or pair.is_renamed or not is_aligned)
        if missing := _not_compared(pair):
            not_compared.setdefault(missing, []).append(pair.base.name)
    if displaced := _displaced(matching.pairs, alternative):
        others[OtherKind(SENTENCE, CHANGED, ORDER)] += displaced
    values = Values(base), Values(alternative)
    return AnnotationDiff(
        base,
        alternative,
        *values,
        matching,
        collected.groups(*values),
        words,
        {column: differing[column] for column in COLUMNS},
        count_differences(others),
        sentences,
        {columns: tuple(names) for columns, names in not_compared.items()},
        left_out,
        other_left_out,
    )


def _not_compared(pair: SentencePair) -> tuple[str, ...]:
    """Return the columns of a sentence that say something in one version, but cannot be compared."""
    first, second = pair.base.tree, pair.alternative.tree
    columns = [column for column in TREE_COLUMNS if _has_column(first, column) != _has_column(second, column)]
    if are_from_files(pair) and not (first.heads and second.heads):
        columns = [column for column in columns if column not in ARCS] + [*ARCS]
    return tuple(columns)


def _has_column(tree: Tree, column: str) -> bool:
    return bool(getattr(tree, {**ATTRIBUTES, "HEAD": "heads"}[column]))


ARCS = ("HEAD", "DEPREL")
"""The columns that are not compared where heads are not given."""


def _displaced(pairs: Sequence[SentencePair], alternative: Version) -> list[str]:
    places = {id(sentence): place for place, sentence in enumerate(alternative.sentences)}
    kept = [pair for pair in pairs if not pair.is_moved]
    items = find_displaced([places[id(pair.alternative)] for pair in kept])
    return [kept[item].base.name for item in items]


def diff(
    a: Annotation,
    b: Annotation | Transformation | Callable[[Tree], Tree],
    *,
    ud_home: str | os.PathLike[str] | None = None,
    multiple_roots: bool = False,
) -> AnnotationDiff:
    """Return what differs between two annotations of the same sentences; nothing is trained.

    Sentences are matched by their words, wherever they are. Words that were divided differently are aligned
    by their characters; what cannot be aligned is left out and counted.

    Args:
        a: the base: the name of a treebank (``UD_X@2.16``: in a release; ``FOLDER@COMMIT``: in a commit), a
            folder, a file, a treebank, or sentences.
        b: the alternative, in any of these forms; or a rule that makes it from the base.
        ud_home: the folder in which names are searched, as in :func:`learnability.load_treebank`.
        multiple_roots: accept several words with HEAD 0 in one sentence.

    Returns:
        The comparison: its `groups`, `features`, `matching` and `agreement`.

    Raises:
        InputError: an annotation cannot be found or read, or they have no sentence in common.
    """
    base = _version(a, "base", ud_home, multiple_roots)
    if isinstance(b, Transformation):
        alternative = base.change_trees(b.apply, b.spec)
    elif callable(b):
        alternative = base.change_trees(b, getattr(b, "__name__", "rule"))
    else:
        alternative = _version(b, "alternative", ud_home, multiple_roots)
    return compare_versions(base, alternative)


def _version(
    annotation: Annotation, role: str, ud_home: str | os.PathLike[str] | None, multiple_roots: bool
) -> Version:
    if isinstance(annotation, str | Path | os.PathLike):
        return Version.named(os.fspath(annotation), ud_home=ud_home, multiple_roots=multiple_roots)
    if isinstance(annotation, Treebank):
        return Version.of_treebank(annotation)
    return Version.of_sentences(annotation, role)
