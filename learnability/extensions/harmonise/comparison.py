"""Compare treebanks of one language: train, parse, and find what differs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from learnability.differences.naming import version_named
from learnability.differences.version import Version
from learnability.errors import InputError
from learnability.extensions.harmonise.constructions import RuleSupport, name_constructions
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    TrainingSettings,
    common_size,
    cross_parse,
    cross_tag,
)
from learnability.extensions.harmonise.learned_rules import ConventionRule, learn_convention_rules
from learnability.extensions.harmonise.matrix import MatrixCell, parse_together, score_matrix
from learnability.extensions.harmonise.patterns import TAG, PairPatterns, find_patterns
from learnability.extensions.harmonise.ranking import rank_conflicts
from learnability.extensions.harmonise.rewriting import (
    ConstructionRewriting,
    FullRewriting,
    RewritingAnswer,
    RewrittenPair,
    join_rewritings,
    rewrite_constructions,
    score_rewritings,
)
from learnability.extensions.harmonise.seen_tags import see_tags
from learnability.extensions.harmonise.word_kinds import WordKind, tell_kinds
from learnability.extensions.harmonise.words import Floats, TreebankWords
from learnability.support.nouns import count_noun
from learnability.support.progress import Stages
from learnability.treebanks.sentence import have_upos, is_known

LEAST_WORDS = 500
"""From how many words a parser learns, at least."""

SECONDS_PER_WORD = 6e-5
"""Rough processor seconds of a training, by words and iterations learned from and parsed."""


@dataclass(frozen=True)
class TreebankComparison:
    """Hold how treebanks of one language differ, as parsers see it.

    Attributes:
        parses: of all treebanks, by parsers of all treebanks.
        size: from how many words each parser learned.
        settings: of the trainings.
        tags, arcs: the patterns in which tags and trees of each pair of treebanks differ.
        constructions: the rules that one treebank follows and another does not.
        rules: those that were learned for the other conventions.
        matrix: the scores of all parsers on all treebanks.
        rewritten: the scores after treebanks were rewritten.
        answers: which side of each rewriting is easier to learn; none unless `answers.add_answers` asks.
    """

    parses: CrossParses
    size: int
    settings: TrainingSettings
    tags: Sequence[PairPatterns]
    arcs: Sequence[PairPatterns]
    constructions: Sequence[RuleSupport]
    matrix: Sequence[MatrixCell]
    rules: Sequence[ConventionRule] = field(default_factory=tuple)
    rewritten: Sequence[RewrittenPair] = field(default_factory=tuple)
    answers: Sequence[RewritingAnswer] = field(default_factory=tuple)

    @property
    def treebanks(self) -> tuple[ComparedTreebank, ...]:
        """Return the treebanks, in the order in which they were named."""
        return self.parses.treebanks

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the treebanks."""
        return tuple(treebank.name for treebank in self.treebanks)

    @property
    def rewritten_constructions(self) -> list[ConstructionRewriting]:
        """Return how each construction is rewritten, in either treebank."""
        return rewrite_constructions(self.treebanks, self.constructions)

    @property
    def joined(self) -> dict[tuple[int, int], FullRewriting]:
        """Return everything that makes a treebank like another one, by the numbers of both."""
        return join_rewritings(self.rules, self.rewritten_constructions)

    def count_kinds(self, treebank: int) -> Counter[WordKind]:
        """Return how many words of a treebank, without punctuation, are of each kind.

        Args:
            treebank: the number of the treebank.
        """
        kinds = tell_kinds(self.parses, self.arcs, treebank)
        marks = TreebankWords(self.treebanks[treebank]).are_punctuation.tolist()
        return Counter(kind for kind, is_mark in zip(kinds, marks, strict=True) if not is_mark)

    def rank_words(self, treebank: int) -> Floats:
        """Return float64[words], how likely the convention for each word of a treebank differs.

        Args:
            treebank: the number of the treebank.
        """
        return rank_conflicts(self.parses, treebank)


