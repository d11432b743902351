"""Fit and judge what decides which annotation is easier: python research/decides/decides.py STEP ...

    measure --out properties.csv                          properties of all treebanks on the search path
    fit properties.csv RUN... --date D --out model.json   a model of them
    expect TREEBANK... --out expectations.csv             what the model lets us expect, from trees alone
    agree expectations.csv RUN...                         how often the results of runs agree

`measure` and `expect` read trees alone. RUN is the folder of a finished run over these treebanks. `fit`
prints what the model explains in families left out (`--judged judged.csv`: of each pair) and its weights;
`--fewest` says from how many treebanks a construction gets a model. `agree` leaves out treebanks that the
model was fitted to.
"""

from __future__ import annotations

import argparse
import csv
import io
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

from learnability.errors import InputError
from learnability.running.processes import map_in_processes
from learnability.treebanks.locate import TreebankFiles, list_treebanks, locate_treebank
from research.decides.expecting import (
    ExpectedPair,
    PairName,
    expect_pairs,
    family_of_treebank,
    hold_against,
    measure_treebank,
    name_pair,
    read_expectations,
    read_measured,
    write_expectations,
)
from research.decides.fitting import Measurements, PropertyFit, fit_mean, fit_model
from research.decides.model import (
    ConstructionModel,
    ExpectationModel,
    StoredFit,
    as_floats,
)
from research.decides.properties import NAMES, Properties
from research.decides.scoring import (
    Floats,
    Interval95,
    Judged,
    explained_share,
    mean_over_families,
)

CONSTRUCTIONS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "conj", "aux", "aux-verb", "scheme:sud")
"""What the survey compares with UD, as config.json spells it."""

PARSER = "arc-eager"

MODEL = Path(__file__).with_name("model.json")

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
    measured = read_measured(runs, PARSER)
    cases: dict[str, list[Case]] = {}
    with properties.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            values = {name: float(row[name]) if row[name] else None for name in NAMES}
            found = Properties(promoted=int(row["promoted"]), **values)  # type: ignore[arg-type]
            spelling = row["construction"]
            name = name_pair(row["treebank"], row["release"], spelling)
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


def list_expected(pairs: Sequence[ExpectedPair]) -> Iterator[str]:
    """Yield a table in Markdown: what is expected of each construction of each treebank."""
    yield "| treebank | construction | expected | probability, % | difference | 95 % interval | mean alone |"
    yield "|---|---|---|--:|--:|---|--:|"
    for pair in pairs:
        if pair.expectations is None:
            continue
        found, alone = pair.expectations
        low, high = found.interval
        side, probability = ("UD", found.probability) if found.delta > 0 else ("alt.", 1 - found.probability)
        fitted = " (fitted)" if pair.is_fitted else ""
        yield (
            f"| {pair.name.treebank}{fitted} | {pair.name.title} | {side} | {100 * probability:.0f} "
            f"| {found.delta:+.2f} | {low:+.2f} to {high:+.2f} | {alone.delta:+.2f} |"
        )


def list_agreement(held: Mapping[str, Mapping[str, Judged]]) -> Iterator[str]:
    """Yield a table in Markdown: how expectations agree with results, of all pairs and each construction."""
    whole = {title: _join([rivals[title] for rivals in held.values()]) for title in ("properties", "mean")}
    lines: dict[str, tuple[str, Mapping[str, Judged]]] = {}
    for construction, rivals in [("all", whole), *held.items()]:
        lines[construction] = ("properties", rivals)
        lines[f"{construction}, mean alone"] = ("mean", rivals)
    yield from _table("construction", lines)


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
        _percent(explained_share(judged, rivals[other], importance))
        if other in rivals and title not in (other, "mean")
        else ""
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
    step = steps.add_parser("expect")
    step.add_argument("treebanks", nargs="*", metavar="TREEBANK", help="default: all on the search path")
    step.add_argument("--ud-home", help="folder with treebanks; default: the search path")
    step.add_argument("--release", help="UD release")
    step.add_argument("--model", type=Path, default=MODEL, help="file that `fit` wrote")
    step.add_argument("--jobs", type=int, default=1)
    step.add_argument("--out", type=Path, required=True)
    step = steps.add_parser("agree")
    step.add_argument("expected", type=Path)
    step.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    asked = parser.parse_args()
    try:
        carry_out(asked)
    except (InputError, OSError) as error:
        sys.exit(str(error))


def carry_out(asked: argparse.Namespace) -> None:
    if asked.step == "expect":
        model = ExpectationModel.from_bytes(asked.model.read_bytes())
        treebanks = [
            locate_treebank(name, ud_home=asked.ud_home, release=asked.release) for name in asked.treebanks
        ]
        treebanks = treebanks or list_treebanks(asked.ud_home, release=asked.release)
        pairs = expect_pairs(treebanks, model, asked.jobs)
        write_expectations(asked.out, pairs)
        print("\n".join(list_expected(pairs)))
        return
    if asked.step == "agree":
        held = hold_against(read_expectations(asked.expected), read_measured(asked.runs, PARSER))
        if not held:
            raise InputError("no tested result is left about which we expect anything; name other runs")
        print("\n".join(list_agreement(held)))
        return
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
