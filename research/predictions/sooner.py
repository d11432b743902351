"""How good are the predictions of `learnability run --quick`? Tables from runs, and the constants used.

    python research/predictions/sooner.py accuracy --runs DIR ... --short DIR ... [--of KIND]
    python research/predictions/sooner.py parsers --several DIR ... --short DIR ...
    python research/predictions/sooner.py constants --runs DIR ... --short DIR ... --several DIR ...

`--runs`: finished runs of three seeds, by `learnability run --test-set`; they define the truth. `--short`:
runs of the same treebanks and pairs by `learnability run --quick`.

`constants` prints prediction.json. `--several`: runs of several parsers (`run --parser`), including
`arc-eager`, which makes the short trainings.

A pair is *clear* if its p is below 0.05 after Holm's correction for the pairs of its treebank. Pairs of the
kind that the constants come from (the paper's seven transformations in UD 1.3) are predicted with constants
estimated without their language. Intervals are Wilson's, 95 %. Beside the calibration error stands its mean
by chance alone, with winners drawn with the predicted probabilities.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from learnability.comparing.cells import ShortCell
from learnability.comparing.short_trainings import ShortResult
from learnability.evidence.grouping import pair_records
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import read_run
from learnability.running.records import Record, Records, read_records
from learnability.statistics.holm import holm
from learnability.statistics.inference import Side
from learnability.statistics.prediction import Constants, OtherParser, in_other_languages
from learnability.studies.predict.predictions import (
    SEEDS,
    Prediction,
    predict_difference,
    trial_of,
)
from learnability.transforms.registry import PAPER
from learnability.treebanks.families import language_of
from research.predictions.elsewhere import error_of

SLOPES, DEVIATIONS = np.arange(0.3, 1.31, 0.02), np.arange(0.02, 4, 0.08)
THRESHOLDS = (0.8, 0.9, 0.95, 0.99)
KINDS = ("all", "singles", "combinations", "unseen", "1.3", "2.16")


@dataclass(frozen=True)
class MeasuredPair:
    """A pair of a treebank: the row of a run, and its short trainings.

    Attributes:
        treebank: its name.
        name: the alternative.
        row: the row of the run.
        clear: whether the difference is clear after Holm's correction.
        short: the results of the short trainings.
        seconds: seconds of the short trainings, with their part of those of UD, which serve all pairs.
        run_seconds: seconds of the pair's part of the run.
    """

    treebank: str
    name: str
    row: ComparisonRow
    clear: bool
    short: tuple[ShortResult, ...]
    seconds: float
    run_seconds: float

    @property
    def measured(self) -> Difference:
        """Return the difference in UAS that the run measured."""
        return difference_of(self.row)

    @property
    def language(self) -> str:
        """Return the language of the treebank."""
        return language_of(self.treebank)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds: known to the model, combination or unseen; its release; "all"."""
        kind = "singles" if self.name in PAPER else "unseen"
        if self.name.startswith("scheme:"):
            kind = "combinations"
        return kind, self.row.release, "all"

    def predict(self, constants: Constants) -> Prediction:
        """Return the prediction from the short trainings."""
        return predict_difference(self.short, constants=constants)


def difference_of(row: ComparisonRow) -> Difference:
    """Return the difference in UAS of a row, each parser tested on its own annotation."""
    difference = row.difference()
    assert difference is not None
    return difference


def short_results(folder: Path) -> Iterator[tuple[Record, ShortResult]]:
    """Yield the short trainings of a run, with their results."""
    for record in read_records(folder / "records.jsonl").values():
        if record.setting == ShortCell.SETTING and record.seed in SEEDS:
            pair = record.result_as(ShortResult)
            if pair is not None:
                yield record, pair


