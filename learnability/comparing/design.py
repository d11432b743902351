"""Describe the design of a run: everything that rows need besides the records.

It is made from a plan while a run is under way (`RunPlan.design`), kept in config.json, and read from there
afterwards: neither treebanks nor files of schemes are needed to read a finished run.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.metrics.scores import Score, scores_of
from learnability.parsers.trainer import USUAL_PARSER
from learnability.running.config import ParserDesign, RunConfig, TreebankDesign
from learnability.support.values import JsonObject


@dataclass(frozen=True)
class RunDesign:
    """Hold the treebanks, pairs and parsers of a run, each combination of which is a row.

    Attributes:
        pairs: none where a study finds its pairs while it runs.
        seeds: the seeds of the trainings.
        labelled: whether the parsers predict relations.
    """

    treebanks: tuple[TreebankDesign, ...]
    pairs: tuple[Pair[AnnotationFacts], ...]
    parsers: tuple[ParserDesign, ...]
    seeds: tuple[int, ...]
    labelled: bool = False

    @classmethod
    def of_config(cls, config: RunConfig) -> RunDesign:
        """Return the design that a config.json holds; fields of pairs that are not known are ignored.

        Raises:
            msgspec.ValidationError: the pairs are not those of this version.
        """
        return cls(
            treebanks=config.treebanks,
            pairs=msgspec.convert(config.pairs, tuple[Pair[AnnotationFacts], ...]),
            parsers=config.parsers,
            seeds=config.seeds,
            labelled=config.options.get("labels") is not None,
        )

    @property
    def pair_values(self) -> list[JsonObject]:
        """Return what config.json holds of the pairs."""
        values: list[JsonObject] = msgspec.json.decode(msgspec.json.encode(self.pairs))
        return values

    @property
    def names_parsers(self) -> bool:
        """Return whether rows name their parser; they do not where only the usual parser ran."""
        return [parser.title for parser in self.parsers] != [USUAL_PARSER]

    @property
    def scores(self) -> tuple[Score, ...]:
        return scores_of(labelled=self.labelled)

    @property
    def seed_ratio(self) -> float:
        """Return the mean of the parsers' seed ratios."""
        return sum(parser.seed_ratio for parser in self.parsers) / len(self.parsers)
