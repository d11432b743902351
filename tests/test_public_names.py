"""`import learnability` offers what it says, without importing anything heavy by itself; its examples run."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import learnability

PACKAGE = Path(learnability.__file__).parent


def stub() -> ast.Module:
    return ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))


def with_examples() -> list[str]:
    """The modules that have examples in their docstrings."""
    found = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    parts = [path.relative_to(PACKAGE.parent).with_suffix("").parts for path in found]
    return [".".join(part for part in each if part != "__init__") for each in parts]


@pytest.mark.parametrize("name", learnability.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(learnability, name).__doc__
    assert name in dir(learnability)


def test_the_stub_names_what_it_imports() -> None:
    imported = [a.name for node in stub().body if isinstance(node, ast.ImportFrom) for a in node.names]
    (named,) = [ast.literal_eval(node.value) for node in stub().body if isinstance(node, ast.Assign)]
    assert sorted(imported) == sorted(named) == sorted(learnability.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        learnability.no_such_thing  # noqa: B018


@pytest.mark.parametrize("module", with_examples())
def test_the_examples_run(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0
    assert found.attempted > 0


def test_the_first_names_have_examples() -> None:
    assert {"learnability", "learnability.api", "learnability.parsing.parser"} <= set(with_examples())


def test_importing_the_package_is_light() -> None:
    code = "import learnability, sys; print({'numpy', 'numba', 'conllu', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
