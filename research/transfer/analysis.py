"""The result of a run of `transfer`, by its plan: means and answers beside those at home, files, a picture.

The two practice targets count in no mean. The mean of a construction is that of the program
(`Difference.average`), corrected for the constructions of the plan by each parser (Holm). The answer is the
side that both parsers show. At home, differences are those of the survey on the parsers' own annotation; a
language with several treebanks counts once. A language is compared where both have a difference.

    python research/transfer/analysis.py RUN [--home answers.csv] [--out DIR] [--picture SVG] [--control RUN]

OUT gets targets.csv and means.csv. Tables of the page go to the terminal.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import sem, t

from learnability.evidence.score_differences import Difference
from learnability.reports.figures import Colour, Figure
from learnability.reports.text import Table
from learnability.statistics.inference import Side
from learnability.treebanks.families import origin_of

PRACTICE = ("UD_Tamil-TTB", "UD_Turkish-IMST")
"""Targets that were parsed before the plan: they count in no test of a hypothesis."""

EXPECTED = {
    "case": Side.FIRST,
    "cop": Side.FIRST,
    "cc": Side.NONE,
    "det": Side.FIRST,
    "mark": Side.FIRST,
    "mwe": Side.NONE,
    "name": Side.NONE,
}
"""The constructions that are corrected together, and what the plan expects of each."""

HOME = Path(__file__).parents[1] / "ud-2.16" / "answers.csv"

NAMES = {
    Side.FIRST: "UD",
    Side.SECOND: "alternative",
    Side.EQUAL: "no difference that matters",
    Side.NONE: "open",
}

TARGET_COLUMNS = (
    *("treebank", "release", "language", "family", "construction", "parser", "basis"),
    *("base", "alternative", "delta", "error", "low", "high", "better", "places"),
)

MEAN_COLUMNS = (
    *("construction", "parser", "expected", "answer", "languages", "families", "delta", "error"),
    *("low", "high", "p_holm", "better", "languages_base_ahead", "base_clear", "alternative_clear"),
    *("home_delta", "home_languages", "home_languages_base_ahead"),
)

Row = Mapping[str, str]


@dataclass(frozen=True)
class Abroad:
    """Hold the mean of a construction by a parser, corrected, with its targets; None for few languages."""

    construction: str
    parser: str
    rows: Sequence[Row]
    mean: Difference | None

    @property
    def by_language(self) -> dict[str, float]:
        """Return the mean difference of each language."""
        return average_languages((row["language"], row["delta"]) for row in self.rows)

    def count(self, side: Side) -> int:
        """Return in how many targets a side is clearly ahead."""
        return sum(row["better"] == side for row in self.rows)


def main() -> None:
    """Write the files, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--control", type=Path, help="another run, whose targets are compared in both")
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--picture", type=Path, help="the SVG to draw")
    arguments = parser.parse_args()
    answers = [row for row in read_rows(arguments.run / "transfer.csv") if row["is_answer"] == "yes"]
    if arguments.control:
        print_control(answers, read_rows(arguments.control / "transfer.csv"))
        return
    tested = [row for row in answers if row["treebank"] not in PRACTICE]
    means = list_means(tested)
    home = read_home(arguments.home)
    print_means(means, home)
    print_converted(list_means(read_converted(arguments.run)))
    print_agreement(means, home)
    if arguments.out:
        write_rows(arguments.out / "targets.csv", TARGET_COLUMNS, answers)
        write_rows(arguments.out / "means.csv", MEAN_COLUMNS, (values(m, means, home) for m in means))
    if arguments.picture:
        figure = draw_picture(means, home)
        arguments.picture.write_bytes(figure.files()[f"{figure.name}.svg"])


def print_control(rows: Sequence[Row], others: Sequence[Row]) -> None:
    """Print the plain means of two runs over the targets of both by arc-eager, and of the paired changes."""
    print("| construction | targets | the run | the control | change, 95 % interval | same sign |")
    print("|---|--:|--:|--:|--:|--:|")
    one, other = (
        {(row["construction"], row["treebank"]): row for row in found}
        for found in map(by_arc_eager, (rows, others))
    )
    for name in dict.fromkeys(row["construction"] for row in rows):
        keys = [key for key in one if key[0] == name and key in other]
        if len(keys) > 1:
            here, there = (np.array([float(run[key]["delta"]) for key in keys]) for run in (one, other))
            change = there - here
            low, high = t.interval(0.95, len(keys) - 1, change.mean(), sem(change))
            print(
                f"| `{name}` | {len(keys)} | {here.mean():+.2f} | {there.mean():+.2f} | "
                f"{change.mean():+.2f} ({low:+.2f} to {high:+.2f}) | {int((here * there > 0).sum())} |"
            )


