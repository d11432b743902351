"""The commands on schemes that change tags or relations: each works, or refuses in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import DEMO, Call

FILE = DEMO / "demo-ud-dev.conllu"

CELLS = {"upos": 3, "xpos": 4, "feats": 5, "deprel": 7, "deps": 8}


@pytest.mark.parametrize(
    ("scheme", "columns"),
    [
        ("upos:AUX=VERB", ["upos"]),
        ("open-closed", ["upos"]),
        ("xpos:VB*=V", ["xpos"]),
        ("feats:Number=_", ["feats"]),
        ("obl-nmod", ["deprel", "deps"]),
        ("upos:AUX=VERB+deprel:obl=nmod", ["upos", "deprel", "deps"]),
    ],
)
def test_only_the_named_columns_change(scheme: str, columns: list[str], call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    name = "--alternative" if "+" in scheme else "--transform"
    done = call("transform", name, scheme, FILE, "-o", out)
    assert done.code == 0, done.errors
    before = FILE.read_bytes().decode().split("\n")
    written = out.read_bytes().decode().split("\n")
    added = [line for line in written if line.startswith("# transformed = ")]
    assert added
    after = [line for line in written if not line.startswith("# transformed = ")]
    changed = dict.fromkeys(columns, 0)
    for old, new in zip(before, after, strict=True):
        cells, others = old.split("\t"), new.split("\t")
        for column in columns:
            if len(cells) > 1 and cells[CELLS[column]] != others[CELLS[column]]:
                changed[column] += 1
                cells[CELLS[column]] = others[CELLS[column]]
        assert cells == others
    assert all(changed.values())
    words = sum(changed[column] for column in columns if column != "deps")
    assert f"{words:,} words with another tag or relation in " in done.errors
    assert call("transform", name, scheme, out).code == 2  # the file is not UD any more


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("obl-nmod",), "relations"),
        (("obl-nmod", "case"), "heads"),
        (("case",), "heads"),
        (("upos:AUX=VERB",), ""),
    ],
)
def test_what_enhanced_dependencies_may_contradict_is_what_is_new(
    names: tuple[str, ...], what: str, call: Call
) -> None:
    done = call("transform", *(word for name in names for word in ("--transform", name)), FILE)
    reason = f"because they may contradict the new {what}"
    assert (reason in done.errors) == bool(what)
    assert done.errors.count("contradict") == bool(what)


def test_changed_relations_do_not_come_back(call: Call, tmp_path: Path) -> None:
    out, back = tmp_path / "out.conllu", tmp_path / "back.conllu"
    assert call("transform", "--transform", "obl-nmod", FILE, "-o", out).code == 0
    refused = call("transform", "--transform", "obl-nmod", "--invert", out, "-o", back)
    assert (refused.code, refused.errors.count("\n"), back.exists()) == (2, 1, False)
    assert "obl-nmod has no conversion back to UD; keep the original files" in refused.errors


def test_a_program_changes_the_columns_of_its_file(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    script = (
        "import sys\nfor line in sys.stdin:\n    print(line.replace('\\tAUX\\t', '\\tVERB\\t'), end='')\n"
    )
    (tmp_path / "merge.py").write_text(script, encoding="utf-8")
    outputs = {}
    for name, columns in (("tags", '["upos"]'), ("heads", '["head", "deprel"]')):
        scheme = tmp_path / f"{name}.toml"
        text = f'command = ["python", "{{folder}}/merge.py"]\ncolumns = {columns}\n'
        scheme.write_text(text, encoding="utf-8")
        out = tmp_path / f"{name}.conllu"
        done = call("transform", "--alternative", scheme, FILE, "-o", out)
        assert done.code == 0, done.errors
        assert ("words with another tag" in done.errors) == (name == "tags")
        outputs[name] = out.read_bytes()
    assert outputs["heads"] == FILE.read_bytes()
    call("transform", "--transform", "upos:AUX=VERB", FILE, "-o", tmp_path / "rule.conllu")
    rule = (tmp_path / "rule.conllu").read_bytes().replace(b"upos:AUX=VERB", b"tags")
    assert outputs["tags"] == rule
