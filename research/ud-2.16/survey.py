"""What a run over many treebanks shows, as the tables of a page, and its answers as one file.

    python research/ud-2.16/survey.py RUN [--tables DIR] [--answers FILE]

RUN is the folder of a finished run of several treebanks. `--tables` is where `learnability compare RUN`
writes its tables: means of all answers (`all`), and how often measures name the winner on test sets, as in
the paper (`2018`). They are made where they are missing.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from learnability.evidence.questions import Answer
from learnability.evidence.score_differences import Difference
from learnability.reports.verdicts import count_excluded
from learnability.running.records import read_records
from learnability.statistics.inference import Side
from learnability.treebanks.families import family_of, language_of

PAPER_TABLES = Path(__file__).parents[1] / "reproduction" / "tables.py"

Row = Mapping[str, str]

OTHER_ANSWERS = (Answer.SAME.value, Answer.OPEN.value, Answer.TOO_FEW_EXAMPLES.value)
ANSWERS = ("UD", "alternative", *OTHER_ANSWERS)
NAMES = {Side.FIRST: "UD", Side.SECOND: "the alternative"}

COLUMNS = (
    "treebank", "release", "language", "family", "construction", "tested_on", "places", "test_places",
    "easier", "train_on", "uas_base", "uas_delta", "uas_delta_low", "uas_delta_high",
    "converted_back_uas_delta",
)  # fmt: skip
"""The columns of the file of answers."""


def main() -> None:
    """Print the tables of the page, and write the answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--answers", type=Path)
    arguments = parser.parse_args()
    results = read_rows(arguments.run / "results.csv")
    with tempfile.TemporaryDirectory() as temporary:
        tables = arguments.tables or Path(temporary)
        compare = ["-m", "learnability", "compare", "--quiet"]
        for name, made, command in (
            ("all", "differences.csv", compare),
            ("2018", "table_3.csv", [str(PAPER_TABLES)]),
        ):
            if not (tables / name / made).exists():
                words = [sys.executable, *command, str(arguments.run), "--out", str(tables / name)]
                subprocess.run(words, check=True, stdout=sys.stderr)
        means = read_rows(tables / "all" / "means.csv")  # of several treebanks
        measures = read_rows(tables / "2018" / "table_3.csv")
    print_table(
        "construction | mean in points, UD ahead: + (interval) | languages with UD ahead | treebanks | "
        "UD easier | alternative easier | no difference that matters | open | too few examples",
        construction_lines(results, means),
    )
    print(f"{count_excluded(list(open_differences(results)), NAMES)}\n")
    print_table(
        "measure | of all | comparisons | of clear ones | clear comparisons | the paper",
        measure_lines(measures),
    )
    print_table("what is computed | records | hours | of these in kernels", price_lines(arguments.run))
    if arguments.answers:
        write_answers(arguments.answers, results)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file; none where there is no such file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def print_table(headings: str, lines: Iterable[str]) -> None:
    """Print a table of Markdown: its first column to the left, the others to the right."""
    columns = headings.count("|")
    print(f"| {headings} |")
    print("|---|" + "--:|" * columns)
    for line in lines:
        print(f"| {line} |")
    print()


def construction_lines(results: Sequence[Row], means: Sequence[Row]) -> list[str]:
    """Return a line for each construction: its answers, its mean over treebanks, and its languages."""
    mean_of = {
        row["construction"]: row
        for row in means
        if row["score"] == "uas" and row["comparison"] == "own_annotation"
    }
    lines = []
    for construction in dict.fromkeys(row["construction"] for row in results):
        rows = [row for row in results if row["construction"] == construction]
        answers = Counter(map(answer_of, rows))
        counted = [answers[answer] for answer in ANSWERS]
        mean = mean_of.get(construction)
        text = ""
        if mean and mean["mean"]:
            text = f"{float(mean['mean']):+.2f} ({float(mean['low']):+.2f} to {float(mean['high']):+.2f})"
        ahead, languages = languages_ahead(rows)
        share = f"{ahead} of {languages}" if languages else ""
        lines.append(" | ".join([construction, text, share, str(len(rows)), *map(str, counted)]))
    return lines


def open_differences(results: Sequence[Row]) -> Iterator[Difference]:
    """Yield the differences of open answers."""
    for row in results:
        if row["easier"] == Answer.OPEN.value:
            delta, low, high = (float(row[name]) for name in ("uas_delta", "uas_delta_low", "uas_delta_high"))
            yield Difference(None, None, delta, low=low, high=high)


def answer_of(row: Row) -> str:
    """Return which annotation is easier, without the name of the alternative."""
    answer = row["easier"]
    return answer if answer in ("UD", *OTHER_ANSWERS, "") else "alternative"


def languages_ahead(rows: Sequence[Row]) -> tuple[int, int]:
    """Return the number of languages in which UD scores higher, and of those that are compared.

    A language with several treebanks counts once, by the mean of their differences.
    """
    differences: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["uas_delta"]:
            differences[language_of(row["treebank"])].append(float(row["uas_delta"]))
    return sum(sum(values) > 0 for values in differences.values()), len(differences)


def measure_lines(measures: Sequence[Row]) -> list[str]:
    """Return a line for each measure: how often it names the side that scores higher."""

    def share(row: Row, column: str) -> str:
        return f"{float(row[column]):.1f} %" if row[column] else ""

    return [
        f"{row['indicator']} | {share(row, 'percent')} | {row['pairs']} | "
        f"{share(row, 'significant_percent')} | {row['significant_pairs']} | {share(row, 'paper_percent')}"
        for row in measures
    ]


def price_lines(run: Path) -> list[str]:
    """Return a line for each kind of work: records, hours of a process, and hours of them in kernels."""
    count: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    kernels: defaultdict[str, float] = defaultdict(float)
    for record in read_records(run / "records.jsonl").values():
        for setting in (record.setting, "all"):
            count[setting] += 1
            seconds[setting] += record.wall_seconds
            kernels[setting] += record.work.kernel_seconds if record.work else 0.0
    return [
        f"{setting} | {count[setting]:,} | {seconds[setting] / 3600:.2f} | {kernels[setting] / 3600:.2f}"
        for setting in (*(name for name in count if name != "all"), "all")
    ]


def write_answers(path: Path, results: Sequence[Row]) -> None:
    """Write the answers with the language and family of each treebank."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in results:
            language = language_of(row["treebank"])
            writer.writerow({**row, "language": language, "family": family_of(language)})


if __name__ == "__main__":
    main()
