"""A name of the package stands for one thing."""

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
