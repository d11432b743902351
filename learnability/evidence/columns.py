"""The columns of results.csv: one table, :data:`TABLE`, which everything else follows.

From it come the header and the bytes of the file, its reader, the dtypes of frames, the rows as values
(:class:`Row`, :class:`Difference`) and the explanation in docs/numbers.md
(`python docs/scripts/column_reference.py`).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal

from learnability.comparing.criteria import CRITERIA, MEASURES
from learnability.metrics.scores import Score
from learnability.running.plan import label_of
from learnability.statistics.significance import Comparison, Tested

Kind = Literal["text", "choice", "count", "number", "detail"]

DTYPES = {"text": "string", "choice": "string", "count": "Int64", "number": "float64"}
"""The columns of pandas frames, by kind."""


@dataclass(frozen=True)
class Column:
    """A column of a file of results.

    Attributes:
        kind: `text`, a `choice` of a side or none of them, a `count`, or a `number`, all but text empty where
            there is no value; a `detail` stands in rows and JSON, but not in the file.
        meaning, topic: what it is, in Markdown, and the heading in docs/numbers.md that explains it.
        labelled, against, judged: only in labelled runs, only in those with `--against`, with `--judge`.
    """

    name: str
    kind: Kind = "number"
    meaning: str = ""
    topic: str = ""
    labelled: bool = False
    against: bool = False
    judged: bool = False

    def text(self, value: Any) -> str:
        """A value as it stands in the file: four decimals, p values six; minus zero has no sign."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if self.kind == "text" or not isinstance(value, float):
            return str(value)
        text = f"{value:.{6 if self.name.endswith(('p_value', 'p_holm', 'p_equal')) else 4}f}"
        return text.lstrip("-") if float(text) == 0 else text

    def value(self, text: str) -> Any:
        """What stands in the file as a value; None where it is empty. ValueError for what :meth:`text` never
        gives."""
        if self.kind in ("text", "choice"):
            return text or ("" if self.kind == "text" else None)
        if not re.fullmatch(r"(-?[0-9]{1,15}(\.[0-9]{1,15})?)?", text):
            raise ValueError(text)
        return (int(text) if self.kind == "count" else float(text)) if text else None


