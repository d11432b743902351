"""Scheme files through the commands: transform, list, and what is said when something is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from invoking import Call

SCHEME = """\
language = "xx"
[[transform]]
name = "case"
form = "in"
"""

TEXT = """\
# sent_id = 1
1\tlives\tlive\tVERB\t_\t_\t0\troot\t_\t_
2\tin\tin\tADP\t_\t_\t3\tcase\t_\t_
3\tRome\tRome\tPROPN\t_\t_\t1\tobl\t_\t_
4\tby\tby\tADP\t_\t_\t5\tcase\t_\t_
5\tsea\tsea\tNOUN\t_\t_\t1\tobl\t_\t_

"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "mine.toml").write_text(SCHEME)
    (tmp_path / "xx_t-ud-dev.conllu").write_text(TEXT)
    (tmp_path / "yy_t-ud-dev.conllu").write_text(TEXT)
    (tmp_path / "other.conllu").write_text(TEXT)
    (tmp_path / "pyproject.toml").write_text('[tool]\nname = "x"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        yield tmp_path


def heads(text: str) -> list[str]:
    return [line.split("\t")[6] for line in text.splitlines() if line[:1].isdigit()]


def test_transform_and_back(call: Call, folder: Path) -> None:
    done = call("transform", "--alternative", "mine.toml", "xx_t-ud-dev.conllu", "-o", "out.conllu")
    assert done.code == 0, done.errors
    assert heads((folder / "out.conllu").read_text()) == ["0", "1", "2", "5", "1"]
    (folder / "xx_back-ud-dev.conllu").write_text((folder / "out.conllu").read_text())
    back = call("transform", "--alternative", "mine.toml", "--invert", "xx_back-ud-dev.conllu")
    assert heads(back.text) == ["0", "3", "1", "5", "1"]


def test_another_language_is_left_alone_and_an_unknown_one_refused(call: Call, folder: Path) -> None:
    other = call("transform", "--alternative", "mine.toml", "yy_t-ud-dev.conllu")
    assert heads(other.text) == ["0", "3", "1", "5", "1"]
    unknown = call("transform", "--alternative", "mine.toml", "other.conllu")
    assert unknown.code == 2
    assert "needs the language of the treebank" in unknown.errors


def test_list_shows_scheme_files(call: Call, folder: Path) -> None:
    (folder / "wrong.toml").write_text('[[transform]]\nname = "cse"\n')
    rows = {row["name"]: row for row in json.loads(call("list", "schemes", "--json").text)}
    assert rows["mine.toml"]["transformations"] == "case:form=in,language=xx"
    assert "wrong.toml:2" in rows["wrong.toml"]["description"]
    assert "pyproject.toml" not in rows
    assert "sud" in rows
    assert "case" not in rows  # it is in `list transforms`
