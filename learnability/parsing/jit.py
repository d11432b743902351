"""The one owner of `njit`: where compiled kernels are cached and how they are compiled.

numba's disk cache stamps only the file of the compiled function: a change in a kernel that it calls
from another file goes unnoticed. So the cache lives in a folder named by a digest of all kernel sources.
`fastmath` stays off: weights and costs must be the same on every machine. Everything also runs without
compilation under `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs

PACKAGE = Path(__file__).parent.parent


def kernel_digest() -> str:
    """SHA-256 (first 16 hexadecimal digits) of every source file that may hold a kernel."""
    digest = hashlib.sha256()
    for folder in ("parsing", "multiref"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    base = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [
        Path(base) if base else Path(platformdirs.user_cache_dir("learnability")) / "kernels",
        Path(tempfile.gettempdir()) / f"learnability-kernels-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ]
    for candidate in candidates:
        folder = candidate / kernel_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return str(candidates[-1])


config: Any = numba.config
config.CACHE_DIR = _cache_folder()

if config.DISABLE_JIT:
    np.seterr(over="ignore")  # keys are sums modulo 2^64, which numpy's scalars report as overflow

OPTIONS: Any = {"nogil": True, "forceinline": True, "_nrt": False}
"""How every kernel is compiled; `dispatch` compiles what it finds with the same options."""

njit = numba.njit(cache=True, **OPTIONS)
"""Compile a kernel: cached on disk, without the global interpreter lock.

Kernels never allocate, so they need no reference counts: counting every array of a configuration at every
call made training seven times slower (`_nrt=False`).
"""