def cases(runs: Sequence[Path], short: Sequence[Path]) -> list[MeasuredPair]:
    """Return the pairs with a difference in a run and with short trainings."""
    trained: dict[tuple[str, str], list[tuple[Record, ShortResult]]] = {}
    took: dict[tuple[str, int], list[float]] = {}
    for folder in short:
        for record, result in short_results(folder):
            trained.setdefault((record.treebank, record.subject), []).append((record, result))
            each = took.setdefault((record.treebank, record.seed), [])
            each.append(record.wall_seconds - record.read_seconds)
    found = []
    for folder in runs:
        seconds = run_seconds(folder)
        run = read_run(folder)
        for treebank in dict.fromkeys(pair.treebank for pair in run.pairs):
            rows = [pair.row for pair in run.pairs if pair.treebank == treebank]
            p_values = [difference.p_value if (difference := row.difference()) else None for row in rows]
            for row, p in zip(rows, holm(p_values), strict=True):
                name = row.name if (treebank, row.name) in trained else f"scheme:{row.name}"
                records = trained.get((treebank, name), [])
                records.sort(key=lambda entry: entry[0].seed)
                results = tuple(result for _, result in records)
                cost = sum(fmean(took[treebank, record.seed]) for record, _ in records)
                if p is not None and difference_of(row).delta and predict_difference(results).known:
                    run_cost = seconds[treebank, name]
                    found.append(MeasuredPair(treebank, name, row, p < 0.05, results, cost, run_cost))
    return found


def run_seconds(folder: Path) -> dict[tuple[str, str], float]:
    """Return the seconds that a run took for each treebank and pair, without reading.

    The seconds of UD are divided among the pairs.
    """
    seconds: dict[tuple[str, str], float] = {}
    for record in read_records(folder / "records.jsonl").values():
        key = record.treebank, record.subject
        seconds[key] = seconds.get(key, 0.0) + record.wall_seconds - record.read_seconds
    counts = {t: sum(name != "" for treebank, name in seconds if treebank == t) for t, _ in seconds}
    return {(t, name): s + seconds.get((t, ""), 0.0) / counts[t] for (t, name), s in seconds.items() if name}


def estimated(known: Sequence[MeasuredPair]) -> Constants:
    """Estimate the constants from cases.

    Slope and deviation are their means under the likelihood of the measured differences, with a uniform prior
    over a grid.
    """
    shipped = Constants.load_shipped()
    trials = [list(map(trial_of, case.short)) for case in known]
    squares = [(a.difference - b.difference) ** 2 / (a.error**2 + b.error**2) for a, b in trials]
    spread = fmean(squares)
    predictions = [case.predict(shipped) for case in known]
    changed = np.array([prediction.changed for prediction in predictions])
    prior = in_other_languages("", "", 1.0).variance * changed
    measured = np.array([case.measured.delta for case in known])
    error = np.array([error_of(case.measured) for case in known])
    difference = np.array([fmean(trial.difference for trial in each) for each in trials])
    noise = np.array([spread * fmean(trial.error**2 for trial in each) / len(each) for each in trials])
    fit = np.zeros((len(SLOPES), len(DEVIATIONS)))
    for i, s in enumerate(SLOPES):
        for j, d in enumerate(DEVIATIONS):
            variance = s**2 * noise + d**2 * changed
            precision = 1 / prior + 1 / variance
            mean = s * difference / variance / precision
            total = 1 / precision + error**2
            fit[i, j] = -0.5 * (np.log(total) + (measured - mean) ** 2 / total).sum()
    weights = np.exp(fit - fit.max())
    weights /= weights.sum()
    as_large = [prediction.error / shipped.run_error for prediction in predictions]
    ratio = median(run_error / short_error for run_error, short_error in zip(error, as_large, strict=True))
    return Constants(
        slope=float(weights.sum(1) @ SLOPES),
        deviation=float(weights.sum(0) @ DEVIATIONS),
        spread=spread,
        run_error=ratio,
        other_parser=shipped.other_parser,
    )


FAST = "arc-eager"
"""The parser that makes the short trainings."""


