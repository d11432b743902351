"""The pages of the transformations: none is missing, every option is drawn, and the pictures are today's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pages
import pytest
from running_pages import text_of

from learnability import cli
from learnability.transforms.registry import TRANSFORMATIONS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "transformations"
PAGES = [f"docs/transformations/{path.name}" for path in sorted(FOLDER.glob("*.md"))]


PAGE_NAMES = {name: name for name in ("index", "sud", *TRANSFORMATIONS)} | {"aux": "auxiliaries"}
"""The names of the pages: on Windows no file can be called aux.md."""


def test_every_transformation_has_a_page() -> None:
    assert sorted(f"docs/transformations/{name}.md" for name in PAGE_NAMES.values()) == PAGES
    links = re.findall(r"\[(\w+)\]\((\w+)\.md\)", text_of("docs/transformations/index.md"))
    linked = [name for name, page in links if PAGE_NAMES.get(name) == page]
    assert sorted(linked) == sorted(TRANSFORMATIONS)


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_every_option_has_its_section_and_its_pictures(name: str) -> None:
    rule, text = TRANSFORMATIONS[name], text_of(f"docs/transformations/{PAGE_NAMES[name]}.md")
    assert f"In short: {rule.description}. Places: `{rule.place_labels}`." in text
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [*rule.options]
    drawn = set(re.findall(r"<!-- drawn: --transform (\S+) ", text))
    others = {f"{name}:{option}={value}" for option, values in rule.options.items() for value in values[1:]}
    assert drawn == {name, *others}
    for option, (default, *_) in rule.options.items():
        assert f"`{name}:{option}={default}` is the default" in text


def test_every_sentence_is_drawn() -> None:
    written = re.findall(
        r"^# sent_id = (.+)$", text_of("docs/transformations/sentences.conllu"), re.MULTILINE
    )
    drawn = re.findall(r"<!-- drawn: .*--sent-id (\S+) -->", "".join(map(text_of, PAGES)))
    assert {*written} == {*drawn}


@pytest.mark.parametrize("page", PAGES)
def test_the_pictures_are_what_the_program_draws(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text_of(page)
    shown = re.findall(r"^<!-- drawn: .* -->\n!\[.+\]\((\S+)\)$", text, re.MULTILINE)
    assert shown == re.findall(r"\]\((\S+\.svg)\)", text)
    monkeypatch.chdir(tmp_path)
    Path("sentences.conllu").write_bytes((FOLDER / "sentences.conllu").read_bytes())
    for command in pages.commands(text):
        if not command.why_not:
            assert cli.run(shlex.split(command.text)[1:]) == 0
            said = capsys.readouterr().out
            assert command.output is None or pages.steady(said) == pages.steady(command.output)
    for name in shown:
        assert Path(name).read_bytes() == (FOLDER / name).read_bytes(), f"python docs/scripts/pages.py {page}"


def test_no_picture_is_left_over() -> None:
    shown = re.findall(r"\]\((\S+\.svg)\)", "".join(map(text_of, PAGES)))
    assert sorted(shown) == sorted(path.name for path in FOLDER.glob("*.svg"))
