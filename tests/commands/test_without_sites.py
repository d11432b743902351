"""What matches nothing says so, wherever a transformation is named, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.options import ExperimentOptions
from learnability.errors import InputError
from learnability.studies.registry import STUDIES
from learnability.studies.runner import Asked, make_plan
from learnability.treebanks.locate import locate_treebank

YES = "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
NOWHERE = "case:lemma=xyz"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank in which nothing can be transformed."""
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
        ("run", "--treebank", "demo", "--scheme", "all", "--against", NOWHERE),
        ("transform", "--treebank", "demo", "--out", "new"),
        ("transform", "FILE"),
        ("transform", "--sites", "FILE"),
        ("references", "FILE"),
        ("measure", "--treebank", "demo", "--transform", "det"),
        ("measure", "FILE", "--quiet"),
        ("show", "FILE"),
        ("train", "FILE", "-m", "new"),
    ],
)
def test_a_restriction_that_no_site_meets(
    call: Call, demo_dev: Path, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = () if NOWHERE in words else ("--transform", NOWHERE)
    done = call(*(demo_dev if word == "FILE" else word for word in words), *asked)
    assert (done.code, done.output) == (2, b"")
    assert NOWHERE in done.errors.splitlines()[-1]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_rule_of_a_scheme_that_no_site_meets(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "own.toml"
    text = '[[transform]]\nname = "case"\n\n[[transform]]\nname = "det"\nform = "zzz"\n'
    scheme.write_text(text, encoding="utf-8")
    done = call("transform", "--scheme", scheme, demo_dev)
    assert (done.code, done.output) == (2, b"")
    assert "demo-ud-dev.conllu has no place for det:form=zzz; choose other values" in done.errors


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "--transform", "cop"),
        ("run", "--scheme", "ud"),
        ("transform", "--transform", "cop", "--out", "new"),
        ("measure", "--scheme", "all"),
        ("show", "--transform", "cop"),
    ],
)
def test_a_treebank_without_any_site(
    call: Call, without: Path, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*words, "--treebank", without)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert re.search("UD_Yes has no (place|sentence that)", done.errors)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_file_in_which_nothing_changes_stays_as_it_is(call: Call) -> None:
    done = call("transform", "--transform", "cop", stdin=YES.encode())
    assert (done.code, done.output.decode()) == (0, YES)
    assert done.errors.startswith("0 places; ")


def test_of_several_treebanks_some_may_have_no_site(without: Path, tmp_path: Path) -> None:
    files = [locate_treebank(without), locate_treebank(small_treebank(tmp_path))]
    asked = [Asked(STUDIES["run"])]
    plan = make_plan(files, ExperimentOptions.spelled(("cop", "case:form=the|of", "mwe:form!=zzz")), asked)
    assert len(plan.treebanks) == 2
    with pytest.raises(InputError, match=r"all treebanks has no place for case:form=zzz; "):
        make_plan(files, ExperimentOptions.spelled(("det", "case:form=zzz")), asked)


LEFT = "1\tjen\t_\tX\t_\t_\t{}\n2\tkaj\t_\tCCONJ\t_\t_\t{}\n3\ttie\t_\tX\t_\t_\t{}\n\n"
RIGHT_HEADED = LEFT.format("3\tconj\t_\t_", "3\tcc\t_\t_", "0\troot\t_\t_")
LEFT_HEADED = LEFT.format("0\troot\t_\t_", "3\tcc\t_\t_", "1\tconj\t_\t_")
HINT = "conj: headed by the last conjunct already in {} of {} places; conj:direction=left changes them"


@pytest.fixture
def right_headed(tmp_path: Path) -> Path:
    """A treebank in which most coordinations are headed by their last conjunct."""
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
    for words in (("run",), ("transform", "--out", tmp_path / "none"), ("measure",)):
        done = call(*words, "--treebank", right_headed, "--transform", "conj")
        assert (done.code, done.output) == (2, b"")
        assert f"no place for conj{',' if words == ('run',) else ';'}" in done.errors
        assert (
            HINT.format(4 if words == ("measure",) else 6, 4 if words == ("measure",) else 6) in done.errors
        )
