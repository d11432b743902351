"""JAX as this package uses it: one thread on a processor, and compiled programs kept on disk.

Import `jax`, `jnp` and `optax` from here, so that these settings come first. A user's own settings of JAX
stay as they are.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

SINGLE_THREAD = "--xla_cpu_multi_thread_eigen=false"
"""Jobs share the processors among themselves; sums in one thread have one order."""

if "xla_cpu_multi_thread_eigen" not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {SINGLE_THREAD}".strip()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402

__all__ = ["jax", "jnp", "optax"]

if not jax.config.jax_compilation_cache_dir:
    cache = Path(platformdirs.user_cache_dir("learnability")) / "programs"
    jax.config.update("jax_compilation_cache_dir", str(cache))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
