"""Name the commands that install what is optional: the extras of this package."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from learnability.errors import InputError

PACKAGE = "learnability"


def packages_of(extra: str) -> list[str]:
    """Return what an extra of this package needs, as pip reads it: ``["spacy>=3.8.7"]``.

    The packages themselves can be installed from any folder, and with any kind of installation. An extra is
    found only by a path to the sources, or in an index. The list is empty for an unknown extra, and if this
    package runs without being installed.
    """
    try:
        requirements = requires(PACKAGE) or []
    except PackageNotFoundError:
        return []
    wanted = re.compile(rf"\bextra *== *['\"]{re.escape(extra)}['\"]")
    parts = (requirement.partition(";") for requirement in requirements)
    return [package.strip() for package, _, marker in parts if extra and wanted.search(marker)]


def install_command(packages: Iterable[str]) -> str:
    return shlex.join(["pip", "install", *packages])


def are_installed(modules: Iterable[str]) -> bool:
    try:
        return all(find_spec(module) for module in modules)
    except ModuleNotFoundError:  # the package that contains a module is missing
        return False


def check_extra(module: str, extra: str, needed_by: str) -> None:
    if not are_installed([module]):
        command = install_command(packages_of(extra) or [module])
        raise InputError(f"{needed_by} needs a package that is not installed; run {command}")
