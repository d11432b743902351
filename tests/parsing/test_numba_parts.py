"""What kernels need of numba beyond its documented interface: that it is there, and does what they rely on.

A failure says what the installed numba changed, and what that is for; the code that needs it is
`learnability/parsing/numba_parts.py`, except for the instructions of `learnability/parsing/vectors.py`. A
missing name is told when that module is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import pytest
from sources import package_sources

from learnability.parsing.kernel_sources import digest_kernel

INLINING = "functions that are inlined everywhere get no machine code of their own"
CACHE = "kernels are cached on disk, each compiled and written by one process"
SHARED = "copies of the package share compiled kernels"
VECTORS = "rows of weights are added in vector registers"
PROGRESS = "progress tells when kernels are compiled"

OPTIONS = {
    "nogil": "kernels run beside each other",
    "forceinline": "kernels become part of those that call them",
    "_nrt": "kernels count no references (training was seven times slower)",
    "no_cfunc_wrapper": "no function for C is compiled, which nobody calls",
}

compiles = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def changed(what: str, use: str) -> str:
    """The sentence of a failure."""
    return (
        f"numba {numba.__version__} with llvmlite {llvmlite.__version__}: {what}. Why it matters: {use} "
        "(learnability/parsing/numba_parts.py)."
    )


def first(values: Any) -> Any:
    return values[0]


def longer(one: Any, other: Any) -> Any:
    """A view of one of two arrays, whose references numba would count."""
    view = one[1:] if one.shape[0] > other.shape[0] else other[1:]
    return view[0]


def instructions(function: Callable[..., Any], options: dict[str, Any]) -> str:
    """The instructions of a function of two arrays."""
    compiled = numba.njit(**options)(function)
    compiled(np.arange(3, dtype=np.int32), np.arange(2, dtype=np.int32))
    return str(compiled.inspect_llvm(compiled.signatures[0]))


@compiles
@pytest.mark.parametrize(
    ("mark", "with_options", "option"),
    [
        ("NRT_incref", False, "_nrt"),
        ("@cfunc.", False, "no_cfunc_wrapper"),
        ("alwaysinline", True, "forceinline"),
    ],
)
def test_an_option_does_what_it_is_for(mark: str, with_options: bool, option: str) -> None:
    from learnability.parsing.numba_parts import OPTIONS as OURS

    without = {name: value for name, value in OURS.items() if name != option}
    assert (mark in instructions(longer, OURS)) is with_options, changed(
        f"{option} has no effect on {mark}", OPTIONS[option]
    )
    assert (mark in instructions(longer, without)) is not with_options, changed(
        f"{mark} says nothing about {option} any more, so this test has to look at something else",
        OPTIONS[option],
    )


@compiles
def test_an_inlined_function_is_not_finished() -> None:
    from learnability.parsing import numba_parts

    inlined = numba_parts.compile_inlined(first)

    def outer(values: Any, others: Any) -> Any:
        return inlined(values) + inlined(others)

    compiled = numba.njit(**numba_parts.OPTIONS)(outer)
    assert compiled(np.array([2], np.int32), np.array([3], np.int32)) == 5
    (result,) = inlined.overloads.values()
    made = set(result.library._codegen._engine._defined_symbols)
    assert result.fndesc.llvm_func_name not in made, changed(
        "an inlined function is made machine code of", INLINING
    )
    (caller,) = compiled.overloads.values()
    assert caller.fndesc.llvm_func_name in made, changed(
        "the engine no longer tells which functions it has, so this test has to look at something else",
        INLINING,
    )


@compiles
def test_a_kernel_is_known_by_the_type_of_its_inlined_twin() -> None:
    from learnability.parsing import numba_parts

    inlined = numba_parts.compile_inlined(first)

    class Kernel:
        _numba_type_ = inlined._numba_type_

    kernel = Kernel()
    compiled = numba.njit(lambda values: kernel(values))
    assert compiled(np.array([7], np.int32)) == 7, changed(
        "_numba_type_ does not stand for a function", INLINING
    )


@compiles
def test_the_cache_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from learnability.parsing import numba_parts

    saved: list[object] = []
    monkeypatch.setattr(numba_parts._Cache, "save_overload", lambda *given: saved.append(given))
    monkeypatch.setattr(numba_parts._Cache, "load_overload", lambda *given: None)
    numba_parts.compile_kernel(first, digest_kernel)(np.array([7], np.int32))
    assert len(saved) == 1, changed("a dispatcher does not save through its _cache", CACHE)


SOURCE = """
def first(values):
    return values[0]
"""


@compiles
def test_copies_of_the_package_share_what_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the kernel differs; what is outside of the package stays apart."""
    from learnability.parsing import numba_parts

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    alive: list[object] = []  # what the cache holds names its module, and this one cannot be imported

    def compilations(package: Path, text: str) -> int:
        """How many kernels are compiled for a file of this copy."""
        file = package / "parsing" / "kernel.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        names: dict[str, Any] = {"__name__": "kernel"}
        exec(compile(text, str(file), "exec"), names)
        kernel = numba_parts.compile_kernel(names["first"], digest_kernel)
        alive.append(kernel)
        assert kernel(np.array([7], np.int32)) == 7
        return sum(kernel.stats.cache_misses.values())

    for name, text, expected in (
        ("one", SOURCE, 1),
        ("one", SOURCE, 0),
        ("two", SOURCE, 0),
        ("three", SOURCE.replace("[0]", "[0] + 0"), 1),
    ):
        monkeypatch.setattr(numba_parts, "PACKAGE", tmp_path / name)
        assert compilations(tmp_path / name, text) == expected, changed(f"copy {name}", SHARED)
    assert compilations(tmp_path / "other", SOURCE) == 1


@compiles
def test_compilation_is_told() -> None:
    from learnability.parsing.jit import noticed_compilation

    told: list[int] = []
    with noticed_compilation(lambda: told.append(1)):
        numba.njit(first)(np.array([7], np.int32))
    assert told, changed("there is no event numba:compile", PROGRESS)


@compiles
def test_memory_is_asked_for_in_advance() -> None:
    from learnability.parsing.vectors import prefetch, sum_rows

    def both(weight: Any, out: Any) -> Any:
        rows = np.zeros(1, np.int32)
        prefetch(weight, 0)
        sum_rows(weight.reshape(1, weight.shape[0]), rows, out)
        return 0

    compiled = numba.njit(both)
    compiled(np.zeros(16, np.float32), np.zeros(16, np.float32))
    text = str(compiled.inspect_llvm(compiled.signatures[0]))
    for mark in ("@llvm.prefetch", "fadd <16 x float>"):
        assert mark in text, changed(f"the instructions of vectors.py are compiled to no {mark}", VECTORS)


def test_private_parts_are_used_nowhere_else() -> None:
    """Of numba other files of the package use what its manual documents for extensions."""
    public = {"numba.extending", "numba.core.types", "llvmlite.ir"}
    used: dict[str, str] = {}
    for path, module in package_sources().items():
        for node in ast.walk(module):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            used |= {
                name: path.rpartition("/")[2] for name in names if name.startswith(("numba.", "llvmlite."))
            }
    private = {
        name: file
        for name, file in used.items()
        if file != "numba_parts.py" and not any(name == p or name.startswith(f"{p}.") for p in public)
    }
    assert private == {}
    assert "numba_parts.py" in used.values()
