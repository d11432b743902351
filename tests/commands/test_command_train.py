"""`train`, `parse` and `evaluate` together."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import cut

from learnability.metrics import attachment_scores
from learnability.parsing.model_file import load_model
from learnability.parsing.projectivity import is_projective
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def labelled(call: Call, models: Path, demo: Path) -> Path:
    path = models / "labelled"
    if not path.exists():
        done = call("train", demo / "demo-ud-train.conllu", "-m", path, "--labelled", "--iterations", "4")
        assert (done.code, done.output) == (0, b"")
        assert "training sentences are not projective: lifted" in done.errors
        assert f"{path}: " in done.errors
    return path


def columns(data: bytes, *, without: tuple[int, ...]) -> list[list[bytes]]:
    rows = [line.split(b"\t") for line in data.split(b"\n")]
    return [[cell for i, cell in enumerate(row) if len(row) < 10 or i not in without] for row in rows]


def test_train_parse_evaluate(call: Call, labelled: Path, demo: Path, tmp_path: Path) -> None:
    gold = demo / "demo-ud-test.conllu"
    parsed = call("parse", "-m", labelled, gold, "-o", tmp_path / "parsed")
    assert (parsed.code, parsed.output, parsed.errors) == (0, b"", "")
    data = (tmp_path / "parsed").read_bytes()
    assert call("parse", "-m", labelled, stdin=gold.read_bytes()).output == data
    scores = json.loads(call("evaluate", gold, "--json", stdin=data).text)
    expected = attachment_scores(
        [s.tree for s in read_conllu(gold).sentences],
        [s.tree for s in read_conllu(tmp_path / "parsed").sentences],
    )
    assert {name: scores[name] for name in expected.percentages()} == expected.percentages()
    assert scores["uas"] > 85
    assert scores["las"] > 80
    assert sum(row["gold"] for row in scores["relations"].values()) == scores["tokens"] == expected.tokens


@pytest.mark.usefixtures("interpreted")
def test_the_oracle_of_a_system_without_costs_is_static(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    """As `run` has it: where no `--oracle` is given, the system says which."""
    few = tmp_path / "few.conllu"
    cut(demo_dev, few, 0, 5)
    train = ("train", few, "--system", "arc-standard", "--iterations", "1", "--labelled", "-m")
    done = call(*train, tmp_path / "implied")
    assert done.code == 0, done.errors
    assert load_model(tmp_path / "implied").options.oracle == "static"
    assert call(*train, tmp_path / "given", "--oracle", "static").code == 0
    assert (tmp_path / "implied").read_bytes() == (tmp_path / "given").read_bytes()


def test_every_byte_but_head_deprel_and_deps_stays(call: Call, labelled: Path, demo: Path) -> None:
    source = (demo / "demo-ud-test.conllu").read_bytes().replace(b"\n", b"\r\n")
    kept = call("parse", "-m", labelled, "--deps", "keep", stdin=source).output
    assert columns(kept, without=(6, 7)) == columns(source, without=(6, 7))
    dropped = call("parse", "-m", labelled, stdin=source).output
    rows = [row for row in columns(source, without=(6, 7, 8)) if len(row) < 7 or b"." not in row[0]]
    assert columns(dropped, without=(6, 7, 8)) == rows
    assert {row[8] for row in columns(dropped, without=()) if len(row) == 10} == {b"_"}


def test_deps_are_dropped_where_no_head_changes(call: Call, labelled: Path, demo: Path) -> None:
    enhanced = (demo / "demo-ud-test.conllu").read_bytes()
    parsed = call("parse", "-m", labelled, "--deps", "keep", stdin=enhanced).output
    again = call("parse", "-m", labelled, stdin=parsed).output
    assert parsed.count(b".1\t") > again.count(b".1\t") == 0


def test_input_without_trees(call: Call, labelled: Path) -> None:
    bare = "".join(f"{i}\tw{i}\t_\tNOUN\t_\t_\t_\t_\t_\tA=b=c\n" for i in range(1, 6)).encode()
    done = call("parse", "-m", labelled, stdin=b"# x\n" + bare + b"\n" + bare)
    assert done.code == 0
    assert done.output.count(b"\t0\troot\t") == 2
    assert done.output.count(b"A=b=c") == 10


def test_a_broken_stream_leaves_no_output_file(call: Call, labelled: Path, tmp_path: Path) -> None:
    done = call("parse", "-m", labelled, "-o", tmp_path / "out", stdin=b"1\ta\n")
    assert done.code == 2
    assert list(tmp_path.iterdir()) == []


def test_copies_in_the_development_file_are_counted(call: Call, demo: Path, tmp_path: Path) -> None:
    sentences = (demo / "demo-ud-train.conllu").read_text(encoding="utf-8").split("\n\n")[:60]
    for name, part in (("train", sentences[:50]), ("dev", sentences[45:])):
        (tmp_path / name).write_text("\n\n".join([*part, ""]), encoding="utf-8")
    arguments = ("train", tmp_path / "train", "-m", tmp_path / "model", "--iterations", "1")
    done = call(*arguments, "--dev", tmp_path / "dev")
    assert done.code == 0
    assert "5 of 15 development sentences are copies of training sentences" in done.errors
    assert " copies of " not in call(*arguments, "--dev", demo / "demo-ud-dev.conllu").errors


def test_dev_tells_when_to_stop(call: Call, models: Path, demo: Path) -> None:
    done = call(
        "train", demo / "demo-ud-train.conllu", "-m", models / "dev", "--dev", demo / "demo-ud-dev.conllu"
    )
    assert done.code == 0
    assert "with dev UAS 9" in done.errors
    parser = load_model(models / "dev")
    dev = [sentence.tree for sentence in read_conllu(demo / "demo-ud-dev.conllu").sentences]
    told = float(done.errors.rpartition("dev UAS ")[2].partition(",")[0])
    assert math.isclose(attachment_scores(dev, parser.parse(dev)).uas, told, abs_tol=0.005)


def test_options_reach_the_model(call: Call, models: Path, demo_dev: Path) -> None:
    done = call(
        "train", demo_dev, "-m", models / "options", "--system", "arc-eager-root-first",
        "--oracle", "explore", "--seed", "7", "--iterations", "2", "--k", "0", "--p", "0.5",
        "--tags", "xpos", "--labelled", "--quiet",
    )  # fmt: skip
    assert (done.code, done.errors) == (0, "")
    options = load_model(models / "options").options
    assert (options.system, options.oracle, options.seed, options.iterations) == (
        "arc-eager-root-first", "explore", 7, 2,
    )  # fmt: skip
    assert (options.k, options.p, options.tags, options.labelled) == (0, 0.5, "xpos", True)


def test_leaving_out_is_training_on_the_others(
    call: Call, models: Path, demo_dev: Path, tmp_path: Path
) -> None:
    sentences = read_conllu(demo_dev).sentences
    kept = ["\n".join(s.lines) + "\n\n" for s in sentences if is_projective(s.tree.heads)]
    assert 0 < len(kept) < len(sentences)
    (tmp_path / "kept.conllu").write_text("".join(kept))
    for name, path in (("some", tmp_path / "kept.conllu"), ("all", demo_dev)):
        call("train", path, "-m", models / name, "--nonprojective", "drop", "--iterations", "1")
    assert (models / "some").read_bytes() == (models / "all").read_bytes()


def test_an_unwritable_model_is_told_before_the_work(call: Call, tmp_path: Path) -> None:
    done = call("train", tmp_path / "missing.conllu", "-m", tmp_path / "missing" / "model")
    assert "missing/model cannot be written" in done.errors


def test_labelled_training_on_references_learns_external_deprels(
    call: Call, models: Path, demo: Path
) -> None:
    model = models / "labelled-multiref"
    done = call(
        "train", demo / "demo-ud-train.conllu", "-m", model, "--multiref", "case", "--labelled",
        "--iterations", "3",
    )  # fmt: skip
    assert done.code == 0
    assert "the parser prefers UD in " in done.errors
    parsed = call("parse", "-m", model, demo / "demo-ud-test.conllu")
    assert parsed.code == 0
    deprels = {line.split(b"\t")[7] for line in parsed.output.splitlines() if line.count(b"\t") == 9}
    assert {b"comp:case", b"case", b"obl"} <= deprels


def test_evaluate_compares_two_systems(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    gold = read_conllu(demo_dev)
    flat = tmp_path / "flat.conllu"
    flat.write_bytes(write_conllu(gold, [s.tree.with_heads((0, *(1,) * (len(s) - 1))) for s in gold]))
    done = call("evaluate", demo_dev, flat, demo_dev, "--json", "--multiple-roots")
    assert (done.code, done.errors) == (0, "")
    whole = json.loads(done.text)
    assert [one["system"] for one in whole["systems"]] == [str(flat), str(demo_dev)]
    own = whole["comparison"][0]
    assert (own["by"], own["score"], own["second"], own["better"]) == ("all", "uas", 100.0, "second")
    assert own["first"] == whole["systems"][0]["uas"]
    text = call("evaluate", demo_dev, flat, demo_dev, "--score", "uas").text
    assert all(f"UAS by {kind}" in text for kind in ("relation", "UPOS", "length of the sentence"))
    assert f"first: {flat}, second: {demo_dev}" in text
    same = call("evaluate", demo_dev, demo_dev, demo_dev).text
    groups = {row["group"] for row in whole["comparison"] if row["by"] == "relation"}
    assert not any(re.search(rf"^ *{re.escape(group)} ", same, re.MULTILINE) for group in groups)
    assert f"LAS by relation: {len(groups)} groups without a difference left out" in same
    for words, said in (
        ((flat, flat, flat), "one or two SYSTEM files, not 3"),
        (("-", "-"), "only one of"),
        ((flat, flat, "--subtypes"), "one SYSTEM file"),
    ):
        assert said in call("evaluate", demo_dev, *words).errors