@dataclass(frozen=True)
class RowOfParser:
    """A parser's row of a pair.

    Attributes:
        row: the row.
        by_sentence: per test sentence, its right tokens in UD minus those in the alternative, mean over
            seeds, in points of the whole test set.
    """

    row: ComparisonRow
    by_sentence: NDArray[np.float64]


def several(folders: Sequence[Path]) -> dict[tuple[str, str], dict[str, RowOfParser]]:
    """Return the rows of each pair by parser, where they were tested."""
    found: dict[tuple[str, str], dict[str, RowOfParser]] = {}
    for folder in folders:
        run, records = read_run(folder), Records(read_records(folder / "records.jsonl").values())
        for pair in run.pairs:
            row, treebank = pair.row, pair.treebank
            if not row.tested:
                continue
            seeds = run.config.seeds
            (spelling,) = (known.spelling for known in run.config.parsers if known.title == pair.parser)
            cells = pair_records(records, treebank, row.pair.alternative.spelling, spelling, seeds, 1)
            a, b = ([seed[0].scores["uas"].correct for seed in side] for side in (cells.a, cells.b))
            tokens = sum(cells.a[0][0].tokens)
            by_sentence = 100 * (np.mean(a, axis=0) - np.mean(b, axis=0)) / tokens
            found.setdefault((treebank, row.name), {})[pair.parser] = RowOfParser(row, by_sentence)
    return {key: rows for key, rows in found.items() if FAST in rows}


def other_parser(pairs: Iterable[Mapping[str, RowOfParser]], parsers: Sequence[str]) -> OtherParser:
    """Estimate slope and deviation of these parsers' differences from those of the fast parser.

    They are means under their likelihood, as in :func:`estimated`. Both parsers are tested on the same
    sentences, so the error of the difference is that of its sum over sentences.
    """
    both = [(rows[FAST], rows[parser]) for rows in pairs for parser in parsers if parser in rows]
    x, y = (np.array([difference_of(of[side].row).delta for of in both]) for side in (0, 1))
    apart = [b.by_sentence - a.by_sentence for a, b in both]
    error = np.array([by_sentence.std(ddof=1) * sqrt(len(by_sentence)) for by_sentence in apart])
    fit = np.zeros((len(SLOPES), len(DEVIATIONS)))
    for i, s in enumerate(SLOPES):
        for j, d in enumerate(DEVIATIONS):
            variance = d**2 + error**2
            fit[i, j] = -0.5 * (np.log(variance) + (y - s * x) ** 2 / variance).sum()
    weights = np.exp(fit - fit.max())
    weights /= weights.sum()
    return OtherParser(float(weights.sum(1) @ SLOPES), float(weights.sum(0) @ DEVIATIONS))


def parsers(folders: Sequence[Path], short: Sequence[Path]) -> None:
    """Print how well short trainings of the fast parser predict the others, with constants from the rest."""
    pairs = several(folders)
    trained: dict[tuple[str, str], list[ShortResult]] = {}
    for folder in short:
        for record, result in sorted(short_results(folder), key=lambda entry: entry[0].seed):
            trained.setdefault((record.treebank, record.subject), []).append(result)
    names = list(dict.fromkeys(parser for rows in pairs.values() for parser in rows))
    shipped, rows = Constants.load_shipped(), []
    for parser in names:
        others = [name for name in names if name not in (parser, FAST)]
        constants = replace(shipped, other_parser=other_parser(pairs.values(), others))
        for threshold in THRESHOLDS[:3]:
            found: list[tuple[Prediction, ComparisonRow]] = []
            for (treebank, name), by_parser in pairs.items():
                results = trained.get((treebank, name), [])
                prediction = predict_difference(results, another=parser != FAST, constants=constants)
                if prediction.known and parser in by_parser:
                    found.append((prediction, by_parser[parser].row))
            decided = [(prediction, row) for prediction, row in found if prediction.likelihood >= threshold]
            clear = [
                (prediction, row)
                for prediction, row in found
                if difference_of(row).better in (Side.FIRST, Side.SECOND)
            ]
            rows.append(
                (
                    parser,
                    f"{threshold:.2f}",
                    same_side(found),
                    same_side(clear),
                    share(prediction.likelihood >= threshold for prediction, _ in found),
                    same_side(decided),
                    same_side([pair for pair in clear if pair in decided]),
                    share(p.interval[0] <= difference_of(row).delta <= p.interval[1] for p, row in found),
                )
            )
    table(
        ("parser", "threshold", "same side, %", "of the clear", "not asked, %", "same side if not asked",
         "clear, not asked", "in the interval"),
        rows,
    )  # fmt: skip


