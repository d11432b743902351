"""A model comes back as it was, and nothing else is taken for one."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import struct
from pathlib import Path

import msgspec
import numpy as np
import pytest

from learnability.errors import InputError
from learnability.parsing import model_file
from learnability.parsing.model_file import MAGIC, load_model, save_model
from learnability.parsing.parser import Parser, ParserOptions, train_parser
from learnability.parsing.projectivity import projectivize
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import DEMO_FOLDER
from learnability.treebanks.sentence import Tree

TREES = [
    sentence.tree.with_heads(projectivize(sentence.tree.heads))
    for sentence in read_conllu(DEMO_FOLDER / "demo-ud-dev.conllu").sentences
]


def trained(**options: object) -> Parser:
    oracle = SYSTEMS[str(options.get("system", "arc-eager"))].default_regime
    settings = {"iterations": 2, "oracle": oracle, **options}
    return train_parser(TREES, ParserOptions(**settings)).parser  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return trained(labelled=True)


@pytest.fixture
def path(parser: Parser, tmp_path: Path) -> Path:
    save_model(parser, tmp_path / "model")
    return tmp_path / "model"


def assert_equal(a: Parser, b: Parser) -> None:
    assert a.options == b.options
    assert a.labels == b.labels
    for one, other in ((a.weights, b.weights), (a.label_weights, b.label_weights)):
        for x, y in zip(one, other, strict=True):
            assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())


@pytest.mark.parametrize(("system", "labelled"), [("arc-eager-root-first", True), ("arc-eager", False)])
def test_saved_and_loaded_is_the_same(system: str, labelled: bool, tmp_path: Path) -> None:
    parser = trained(system=system, labelled=labelled, seed=3)
    save_model(parser, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_equal(loaded, parser)
    assert [(t.heads, t.deprels) for t in loaded.parse(TREES)] == [
        (t.heads, t.deprels) for t in parser.parse(TREES)
    ]


def test_bits_are_kept_that_comparison_does_not_see(parser: Parser, tmp_path: Path) -> None:
    weight = parser.weights.weight.copy()
    weight[1, :3] = [-0.0, np.float32("nan"), np.float32(1e-45)]
    odd = dataclasses.replace(parser, weights=parser.weights._replace(weight=weight))
    save_model(odd, tmp_path / "model")
    assert_equal(load_model(tmp_path / "model"), odd)


def test_the_same_parser_gives_the_same_bytes(parser: Parser, path: Path, tmp_path: Path) -> None:
    save_model(load_model(path), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_zeros_are_not_stored(parser: Parser, path: Path) -> None:
    arrays = [*parser.weights, *parser.label_weights]
    stored = sum(array.itemsize * np.count_nonzero(array) for array in arrays)
    bits = sum(array.size / 8 for array in arrays)
    assert path.stat().st_size < stored + bits + 5000
    assert path.stat().st_size < sum(array.nbytes for array in arrays) / 2


def test_any_damaged_byte_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    places = {*range(0, 80, 3), *range(80, len(whole), len(whole) // 40), len(whole) - 1}
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(InputError) as error:
            load_model(path)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("length", [0, 10, 16, 40, 59, 60, 100, -1])
def test_a_file_that_was_cut_off_is_noticed(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"not a model|damaged"):
        load_model(path)


def test_foreign_files_are_refused_and_never_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "executed"),)

    (tmp_path / "model").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match="is not a model"):
        load_model(tmp_path / "model")
    assert not (tmp_path / "executed").exists()


def test_a_newer_format_is_named(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(MAGIC) : len(MAGIC) + 4] = struct.pack("<I", 99)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"format 99.*upgrade"):
        load_model(path)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for place in (tmp_path / "missing", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            load_model(place)


def rewritten(path: Path, **changes: object) -> None:
    """Replace fields of the content and make the checksum right again."""
    data = path.read_bytes()
    content = msgspec.msgpack.decode(data[model_file.BODY :])
    for name, value in changes.items():
        content[name] = value(content[name])  # type: ignore[operator]
    body = msgspec.msgpack.encode(content)
    path.write_bytes(data[: model_file.CHECKSUM] + hashlib.sha256(body).digest() + body)


def nested() -> list[object]:
    """Lists within lists, deeper than the stack."""
    value: list[object] = []
    for _ in range(900):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"options": lambda o: {**o, "system": "arc-magic"}}, "arc-magic"),
        ({"options": lambda o: {**o, "features": "magic"}}, "magic"),
        ({"options": lambda o: {**o, "magic": 1}}, "magic"),
        ({"options": lambda o: {**o, "tags": "magic"}}, "unknown .*tags 'magic'; upgrade learnability"),
        ({"options": lambda o: {**o, "x": nested()}}, "does not fit"),
        ({"labels": lambda names: ["a\tb", *names[1:]]}, "does not fit this version .*a relation 'a.tb'"),
        ({"labels": lambda names: [["x"], *names[1:]]}, "does not fit"),
        ({"features": lambda _: "0" * 64}, "feature templates .* have changed since"),
        ({"labels": lambda names: names[:-1]}, "do not belong together"),
        ({"weights": lambda arrays: arrays[1:]}, "does not fit"),
        ({"weights": lambda a: [{**a[0], "shape": [1 << 40]}, *a[1:]]}, "does not fit"),
        ({"weights": lambda a: [{**a[0], "shape": [-8, -8]}, *a[1:]]}, "does not fit"),
        ({"weights": lambda a: [a[0], {**a[1], "values": a[1]["values"][4:]}, *a[2:]]}, "does not fit"),
    ],
)
def test_a_model_of_another_version_is_refused(path: Path, changes: dict[str, object], said: str) -> None:
    rewritten(path)
    load_model(path)
    rewritten(path, **changes)
    with pytest.raises(InputError, match=said) as error:
        load_model(path)
    assert "\n" not in str(error.value)


def test_tables_that_would_lead_kernels_astray_are_refused(parser: Parser, tmp_path: Path) -> None:
    slots, weight, total, _, meta = parser.weights
    total = np.zeros((1, 4))
    full = np.ones_like(slots)
    for bad in (
        parser.weights._replace(weight=weight[:5]),
        parser.weights._replace(weight=weight[:, :2]),
        parser.weights._replace(slots=full),
        parser.weights._replace(slots=slots[:-1]),
        parser.weights._replace(meta=meta[:1]),
        parser.weights._replace(total=total[0]),
        parser.weights._replace(total=total[None]),  # kernels could not be compiled for it
        parser.weights._replace(keys=total),
    ):
        save_model(dataclasses.replace(parser, weights=bad), tmp_path / "model")
        with pytest.raises(InputError, match="do not belong together"):
            load_model(tmp_path / "model")
    assert parser.weights.total.shape[0] == 0


def test_the_parser_needs_no_tree(path: Path) -> None:
    bare = Tree(("a", "b"), ("NOUN", "VERB"), (0, 0), ("_", "_"))
    [tree] = load_model(path).parse([bare])
    assert sorted(tree.heads)[0] == 0
