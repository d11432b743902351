"""What is installed: results are the same bytes only where all of it is the same."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("learnability", "numpy", "numba", "scipy", "nltk", "conllu", "joblib")


def installed_versions() -> dict[str, str]:
    """The versions of Python, of this package and of the libraries that have a part in the results."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
