"""`references` counts exactly."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from invoking import Call

from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions

NAMES = ("--transform", "case", "--transform", "det", "--transform", "cc")


def test_counts(call: Call, demo_dev: Path) -> None:
    trees = [sentence.tree for sentence in read_conllu(demo_dev).sentences]
    conventions = detect_conventions(trees)
    joint = JointTransformation([get_transformation(name, conventions) for name in NAMES[1::2]])
    found = json.loads(call("references", *NAMES, "--json", demo_dev).text)
    assert [row["places"] for row in found["sentences"]] == [len(joint.places(tree)) for tree in trees]
    for row in found["sentences"]:
        assert row["references"] == 2 ** row["places"]
        assert sum(row["sizes"]) == row["places"]
        assert len(row["sizes"]) == row["factors"]
        assert row["factors_cut"] == 0
    sizes = [size for row in found["sentences"] for size in row["sizes"]]
    total = found["summary"]
    assert total["sentences"] == len(trees)
    assert total["mean_places_per_factor"] == sum(sizes) / len(sizes)
    assert total["max_places_per_factor"] == max(sizes) > 1
    assert total["factors_cut"] == 0


def test_2_to_the_m_is_exact_beyond_64_bits(call: Call) -> None:
    rows = [f"{i}\ta\t_\tX\t_\t_\t{i - 1}\t{'case' if i > 1 else 'root'}\t_\t_\n" for i in range(1, 82)]
    done = call("references", "--transform", "case", "--json", stdin="".join(rows).encode())
    [row] = json.loads(done.text)["sentences"]
    assert row["references"] == 2**80


def test_a_number_of_more_digits_than_python_writes(call: Call) -> None:
    rows = ["1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"]
    for noun in range(2, 4402, 2):
        rows.append(f"{noun}\tn\t_\tX\t_\t_\t1\tnmod\t_\t_\n")
        rows.append(f"{noun + 1}\tp\t_\tX\t_\t_\t{noun}\tcase\t_\t_\n")
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)  # 4,300 without this
    try:
        counted = call("references", "--transform", "case", "--quiet", stdin="".join(rows).encode())
        assert sys.get_int_max_str_digits() == 640
    finally:
        sys.set_int_max_str_digits(before)
    assert counted.code == 0, counted.errors
    assert str(2**2200) in counted.text.split()


def test_more_references_than_a_length_can_say(call: Call) -> None:
    """Seventy nouns with a preposition each: seventy factors, 2^70 references."""
    rows = ["1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"]
    for noun in range(2, 142, 2):
        rows.append(f"{noun}\tn\t_\tX\t_\t_\t1\tnmod\t_\t_\n")
        rows.append(f"{noun + 1}\tp\t_\tX\t_\t_\t{noun}\tcase\t_\t_\n")
    data = "".join(rows).encode()
    [row] = json.loads(call("references", "--transform", "case", "--json", stdin=data).text)["sentences"]
    assert (row["references"], row["factors"]) == (2**70, 70)


def test_cut_factors_are_counted(call: Call, demo_dev: Path) -> None:
    found = json.loads(call("references", *NAMES, "--json", "--max-options", "2", demo_dev).text)
    large = [size for row in found["sentences"] for size in row["sizes"] if size > 1]
    assert found["summary"]["factors_cut"] == len(large) > 0
    assert all(row["references"] == 2 ** row["places"] for row in found["sentences"])
