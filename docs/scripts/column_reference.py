"""Write the tables of the page of numbers from the declarations of columns.

    python docs/scripts/column_reference.py

puts them below their headings in `docs/numbers.md`; a test fails when they are out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

PAGE = ROOT / "docs" / "numbers.md"


def tables() -> dict[str, dict[str, list[str]]]:
    """Return, by heading and meaning, the names with that meaning."""
    found: dict[str, dict[str, list[str]]] = {}
    for topic, name, meaning in entries():
        names = found.setdefault(topic, {}).setdefault(meaning, [])
        if name not in names:
            names.append(name)
    return found


def entries() -> Iterator[tuple[str, str, str]]:
    """Yield the heading, name and meaning of columns, comparisons and statistics."""
    from learnability.comparing.criteria import CRITERIA
    from learnability.evidence.columns import BASES, COMPARED, LONG, RESULTS, SCORES, TAGGED
    from learnability.evidence.differences import ComparisonKind
    from learnability.evidence.panel import PANEL
    from learnability.extensions.doubts.files import COLUMNS as DOUBTS
    from learnability.extensions.doubts.files import PATTERN_COLUMNS
    from learnability.extensions.history.section import COLUMNS, GROUP_COLUMNS
    from learnability.studies.predict.predictions import PREDICTIONS

    for column in RESULTS:
        usual = column.comparison == ComparisonKind.ANNOTATION
        comparison = "" if usual else BASES.get(column.comparison, "")
        meaning = f"{column.meaning}; {comparison}" if comparison else column.meaning
        yield COMPARED if not column.score else "Scores and answers", column.name, meaning
    for column in (*SCORES, *PANEL, *PREDICTIONS, *COLUMNS, *GROUP_COLUMNS, *DOUBTS, *PATTERN_COLUMNS):
        yield column.topic, column.name, column.meaning
    for name, meaning in BASES.items():
        yield "Comparisons", name, meaning
    yield "Comparisons", *TAGGED
    for criterion in CRITERIA:
        yield "Comparisons", criterion.key, criterion.meaning
    for statistic in LONG:
        yield statistic.topic, statistic.statistic, statistic.meaning


def page() -> str:
    """Return the page with these tables; everything else stays as it is in the file."""
    text = PAGE.read_text(encoding="utf-8")
    for topic, names_by_meaning in tables().items():
        table = re.compile(
            rf"(?<=\n)(#+ {re.escape(topic)}(?: {{#.*}})?\n"
            r"(?:(?!#|\|).*\n)*\| .* \|\n\|---\|---\|\n)(?:\|.*\n)*"
        )
        rows = [
            f"| {', '.join(f'`{name}`' for name in names)} | {meaning} |\n"
            for meaning, names in names_by_meaning.items()
        ]
        text, replaced = table.subn(lambda match, rows=rows: match[1] + "".join(rows), text)
        if replaced != 1:
            raise SystemExit(f"{PAGE}: no table below {topic!r}")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
