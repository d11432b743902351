"""Know which files of a folder the program wrote, so that it never replaces those that a user has changed.

The index of a folder holds the SHA-256 of each file as it was written. A file with other bytes is a user's.
So is one that the index does not name. While files are written the index has the old and the new digest of
each, so that a killed program takes none of its own files for a user's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from learnability.errors import InputError
from learnability.support.files import write_atomically

INDEX = ".written"
"""The file that is the index of its folder."""


class WrittenFiles:
    """Represent the files that the program wrote to a folder, by their names in it (``conllu/x.conllu``)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self) -> None:
        for name, digests in self._digests().items():
            digest = self._digest_of(name)
            if digest is not None and digest not in digests:
                raise InputError(
                    f"{self.folder / name} has changed since we wrote it; rename it to keep it, or remove it"
                )

    def write(
        self, files: Mapping[str, bytes], known: Collection[str] = (), *, replace: bool = False
    ) -> None:
        """Write files, each complete or not at all.

        The program has written the files `known`, too, of which the index knows nothing; it may `replace` a
        user's.

        Raises:
            InputError: a file with one of these names is a user's; nothing is written then.
            OSError, RunError: a folder cannot be made, a file cannot be written.
        """
        before = self._digests()
        after = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        for name, digest in after.items():
            there = self._digest_of(name)
            ours = there in (None, digest, *before.get(name, ())) or (name not in before and name in known)
            if not (ours or replace):
                raise InputError(
                    f"{self.folder / name} is not as we wrote it; rename it to keep it, or remove it"
                )
        self._record(before | {name: [*before.get(name, ()), digest] for name, digest in after.items()})
        for name, data in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, data)
        self._record(before | {name: [digest] for name, digest in after.items()})

    def remove(self, names: Iterable[str]) -> None:
        """Remove files that the program wrote, and forget them."""
        gone = set(names)
        for name in sorted(gone):
            (self.folder / name).unlink(missing_ok=True)
        before = self._digests()
        if gone & before.keys():
            self._record({name: digests for name, digests in before.items() if name not in gone})

    def _digest_of(self, name: str) -> str | None:
        try:
            return hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
        except FileNotFoundError:
            return None

    def _digests(self) -> dict[str, list[str]]:
        try:
            index = json.loads((self.folder / INDEX).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, RecursionError):
            return {}
        lists = index.items() if isinstance(index, dict) else ()
        return {name: digests for name, digests in lists if isinstance(digests, list)}

    def _record(self, digests: Mapping[str, Collection[str]]) -> None:
        index = {name: list(digests[name]) for name in sorted(digests)}
        text = json.dumps(index, ensure_ascii=False, indent=1)
        write_atomically(self.folder / INDEX, f"{text}\n".encode())
