"""Set up JAX as this package uses it: one thread on a processor, and compiled programs kept on disk.

Import `jax`, `jnp` and `optax` from here, so that these settings come first. What users set for JAX
themselves stays as it is.
"""

from __future__ import annotations

import os
import warnings

from learnability.support.cache import cache_folder

SINGLE_THREAD = "--xla_cpu_multi_thread_eigen=false"
"""Jobs share the processors among themselves; sums in one thread have one order."""

if "xla_cpu_multi_thread_eigen" not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {SINGLE_THREAD}".strip()

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # jobs share the memory of a GPU, too

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402

__all__ = ["jax", "jnp", "optax"]

if not jax.config.jax_compilation_cache_dir:
    jax.config.update("jax_compilation_cache_dir", str(cache_folder("programs")))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)

# A program that a killed process has not written completely, or for which the disk has no room, is compiled
# again: that costs time and changes nothing.
warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache", UserWarning)
