"""Tell what a compiled kernel was made from, so that the cache knows when it is out of date.

A kernel is made from its bytecode, the values of the names in it, the kernels that it calls, and the types
of its arguments. These types also choose kernels (:func:`~learnability.parsing.jit.dispatch_kernel`). The
digest of a kernel holds all of that, also for the kernels that it calls. So an edit compiles again what
depends on it and nothing else. A name whose value could change unseen is refused.

What every kernel is made with (:data:`FOUNDATION`) names the folder of the cache instead.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeAlias

import numpy as np

Function: TypeAlias = Callable[..., Any]

FOUNDATION = ("bundles", "jit", "kernel_sources", "numba_parts", "vectors")
"""The modules of this package that say how numba compiles."""

KNOWN = ("builtins", "math", "numba", "numpy")
"""The packages whose functions numba compiles by rules of its own."""

CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic)


def digest_foundation(*versions: str) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 of versions and the files of the foundation."""
    digest = hashlib.sha256(repr(versions).encode())
    for name in FOUNDATION:
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def digest_kernel(function: Function, kinds: Iterable[Any]) -> str:
    """Return a SHA-256 of all that a kernel is made from.

    Args:
        function: the kernel in Python.
        kinds: numba's types of its arguments.

    Raises:
        TypeError: it uses a name whose value could change unseen.
    """
    classes = set(_classes(kinds))
    texts = [f"{kind.__module__}.{kind.__qualname__} {kind._fields}" for kind in classes]
    found, left = {function}, [function]
    while left:
        text, called = _describe_function(left.pop())
        texts.append(text)
        new = {each for kernel in called for each in _functions(kernel, classes)} - found
        found |= new
        left += new
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def _classes(kinds: Iterable[Any]) -> Iterator[Any]:
    """Yield the classes of named tuples among types, and in their fields."""
    for kind in kinds:
        if hasattr(kind, "instance_class"):
            yield kind.instance_class
        inner: Any = getattr(kind, "kinds", None) or getattr(kind, "types", ())
        yield from _classes(inner)


def _functions(kernel: Any, classes: set[Any]) -> Iterator[Function]:
    """Yield the function of a kernel, and for a dispatched one those that a class may choose."""
    yield kernel.__wrapped__
    if hasattr(kernel, "kernel_of"):
        for kind in classes:
            chosen: Any = getattr(sys.modules[kind.__module__], kernel.__name__, None)
            if _is_kernel(chosen):
                yield chosen.__wrapped__


def _is_kernel(value: Any) -> bool:
    return hasattr(value, "_numba_type_") or hasattr(value, "kernel_of")


@functools.cache
def _describe_function(function: Any) -> tuple[str, list[Any]]:
    """Return what a function is without the kernels that it calls, and these kernels."""
    code, called = function.__code__, []
    texts = [f"{function.__module__}.{function.__qualname__}", _describe_code(code, function.__doc__)]
    texts.append(_describe_value("defaults", (function.__defaults__, function.__kwdefaults__)))
    values = function.__globals__ | dict(
        zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True)
    )
    names = _names(code)
    used = [(name, values[name]) for name in sorted(names & set(values))]
    for name, value in used:
        if isinstance(value, ModuleType) and not _is_known(value.__name__):
            used += [(f"{name}.{part}", vars(value)[part]) for part in sorted(names & set(vars(value)))]
        elif _is_kernel(value):
            called.append(value)
            texts.append(f"{name} calls {value.__wrapped__.__module__}.{value.__wrapped__.__qualname__}")
        else:
            texts.append(f"{name} = {_describe_value(f'{texts[0]} uses {name}', value)}")
    return "\n".join(texts), called


def _names(code: CodeType) -> set[str]:
    """Return the names in a function: of globals, of attributes, and of what it took from around it."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _describe_code(code: CodeType, docstring: str | None = None) -> str:
    """Return the bytecode with its constants, without lines, files and docstrings."""
    constants = [
        _describe_code(part) if isinstance(part, CodeType) else _describe_value("constants", part)
        for part in code.co_consts
        if docstring is None or part != docstring
    ]
    parts = (
        code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars,
        code.co_argcount, code.co_kwonlyargcount, code.co_flags,
    )  # fmt: skip
    return f"{parts} {constants}"


def _describe_value(use: str, value: Any) -> str:
    """Return what tells a value from others."""
    if isinstance(value, CONSTANTS):
        return f"{type(value).__qualname__} {value!r}"
    if type(value) in (tuple, dict, frozenset):
        items = value.items() if type(value) is dict else value
        texts = [_describe_value(use, item) for item in items]
        return f"{type(value).__qualname__} {texts if type(value) is tuple else sorted(texts)}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    place = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    if _is_known(place):
        return f"{place}.{getattr(value, '__qualname__', '') or getattr(value, '__name__', '')}"
    raise TypeError(f"{use}, a {type(value).__name__}: the cache of kernels could not tell when it changes")


def _is_known(module: str) -> bool:
    """Return whether what this module defines changes with a version or the folder of the cache only."""
    package, _, name = module.rpartition(".")
    return module.partition(".")[0] in KNOWN or (package == __package__ and name in FOUNDATION)
