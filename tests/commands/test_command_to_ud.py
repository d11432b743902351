"""`train --alternative` and `parse --to-ud`: parsers of other schemes whose parses come back as UD."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import demo_treebank, small_treebank

from learnability.comparing.stored_conversion import Definition, converter_from, trained_conversion
from learnability.parsing.model_file import Attachment, read_model, save_model
from learnability.transforms.base import learn_side_preferences
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Conventions

SCHEME = """\
name = "some"
[[transform]]
name = "case"
upos = ["ADP"]
[[transform]]
name = "cc"
"""


@pytest.fixture(scope="session")
def scheme_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("schemes") / "some.toml"
    path.write_text(SCHEME)
    return path


@pytest.mark.parametrize(
    ("of_run", "of_training"),
    [
        ((), ()),
        (("--labelled",), ("--labelled",)),
        (("--labelled", "keep"), ("--labelled", "--labels", "keep")),
    ],
)
def test_parsing_to_ud_scores_what_the_run_says(
    call: Call, scheme_file: Path, tmp_path: Path, of_run: tuple[str, ...], of_training: tuple[str, ...]
) -> None:
    treebank = small_treebank(tmp_path, train=100)
    train, dev, test = (treebank / f"xx-ud-{part}.conllu" for part in ("train", "dev", "test"))
    scheme = ("--alternative", scheme_file, "--iterations", "2")
    how = ["--seeds", "1", "--jobs", "1", "--out", tmp_path / "run", "--quiet"]
    done = call("run", "--test-set", "--treebank", treebank, *scheme, *of_run, *how)
    assert done.code == 0, done.errors
    back = {
        line["score"]: line["value"]
        for line in csv.DictReader(io.StringIO((tmp_path / "run" / "scores.csv").read_text()))
        if (line["comparison"], line["statistic"]) == ("converted_back", "alternative")
    }

    model = tmp_path / "model"
    done = call("train", train, "--dev", dev, "-m", model, *scheme, *of_training, "--features", "zn11")
    assert (done.code, done.output) == (0, b""), done.errors
    assert "case:upos=ADP+cc, " in done.errors
    parsed = call("parse", "-m", model, "--to-ud", test).output
    scores = json.loads(call("evaluate", test, "--json", stdin=parsed).text)
    assert f"{scores['uas']:.4f}" == back["uas"]
    if of_training:
        assert f"{scores['las']:.4f}" == back["las"]
    assert scores["las"] > 70

    bare = b"".join(
        b"\t".join([*cells[:6], b"_", b"_", *cells[8:]]) if len(cells) == 10 else b"\t".join(cells)
        for cells in (line.split(b"\t") for line in test.read_bytes().splitlines(keepends=True))
    )
    assert call("parse", "-m", model, "--to-ud", stdin=bare).output == parsed
    plain = call("parse", "-m", model, test).output
    assert plain != parsed
    assert (b"comp:case" in plain) == (of_training == ("--labelled",))
    assert b"comp:" not in parsed


def test_the_scheme_file_is_not_needed_any_more(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text(SCHEME)
    model = tmp_path / "model"
    call(
        "train",
        demo_dev,
        "-m",
        model,
        "--alternative",
        tmp_path / "some.toml",
        "--labelled",
        "--iterations",
        "1",
    )
    before = call("parse", "-m", model, "--to-ud", demo_dev).output
    (tmp_path / "some.toml").unlink()
    assert call("parse", "-m", model, "--to-ud", demo_dev).output == before != b""


@pytest.mark.parametrize("labelled", [True, False])
def test_the_stored_way_back_is_the_trained_one(
    labelled: bool, demo_dev: Path, call: Call, tmp_path: Path
) -> None:
    arguments = ("--labelled",) if labelled else ()
    model = tmp_path / "model"
    call("train", demo_dev, "-m", model, "--transform", "cop", "--transform", "det", *arguments)
    parser, attachment = read_model(model)
    assert attachment is not None
    save_model(parser, tmp_path / "again", attachment)
    assert (tmp_path / "again").read_bytes() == model.read_bytes()
    trees = [sentence.tree for sentence in read_conllu(demo_dev).sentences]
    converter = converter_from(attachment, parser.options, "model")
    assert [part.name for part in converter.transformation.rules] == ["cop", "det"]
    assert converter.preferences is not None
    assert set(converter.preferences.right) >= {("upos", "DET"), ("upos", "AUX")}
    assert converter.preferences.relations == learn_side_preferences(
        trees, converter.transformation
    ).relations  # fmt: skip


def test_side_preferences_as_json() -> None:
    trees = [sentence.tree for sentence in demo_treebank().dev]
    learned = learn_side_preferences(trees, get_transformation("case", Conventions(version=2)))
    assert learned.relations
    assert SidePreferences.from_json(json.loads(json.dumps(learned.as_json()))) == learned


def test_a_damaged_way_back_is_one_line() -> None:
    from learnability.errors import InputError
    from learnability.parsing.parser import ParserOptions

    trees = [sentence.tree for sentence in demo_treebank().dev]
    definition = Definition(("case",))
    whole = trained_conversion(trees, definition, Conventions(version=2), ParserOptions(), "keep")
    preferences = whole.content["preferences"]
    options = ParserOptions()
    converter_from(whole, options, "m")
    for damaged in (
        {},
        {**whole.content, "classes": [["case", ""]]},
        {**whole.content, "preferences": {"right": 3}},
        {**whole.content, "conventions": {"no": 1}},
        {**whole.content, "conventions": [2, False, ""]},
        {**whole.content, "scheme": {"transform": [["case"]], "scheme": "", "text": ""}},
        {**whole.content, "scheme": {"transform": [], "scheme": "x.toml", "text": "a = " + "[" * 100_000}},
        {**whole.content, "scheme": {"transform": [], "scheme": "x.toml", "text": "a = " + "9" * 5000}},
        {**whole.content, "classes": [["a\tb", ""] for _ in whole.content["classes"]]},
        {**whole.content, "classes": [[["a"], ""] for _ in whole.content["classes"]]},
        {**whole.content, "preferences": {**preferences, "right": [[["upos", "ADP"], -1]]}},
        {**whole.content, "preferences": {**preferences, "right": [[["upos", "ADP"], 1 << 200]]}},
        {**whole.content, "preferences": {**preferences, "functions": [[["upos", "X"], 1]]}},
        {**whole.content, "preferences": {**preferences, "relations": [[["upos", "X", "case"], 1]]}},
    ):
        with pytest.raises(InputError, match="does not fit this version"):
            converter_from(Attachment(damaged, whole.weights), options, "m")
    with pytest.raises(InputError, match="does not fit this version"):
        converter_from(Attachment({**whole.content, "labels": "other"}), options, "m")
