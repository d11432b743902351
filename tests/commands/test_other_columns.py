"""Commands on CoNLL-U Plus: other columns come back, and the answers are those on CoNLL-U."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import DEMO, cut

HEADER = b"# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE\n"


def cupt(data: bytes) -> bytes:
    lines = data.split(b"\n")
    words = (line and not line.startswith(b"#") for line in lines)
    pairs = zip(lines, words, strict=True)
    return HEADER + b"\n".join(
        b"\t".join([line, line[:4].split()[0]]) if word else line for line, word in pairs
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    cut(DEMO / "demo-ud-dev.conllu", tmp_path / "in.conllu", 0, 20)
    return tmp_path / "in.conllu"


@pytest.fixture
def other(plain: Path) -> Path:
    path = plain.with_name("in.cupt")
    path.write_bytes(cupt(plain.read_bytes()))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("transform", "--transform", "case"),
        ("transform", "--transform", "upos:AUX=VERB"),
        ("transform", "--alternative", "prague"),
        ("references", "--transform", "case", "--enumerate", "3"),
    ],
)
def test_what_is_written_has_the_other_columns(
    call: Call, plain: Path, other: Path, words: tuple[str, ...]
) -> None:
    expected, done = call(*words, plain), call(*words, other)
    # the header is in front, whatever comments follow
    named = re.sub(r"in\.conllu:(\d+)", lambda line: f"in.cupt:{int(line[1]) + 1}", expected.errors)
    assert (done.code, done.errors) == (0, named.replace("in.conllu", "in.cupt"))
    assert sorted(done.output.splitlines()) == sorted(cupt(expected.output).splitlines())
    assert done.output.startswith(HEADER)
    if words[0] == "transform":
        assert done.output == cupt(expected.output)


def test_parse_keeps_other_columns(call: Call, plain: Path, other: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    assert call("train", other, "-m", model, "--labelled", "--iterations", "1").code == 0
    twin = tmp_path / "twin"
    assert call("train", plain, "-m", twin, "--labelled", "--iterations", "1").code == 0
    assert model.read_bytes() == twin.read_bytes()
    expected, done = call("parse", "-m", model, plain), call("parse", "-m", model, other)
    assert (done.code, done.output) == (0, cupt(expected.output))
    gold, parsed = tmp_path / "gold.cupt", tmp_path / "parsed.conllu"
    gold.write_bytes(other.read_bytes())
    parsed.write_bytes(expected.output)
    assert call("evaluate", gold, parsed).output == call("evaluate", plain, parsed).output
