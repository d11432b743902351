"""`references` counts exactly and enumerates what the transformation gives."""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path

from invoking import DEMO, Call

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
    done = call("references", "--transform", "case", "--enumerate", "3", stdin=data)
    assert (done.code, done.text.count("# reference = ")) == (0, 3)


def test_cut_factors_are_counted(call: Call, demo_dev: Path) -> None:
    found = json.loads(call("references", *NAMES, "--json", "--max-options", "2", demo_dev).text)
    large = [size for row in found["sentences"] for size in row["sizes"] if size > 1]
    assert found["summary"]["factors_cut"] == len(large) > 0
    assert all(row["references"] == 2 ** row["places"] for row in found["sentences"])


def test_enumerated_references_are_all_selections(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    sentences = read_conllu(demo_dev).sentences
    transformation = get_transformation("cc", detect_conventions(s.tree for s in sentences))
    done = call("references", "--transform", "cc", "--enumerate", "1000", demo_dev, "-o", tmp_path / "all")
    assert (done.code, done.output) == (0, b"")
    written = read_conllu(tmp_path / "all").sentences
    expected = [
        transformation.apply(sentence.tree, chosen)
        for sentence in sentences
        for places in [transformation.places(sentence.tree)]
        for size in range(len(places) + 1)
        for chosen in combinations(places, size)
    ]
    assert sorted((t.forms, t.heads, t.deprels) for t in expected) == sorted(
        (s.tree.forms, s.tree.heads, s.tree.deprels) for s in written
    )
    assert len({sentence.sent_id for sentence in written}) == len(written)
    assert [s.tree.heads for s in written if s.sent_id.endswith("-r1")] == [s.tree.heads for s in sentences]
    for sentence in written:
        text = "\n".join(sentence.lines)
        assert text.count("# sent_id = ") == text.count("# reference = ") == 1
        [selection] = [line for line in sentence.lines if line.startswith("# selection = ")]
        chosen_tokens = {int(item.split(":")[1]) for item in selection.split(" = ")[1].split() if ":" in item}
        places = [place for place in transformation.places(read_source(sentences, sentence.sent_id))
                 if place.token in chosen_tokens]  # fmt: skip
        assert transformation.apply(read_source(sentences, sentence.sent_id), places).heads == (
            sentence.tree.heads
        )


def read_source(sentences, sent_id):  # type: ignore[no-untyped-def]
    return next(s.tree for s in sentences if s.sent_id == sent_id.rpartition("-r")[0])


def test_the_limit_holds_and_is_told(call: Call, demo_dev: Path) -> None:
    counts = json.loads(call("references", *NAMES, "--json", demo_dev).text)["sentences"]
    done = call("references", *NAMES, "--enumerate", "4", demo_dev)
    assert done.text.count("# reference = ") == sum(min(4, row["references"]) for row in counts)
    more = sum(row["references"] > 4 for row in counts)
    assert done.errors == f"{more} of {len(counts)} sentences have more than 4 references\n"


def test_enumerated_references_have_no_enhanced_graph(call: Call) -> None:
    path = DEMO / "demo-ud-test.conllu"
    source = path.read_text()
    assert "\n8.1\t" in source or ".1\t" in source
    done = call("references", "--transform", "case", "--enumerate", "2", path)
    cells = [line.split("\t") for line in done.text.splitlines() if line and not line.startswith("#")]
    assert {row[8] for row in cells} == {"_"}
    assert not [row for row in cells if "." in row[0]]
    assert [row for row in cells if "-" in row[0]]
