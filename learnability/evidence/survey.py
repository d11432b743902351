"""Combine finished runs: a mean over treebanks for each construction, and an answer.

A *condition* is a treebank with a construction: one row of a run. The differences of a construction on all
its treebanks get a random-effects mean for each score and comparison (`meta_analysis`). The means form
another row, and `answers` gives its answer by the rules for the row of one treebank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.evidence.answers import TOO_FEW_EXAMPLES, TREEBANKS_DISAGREE, own_side
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.estimates import Estimates, estimates
from learnability.evidence.panel import Panel, criteria_agreement, judge_agreement, panels
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows
from learnability.evidence.stored_runs import StoredCondition, StoredRun
from learnability.metrics.scores import Score, scores_of
from learnability.statistics.meta_analysis import RandomEffects, p_of_groups, random_effects
from learnability.statistics.significance import Side
from learnability.support.options import shared
from learnability.treebanks.families import UNKNOWN


@dataclass(frozen=True)
class Construction:
    """Represent a transformation or scheme over all treebanks in which it was tested.

    Attributes:
        row: its differences are means over treebanks, with its answers. `p_holm` is corrected for the
            constructions with several treebanks; with one treebank it is that of the treebank.
        means: by score and comparison; with one treebank, the difference there.
        conditions: those that were tested, in the order of the runs.
        untested: those that were not, for lack of data or because they failed.
    """

    row: ComparisonRow
    means: Mapping[tuple[Score, ComparisonKind], RandomEffects]
    conditions: tuple[StoredCondition, ...]
    untested: tuple[StoredCondition, ...] = ()

    @property
    def without_data(self) -> int:
        """The number of conditions without enough data."""
        return sum(c.row.answer() == TOO_FEW_EXAMPLES for c in self.untested)

    @property
    def not_computed(self) -> int:
        """The number of conditions that were not computed, or failed."""
        return len(self.untested) - self.without_data

    def scores(self) -> list[Score]:
        """Return the scores that it was tested by; UAS if there are none."""
        return [score for score in Score if (score, ComparisonKind.ANNOTATION) in self.means] or [Score.UAS]

    def answer(self, score: Score) -> str:
        """Return the answer that the means by this score give; empty if nothing was computed."""
        return self.row.answer(score)

    def tested(self, score: Score) -> list[tuple[StoredCondition, Difference]]:
        """Return the conditions with their differences on their own annotation by this score."""
        compared = ((c, c.row.difference(score)) for c in self.conditions)
        return [(c, difference) for c, difference in compared if difference is not None]

    def sides(self, score: Score) -> Counter[str | None]:
        """Return how many treebanks, taken alone, show which side (see `answers.own_side`)."""
        return Counter(own_side(c.row, score) for c, _ in self.tested(score))

    def ahead(self, side: str, score: Score) -> list[str]:
        """Return the treebanks in which this side is ahead."""
        return [c.treebank for c, _ in self.tested(score) if own_side(c.row, score) == side]

    def families(self, score: Score) -> tuple[dict[str, RandomEffects], float | None]:
        """Return the mean of each family of languages, the largest first, and p of their differences.

        p is over the known families, and None where it cannot be computed.
        """
        tested = self.tested(score)
        counts = Counter(c.family for c, _ in tested)
        names = sorted(counts, key=lambda name: (name == UNKNOWN, -counts[name], name))
        means = {name: _mean([d for c, d in tested if c.family == name]) for name in names}
        known = [(d.delta, d.error or 0.0, c.family) for c, d in tested if c.family != UNKNOWN]
        p_value = p_of_groups(*map(list, zip(*known, strict=True))) if known else None
        return means, p_value


@dataclass(frozen=True)
class ChangedAnswer:
    """Represent an answer for a treebank that differs from that of its run: it allows for more
    comparisons."""

    treebank: str
    construction: str
    score: str
    before: str
    after: str
    comparisons: int


@dataclass(frozen=True)
class Evidence:
    """Hold what finished runs show together.

    Attributes:
        constructions: in order of first appearance.
        conditions: those that were tested, in the order of the runs; `p_holm` is corrected for those of a
            treebank.
        changed: answers for single treebanks that differ from those of their runs.
        remarks: what a reader must know, one line each.
        of_runs: what the parsers of each run show together, with the means of their differences.
    """

    constructions: tuple[Construction, ...]
    conditions: tuple[StoredCondition, ...]
    changed: tuple[ChangedAnswer, ...]
    remarks: tuple[str, ...]
    of_runs: tuple[Panel, ...] = ()

    def of(self, transform: str) -> list[StoredCondition]:
        """Return the conditions of one construction."""
        return [c for c in self.conditions if c.construction == transform]

    @property
    def original(self) -> str:
        """Return the annotation that all are compared with."""
        return self.conditions[0].row.original

    @property
    def transforms(self) -> list[str]:
        """Return the transformations that were tested anywhere, in order of first appearance."""
        return [c.row.title for c in self.constructions if c.conditions]

    @cached_property
    def estimates(self) -> Estimates:
        """Return what the other treebanks add to each difference."""
        measured = []
        for construction in self.constructions:
            for score in Score:
                by_treebank = [(known.treebank, found) for known, found in construction.tested(score)]
                measured.append((construction.row.title, score, by_treebank))
        return estimates(measured)

    def panels(self) -> list[Panel]:
        """Return what all parsers show for each condition, in order of appearance; empty for one parser.

        The mean of parsers that one run compared has the interval of that run.
        """
        if len({c.row.parser for c in self.conditions}) < 2:
            return []
        found = panels([c.row for c in self.conditions])
        return [replace(panel, mean=panel.mean_of_run(self.of_runs)) for panel in found]

    def agreement(self) -> list[dict[str, Any]]:
        """Return a row per score and pair of parsers, and per indicator, with their agreement."""
        all_panels, rows = self.panels(), []
        for score in Score:
            by_score = [panel for panel in all_panels if panel.score is score]
            for agreement in (*judge_agreement(by_score), *criteria_agreement(by_score)):
                rows.append({"score": str(score), **asdict(agreement)})
        return rows

    @property
    def without_data(self) -> int:
        """Return the number of conditions without enough data."""
        return sum(c.without_data for c in self.constructions)

    @property
    def not_computed(self) -> int:
        """Return the number of conditions that were not computed, or failed."""
        return sum(c.not_computed for c in self.constructions)

    def scored(self) -> list[tuple[str, Construction, Score]]:
        """Return the constructions with each score that they were tested by; labelled runs name the score."""
        labelled = any(Score.LAS in c.scores() for c in self.constructions)
        return [
            (f"{c.row.title} {score.upper()}" if labelled else c.row.title, c, score)
            for c in self.constructions
            for score in c.scores()
        ]

    def means(self) -> list[dict[str, Any]]:
        """Return a row per construction, score and comparison: the answer, the mean, how treebanks differ."""
        rows = []
        for c in self.constructions:
            for (score, comparison), mean in c.means.items():
                difference = c.row.differences[score, comparison]
                names = {
                    "construction": c.row.title,
                    "score": str(score),
                    "comparison": str(comparison),
                    "answer": c.answer(score),
                }
                corrected = {
                    name: getattr(difference, name)
                    for name in ("low", "high", "uncorrected_low", "uncorrected_high", "p_holm", "better")
                }
                rows.append({**names, **_values(mean), **corrected})
        return rows

    def families(self) -> list[dict[str, Any]]:
        """Return a row per construction, score and family of languages: its mean, and p of all families."""
        return [
            {
                "construction": c.row.title,
                "score": str(score),
                "family": name,
                **_values(mean),
                "p_families": p,
            }
            for _, c, score in self.scored()
            for means, p in [c.families(score)]
            for name, mean in means.items()
        ]


def gather(runs: Sequence[StoredRun], unfinished: Sequence[Path] = ()) -> Evidence:
    """Put the conditions of several runs together; `unfinished`: folders of runs that are left out.

    Raises:
        InputError: a condition is in two runs with other scores, they compare with different annotations, or
            there is nothing to compare.
    """
    copies = [condition for run in runs for condition in run.conditions]
    if _several_judges(copies):
        copies = [replace(c, row=replace(c.row, parser=c.parser)) for c in copies]
    conditions = _once_each(copies)
    tested = [c for c in conditions if c.row.tested]
    if not tested:
        raise InputError(
            "the runs have no construction with a tested UAS difference; compare runs that have one"
        )
    labelled = any(_is_labelled(c.row) for c in tested)
    corrected = {_key(c): c for c in _corrected(tested)}
    conditions = [corrected.get(_key(c), c) for c in conditions]
    order = {name: i for i, name in enumerate(dict.fromkeys(c.row.name for c in conditions))}
    in_order = sorted(conditions, key=lambda c: order[c.row.name])
    constructions = []
    for name in dict.fromkeys(c.construction for c in in_order):
        constructions.append(_construction([c for c in conditions if c.construction == name], labelled))
    for score in scores_of(labelled=labelled):
        constructions = _decided(constructions, score)
    return Evidence(
        tuple(constructions),
        tuple(corrected.values()),
        tuple(_changed(tested, [corrected[_key(c)] for c in tested])),
        tuple(_remarks(runs, unfinished)),
        tuple(panel for run in runs for panel in run.panels),
    )


def _changed(before: Sequence[StoredCondition], after: Sequence[StoredCondition]) -> Iterator[ChangedAnswer]:
    """Yield the answers that the correction for all conditions has changed."""
    for earlier, later in zip(before, after, strict=True):
        comparisons = sum(c.row.parser == later.row.parser and c.treebank == later.treebank for c in after)
        for score in later.row.scores:
            answers = earlier.row.answer(score), later.row.answer(score)
            if answers[0] != answers[1]:
                yield ChangedAnswer(later.treebank, later.construction, str(score), *answers, comparisons)


def _key(condition: StoredCondition) -> tuple[str, str]:
    return condition.treebank, condition.construction


def _once_each(conditions: Sequence[StoredCondition]) -> list[StoredCondition]:
    """Return the conditions of all runs, each once; see :func:`gather` for what is refused."""
    seen: dict[tuple[str, str], StoredCondition] = {}
    for condition in conditions:
        if condition.row.original != conditions[0].row.original:
            first, other = ((c.folder, c.row.original) for c in (conditions[0], condition))
            raise InputError(
                f"the run in {other[0]} compares with {other[1]}, that in {first[0]} with {first[1]}; "
                "compare runs that share this annotation"
            )
        known = seen.setdefault(_key(condition), condition)
        if condition.scores != known.scores:
            where = f"is in {known.folder} and in {condition.folder} with other scores"
            raise InputError(
                f"{condition.treebank} {condition.construction} {where}; compare only one of them"
            )
    return list(seen.values())


def _is_labelled(row: ComparisonRow) -> bool:
    """Return whether its LAS difference was tested."""
    difference = row.difference(Score.LAS)
    return difference is not None and difference.p_value is not None


def _corrected(tested: Sequence[StoredCondition]) -> list[StoredCondition]:
    """Return the conditions with p corrected over those of the same treebank, by LAS over labelled ones."""
    corrected: dict[tuple[str, str], ComparisonRow] = {}
    for treebank in dict.fromkeys(c.treebank for c in tested):
        conditions = [c for c in tested if c.treebank == treebank]
        rows = corrected_rows([c.row for c in conditions], [Score.UAS])
        by_las = iter(corrected_rows([row for row in rows if _is_labelled(row)], [Score.LAS]))
        rows = [next(by_las) if _is_labelled(row) else row for row in rows]
        corrected.update(zip(map(_key, conditions), rows, strict=True))
    return [replace(c, row=corrected[_key(c)]) for c in tested]


def _decided(constructions: Sequence[Construction], score: Score) -> list[Construction]:
    """Return the constructions with their answers by this score.

    The means over several treebanks are corrected for several tests. With one treebank, the answer is that of
    the treebank taken alone.
    """
    several = [c for c in constructions if len(c.tested(score)) != 1]
    corrected = iter(corrected_rows([c.row for c in several], [score]))
    decided = []
    for c in constructions:
        single = [condition.row for condition, _ in c.tested(score)]
        row = _as_in(single[0], c, score) if len(single) == 1 else next(corrected)
        if {Side.UD, Side.ALTERNATIVE} <= set(c.sides(score)):
            row = replace(row, answers={**row.answers, score: TREEBANKS_DISAGREE})
        decided.append(replace(c, row=row))
    return decided


def _as_in(single: ComparisonRow, construction: Construction, score: Score) -> ComparisonRow:
    """Return the row of a construction with what a single treebank shows by this score."""
    row = construction.row
    differences = dict(row.differences)
    for mean_score, comparison in construction.means:
        if mean_score is not score:
            continue
        shown = single.differences[score, comparison]
        mean = differences[score, comparison]
        differences[score, comparison] = replace(
            mean, p_holm=shown.p_holm, better=shown.better, low=shown.low, high=shown.high
        )
    answers = {**row.answers, score: single.answer(score)}
    return replace(row, differences=differences, answers=answers)


def _several_judges(conditions: Sequence[StoredCondition]) -> bool:
    """Return whether parsers are kept apart: some run names one, or a condition has several.

    Otherwise, runs with different systems and oracles are put together, with a remark. A run that names no
    parser has that of its system and oracle, also where another run names this very parser.
    """
    parsers: dict[tuple[str, str], set[str]] = {}
    for c in conditions:
        parsers.setdefault((c.treebank, c.row.name), set()).add(c.parser)
    named = {c.row.parser for c in conditions}
    return len(named) > 1 or any(len(several) > 1 for several in parsers.values())


def _construction(conditions: Sequence[StoredCondition], labelled: bool) -> Construction:
    """Return the conditions of a construction with their means, before correction for several tests."""
    tested = [c for c in conditions if c.row.tested]
    untested = tuple(c for c in conditions if not c.row.tested)
    first = conditions[0].row
    without_data = sum(c.row.answer() == TOO_FEW_EXAMPLES for c in untested)
    means, differences = {}, {}
    for score in Score:
        for comparison in ComparisonKind.of(score):
            compared = (c.row.difference(score, comparison) for c in tested)
            found = [difference for difference in compared if difference and difference.p_value is not None]
            if not found:
                continue
            means[score, comparison] = mean = _mean(found)
            differences[score, comparison] = Difference(
                **shared(Difference, mean),
                ud=None,
                alternative=None,
                delta=mean.mean,
                uncorrected_low=mean.low,
                uncorrected_high=mean.high,
            )
    row = ComparisonRow(
        treebank="",
        construction=first.construction,
        variant=first.variant,
        against=first.against,
        parser=first.parser,
        labelled=labelled,
        has_rules=first.has_rules,
        has_conversion_back=first.has_conversion_back,
        has_common_labels=first.has_common_labels,
        changed_columns=first.changed_columns,
        undefined=first.undefined,
        tags_follow_trees=first.tags_follow_trees,
        places=0 if without_data == len(conditions) else None,
        differences=differences,
    )
    return Construction(row, means, tuple(tested), untested)


def _values(mean: RandomEffects) -> dict[str, Any]:
    return {"treebanks": mean.treebanks, "mean": mean.mean, **asdict(mean)}


def _mean(differences: Sequence[Difference]) -> RandomEffects:
    """Return the random-effects mean; a single difference keeps its values."""
    errors = [difference.error or 0.0 for difference in differences]
    if len(differences) > 1:
        return random_effects([difference.delta for difference in differences], errors)
    (single,) = differences
    return RandomEffects(
        error=errors[0],
        degrees=single.degrees or 0.0,
        low=single.uncorrected_low or 0.0,
        high=single.uncorrected_high or 0.0,
        p_value=single.p_value or 0.0,
        p_equal=single.p_equal or 0.0,
        treebanks=1,
        mean=single.delta,
    )


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _remarks(runs: Sequence[StoredRun], unfinished: Sequence[Path]) -> list[str]:
    """Return remarks: runs left out, different settings, treebanks whose splits we cut, and versions."""
    several = _several_judges([c for run in runs for c in run.conditions])
    remarks = (
        [f"Left out, because unfinished: {', '.join(run.name for run in unfinished)}."] if unfinished else []
    )
    judge = () if several else ("judges",)
    for name in (*judge, "iterations", "labels", "seeds", "tags", "nonprojective", "max_options"):
        settings = [run.config["options"].get(name) for run in runs]
        unset = "unlabelled" if name == "labels" else "auto"
        values = list(dict.fromkeys(unset if value is None else _plain(value) for value in settings))
        if len(values) > 1:
            remarks.append(f"The runs differ in {name}: {', '.join(values)}.")
    versions: dict[str, set[str]] = {}
    for run in runs:
        for name, version in run.config["versions"].items():
            versions.setdefault(name, set()).add(version)
    if any(len(several_versions) > 1 for several_versions in versions.values()):
        remarks.append("The runs used different versions (see their config.json).")
    treebanks = (treebank for run in runs for treebank in run.config["treebanks"])
    cut = list(dict.fromkeys(treebank["label"] for treebank in treebanks if treebank.get("split_policy")))
    if cut:
        remarks.append(f"Not split as released: {', '.join(cut)}.")
    return remarks
