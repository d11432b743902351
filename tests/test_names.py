"""A name of the package stands for one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import learnability

PACKAGE = Path(learnability.__file__).parent


def classes_of(package: Path) -> dict[str, list[str]]:
    """The places of all classes, by name; also of those within functions and classes."""
    places = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(package)}:{node.lineno}")
    return places


def test_no_name_of_a_class_stands_for_two() -> None:
    classes = classes_of(PACKAGE)
    assert len(classes) > 100
    assert {name: places for name, places in classes.items() if len(places) > 1} == {}


def test_two_classes_of_one_name_are_seen(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Row: ...\nclass Other: ...\n")
    (tmp_path / "two.py").write_text("def f():\n    class Row: ...\n")
    assert classes_of(tmp_path) == {"Row": ["one.py:1", "two.py:2"], "Other": ["one.py:2"]}
