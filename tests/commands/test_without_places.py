"""What matches nothing says so, wherever a transformation is named; only what needs a place refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError
from learnability.studies.registry import STUDIES
from learnability.studies.run import Run
from learnability.studies.runner import StudyRequest, make_plan
from learnability.treebanks.locate import locate_treebank

YES = "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
NOWHERE = "case:lemma=xyz"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ud") / "UD_Yes"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"xx-ud-{split}.conllu").write_text(YES * 20, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--treebank", "demo"),
        ("run", "--treebank", "demo", "--transform", "det", "--dry-run"),
        ("run", "--treebank", "demo", "--alternative", "all", "--against", NOWHERE),
        ("show", "FILE"),
        ("train", "FILE", "-m", "new"),
    ],
)
def test_a_restriction_that_no_place_meets(
    call: Call, demo_dev: Path, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = () if NOWHERE in words else ("--transform", NOWHERE)
    done = call(*(demo_dev if word == "FILE" else word for word in words), *asked)
    assert (done.code, done.output) == (2, b"")
    assert NOWHERE in done.errors.splitlines()[-1]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "words",
    [
        ("references", "FILE"),
        ("measure", "FILE"),
        ("measure", "--treebank", "demo"),
        ("transform", "--places", "FILE"),
        ("transform", "--places", "--treebank", "demo"),
    ],
)
def test_trees_without_a_place_are_counted_and_measured_as_they_are(
    call: Call, demo_dev: Path, words: tuple[str, ...]
) -> None:
    words = tuple(str(demo_dev) if word == "FILE" else word for word in words)
    done = call(*words, "--transform", NOWHERE)
    assert (done.code, NOTE) == (0, done.errors.splitlines()[-1])
    assert call(*words, "--transform", NOWHERE, "--quiet").output == done.output
    if words[0] == "references":
        assert "sentences_with_places = 0, places = 0" in done.text
    if "--places" in words:
        assert len(done.text.splitlines()) == 1


NOTE = f"no place of {NOWHERE}"
UNCHANGED = f"{NOTE}; the file is written unchanged"


def test_a_file_without_a_place_is_written_unchanged(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    """Also so that a treebank that is rewritten file by file is complete."""
    for words in ((), ("--labels", "external")):
        done = call("transform", demo_dev, "--transform", NOWHERE, "-o", tmp_path / "new", *words)
        assert (done.code, done.errors) == (0, f"{UNCHANGED}\n")
        assert (tmp_path / "new").read_bytes() == demo_dev.read_bytes()
    done = call("transform", "--treebank", "demo", "--transform", NOWHERE, "--out", tmp_path)
    assert (done.code, done.errors.count(UNCHANGED), done.errors.count("\n")) == (0, 3, 3)
    (folder,) = tmp_path.glob("UD_Demo@*")
    for path in demo_dev.parent.glob("*.conllu"):
        assert (folder / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("change", ["upos:SYM=NOUN", "deprel:list=conj", "upos:SYM=NOUN+deprel:list=conj"])
def test_a_file_without_a_word_to_relabel_is_written_unchanged(
    call: Call, demo_dev: Path, change: str
) -> None:
    names = [word for spec in change.split("+") for word in ("--transform", spec)]
    done = call("transform", demo_dev, *names)
    assert (done.code, done.output) == (0, demo_dev.read_bytes())
    assert done.errors.splitlines()[0] == f"no place of {change}; the file is written unchanged"


def test_a_rule_of_a_scheme_that_no_place_meets(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "own.toml"
    text = '[[transform]]\nname = "case"\n\n[[transform]]\nname = "det"\nform = "zzz"\n'
    scheme.write_text(text, encoding="utf-8")
    done, case = (
        call("transform", *words, demo_dev) for words in (("--alternative", scheme), ("--transform", "case"))
    )
    assert done.code == 0
    assert done.output == case.output.replace(b"transformed = case\n", b"transformed = case+det:form=zzz\n")
    assert done.errors.count("no place of det:form=zzz\n") == 1
    assert "unchanged" not in done.errors
    refused = call("train", "--alternative", scheme, demo_dev, "-m", tmp_path / "new")
    assert (refused.code, refused.output) == (2, b"")
    assert "demo-ud-dev.conllu has no place for det:form=zzz; choose other values" in refused.errors


def test_of_several_treebanks_some_may_have_no_place(without: Path, tmp_path: Path) -> None:
    files = [locate_treebank(without), locate_treebank(small_treebank(tmp_path))]
    asked = [StudyRequest(STUDIES["run"])]
    options = ExperimentOptions.spell_annotations(("cop", "case:form=the|of", "mwe:form!=zzz"))
    plan = make_plan(Run(treebanks=files, options=options, studies=asked))
    assert len(plan.treebanks) == 2
    nowhere = ExperimentOptions.spell_annotations(("det", "case:form=zzz"))
    with pytest.raises(InputError, match=r"all treebanks has no place for case:form=zzz; "):
        make_plan(Run(treebanks=files, options=nowhere, studies=asked))


LEFT = "1\tjen\t_\tX\t_\t_\t{}\n2\tkaj\t_\tCCONJ\t_\t_\t{}\n3\ttie\t_\tX\t_\t_\t{}\n\n"
RIGHT_HEADED = LEFT.format("3\tconj\t_\t_", "3\tcc\t_\t_", "0\troot\t_\t_")
LEFT_HEADED = LEFT.format("0\troot\t_\t_", "3\tcc\t_\t_", "1\tconj\t_\t_")
HINT = "conj: headed by the last conjunct already in {} of {} places; conj:direction=left changes them"


@pytest.fixture
def right_headed(tmp_path: Path) -> Path:
    folder = tmp_path / "UD_Kaj"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"xx-ud-{split}.conllu").write_text(RIGHT_HEADED * 19 + LEFT_HEADED, encoding="utf-8")
    return folder


def test_a_treebank_that_has_the_form_already(call: Call, right_headed: Path, tmp_path: Path) -> None:
    for words in (("run", "--dry-run"), ("transform", "--out", tmp_path / "new")):
        done = call(*words, "--treebank", right_headed, "--transform", "conj")
        assert done.code == 0
        assert HINT.format(57, 60) in done.errors
        silent = call(*words, "--treebank", right_headed, "--transform", "conj:direction=left")
        assert (silent.code, "already in" in silent.errors) == (0, False)
    for split in ("train", "dev", "test"):
        (right_headed / f"xx-ud-{split}.conllu").write_text(RIGHT_HEADED * 2, encoding="utf-8")
    refused = call("run", "--test-set", "--treebank", right_headed, "--transform", "conj")
    assert (refused.code, refused.output) == (2, b"")
    assert "no place for conj," in refused.errors
    assert HINT.format(6, 6) in refused.errors
    for words, places in ((("transform", "--out", tmp_path / "none"), 6), (("measure",), 4)):
        done = call(*words, "--treebank", right_headed, "--transform", "conj")
        assert done.code == 0
        assert "no place of conj" in done.errors
        assert HINT.format(places, places) in done.errors
