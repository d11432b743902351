"""State the versions of the program and its libraries that a run used."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("learnability", "numpy", "numba", "scipy", "conllu", "joblib")


def installed_versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}}


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
