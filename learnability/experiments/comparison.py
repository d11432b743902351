"""What finished runs say together: the tables of the 2018 paper, and what stands beside them.

A *condition* is one row of a results.csv that has a UAS difference. All figures come from results.csv, except
the scores of single seeds, which come from records.jsonl.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from learnability.errors import InputError
from learnability.experiments.columns import Row
from learnability.experiments.criteria import CRITERIA, Criterion
from learnability.experiments.stored_runs import StoredCondition, StoredRun
from learnability.metrics import holm

COMMITTED = 0.7
"""A condition is committed if one scheme survives in more than this share of its sentences."""

SIGN = {"original": 1, "transformed": -1, "none": 0}
"""A winner as a number."""

PAPER_TABLE_2 = {
    "case": (44.7, 38),
    "mark": (58.3, 36),
    "det": (80.5, 36),
    "cc": (89.4, 38),
    "mwe": (50.0, 18),
    "name": (45.8, 24),
    "cop": (25.0, 32),
}
"""Wisniewski, Lacroix & Yvon 2018, Table 2: percent UD wins; the number of languages is inferred from it."""

TOTAL = "total"
"""The row of Table 2 over all transformations."""

PAPER_TABLE_3 = {
    "multiref": 76.3,
    "predictability": 64.8,
    "complexity": 62.6,
    "always_ud": 58.1,
}
"""Their Table 3 in percent; always UD follows from their 129 conditions of 222."""

PAPER = {
    "conditions": 222,
    "ud_wins": 129,
    "alternative_wins": 93,
    "mean_difference": 0.66,
    "largest_difference": 8.1,
    "committed": 74.7,
}
"""What else they report."""


@dataclass(frozen=True)
class Evidence:
    """What finished runs say together.

    Attributes:
        conditions: those with a winner or a tie, in the order of the runs; Holm over all of them.
        without_sites, not_computed: how many rows are not among them, and why.
        remarks: what a reader must know, one line each.
    """

    conditions: tuple[StoredCondition, ...]
    without_sites: int
    not_computed: int
    remarks: tuple[str, ...]

    def of(self, transform: str) -> list[StoredCondition]:
        """The conditions of one transformation."""
        return [c for c in self.conditions if c.transform == transform]

    @property
    def transforms(self) -> list[str]:
        """The transformations in order of first appearance."""
        return list(dict.fromkeys(c.transform for c in self.conditions))


def gather(runs: Sequence[StoredRun]) -> Evidence:
    """Put the conditions of several runs together.

    Raises:
        InputError: a condition is in two runs or not compared with UD, or there is nothing to compare.
    """
    seen: dict[tuple[str, str], Path] = {}
    for condition in (c for run in runs for c in run.conditions):
        if condition.row.get("against"):
            raise InputError(
                f"{condition.folder}: was run with --against {condition.row.original}; "
                "only comparisons with UD can be put together"
            )
        key = (condition.treebank, condition.transform)
        if key in seen:
            where = f"is in {seen[key]} and in {condition.folder}; compare only one of them"
            if seen[key] == condition.folder and len(runs) == len({run.folder for run in runs}):
                where = f"is in {condition.folder} twice, as a transformation and as a scheme; run only one"
            raise InputError(f"{condition.treebank} {condition.transform}: {where}")
        seen[key] = condition.folder
    rows = [c for run in runs for c in run.conditions]
    scored = [c for c in rows if c.row["uas_delta"] is not None]
    if not scored:
        raise InputError("no condition has a UAS difference; nothing to compare")
    corrected = holm([c.row["p_value"] for c in scored])
    return Evidence(
        conditions=tuple(
            replace(c, row=Row(c.row, p_holm=p)) for c, p in zip(scored, corrected, strict=True)
        ),
        without_sites=sum(c.row["sites"] == 0 for c in rows),
        not_computed=sum(c.row["sites"] != 0 and c.row["uas_delta"] is None for c in rows),
        remarks=tuple(_remarks(runs)),
    )


def _remarks(runs: Sequence[StoredRun]) -> list[str]:
    """Settings in which the runs differ, treebanks whose splits were made up, and versions."""
    remarks = []
    for name in ("oracle", "system", "iterations", "labels", "seeds", "tags", "nonprojective", "max_options"):
        given = [run.config["options"].get(name) for run in runs]
        unset = "unlabelled" if name == "labels" else "auto"
        values = list(dict.fromkeys(unset if value is None else str(value) for value in given))
        if len(values) > 1:
            remarks.append(f"the runs differ in {name}: {', '.join(values)}")
    versions = {str(sorted(run.config["versions"].items())) for run in runs}
    if len(versions) > 1:
        remarks.append("the runs were made with different versions (see their config.json)")
    made_up = [t["label"] for run in runs for t in run.config["treebanks"] if t["split_policy"]]
    if made_up:
        remarks.append(f"splits were made up for {len(made_up)} treebanks: {', '.join(made_up)}")
    return remarks


@dataclass(frozen=True)
class Wins:
    """One row of Table 2.

    Attributes:
        transform: the transformation, or `all`.
        conditions, ud_wins, ties: counts; the share of UD's wins is in percent of the conditions.
        mean_delta: mean UAS difference.
        ud_better, alternative_better: conditions whose 95 % interval excludes 0.
        after_holm: conditions with a Holm-corrected p below 0.05.
        paper_percent, paper_conditions: what the paper reports.
    """

    transform: str
    conditions: int
    ud_wins: int
    ties: int
    ud_percent: float
    mean_delta: float
    ud_better: int
    alternative_better: int
    after_holm: int
    paper_percent: float | None
    paper_conditions: int | None


def table_2(evidence: Evidence) -> list[Wins]:
    """How often UD wins, per transformation and altogether."""
    groups = [(name, evidence.of(name)) for name in evidence.transforms]
    groups.append((TOTAL, list(evidence.conditions)))
    return [_wins(name, conditions) for name, conditions in groups]


def _wins(name: str, conditions: Sequence[StoredCondition]) -> Wins:
    winners = Counter(c.row["winner"] for c in conditions)
    better = Counter(c.row["better"] for c in conditions)
    paper: tuple[float | None, int | None] = PAPER_TABLE_2.get(name, (None, None))
    if name == TOTAL:
        paper = (100.0 * PAPER["ud_wins"] / PAPER["conditions"], int(PAPER["conditions"]))
    return Wins(
        transform=name,
        conditions=len(conditions),
        ud_wins=winners["original"],
        ties=winners["none"],
        ud_percent=100.0 * winners["original"] / len(conditions),
        mean_delta=statistics.fmean(c.row["uas_delta"] for c in conditions),
        ud_better=better["original"],
        alternative_better=better["transformed"],
        after_holm=sum(c.row["p_holm"] < 0.05 for c in conditions),
        paper_percent=paper[0],
        paper_conditions=paper[1],
    )


@dataclass(frozen=True)
class Agreement:
    """One row of Table 3: how often a criterion names the winner.

    Attributes:
        criterion: `multiref`, ..., `always_ud`, `majority` (of the other languages, per transformation), or
            `noise_ceiling` (one seed names the winner of another).
        conditions: those with a winner (not a tie) for which the criterion was computed.
        percent: how often it names the winner; None without conditions.
        undecided: conditions where it picks none: they count as wrong.
        significant_conditions, significant_percent: the same where `better` is not none.
        paper_percent: what the paper reports.
    """

    criterion: str
    conditions: int
    percent: float | None
    undecided: int
    significant_conditions: int
    significant_percent: float | None
    paper_percent: float | None = None


def table_3(evidence: Evidence) -> list[Agreement]:
    """How often each criterion, the two trivial ones among them, names the winner; and the noise ceiling."""
    rows = [c.row for c in evidence.conditions]
    picks = {criterion.key: [row[criterion.pick_column] for row in rows] for criterion in CRITERIA}
    picks["always_ud"] = ["original"] * len(rows)
    picks["majority"] = list(leave_one_out_majority(evidence).values())
    return [*(_agreement(name, own, rows) for name, own in picks.items()), noise_ceiling(evidence)]


def _agreement(name: str, picks: Sequence[str | None], rows: Sequence[Row]) -> Agreement:
    picked = [(row, pick) for row, pick in zip(rows, picks, strict=True) if row["winner"] != "none" and pick]
    right = [pick == row["winner"] for row, pick in picked]
    clear = [pick == row["winner"] for row, pick in picked if row["better"] != "none"]
    return Agreement(
        criterion=name,
        conditions=len(right),
        percent=_percent(right),
        undecided=sum(pick == "none" for _, pick in picked),
        significant_conditions=len(clear),
        significant_percent=_percent(clear),
        paper_percent=PAPER_TABLE_3.get(name),
    )


def _percent(values: Sequence[float]) -> float | None:
    return 100.0 * statistics.fmean(values) if values else None


def leave_one_out_majority(evidence: Evidence) -> dict[tuple[str, str], str]:
    """Per condition, who wins the same transformation in most of the other languages; none if even.

    A language has one vote, that of most of its treebanks: treebanks of one language, and releases of one
    treebank, are not independent, so the condition's own language is left out as a whole.
    """
    found = {}
    for c in evidence.conditions:
        lead: Counter[str] = Counter()
        for other in evidence.of(c.transform):
            lead[other.language] += SIGN[other.row["winner"]]
        votes = [(n > 0) - (n < 0) for language, n in lead.items() if language != c.language]
        ahead = sum(votes)
        found[c.treebank, c.transform] = "original" if ahead > 0 else "transformed" if ahead < 0 else "none"
    return found


def noise_ceiling(evidence: Evidence) -> Agreement:
    """How often two independent seeds name the same winner: mean over conditions of the share of seed pairs.

    That is what training again reaches, not a strict bound: if one seed names the true winner with
    probability q, two seeds agree with probability q² + (1 - q)², a perfect criterion agrees with one of them
    with probability q. Without a second seed there is no ceiling.
    """
    found = [(c, _agreeing_pairs(c.seed_deltas)) for c in evidence.conditions if len(c.seed_deltas) > 1]
    clear = [share for c, share in found if c.row["better"] != "none"]
    return Agreement(
        criterion="noise_ceiling",
        conditions=len(found),
        percent=_percent([share for _, share in found]),
        undecided=0,
        significant_conditions=len(clear),
        significant_percent=_percent(clear),
    )


def _agreeing_pairs(deltas: Sequence[float]) -> float:
    signs = [(delta > 0) - (delta < 0) for delta in deltas]
    return statistics.fmean(a == b for a, b in combinations(signs, 2))


@dataclass(frozen=True)
class Correlation:
    """How a measure's difference goes with the UAS difference.

    Attributes:
        criterion: the measure; its difference is taken so that a positive one favours UD.
        conditions: how many have both.
        pearson, spearman: coefficients; None where undefined.
    """

    criterion: str
    conditions: int
    pearson: float | None
    spearman: float | None


def correlations(evidence: Evidence) -> list[Correlation]:
    """The correlation of each measure's difference with the UAS difference over the conditions."""
    from scipy import stats

    def correlation(criterion: Criterion) -> Correlation:
        names = (*criterion.columns, "uas_delta")
        values = [tuple(c.row[name] for name in names) for c in evidence.conditions]
        known = [(criterion.favour(a, b), delta) for a, b, delta in values if None not in (a, b)]
        x, y = ([float(pair[i]) for pair in known] for i in (0, 1))
        if len(set(x)) < 2 or len(set(y)) < 2:
            return Correlation(criterion.key, len(x), None, None)
        pearson, spearman = (float(test(x, y)[0]) for test in (stats.pearsonr, stats.spearmanr))
        return Correlation(criterion.key, len(x), pearson, spearman)

    return [correlation(criterion) for criterion in CRITERIA]


