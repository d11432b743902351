"""The design of a run: what one has to know, beside the records, to make rows of them.

It is made of a plan while a run is under way, kept in config.json, and read from there afterwards: neither
treebanks nor files of schemes are needed to read a finished run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from learnability.comparing.annotation import Annotation, Condition, conditions_of
from learnability.comparing.judging import seed_ratio_of
from learnability.comparing.options import ExperimentOptions
from learnability.judges.registry import judge_named
from learnability.metrics.scores import Score, scores_of
from learnability.running.plan import Plan, label


@dataclass(frozen=True)
class TreebankDesign:
    """A treebank: its `label` in records, its name and release, and how many folds it is tested in."""

    label: str
    name: str
    release: str = ""
    folds: int = 1


@dataclass(frozen=True)
class ConditionDesign:
    """The two annotations of a condition.

    Attributes:
        spelling: the alternative as records spell it.
        transform, variant, against: as in `rows.ComparisonRow`.
        parts: the transformations that the alternative consists of, as on the command line.
        has_rules: whether rules lead from one annotation to the other; if not, both are given.
        has_nuclei: whether scores between nuclei are defined.
        has_conversion_back: whether parses can be converted to UD.
    """

    spelling: str
    transform: str
    variant: str = ""
    against: str = ""
    parts: tuple[str, ...] = ()
    has_rules: bool = True
    has_nuclei: bool = True
    has_conversion_back: bool = True

    @classmethod
    def of(cls, condition: Condition) -> ConditionDesign:
        """Return the design of a condition."""
        return cls(
            spelling=condition.transformed.spelling,
            **condition.columns,
            parts=tuple(part.spec for part in condition.transformed.any_rule.parts),
            has_rules=not condition.is_given,
            has_nuclei=condition.has_nuclei,
            has_conversion_back=not condition.is_given,
        )


@dataclass(frozen=True)
class JudgeDesign:
    """A judge.

    Attributes:
        spelling: as in records; empty for the parser of a run that was given no judge.
        title: what people call it.
        seed_ratio: how much its scores change with the seed (`JudgeKind.seed_ratio`).
    """

    spelling: str
    title: str
    seed_ratio: float

    @classmethod
    def of(cls, spelling: str, options: ExperimentOptions) -> JudgeDesign:
        """Return the design of a judge of a run with these options."""
        judge = judge_named(spelling or f"{options.system}:{options.oracle}")
        return cls(spelling, judge.title, seed_ratio_of([spelling]))

    @property
    def named(self) -> str:
        """How rows call it: they name no judge where none was given."""
        return self.title if self.spelling else ""


@dataclass(frozen=True)
class RunDesign:
    """The treebanks, conditions and judges of a run, each combination of which is a row.

    Attributes:
        conditions: none where a study finds its conditions while it runs.
        seeds: of the trainings.
        labelled: whether the parsers predict relations.
    """

    treebanks: tuple[TreebankDesign, ...]
    conditions: tuple[ConditionDesign, ...]
    judges: tuple[JudgeDesign, ...]
    seeds: tuple[int, ...]
    labelled: bool = False

    @classmethod
    def of_plan(cls, plan: Plan) -> RunDesign:
        """Return the design of a run that is planned."""
        treebanks = (
            TreebankDesign(label(files), files.name, files.release, facts.folds)
            for files, facts in zip(plan.treebanks, plan.facts, strict=True)
        )
        return cls(
            treebanks=tuple(treebanks),
            conditions=tuple(map(ConditionDesign.of, conditions_of(plan.options))),
            judges=tuple(JudgeDesign.of(judge, plan.options) for judge in plan.judges),
            seeds=tuple(plan.seeds),
            labelled=plan.options.labels is not None,
        )

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> RunDesign:
        """Return the design that a config.json holds; fields that are not known are ignored.

        Raises:
            msgspec.ValidationError: the config.json has no design.
        """
        stored = {**config, "labelled": config["options"].get("labels") is not None}
        return msgspec.convert(stored, cls)

    def as_config(self) -> dict[str, Any]:
        """Return what config.json holds of the design beside `treebanks` and `seeds`, as JSON has it."""
        parts = {"conditions": self.conditions, "judges": self.judges}
        as_json: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(parts))
        return as_json

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores of its parsers."""
        return scores_of(labelled=self.labelled)

    @property
    def seed_ratio(self) -> float:
        """The mean of the judges' seed ratios."""
        return sum(judge.seed_ratio for judge in self.judges) / len(self.judges)


def found_condition(spelling: str) -> ConditionDesign:
    """Return the design of a condition that a study found: combined of transformations, compared with UD."""
    return ConditionDesign.of(Condition(Annotation(), Annotation(spelling)))
