"""Measure how a checkout is built: a sentence's way through its files, imports, classes, and words.

    python research/house/house.py                       # this checkout
    python research/house/house.py --checkout ../before  # another one, in a process of its own

The way of a sentence is traced: a short run trains on two annotations of the demo treebank in one process,
and each file counts in which a function is given a tree or a sentence, alone or in a list. Everything else is
read from the sources, and nothing of them is imported.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

PACKAGE = "learnability"
EXTENSIONS = f"{PACKAGE}.extensions"

RUNS = (
    "run --treebank demo --test-set --transform case --transform cc --seeds 1 --iterations 1 --jobs 1",
    "run --treebank demo --transform case --transform cc --seeds 1 --iterations 1 --jobs 1",
)
"""A run on a test set, by its present spelling and by that of before there were stages."""

WORDS = (
    ("place", "site"),
    ("construction", "condition"),
    ("parser", "judge"),
    ("base", "original"),
    ("alternative", "transformed"),
)
"""The words that were two for one thing: the one that stays, and the one that goes."""

OF_A_RUN = (
    r"(Stored|Finished|Refined|Comparison)?"
    r"Run($|Plan|Design|Request|Content|Story|Config|Outcome|Options|Parts)"
)
OF_A_PAIR = r"(Stored|Annotated|Compared)?(Pair|Condition)($|Design|Facts|Evidence|Data|Trees|Records)"


def trace_sentence(checkout: Path) -> list[str]:
    """Return the files of a checkout in which a function is given a tree or a sentence during a short run."""
    program = Path(__file__).read_text(encoding="utf-8")
    for words in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder) / "files"
            environment = {**os.environ, "PYTHONPATH": str(checkout), "TRACED": str(found)}
            asked = [*words.split(), "--out"]
            compiling = [sys.executable, "-m", PACKAGE, *asked, f"{folder}/compiled"]
            subprocess.run(compiling, env=environment, cwd=folder, capture_output=True)
            command = [sys.executable, "-c", program, "--trace", *asked, f"{folder}/run"]
            done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
            if done.returncode == 0:
                return sorted(set(found.read_text(encoding="utf-8").split()))
    raise SystemExit(f"the run fails in {checkout}: {done.stderr.strip().splitlines()[-1]}")


def trace_run(words: Sequence[str]) -> None:
    """Run a command of the package in this process, and write down the files that a sentence passes."""
    from learnability import cli
    from learnability.treebanks.sentence import Sentence, Tree

    root = Path(cli.__file__).parent
    files: set[str] = set()
    known: set[tuple[str, int]] = set()

    def holds_sentence(value: object) -> bool:
        if isinstance(value, list | tuple) and value:
            value = value[0]
        return isinstance(value, Tree | Sentence)

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or (code.co_filename, code.co_firstlineno) in known:
            return
        path = Path(code.co_filename)
        if not path.is_relative_to(root):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(holds_sentence(frame.f_locals.get(name)) for name in names):
            known.add((code.co_filename, code.co_firstlineno))
            files.add(str(path.relative_to(root)))

    sys.setprofile(look)
    status = cli.run(list(words))
    sys.setprofile(None)
    Path(os.environ["TRACED"]).write_text("\n".join(files), encoding="utf-8")
    raise SystemExit(status)


def modules_of(checkout: Path) -> dict[str, Path]:
    """Return the modules of the package by their names."""
    found = {}
    for path in sorted((checkout / PACKAGE).rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(checkout: Path) -> dict[str, set[str]]:
    """Return what each module imports when it is imported: not what a function or a type checker imports."""
    modules = modules_of(checkout)
    return {name: set(_imported(path, modules)) - {name} for name, path in modules.items()}


def _imported(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                found = module if module in modules else node.module
                if found in modules:
                    yield found


def longest_chain(imports: dict[str, set[str]]) -> list[str]:
    """Return the longest chain of modules each of which imports the next."""
    chains: dict[str, list[str]] = {}

    def follow(name: str, above: tuple[str, ...]) -> list[str]:
        if name not in chains:
            further = [
                follow(other, (*above, name))
                for other in sorted(imports[name] & imports.keys())
                if other not in above
            ]
            chains[name] = [name, *max(further, key=len, default=[])]
        return chains[name]

    return max((follow(name, ()) for name in imports), key=len)


def classes_of(checkout: Path, pattern: str) -> list[str]:
    """Return the names of the package's classes that fit a pattern."""
    names = [
        node.name
        for path in modules_of(checkout).values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    return sorted({name for name in names if re.fullmatch(pattern, name.lstrip("_"))})


def count_words(checkout: Path) -> Counter[str]:
    """Return how often each word is a part of an identifier of the package."""
    counted: Counter[str] = Counter()
    for path in modules_of(checkout).values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _identifiers(node):
                counted.update(part.lower().rstrip("s") for part in re.findall(r"[A-Z]?[a-z]+", name))
    return counted


def _identifiers(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg


def count_untyped(checkout: Path) -> int:
    """Return how often the package writes `dict[str, Any]`."""
    return sum(
        path.read_text(encoding="utf-8").count("dict[str, Any]") for path in modules_of(checkout).values()
    )


def main() -> None:
    """Print the measures of a checkout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--files", action="store_true", help="name the files that a sentence passes")
    arguments = parser.parse_args()
    checkout: Path = arguments.checkout.resolve()
    files = trace_sentence(checkout)
    print(f"a sentence passes {len(files)} files")
    rooms = Counter(name.partition("/")[0] for name in files)
    print("  " + ", ".join(f"{room} {count}" for room, count in rooms.most_common()))
    if arguments.files:
        print("  " + "\n  ".join(files))
    imports = {name: known for name, known in imports_of(checkout).items() if not name.startswith(EXTENSIONS)}
    print(f"the longest chain of imports has {len(longest_chain(imports))} modules, without extensions")
    for what, pattern in (("a run", OF_A_RUN), ("a pair", OF_A_PAIR)):
        names = classes_of(checkout, pattern)
        print(f"{len(names)} classes describe {what}: {', '.join(names)}")
    counted = count_words(checkout)
    for stays, goes in WORDS:
        print(f"{stays} {counted[stays]}, {goes} {counted[goes]}")
    print(f"dict[str, Any]: {count_untyped(checkout)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        trace_run(sys.argv[2:])
    main()
