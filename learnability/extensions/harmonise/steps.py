"""Decide what has to be trained to compare treebanks, given what is recorded, and put the results together.

The steps: taggers; parsers that see the tags which they know; parsers of two treebanks together, and of
rewritten ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, permutations
from typing import Any, TypeVar

import numpy as np

from learnability.extending import Cell, Records, Tree
from learnability.extensions.harmonise.cells import (
    CrossCell,
    ParsesCell,
    RewrittenCell,
    TagsCell,
    TogetherCell,
)
from learnability.extensions.harmonise.constructions import RuleSupport, name_constructions
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    DividedTreebanks,
    Floats,
    Parsed,
    TrainingSettings,
    common_size,
)
from learnability.extensions.harmonise.matrix import Together, score_matrix
from learnability.extensions.harmonise.patterns import TAG, PairPatterns, find_patterns
from learnability.extensions.harmonise.results import ParsesResult, TagsResult
from learnability.extensions.harmonise.rewriting import (
    ConstructionRewriting,
    FullRewriting,
    Rewriting,
    RewrittenPair,
    RightWords,
    join_rewritings,
    rewrite_constructions,
    score_rewriting,
)
from learnability.extensions.harmonise.seen_tags import SeenTags, see_tags, with_seen_tags
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

AnyCell = Cell[Any]

T = TypeVar("T")


@dataclass(frozen=True)
class PlannedCells:
    """Plan what is known from the beginning to be trained.

    Attributes:
        treebanks: how many there are.
        settings: of the trainings.
        label: what records call the treebanks.
    """

    treebanks: int
    settings: TrainingSettings
    label: str = ""

    @property
    def parts(self) -> range:
        return range(self.settings.folds)

    @property
    def first_seed(self) -> int:
        """Return the seed of what is trained once."""
        return self.settings.seeds[0]

    def tags(self, source: int) -> list[TagsCell]:
        """Return the taggers of a treebank: of all of it, then without each part."""
        cell = TagsCell(treebank=self.label, settings=self.settings, seed=self.first_seed, source=source)
        return [cell, *(replace(cell, part=part) for part in self.parts)]

    def parses(self, source: int, seed: int) -> list[ParsesCell]:
        """Return the parsers of a treebank: of all of it, then without each part."""
        cell = ParsesCell(treebank=self.label, settings=self.settings, seed=seed, source=source)
        return [cell, *(replace(cell, part=part) for part in self.parts)]

    def together(self, tested: int, added: int, rewriting: Rewriting | None = None) -> list[TogetherCell]:
        """Return the parsers of two treebanks without each part of the first."""
        return [
            TogetherCell(
                treebank=self.label, settings=self.settings, seed=self.first_seed, tested=tested, added=added,
                part=part, rewriting=rewriting,
            )
            for part in self.parts
        ]  # fmt: skip

    def every_tags(self) -> Iterator[TagsCell]:
        for source in range(self.treebanks):
            yield from self.tags(source)

    def every_parses(self) -> Iterator[ParsesCell]:
        for source in range(self.treebanks):
            for seed in self.settings.seeds:
                yield from self.parses(source, seed)

    def every_together(self) -> Iterator[TogetherCell]:
        for tested, added in permutations(range(self.treebanks), 2):
            yield from self.together(tested, added)


class ComparisonSteps:
    """Compare treebanks step by step, as far as cells are recorded.

    Each property of what was found needs the records of the cells before it.
    """

    def __init__(
        self,
        treebanks: Sequence[ComparedTreebank],
        settings: TrainingSettings,
        records: Records,
        label: str = "",
        *,
        with_matrix: bool = True,
    ) -> None:
        self.treebanks, self.settings, self.records = tuple(treebanks), settings, records
        self.plan = PlannedCells(len(self.treebanks), settings, label)
        self.with_matrix = with_matrix

    def next_cells(self) -> Iterator[AnyCell]:
        """Yield the cells of each step whose fields are known."""
        for step in (self.tag_cells, self.parse_cells, self.last_cells):
            cells = step()
            yield from cells
            if any(cell.key not in self.records for cell in cells):
                return

    def cells_ahead(self) -> list[AnyCell] | None:
        """Return all cells, also those that are recorded; None before it is known what can be rewritten."""
        cells: list[AnyCell] = []
        for step in (self.tag_cells, self.parse_cells):
            known = step()
            cells += known
            if any(cell.key not in self.records for cell in known):
                return None
        return [*cells, *self.last_cells()]

    def tag_cells(self) -> list[TagsCell]:
        return list(self.plan.every_tags())

    def parse_cells(self) -> list[ParsesCell]:
        """Return the parsers of one treebank, with the tags that they see in others."""
        seen: dict[int, dict[int, SeenTags]] = {number: {} for number in range(len(self.treebanks))}
        for (target, source), tags in self.seen.items():
            seen[source][target] = tags
        return [replace(cell, seen=seen[cell.source]) for cell in self.plan.every_parses()]

    def last_cells(self) -> list[AnyCell]:
        """Return the parsers of two treebanks and of rewritten ones."""
        cells: list[AnyCell] = []
        if self.with_matrix:
            cells += self.plan.every_together()
            for rewriting in self.scored_rewritings:
                cells += self.rewritten_cells(rewriting)
                if isinstance(rewriting, FullRewriting):
                    cells += self.plan.together(rewriting.like, rewriting.treebank, rewriting)
        return cells

    def rewritten_cells(self, rewriting: Rewriting) -> list[RewrittenCell]:
        """Return the parsers of the other treebank and of the rewritten one."""
        number, like = rewriting.treebank, rewriting.like
        return [
            RewrittenCell(
                treebank=self.plan.label, settings=self.settings, seed=self.plan.first_seed,
                rewriting=rewriting, parses_rewritten=parses_rewritten, seen=self.seen.get(pair, {}),
            )
            for parses_rewritten, pair in ((True, (number, like)), (False, (like, number)))
        ]  # fmt: skip

    def _find(self, cell: Cell[Any]) -> Any:
        result = self.records.result(cell)
        assert result is not None, cell.key  # a step is made when those before it are recorded
        return result

    @cached_property
    def divided(self) -> DividedTreebanks:
        return DividedTreebanks.of(self.treebanks, self.settings.folds)

    def _gather(
        self, cells: Sequence[CrossCell[Any]], read: Callable[[Any], Iterator[T]]
    ) -> dict[int, list[list[T]]]:
        """Return what cells of one treebank say of the words of each sentence, by the number of its treebank.

        Args:
            cells: of the whole treebank, and without each part.
            read: gives what a result says of each word.
        """
        said: dict[int, dict[int, list[T]]] = {number: {} for number in range(len(self.treebanks))}
        for cell in cells:
            of_words = read(self._find(cell))
            for number, places in cell.places(self.divided).items():
                for place in places:
                    said[number][place] = list(islice(of_words, len(self.treebanks[number].trees[place])))
        return {number: [of for _, of in sorted(by_place.items())] for number, by_place in said.items()}

    @cached_property
    def tagged(self) -> CrossParses:
        """Return the sentences of all treebanks as the taggers of all tag them."""
        parses: dict[tuple[int, int], tuple[Parsed, ...]] = {}
        for source in range(len(self.treebanks)):
            for target, tags in self._gather(self.plan.tags(source), TagsResult.each_tag).items():
                parses[target, source] = (_with_tags(self.treebanks[target].trees, tags),)
        return CrossParses(self.treebanks, parses)

    @cached_property
    def tags(self) -> list[PairPatterns]:
        return find_patterns(self.tagged, about=TAG)

    @cached_property
    def seen(self) -> dict[tuple[int, int], SeenTags]:
        """Return the tags that parsers see, where these are others than annotated."""
        return see_tags(self.tagged, self.tags)

    @cached_property
    def parses(self) -> CrossParses:
        """Return the parses of all treebanks by parsers of all treebanks."""
        parses: dict[tuple[int, int], list[Parsed]] = {}
        for source in range(len(self.treebanks)):
            for seed in self.settings.seeds:
                found = self._gather(self.plan.parses(source, seed), ParsesResult.arcs)
                for target, arcs in found.items():
                    seen = self.seen.get((target, source), {})
                    text = with_seen_tags(self.treebanks[target].trees, seen)
                    parses.setdefault((target, source), []).append(with_arcs(text, arcs))
        return CrossParses(self.treebanks, {pair: tuple(each) for pair, each in parses.items()})

    @cached_property
    def arcs(self) -> list[PairPatterns]:
        return find_patterns(self.parses)

    @cached_property
    def constructions(self) -> list[RuleSupport]:
        """Return the constructions that one treebank annotates as the alternative does."""
        return name_constructions(self.parses)

    @cached_property
    def construction_rewritings(self) -> list[ConstructionRewriting]:
        """Return how each construction is rewritten, in either treebank."""
        return rewrite_constructions(self.treebanks, self.constructions)

    @cached_property
    def scored_rewritings(self) -> list[Rewriting]:
        """Return the constructions that are a part of what is rewritten, then everything of each pair."""
        joined = join_rewritings(self.construction_rewritings)
        alone = [
            each for each in self.construction_rewritings if len(joined[each.treebank, each.like].parts) > 1
        ]
        return [*alone, *joined.values()]

    def together(self) -> Together:
        """Return what parsers of two treebanks find; nothing if none were trained."""
        if not self.with_matrix:
            return {}
        return {
            pair: self._right_together(self.plan.together(*pair))
            for pair in permutations(range(len(self.treebanks)), 2)
        }

    def _right_together(self, cells: Sequence[TogetherCell]) -> Floats:
        """Return float64[sentences], the right words of the sentences of a treebank that cells parse by
        parts."""
        right = np.zeros(len(self.treebanks[cells[0].tested].trees))
        for cell in cells:
            right[self.divided.places(cell.tested, cell.part)] = self._find(cell).right
        return right

    def rewritten(self, together: Together) -> tuple[RewrittenPair, ...]:
        """Return what rewriting gains; nothing if no parsers were trained for it."""
        pairs: list[RewrittenPair] = []
        for rewriting in self.scored_rewritings if self.with_matrix else ():
            on_rewritten, on_other = (
                np.array(self._find(cell).right, np.float64) for cell in self.rewritten_cells(rewriting)
            )
            both = None
            if isinstance(rewriting, FullRewriting):
                both = self._right_together(self.plan.together(rewriting.like, rewriting.treebank, rewriting))
            after = RightWords(on_rewritten, on_other, both)
            pairs.append(score_rewriting(self.parses, together, rewriting, after))
        return tuple(pairs)

    def comparison(self) -> TreebankComparison | None:
        """Return how the treebanks differ; None if a cell is not recorded."""
        if any(cell.key not in self.records for cell in self.next_cells()):
            return None
        together = self.together()
        return TreebankComparison(
            parses=self.parses,
            tagged=self.tagged,
            size=common_size(self.divided, self.settings),
            divided=self.divided,
            settings=self.settings,
            tags=self.tags,
            arcs=self.arcs,
            constructions=self.constructions,
            matrix=score_matrix(self.parses, together),
            rewritten=self.rewritten(together),
        )


def _with_tags(trees: Sequence[Tree], tags: Sequence[Sequence[str]]) -> Parsed:
    return tuple(replace(tree, upos=tuple(of_tree)) for tree, of_tree in zip(trees, tags, strict=True))


def with_arcs(trees: Sequence[Tree], arcs: Sequence[Sequence[tuple[int, str]]]) -> Parsed:
    """Return trees with other heads and relations."""
    parsed: list[Tree] = []
    for tree, of_tree in zip(trees, arcs, strict=True):
        heads, deprels = zip(*of_tree, strict=True)
        parsed.append(replace(tree, heads=heads, deprels=deprels))
    return tuple(parsed)
