"""Runs with several parsers: rows as each alone gives them, failures that cost their own cells, resuming."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from carried_out import asked, carried_out, foreseen_cells, planned, study_of
from run_data import plan as plan_by_hand
from run_data import training_of

from learnability import InputError, api
from learnability.comparing.fold import read_folds
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.run_parsers import check_parsers, multiref_parser
from learnability.errors import RunError
from learnability.evidence.columns import row_details, row_values
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.parsers import registry
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import ParserKind, Setup, TrainedParser
from learnability.reports import comparison_files
from learnability.reports.page import report_files
from learnability.reports.story import RunStory
from learnability.running.config import RunConfig
from learnability.running.folder import RunFolder
from learnability.running.records import read_records
from learnability.running.workers import warm_up
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO
from learnability.studies.run_config import run_config
from learnability.studies.runner import workload
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree

OPTIONS = ExperimentOptions.spell_annotations(("case", "det"), seeds=2, iterations=2)
PARSERS = ("arc-eager", "arc-eager:form", "chain")
SURVIVAL = ("trained_on_both", "factors_cut")


@dataclass
class Chain:
    """Attaches each word to the one before it, the first to the root; counts what it was asked for."""

    setup: Setup
    broken: list[str]
    calls: list[tuple[int, int]]
    projective = False
    threads = 2

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        self.calls.append((len(trees), seed))
        if self.broken and seed == 2:
            raise RunError(self.broken[0])

        def parse(sentences: Sequence[Tree]) -> list[Tree]:
            return [tree.with_heads(range(len(tree)), ["dep"] * len(tree)) for tree in sentences]

        return TrainedParser(parse, self.setup.iterations or 1, 0.5)


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chain]:
    """The parser `chain`, registered; what is in `broken` lets its second seed fail."""
    made = Chain(Setup(), [], [])

    def make(setup: Setup, options: Mapping[str, str]) -> Any:
        return replace(made, setup=setup)

    kind = ParserKind("chain", "each word to the one before it", make, (0.1, 0.1))
    monkeypatch.setitem(registry.PARSERS, "chain", kind)
    yield made
    made.broken.clear()  # the fold of the last run is kept, with its parser


def with_parsers(*parsers: str, **options: Any) -> ExperimentOptions:
    return ExperimentOptions(
        OPTIONS.alternatives, **{"seeds": 2, "iterations": 2, **options}, parsers=parsers
    )


def run(files: TreebankFiles, out: Path, parsers: Sequence[str] = PARSERS, **options: Any) -> RunStory:
    return carried_out(files, with_parsers(*parsers), out, **options)


def of_parser(rows: Sequence[ComparisonRow], parser: str) -> list[dict[str, Any]]:
    every = ({**row_values(row), **row_details(row)} for row in rows if row.parser == parser)
    return [
        {name: v for name, v in row.items() if name != "parser" and not name.startswith(SURVIVAL)}
        for row in every
    ]


def test_each_parser_says_what_it_says_alone(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    outcome = run(small_files, tmp_path / "all")
    assert [(row.name, row.parser) for row in outcome.rows] == [
        (c, j) for c in ("case", "det") for j in PARSERS
    ]
    assert not outcome.failed
    for system in ("arc-eager", "arc-eager:form"):
        alone = carried_out(small_files, with_parsers(system), tmp_path / system)
        # a run of the default parser alone does not name it
        expected = of_parser(alone.rows, "" if system == "arc-eager" else system)
        assert len(expected) == 2
        found = of_parser(outcome.rows, system)
        if system != "arc-eager":  # the first of the transition systems trains against both
            assert all(row.trained_on_both.base is None for row in outcome.rows if row.parser == system)
            for row in (*expected, *found):
                row["trained_on_both_pick"] = None
        else:
            own = [row for row in outcome.rows if row.parser == system]
            for name in ("trained_on_both_base", "trained_on_both_pick"):
                assert [row_values(row)[name] for row in own] == [row_values(row)[name] for row in alone.rows]
        assert found == expected
    # trees as they are, not lifted, for a parser that does not need them projective
    whole = len(read_folds(small_files, OPTIONS.data)[0].train)
    assert {trees for trees, _ in chain.calls} == {whole}


def test_a_parser_that_fails_costs_its_own_cells(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    whole = run(small_files, tmp_path / "whole")
    chain.broken.append("parser chain: training hangs; its log is somewhere")
    broken = run(small_files, tmp_path / "broken")
    failed = {record.key: record.failed for record in broken.failed}
    assert sorted(failed) == [
        "UD_Small/a//2/0/parser=chain",
        "UD_Small/b/case/2/0/parser=chain",
        "UD_Small/b/det/2/0/parser=chain",
    ]
    assert set(failed.values()) == {"parser chain: training hangs; its log is somewhere"}
    for parser in ("arc-eager", "arc-eager:form"):
        assert of_parser(broken.rows, parser) == of_parser(whole.rows, parser)
    assert all(
        row.difference() is None and not row.easier().answer for row in broken.rows if row.parser == "chain"
    )
    assert [len(panel.heard) for panel in broken.all_parsers] == [2, 2]
    page = report_files(broken)["report.html"].decode()
    assert "Did not run: chain." in page
    assert "<b>chain: 3 trainings failed</b>" in page
    assert "The first error: parser chain: training hangs" in page
    assert "det by chain: not computed" in page.replace("\N{NO-BREAK SPACE}", " ")
    # mended and resumed, only what failed is trained, and the files are those of a run that nothing disturbed
    chain.broken.clear()
    chain.calls.clear()
    run(small_files, tmp_path / "broken", resume=True)
    assert [seed for trees, seed in chain.calls if trees > 1] == [2, 2, 2]
    for name in ("results.csv", "parsers.csv"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def config_of(folder: Path) -> RunConfig:
    return read_run(folder).config


PARSER_FILE = """
name = "chain-by-command"
train = ["{python}", "-c", "pass", "{{train}}", "{{iterations}}"]
parse = ["{python}", "{folder}/chain.py", "{{input}}", "{{output}}"]
"""
CHAIN = """
import sys
with open(sys.argv[1]) as source, open(sys.argv[2], "w") as output:
    for line in source:
        columns = line.split("\\t")
        if len(columns) == 10:
            columns[6:8] = [str(int(columns[0]) - 1), "dep"]
        output.write("\\t".join(columns))
