"""The cache compiles a kernel again when something changes that it is made from, and only then."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from sources import package_sources

from learnability.parsing import jit, kernel_sources
from learnability.parsing.kernel_sources import digest_foundation, digest_kernel
from learnability.support.nouns import count_noun

compiles = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

FILES = {
    "trap_constants": "STEP = 2\nTABLE = (1, 2)\n",
    "trap_callee": """
from learnability.parsing.jit import njit
from trap_constants import STEP

@njit
def step(values, by=STEP):
    return values[0] + STEP

@njit
def unused(values):
    return values[0]
""",
    "trap_chooser": '''
from typing import Any, NamedTuple
from learnability.parsing.bundles import bundle
from learnability.parsing.jit import njit

@bundle
class Chooser(NamedTuple):
    first: Any
    second: Any

@bundle
class Holder(NamedTuple):
    chooser: Chooser

@njit
def choose(chooser):
    """Return a number."""
    return chooser.first[0]
''',
    "trap_kernels": """
import trap_constants
from learnability.parsing.jit import dispatch_kernel, njit
from trap_callee import step

@dispatch_kernel
def choose(chooser):
    return -1

@njit
def calling(values):
    return 10 * step(values)

@njit
def choosing(holder):
    return choose(holder.chooser)

@njit
def alone(values):
    return values[0] + 100 * trap_constants.TABLE[1]
""",
}
UNCHANGED = {"calling": 90, "choosing": 7, "alone": 207}


def call_kernels(folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What each kernel of these files returns, and whether it was compiled for that."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # its time stamps are too coarse here
    kernels, chooser = (importlib.import_module(name) for name in ("trap_kernels", "trap_chooser"))
    values = np.array([7, 8], np.int32)
    holder = chooser.Holder(chooser.Chooser(first=values[:1], second=values[1:]))
    arguments = {"calling": values, "choosing": holder, "alone": values}
    found = {name: getattr(kernels, name)(given) for name, given in arguments.items()}
    misses = {name: sum(getattr(kernels, name)._compiled.stats.cache_misses.values()) for name in arguments}
    return {name: (value, bool(misses[name])) for name, value in found.items()}


@compiles
@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        pytest.param("trap_constants", "STEP = 2", "STEP = 3", {"calling": 100}, id="a constant"),
        pytest.param("trap_constants", "(1, 2)", "(1, 3)", {"alone": 307}, id="a constant in a module"),
        pytest.param("trap_callee", "[0] + STEP", "[0] - STEP", {"calling": 50}, id="a callee"),
        pytest.param("trap_callee", "by=STEP", "by=1", {"calling": 90}, id="a default"),
        pytest.param("trap_chooser", "r.first", "r.second", {"choosing": 8}, id="a dispatched name"),
        pytest.param("trap_chooser", "def choose", "def other", {"choosing": -1}, id="a name less"),
        pytest.param(
            "trap_chooser", "first: Any\n    second", "second: Any\n    first", {"choosing": 7}, id="a field"
        ),
        pytest.param("trap_kernels", "return -1", "return -2", {"choosing": 7}, id="a default kernel"),
        pytest.param("trap_kernels", "[0] + 100", "[0] - 100", {"alone": -193}, id="a kernel"),
        pytest.param("trap_callee", "return values[0]\n", "return values[1]\n", {}, id="what is not called"),
        pytest.param("trap_chooser", "a number", "some number", {}, id="a docstring"),
        pytest.param("trap_kernels", "\nimport", "# longer\n\n\nimport", {}, id="lines"),
    ],
)  # fmt: skip
def test_an_edit_compiles_again_what_depends_on_it(
    file: str, old: str, new: str, changed: dict[str, int], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FILES[file].count(old) == 1 or "\n" in old
    edited = FILES | {file: FILES[file].replace(old, new)}
    assert edited != FILES
    found = call_kernels(filled, edited, monkeypatch)
    assert found == {name: (changed.get(name, value), name in changed) for name, value in UNCHANGED.items()}
    again = call_kernels(filled, FILES, monkeypatch)
    assert again == {name: (value, False) for name, value in UNCHANGED.items()}, "both stay in the cache"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unchanged files, and their kernels in a cache."""
    folder = tmp_path_factory.mktemp("kernels")
    with pytest.MonkeyPatch.context() as patch:
        found = call_kernels(folder, FILES, patch)
    assert found == {name: (value, True) for name, value in UNCHANGED.items()}
    return folder


def test_what_could_change_unseen_is_refused() -> None:
    def counted(values: Any) -> Any:
        return count_noun(values[0], "kernel")

    with pytest.raises(TypeError, match="uses count_noun, a function: the cache of kernels could not tell"):
        digest_kernel(counted, ())


def test_the_folder_follows_how_numba_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These modules are the ones that use numba or llvmlite, and the digest itself."""
    using = {
        Path(path).stem
        for path, module in package_sources().items()
        for node in ast.walk(module)
        if isinstance(node, ast.Import | ast.ImportFrom) and {"numba", "llvmlite"} & set(_imported(node))
    }
    assert using | {"jit", "kernel_sources"} == set(kernel_sources.FOUNDATION)
    digest = digest_foundation("1", "2")
    assert Path(jit.config.CACHE_DIR).name == digest_foundation(*jit.numba_parts.VERSIONS)
    digests = {digest, digest_foundation("1", "3")}
    for name in kernel_sources.FOUNDATION:
        source = Path(kernel_sources.__file__).with_name(f"{name}.py").read_bytes()
        (tmp_path / f"{name}.py").write_bytes(source)
    monkeypatch.setattr(kernel_sources, "__file__", str(tmp_path / "kernel_sources.py"))
    assert digest_foundation("1", "2") == digest
    for name in kernel_sources.FOUNDATION:
        with (tmp_path / f"{name}.py").open("a") as file:
            file.write("\n")
        digests.add(digest_foundation("1", "2"))
    assert len(digests) == 2 + len(kernel_sources.FOUNDATION)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return [name.partition(".")[0] for name in names]
