"""The verification suite: `python -m pytest tests/verification`; no part of the default test command.

Every check counts its cases and differences in a `tally`. A table of all checks ends the output, and
`--write-table research/verification/README.md` puts the tables of the files that ran in that page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tally import Row, Tally, table, write_tables

from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Conventions, Tree

ROWS: dict[str, list[Row]] = defaultdict(list)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("verification")
    group.addoption("--write-table", metavar="PAGE", help="put the tables of what ran in this page")
    group.addoption("--times", type=float, default=1.0, help="so many times the sampled cases (default 1)")


def pytest_configure(config: pytest.Config) -> None:
    partly = config.option.keyword or any("::" in arg for arg in config.args)
    if config.option.write_table and partly:
        raise pytest.UsageError("--write-table needs whole files: no -k, no ::")


@pytest.fixture(scope="session")
def sized(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """The number of sampled cases: the documented one, multiplied by `--times`."""
    return lambda cases: max(1, round(cases * request.config.option.times))


@pytest.fixture(scope="session")
def treebanks(ud_files: list[Path]) -> list[tuple[Conventions, list[Tree]]]:
    """The conventions and all trees of each real treebank."""
    found: dict[Path, list[Tree]] = defaultdict(list)
    for path in ud_files:
        found[path.parent] += [sentence.tree for sentence in read_conllu(path).sentences]
    return [(detect_conventions(trees, folder=folder.parent.name), trees) for folder, trees in found.items()]


@pytest.fixture
def tally() -> Tally:
    """Counts; the check fails if there were differences, or no cases."""
    return Tally()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[object]:
    """After a check its tally is looked at."""
    counted = pyfuncitem.funcargs.get("tally", Tally(1))
    try:
        done = yield
    finally:
        pyfuncitem.user_properties.append(("tally", (counted.cases, counted.differences)))
    assert counted.cases, "nothing was tried"
    assert not counted.differences, f"{counted.differences} of {counted.cases}: " + "; ".join(counted.seen)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    what = ((item.obj.__doc__ or item.name).strip().splitlines()[0]).rstrip(".")
    what += "".join(f"; {said}" for name, said in item.user_properties if name == "ends")
    report.user_properties.append(("what", what))
    if callspec := getattr(item, "callspec", None):
        report.user_properties.append(("parameters", callspec.id))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """One row for each check that ran, was skipped or failed."""
    said = dict(report.user_properties)
    if "what" in said and (report.when == "call" or not report.passed):
        path, place, _ = report.location
        cases, differences = said.get("tally", (0, 0))
        broken = report.failed and not differences
        note = str(report.longrepr[2]) if report.skipped else "failed" if broken else ""
        parameters = said.get("parameters", "")
        row = Row(place or 0, said["what"], parameters, cases, differences, report.duration, note)
        ROWS[Path(path).stem].append(row)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name, rows in sorted(ROWS.items()):
        terminalreporter.section(name)
        terminalreporter.write_line(table(rows))
    if config.option.write_table:
        write_tables(Path(config.option.write_table), ROWS)
