"""The study: records make the files, and more can be asked of a finished run."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from invoking import Call, needs_dask
from small_treebanks import small_treebank

from learnability.annotation_diffs.version import Version
from learnability.comparing.kept_files import KeptTreebank
from learnability.extensions.harmonise.cells import (
    ParsesCell,
    TagsCell,
    TogetherCell,
)
from learnability.extensions.harmonise.cross_parses import (
    TrainingSettings,
    sample_trees,
    with_seen_tags,
)
from learnability.extensions.harmonise.line_costs import TrainedTreebanks
from learnability.extensions.harmonise.report import contents_of_trainings
from learnability.extensions.harmonise.selecting import (
    LanguageFiles,
    LanguageSelection,
    compare_members,
)
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison, with_arcs
from learnability.parsing.parser import Parser
from learnability.running.records import Record, Records, read_records
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import read_treebank
from research.harmonise.in_memory import compare_treebanks

QUICK = TrainingSettings(words=1500, folds=3, seeds=(1,), iterations=4)

FAST = ("--words", "1000", "--jobs", "1", "--quiet", "--train")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two treebanks, the second with a planted tag: ``AUX`` is ``VERB``."""
    folder = tmp_path_factory.mktemp("home")
    for name, first in (("UD_A", 0), ("UD_B", 100)):
        small_treebank(folder, name, first=first, train=100)
    for path in (folder / "UD_B").glob("*.conllu"):
        path.write_text(path.read_text(encoding="utf-8").replace("\tAUX\t", "\tVERB\t"), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def finished(home: Path, tmp_path_factory: pytest.TempPathFactory, call: Call) -> Path:
    """The folder of a run of one seed."""
    out = tmp_path_factory.mktemp("run") / "out"
    done = call("harmonise", home / "UD_A", home / "UD_B", *FAST, "--seeds", "1", "--out", out)
    assert done.code == 0, done.errors
    return out


def test_a_treebank_is_not_compared_with_itself(home: Path, tmp_path: Path, call: Call) -> None:
    """Also where it is in another folder and has another name."""
    copy = tmp_path / "UD_Copy"
    shutil.copytree(home / "UD_A", copy)
    done = call("harmonise", home / "UD_A", copy, *FAST, "--out", tmp_path / "out")
    assert done.code == 2
    assert "UD_Copy has the same files as UD_A" in done.errors
    assert not (tmp_path / "out").exists()


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def files_in(folder: Path) -> dict[str, bytes]:
    """What a run has written, without its records and its config.json."""
    apart = ("records.jsonl", "config.json", ".lock", ".written")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in apart}


def test_a_run_writes_what_the_comparison_in_memory_has(finished: Path, home: Path) -> None:
    settings = TrainingSettings(words=1000, seeds=(1,))
    versions = [Version.named(str(home / name)) for name in ("UD_A", "UD_B")]
    files = [Version.find_files(str(home / name)) for name in ("UD_A", "UD_B")]
    contents = contents_of_trainings(TrainedTreebanks.of(compare_treebanks(versions, settings)), files)
    written = files_in(finished)
    assert "conventions.html" in written
    assert "report.html" not in written
    assert written == contents


def test_a_planted_tag_is_named_with_its_cost(finished: Path, home: Path, call: Call) -> None:
    """It is one line, which counting alone names, too; its cost is added."""
    counted = call("harmonise", home / "UD_A", home / "UD_B", "--json")
    (alone,) = json.loads(counted.text)["found"]
    rows = rows_of(finished / "conventions.csv")
    assert [row["number"] for row in rows if row["number"]] == [
        str(each["number"]) for each in alone["conventions"]
    ]
    (row,) = (row for row in rows if row["columns"] == "upos" and row["number"])
    assert (row["instead"], row["measure"]) == ("VERB", "UPOS")
    assert float(row["points"]) > 2


