from __future__ import annotations

from pathlib import Path

import pytest

from learnability.errors import InputError
from learnability.treebanks import locate
from learnability.treebanks.locate import A_FILE, explicit_files, list_treebanks, locate_treebank


def make(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")
    return folder


@pytest.fixture(autouse=True)
def no_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEARNABILITY_UD_HOME", raising=False)
    monkeypatch.delenv("UDBASE", raising=False)
    monkeypatch.setattr(locate, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.chdir(make(tmp_path / "elsewhere"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two releases and a treebank beside them."""
    top = tmp_path / "home"
    old, new = top / "universal-dependencies-1.3", top / "ud-treebanks-v2.16"
    make(old / "UD_Greek", "el-ud-train.conllu", "el-ud-dev.conllu", "el-ud-test.conllu", "LICENSE.txt")
    make(old / "UD_Czech-PDTC", "cs_pdtc-ud-test.conllu")
    make(
        new / "UD_Czech-PDTC",
        *(f"cs_pdtc-ud-train-{part}.conllu" for part in ("lt", "ca", "ct")),
        "cs_pdtc-ud-dev.conllu",
        "cs_pdtc-ud-test.conllu",
    )
    make(top / "ud-treebanks-v2.9" / "UD_Czech-PDTC", "cs_pdtc-ud-test.conllu")
    make(top / "UD_Own-Corpus", "xx_corpus-ud-test.conllu")
    make(top / "UD_Own-Corpus" / "UD_Inner", "yy-ud-test.conllu")
    make(top / "a" / "b" / "UD_TooDeep", "zz-ud-train.conllu")
    make(top / ".hidden" / "UD_Hidden", "hh-ud-train.conllu")
    return top


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.name for path in paths]


def test_a_compressed_file_beside_the_file_itself_is_not_read(tmp_path: Path) -> None:
    """Its sentences would count twice: as copies of each other, learned from and tested on."""
    folder = make(tmp_path / "UD_X-Y", "x-ud-test.conllu", "x-ud-test.conllu.gz", "x-ud-dev.conllu.gz")
    found = locate_treebank(folder)
    assert names((*found.dev, *found.test)) == ["x-ud-dev.conllu.gz", "x-ud-test.conllu"]
    pooled = locate_treebank(make(tmp_path / "texts", "a.conllu", "a.conllu.gz", "b.conllu.gz"))
    assert names(pooled.test) == ["a.conllu", "b.conllu.gz"]


def test_a_directory_with_all_its_splits_and_its_release(home: Path) -> None:
    found = locate_treebank(home / "universal-dependencies-1.3" / "UD_Greek")
    assert (found.name, found.release) == ("UD_Greek", "1.3")
    assert [(s, names(p)) for s, p in found.splits()] == [
        ("train", ["el-ud-train.conllu"]),
        ("dev", ["el-ud-dev.conllu"]),
        ("test", ["el-ud-test.conllu"]),
    ]


def test_a_relative_directory_has_a_name_and_a_release_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home / "universal-dependencies-1.3" / "UD_Greek")
    assert (locate_treebank(".").name, locate_treebank(".").release) == ("UD_Greek", "1.3")


def test_a_folder_here_that_hides_a_treebank_is_named_once(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = make(tmp_path / "elsewhere" / "UD_Czech-PDTC", "cs_pdtc-ud-test.conllu")
    make(tmp_path / "elsewhere" / "UD_New", "xx_new-ud-test.conllu")
    for name in ("UD_Czech-PDTC", "UD_Czech-PDTC", "UD_New"):
        assert locate_treebank(name, ud_home=home).folder == tmp_path / "elsewhere" / name
    hidden = home / "ud-treebanks-v2.16" / "UD_Czech-PDTC"
    said = f"The folder ./UD_Czech-PDTC is read, which hides UD_Czech-PDTC 2.16; for that, name {hidden}\n"
    assert capsys.readouterr() == ("", said)
    locate_treebank(here, ud_home=home)
    locate_treebank("./UD_Czech-PDTC", ud_home=home)
    locate_treebank("UD_Czech-PDTC", ud_home=here.parent)
    assert capsys.readouterr().err == ""


def test_training_parts_are_sorted(home: Path) -> None:
    found = locate_treebank("UD_Czech-PDTC", ud_home=home)
    assert names(found.train) == [f"cs_pdtc-ud-train-{part}.conllu" for part in ("ca", "ct", "lt")]


def test_a_training_file_stands_for_its_treebank(home: Path) -> None:
    folder = home / "ud-treebanks-v2.16" / "UD_Czech-PDTC"
    by_file = locate_treebank(folder / "cs_pdtc-ud-train-ct.conllu")
    assert by_file == locate_treebank(folder)


def test_a_training_file_outside_a_treebank_folder_is_called_by_its_stem(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "data", "en-ud-train.conllu", "en-ud-dev.conllu", "fr-ud-train.conllu", "my.conllu"
    )
    found = locate_treebank(folder / "en-ud-train.conllu")
    assert (found.name, names(found.dev), names(found.train)) == (
        "en-ud-train",
        ["en-ud-dev.conllu"],
        ["en-ud-train.conllu"],
    )
    mine = locate_treebank(folder / "my.conllu")
    assert (mine.name, names(mine.train), mine.dev, mine.test) == ("my", ["my.conllu"], (), ())
    with pytest.raises(InputError, match=r"several treebanks \(en, fr\)"):
        locate_treebank(folder)


def test_a_test_file_and_a_folder_without_treebank_are_refused(home: Path) -> None:
    with pytest.raises(InputError, match="is a test file"):
        locate_treebank(home / "UD_Own-Corpus" / "xx_corpus-ud-test.conllu")
    with pytest.raises(InputError, match="holds no"):
        locate_treebank(home)


def test_the_newest_release_wins_unless_one_is_given(home: Path) -> None:
    make(home / "r1.2" / "UD_Czech-PDTC", "cs-ud-test.conllu")  # its folder sorts first
    assert locate_treebank("UD_Czech-PDTC", ud_home=home).release == "2.16"
    assert locate_treebank("UD_Czech-PDTC", ud_home=home, release="1.3").release == "1.3"
    assert locate_treebank("UD_Czech-PDTC", ud_home=home, release="v2.9").release == "2.9"
    with pytest.raises(InputError, match=r"not found in release 2\.3, only in 1\.2, 1\.3, 2\.9, 2\.16"):
        locate_treebank("UD_Czech-PDTC", ud_home=home, release="2.3")


def test_release_of_a_path_must_not_contradict(home: Path) -> None:
    folder = home / "universal-dependencies-1.3" / "UD_Greek"
    with pytest.raises(InputError, match=r"is of release 1\.3, not 2\.16"):
        locate_treebank(folder, release="2.16")
    assert locate_treebank(home / "UD_Own-Corpus", release="2.16").release == "2.16"
    assert locate_treebank(home / "UD_Own-Corpus").release == ""


def test_places_are_searched_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = {}
    for place, release in (("option", "1.1"), ("variable", "1.2"), ("base", "1.3"), ("cache", "2.16")):
        places[place] = tmp_path / place
        make(places[place] / f"r{release}" / "UD_X", "x-ud-test.conllu")
    assert locate_treebank("UD_X").release == "2.16"
    monkeypatch.setenv("UDBASE", str(places["base"]))
    assert locate_treebank("UD_X").release == "1.3"
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(places["variable"]))
    assert locate_treebank("UD_X").release == "1.2"
    assert locate_treebank("UD_X", ud_home=places["option"]).release == "1.1"
    with pytest.raises(InputError, match=r"not found in release 2\.16, only in 1\.1"):
        locate_treebank("UD_X", ud_home=places["option"], release="2.16")
    assert locate_treebank("UD_X", release="2.16").release == "2.16"


def test_depth_is_at_most_two(home: Path) -> None:
    assert locate_treebank("UD_Own-Corpus", ud_home=home).name == "UD_Own-Corpus"
    assert locate_treebank("UD_Own-Corpus", ud_home=home / "UD_Own-Corpus").name == "UD_Own-Corpus"
    for name in ("UD_TooDeep", "UD_Hidden", "UD_Inner"):
        with pytest.raises(InputError, match="not found"):
            locate_treebank(name, ud_home=home)
    assert locate_treebank("UD_TooDeep", ud_home=home / "a").name == "UD_TooDeep"


def test_not_found_names_the_places_and_the_nearest_names(home: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        locate_treebank("UD_Greec", ud_home=home)
    text = str(caught.value)
    assert "\n" not in text
    assert f"{home} (`ud_home`)" in text
    assert "nearest names: UD_Greek" in text
    with pytest.raises(InputError, match="nearest names: demo") as caught:
        locate_treebank("demmo")
    assert f"{tmp_path / 'cache'} (download cache, no such folder)" in str(caught.value)


def test_an_explicit_home_is_the_only_place(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(home))
    assert locate_treebank("UD_Greek").release == "1.3"
    with pytest.raises(InputError, match="not found in") as caught:
        locate_treebank("UD_Greek", ud_home=make(tmp_path / "empty"))
    assert "LEARNABILITY_UD_HOME" not in str(caught.value)


def test_a_folder_without_a_release_is_of_the_one_that_is_asked_for(home: Path) -> None:
    assert locate_treebank("UD_Own-Corpus", ud_home=home).release == ""
    assert locate_treebank("UD_Own-Corpus", ud_home=home, release="r1.3").release == "1.3"
    make(home / "UD_Greek", "el-ud-test.conllu")
    exact = locate_treebank("UD_Greek", ud_home=home, release="1.3")
    assert exact.folder == home / "universal-dependencies-1.3" / "UD_Greek"
    assert locate_treebank("UD_Greek", ud_home=home, release="2.0").folder == home / "UD_Greek"
    assert [(files.name, files.release, files.folder) for files in list_treebanks(home, release="v1.3")] == [
        ("UD_Czech-PDTC", "1.3", home / "universal-dependencies-1.3" / "UD_Czech-PDTC"),
        ("UD_Greek", "1.3", exact.folder),
        ("UD_Own-Corpus", "1.3", home / "UD_Own-Corpus"),
    ]


def test_the_name_in_another_release_is_told(home: Path) -> None:
    with pytest.raises(
        InputError, match=r"'UD_Irish-IDT' is called UD_Irish in release 1\.3; use this name$"
    ):
        locate_treebank("UD_Irish-IDT", ud_home=home, release="1.3")
    with pytest.raises(InputError, match=r"only in 1\.3; it is called UD_Greek-GDT since release 2\.2$"):
        locate_treebank("UD_Greek", ud_home=home, release="2.16")


def test_a_missing_home_is_an_error(tmp_path: Path) -> None:
    for call in (
        lambda: locate_treebank("UD_X", ud_home=tmp_path / "no"),
        lambda: list_treebanks(tmp_path / "no"),
    ):
        with pytest.raises(InputError, match="does not exist; set `ud_home`"):
            call()


def test_list_is_sorted_with_the_newest_release_last(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "other" / "UD_Other", "o-ud-test.conllu")
    monkeypatch.setenv("UDBASE", str(tmp_path / "other"))
    assert [(files.name, files.release) for files in list_treebanks(home)] == [
        ("UD_Czech-PDTC", "1.3"),
        ("UD_Czech-PDTC", "2.9"),
        ("UD_Czech-PDTC", "2.16"),
        ("UD_Greek", "1.3"),
        ("UD_Own-Corpus", ""),
    ]


def test_list_without_a_home_covers_the_search_path_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list_treebanks() == []
    monkeypatch.setenv("UDBASE", str(home))
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(home / "universal-dependencies-1.3"))
    assert list_treebanks() == list_treebanks(home)


def test_folders_of_several_treebanks_are_listed_by_their_files(tmp_path: Path) -> None:
    make(tmp_path / "flat", "en-ud-train.conllu", "fr-ud-train.conllu")
    assert [files.name for files in list_treebanks(tmp_path)] == ["en-ud-train", "fr-ud-train"]


def test_explicit_files_replace_splits(home: Path, tmp_path: Path) -> None:
    base = locate_treebank("UD_Greek", ud_home=home)
    other = make(tmp_path / "o", "a.conllu", "b.conllu") / "a.conllu"
    mixed = explicit_files(base, train=[other, other.with_name("b.conllu")])
    assert names(mixed.train) == ["a.conllu", "b.conllu"]
    assert (mixed.name, mixed.dev, mixed.test) == ("UD_Greek", base.dev, base.test)
    alone = explicit_files(train=[other])
    assert (alone.name, alone.release, alone.dev) == ("a", "", ())
    with pytest.raises(InputError, match="does not exist; use existing"):
        explicit_files(base, dev=[tmp_path / "absent.conllu"])
    with pytest.raises(InputError, match="no treebank is named; use"):
        explicit_files()


@pytest.mark.parametrize(
    ("train", "dev", "test", "name", "release"),
    [
        (["r1/UD_A/a-ud-train.conllu"], [], ["r1/UD_A/a-ud-test.conllu"], "a-ud-train", "1.3"),
        (["my/one.conllu"], ["my/dev.conllu"], ["my/test.conllu"], "one", ""),
        (["my/one.conllu", "my/two.conllu"], [], ["my/test.conllu"], "my", ""),
        (["my/a-ud-train-1.conllu", "my/a-ud-train-2.conllu"], [], ["my/a-ud-test.conllu"], "a", ""),
        (["r1/UD_A/a-ud-train.conllu"], [], ["r1/UD_B/b-ud-test.conllu"], "UD_A+UD_B", "1.3"),
        (["r1/UD_A/a-ud-train.conllu"], [], ["r2/UD_A/a-ud-test.conllu"], "UD_A-1.3+UD_A-2.16", ""),
        (["r1/UD_A/a-ud-train.conllu"], [], ["my/test.conllu"], "UD_A-1.3+test", ""),
        (["my/one.conllu"], [], ["other/a-ud-test.conllu"], "one+a", ""),
        (["my/one.conllu"], [], ["other/a.conllu", "other/b.conllu"], "one+other", ""),
        ([], [], ["my/x.conllu", "my/y.conllu"], "my", ""),
        ([f"{x}/{x}.conllu" for x in "abcd"], [], ["b/b2.conllu"], "a+b+2-others", ""),
    ],
)
def test_the_name_of_several_files(
    train: list[str], dev: list[str], test: list[str], name: str, release: str, tmp_path: Path
) -> None:
    folders = {"r1": "universal-dependencies-1.3", "r2": "ud-treebanks-v2.16"}

    def paths(files: list[str]) -> list[Path]:
        made = []
        for file in files:
            first, _, rest = file.partition("/")
            path = tmp_path / folders.get(first, first) / rest
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            made.append(path)
        return made

    files = explicit_files(train=paths(train), dev=paths(dev), test=paths(test))
    assert (files.name, files.release) == (name, release)


def test_a_training_file_of_several_gives_the_name_of_all(tmp_path: Path) -> None:
    folder = make(tmp_path / "mine", "a-ud-train-1.conllu", "a-ud-train-2.conllu", "a-ud-test.conllu")
    found = locate_treebank(folder / "a-ud-train-2.conllu")
    assert (found.name, len(found.train)) == ("a", 2)


def test_a_folder_whose_files_tell_no_sets(tmp_path: Path) -> None:
    folder = make(tmp_path / "SUD_Names", "b.conllu", "a.conllu", ".hidden.conllu", "notes.txt")
    make(folder / "more", "c.conllu")
    for found in (locate_treebank(folder), locate_treebank("SUD_Names", ud_home=tmp_path)):
        assert (found.name, found.pooled) == ("SUD_Names", True)
        assert (names(found.train), names(found.dev), names(found.test)) == ([], [], ["a.conllu", "b.conllu"])
    chosen = explicit_files(found, train=[folder / "a.conllu"])
    assert (names(chosen.train), chosen.test, chosen.pooled) == (["a.conllu"], (), False)
    make(folder, "x-ud-test.conllu")
    assert names(locate_treebank(folder).test) == ["x-ud-test.conllu"]


def test_messages_name_what_the_caller_can_give(tmp_path: Path) -> None:
    make(tmp_path / "top" / "files", "a.conllu")
    with pytest.raises(
        InputError, match=r"holds no \.conllu file \(folders in it do: files\); use a .*`train`"
    ):
        locate_treebank(tmp_path / "top")
    with pytest.raises(InputError, match=r"use a treebank's folder, or a file with all its sentences$"):
        locate_treebank(tmp_path / "top", otherwise=A_FILE)
    dev = make(tmp_path / "x", "x-ud-dev.conllu") / "x-ud-dev.conllu"
    with pytest.raises(InputError, match=r"is a dev file; use the training file, the folder, or `dev`$"):
        locate_treebank(dev)
    with pytest.raises(InputError, match=r"is a dev file; use the training file, or the folder$"):
        locate_treebank(dev, otherwise=A_FILE)
    with pytest.raises(
        InputError, match=r"surfacesyntacticud\.org/data .*; use the folder in which you put it$"
    ):
        locate_treebank("SUD_Nowhere", ud_home=tmp_path)


def test_the_bundled_treebank_is_of_no_release() -> None:
    found = locate_treebank("demo")
    assert (found.name, found.release) == ("UD_Demo", "")
    assert all(len(paths) == 1 for _, paths in found.splits())
    with pytest.raises(InputError, match=r"no release 9\.9 of it; name it without a release"):
        locate_treebank("demo", release="r9.9")
