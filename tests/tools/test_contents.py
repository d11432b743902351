"""What `.ci/contents.py` finds wrong with a wheel and a source distribution."""

from __future__ import annotations

import io
import runpy
import tarfile
import zipfile
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).resolve().parents[2] / ".ci" / "contents.py"))
TRACKED = {"learnability/__init__.py", "learnability/py.typed", "README.md"}
WHEEL = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")


def wheel(folder: Path, files: set[str], description: str = "Text.") -> list[str]:
    """The problems of a wheel with these files."""
    path = folder / "x-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in files:
            archive.writestr(name, "")
        for name in WHEEL:
            archive.writestr(f"x-1.dist-info/{name}", f"Name: x\n\n{description}\n")
    return CHECK["wheel_problems"](path, TRACKED)


def source(folder: Path, files: set[str]) -> list[str]:
    """The problems of a source distribution with these files."""
    path = folder / "x-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in (*files, "PKG-INFO"):
            data = b"Name: x\n\nText.\n"
            member = tarfile.TarInfo(f"x-1/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return CHECK["source_problems"](path, TRACKED)


def test_a_wheel_has_the_package_and_nothing_else(tmp_path: Path) -> None:
    package = {"learnability/__init__.py", "learnability/py.typed"}
    assert wheel(tmp_path, package) == []
    assert wheel(tmp_path, {"learnability/__init__.py", "tests/test_x.py"}) == [
        "x-1-py3-none-any.whl: missing learnability/py.typed",
        "x-1-py3-none-any.whl: superfluous tests/test_x.py",
    ]


@pytest.mark.parametrize(
    ("description", "problems"),
    [
        ("[a](https://example.org) and `b`", 0),
        ("see [a](docs/a.md)", 1),
        ('<img src="docs/a.svg">', 1),
        ("", 1),
    ],
)
def test_links_of_the_description_work_everywhere(tmp_path: Path, description: str, problems: int) -> None:
    package = {"learnability/__init__.py", "learnability/py.typed"}
    assert len(wheel(tmp_path, package, description)) == problems


def test_a_source_distribution_has_every_tracked_file(tmp_path: Path) -> None:
    assert source(tmp_path, TRACKED) == []
    assert source(tmp_path, (TRACKED - {"README.md"}) | {"notes.txt"}) == [
        "x-1.tar.gz: missing README.md",
        "x-1.tar.gz: superfluous notes.txt",
    ]
