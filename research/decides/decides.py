"""Fit and judge what decides which annotation is easier: python research/decides/decides.py STEP ...

    measure --out properties.csv                          properties of all treebanks on the search path
    fit properties.csv RUN... --date D --out model.json   the model of `learnability expect`

`measure` reads trees alone. RUN is the folder of a finished run over these treebanks. `fit` prints what the
model explains in families left out (`--judged judged.csv`: of each pair) and its weights; `--fewest` says
from how many treebanks a construction gets a model.
"""

from __future__ import annotations

import argparse
import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

from learnability.comparing.names import annotation_spelled
from learnability.extensions.expectations.agreement import read_measured
from learnability.extensions.expectations.expecting import (
    PairName,
    family_of_treebank,
    measure_treebank,
)
from learnability.extensions.expectations.fitting import Measurements, PropertyFit, fit_mean, fit_model
from learnability.extensions.expectations.model import (
    ConstructionModel,
    ExpectationModel,
    StoredFit,
    as_floats,
)
from learnability.extensions.expectations.properties import NAMES, Properties
from learnability.extensions.expectations.scoring import (
    Floats,
    Interval95,
    Judged,
    explained_share,
    mean_over_families,
)
from learnability.running.processes import map_in_processes
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles, list_treebanks

CONSTRUCTIONS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "conj", "aux", "aux-verb", "scheme:sud")
"""What the survey compares with UD, as config.json spells it."""

PARSER = "arc-eager"

FEWEST_TREEBANKS = 8
"""The fewest treebanks from which a construction gets a model; half as many families."""

HEAD = (
    "| {} | pairs | families | clear | explained, % | of scaled mean, % | hits, % | clear hits, % | Brier "
    "| in range, % |"
)
RULE = "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
"""The head of a table of expectations held against results."""

NAMED = ("treebank", "release", "family", "construction")


@dataclass(frozen=True)
class Case:
    """A construction in a treebank: its properties, and what was measured."""

    name: PairName
    family: str
    construction: str
    properties: Properties
    difference: float
    error: float
    is_clear: bool


def measure(treebanks: Sequence[TreebankFiles], constructions: Sequence[str], jobs: int) -> bytes:
    """Return the properties as CSV, a line for each construction that changes a word."""
    found = map_in_processes(partial(measure_treebank, spellings=constructions), treebanks, jobs)
    out = io.StringIO()
    names = list(Properties.__struct_fields__)
    writer = csv.DictWriter(out, [*NAMED, *names], lineterminator="\n")
    writer.writeheader()
    for files, measured in zip(treebanks, found, strict=True):
        print(files.name, flush=True)
        for construction, properties in zip(constructions, measured, strict=True):
            if properties is not None:
                named = (files.name, files.release, family_of_treebank(files), construction)
                values = {name: _text(value) for name, value in asdict(properties).items()}
                writer.writerow({**dict(zip(NAMED, named, strict=True)), **values})
    return out.getvalue().encode()


def _text(value: float | None) -> str:
    """Return a number with six significant digits; empty for None."""
    return "" if value is None else f"{value:.6g}"


def read_cases(properties: Path, runs: Sequence[Path], fewest: int) -> dict[str, list[Case]]:
    """Return the cases of each construction with enough promoted words and a tested difference."""
    measured = read_measured(runs, PARSER, Stages())
    cases: dict[str, list[Case]] = {}
    with properties.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            values = {name: float(row[name]) if row[name] else None for name in NAMES}
            found = Properties(promoted=int(row["promoted"]), **values)  # type: ignore[arg-type]
            spelling = row["construction"]
            name = PairName(row["treebank"], row["release"], *annotation_spelled(spelling).construction)
            difference = measured.get(name)
            if difference is None or difference.error is None or not found.suffice:
                continue
            case = Case(
                name, row["family"], spelling, found, difference.delta, difference.error, difference.is_clear
            )
            cases.setdefault(spelling, []).append(case)
    return {
        construction: of_construction
        for construction, of_construction in cases.items()
        if len(of_construction) >= fewest and 2 * len({case.family for case in of_construction}) >= fewest
    }


def measurements(cases: Sequence[Case]) -> Measurements:
    return Measurements(
        np.array([case.difference for case in cases]),
        np.array([case.error for case in cases]),
        np.array([as_floats(case.properties) for case in cases]),
        [case.family for case in cases],
    )


def leave_families_out(cases: Sequence[Case]) -> dict[str, Judged]:
    """Return what is expected of each case by fits to the other families."""
    whole = measurements(cases)
    changed = whole.properties[:, NAMES.index("changed")]
    per_change = replace(whole, differences=whole.differences / changed, errors=whole.errors / changed)
    expected = {title: np.zeros((len(cases), 2)) for title in ("properties", "mean", "scaled mean")}
    for family in dict.fromkeys(whole.families):
        out = whole.of_family(family)
        by_properties, alone = fit_model(whole.select(~out)), fit_mean(whole.select(~out))
        scaled = fit_mean(per_change.select(~out))
        for row in np.flatnonzero(out):
            point = whole.properties[row]
            expected["properties"][row] = by_properties.predict(point)
            expected["mean"][row] = alone.predict(point)
            mean, variance = scaled.predict(point)
            expected["scaled mean"][row] = mean * changed[row], variance * changed[row] ** 2
    return {title: _judged(cases, values) for title, values in expected.items()}


