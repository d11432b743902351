from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from conllu_examples import conllu, words
from hypothesis import given
from hypothesis import strategies as st

from learnability.errors import InputError
from learnability.treebanks.locate import TreebankFiles, explicit_files, locate_treebank
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import (
    _even_cuts,
    divide_treebank,
    load_folds,
    load_treebank,
    read_treebank,
)


def sentences(count: int, prefix: str, document: int = 0) -> bytes:
    """`count` sentences of one word, all different, a new document before every `document`-th."""
    parts = []
    for index in range(count):
        if document and index % document == 0:
            parts.append(b"# newdoc\n")
        parts.append(words([0], f"{prefix}{index}").replace(b"1\ta\t", f"1\t{prefix}{index}\t".encode()))
    return b"".join(parts)


def treebank(folder: Path, document: int = 0, **sizes: int) -> TreebankFiles:
    made = folder / "UD_X"
    made.mkdir()
    for split, size in sizes.items():
        (made / f"x-ud-{split}.conllu").write_bytes(sentences(size, split, document))
    return locate_treebank(made)


def ids(part: tuple[Sentence, ...]) -> list[str]:
    return [sentence.sent_id for sentence in part]


def numbered(split: str, *span: int) -> list[str]:
    return [f"{split}{index}" for index in range(*span)]


def test_broken_sentences_are_counted_in_all_files(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=2, dev=1, test=2)
    train, dev, test = (tmp_path / "UD_X" / f"x-ud-{split}.conllu" for split in ("train", "dev", "test"))
    for path, broken in ((train, [words([2, 1], "t1")]), (test, [words([2], "t2"), words([0, 2], "t3")])):
        path.write_bytes(path.read_bytes() + b"".join(broken))
    with pytest.raises(InputError) as caught:
        read_treebank(files)
    assert str(caught.value) == (
        f"{train}:8: sentence t1: the sentence has no root, because no word has HEAD 0, and 2 more sentences "
        f"are broken (t2 in line 8 of {test}, t3 in line 12 of {test}); set the HEAD of one word to 0"
    )
    assert len(dev.read_bytes()) > 0


def test_a_complete_treebank_is_taken_as_it_is(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=5, dev=2, test=3)
    for policy in ("released", "dev", "cut", "60:20:20"):
        (loaded,) = load_folds(files, splits=policy)
        assert [ids(part) for _, part in loaded.splits()] == [
            numbered("train", 5),
            numbered("dev", 2),
            numbered("test", 3),
        ]
        assert loaded.split_policy == ""
        assert sorted(Path(path).name for path in loaded.files) == [
            "x-ud-dev.conllu",
            "x-ud-test.conllu",
            "x-ud-train.conllu",
        ]


def test_several_training_files_are_read_in_order(tmp_path: Path) -> None:
    files = treebank(tmp_path, dev=1, test=1, **{"train-b": 2, "train-a": 1})
    assert ids(read_treebank(files).train) == ["train-a0", "train-b0", "train-b1"]


@pytest.mark.parametrize(("size", "dev"), [(2, 1), (9, 1), (10, 1), (11, 2), (40, 4)])
def test_without_dev_the_last_tenth_of_train_serves(tmp_path: Path, size: int, dev: int) -> None:
    (loaded,) = load_folds(treebank(tmp_path, train=size, test=3))
    assert ids(loaded.train) == numbered("train", size - dev)
    assert ids(loaded.dev) == numbered("train", size - dev, size)
    assert f"dev is the last 10 % of train ({dev} of {size} sentences)" in loaded.split_policy


def test_error_names_the_other_policies(tmp_path: Path) -> None:
    files = treebank(tmp_path, dev=20, test=3)
    with pytest.raises(
        InputError, match=r"UD_X has no training set; use `cross_validate=10`, `splits` dev or cut"
    ):
        load_folds(files)
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    with pytest.raises(
        InputError,
        match=r"empty\.conllu holds no sentence, so UD_X has no training set; use `cross_validate=10`, `spl",
    ):
        load_folds(replace(files, train=(empty,)))


