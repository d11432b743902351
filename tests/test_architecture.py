"""Imports run one way: the contracts of pyproject.toml, which declare every module."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import learnability
from learnability import extending

pytest.importorskip("importlinter", reason="import-linter is not installed; pip install '.[test]'")
import grimp  # import-linter brings it

PACKAGE = Path(learnability.__file__).parent


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """import-linter on the package in a folder, under the contracts of this repository."""
    code = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--config", str(PACKAGE.parent / "pyproject.toml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


def contracts() -> list[dict[str, Any]]:
    """The contracts as pyproject.toml has them."""
    with (PACKAGE.parent / "pyproject.toml").open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return found


def test_the_contracts_are_kept() -> None:
    done = linted(PACKAGE.parent)
    assert done.returncode == 0, done.stdout


def test_every_study_is_in_the_contract_that_keeps_studies_apart() -> None:
    """A new folder of a study needs a line there."""
    (apart,) = (
        contract["modules"] for contract in contracts() if contract["name"] == "No study knows another"
    )
    places = [path.parent for path in (PACKAGE / "studies").glob("*/__init__.py")]
    folders = [".".join(("learnability", *folder.relative_to(PACKAGE).parts)) for folder in places]
    assert sorted(apart) == sorted(folders)


def test_no_extension_is_imported_by_the_core_or_by_another_one() -> None:
    """Not even for types."""
    graph = grimp.build_graph("learnability", exclude_type_checking_imports=False, cache_dir=None)
    wrong = []
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            extension = ".".join(imported.split(".")[:3])
            if imported.startswith("learnability.extensions.") and not f"{module}.".startswith(
                f"{extension}."
            ):
                wrong.append((module, imported))
    assert wrong == []


def test_extensions_import_only_what_the_interface_names() -> None:
    """Not even for types; the contract names every part of the core."""
    (contract,) = (each for each in contracts() if each["name"].startswith("Extensions take"))
    parts = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    refused = {f"learnability.{part}" for part in parts - {"__init__", "extending", "extensions"}}
    assert set(contract["forbidden_modules"]) == refused
    graph = grimp.build_graph("learnability", exclude_type_checking_imports=False, cache_dir=None)
    for module in graph.find_descendants("learnability.extensions"):
        for imported in graph.find_modules_directly_imported_by(module):
            assert imported == "learnability.extending" or imported.startswith("learnability.extensions."), (
                module
            )


MOST_NAMES = 85
"""The names that extensions may import. A new one goes in place of another, or into the extension."""


def test_the_interface_of_extensions_is_small_and_used() -> None:
    """Each of its names is imported by an extension of the package."""
    used = {
        name.name
        for path in (PACKAGE / "extensions").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "learnability.extending"
        for name in node.names
    }
    assert set(extending.__all__) == used
    assert len(used) <= MOST_NAMES


def test_the_core_names_no_module_of_an_extension() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "extensions" not in path.relative_to(PACKAGE).parts and path.name != "plugins.py":
            assert "learnability.extensions." not in path.read_text(encoding="utf-8"), path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "code", "broken"),
    [
        ("parsing/features.py", "from learnability.transforms import base", "Data flows one way"),
        ("treebanks/labels.py", "def f():\n    import learnability.comparing.plan", "Data flows one way"),
        ("running/engine.py", "from learnability.comparing import plan", "Data flows one way"),
        ("comparing/plan.py", "from learnability.evidence import rows", "Data flows one way"),
        ("api.py", "from learnability.commands import streams", "Data flows one way"),
        ("studies/runner.py", "from learnability.studies.predict import predictions", "Data flows one way"),
        ("studies/predict/study.py", "from learnability.studies.settle import trainings", "No study knows"),
        ("undeclared.py", "", "Data flows one way"),
        *(
            (module, "def f():\n    import learnability.studies.settle", "knows no study")
            for module in ("running/cell.py", "comparing/fold.py", "evidence/rows.py", "reports/page.py")
        ),
        (
            "extensions/doubts/study.py",
            "from learnability.extensions.history import changes",
            "No extension knows another",
        ),
        ("studies/settle/study.py", "from learnability.extensions.doubts import words", "one way"),
        ("extensions/doubts/study.py", "from learnability.running import engine", "one door"),
        ("reports/verdicts.py", "from learnability.parsing import systems", "Reports show"),
        ("metrics/flat.py", "from learnability.metrics import shape", "in circles"),
    ],
)
def test_what_a_contract_forbids_is_seen(tmp_path: Path, module: str, code: str, broken: str) -> None:
    if not (PACKAGE / module).parent.is_dir():
        pytest.skip("the extension is not there")
    shutil.copytree(PACKAGE, tmp_path / "learnability", ignore=shutil.ignore_patterns("data", "__pycache__"))
    with (tmp_path / "learnability" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{code}\n")
    done = linted(tmp_path)
    assert done.returncode == 1
    assert any(broken in line and "BROKEN" in line for line in done.stdout.splitlines()), done.stdout


LONGEST_CHAIN = 23
"""The most modules of which each imports the next: what one has to read to understand the first."""


def test_no_chain_of_imports_is_long() -> None:
    graph = grimp.build_graph("learnability", exclude_type_checking_imports=True, cache_dir=None)
    # within functions: a parser is saved and loaded by methods of its own
    graph.remove_import(importer="learnability.parsing.parser", imported="learnability.parsing.model_file")
    imports = nx.DiGraph((i, j) for i in graph.modules for j in graph.find_modules_directly_imported_by(i))
    chain = nx.dag_longest_path(imports)
    assert len(chain) > 5
    assert len(chain) <= LONGEST_CHAIN, "\n".join(chain)
