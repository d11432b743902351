"""The columns of results.csv: one table, :data:`TABLE`, which everything else follows.

From it come the header and the bytes of the file, its reader, the dtypes of frames, the rows as values
(:class:`Row`, :class:`ComparedScore`) and the explanation in docs/numbers.md
(`python docs/scripts/column_reference.py`).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from learnability.experiments.criteria import CRITERIA, MEASURES
from learnability.experiments.plan import label_of
from learnability.metrics.scores import Score

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
        labelled, against: only in labelled runs, only in those with `--against`.
    """

    name: str
    kind: Kind = "number"
    meaning: str = ""
    topic: str = ""
    labelled: bool = False
    against: bool = False

    def text(self, value: Any) -> str:
        """A value as it stands in the file: four decimals, p values six; minus zero has no sign."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if self.kind == "text" or not isinstance(value, float):
            return str(value)
        text = f"{value:.{6 if self.name.endswith(('p_value', 'p_holm')) else 4}f}"
        return text.lstrip("-") if float(text) == 0 else text

    def value(self, text: str) -> Any:
        """What stands in the file as a value; None where it is empty. ValueError if it is not a number."""
        if self.kind in ("text", "choice"):
            return text or ("" if self.kind == "text" else None)
        return (int(text) if self.kind == "count" else float(text)) if text else None


def csv_bytes(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([column.text(row[column.name]) for column in columns] for row in rows)
    return out.getvalue().encode()


DIFFERENCE, GROUND, SURVIVAL = "The difference", "On common ground", "Which annotation survives"
UNTRAINED, LABELLED, AGAINST = "What needs no parser", "Labelled runs", "Runs against another scheme"
BEYOND = "The table in the terminal"

INTERVAL = "the 95 % interval of the difference: paired bootstrap over the test sentences"
WINNER = "the side with the higher UAS: `original` (UD), `transformed`, or `none`"
BETTER = "the winner if the interval excludes 0, else `none`: no difference found"
CONVERTED = "UAS against UD's test trees of the parses of (b), converted back to UD"
CEILING = "the same, for the *gold* transformed test trees: what the conversion can reach at most"
INVERSE = "the same, and the sites are given: what the inverse rules lose by themselves"
NUCLEUS = "*nucleus* UAS of (a) and (b): share of the nuclei that hang on the right nucleus"
CLOSEST = "closest-reference UAS: each parse against that mixture of both annotations to which it is closest"
NEEDED = "test sentences that would show half a point of difference in 80 % of the cases"
SPLIT = "UAS of (a) and (b) on the tokens of the sites, on the rest of their nuclei, and elsewhere"


def _scored(name: str, meaning: str, topic: str = DIFFERENCE, kind: Kind = "number") -> Any:
    """A field of :class:`ComparedScore`; its metadata: the column of each score, or of UAS alone.

    In the names of both stand `{score}`, or `{las}` for what only names of LAS begin with.
    """

    def column(score: Score) -> Column:
        labelled = score is Score.LAS
        own = name.format(score=score.value, las="las_" if labelled else "")
        said = "as for UAS, arcs counted with their labels" if labelled else meaning
        place = LABELLED if labelled and topic in (DIFFERENCE, GROUND) else topic
        return Column(own, kind, said, place, labelled, against=topic == AGAINST)

    scores = tuple(Score) if "{" in name else (Score.UAS,)
    return field(default=None, metadata={score: column(score) for score in scores})


@dataclass(frozen=True)
class ComparedScore:
    """UAS or LAS of a condition, percent: a value for each of its columns, and the details.

    `original` is of setting (a), `transformed` of (b), `multiref` of (c). What was not computed is None.
    """

    original: float = _scored("{score}_original", "*UAS* of (a) against UD's test trees")
    transformed: float = _scored("{score}_transformed", "UAS of (b) against the transformed test trees")
    delta: float = _scored(
        "{score}_delta", "`uas_original` − `uas_transformed`, in points. **Positive: UD is easier**"
    )
    low: float = _scored("{score}_delta_low", INTERVAL)
    high: float = _scored("{score}_delta_high", INTERVAL)
    p_value: float = _scored("{las}p_value", "two-sided paired permutation test over the test sentences")
    p_holm: float = _scored("{las}p_holm", "`p_value` after Holm's correction for all conditions of the run")
    winner: str = _scored("{las}winner", WINNER, kind="choice")
    better: str = _scored("{las}better", BETTER, kind="choice")
    back_transformed: float | None = _scored("{score}_back_transformed", CONVERTED, GROUND)
    back_ceiling: float | None = _scored("{las}back_ceiling", CEILING, GROUND)
    back_ceiling_gold_sites: float | None = _scored("back_ceiling_gold_sites", INVERSE, GROUND)
    nucleus_original: float | None = _scored("nucleus_uas_original", NUCLEUS, GROUND)
    nucleus_transformed: float | None = _scored("nucleus_uas_transformed", NUCLEUS, GROUND)
    closest_original: float | None = _scored("closest_{score}_original", CLOSEST, GROUND)
    closest_transformed: float | None = _scored("closest_{score}_transformed", CLOSEST, GROUND)
    closest_multiref: float | None = _scored("closest_{score}_multiref", CLOSEST, GROUND)
    back_original: float | None = _scored(
        "{score}_back_original", "as `uas_back_transformed`, of the parses of (a)", AGAINST
    )
    back_ceiling_original: float | None = _scored(
        "{las}back_ceiling_original", "as `back_ceiling`, of the gold trees of (a)", AGAINST
    )
    sentences_needed: int | None = _scored("{las}sentences_needed", NEEDED, BEYOND, "detail")
    error_split: Mapping[str, Any] | None = _scored("{las}error_split", SPLIT, BEYOND, "detail")
    relations: Mapping[str, Any] | None = _scored(
        "{las}relations", "the same per relation of gold UD", BEYOND, "detail"
    )


SCORE_COLUMNS = {
    score: {f.name: f.metadata[score] for f in fields(ComparedScore) if score in f.metadata}
    for score in Score
}
"""The columns of each score, by the attribute of :class:`ComparedScore`."""


def _of(score: Score, *, against: bool = False, details: bool = False) -> list[Column]:
    own = SCORE_COLUMNS[score].values()
    return [column for column in own if (column.against, column.kind == "detail") == (against, details)]


def _explained(topic: str, *columns: tuple[str, Kind, str], against: bool = False) -> list[Column]:
    return [Column(name, kind, meaning, topic, against=against) for name, kind, meaning in columns]


TABLE: tuple[Column, ...] = (
    *_explained(
        "What was compared",
        ("treebank", "text", "name of the treebank"),
        ("release", "text", "its UD release, empty if it is not known"),
        ("transform", "text", "name of the transformation or scheme"),
        ("variant", "text", "its options, where they are not the defaults: `reattach=clause`"),
        ("sites", "count", "places in the training part where the transformation can be applied"),
        ("sentences", "count", "sentences of the training part"),
        ("sentences_changed", "count", "of these, the sentences that change if all sites are transformed"),
        ("tokens_changed", "count", "tokens of the training part that then have another head"),
        ("test_sites", "count", "sites in the test part"),
        ("seeds", "count", "number of trainings per setting; all scores are means over them"),
        ("iterations", "number", "how many times (a) went through the training part, mean over seeds"),
    ),
    *_of(Score.UAS),
    *_explained(
        SURVIVAL,
        ("multiref_original_share", "number",
         "survival: share of the training sentences with sites in which more sites have survived as in UD "
         "than transformed, at the end of (c)'s last iteration; mean over seeds"),
        ("multiref_transformed_share", "number", "the same for the alternative"),
        ("multiref_share_sd", "number", "standard deviation of `multiref_original_share` over the seeds"),
        ("multiref_site_original_share", "number", "share of all *sites* that survived as in UD"),
    ),
    *_explained(UNTRAINED, *((name, "number", c.meaning) for c in MEASURES for name in c.columns)),
    *(
        Column(c.pick_column, "choice", c.picked, UNTRAINED if c.measure else SURVIVAL) for c in CRITERIA
    ),
    *_explained(
        "About the data",
        ("factors_cut", "count", "*factors* (groups of sites that decide the same heads) that were too large "
         "for `--max-options` and kept only their all-UD and all-transformed trees"),
        ("nonprojective_train", "count",
         "training sentences that are not projective. What happens to them: `--nonprojective`"),
        ("train_tokens", "count", "tokens of the training part"),
    ),
    *_of(Score.LAS),
    *_explained(AGAINST, ("against", "text", "the scheme of (a)"), against=True),
    *_of(Score.UAS, against=True),
    *_of(Score.LAS, against=True),
    *_explained(BEYOND, ("test_sentences", "detail", "sentences of the test part")),
    *_of(Score.UAS, details=True),
    *_of(Score.LAS, details=True),
    *_explained(
        BEYOND,
        ("sentences_unmixed", "detail",
         "only with `--against`: training sentences in which the two schemes differ and [cannot be "
         "mixed](howto/against.md#sentences-that-cannot-be-mixed)"),
        against=True,
    ),
)  # fmt: skip
"""The columns of results.csv in their order, then the details."""


def columns(*, labelled: bool = False, against: bool = False, details: bool = False) -> tuple[Column, ...]:
    """The columns of results.csv of a run, and the details on request."""
    kept = (c for c in TABLE if c.labelled <= labelled and c.against <= against)
    return tuple(c for c in kept if details or c.kind != "detail")


def columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of results.csv for these rows: some follow that only labelled runs or `--against` have."""
    every = columns(labelled=True, against=True)
    return tuple(c for c in every if not (c.labelled or c.against) or any(c.name in row for row in rows))


class Row(dict[str, Any]):
    """A condition: its values by column and detail in the order of :data:`TABLE`, None where not computed."""

    @property
    def name(self) -> str:
        """The transformation with its variant, as on the command line."""
        return f"{self['transform']}:{self['variant']}" if self["variant"] else str(self["transform"])

    @property
    def original(self) -> str:
        """What setting (a) was trained on: UD, or the scheme of `--against`."""
        return str(self.get("against") or "UD")

    @property
    def treebank_label(self) -> str:
        """The treebank with its release, where it has one."""
        return label_of(self["treebank"], self["release"])

    def score(self, score: str) -> ComparedScore | None:
        """What was computed by this score; None where there is no difference of (a) and (b)."""
        columns = SCORE_COLUMNS[Score(score)]
        values: dict[str, Any] = {name: self.get(column.name) for name, column in columns.items()}
        return None if values["delta"] is None else ComparedScore(**values)


def results_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as results.csv."""
    return csv_bytes(columns_of(rows), rows)
