"""What is optional is installed by the command that a message names."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from learnability.errors import InputError
from learnability.parsers.registry import known_parsers
from learnability.support import extras
from learnability.support.extras import check_extra, install_command, packages_of

REPOSITORY = Path(__file__).resolve().parents[1]
_PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    extra: [re.sub(r"^[\w.]+", lambda name: name[0].replace(".", "-"), package) for package in packages]
    for extra, packages in _PROJECT["optional-dependencies"].items()
}
"""What the extras consist of, with the names of packages as pip normalizes them."""


@pytest.mark.parametrize("extra", ["cluster", "spacy", "udpipe"])
def test_an_extra_is_installed_by_its_packages(extra: str) -> None:
    """They can be installed from any folder; ``learnability[spacy]`` only with the path of a clone."""
    packages = EXTRAS[extra]
    assert packages_of(extra) == packages
    quoted = " ".join(f"'{package}'" for package in packages)
    assert install_command(packages) == f"pip install {quoted}"


def test_every_parser_has_a_known_extra() -> None:
    named = {kind.extra: kind for kind in known_parsers().values() if kind.extra}
    assert {"spacy", "udpipe"} <= set(named)
    for extra, kind in named.items():
        assert list(kind.needs) == EXTRAS[extra]


def test_without_an_installation_the_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> list[str]:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(extras, "requires", absent)
    assert packages_of("spacy") == []
    with pytest.raises(
        InputError, match=r"^`x` needs a package that is not installed; run pip install no_such$"
    ):
        check_extra("no_such", "spacy", "`x`")


def test_nothing_is_installed_by_the_name_of_this_package() -> None:
    """It is in no index: a path to the clone, or the packages themselves, can be installed."""
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    code = [path for folder in ("learnability", "docs") for path in (REPOSITORY / folder).rglob("*.py")]
    found = [
        f"{path.relative_to(REPOSITORY)}: {match[0]}"
        for path in (*pages, *code)
        for match in re.finditer(r"pip install \S*(?<![./])learnability\b", path.read_text(encoding="utf-8"))
    ]
    assert found == []
