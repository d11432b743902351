"""What a release states in several places is the same in all of them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))["project"]


def test_one_version_and_one_date() -> None:
    version = project()["version"]
    citation = dict(re.findall(r"^(version|date-released): (.*)$", text("CITATION.cff"), re.MULTILINE))
    headings = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    (newest, *_) = (heading for heading in headings if heading != "Unreleased")
    assert citation["version"] == version
    assert newest == f"{version} ({citation['date-released']})"


def test_the_pythons_of_the_classifiers_are_tested() -> None:
    """The hosted check installs them, and no version is left out between the lowest and the highest."""
    named = [re.findall(r":: 3\.(\d+)$", line) for line in project()["classifiers"]]
    minors = sorted(int(minor) for found in named for minor in found)
    (lowest,) = re.findall(r">=3\.(\d+)", project()["requires-python"])
    assert minors == list(range(int(lowest), minors[-1] + 1))
    installed = re.findall(r"^ +3\.(\d+)$", text(".github/workflows/ci.yml"), re.MULTILINE)
    assert sorted(map(int, installed)) == minors
    assert int(installed[-1]) == minors[0]  # the last one is python3, which runs everything


def test_the_description_has_no_link_that_breaks_outside_the_repository() -> None:
    """`.ci/contents.py` looks at the description as it was built."""
    description = text("README.md")
    settings = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["metadata"]["hooks"][
        "fancy-pypi-readme"
    ]
    for substitution in settings["substitutions"]:
        description = re.sub(substitution["pattern"], substitution["replacement"], description)
    assert re.findall(r"\]\((?!https?://)[^)]*\)", text("README.md"))
    assert re.findall(r"\]\((?!https?://)[^)]*\)|(?:src|href)=", description) == []


def test_the_check_finds_the_two_commands_of_the_readme() -> None:
    """`.ci/run` takes them from there by the pattern that stands in its sed command."""
    (pattern,) = re.findall(r"sed -n 's/(.*)/\\1/p' README\.md", text(".ci/run"))
    groups = pattern.replace(r"\(", "(").replace(r"\)", ")")
    demo, tests = re.findall(groups, text("README.md"), re.MULTILINE)
    assert demo.endswith(".venv/bin/learnability run --treebank demo --transform case --transform det")
    assert "-e '.[test]'" in tests
    assert "-m pytest" in tests


def test_the_checks_name_files_that_are_there() -> None:
    """The lists of tests, what the hosted check runs, and what `.ci/run` runs."""
    (coverage,) = re.findall(r"^fast=\(\n(.*?)^\)", text(".ci/coverage"), re.MULTILINE | re.DOTALL)
    words = " ".join([text(".ci/elsewhere-tests"), text(".ci/dependent-tests"), coverage]).split()
    bash = ["bash", "-c", f"printf '%s\\n' {' '.join(words)}"]  # what stands in braces is several files
    tests = subprocess.run(bash, capture_output=True, text=True, check=True).stdout.split()
    assert len(tests) > len(words) > 30
    (parts,) = re.findall(r"^ +part: \[(.*)\]$", text(".github/workflows/ci.yml"), re.MULTILINE)
    scripts = [*parts.split(", "), *re.findall(r"\.ci/([a-z-]+)", text(".ci/run"))]
    assert {"slow", "lint", "elsewhere"} <= {*scripts}
    named = [*tests, *(f".ci/{name}" for name in scripts)]
    assert [name for name in named if not (REPOSITORY / name).exists()] == []
