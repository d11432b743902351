"""Imports run one way, every module is documented, and start-up stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import learnability

PACKAGE = Path(learnability.__file__).parent

MAY_IMPORT = {
    "errors": set(),
    "files": {"errors"},
    "options": {"errors"},
    "treebanks": {"errors", "files"},
    "transforms": {"errors", "treebanks"},
    "schemes": {"errors", "treebanks", "transforms"},
    "parsing": {"errors", "files", "options", "treebanks"},
    "metrics": {"errors", "treebanks", "parsing"},
    "multiref": {"errors", "treebanks", "parsing", "transforms", "schemes", "metrics"},
    "experiments": {
        "errors",
        "files",
        "options",
        "treebanks",
        "transforms",
        "schemes",
        "parsing",
        "metrics",
        "multiref",
    },
    "reports": {"errors", "files", "treebanks", "transforms", "schemes", "experiments", "metrics"},
}
"""What each package (or module) of the pipeline may import; whoever is not listed may import all."""


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The parts of the package that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "learnability" and len(parts) > 1:
                found.add(parts[1])
    return {name for name in found if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()}


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_only_backwards(path: Path) -> None:
    part = part_of(path)
    if part in MAY_IMPORT:
        assert imports(path) - {part} <= MAY_IMPORT[part]


def test_the_import_test_sees_imports() -> None:
    assert {"parsing", "multiref", "metrics"} <= imports(PACKAGE / "experiments" / "settings.py")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom learnability.cli import run\nrun(['--help'])\n"
        "heavy = {'numba', 'nltk', 'scipy', 'pandas', 'matplotlib', 'numpy', 'joblib', 'networkx'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout
