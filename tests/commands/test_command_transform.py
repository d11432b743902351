"""`transform` writes what it should and nothing else, and takes it back."""

from __future__ import annotations

import os
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import cut

from learnability.schemes import CATALOGUE
from learnability.transforms.registry import PAPER

SAMPLE = ("kk-ud-dev", "ta-ud-dev", "ga-ud-dev", "ta_ttb-ud-dev", "fr_sequoia-ud-test", "el_gdt-ud-dev")
"""Small files of both releases, with ranges, empty nodes, DEPS and free comments among them."""

V2 = b"""\
# sent_id = one
# text = It is in the city
1\tIt\tit\tPRON\t_\t_\t5\tnsubj\t5:nsubj\t_
2\tis\tbe\tAUX\t_\t_\t5\tcop\t5:cop\t_
3\tin\tin\tADP\t_\t_\t5\tcase\t5:case\tA=b=c|A=b
4\tthe\tthe\tDET\t_\t_\t5\tdet\t5:det\t_
5\tcity\tcity\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No
5.1\t_\t_\t_\t_\t_\t_\t_\t5:dep\t_

"""
"""The root moves under `case`: *in* becomes the root, *city* its child."""


def fields(data: bytes) -> list[list[bytes]]:
    return [line.split(b"\t") for line in data.split(b"\n")]


def without_enhanced(data: bytes) -> bytes:
    kept = []
    for line in data.split(b"\n"):
        cells = line.split(b"\t")
        if len(cells) == 10 and not line.startswith(b"#"):
            if b"." in cells[0]:
                continue
            end = b"\r" if cells[9].endswith(b"\r") else b""
            cells[8] = b"_"
            line = b"\t".join([*cells[:9], cells[9].removesuffix(b"\r") + end])
        kept.append(line)
    return b"\n".join(kept)


MARK = b"# transformed = "


def without_marks(data: bytes) -> bytes:
    lines = data.split(b"\n")
    for mark, word in pairwise(lines):
        assert not (mark.startswith(MARK) and word.startswith(b"#"))
    return b"\n".join(line for line in lines if not line.startswith(MARK))


def assert_only_heads_and_roots_differ(before: bytes, after: bytes) -> None:
    marked = [block.count(MARK) for block in re.split(rb"\r?\n\s*\n", b"\n" + after)]
    after = without_marks(after)
    blocks = [re.split(rb"\r?\n\s*\n", b"\n" + data) for data in (before, after)]
    assert marked == [int(a != b) for a, b in zip(*blocks, strict=True)]
    old, new = fields(before), fields(after)
    assert len(old) == len(new)
    relabelled: dict[bytes, list[tuple[list[bytes], list[bytes]]]] = {}
    sentence = 0
    for a, b in zip(old, new, strict=True):
        if len(a) != 10 or a[0].startswith(b"#") or not a[0].isdigit():
            assert a == b
            sentence += a in ([b""], [b"\r"])
            continue
        assert a[:6] + a[8:] == b[:6] + b[8:]
        if a[7] != b[7]:
            relabelled.setdefault(b"%d" % sentence, []).append((a, b))
    for pairs in relabelled.values():
        [(a1, b1), (a2, b2)] = pairs
        assert (a1[7], a2[7]) == (b2[7], b1[7])
        assert b"0" in (a1[6], a2[6])
        assert b"0" in (b1[6], b2[6])


@pytest.fixture(scope="session")
def sample(ud_files: list[Path], demo_dev: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    found = [path for path in ud_files if path.stem in SAMPLE]
    folder, parts = tmp_path_factory.mktemp("sample"), []
    for path in (demo_dev, *(found or sorted(ud_files, key=lambda path: path.stat().st_size)[: len(SAMPLE)])):
        parts.append(folder / path.name)
        cut(path, parts[-1], 0, 20)
    return parts


@pytest.mark.parametrize("name", PAPER)
def test_only_heads_and_the_roots_labels_change(call: Call, sample: list[Path], name: str) -> None:
    changed = 0
    for path in sample:
        before = path.read_bytes()
        done = call("transform", "--transform", name, path)
        assert done.code == 0
        if done.output != before:
            assert_only_heads_and_roots_differ(without_enhanced(before), done.output)
            changed += 1
    assert changed


def test_a_file_without_places_passes_through_untouched(call: Call) -> None:
    strange = b"# free\r\n1\ta\t_\tX\t_\t_\t0\troot\t0:root\tA=b=c\r\n1.1\t_\t_\t_\t_\t_\t_\t_\t1:x\t_"
    done = call("transform", "--transform", "case", stdin=strange)
    assert (done.code, done.output) == (0, strange)


def test_deps_and_labels(call: Call) -> None:
    done = call("transform", "--transform", "case", stdin=V2)
    rows = [cells for cells in fields(done.output) if len(cells) == 10]
    assert [cells[6] for cells in rows] == [b"3", b"3", b"0", b"5", b"3"]
    assert [cells[7] for cells in rows] == [b"nsubj", b"cop", b"root", b"det", b"case"]
    assert {cells[8] for cells in rows} == {b"_"}
    external = call("transform", "--transform", "case", "--labels", "external", stdin=V2)
    rows = [cells for cells in fields(external.output) if len(cells) == 10]
    assert [cells[7] for cells in rows][2::2] == [b"root", b"comp:case"]
    assert "1 place; 4 heads changed in 1 of 1 sentence" in done.errors


def test_dropped_dependencies_and_empty_nodes_are_counted(call: Call, tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_bytes(V2)
    done = call("transform", "--transform", "case", tmp_path / "in.conllu", "-o", tmp_path / "out")
    assert "the enhanced dependencies of 5 words and 1 empty node were dropped" in done.errors


def test_an_empty_file_is_warned_of(call: Call) -> None:
    done = call("transform", "--transform", "case", stdin=b"")
    assert (done.code, done.output) == (0, b"")
    assert "there are no sentences" in done.errors


def test_external_labels_are_inverted_without_being_told(call: Call) -> None:
    external = call("transform", "--alternative", "all", "--labels", "external", stdin=V2)
    back = call("transform", "--alternative", "all", "--invert", stdin=external.output)
    columns = [[cells[0], *cells[6:8]] for cells in fields(back.output) if len(cells) == 10]
    assert columns == [
        [cells[0], *cells[6:8]] for cells in fields(V2) if len(cells) == 10 and b"." not in cells[0]
    ]


def test_places_are_listed(call: Call) -> None:
    arguments = ("transform", "--transform", "case", "--transform", "cop", "--places")
    assert call(*arguments, stdin=V2).text == (
        "sent_id\ttransform\ttoken\tform\tdeprel\thead\none\tcop\t2\tis\tcop\t5\none\tcase\t3\tin\tcase\t5\n"
    )


def test_a_treebank_becomes_a_folder_of_the_same_files(call: Call, small: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "place"
    names = ("--transform", "case", "--transform", "cop:reattach=clause")
    for _ in range(2):  # the second time the same files are there
        done = call("transform", *names, "--treebank", small, "--out", out)
        assert done.code == 0
    folder = out / "UD_Small@case+cop-reattach-clause"
    assert done.text.strip() == str(folder)
    assert os.listdir(out) == [folder.name]
    assert sorted(os.listdir(folder)) == sorted(path.name for path in small.glob("*.conllu"))
    for path in small.glob("*.conllu"):
        assert (folder / path.name).read_bytes() == call("transform", *names, path).output
    back = call("transform", *names, "--treebank", folder, "--out", out, "--invert", "--quiet")
    assert (back.text.strip(), back.errors) == (str(out / "UD_Small@ud"), "")


def test_other_files_are_not_overwritten(call: Call, small: Path, tmp_path: Path) -> None:
    words = ("transform", "--transform", "case", "--treebank", small, "--out", tmp_path)
    call(*words)
    [path] = tmp_path.glob("*/*-dev.conllu")
    path.write_text("work of a day")
    done = call(*words)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert f"{path.parent} holds another {path.name}; remove the folder" in done.errors
    assert path.read_text() == "work of a day"


def test_what_is_transformed_is_not_transformed_again(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "in-the-city.conllu"
    path.write_bytes(call("transform", "--transform", "case", stdin=V2).output)
    commands = [
        ("transform", "--transform", "case", path),
        ("transform", "--transform", "det", "--labels", "external", path),
        ("references", "--transform", "case", path),
        ("measure", "--transform", "case", path),
        ("show", path, "--transform", "case"),
        ("train", path, "-m", tmp_path / "model", "--transform", "case"),
        ("train", path, "-m", tmp_path / "model", "--multiref", "case"),
    ]
    for words in commands:
        done = call(*words)
        assert (done.code, done.output) == (2, b"")
        assert "sentence one is already transformed (case); undo this with" in done.errors
        assert done.errors.count("\n") == 1
    assert call("measure", path).code == 0
    assert os.listdir(tmp_path) == [path.name]


def test_only_the_transformation_that_made_a_file_leads_back(call: Call) -> None:
    there = call("transform", "--transform", "case", "--transform", "det", stdin=V2).output
    done = call("transform", "--transform", "case", "--invert", stdin=there)
    assert done.code == 2
    assert "sentence one was transformed by case+det, not by case; use case+det" in done.errors
    back = call("transform", "--transform", "det", "--transform", "case", "--invert", stdin=there)
    assert without_enhanced(V2) == back.output


def test_sentences_that_were_not_transformed_stay_as_they_are(call: Call) -> None:
    chain = b"".join(
        b"%d\t%s\t_\tPROPN\t_\t_\t%d\t%s\t_\t_\n"
        % (i, b"abc"[i - 1 : i], i - 1, b"flat" if i > 1 else b"root")
        for i in (1, 2, 3)
    )
    flat = chain.replace(b"\t2\tflat", b"\t1\tflat")
    data = b"# sent_id = flat\n" + flat + b"\n# sent_id = chain\n" + chain + b"\n"
    there = call("transform", "--transform", "mwe", "--transform", "name", stdin=data)
    assert there.output.count(MARK) == 1
    back = call("transform", "--transform", "mwe", "--transform", "name", "--invert", stdin=there.output)
    assert back.output == data
    # without the comment the trees do not tell
    bare = without_marks(there.output)
    assert (
        call("transform", "--transform", "mwe", "--transform", "name", "--invert", stdin=bare).output != data
    )


def test_a_scheme_is_its_transformations_together(
    call: Call, demo_dev: Path, small: Path, tmp_path: Path
) -> None:
    parts = CATALOGUE["function-heads"].transformations
    one_by_one = [word for name in parts for word in ("--transform", name)]
    scheme = call("transform", "--alternative", "function-heads", demo_dev)
    assert scheme.output == call("transform", *one_by_one, demo_dev).output != demo_dev.read_bytes()
    assert call("transform", "--alternative", "ud", demo_dev).output == demo_dev.read_bytes()
    done = call("transform", "--alternative", "function-heads", "--treebank", small, "--out", tmp_path)
    assert done.text.strip() == str(tmp_path / "UD_Small@function-heads")
    done = call("transform", "--alternative", "function-head", demo_dev)
    assert (done.code, "did you mean 'function-heads'?" in done.errors) == (2, True)


def test_conventions_are_decided_on_all_splits(call: Call, tmp_path: Path) -> None:
    """`flat:name` in one split makes plain `flat` no name in the others."""
    row = "{}\ta\t_\tX\t_\t_\t{}\t{}\t_\t_\n".format
    flat = row(1, 0, "root") + row(2, 1, "flat") + row(3, 1, "flat") + "\n"
    folder = tmp_path / "UD_X-Y"
    folder.mkdir()
    (folder / "x_y-ud-train.conllu").write_text(flat)
    (folder / "x_y-ud-test.conllu").write_text(flat)
    arguments = ("transform", "--transform", "name", "--treebank", folder, "--out", tmp_path)
    test = tmp_path / "UD_X-Y@name" / "x_y-ud-test.conllu"
    assert call(*arguments).code == 0
    assert test.read_text() != flat
    (folder / "x_y-ud-train.conllu").write_text(flat.replace("\tflat\t", "\tflat:name\t"))
    shutil.rmtree(test.parent)
    assert call(*arguments).code == 0
    assert test.read_text() == flat


def test_an_error_in_one_split_leaves_no_folder(call: Call, demo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Broken"
    folder.mkdir()
    (folder / "x-ud-train.conllu").write_bytes((demo / "demo-ud-dev.conllu").read_bytes())
    (folder / "x-ud-test.conllu").write_text("1\ta\n")
    done = call("transform", "--transform", "case", "--treebank", folder, "--out", tmp_path / "out")
    assert done.code == 2
    assert "x-ud-test.conllu:1: " in done.errors
    assert not (tmp_path / "out").exists()


GOOD = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tcase\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("1\ta\t_\tX\t_\t_\t0\troot\t_\n", 1, "9 columns"),
        (GOOD.replace("2\tb", "3\tb"), 2, "'3'"),
        (GOOD.replace("\t1\tcase", "\t7\tcase"), 2, "'7'"),
        (GOOD.replace("\t1\tcase", "\tx\tcase"), 2, "'x'"),
        (GOOD.replace("\t0\troot", "\t2\troot"), 1, "no root"),
        (GOOD.replace("\t1\tcase", "\t2\tcase"), 2, "cycle"),
        (GOOD.replace("\t1\tcase", "\t0\tcase"), 2, "2 roots"),
    ],
)
def test_malformed_input_is_told_with_file_line_and_sentence(
    call: Call, tmp_path: Path, text: str, place: int, said: str
) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text(f"# sent_id = good\n{GOOD}\n# sent_id = bad\n{text}\n")
    done = call("transform", "--transform", "case", bad)
    assert (done.code, done.output) == (2, b"")
    assert done.errors.startswith(f"learnability: {bad}:{5 + place}: sentence bad: ")
    assert said in done.errors
    assert done.errors.count("\n") == 1


def test_several_roots_are_accepted_where_asked_for(call: Call) -> None:
    data = GOOD.replace("\t1\tcase", "\t0\tcase").encode()
    assert call("transform", "--transform", "case", stdin=data).code == 2
    done = call("transform", "--transform", "case", "--multiple-roots", stdin=data)
    assert (done.code, done.output) == (0, data)