def by_arc_eager(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of arc-eager from which answers follow; a run without `--parser` is by it."""
    return [row for row in rows if row["parser"] in ("", "arc-eager") and row["is_answer"] == "yes"]


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows with these columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def list_means(rows: Sequence[Row]) -> list[Abroad]:
    """Return the means of the constructions of the plan and of others, each group corrected by itself."""
    found = []
    for parser in dict.fromkeys(row["parser"] for row in rows):
        of_parser = [row for row in rows if row["parser"] == parser]
        names = dict.fromkeys(row["construction"] for row in of_parser)
        for planned in (True, False):
            group = [name for name in names if (name in EXPECTED) == planned]
            members = [[row for row in of_parser if row["construction"] == name] for name in group]
            corrected = Difference.correct(list(map(average, members)))
            found += [
                Abroad(*each) for each in zip(group, [parser] * len(group), members, corrected, strict=True)
            ]
    return found


def average(rows: Sequence[Row]) -> Difference | None:
    """Return the mean over targets, as the program computes it."""
    differences = [Difference(None, None, float(row["delta"]), error=float(row["error"])) for row in rows]
    return Difference.average(differences, [origin_of(row["language"]) for row in rows])


def answer_of(construction: str, means: Sequence[Abroad]) -> Side:
    """Return the side that all parsers show."""
    sides = {
        each.mean.better if each.mean else Side.NONE for each in means if each.construction == construction
    }
    side = sides.pop() if len(sides) == 1 else None
    return side or Side.NONE


def read_home(path: Path) -> dict[str, dict[str, float]]:
    """Return by construction the difference of each language at home, by arc-eager, on its own annotation."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in read_rows(path):
        if row["uas_delta_low"]:  # else there are too few examples
            found[row["construction"]].append((row["language"], row["uas_delta"]))
    return {construction: average_languages(rows) for construction, rows in found.items()}


def average_languages(rows: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return the mean of each language."""
    by_language: defaultdict[str, list[float]] = defaultdict(list)
    for language, delta in rows:
        by_language[language].append(float(delta))
    return {language: sum(deltas) / len(deltas) for language, deltas in by_language.items()}


def values(each: Abroad, means: Sequence[Abroad], home: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return a row of means.csv."""
    at_home = home.get(each.construction, {})
    found = {
        "construction": each.construction,
        "parser": each.parser,
        "expected": EXPECTED.get(each.construction, ""),
        "answer": answer_of(each.construction, means),
        "languages": len(each.by_language),
        "families": len({row["family"] for row in each.rows}),
        "languages_base_ahead": sum(delta > 0 for delta in each.by_language.values()),
        "base_clear": each.count(Side.FIRST),
        "alternative_clear": each.count(Side.SECOND),
        "home_delta": f"{np.mean(list(at_home.values())):.4f}" if at_home else "",
        "home_languages": len(at_home),
        "home_languages_base_ahead": sum(delta > 0 for delta in at_home.values()),
    }
    if each.mean is not None:
        for name in ("delta", "error", "low", "high", "p_holm"):
            found[name] = f"{getattr(each.mean, name):.4f}"
        found["better"] = each.mean.better
    return found


def print_means(means: Sequence[Abroad], home: Mapping[str, Mapping[str, float]]) -> None:
    """Print a line per construction: its answer, expectation, means by both parsers, and the mean at home."""
    parsers = list(dict.fromkeys(each.parser for each in means))
    columns = [f"{parser} (interval, languages with UD ahead)" for parser in parsers]
    print(f"| construction | expected | answer | {' | '.join(columns)} | at home, arc-eager |")
    print("|---|---|---|" + "--:|" * (len(parsers) + 1))
    for name in dict.fromkeys(each.construction for each in means):
        cells = [describe(each) for each in means if each.construction == name]
        at_home = list(home.get(name, {}).values())
        of_home = (
            f"{np.mean(at_home):+.2f}, {sum(v > 0 for v in at_home)} of {len(at_home)}" if at_home else ""
        )
        expected = NAMES.get(EXPECTED.get(name, Side.EQUAL), "") if name in EXPECTED else ""
        print(
            f"| `{name}` | {expected} | {NAMES[answer_of(name, means)]} | {' | '.join(cells)} | {of_home} |"
        )
    print()


def read_converted(run: Path) -> list[Row]:
    """Return the comparisons of parses converted to UD, without the practice targets."""
    rows = read_rows(run / "transfer.csv")
    return [row for row in rows if row["basis"] == "converted_back" and row["treebank"] not in PRACTICE]


def print_converted(means: Sequence[Abroad]) -> None:
    """Print the means of parses converted to UD, which are no main figure of the plan."""
    parsers = list(dict.fromkeys(each.parser for each in means))
    print(f"| construction, converted to UD | {' | '.join(parsers)} |")
    print("|---|" + "--:|" * len(parsers))
    for name in dict.fromkeys(each.construction for each in means):
        print(f"| `{name}` | {' | '.join(describe(each) for each in means if each.construction == name)} |")
    print()


def describe(each: Abroad) -> str:
    """Return a mean with its interval, the share of languages, and the clear targets."""
    languages = each.by_language
    share = f"{sum(delta > 0 for delta in languages.values())} of {len(languages)}"
    if each.mean is None:
        return f"too few, {share}"
    clear = f"{each.count(Side.FIRST)} / {each.count(Side.SECOND)} clear"
    return f"{each.mean.delta:+.2f} ({each.mean.low:+.2f} to {each.mean.high:+.2f}), {share}, {clear}"


def print_agreement(means: Sequence[Abroad], home: Mapping[str, Mapping[str, float]]) -> None:
    """Print how languages at home go with the same languages abroad: same signs, and the correlation."""
    print("| construction | parser | languages | same side ahead at home and abroad | correlation |")
    print("|---|---|--:|--:|--:|")
    for each in means:
        pairs = join_languages(each, home)
        if len(pairs) > 2:
            here, there = np.array(list(pairs.values())).T
            same, r = int((here * there > 0).sum()), float(np.corrcoef(here, there)[0, 1])
            print(f"| `{each.construction}` | {each.parser} | {len(pairs)} | {same} | {r:+.2f} |")
    print()


def join_languages(each: Abroad, home: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """Return the differences of each language at home and abroad."""
    at_home = home.get(each.construction, {})
    abroad = each.by_language
    return {name: (at_home[name], abroad[name]) for name in abroad if name in at_home}


def draw_picture(means: Sequence[Abroad], home: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a panel per construction: home across, abroad upwards, a point per language, and the mean."""
    first = means[0].parser
    shown = [each for each in means if each.parser == first and len(join_languages(each, home)) >= 5]
    rows = [
        (each.construction, language, f"{here:.4f}", f"{there:.4f}")
        for each in shown
        for language, (here, there) in sorted(join_languages(each, home).items())
    ]
    data = Table(
        "UD minus the alternative, in points: parsers of the language itself, and of other languages",
        ("construction", "language", "home", "abroad"),
        tuple(rows),
        f"Across: at home. Upwards: abroad, by {first}. Small: a language. Large: their mean. "
        f"Points beyond {EDGE:.0f} are drawn at the edge.",
    )
    lines = -(-len(shown) // 2)

    def draw(canvas: Any) -> None:
        axes = list(canvas.subplots(lines, 2, sharex=True, sharey=True, squeeze=False).flat)
        for ax, each in zip(axes, shown, strict=False):
            here, there = np.array(list(join_languages(each, home).values())).T
            ax.axhline(0, color=Colour.MUTED, linewidth=0.8)
            ax.axvline(0, color=Colour.MUTED, linewidth=0.8)
            ax.scatter(*np.clip((here, there), -EDGE, EDGE), s=9, color=Colour.MUTED, alpha=0.6)
            ax.scatter(here.mean(), there.mean(), s=60, color=Colour.BASE, zorder=3)
            ax.set_title(each.construction)
            ax.set_xlim(-EDGE - 0.5, EDGE + 0.5)
            ax.set_ylim(-EDGE - 0.5, EDGE + 0.5)
        for ax in axes[len(shown) :]:
            ax.set_axis_off()
        canvas.supxlabel("at home (right: UD ahead)")
        canvas.supylabel("abroad (up: UD ahead)")

    return Figure.drawn("transfer", data, 1.7 * lines + 0.5, draw, width=4.0)


EDGE = 6.0
"""The largest difference that the picture shows, in points."""


if __name__ == "__main__":
    main()