@pytest.mark.slow
@needs_dask
def test_a_cluster_gives_the_same_bytes(finished: Path, home: Path, tmp_path: Path, call: Call) -> None:
    words = ("--words", "1000", "--quiet", "--train", "--jobs", "local:2", "--seeds", "1")
    done = call("harmonise", home / "UD_A", home / "UD_B", *words, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    assert files_in(tmp_path / "out") == files_in(finished)


def copied(folder: Path, target: Path) -> Path:
    """A copy of a run."""
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def test_more_seeds_are_added_to_a_finished_run(
    finished: Path, home: Path, tmp_path: Path, call: Call
) -> None:
    """What was trained stays, and the files are those of one run."""
    out = copied(finished, tmp_path / "out")
    before = read_records(out / "records.jsonl")
    treebanks = (home / "UD_A", home / "UD_B")
    seeds = call("harmonise", *treebanks, *FAST, "--seeds", "2", "--resume", "--out", out)
    assert seeds.code == 0, seeds.errors
    after = read_records(out / "records.jsonl")
    assert {key: after[key] for key in before} == before
    fresh = tmp_path / "fresh"
    whole = call("harmonise", *treebanks, *FAST, "--seeds", "2", "--out", fresh)
    assert whole.code == 0, whole.errors
    assert files_in(out) == files_in(fresh)


def test_a_plan_says_what_is_trained(home: Path, tmp_path: Path, call: Call) -> None:
    treebanks = (home / "UD_A", home / "UD_B")
    planned = call("harmonise", *treebanks, "--train", "--seeds", "2", "--dry-run", "--out", tmp_path / "out")
    assert planned.code == 0, planned.errors
    assert planned.text.startswith("9 trainings and measurements")
    assert not (tmp_path / "out").exists()


def test_json_is_that_of_the_treebanks(finished: Path, home: Path, tmp_path: Path, call: Call) -> None:
    out = copied(finished, tmp_path / "out")
    same = ("--seeds", "1", "--out", out)
    done = call("harmonise", home / "UD_A", home / "UD_B", *FAST, *same, "--json")
    assert done.code == 0, done.errors
    assert json.loads(done.text)["treebanks"] == ["UD_A", "UD_B"]


def test_what_cannot_be_compared_is_one_line(home: Path, tmp_path: Path, call: Call) -> None:
    tiny = small_treebank(tmp_path, "UD_Tiny", train=3, dev=2, test=2)
    for second, problem in (
        ("UD_Nowhere", "UD_Nowhere"),
        (tiny, "UD_Tiny has only"),
        (tmp_path / "x.conllu", "x.conllu"),
    ):
        done = call("harmonise", home / "UD_A", second, "--train", "--quiet", "--out", tmp_path / "out")
        assert done.code == 2
        assert problem in done.errors
        assert len(done.errors.strip().splitlines()) == 1
    assert call("harmonise", home / "UD_A").code == 2
    assert not (tmp_path / "out").exists()


def test_kept_files_are_read_as_the_treebank_is(home: Path) -> None:
    files = LanguageSelection(str(home / "UD_A"), others=(str(home / "UD_B" / "xx-ud-train.conllu"),)).files()
    assert files.name == "UD_A+xx-ud-train"
    (treebank,) = files.folds(read_treebank(files), read_treebank, lambda whole: (whole,))
    for member, of_fold in zip(files.members, treebank.compared, strict=True):
        version = Version.of_treebank(KeptTreebank.read(member).read_again())
        assert version.sentences == of_fold.version.sentences
        assert [s.file for s in version.sentences] == [s.file for s in of_fold.version.sentences]
        assert (version.sets, version.conventions) == (of_fold.version.sets, of_fold.version.conventions)


def test_treebanks_are_named_together(home: Path) -> None:
    a, b = (locate_treebank(home / name) for name in ("UD_A", "UD_B"))
    assert LanguageFiles.of([a, b]).name == "UD_A+UD_B"
    assert LanguageFiles.of([a, b, a, b]).name == "UD_A-(1)+UD_B-(2)+2-others"
    newer = replace(a, release="2.16")
    assert (LanguageFiles.of([newer, b]).release, LanguageFiles.of([a, newer]).name) == ("", "UD_A+UD_A-2.16")
    assert set(LanguageFiles.of([a, b]).paths()) == {*a.paths(), *b.paths()}


def test_no_parser_learns_from_what_it_parses(planted: TreebankComparison) -> None:
    """And each sentence of each treebank is parsed once by the parsers of each."""
    divided = planted.divided
    for source in range(2):
        places: list[tuple[int, int]] = []
        for learned, tested in divided.trainings(source):
            text = [planted.treebanks[number].trees[i] for number, of in tested.items() for i in of]
            assert text
            assert not set(map(id, text)) & set(map(id, learned))
            places += [(number, place) for number, of in tested.items() for place in of]
        assert sorted(places) == [
            (number, place) for number in range(2) for place in range(len(planted.treebanks[number].trees))
        ]


def test_parsers_see_the_tags_that_they_know(versions: tuple[Version, Version]) -> None:
    """Parses of a cell are those of a parser that is given the retagged sentences."""
    first, second = versions

    def retag(tree: Tree) -> Tree:
        return replace(tree, upos=tuple("VERB" if tag == "AUX" else tag for tag in tree.upos))

    treebanks = compare_members((first, second.change_trees(retag, second.name)))
    records = Records()
    comparison = TreebankComparison(treebanks, QUICK, records)
    for tags in comparison.plan.tags():
        records.add(Record.of(tags, tags.compute_on(treebanks)))
    for cell in comparison.parse_cells():
        (target,) = cell.seen
        trees = treebanks[target].trees
        annotated = [tag for tree in trees for tag in tree.upos]
        changes = {(annotated[word], tag) for word, tag in cell.seen[target].items()}
        assert (("VERB", "AUX") if target else ("AUX", "VERB")) in changes
        parser = Parser.fit(
            sample_trees(treebanks[cell.source].trees, comparison.size, 1),
            system="arc-eager", labelled=True, iterations=4, seed=1, multiple_roots=False,
        )  # fmt: skip
        expected = parser.parse(with_seen_tags(trees, cell.seen[target]))
        arcs = cell.compute_on(treebanks).arcs()
        parsed = [with_arcs(treebank.trees, arcs) for treebank in treebanks]
        _, tested = next(comparison.divided.trainings(cell.source))  # others have copies in the source
        assert len(tested[target]) > 50
        for place in tested[target]:
            assert parsed[target][place].heads == expected[place].heads


def test_no_training_is_made_again_for_more_seeds() -> None:
    more = replace(QUICK, seeds=(1, 2))
    for made in (
        TagsCell(treebank="", settings=QUICK, seed=1, source=0),
        ParsesCell(treebank="", settings=QUICK, seed=1, source=0),
        TogetherCell(treebank="", settings=QUICK, seed=1, tested=0, added=1),
    ):
        assert made.key == replace(made, settings=more).key