def csv_bytes(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([column.text(row[column.name]) for column in columns] for row in rows)
    return out.getvalue().encode()


NAMED: tuple[tuple[str, Kind, str], ...] = (
    ("treebank", "text", "as in results.csv"),
    ("release", "text", "as in results.csv"),
    ("transform", "text", "as in results.csv"),
    ("variant", "text", "as in results.csv"),
    ("against", "text", "the scheme of (a), empty for UD"),
)
"""What names a condition in other files of results: name, kind and meaning of its columns."""

DIFFERENCE, GROUND, SURVIVAL = "The difference", "On common ground", "Which annotation survives"
UNTRAINED, LABELLED, AGAINST = "What needs no parser", "Labelled runs", "Runs against another scheme"
JUDGED = "Runs with several judges"
BEYOND = "The table in the terminal"

INTERVAL = "the 95 % interval of the difference, over other seeds and other test sentences"
AS_FOR_UAS = "as for UAS, arcs counted with their labels"


def decision_column(score: Score) -> str:
    """The column of the decision by this score."""
    return "las_decision" if score is Score.LAS else "decision"


class Ground(StrEnum):
    """What the heads of both parsers are held against.

    Their own references, these without punctuation, the arcs between nuclei, UD after conversion, or of
    all mixtures of both annotations the closest.
    """

    OWN = "own"
    WORDS = "words"
    NUCLEI = "nuclei"
    BACK = "back"
    CLOSEST = "closest"

    def column(self, score: Score, value: str) -> str:
        """The column of a value (of :class:`Difference`) by this score."""
        prefix = _GROUNDS[self][0].format(score=score.value)
        if self is not Ground.OWN:
            return f"{prefix}_{value}"
        short = value in ("p_value", "p_holm", "p_equal", "winner", "better")
        return value if short and score is Score.UAS else f"{prefix}_{value}"

    @classmethod
    def of(cls, score: Score) -> list[Ground]:
        """Those on which the score is defined."""
        return [ground for ground in cls if score == Score.UAS or ground is not cls.NUCLEI]


_GROUNDS = {
    Ground.OWN: ("{score}", "*UAS*, each against the test trees of its own annotation"),
    Ground.WORDS: ("{score}_without_punctuation", "UAS without the tokens that gold UD labels `punct`"),
    Ground.NUCLEI: (
        "nucleus_{score}",
        "*nucleus* UAS: share of nuclei on the right nucleus; empty with `cc`, `conj`, `punct`",
    ),
    Ground.BACK: (
        "{score}_back",
        "UAS against UD's test trees, of parses converted to UD (of (a) only with `--against`)",
    ),
    Ground.CLOSEST: (
        "closest_{score}",
        "UAS against that mixture of both annotations to which a parse is closest",
    ),
}
"""What the columns of each begin with, and what they mean."""


@dataclass(frozen=True)
class Difference:
    """The scores of (a) and (b) on one ground, percent, and their difference, points.

    See `significance.Comparison`; `p_holm` and `better` are after Holm's correction over the run. A
    mean over treebanks has no scores.
    """

    original: float | None
    transformed: float | None
    delta: float
    error: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    p_equal: float | None
    better: str | None


_TESTED = {"error": "delta_se", "low": "delta_low", "high": "delta_high"} | {
    p: p for p in ("p_value", "p_equal")
}


def tested_values(difference: Tested | Comparison) -> dict[str, float]:
    """How sure a difference is, by the values of :meth:`Ground.column`."""
    return {value: getattr(difference, name) for name, value in _TESTED.items()}


_OWN_MEANINGS = {
    "original": "*UAS* of (a) against UD's test trees",
    "transformed": "UAS of (b) against the transformed test trees",
    "delta": "`uas_original` − `uas_transformed`, in points. **Positive: UD is easier**",
    "delta_se": "the standard error of the difference, in points",
    "delta_low": INTERVAL,
    "delta_high": INTERVAL,
    "p_value": "of no difference, two-sided; below 0.05 exactly where the interval excludes 0",
    "p_holm": "`p_value` after Holm's correction for all conditions of the run",
    "p_equal": "of a difference of half a point or more, by two one-sided tests: below 0.05 exactly where "
    "the interval lies within half a point on both sides of 0",
    "winner": "the side with the higher UAS: `original` (UD), `transformed`, or `none`",
    "better": "what the difference shows: its winner where `p_holm` is below 0.05; `equal` where `p_equal` "
    "is (half a point or more is excluded); else `none`; empty without enough data",
}


def _of(score: Score, ground: Ground) -> list[Column]:
    """The columns of what is compared by a score on a ground."""
    labelled, own = score is Score.LAS, ground is Ground.OWN
    topic = LABELLED if labelled else DIFFERENCE if own else GROUND
    columns = []
    for value, own_meaning in _OWN_MEANINGS.items():
        if own or value != "winner":
            kind: Kind = "choice" if value in ("winner", "better") else "number"
            meaning = AS_FOR_UAS if labelled else own_meaning if own else _GROUNDS[ground][1]
            columns.append(Column(ground.column(score, value), kind, meaning, topic, labelled))
    return columns


def columns_of_topic(
    topic: str, *columns: tuple[str, Kind, str], against: bool = False, labelled: bool = False
) -> tuple[Column, ...]:
    """Columns by name, kind and meaning."""
    return tuple(Column(name, kind, meaning, topic, labelled, against) for name, kind, meaning in columns)


TABLE: tuple[Column, ...] = (
    *columns_of_topic(
        "What was compared",
        ("treebank", "text", "name of the treebank"),
        ("release", "text", "its UD release, empty if it is not known"),
        ("transform", "text", "name of the transformation, the scheme, or the alternative treebank"),
        ("variant", "text", "its options, where they are not the defaults: `reattach=clause`"),
        ("sites", "count", "places in the training part where the transformation can be applied; of trees "
         "that are given, [independent changes](rules.md#annotations-that-are-given)"),
        ("sentences", "count", "sentences of the training part"),
        ("sentences_changed", "count", "of these, the sentences that change if all sites are transformed"),
        ("tokens_changed", "count", "tokens of the training part that then have another head"),
        ("test_sites", "count", "sites in the test part"),
        ("seeds", "count", "number of trainings per setting; all scores are means over them"),
        ("iterations", "number", "how many times (a) went through the training part, mean over seeds"),
    ),
    *columns_of_topic(
        DIFFERENCE,
        ("decision", "text",
         "what all grounds together say, one of the words in [Decisions](decisions.md)"),
    ),
    *(column for ground in Ground for column in _of(Score.UAS, ground)),
    *columns_of_topic(
        GROUND,
        ("back_ceiling", "number", "the same as `uas_back_transformed`, for the *gold* trees of (b): what "
         "the conversion can reach at most"),
        ("back_ceiling_gold_sites", "number",
         "the same, and the sites are given: what the inverse rules lose by themselves"),
        ("closest_uas_multiref", "number", "as `closest_uas_original`, of (c), trained on all mixtures"),
    ),
    *columns_of_topic(
        SURVIVAL,
        ("multiref_original_share", "number",
         "survival: share of the training sentences with sites in which more sites have survived as in UD "
         "than transformed, at the end of (c)'s last iteration; mean over seeds"),
        ("multiref_transformed_share", "number", "the same for the alternative"),
        ("multiref_share_sd", "number", "standard deviation of `multiref_original_share` over the seeds"),
        ("multiref_site_original_share", "number", "share of all *sites* that survived as in UD"),
    ),
    *columns_of_topic(UNTRAINED, *((name, "number", c.meaning) for c in MEASURES for name in c.columns)),
    *(
        Column(c.pick_column, "choice", c.picked, UNTRAINED if c.measure else SURVIVAL) for c in CRITERIA
    ),
    *columns_of_topic(
        "About the data",
        ("factors_cut", "count", "*factors* (groups of sites that decide the same heads) that were too large "
         "for `--max-options` and kept only their all-UD and all-transformed trees"),
        ("nonprojective_train", "count",
         "training sentences that are not projective. What happens to them: `--nonprojective`"),
        ("train_tokens", "count", "tokens of the training part"),
    ),
    Column("las_decision", "text", AS_FOR_UAS, LABELLED, labelled=True),
    *(column for ground in Ground.of(Score.LAS) for column in _of(Score.LAS, ground)),
    *columns_of_topic(
        LABELLED,
        ("las_back_ceiling", "number", AS_FOR_UAS),
        ("closest_las_multiref", "number", AS_FOR_UAS),
        labelled=True,
    ),
    *columns_of_topic(
        AGAINST,
        ("against", "text", "the scheme of (a), or its treebank"),
        ("back_ceiling_original", "number", "as `back_ceiling`, of the gold trees of (a)"),
        against=True,
    ),
    Column("las_back_ceiling_original", "number", AS_FOR_UAS, AGAINST, True, True),
    Column("judge", "text", "the parser that was trained and tested", JUDGED, judged=True),
    *columns_of_topic(
        BEYOND,
        ("test_sentences", "detail", "sentences of the test part"),
        ("sentences_needed", "detail",
         "test sentences that would show half a point of difference in 80 % of the cases"),
        ("error_split", "detail",
         "UAS of (a) and (b) on the tokens of the sites, on the rest of their nuclei, and elsewhere"),
        ("relations", "detail", "the same per relation of gold UD"),
    ),
    *columns_of_topic(
        BEYOND,
        ("las_sentences_needed", "detail", AS_FOR_UAS),
        ("las_error_split", "detail", AS_FOR_UAS),
        ("las_relations", "detail", AS_FOR_UAS),
        labelled=True,
    ),
    *columns_of_topic(
        BEYOND,
        ("sentences_unmixed", "detail",
         "only with `--against`: training sentences in which the two schemes differ and [cannot be "
         "mixed](howto/against.md#sentences-that-cannot-be-mixed)"),
        ("changes", "detail",
         "only where trees are given (`--alternative`, or a scheme that is a command): by kind of change the "
         "tokens of the training part that have another "
         "head, and those of which only the relation differs"),
        against=True,
    ),
)  # fmt: skip
"""The columns of results.csv in their order, then the details."""


def columns(
    *, labelled: bool = False, against: bool = False, judged: bool = False, details: bool = False
) -> tuple[Column, ...]:
    """The columns of results.csv of a run, and the details on request."""
    kept = (c for c in TABLE if c.labelled <= labelled and c.against <= against and c.judged <= judged)
    return tuple(c for c in kept if details or c.kind != "detail")


def columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of results.csv for these rows: some follow that only some runs have."""
    always, every = columns(), columns(labelled=True, against=True, judged=True)
    return tuple(c for c in every if c in always or any(c.name in row for row in rows))


class Row(dict[str, Any]):
    """A condition: its values by column and detail in the order of :data:`TABLE`, None where not computed."""

    @property
    def name(self) -> str:
        """The transformation with its variant, as on the command line."""
        return f"{self['transform']}:{self['variant']}" if self["variant"] else str(self["transform"])

    @property
    def judge(self) -> str:
        """The parser that was trained, as `--judge` spells it; empty in a run that was given none."""
        return str(self.get("judge") or "")

    @property
    def title(self) -> str:
        """The name, with the judge where there are several: `case by udpipe`."""
        return f"{self.name} by {self.judge}" if self.judge else self.name

    @property
    def original(self) -> str:
        """What setting (a) was trained on: UD, or the scheme of `--against`."""
        return str(self.get("against") or "UD")

    @property
    def is_given(self) -> bool:
        """Whether an annotation is given, not made by rules, as far as the row tells."""
        return self.get("changes") is not None or (
            self.get("uas_delta") is not None and self.get("uas_back_delta") is None
        )

    @property
    def treebank_label(self) -> str:
        """The treebank with its release, where it has one."""
        return label_of(self["treebank"], self["release"])

    def difference(self, score: str = Score.UAS, ground: Ground = Ground.OWN) -> Difference | None:
        """What was compared by this score on this ground; None where it was not computed."""
        values: dict[str, Any] = {
            name: self.get(ground.column(Score(score), column)) for name, column in _DIFFERENCE.items()
        }
        return None if values["delta"] is None else Difference(**values)

    def differences(self, score: str = Score.UAS) -> list[tuple[Ground, Difference]]:
        """What was compared by this score, by ground."""
        compared = ((ground, self.difference(score, ground)) for ground in Ground)
        return [(ground, difference) for ground, difference in compared if difference is not None]


_DIFFERENCE = {field.name: _TESTED.get(field.name, field.name) for field in fields(Difference)}


def results_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as results.csv."""
    return csv_bytes(columns_of(rows), rows)
