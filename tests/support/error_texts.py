"""The texts of errors in the source of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sources import PACKAGE, package_sources

from learnability.support.plugins import extensions, import_object

ERRORS = {"InputError", "RunError", "explain", "fail"}
"""Functions that are given messages of errors."""
OF_USERS_AT_TERMINALS = {"option", "same", "Declaration", "print_line", "print_section", "Section"}
"""Functions that are given what is typed, or shown on a terminal."""


def modules() -> list[str]:
    paths = (path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py")))
    commands = [listed.command for each in extensions() for listed in each.commands.values()]
    studies = [import_object(study) for each in extensions() for study in each.studies]
    commands += [study.instead for study in studies if study.instead]
    brought = {
        command.partition(":")[0].removeprefix("learnability.").replace(".", "/") + ".py"
        for command in commands
    }
    return [path for path in paths if path not in {"cli.py", *brought} and not path.startswith("commands/")]


def error_strings(path: str) -> set[str]:
    return {text for part in errors_in(package_sources()[path]) for text in strings(part)}


def strings(node: ast.AST) -> Iterator[str]:
    """The strings below a node, without docstrings and what is no message of an error."""
    for child in ast.iter_child_nodes(node):
        called = getattr(child, "func", None)
        name = getattr(called, "id", getattr(called, "attr", ""))
        if name in OF_USERS_AT_TERMINALS:
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from re.split(r"`learnability [^`]*`", child.value)
        yield from strings(child)


def errors_in(tree: ast.AST) -> Iterator[ast.AST]:
    """What is called to make an error, and the functions around it: a message may be put together before."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
            if any(getattr(call, "id", getattr(call, "attr", "")) in ERRORS for call in calls):
                yield function
