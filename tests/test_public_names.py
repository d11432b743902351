"""`import learnability` offers what it says, without importing anything heavy by itself; its examples run."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
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


def test_every_public_name_exists_and_is_documented() -> None:
    assert [name for name in learnability.__all__ if not getattr(learnability, name).__doc__] == []
    assert {*learnability.__all__} <= {*dir(learnability)}


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


SECTIONS = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):\n((?:(?: .*)?\n)*)", re.MULTILINE)
"""The sections of a docstring in Google's style."""

RESULT = re.compile(r"\A(Return|Yield) |^(Returns|Yields):$", re.MULTILINE)
"""A summary or a section that explains the result."""

ENTRY = re.compile(r"^    ([\w*][\w*, ]*):", re.MULTILINE)
"""The names that an entry of a section explains."""


def entries(documentation: str, section: str) -> set[str]:
    """The names in a section of a docstring."""
    texts = dict(SECTIONS.findall(inspect.cleandoc(documentation) + "\n"))
    return {name.strip("* ") for names in ENTRY.findall(texts.get(section, "")) for name in names.split(",")}


def missing_sections(function: Callable[..., object], documentation: str) -> list[str]:
    """What the documentation of a function leaves out: parameters, results, errors that its body raises."""
    signature = inspect.signature(function)
    parameters = set(signature.parameters) - {"self", "cls"}
    missing = sorted(parameters - entries(documentation, "Args"))
    has_result = signature.return_annotation not in ("None", "NoReturn") and function.__name__ != "__init__"
    if has_result and not RESULT.search(inspect.cleandoc(documentation)):
        missing.append("Returns")
    body = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = {
        node.exc.func.id
        for node in ast.walk(body)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
    }
    return missing + sorted(raised - entries(documentation, "Raises"))


def public_functions() -> Iterator[tuple[str, Callable[..., object], str]]:
    """The public functions, methods and written constructors by name, each with its documentation.

    The class explains the parameters of its constructor. An inherited method occurs once.
    """
    seen: set[Callable[..., object]] = set()
    for name in learnability.__all__:
        public = getattr(learnability, name)
        if inspect.isfunction(public):
            yield name, public, public.__doc__ or ""
        for owner in inspect.getmro(public) if inspect.isclass(public) else ():
            if not owner.__module__.startswith("learnability"):
                continue
            for key, value in vars(owner).items():
                method = getattr(value, "__func__", value)  # of class methods and static methods
                if not inspect.isfunction(method) or method in seen:
                    continue
                seen.add(method)
                if not method.__code__.co_filename.endswith(".py"):
                    continue  # generated by dataclasses
                if key == "__init__":
                    yield f"{name}()", method, owner.__doc__ or ""
                elif not key.startswith("_"):
                    yield f"{name}.{key}", method, method.__doc__ or ""


def test_parameters_results_and_errors_are_documented() -> None:
    missing = {name: missing_sections(function, text) for name, function, text in public_functions()}
    assert len(missing) > 50
    assert {name: sections for name, sections in missing.items() if sections} == {}


def test_fields_are_documented() -> None:
    """A field of a dataclass is an attribute of its documentation, or has the help of an option."""
    for name in learnability.__all__:
        public = getattr(learnability, name)
        if dataclasses.is_dataclass(public):
            fields = {field.name for field in dataclasses.fields(public) if "help" not in field.metadata}
            assert sorted(fields - entries(public.__doc__ or "", "Attributes")) == [], name