@pytest.mark.parametrize("dev", [0, 1, 2, 12])
@pytest.mark.parametrize("test", [0, 1, 2, 3, 9, 10, 13])
def test_every_way_to_make_up_for_a_missing_set_works(dev: int, test: int, tmp_path: Path) -> None:
    files = treebank(tmp_path, train=0, dev=dev, test=test)
    if not dev + test:
        return
    with pytest.raises(InputError) as caught:
        load_folds(files)
    ways = caught.value.ways
    if dev + test < 3:
        assert not ways
        assert f"too few sentences to make others ({dev + test}); use a larger treebank" in str(caught.value)
        return
    assert ways[-1] == "`train`, `dev` and `test` files"
    policies = [name for way in ways[1:-1] for name in re.findall("dev|cut", way)]
    assert bool(policies) == (dev + test >= 10)
    (folds,) = re.findall(r"^`cross_validate=(\d+)`$", ways[0])
    assert len(load_folds(files, cross_validate=int(folds))) == int(folds)
    for policy in policies:
        (loaded,) = load_folds(files, splits=policy)
        assert loaded.train
        assert loaded.test


def test_dev_policy_trains_on_the_first_ninety_percent_of_dev(tmp_path: Path) -> None:
    (loaded,) = load_folds(treebank(tmp_path, dev=20, test=3), splits="dev")
    assert ids(loaded.train) == numbered("dev", 18)
    assert ids(loaded.dev) == numbered("dev", 18, 20)
    assert ids(loaded.test) == numbered("test", 3)
    assert "first 90 % of dev (18 of 20 sentences)" in loaded.split_policy


def test_dev_policy_falls_back_to_folds_for_a_test_only_treebank(tmp_path: Path) -> None:
    loaded = load_folds(treebank(tmp_path, test=20), splits="dev")
    assert len(loaded) == 10
    assert loaded[0].split_policy.startswith("no test set, or no other set: 10 folds of whole")


def test_split_pools_and_cuts_in_file_order(tmp_path: Path) -> None:
    files = treebank(tmp_path, dev=12, test=8)
    (loaded,) = load_folds(files, splits="cut")
    assert ids(loaded.train) == numbered("dev", 12) + numbered("test", 4)
    assert ids(loaded.dev) == numbered("test", 4, 6)
    assert ids(loaded.test) == numbered("test", 6, 8)
    assert "pooled (dev, test) and cut 80:10:10" in loaded.split_policy
    (other,) = load_folds(files, splits="1:1:2")
    assert [len(part) for _, part in other.splits()] == [5, 5, 10]
    (without,) = load_folds(files, splits="1:0:1")
    assert [len(part) for _, part in without.splits()] == [9, 1, 10]
    assert "last 10 % of train" in without.split_policy


@pytest.mark.parametrize("shares", ["0:1:1", "1:1:0", "1:-1:1", "1:1", "1:1:1:1", "fold", ""])
def test_senseless_proportions_are_refused(tmp_path: Path, shares: str) -> None:
    with pytest.raises(InputError, match="use released, dev, cut, or the shares"):
        load_folds(treebank(tmp_path, test=20), splits=shares)


def test_too_few_sentences_are_refused(tmp_path: Path) -> None:
    files = treebank(tmp_path, test=3)
    with pytest.raises(InputError, match="too few for `splits="):
        load_folds(files, splits="cut")
    with pytest.raises(InputError, match="only 3 sentences for 10 folds"):
        load_folds(files, splits="dev")
    with pytest.raises(InputError, match="only 3 sentences for 4 folds; use `cross_validate=3`"):
        load_folds(files, cross_validate=4)
    with pytest.raises(InputError, match="`cross_validate=2` is not accepted; use a number from 3 to 100"):
        load_folds(files, cross_validate=2)
    with pytest.raises(InputError, match="unknown"):
        load_folds(files, splits="folds")


def test_one_training_sentence_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only one sentence, which is too few"):
        load_folds(treebank(tmp_path, train=1, test=1))


def test_a_treebank_without_sentences_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sentences"):
        load_folds(treebank(tmp_path, train=0, test=0))


def test_a_training_set_without_test_needs_a_policy(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=20, dev=2)
    with pytest.raises(InputError, match="no test set"):
        load_folds(files)
    (loaded,) = load_folds(files, splits="cut")
    assert [len(part) for _, part in loaded.splits()] == [18, 2, 2]


def assert_cross_validation(folds: tuple[Treebank, ...], pool: list[str]) -> None:
    count = len(folds)
    tests = [ids(fold.test) for fold in folds]
    assert [name for block in tests for name in block] == pool, "contiguous, each sentence tests once"
    for k, fold in enumerate(folds):
        assert ids(fold.dev) == tests[(k + 1) % count]
        rest = [tests[i] for i in range(count) if i not in (k, (k + 1) % count)]
        assert ids(fold.train) == [name for block in rest for name in block]
        assert f"{count} folds of whole" in fold.split_policy


