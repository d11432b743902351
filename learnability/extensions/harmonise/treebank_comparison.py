"""Hold how treebanks of one language differ, as their parsers see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    DividedTreebanks,
    TrainingSettings,
)
from learnability.extensions.harmonise.matrix import MatrixCell
from learnability.extensions.harmonise.patterns import PairPatterns
from learnability.extensions.harmonise.rewriting import (
    ConstructionRewriting,
    FullRewriting,
    RewrittenPair,
    join_rewritings,
    rewrite_constructions,
)


@dataclass(frozen=True)
class TreebankComparison:
    """Hold how treebanks of one language differ, as parsers see it.

    Attributes:
        parses: of all treebanks, by parsers of all treebanks.
        tagged: all treebanks as the taggers of all tag them.
        size: from how many words each parser learned.
        divided: the treebanks in the parts by which they were parsed.
        settings: of the trainings.
        tags, arcs: the patterns in which tags and trees of each pair of treebanks differ.
        constructions: the rules that one treebank follows and another does not.
        matrix: the scores of all parsers on all treebanks.
        rewritten: the scores after treebanks were rewritten.
    """

    parses: CrossParses
    tagged: CrossParses
    size: int
    divided: DividedTreebanks
    settings: TrainingSettings
    tags: Sequence[PairPatterns]
    arcs: Sequence[PairPatterns]
    constructions: Sequence[RuleSupport]
    matrix: Sequence[MatrixCell]
    rewritten: Sequence[RewrittenPair] = field(default_factory=tuple)

    @property
    def treebanks(self) -> tuple[ComparedTreebank, ...]:
        """Return the treebanks, in the order in which they were named."""
        return self.parses.treebanks

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(treebank.name for treebank in self.treebanks)

    @property
    def rewritten_constructions(self) -> list[ConstructionRewriting]:
        """Return how each construction is rewritten, in either treebank."""
        return rewrite_constructions(self.treebanks, self.constructions)

    @property
    def joined(self) -> dict[tuple[int, int], FullRewriting]:
        """Return everything that makes a treebank like another one, by the numbers of both."""
        return join_rewritings(self.rewritten_constructions)
