"""Make the tables of columns from their declarations, for the site of the manual (`hooks.py`).

A comment of a page, such as ``<!-- columns of results.csv -->``, says where a table stands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

DOCS = ROOT / "docs"

SAME = "as in results.csv, for each comparison"
"""What a table says of a statistic that the table of results.csv explains."""

Entry = tuple[str, str, str]
"""The heading, name and meaning of a column, a comparison or a statistic."""


def tables(entries: Iterator[Entry]) -> dict[str, dict[str, list[str]]]:
    """Return, by heading and meaning, the names with that meaning."""
    found: dict[str, dict[str, list[str]]] = {}
    for topic, name, meaning in entries:
        names = found.setdefault(topic, {}).setdefault(meaning, [])
        if name not in names:
            names.append(name)
    return found


def entries_of_results() -> Iterator[Entry]:
    """Yield the columns of results.csv."""
    from learnability.evidence.columns import BASES, COMPARED, RESULTS
    from learnability.evidence.score_differences import ScoringBasis

    for column in RESULTS:
        usual = column.basis == ScoringBasis.ANNOTATION
        comparison = "" if usual else BASES.get(column.basis, "")
        meaning = f"{column.meaning}; {comparison}" if comparison else column.meaning
        yield COMPARED if not column.score else "Scores and answers", column.name, meaning


def entries_of_scores() -> Iterator[Entry]:
    """Yield the columns of scores.csv, the comparisons and the statistics."""
    from learnability.evidence.columns import BASES, DIFFERENCE, LONG, RESULTS, SCORES, TAGGED
    from learnability.evidence.rows import TRAINED_ON_BOTH

    for column in SCORES:
        yield column.topic, column.name, column.meaning
    for name, meaning in BASES.items():
        yield "Comparisons", name, meaning
    yield "Comparisons", *TAGGED
    yield "Comparisons", TRAINED_ON_BOTH, "which annotation the parser prefers when trained on both"
    explained = {column.statistic for column in RESULTS if column.score}
    for statistic in LONG:
        known = statistic.topic == DIFFERENCE and statistic.statistic in explained
        yield statistic.topic, statistic.statistic, SAME if known else statistic.meaning


def entries_of_parsers() -> Iterator[Entry]:
    """Yield the columns of parsers.csv."""
    from learnability.evidence.all_parsers import ALL_PARSERS

    for column in ALL_PARSERS:
        yield column.topic, column.name, column.meaning


def entries_of_predictions() -> Iterator[Entry]:
    """Yield the columns of predictions.csv."""
    from learnability.studies.predict.predictions import PREDICTIONS

    for column in PREDICTIONS:
        yield column.topic, column.name, column.meaning


def entries_of_history() -> Iterator[Entry]:
    """Yield the columns of history.csv."""
    from learnability.extensions.history.files import COLUMNS

    for column in COLUMNS:
        yield column.topic, column.name, column.meaning


def entries_of_transfer() -> Iterator[Entry]:
    """Yield the columns of transfer.csv."""
    from learnability.extensions.transfer.outcome import COLUMNS

    for column in COLUMNS:
        yield column.topic, column.name, column.meaning


def entries_of_transfer_means() -> Iterator[Entry]:
    """Yield the columns of transfer_means.csv."""
    from learnability.extensions.transfer.outcome import COLUMNS_OF_MEANS

    for column in COLUMNS_OF_MEANS:
        yield column.topic, column.name, column.meaning


def entries_of_doubts() -> Iterator[Entry]:
    """Yield the columns of doubts.csv."""
    from learnability.extensions.doubts.files import COLUMNS

    for column in COLUMNS:
        yield column.topic, column.name, column.meaning


IN_SITE: dict[str, Callable[[], Iterator[Entry]]] = {
    "<!-- columns of results.csv -->": entries_of_results,
    "<!-- columns of scores.csv -->": entries_of_scores,
    "<!-- columns of parsers.csv -->": entries_of_parsers,
    "<!-- columns of predictions.csv -->": entries_of_predictions,
    "<!-- columns of history.csv -->": entries_of_history,
    "<!-- columns of transfer.csv -->": entries_of_transfer,
    "<!-- columns of transfer_means.csv -->": entries_of_transfer_means,
    "<!-- columns of doubts.csv -->": entries_of_doubts,
}
"""What stands in a page in the place of tables, and what stands in these."""


def in_site(markdown: str) -> str:
    """Return a page with its tables of columns."""
    for mark, entries in IN_SITE.items():
        if mark in markdown:
            markdown = markdown.replace(mark, "\n".join(map("\n".join, _sections(tables(entries())))))
    return markdown


def _sections(found: dict[str, dict[str, list[str]]]) -> Iterator[list[str]]:
    """Yield the lines of each table below its heading."""
    for topic, names_by_meaning in found.items():
        yield [f"### {topic}", "", "| name | meaning |", "|---|---|", *_rows(names_by_meaning), ""]


def _rows(names_by_meaning: dict[str, list[str]]) -> Iterator[str]:
    """Yield a line for each meaning, with the names that have it."""
    for meaning, names in names_by_meaning.items():
        yield f"| {', '.join(f'`{name}`' for name in names)} | {meaning} |"