def test_folds_respect_documents(tmp_path: Path) -> None:
    folds = load_folds(treebank(tmp_path, document=6, dev=70, test=30), cross_validate=5)
    assert_cross_validation(folds, numbered("dev", 70) + numbered("test", 30))
    assert all(fold.test[0].starts_document for fold in folds)
    assert "whole documents" in folds[0].split_policy
    assert [len(fold.test) for fold in folds] == [18, 24, 18, 22, 18]


def test_a_file_begins_a_document(tmp_path: Path) -> None:
    files = treebank(tmp_path, document=10, dev=20)
    test = tmp_path / "t.conllu"
    test.write_bytes(sentences(10, "test"))
    folds = load_folds(explicit_files(files, test=[test]), cross_validate=3)
    assert_cross_validation(folds, numbered("dev", 20) + numbered("test", 10))
    assert "whole documents" in folds[0].split_policy


def test_files_are_no_documents(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=20, dev=90, test=10)
    folds = load_folds(files, cross_validate=3)
    assert_cross_validation(folds, numbered("train", 20) + numbered("dev", 90) + numbered("test", 10))
    assert [len(fold.test) for fold in folds] == [40, 40, 40]
    assert folds[0].split_policy.startswith("3 folds of whole sentences (the files mark no documents). Each ")


def test_folds_of_a_treebank_without_documents_are_of_one_size(ud_home: Path) -> None:
    files = locate_treebank("UD_Irish", ud_home=ud_home, release="1.3")
    folds = load_folds(files, cross_validate=3)
    tokens = [sum(map(len, fold.train)) for fold in folds]
    assert sum(tokens) == 23_686
    assert max(tokens) - min(tokens) < 100  # the files have 3,821, 3,164 and 16,701


def test_folds_of_sentences_where_documents_are_too_unequal(tmp_path: Path) -> None:
    """Two short documents, and the long rest: no cut between documents makes folds of about one size."""
    made = tmp_path / "UD_X"
    made.mkdir()
    parts = [sentences(10, "a", 5), sentences(90, "b", 90)]
    (made / "x-ud-test.conllu").write_bytes(b"".join(parts))
    folds = load_folds(locate_treebank(made), cross_validate=3)
    assert_cross_validation(folds, numbered("a", 10) + numbered("b", 90))
    assert [len(fold.test) for fold in folds] == [33, 34, 33]
    assert "3 folds of whole sentences (the files mark 3 documents, too unequal for 3 folds). Each" in (
        folds[0].split_policy
    )


def test_folds_that_differ_in_size_say_so(tmp_path: Path) -> None:
    made = tmp_path / "UD_X"
    made.mkdir()
    lengths = (1, 5, 1)
    chains = [words(list(range(length)), f"s{number}") for number, length in enumerate(lengths)]
    chains[-1] = chains[-1].replace(b"\ta\t", b"\tz\t")  # no copy of the first
    (made / "x-ud-test.conllu").write_bytes(b"".join(chains))
    folds = load_folds(locate_treebank(made), cross_validate=3)
    assert "3 folds of whole sentences (the files mark no documents) of 1 to 5 tokens. Each" in (
        folds[0].split_policy
    )


@given(st.data())
def test_the_policy_of_folds_is_true(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=3, max_size=25))
    marked = data.draw(st.sets(st.integers(0, len(sizes) - 1)))
    ends = sorted(data.draw(st.lists(st.integers(0, len(sizes)), min_size=2, max_size=2)))
    pool = tuple(
        Sentence(Tree((f"w{number}",) * size, ("X",) * size), str(number), starts_document=number in marked)
        for number, size in enumerate(sizes)
    )
    parts = (pool[: ends[0]], pool[ends[0] : ends[1]], pool[ends[1] :])
    files = TreebankFiles("UD_X", "", None)
    folds = divide_treebank(
        Treebank("UD_X", "", *parts), files, cross_validate=data.draw(st.integers(3, len(sizes)))
    )
    tokens = [sum(map(len, fold.test)) for fold in folds]
    policy = folds[0].split_policy
    mean = sum(tokens) / len(folds)
    even = all(0.75 * mean <= block <= 1.25 * mean for block in tokens)
    spread = f" of {min(tokens)} to {max(tokens)} tokens. Each"
    assert (spread in policy) == (not even)
    if "whole documents" in policy:
        assert even
        firsts = {part[0].sent_id for part in parts if part}
        assert marked
        assert all(fold.test[0].starts_document or fold.test[0].sent_id in firsts for fold in folds)
    else:
        number = f"{len(marked)} document{'s' * (len(marked) > 1)}" if marked else "no documents"
        assert re.search(rf"whole sentences \(the files mark (only )?{number}[,)]", policy)