@dataclass(frozen=True)
class Commitment:
    """Whether multi-reference training commits itself to one scheme.

    Attributes:
        conditions: with setting (c).
        percent: conditions where one scheme survives in more than 70 % of the training sentences with sites.
        percent_of_all_sentences: the same, of all training sentences, with or without sites.
        sentences: training sentences with sites (as trained on), over all conditions.
        sentence_percent: of these, those in which the scheme survives that survives most in their condition.
        paper_percent: the paper's share of conditions.
    """

    conditions: int
    percent: float | None
    percent_of_all_sentences: float | None
    sentences: int
    sentence_percent: float | None
    paper_percent: float = PAPER["committed"]


def commitment(evidence: Evidence) -> Commitment:
    """How far multi-reference training commits itself (the 70 % figure of the paper)."""
    conditions = [c for c in evidence.conditions if c.row["multiref_original_share"] is not None]
    rows = [c.row for c in conditions]
    most = [max(r["multiref_original_share"], r["multiref_transformed_share"]) for r in rows]
    with_sites = [c.sentences_with_sites for c in conditions]
    of_all = [m * n / r["sentences"] for m, n, r in zip(most, with_sites, rows, strict=True)]
    total = sum(with_sites)
    return Commitment(
        conditions=len(rows),
        percent=_percent([share > COMMITTED for share in most]),
        percent_of_all_sentences=_percent([share > COMMITTED for share in of_all]),
        sentences=round(total),
        sentence_percent=100.0 * sum(m * n for m, n in zip(most, with_sites, strict=True)) / total
        if total
        else None,
    )


@dataclass(frozen=True)
class Differences:
    """The UAS differences (UD minus alternative, in points) of all conditions.

    `largest` is the one furthest from 0, `largest_condition` where it is found.
    """

    conditions: int
    mean: float
    mean_absolute: float
    largest: float
    largest_condition: str
    ud_wins: int
    alternative_wins: int
    ties: int


def differences(evidence: Evidence) -> Differences:
    """Mean and largest difference."""
    values = [c.row["uas_delta"] for c in evidence.conditions]
    top = max(evidence.conditions, key=lambda c: abs(c.row["uas_delta"]))
    wins = Counter(c.row["winner"] for c in evidence.conditions)
    return Differences(
        conditions=len(values),
        mean=statistics.fmean(values),
        mean_absolute=statistics.fmean(map(abs, values)),
        largest=top.row["uas_delta"],
        largest_condition=f"{top.treebank} {top.transform}",
        ud_wins=wins["original"],
        alternative_wins=wins["transformed"],
        ties=wins["none"],
    )