@dataclass(frozen=True)
class CaseOutcome:
    """The prediction for a case."""

    case: MeasuredPair
    prediction: Prediction

    @property
    def right(self) -> bool:
        """Return whether the more probable side is ahead."""
        return (self.prediction.likelier is Side.FIRST) == bool(self.case.measured.delta > 0)

    @property
    def sure(self) -> float:
        """Return the probability of the more probable side."""
        return self.prediction.likelihood

    @property
    def covered(self) -> bool:
        """Return whether the difference lies in the interval."""
        low, high = self.prediction.interval
        return bool(low <= self.case.measured.delta <= high)


def calibration_error(found: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error of probabilities of the more probable side.

    It is the distance between the share of cases in which that side was ahead and the mean probability, in
    five bins of the probability, weighted by their sizes.
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, right in found:
        bins.setdefault(bin_of(sure), []).append((sure, right))
    gaps = (
        abs(fmean(r for _, r in members) - fmean(s for s, _ in members)) * len(members)
        for members in bins.values()
    )
    return sum(gaps) / len(found)


def same_side(pairs: Iterable[tuple[Prediction, ComparisonRow]]) -> str:
    """Return the share of predictions whose side is the side ahead in the run."""
    return share(
        (prediction.probability > 0.5) == (difference_of(row).delta > 0) for prediction, row in pairs
    )


def share(hits: Iterable[bool]) -> str:
    """Return a share in percent with its interval, and the number of cases."""
    values = list(hits)
    if not values:
        return "–"
    low, high = proportion_confint(sum(values), len(values), method="wilson")
    return f"{100 * fmean(values):.1f} ({100 * low:.0f}–{100 * high:.0f}) of {len(values)}"


def bin_of(sure: float) -> int:
    """Return the bin, of five, of a probability of 0.5 to 1."""
    return min(4, int((sure - 0.5) * 10))


def by_treebank(found: Sequence[CaseOutcome]) -> str:
    """Return the cost in percent of the run, in the cheapest and in the most expensive treebank."""
    treebanks = {outcome.case.treebank for outcome in found}
    shares = []
    for treebank in treebanks:
        members = [outcome for outcome in found if outcome.case.treebank == treebank]
        cost = sum(outcome.case.seconds for outcome in members)
        shares.append(100 * cost / sum(outcome.case.run_seconds for outcome in members))
    return f"{min(shares):.1f}–{max(shares):.1f}"


def by_chance(found: Sequence[CaseOutcome]) -> float:
    """Return the mean calibration error if the probabilities are right, with winners drawn from them."""
    rng = np.random.default_rng(1)
    sure = [outcome.sure for outcome in found]
    drawn = rng.random((500, len(found))) < sure
    return fmean(calibration_error(list(zip(sure, hits, strict=True))) for hits in drawn.tolist())


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    print("|", " | ".join(headings), "|")
    print("|---" * len(headings) + "|")
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def accuracy(of: Sequence[MeasuredPair], constants: Callable[[MeasuredPair], Constants]) -> None:
    """Print accuracy, certainty and cost, whether probabilities are right, and every miss."""
    found = [CaseOutcome(case, case.predict(constants(case))) for case in of]
    clear = [outcome for outcome in found if outcome.case.clear]
    cost = sum(outcome.case.seconds for outcome in found)
    rows = []
    for threshold in THRESHOLDS:
        decided = [outcome for outcome in found if outcome.sure >= threshold]
        rows.append(
            (
                f"{threshold:.2f}",
                share(outcome.sure >= threshold for outcome in found),
                share(outcome.right for outcome in decided),
                share(outcome.sure >= threshold for outcome in clear),
                share(outcome.right for outcome in decided if outcome.case.clear),
            )
        )
    table(("threshold", "decided, %", "right if decided", "clear: decided", "clear: right if decided"), rows)
    error = calibration_error([(outcome.sure, outcome.right) for outcome in found])
    print("More probable side right, %:", share(outcome.right for outcome in found))
    print("Of the clear, %:", share(outcome.right for outcome in clear))
    print("In the interval, %:", share(outcome.covered for outcome in found))
    print(
        f"Cost, % of the run: {100 * cost / sum(case.run_seconds for case in of):.1f} ({by_treebank(found)})"
    )
    print(f"Calibration error: {error:.3f} (by chance {by_chance(found):.3f})\n")
    table(
        ("probability of the more probable side", "pairs", "mean, %", "it is ahead, %"),
        (
            (
                f"{low:.1f} to {low + 0.1:.1f}",
                str(len(in_bin)),
                f"{100 * fmean(o.sure for o in in_bin):.1f}",
                share(o.right for o in in_bin),
            )
            for low in (0.5, 0.6, 0.7, 0.8, 0.9)
            if (in_bin := [o for o in found if bin_of(o.sure) == bin_of(low + 0.05)])
        ),
    )
    wrong = [
        outcome for outcome in found if not outcome.right and (outcome.case.clear or outcome.sure >= 0.9)
    ]
    table(
        ("miss", "difference", "clear", "probability of UD"),
        (
            (
                f"{outcome.case.treebank} {outcome.case.name}",
                f"{outcome.case.measured.delta:+.2f}",
                "yes" if outcome.case.clear else "no",
                f"{outcome.prediction.probability:.3f}",
            )
            for outcome in wrong
        ),
    )


def main() -> None:
    """Run one of the commands of the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("what", choices=("accuracy", "parsers", "constants"))
    parser.add_argument("--runs", nargs="+", type=Path, default=[])
    parser.add_argument("--short", nargs="+", type=Path, default=[])
    parser.add_argument("--several", nargs="+", type=Path, default=[])
    parser.add_argument(
        "--of", default="all", choices=("all", "singles", "combinations", "unseen", "1.3", "2.16")
    )
    command_line = parser.parse_args()
    if command_line.what == "parsers":
        if not (command_line.several and command_line.short):
            parser.error("give --several and --short")
        parsers(command_line.several, command_line.short)
        return
    if not (command_line.runs and command_line.short):
        parser.error("give --runs and --short")
    every = cases(command_line.runs, command_line.short)
    singles = [case for case in every if {"singles", "1.3"} <= {*case.kinds}]
    if command_line.what == "constants":
        constants = estimated(singles)  # those of other parsers stay, unless their runs are given
        if command_line.several:
            by_parser = several(command_line.several).values()
            others = [name for name in dict.fromkeys(j for rows in by_parser for j in rows) if name != FAST]
            constants = replace(constants, other_parser=other_parser(by_parser, others))
        print(json.dumps(rounded(constants), indent=2))
        return
    without = {
        language: estimated([case for case in singles if case.language != language])
        for language in {case.language for case in singles}
    }
    shipped = Constants.load_shipped()
    accuracy(
        [case for case in every if command_line.of in case.kinds],
        lambda case: without.get(case.language, shipped),
    )


def rounded(constants: Constants) -> dict[str, object]:
    """Return the constants in the form of prediction.json."""
    alone = {
        name: round(getattr(constants, name), 3) for name in ("slope", "deviation", "spread", "run_error")
    }
    other = {name: round(value, 3) for name, value in vars(constants.other_parser).items()}
    return {**alone, "other_parser": other}


if __name__ == "__main__":
    main()