def test_folds_of_sentences_where_documents_are_too_few(tmp_path: Path) -> None:
    folds = load_folds(treebank(tmp_path, document=50, test=100), splits="dev")
    assert_cross_validation(folds, numbered("test", 100))
    assert [len(fold.test) for fold in folds] == [10] * 10
    assert "whole sentences (the files mark only 2 documents, too few for 10 folds)" in folds[0].split_policy


def test_a_folder_that_was_read_as_a_whole_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "SUD_Names"
    folder.mkdir()
    (folder / "one.conllu").write_bytes(sentences(7, "a"))
    (folder / "two.conllu").write_bytes(sentences(3, "b"))
    loaded = read_treebank(locate_treebank(folder))
    no_sets = "no file of the folder is named as a training, development or test set"
    assert loaded.warnings == (f"read all 2 files of {folder} (one.conllu, two.conllu); {no_sets}",)
    (folder / "part.conllu").write_bytes(sentences(2, "a") + words([0], "b0"))  # b0 has other words
    (line,) = read_treebank(locate_treebank(folder)).warnings[1:]
    assert line.startswith(
        f"2 sentences of {folder} occur again with the same words (a0, a1); keep one of each"
    )
    with pytest.raises(InputError) as caught:
        load_folds(locate_treebank(folder))
    assert str(caught.value) == (
        f"the names of the files in {folder} tell no training, development and test set; use "
        "`cross_validate=10`, `splits='cut'`, or `train`, `dev` and `test` files"
    )
    assert len(load_folds(locate_treebank(folder), cross_validate=10)) == 10
    (cut,) = load_folds(locate_treebank(folder), splits="cut")
    assert cut.split_policy.startswith("pooled (all files) and cut 80:10:10")


@given(st.data())
def test_even_cuts_are_the_nearest_possible(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=3, max_size=25))
    inner = data.draw(st.sets(st.integers(1, len(sizes) - 1)))
    starts = sorted({0, *inner})
    blocks = data.draw(st.integers(1, len(starts)))
    cuts = _even_cuts(sizes, starts, blocks)
    assert cuts[0] == 0
    assert cuts[-1] == len(sizes)
    assert len(cuts) == blocks + 1
    assert all(a < b for a, b in pairwise(cuts))
    assert set(cuts[:-1]) <= set(starts)
    for k in range(1, blocks):
        target = sum(sizes) * k / blocks
        low, high = starts.index(cuts[k - 1]) + 1, len(starts) - (blocks - k)
        distances = [abs(sum(sizes[: starts[unit]]) - target) for unit in range(low, high + 1)]
        assert abs(sum(sizes[: cuts[k]]) - target) == min(distances)


def test_what_a_user_should_know_is_collected(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=3, dev=0)
    hidden = tmp_path / "hidden.conllu"
    hidden.write_bytes(conllu("1 _ _ X _ _ 0 root _ _"))
    loaded = read_treebank(explicit_files(files, test=[*files.train, hidden]))
    assert len(loaded.warnings) == 3
    assert "x-ud-dev.conllu has no sentences" in loaded.warnings[0]
    assert "is used as train and as test" in loaded.warnings[1]
    assert "hidden.conllu: every FORM is _" in loaded.warnings[2]


def test_load_treebank_refuses_folds(tmp_path: Path) -> None:
    treebank(tmp_path, test=30)
    with pytest.raises(InputError, match="makes 10 folds"):
        load_treebank("UD_X", ud_home=tmp_path, splits="dev")
    assert len(load_treebank("UD_X", ud_home=tmp_path, splits="cut").train) == 24


def test_conventions_are_of_all_splits(tmp_path: Path) -> None:
    files = treebank(tmp_path, train=2, dev=1)
    test = tmp_path / "t.conllu"
    test.write_bytes(conllu("1 a _ X _ _ 0 root _ _\n2 b _ X _ _ 1 flat:name _ _"))
    assert read_treebank(explicit_files(files, test=[test])).conventions.flat_name
    assert not read_treebank(files).conventions.flat_name
