"""Describe the design of a run: everything that rows need besides the records.

It is made from a plan while a run is under way (`RunPlan.design`), kept in config.json, and read from there
afterwards: neither treebanks nor files of schemes are needed to read a finished run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.comparing.run_parsers import is_trained_once
from learnability.metrics.scores import Score, scores_of
from learnability.parsers.trainer import USUAL_PARSER, NamedParser
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.families import language_of


@dataclass(frozen=True)
class TreebankDesign:
    """Represent a treebank.

    Attributes:
        label: what records call it.
        name, release: its name and its release, empty if that is not known.
        folds: how many folds it is tested in.
        sha256: its files, and the digests of their contents.
    """

    label: str
    name: str
    release: str = ""
    folds: int = 1
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        """Return its language as UD writes it; for an unknown one, what the name begins with."""
        return language_of(self.name, self.sha256)


@dataclass(frozen=True)
class ParserDesign:
    """Represent a parser.

    Attributes:
        spelling: as in records.
        title: what people call it.
        seed_ratio: how much its scores change with the seed (`ParserKind.seed_ratio`).
        seconds: rough processor seconds of a training on 1,000 tokens; 0 where they are unknown.
        has_one_optimum: whether it is trained once, because the seed does not matter.
    """

    spelling: str
    title: str
    seed_ratio: float
    seconds: float = 0.0
    has_one_optimum: bool = False

    @classmethod
    def of(cls, parser: NamedParser, *, predicts_tags: bool = False) -> ParserDesign:
        """Return the design of a parser; predicted tags change with the seed, whatever the parser."""
        ratio = max(parser.kind.seed_ratio, SEED_RATIO) if predicts_tags else parser.kind.seed_ratio
        once = is_trained_once(parser, predicts_tags=predicts_tags)
        return cls(parser.spelling, parser.title, ratio, parser.kind.seconds[0], once)


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
    def of_config(cls, config: Mapping[str, Any]) -> RunDesign:
        """Return the design that a config.json holds; fields that are not known are ignored.

        Raises:
            msgspec.ValidationError: the config.json has no design.
        """
        stored = {**config, "labelled": config["options"].get("labels") is not None}
        return msgspec.convert(stored, cls)

    def as_config(self) -> dict[str, Any]:
        """Return what config.json holds of the design beside `treebanks` and `seeds`, as JSON values."""
        parts = {"pairs": self.pairs, "parsers": self.parsers}
        as_json: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(parts))
        return as_json

    def seeds_of(self, parser: ParserDesign) -> tuple[int, ...]:
        """Return the seeds of the trainings of a parser: only the first where the seed does not matter."""
        return self.seeds[:1] if parser.has_one_optimum else self.seeds

    @property
    def names_parsers(self) -> bool:
        """Return whether rows name their parser; they do not where only the usual parser ran."""
        return [parser.title for parser in self.parsers] != [USUAL_PARSER]

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return the scores of its parsers."""
        return scores_of(labelled=self.labelled)

    @property
    def seed_ratio(self) -> float:
        """Return the mean of the parsers' seed ratios."""
        return sum(parser.seed_ratio for parser in self.parsers) / len(self.parsers)
