"""Find folders for compiled code, which any later process may use and which can be made again."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs


def cache_folder(kind: str, version: str = "", preferred: str | None = None) -> Path:
    """Return a folder that can be written, in the cache of the user or else among temporary files."""
    of_user = Path(preferred) if preferred else Path(platformdirs.user_cache_dir("learnability")) / kind
    temporary = Path(tempfile.gettempdir()) / f"learnability-{kind}-{os.getuid()}"
    for folder in (of_user / version, temporary / version):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return temporary / version
