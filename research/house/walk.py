"""Follow a value through the functions of a checkout, and count how often the way goes back.

    python research/house/walk.py                                            # from the answers to the page
    python research/house/walk.py studies/runner.py:run_studies:run --checkout ../before --way

The way is read from the sources: from the functions named, in the order of its lines, into each function that
is given the value, or what was made of it and is of a class of the package (with --texts: anything made of
it). A function is entered once; methods are read with their class. Files follow one another on this way. A
*stay* is a stretch of it in one file, and whoever reads along returns as many times as there are more stays
than files.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "learnability"
REPORT = ("reports/story.py:tell_story:*", "reports/page.py:report_files:story")
"""What a run says is made by the first, and drawn on the page by the second."""

PLAIN = {"all", "any", "bool", "float", "int", "len", "max", "min", "round", "str", "sum"}
"""What these return is a number or a text."""

FILLING = {"append", "extend", "add", "update", "insert"}
"""Methods that put what they are given into a collection."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """Hold what a module defines and what it imports, each by the name that it has there."""

    path: str
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Owned:
    """A definition with the module that it stands in."""

    module: str
    node: Function | ast.ClassDef


class Sources:
    """The modules of a package, and what names mean in them."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, Module] = {}
        for path in sorted((root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = _read(path, str(path.relative_to(root / PACKAGE)))

    def find(self, module: str, name: str) -> Owned | None:
        """Return the function or class that a name stands for in a module."""
        seen = set()
        while module in self.modules and (module, name) not in seen:
            seen.add((module, name))
            here = self.modules[module]
            if name in here.functions:
                return Owned(module, here.functions[name])
            if name in here.classes:
                return Owned(module, here.classes[name])
            if name not in here.imported:
                return None
            module, name = here.imported[name]
        return None

    def member(self, owner: Owned, name: str) -> tuple[Owned, Function | ast.AnnAssign] | None:
        """Return a method, property or field of a class or of those it derives from."""
        assert isinstance(owner.node, ast.ClassDef)
        for node in owner.node.body:
            if isinstance(node, Function) and node.name == name:
                return owner, node
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == name
            ):
                return owner, node
        for base in owner.node.bases:
            for above in self.classes_in(owner.module, base):
                found = self.member(above, name)
                if found is not None:
                    return found
        return None

    def classes_in(self, module: str, annotation: ast.AST | None) -> list[Owned]:
        """Return the classes of the package that an annotation mentions."""
        found = []
        for node in ast.walk(annotation) if annotation is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found += self.classes_in(module, ast.parse(node.value, mode="eval").body)
            if isinstance(node, ast.Name):
                owned = self.find(module, node.id)
                if owned is not None and isinstance(owned.node, ast.ClassDef):
                    found.append(owned)
        return found


def _read(path: Path, name: str) -> Module:
    module = Module(name)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, Function):
            module.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
    for inner in ast.walk(tree):
        if isinstance(inner, ast.ImportFrom) and inner.module:
            for alias in inner.names:
                module.imported[alias.asname or alias.name] = (inner.module, alias.name)
    return module


class Walk:
    """The way of a value: the functions that are given it, in the order of reading."""

    def __init__(self, sources: Sources, *, follows_texts: bool = False) -> None:
        self.sources, self.follows_texts = sources, follows_texts
        self.way: list[tuple[str, str]] = []
        self._entered: set[int] = set()

    def begin(self, start: str) -> None:
        """Go through the function that a user names as FILE:FUNCTION:ARGUMENT."""
        path, name, argument = start.split(":")
        module = f"{PACKAGE}.{path.removesuffix('.py').replace('/', '.')}"
        owned = self.sources.find(module, name)
        if owned is None or not isinstance(owned.node, Function):
            raise SystemExit(f"{path} has no function {name}")
        given = owned.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        carrying = {
            each: self.sources.classes_in(module, annotation_of(owned.node, each))
            for each in (names if argument == "*" else [argument])
        }
        self.enter(module, owned.node, carrying)

    def enter(self, module: str, function: Function, carrying: dict[str, list[Owned]]) -> None:
        """Go through a function in which some names are the value, each with its classes."""
        if id(function) in self._entered:
            return
        self._entered.add(id(function))
        self.way.append((self.sources.modules[module].path, function.name))
        reader = _Reader(self, module, carrying)
        for statement in function.body:
            reader.visit(statement)