def _judged(cases: Sequence[Case], expected: Floats) -> Judged:
    """Return expectations, float64[cases, 2]: mean and variance, beside what was measured."""
    whole = measurements(cases)
    clear = np.array([case.is_clear for case in cases])
    return Judged(expected[:, 0], expected[:, 1], whole.differences, whole.errors, clear, whole.families)


def read_predictions(runs: Sequence[Path]) -> dict[PairName, tuple[float, float]]:
    """Return what runs predicted from short trainings: mean and variance of the measured difference."""
    found = {}
    for path in filter(Path.exists, (run / "predictions.csv" for run in runs)):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["expected_delta"] and not row["against"]:
                    name = PairName(*(row[field] for field in PairName._fields))
                    deviation = (float(row["expected_high"]) - float(row["expected_low"])) / 3.92
                    found[name] = float(row["expected_delta"]), deviation**2
    return found


def judge(
    cases: Mapping[str, Sequence[Case]], rivals: Mapping[str, Mapping[str, Judged]], runs: Sequence[Path]
) -> tuple[Iterator[str], bytes]:
    """Return the lines of tables, and each pair with its expectations as CSV.

    Args:
        cases: by construction.
        rivals: by construction, what fits to other families expect of its cases.
        runs: folders in which predictions may be.
    """
    predictions = read_predictions(runs)
    every = [case for of_construction in cases.values() for case in of_construction]
    joined = {
        title: _join([rivals[construction][title] for construction in cases])
        for title in next(iter(rivals.values()))
    }
    quick = np.array([predictions.get(case.name, (np.nan, np.nan)) for case in every])
    constructions = [case.construction for case in every]
    return _tables(constructions, joined, _judged(every, quick)), _pairs_csv(every, joined, quick)


