"""The pages of changes of tags and relations: none is missing, and they are what the program writes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import label_pages
import pages
import pytest
from running_pages import text_of

from learnability import cli
from learnability.schemes.relabellings import built_in, description_of

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "labels"


def test_every_change_has_a_page() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == sorted(("index", *built_in()))
    written = label_pages.pages()
    assert written == {path: path.read_text(encoding="utf-8") for path in written}
    listed = re.findall(
        r"^\| \[`(\S+)`\]\(\1\.md\) \| (.+) \|$", text_of("docs/labels/index.md"), re.MULTILINE
    )
    assert sorted(listed) == sorted((name, description_of(name)) for name in built_in())


@pytest.mark.parametrize("name", built_in())
def test_the_drawings_are_what_the_program_draws(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = pages.commands(text_of(f"docs/labels/{name}.md"))
    assert cli.run(shlex.split(command.text)[1:]) == 0
    assert command.output is not None
    assert pages.steady(capsys.readouterr().out) == pages.steady(command.output)
