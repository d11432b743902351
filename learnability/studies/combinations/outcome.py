"""Hold which combinations are easy: the finalists, compared with UD and the best of them, and their race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb

import msgspec

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.cells import AlternativeCell, BaseCell
from learnability.comparing.plan import RunPlan
from learnability.evidence.grouping import trainings
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import (
    Difference,
    ScoringBasis,
    compare_trainings,
    right_tokens,
    values_of,
)
from learnability.metrics.scores import FIRST_SCORE
from learnability.running.records import Records
from learnability.schemes.toml_file import scheme_text
from learnability.statistics.significance import Comparison
from learnability.studies.combinations.races import Race, best_single
from learnability.studies.combinations.rungs import Rungs
from learnability.studies.combinations.space import Space, specs_of
from learnability.support.values import JsonObject
from learnability.transforms.registry import get_transformation


@dataclass(frozen=True)
class Finalist:
    """Represent a scheme trained in full, tested on the test set.

    Attributes:
        why: `UD`, `winner` of the race (`second` if UD won), `single` (the best of these in the race),
            or `left`.
        uas: on its own annotation, percent, mean over seeds; `back`: of UD after conversion.
        from_ud, back_from_ud: UD minus the scheme, on its own annotation and after conversion, as in
            results.csv, with intervals that hold for all finalists together (Bonferroni); None for UD.
        from_best: the best minus the scheme on its own annotation; its interval and p hold for all pairs of
            finalists together, because the same figures decide which one is best. None of the best
            itself, and where the test set has too little to tell.
        easier, train_on: the answers to both questions, compared with UD; none of UD itself.
    """

    annotation: Annotation
    why: str
    uas: float
    back: float
    from_ud: Difference | None = None
    back_from_ud: Difference | None = None
    from_best: Comparison | None = None
    easier: Answer = Answer.NONE
    train_on: Answer = Answer.NONE


@dataclass(frozen=True)
class CombinationsReport:
    """Hold the outcome of a study that came to its end."""

    treebank: str
    release: str
    space: Space
    race: Race
    ranked: tuple[Finalist, ...]
    trained_tokens: int

    @property
    def found(self) -> Finalist | None:
        """Return the best of the finalists that are shown to be easier than UD, if any is."""
        return next((finalist for finalist in self.ranked if finalist.easier is Answer.ALTERNATIVE), None)

    def best_scheme(self) -> bytes | None:
        """Return best.toml, the scheme that was found; None if nothing was found."""
        if self.found is None:
            return None
        rules = map(get_transformation, specs_of(self.found.annotation))
        description = f"found on {self.treebank}: {self.found.annotation.title}"
        return scheme_text("best", description, rules).encode()

    def as_json(self) -> JsonObject:
        return {
            "treebank": self.treebank,
            "release": self.release,
            "found": self.found.annotation.title if self.found else None,
            "ranked": [_finalist_json(finalist) for finalist in self.ranked],
            "choices": msgspec.to_builtins(self.space.choices),
            "left_out": [
                {"construction": variant.spec, "reason": variant.reason} for variant in self.space.left_out
            ],
            "starting_order": [annotation.title for annotation in self.race.entrants],
            "race": _race_json(self.race),
            "trained_tokens": self.trained_tokens,
        }


def _finalist_json(finalist: Finalist) -> JsonObject:
    values: JsonObject = {
        "scheme": finalist.annotation.title,
        "why": finalist.why,
        FIRST_SCORE.value: finalist.uas,
        "uas_back": finalist.back,
    }
    for name in ("from_ud", "back_from_ud", "from_best"):
        difference = getattr(finalist, name)
        values[name] = difference and values_of(difference)
    return values | {str(question): getattr(finalist, question).named("UD") for question in Question}


def _race_json(race: Race) -> list[JsonObject]:
    rounds: list[JsonObject] = []
    for round_ in race.rounds:
        ranked = [{"scheme": scheme.title, **asdict(standing)} for scheme, standing in round_.ranked]
        rounds.append({"share": round_.share, "seed": round_.seed, "competitors": ranked})
    return rounds


def combinations_report(
    plan: RunPlan, rungs: Rungs, records: Records, rows: Sequence[ComparisonRow]
) -> CombinationsReport | None:
    """Return the outcome of a study whose finalists are known; None if a training failed."""
    space, race, finalists = rungs.space, rungs.race, rungs.finalists
    if space is None or race is None or finalists is None:
        return None
    (files,), seeds = plan.treebanks, plan.seeds
    row_of = dict(zip(finalists, rows, strict=True))
    treebank, parser = plan.single(), plan.parsers[0]
    trained = {UD: trainings(records, BaseCell(treebank=treebank, parser=parser), seeds)}
    for annotation in row_of:
        cell = AlternativeCell(treebank=treebank, parser=parser, annotation=annotation)
        trained[annotation] = trainings(records, cell, seeds)
    if not all(trained.values()):
        return None
    total = trained[UD][0].tokens
    right = {}
    for scheme, of_scheme in trained.items():
        scores = [training.scores[FIRST_SCORE] for training in of_scheme]
        for basis in (ScoringBasis.ANNOTATION, ScoringBasis.CONVERTED):
            right[scheme, basis] = [right_tokens(score, basis) for score in scores]

    def percent(scheme: Annotation, basis: ScoringBasis) -> float:
        return 100.0 * sum(map(sum, right[scheme, basis])) / (len(seeds) * sum(total))

    ranked = sorted(trained, key=lambda scheme: -round(percent(scheme, ScoringBasis.ANNOTATION), 9))
    best, reasons = ranked[0], _reasons(race, finalists)

    def from_best(scheme: Annotation) -> Comparison | None:
        if scheme == best:
            return None
        places = sum(row_of[each].test_places or 0 for each in (scheme, best) if not each.is_ud)
        return compare_trainings(trained[best], trained[scheme], FIRST_SCORE, places, comb(len(trained), 2))

    def finalist(scheme: Annotation) -> Finalist:
        uas, back = percent(scheme, ScoringBasis.ANNOTATION), percent(scheme, ScoringBasis.CONVERTED)
        if scheme.is_ud:
            return Finalist(scheme, reasons[scheme], uas, back, from_best=from_best(scheme))
        row = row_of[scheme]
        return Finalist(
            annotation=scheme,
            why=reasons[scheme],
            uas=uas,
            back=back,
            from_ud=row.difference(),
            back_from_ud=row.difference(basis=ScoringBasis.CONVERTED),
            from_best=from_best(scheme),
            easier=row.easier().answer,
            train_on=row.train_on().answer,
        )

    works = (record.work for record in records.values())
    tokens = sum(work.trained_tokens for work in works if work is not None)
    return CombinationsReport(
        treebank=files.name,
        release=files.release,
        space=space,
        race=race,
        ranked=tuple(map(finalist, ranked)),
        trained_tokens=tokens,
    )


def _reasons(race: Race, finalists: Sequence[Annotation]) -> dict[Annotation, str]:
    reasons = dict.fromkeys(finalists, "left")
    reasons[best_single(race)] = "single"
    reasons[finalists[0]] = "second" if race.leader.is_ud else "winner"
    return {**reasons, UD: "UD"}