def compare_treebanks(
    versions: Sequence[Version],
    settings: TrainingSettings | None = None,
    *,
    with_matrix: bool = True,
    jobs: int = 1,
    stages: Stages | None = None,
) -> TreebankComparison:
    """Return how treebanks differ.

    Args:
        versions: the treebanks.
        settings: of the trainings.
        with_matrix: whether parsers also learn from two treebanks together, and from rewritten ones.
        jobs: the number of processes.
        stages: shows what is being done.

    Raises:
        InputError: there are fewer than two treebanks, or one is too small or has no tags.
    """
    settings, stages = settings or TrainingSettings(), stages or Stages()
    treebanks = tuple(map(ComparedTreebank, distinctly_named(versions)))
    check_treebanks(treebanks, settings)
    size = common_size(treebanks, settings)
    stages.stage("tagging")
    tagged = cross_tag(treebanks, settings, jobs)
    tags = find_patterns(tagged, about=TAG)
    stages.stage("parsing", expected=_seconds(treebanks, settings, size) / jobs)
    parses = cross_parse(treebanks, settings, see_tags(tagged, tags), jobs)
    stages.stage("comparing")
    arcs, constructions = find_patterns(parses), name_constructions(parses)
    stages.stage("learning rules")
    rewritten_constructions = rewrite_constructions(treebanks, constructions)
    rules = learn_convention_rules(parses, [*arcs, *tags], rewritten_constructions)
    together, rewritten = None, tuple[RewrittenPair, ...]()
    if with_matrix:
        stages.stage("learning from two treebanks")
        together = parse_together(treebanks, settings, jobs)
        if joined := join_rewritings(rules, rewritten_constructions):
            stages.stage("learning from rewritten treebanks")
            rewritten = score_rewritings(parses, together, rewritten_constructions, joined, settings, jobs)
    matrix = score_matrix(parses, together)
    return TreebankComparison(parses, size, settings, tags, arcs, constructions, matrix, rules, rewritten)


def distinctly_named(versions: Sequence[Version]) -> list[Version]:
    """Return the treebanks without their releases if that tells them apart; those with the same name get
    numbers."""
    without = [version.name.partition(" ")[0] for version in versions]
    if len(set(without)) == len(versions):
        versions = [replace(version, name=name) for version, name in zip(versions, without, strict=True)]
    names = [version.name for version in versions]
    return [
        replace(version, name=f"{version.name} ({number})") if names.count(version.name) > 1 else version
        for number, version in enumerate(versions, start=1)
    ]


def check_treebanks(treebanks: Sequence[ComparedTreebank], settings: TrainingSettings) -> None:
    """Refuse treebanks that cannot be compared.

    Raises:
        InputError: there are fewer than two, or one is too small, or has no tags or trees.
    """
    if len(treebanks) < 2:
        raise InputError("two treebanks are compared; name a second one")
    for treebank in treebanks:
        if not have_upos(treebank.trees) or not all(is_known(tree.deprels) for tree in treebank.trees):
            raise InputError(f"{treebank.name} lacks tags or relations; choose an annotated treebank")
        words = sum(map(len, treebank.trees))
        if words * (settings.folds - 1) // settings.folds < LEAST_WORDS or len(treebank.trees) < 2 * (
            settings.folds
        ):
            raise InputError(
                f"{treebank.name} has only {count_noun(words, 'word')}; parsers need {LEAST_WORDS} to learn "
                "from, so choose a larger treebank"
            )


def _seconds(treebanks: Sequence[ComparedTreebank], settings: TrainingSettings, size: int) -> float:
    """Return the rough processor seconds of the trainings."""
    trainings = len(treebanks) * (settings.folds + 1) * len(settings.seeds)
    return trainings * size * SECONDS_PER_WORD


def harmonise(
    *treebanks: str | os.PathLike[str] | Version,
    ud_home: str | os.PathLike[str] | None = None,
    settings: TrainingSettings | None = None,
    with_matrix: bool = True,
    jobs: int = 1,
) -> TreebankComparison:
    """Return which conventions differ between treebanks of one language, and what they cost.

    Args:
        treebanks: two or more: names (``UD_X@2.16``: in a release), folders, files, or versions.
        ud_home: the folder in which names are searched, as in :func:`learnability.load_treebank`.
        settings: of the trainings.
        with_matrix: whether parsers also learn from two treebanks together, and from rewritten ones.
        jobs: the number of processes.

    Returns:
        The comparison: its `arcs`, `tags`, `constructions` and `matrix`.

    Raises:
        InputError: a treebank cannot be found, read or compared.
    """
    versions = [
        item if isinstance(item, Version) else version_named(os.fspath(item), ud_home=ud_home)
        for item in treebanks
    ]
    return compare_treebanks(versions, settings, with_matrix=with_matrix, jobs=jobs)
