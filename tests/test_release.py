"""What a release states in several places is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_one_version() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert re.findall(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE) == [project["version"]]


def test_the_check_finds_the_test_command_of_the_readme() -> None:
    """`.ci/run` takes it from there by the pattern that stands in its sed command."""
    (pattern,) = re.findall(r"sed -n 's/(.*)/\\1/p' README\.md", text(".ci/run"))
    groups = pattern.replace(r"\(", "(").replace(r"\)", ")")
    (command,) = re.findall(groups, text("README.md"), re.MULTILINE)
    assert "-e '.[test]'" in command
    assert "-m pytest" in command
