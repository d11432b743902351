"""A name of the package stands for one thing, and what a name does not say is said."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from sources import package_sources, parse_sources


def classes_of(sources: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """The places of all classes, by name; also of those within functions and classes."""
    places = defaultdict(list)
    for path, module in sources.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    return places


def test_no_name_of_a_class_stands_for_two() -> None:
    classes = classes_of(package_sources())
    assert len(classes) > 100
    assert {name: places for name, places in classes.items() if len(places) > 1} == {}


def test_two_classes_of_one_name_are_seen(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Row: ...\nclass Other: ...\n")
    (tmp_path / "two.py").write_text("def f():\n    class Row: ...\n")
    assert classes_of(parse_sources(tmp_path)) == {"Row": ["one.py:1", "two.py:2"], "Other": ["one.py:2"]}


def unexplained(sources: Mapping[str, ast.Module]) -> list[str]:
    """The public functions and methods of several statements that have no docstring."""
    found = []
    for path, module in sources.items():
        classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
        for scope in (module, *classes):
            if isinstance(scope, ast.ClassDef) and scope.name.startswith("_"):
                continue
            for node in scope.body:
                if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                    continue
                is_overload = any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)
                if len(node.body) > 1 and not is_overload and ast.get_docstring(node) is None:
                    found.append(f"{path}:{node.lineno} {node.name}")
    return found


def test_public_functions_of_several_statements_are_explained() -> None:
    assert unexplained(package_sources()) == []


def test_a_function_that_is_not_explained_is_seen(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "def short(): return 1\ndef long():\n    a = 1\n    return a\n"
        "def _private():\n    a = 1\n    return a\n"
        "class Row:\n    def said(self):\n        'Say.'\n        a = 1\n"
        "    def unsaid(self):\n        a = 1\n        return a\n"
    )
    assert unexplained(parse_sources(tmp_path)) == ["one.py:2 long", "one.py:12 unsaid"]