"""


def test_a_file_is_a_parser_and_its_content_is_remembered(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(PARSER_FILE.format(python=sys.executable, folder=tmp_path))
    (tmp_path / "chain.py").write_text(CHAIN)
    outcome = run(small_files, tmp_path / "run", ["chain", str(path)])
    assert not outcome.failed
    assert [row.parser for row in outcome.rows] == ["chain", "chain-by-command"] * 2
    one, other = (of_parser(outcome.rows, name) for name in ("chain", "chain-by-command"))
    assert one == other
    config = config_of(tmp_path / "run")
    options = ExperimentOptions.of_config(config)
    assert options == with_parsers("chain", str(path))
    assert list(config.arguments["parser_files"]) == [str(path)]

    def parser_files() -> dict[str, str]:
        now = ExperimentOptions.of_config(config)
        plan = planned(small_files, now)
        files: dict[str, str] = run_config(plan, [asked("run")], {}).arguments["parser_files"]
        return files

    path.write_text(path.read_text() + "time_limit = 2000\n")  # changes no parse
    assert parser_files() == config.arguments["parser_files"]
    path.write_text(path.read_text() + "projective = true\n")
    assert parser_files() != config.arguments["parser_files"]


def test_a_file_that_changes_during_the_run_is_not_used(small_files: TreebankFiles, tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(PARSER_FILE.format(python=sys.executable, folder=tmp_path))
    (tmp_path / "chain.py").write_text(CHAIN)
    plan = planned(small_files, with_parsers(str(path)))
    load = workload(plan, [study_of(plan, asked("run"))])
    cell = load.planned[0]
    before = load.task(cell)()
    task = pickle.dumps(load.task(cell))
    path.write_text("no parser any more")
    again = pickle.loads(task)()
    assert again.key == before.key
    assert training_of(again).scores == training_of(before).scores
    with pytest.raises(InputError, match=r"chain\.toml"):
        with_parsers(str(path))


def test_a_command_that_takes_no_iterations_is_not_trained_to_warm_up(tmp_path: Path) -> None:
    path, work = tmp_path / "chain.toml", tmp_path / "trained"
    text = PARSER_FILE.format(python=sys.executable, folder=tmp_path).replace(', "{iterations}"', "")
    path.write_text(text.replace('"pass"', f"\"open({str(work)!r}, 'w')\""))
    plan = plan_by_hand(parsers=(str(path),))
    cells = foreseen_cells(plan)
    assert {cell.parser for cell in cells} == {"", str(path)}
    warm_up(1, [call for cell in cells if cell.parser for call in cell.kernels(plan.options)])
    assert not work.exists()


def test_records_name_the_parser_and_what_it_took(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    run(small_files, tmp_path, ["chain", "arc-eager"])
    records = read_records(RunFolder(tmp_path).records)
    assert {record.parser for record in records.values()} == {"chain", "arc-eager", ""}
    assert {record.setting for record in records.values() if record.parser == "chain"} == {"a", "b"}
    assert {record.setting for record in records.values() if not record.parser} == {"measures"}
    works = [record.work for record in records.values() if record.parser == "chain"]
    (one,) = {work.kernel_seconds for work in works if work is not None}
    assert one == 0.5


def test_runs_of_different_parsers_are_compared(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    run(small_files, tmp_path / "both", ["arc-eager:form", "chain"])
    carried_out(small_files, with_parsers("arc-eager"), tmp_path / "plain")
    plain, both = (read_run(tmp_path / name) for name in ("plain", "both"))
    both.config.versions["chain"] = "1.0"  # what only one parser needs is no difference
    evidence = combine_runs([plain, both])
    assert [c.row.title for c in evidence.constructions] == [f"{c} by {j}" for c, j in
        [("case", "arc-eager"), ("case", "arc-eager:form"), ("case", "chain"),
         ("det", "arc-eager"), ("det", "arc-eager:form"), ("det", "chain")]]  # fmt: skip
    assert not any("differ in parsers" in remark or "versions" in remark for remark in evidence.remarks)
    assert [(p.rows[0].name, [row.parser for row in p.rows]) for p in evidence.combine_parsers()] == [
        (name, ["arc-eager", "arc-eager:form", "chain"]) for name in ("case", "det")
    ]
    files = comparison_files.outputs(evidence)
    assert "parsers.csv" in files
    assert "The parsers side by side" in files["compare.html"].decode()


def test_a_run_without_parsers_is_that_of_its_parser(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    carried_out(small_files, OPTIONS, tmp_path / "plain")
    run(small_files, tmp_path / "named", ["arc-eager"])
    evidence = combine_runs([read_run(tmp_path / name) for name in ("plain", "named")])
    assert [c.row.title for c in evidence.constructions] == ["case", "det"]
    assert len(evidence.pairs) == 2  # those of both runs are the same
    assert evidence.combine_parsers() == []


@pytest.mark.parametrize("labelled", [False, True])
def test_parsers_that_cost_much_are_trained_last(
    labelled: bool, monkeypatch: pytest.MonkeyPatch, chain: Chain
) -> None:
    """Whatever their place on the command line, after all others on all treebanks; labels may decide."""
    seconds = (0.1, 5.0), (5.0, 0.1), (0.1, 0.1)
    for name, of_kind in zip(("labels", "heads", "cheap"), seconds, strict=True):
        kind = replace(registry.PARSERS["chain"], name=name, seconds=of_kind)
        monkeypatch.setitem(registry.PARSERS, name, kind)
    plan = plan_by_hand(
        "UD_A", "UD_B", parsers=("labels", "cheap", "heads"), labels="external" if labelled else None
    )
    trained = [cell for cell in foreseen_cells(plan) if cell.SETTING in ("a", "b")]
    costly, *others = ("labels", "heads") if labelled else ("heads", "labels")
    last = [cell for cell in trained if cell.parser == costly]
    assert trained[-len(last) :] == last
    assert {cell.treebank for cell in last} == {"UD_A@1.3", "UD_B@1.3"}
    assert {cell.parser for cell in trained[: -len(last)]} == {"cheap", *others}


def test_what_cannot_be_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chain: Chain) -> None:
    absent = replace(registry.PARSERS["chain"], modules=("no_such_module",), extra="chain")
    monkeypatch.setitem(registry.PARSERS, "chain", absent)
    with pytest.raises(InputError, match=r"parser chain is not installed; run pip install no_such_module$"):
        check_parsers(with_parsers("arc-eager", "chain"))
    twice = with_parsers("arc-eager", "arc-eager:dynamic", "arc-eager:explore")
    assert [parser.spelling for parser in twice.parsers] == ["arc-eager", "arc-eager:explore"]
    path = tmp_path / "chain.toml"
    path.write_text(PARSER_FILE.format(python=sys.executable, folder=tmp_path).replace("-by-command", "-2"))
    other = tmp_path / "other.toml"
    other.write_text(path.read_text())
    with pytest.raises(InputError, match="two of `parsers` are called chain-2; rename one of them"):
        check_parsers(with_parsers(str(path), str(other)))


def test_an_answer_that_is_no_tree_is_a_failure(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(self: Chain, *data: Any) -> TrainedParser:
        return TrainedParser(
            lambda trees: [t.with_heads([1] * len(t), ["dep"] * len(t)) for t in trees], 1, 0
        )

    monkeypatch.setattr(Chain, "train", train)
    outcome = carried_out(small_files, with_parsers("chain", seeds=1), tmp_path)
    assert {str(record.failed) for record in outcome.failed} == {
        "parser chain: sentence 1 of 25: the heads form a cycle through word 1"
    }


def test_what_is_known_of_its_seeds_is_in_its_intervals(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain
) -> None:
    parsers = ("chain", "arc-eager:form")
    outcome = carried_out(small_files, with_parsers(*parsers, seeds=1), tmp_path)
    content = outcome
    of_rows = records_of_rows(content.config, content.rows, content.records)
    assert [parser_named(parser).kind.seed_ratio for parser in parsers] == [1.0, SEED_RATIO]
    for row, own in zip(outcome.rows, of_rows, strict=True):
        a, b = ([n for fold in side[0] for n in fold.scores["uas"].correct] for side in (own.a, own.b))
        ratio = own.scale_ratio(1.0 if row.parser == "chain" else SEED_RATIO)
        beside = [
            [other.b[0][0].scores["uas"].correct]
            for another, other in zip(outcome.rows, of_rows, strict=True)
            if another.parser == row.parser and another is not row
        ]
        expected = compare(a, b, own.a[0][0].tokens, seed_ratio=ratio, beside=beside, moderated=True)
        difference = row.difference()
        assert difference is not None
        assert (difference.error, difference.uncorrected_low) == (expected.error, expected.low)


def test_training_on_both_has_one_parser(small_files: TreebankFiles, chain: Chain) -> None:
    plan = planned(small_files, with_parsers("chain", "arc-standard", "arc-hybrid"))

    def parsers(setting: str) -> set[str]:
        return {cell.parser for cell in foreseen_cells(plan) if setting == cell.SETTING}

    assert parsers("c") == {"arc-hybrid"}
    assert parsers("a") == parsers("b") == {"chain", "arc-standard", "arc-hybrid"}
    assert multiref_parser(with_parsers("chain", "arc-standard")) is None


def test_a_parser_that_does_not_tell_its_iterations(
    small_files: TreebankFiles, tmp_path: Path, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = Chain.train

    def silent(self: Chain, *data: Any) -> TrainedParser:
        return replace(train(self, *data), iterations=0)

    monkeypatch.setattr(Chain, "train", silent)
    outcome = carried_out(small_files, with_parsers("chain", seeds=1), tmp_path)
    assert not outcome.failed
    assert [row.iterations for row in outcome.rows] == [None, None]


def test_what_runs_show_together_has_one_name_everywhere(small: Path, tmp_path: Path) -> None:
    """Attributes, files and JSON hold the same under the same name, and what the run has is kept."""
    parsers = ("arc-eager", "arc-eager:form")
    api.run_experiment(
        small,
        ("case", "det"),
        parsers=parsers,
        seeds=2,
        iterations=1,
        jobs=1,
        progress=False,
        out=tmp_path,
        test_set=True,
    )
    compared = api.compare_runs(tmp_path)
    evidence = combine_runs([read_run(tmp_path)])
    files = {
        name.removesuffix(".csv"): data.decode()
        for name, data in comparison_files.outputs(evidence).items()
        if name.endswith(".csv")
    }
    values = json.loads(comparison_files.as_json(evidence))
    names = [field.name for field in fields(compared)]
    assert {"differences", "parsers"} <= {*files}
    assert {*names} - {*values} == {"scores"}  # in JSON, differences have them
    for name in names:
        frame = getattr(compared, name)
        if not isinstance(frame, pandas.DataFrame) or frame.empty:
            continue  # a table without rows is no file
        assert name in files
        header, *rows = csv.reader(io.StringIO(files[name]))
        assert [column for column in frame if column not in header] == []
        assert len(frame) == len(rows)
        if name not in ("scores", "differences"):
            assert [{*frame} - {*value} for value in values[name]] == [set()] * len(frame)
    assert files["parsers"] == (tmp_path / "parsers.csv").read_text(encoding="utf-8")
