"""What a search (`run --search`) found: its finalists, beside UD and the best of them, and its races."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from typing import Any

from learnability.comparing.annotation import Annotation
from learnability.evidence.decisions import TRANSFORMED, own_side
from learnability.evidence.differences import Basis, Difference, compared, right_tokens
from learnability.evidence.grouping import Records, trainings
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.running.plan import Cell, Plan, label
from learnability.schemes.toml_file import scheme_text
from learnability.statistics.significance import Comparison, compare
from learnability.studies.search.space import Space, specs_of
from learnability.studies.search.study import Race, Trace, trace
from learnability.transforms.registry import get_transformation


@dataclass(frozen=True)
class Finalist:
    """A scheme trained in full, tested on the test part.

    Attributes:
        why: `UD`, `winner` of the race (`second` if UD won), `lemmas`, `single` (the best of these in the
            race) or `left`.
        uas: of its own reference, percent, mean over seeds; `back`: of UD after conversion.
        from_ud, back_from_ud: UD minus the scheme, by its own reference and after conversion, as results.csv
            has it, but that the intervals hold for all of them together (Bonferroni); None of UD.
        from_best: the best minus the scheme by own reference; its interval and p hold for all pairs of
            finalists together, because the same figures decide which one is best. None of the best
            itself, and where the test part has too little to tell.
        decision: as in results.csv; empty of UD.
        is_easier: whether it is shown to be easier than UD: by its own reference, also without punctuation.
    """

    annotation: Annotation
    why: str
    uas: float
    back: float
    from_ud: Difference | None = None
    back_from_ud: Difference | None = None
    from_best: Comparison | None = None
    decision: str = ""
    is_easier: bool = False


@dataclass(frozen=True)
class SearchReport:
    """The outcome of a search that came to its end: what there was to choose, how the races went, and the
    finalists, the best by own reference first."""

    treebank: str
    release: str
    space: Space
    trace: Trace
    ranked: tuple[Finalist, ...]
    trained_tokens: int

    @property
    def found(self) -> Finalist | None:
        """The best of the finalists that are shown to be easier than UD, if any is."""
        return next((own for own in self.ranked if own.is_easier), None)

    def best_scheme(self) -> bytes | None:
        """best.toml: what was found."""
        if self.found is None:
            return None
        rules = map(get_transformation, specs_of(self.found.annotation))
        said = f"found by --search on {self.treebank}: {self.found.annotation.title}"
        return scheme_text("best", said, rules).encode()

    def as_json(self) -> dict[str, Any]:
        """What search.json holds."""
        return {
            "treebank": self.treebank,
            "release": self.release,
            "found": self.found.annotation.title if self.found else None,
            "ranked": [_finalist_json(own) for own in self.ranked],
            "choices": [asdict(choice) for choice in self.space.choices],
            "left_out": [{"transform": spec, "reason": why} for spec, why in self.space.left_out],
            "starting_order": [
                {"scheme": one.title, "agreement": self.trace.agreement.get(one)}
                for one in self.trace.races[0].entrants
            ],
            "variations": [str(one) for one in self.trace.tried],
            "variations_shown": [str(one) for one in self.trace.shown],
            "races": list(map(_race_json, self.trace.races)),
            "notes": list(self.trace.notes),
            "trained_tokens": self.trained_tokens,
        }


def _finalist_json(own: Finalist) -> dict[str, Any]:
    differences = ("from_ud", "back_from_ud", "from_best")
    return {
        "scheme": own.annotation.title,
        "why": own.why,
        "uas": own.uas,
        "uas_back": own.back,
        **{name: value and asdict(value) for name in differences for value in [getattr(own, name)]},
        "decision": own.decision,
    }


def _race_json(own: Race) -> dict[str, Any]:
    return {
        "race": own.name,
        "rounds": [
            {
                "share": part.share,
                "seed": part.seed,
                "competitors": [{"scheme": one.title, **asdict(standing)} for one, standing in part.ranked],
            }
            for part in own.rounds
        ],
    }


def search_report(plan: Plan, records: Records, rows: Sequence[ComparisonRow]) -> SearchReport | None:
    """The outcome of a search, from the rows of its finalists; None if a training that it needs failed."""
    searched, (files,), seeds = trace(plan, records), plan.treebanks, plan.seeds
    if searched.finalists is None or plan.space is None:
        return None
    row_of = dict(zip(searched.finalists, rows, strict=True))
    trained = {Annotation(): trainings(records, Cell(label(files), "a"), seeds)}
    trained |= {one: trainings(records, Cell(label(files), "b", one), seeds) for one in row_of}
    if not all(trained.values()):
        return None
    total = trained[Annotation()][0].tokens
    right = {
        (one, basis): [right_tokens(training.scores[Score.UAS], basis) for training in own]
        for one, own in trained.items()
        for basis in (Basis.OWN, Basis.BACK)
    }

    def percent(one: Annotation, basis: Basis) -> float:
        return 100.0 * sum(map(sum, right[one, basis])) / (len(seeds) * sum(total))

    ranked = sorted(trained, key=lambda one: -round(percent(one, Basis.OWN), 9))
    best, reasons = ranked[0], _reasons(searched)

    def from_ud(one: Annotation, basis: Basis) -> Difference | None:
        difference = row_of[one].difference(basis=basis)
        if difference is None or difference.p_value is None:
            return difference
        both = right[Annotation(), basis], right[one, basis]
        wider = compare(*both, total, comparisons=len(row_of))
        return replace(difference, low=wider.low, high=wider.high)

    def from_best(one: Annotation) -> Comparison | None:
        if one == best:
            return None
        sites = sum(row_of[own].test_sites or 0 for own in (one, best) if not own.is_ud)
        return compared(trained[best], trained[one], Score.UAS, sites, comb(len(trained), 2))

    def finalist(one: Annotation) -> Finalist:
        uas, back = percent(one, Basis.OWN), percent(one, Basis.BACK)
        if one.is_ud:
            return Finalist(one, reasons[one], uas, back, from_best=from_best(one))
        differences = from_ud(one, Basis.OWN), from_ud(one, Basis.BACK)
        # shown by the interval that is printed, which holds for all finalists, and without punctuation
        high = differences[0].high if differences[0] else None
        return Finalist(
            *(one, reasons[one], uas, back, *differences, from_best(one), row_of[one].decision()),
            is_easier=high is not None and high < 0 and own_side(row_of[one]) == TRANSFORMED,
        )

    tokens = sum(record.trained_tokens or 0 for record in records.values())
    finalists = tuple(map(finalist, ranked))
    return SearchReport(files.name, files.release, plan.space, searched, finalists, tokens)


def _reasons(searched: Trace) -> dict[Annotation, str]:
    """Why each finalist is one."""
    finalists = searched.finalists or ()
    first = searched.races[0]
    joined = [one for own in searched.races[2:] for one in own.entrants if one != own.anchor]
    singles = [one for one in finalists if not one.is_scheme and one not in joined]
    reasons = dict.fromkeys(finalists, "left") | dict.fromkeys(singles[:1], "single")
    reasons |= {one: "lemmas" for one in joined if one in finalists}
    winner = "second" if first.leader.is_ud else "winner"
    return {**reasons, finalists[0]: winner, Annotation(): "UD"}
