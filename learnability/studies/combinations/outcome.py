"""Say which combination is easiest: the finalists, compared with UD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from learnability.comparing.annotation import Annotation
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis, values_of
from learnability.metrics.scores import FIRST_SCORE
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, number, probability
from learnability.reports.verdicts import describe_standing, name_difference
from learnability.schemes.toml_file import scheme_text
from learnability.statistics.inference import Side
from learnability.studies.combinations.space import LeftOut
from learnability.support.values import JsonObject


@dataclass(frozen=True)
class Finalist:
    """Represent a scheme trained in full, and its comparison with UD on the test set."""

    annotation: Annotation
    row: ComparisonRow
    own: Difference
    converted: Difference

    @property
    def title(self) -> str:
        return self.annotation.title

    def answers(self, question: Question) -> Answer:
        return self.row.answered(question).answer

    def as_json(self) -> JsonObject:
        """Return what combinations.json has of it."""
        values: JsonObject = {
            "scheme": self.title,
            FIRST_SCORE.value: self.own.alternative,
            "uas_back": self.converted.alternative,
            "from_ud": values_of(self.own),
            "back_from_ud": values_of(self.converted),
        }
        return values | {str(question): self.answers(question).named("UD") for question in Question}


@dataclass(frozen=True)
class CombinationsReport:
    """Hold the outcome of a study that came to its end; the finalist with the highest UAS comes first."""

    treebank: str
    release: str
    left_out: Sequence[LeftOut]
    finalists: tuple[Finalist, ...]

    @property
    def found(self) -> Finalist | None:
        return next(iter(self.list_better(Question.EASIER)), None)

    def list_better(self, question: Question) -> list[Finalist]:
        return [one for one in self.finalists if one.answers(question) is Answer.ALTERNATIVE]

    def best_scheme(self) -> bytes | None:
        """Return best.toml, the scheme that was found; None if nothing was found."""
        if self.found is None:
            return None
        description = f"found on {self.treebank}: {self.found.title}"
        return scheme_text("best", description, self.found.annotation.rules).encode()

    def as_json(self) -> JsonObject:
        return {
            "treebank": self.treebank,
            "release": self.release,
            "found": self.found.title if self.found else None,
            "finalists": [finalist.as_json() for finalist in self.finalists],
            "left_out": [
                {"construction": variant.spec, "reason": variant.reason} for variant in self.left_out
            ],
        }

    def section(self) -> Section:
        return Section(
            "The easiest combination", tuple(_describe_finding(self)), (_tabulate_finalists(self),)
        )


NAMES = {Side.FIRST: "UD", Side.SECOND: "the scheme"}

_TRAINING = {
    Answer.BASE: "train on UD",
    Answer.ALTERNATIVE: "train on the scheme",
    Answer.SAME: "it does not matter which you train on",
}
"""What users of UD trees should do, by the answer."""


def _describe_finding(report: CombinationsReport) -> Iterator[str]:
    found = report.found
    if found is None:
        best = report.finalists[0]
        yield (
            "No scheme is clearly easier to learn than UD. For the best of them, "
            f"{best.title}, {_describe_standing(best.own)}."
        )
        return
    others = [finalist.title for finalist in report.list_better(Question.EASIER) if finalist is not found]
    also = f" Also clearly easier than UD: {', '.join(others)}." if others else ""
    yield (
        f"{found.title} is easier to learn than UD: {_describe_standing(found.own)}, each parser tested on "
        f"its own annotation.{also}"
    )
    answer = found.answers(Question.TRAIN_ON)
    yield (
        "A scheme can score higher simply because it offers fewer ways to be wrong. If you need UD trees, "
        f"{_TRAINING.get(answer, 'it is open which to train on')}: converted back to UD, "
        f"{_describe_standing(found.converted)}."
    )
    others = [finalist.title for finalist in report.list_better(Question.TRAIN_ON) if finalist is not found]
    if others:
        yield f"Clearly better than UD after conversion back to UD: {', '.join(others)}."


def _describe_standing(difference: Difference) -> str:
    if difference.low is None:
        return "the test set has too few examples"
    return describe_standing(difference, NAMES[Side.FIRST], NAMES[Side.SECOND])


def _tabulate_finalists(report: CombinationsReport) -> Table:
    names = {**NAMES, Side.SECOND: "scheme"}

    def show_interval(difference: Difference) -> TableCell | str:
        if difference.low is None:
            return ""
        star = "*" if difference.is_clear else ""
        return TableCell(f"{name_difference(difference, names)}{star}", f"{difference.delta:.6f}")

    ud = report.finalists[0].own.base
    return Table.of(
        "Finalists",
        report.finalists,
        (
            ("scheme", lambda finalist: finalist.title),
            ("UAS", lambda finalist: number(finalist.own.alternative)),
            ("difference\nfrom UD", lambda finalist: show_interval(finalist.own)),
            ("p", lambda finalist: probability(finalist.own.p_holm)),
            ("converted\nback to UD", lambda finalist: number(finalist.converted.alternative)),
            ("difference\nfrom UD", lambda finalist: show_interval(finalist.converted)),
        ),
        explanation=f"UD reaches {number(ud)} UAS. We test each parser on its own annotation and after "
        "conversion back to UD. UAS is the mean over seeds, on the test set. The difference names the side "
        "that is ahead. A star marks a clear difference: its interval excludes 0. Intervals account for "
        "testing all finalists (Holm).",
    )


def report_combinations(
    treebank: str, release: str, left_out: Sequence[LeftOut], rows: dict[Annotation, ComparisonRow]
) -> CombinationsReport | None:
    """Return the outcome of a study whose finalists were compared with UD; None if a training failed.

    `rows`: the comparison of each finalist with UD.
    """
    finalists = []
    for annotation, row in rows.items():
        own, converted = row.difference(), row.difference(basis=ScoringBasis.CONVERTED)
        if own is None or converted is None:
            return None
        finalists.append(Finalist(annotation, row, own, converted))
    finalists.sort(key=lambda finalist: round(finalist.own.delta, 9))
    return CombinationsReport(treebank, release, left_out, tuple(finalists))