def _join(parts: Sequence[Judged]) -> Judged:
    """Return the pairs of several constructions together."""

    def together(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    families = [family for part in parts for family in part.families]
    numbers = map(together, ("expected", "variances", "measured", "errors"))
    expected, variances, measured, errors = numbers
    return Judged(expected, variances, measured, errors, together("clear").astype(bool), families)


def _tables(constructions: Sequence[str], rivals: Mapping[str, Judged], quick: Judged) -> Iterator[str]:
    """Yield tables in Markdown: of all pairs, of each construction, of pairs with short trainings."""
    yield from _table("expected by", {title: (title, rivals) for title in rivals})
    yield ""
    lines = {}
    for construction in dict.fromkeys(constructions):
        rows = np.array([name == construction for name in constructions])
        selected = {title: judged.select(rows) for title, judged in rivals.items()}
        lines[construction] = ("properties", selected)
        lines[f"{construction}, mean alone"] = ("mean", selected)
    yield from _table("construction", lines)
    known = ~np.isnan(quick.expected)
    if known.any():
        of_known = {title: judged.select(known) for title, judged in rivals.items()}
        of_known["short trainings"] = _without_error(quick.select(known))
        yield ""
        yield from _table("expected by", {title: (title, of_known) for title in of_known})


def _table(heading: str, lines: Mapping[str, tuple[str, Mapping[str, Judged]]]) -> Iterator[str]:
    """Yield a table: a line for each name, of one of the expectations of the same pairs."""
    yield HEAD.format(heading)
    yield RULE
    for name, (title, rivals) in lines.items():
        yield _line(name, title, rivals)


def _without_error(quick: Judged) -> Judged:
    """Return predictions of measured differences as those of true ones."""
    return quick.expect(quick.expected, np.maximum(quick.variances - np.square(quick.errors), 1e-6))


def _line(name: str, title: str, rivals: Mapping[str, Judged]) -> str:
    """Return a line of a table: the expectations with this title, and what they explain beside others."""
    judged, alone = rivals[title], rivals["mean"]
    clear = judged.select(judged.clear)
    importance = 1 / (np.square(alone.errors) + alone.variances)
    explained = [
        "" if title in (other, "mean") else _percent(explained_share(judged, rivals[other], importance))
        for other in ("mean", "scaled mean")
    ]
    cells = (
        name,
        *map(str, (len(judged), len(set(judged.families)), len(clear))),
        *explained,
        _percent(mean_over_families(judged.hits(), judged.families)),
        _percent(mean_over_families(clear.hits(), clear.families)) if len(clear) else "",
        f"{judged.brier().mean():.3f}",
        f"{100 * judged.covered().mean():.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _percent(interval: Interval95) -> str:
    if interval.low is None or interval.high is None:
        return f"{100 * interval.value:.0f}"
    return f"{100 * interval.value:.0f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _pairs_csv(cases: Sequence[Case], rivals: Mapping[str, Judged], quick: Floats) -> bytes:
    """Return each pair with its difference and what fits to other families expect of it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    titles = [title.replace(" ", "_") for title in rivals]
    expected = [f"{title}_{part}" for title in titles for part in ("delta", "error")]
    writer.writerow([*NAMED, "delta", "error", "is_clear", *expected, "quick_delta", "quick_error"])
    for row, case in enumerate(cases):
        values: list[float] = [case.difference, case.error]
        named = (case.name.treebank, case.name.release, case.family, case.construction)
        found: list[float] = []
        for judged in rivals.values():
            found += [float(judged.expected[row]), float(judged.variances[row]) ** 0.5]
        of_quick = [
            "" if np.isnan(value) else f"{value:.4f}" for value in (quick[row, 0], quick[row, 1] ** 0.5)
        ]
        numbers = [f"{value:.4f}" for value in values]
        clear = "yes" if case.is_clear else ""
        writer.writerow([*named, *numbers, clear, *(f"{value:.4f}" for value in found), *of_quick])
    return out.getvalue().encode()


def fit(
    cases: Mapping[str, Sequence[Case]],
    rivals: Mapping[str, Mapping[str, Judged]],
    date: str,
    command: str,
) -> tuple[ExpectationModel, Iterator[str]]:
    """Return the model, and the weights of its properties as lines of a table; see :func:`judge`."""
    every = [case for of_construction in cases.values() for case in of_construction]
    models, fits = [], {}
    for construction, of_construction in cases.items():
        judged, alone = rivals[construction]["properties"], rivals[construction]["mean"]
        importance = 1 / (np.square(alone.errors) + alone.variances)
        explained = explained_share(judged, alone, importance)
        measured = measurements(of_construction)
        fits[construction] = fit_model(measured)
        models.append(
            ConstructionModel(
                construction=construction,
                treebanks=len(of_construction),
                families=len(set(judged.families)),
                explained=round(explained.value, 4),
                explained_low=round(explained.low or 0.0, 4),
                explained_high=round(explained.high or 0.0, 4),
                by_properties=StoredFit.of(fits[construction]),
                alone=StoredFit.of(fit_mean(measured)),
            )
        )
    model = ExpectationModel(
        date=date,
        release=", ".join(sorted({case.name.release for case in every})),
        command=command,
        parser=PARSER,
        properties=list(NAMES),
        treebanks=sorted({case.name.treebank for case in every}),
        constructions=models,
    )
    return model, _weights(fits)


def _weights(fits: Mapping[str, PropertyFit]) -> Iterator[str]:
    """Yield a line per construction: mean, deviations, and the weight of each property with its interval."""
    yield f"| construction | mean | families | treebanks | {' | '.join(NAMES)} |"
    yield f"|---|{'--:|' * (3 + len(NAMES))}"
    for construction, fitted in fits.items():
        errors = np.sqrt(np.diag(fitted.covariance))
        deviations = (fitted.variances.families**0.5, fitted.variances.treebanks**0.5)
        weights = [
            f"{weight:+.2f} ± {1.96 * error:.2f}" if error else "0"
            for weight, error in zip(fitted.weights, errors[1:], strict=True)
        ]
        numbers = [f"{fitted.mean:+.2f}", *(f"{value:.2f}" for value in deviations)]
        yield f"| {construction} | {' | '.join([*numbers, *weights])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("measure")
    step.add_argument("--ud-home", help="folder with treebanks; default: the search path")
    step.add_argument("--release", help="UD release")
    step.add_argument("--constructions", nargs="+", default=CONSTRUCTIONS)
    step.add_argument("--jobs", type=int, default=1)
    step.add_argument("--out", type=Path, required=True)
    step = steps.add_parser("fit")
    step.add_argument("properties", type=Path)
    step.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    step.add_argument("--fewest", type=int, default=FEWEST_TREEBANKS, metavar="N")
    step.add_argument("--date", required=True, help="date of the model")
    step.add_argument("--out", type=Path, required=True)
    step.add_argument("--judged", type=Path, help="write each pair with its expectations")
    asked = parser.parse_args()
    if asked.step == "measure":
        treebanks = list_treebanks(asked.ud_home, release=asked.release)
        asked.out.write_bytes(measure(treebanks, asked.constructions, asked.jobs))
        return
    cases = read_cases(asked.properties, asked.runs, asked.fewest)
    rivals = {name: leave_families_out(of_construction) for name, of_construction in cases.items()}
    lines, data = judge(cases, rivals, asked.runs)
    if asked.judged:
        asked.judged.write_bytes(data)
    names = [path.name for path in (asked.properties, *asked.runs)]
    words = ("fit", *names, "--date", asked.date, "--out", asked.out.name)
    model, weights = fit(
        cases, rivals, asked.date, shlex.join(("python", "research/decides/decides.py", *words))
    )
    asked.out.write_bytes(model.as_bytes())
    for line in (*lines, "", *weights):
        print(line)


if __name__ == "__main__":
    main()
