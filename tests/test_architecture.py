"""Imports run one way: the contracts of pyproject.toml, which declare every module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import learnability

pytest.importorskip("importlinter", reason="import-linter is not installed; pip install '.[test]'")

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


def test_the_contracts_are_kept() -> None:
    done = linted(PACKAGE.parent)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "code", "broken"),
    [
        ("parsing/features.py", "from learnability.transforms import base", "Data flows one way"),
        ("treebanks/labels.py", "def f():\n    import learnability.running.engine", "Data flows one way"),
        ("undeclared.py", "", "Data flows one way"),
        ("reports/verdicts.py", "from learnability.parsing import systems", "Reports show"),
        ("metrics/flat.py", "from learnability.metrics import shape", "in circles"),
    ],
)
def test_what_a_contract_forbids_is_seen(tmp_path: Path, module: str, code: str, broken: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "learnability", ignore=shutil.ignore_patterns("data", "__pycache__"))
    with (tmp_path / "learnability" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{code}\n")
    done = linted(tmp_path)
    assert done.returncode == 1
    assert any(broken in line and "BROKEN" in line for line in done.stdout.splitlines()), done.stdout