class _Reader(ast.NodeVisitor):
    """Read a function: which expressions carry the value, of which classes, and whom they are given to."""

    def __init__(self, walk: Walk, module: str, carrying: dict[str, list[Owned]]) -> None:
        self.walk, self.module, self.carrying = walk, module, dict(carrying)
        self.sources = walk.sources

    def carries(self, node: ast.AST) -> bool:
        """Return whether an expression is made of the value, and is more than numbers and texts."""
        made_of_it = any(isinstance(each, ast.Name) and each.id in self.carrying for each in ast.walk(node))
        return made_of_it and (self.walk.follows_texts or bool(self.classes(node)))

    def classes(self, node: ast.AST) -> list[Owned]:
        """Return the classes that an expression may be of, or its elements."""
        if isinstance(node, ast.Name):
            return self.carrying.get(node.id, [])
        if isinstance(node, ast.Attribute):
            for owner in self.classes(node.value):
                found = self.sources.member(owner, node.attr)
                if found is not None:
                    owned, member = found
                    annotation = member.returns if isinstance(member, Function) else member.annotation
                    return self.sources.classes_in(owned.module, annotation)
            return []
        if isinstance(node, ast.Call):
            callee = self.callee(node.func)
            if callee is None:
                if isinstance(node.func, ast.Name) and node.func.id in PLAIN:
                    return []
                return [found for part in node.args for found in self.classes(part)]
            if not isinstance(callee.node, Function):
                return [callee]
            return self.sources.classes_in(callee.module, callee.node.returns)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self.classes(node.elt)
        if isinstance(node, ast.DictComp):
            return self.classes(node.value)
        if isinstance(node, ast.Compare | ast.JoinedStr | ast.UnaryOp):
            return []
        return [found for part in ast.iter_child_nodes(node) for found in self.classes(part)]

    def callee(self, node: ast.AST) -> Owned | None:
        """Return the function, method or class that is called."""
        if isinstance(node, ast.Name):
            return self.sources.find(self.module, node.id)
        if isinstance(node, ast.Attribute):
            owners = self.classes(node.value)
            if isinstance(node.value, ast.Name) and not owners:
                owned = self.sources.find(self.module, node.value.id)
                owners = [owned] if owned is not None and isinstance(owned.node, ast.ClassDef) else []
            for owner in owners:
                found = self.sources.member(owner, node.attr)
                if found is not None and isinstance(found[1], Function):
                    return Owned(found[0].module, found[1])
        return None

    def bind(self, target: ast.AST, value: ast.AST) -> None:
        """Note that names are made of the value; names side by side get their parts side by side."""
        if isinstance(target, ast.Tuple):
            parts = _parts_of(value)
            if len(parts) == len(target.elts) and not any(isinstance(p, ast.Starred) for p in parts):
                for one, part in zip(target.elts, parts, strict=True):
                    if self.carries(part):
                        self.bind(one, part)
                return
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                known = self.carrying.get(node.id, [])
                self.carrying[node.id] = [*known, *(c for c in self.classes(value) if c not in known)]

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        if self.carries(node.value):
            for target in node.targets:
                self.bind(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            if self.carries(node.value):
                self.bind(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if self.carries(node.value):
            self.bind(node.target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        if self.carries(node.value):
            self.bind(node.target, node.value)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        if self.carries(node.iter):
            self.bind(node.target, node.iter)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        for generator in node.generators:
            self.visit(generator.iter)
            if self.carries(generator.iter):
                self.bind(generator.target, generator.iter)
            for condition in generator.ifs:
                self.visit(condition)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.visit(part)
        if isinstance(node.func, ast.Attribute) and node.func.attr in FILLING:
            for part in filter(self.carries, node.args):
                self.bind(node.func.value, part)
        callee = self.callee(node.func) if isinstance(node.func, ast.Name) else None
        if callee is None or isinstance(callee.node, ast.ClassDef):
            return
        function = callee.node
        assert isinstance(function, Function)
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        given: dict[str, list[Owned]] = {}
        for number, part in enumerate(node.args):
            if not self.carries(part):
                continue
            if isinstance(part, ast.Starred) or number >= len(names):
                rest = [function.args.vararg.arg] if function.args.vararg else names[number:]
                for name in rest:
                    given[name] = self._declared(callee, name) or self.classes(part)
                continue
            given[names[number]] = self._declared(callee, names[number]) or self.classes(part)
        for keyword in node.keywords:
            if self.carries(keyword.value) and keyword.arg:
                given[keyword.arg] = self._declared(callee, keyword.arg) or self.classes(keyword.value)
        if given:
            self.walk.enter(callee.module, function, given)

    def _declared(self, callee: Owned, name: str) -> list[Owned]:
        return self.sources.classes_in(callee.module, annotation_of(callee.node, name))


def _parts_of(value: ast.AST) -> list[ast.expr]:
    """Return what several names stand for that are set together: the parts of a tuple, or of `zip`."""
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "zip":
        return value.args
    return []


def annotation_of(function: ast.AST, name: str) -> ast.AST | None:
    """Return the annotation of an argument."""
    assert isinstance(function, Function)
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg == name:
            return argument.annotation
    return arguments.vararg.annotation if arguments.vararg and arguments.vararg.arg == name else None


def stays_of(way: list[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the stretches of a way in one file, each with the functions that are read there."""
    stay: list[str] = []
    for number, (path, function) in enumerate(way):
        stay.append(function)
        if number + 1 == len(way) or way[number + 1][0] != path:
            yield path, stay
            stay = []


def main() -> None:
    """Print how often the way of a value goes back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "starts", nargs="*", default=REPORT, metavar="FILE:FUNCTION:ARGUMENT",
        help="one after the other; * for all arguments",
    )  # fmt: skip
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument(
        "--texts", action="store_true", help="also follow numbers and texts made of the value"
    )
    parser.add_argument("--way", action="store_true", help="print the stays in order")
    arguments = parser.parse_args()
    sources = Sources(arguments.checkout.resolve())
    walk = Walk(sources, follows_texts=arguments.texts)
    for start in arguments.starts:
        walk.begin(start)
    stays = list(stays_of(walk.way))
    files = {file for file, _ in stays}
    print(
        f"{', '.join(arguments.starts)}: {len(walk.way)} functions, {len(stays)} stays in "
        f"{len(files)} files, {len(stays) - len(files)} returns"
    )
    if arguments.way:
        seen: set[str] = set()
        for file, functions in stays:
            print(f"  {'<' if file in seen else ' '} {file}: {', '.join(functions)}")
            seen.add(file)


if __name__ == "__main__":
    main()
