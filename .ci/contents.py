"""Compare the contents of a wheel and a source distribution with the files in the repository.

    python .ci/contents.py dist/*

The wheel has every file of the package `learnability` and nothing else. The source distribution has every
file that Git tracks. The description in both has no link that works in the repository only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

_RELATIVE_LINK = re.compile(r"\]\((?!https?://)|(?:src|href)=[\"'](?!https?://)")


def compared(name: str, found: set[str], expected: set[str]) -> list[str]:
    """Return a line for each file that is missing or superfluous."""
    missing = [f"{name}: missing {path}" for path in sorted(expected - found)]
    return missing + [f"{name}: superfluous {path}" for path in sorted(found - expected)]


def linked(name: str, metadata: str) -> list[str]:
    """Return a line for each link of the description that breaks outside the repository."""
    description = metadata.partition("\n\n")[2]
    lines = [line for line in description.split("\n") if _RELATIVE_LINK.search(line)]
    return [f"{name}: relative link in {line!r}" for line in lines] or (
        [] if description.strip() else [f"{name}: no description"]
    )


def wheel_problems(path: Path, tracked: set[str]) -> list[str]:
    """Return what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        own = next(name.partition("/")[0] for name in names if name.endswith(".dist-info/METADATA"))
        metadata = wheel.read(f"{own}/METADATA").decode()
    parts = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    expected = {name for name in tracked if name.startswith("learnability/")} | {
        f"{own}/{part}" for part in parts
    }
    return compared(path.name, names, expected) + linked(path.name, metadata)


def source_problems(path: Path, tracked: set[str]) -> list[str]:
    """Return what is wrong with a source distribution."""
    with tarfile.open(path) as source:
        files = {member.name.partition("/")[2] for member in source if member.isfile() or member.issym()}
        folder = path.name.removesuffix(".tar.gz")
        member = source.extractfile(f"{folder}/PKG-INFO")
        metadata = member.read().decode() if member else ""
    return compared(path.name, files, tracked | {"PKG-INFO"}) + linked(path.name, metadata)


def main() -> int:
    """Print every problem of the files named on the command line, and return 1 if there is one."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    tracked = {name for name in listed.split("\0") if name}
    problems: list[str] = []
    for path in map(Path, sys.argv[1:]):
        check = wheel_problems if path.suffix == ".whl" else source_problems
        problems += check(path, tracked)
    print("\n".join(problems) or f"contents are right: {len(tracked)} files in the repository")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
