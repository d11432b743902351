"""Find the versions of a treebank in a git repository: which commits change it, and its files in each.

Files are read with plumbing commands, so that the checkout stays as it is. They are kept in the cache,
because a commit never changes.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from learnability.errors import InputError
from learnability.support.files import write_atomically
from learnability.treebanks.locate import TreebankFiles, cache_folder, is_treebank_file, locate_treebank

SHOWN = 10
"""The digits of a commit that stand for its release."""

CONLLU = ":(glob)*.conllu*"
"""The CoNLL-U files directly in a folder, as git names them."""


_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of commits that can stand wherever a release does."""


@dataclass(frozen=True)
class Checkout:
    """Represent a folder in a git repository: that of a treebank."""

    folder: Path

    def has_commit(self, name: str) -> bool:
        return self._is_in_repository() and bool(self._resolve(name))

    def commits_between(self, first: str, last: str) -> list[str]:
        """Return the hash of the first commit, and of those up to the last that change the treebank.

        Merged branches count as their merge.

        Args:
            first: a commit, as git reads it.
            last: a later one.

        Raises:
            InputError: a commit is unknown, the first is no ancestor of the last, or nothing changes.
        """
        start, end = (self.find_commit(name) for name in (first, last))
        if start == end:
            raise InputError(
                f"`commits='{first}..{last}'`: {first} and {last} are the same commit; "
                "name two different ones"
            )
        if not self._is_ancestor(start, end):
            raise InputError(
                f"`commits='{first}..{last}'`: {first} does not come before {last}; "
                "name the earlier commit first"
            )
        changing = self._list_changing(start, end)
        if not changing:
            raise InputError(
                f"`commits='{first}..{last}'`: no commit changes a .conllu file of {self.folder}; "
                "name other commits"
            )
        return [start, *changing]

    def find_commit(self, name: str) -> str:
        """Return the hash of a commit.

        Raises:
            InputError: there is no such commit, or the folder is not in a git repository.
        """
        if not self.folder.is_dir() or not self._is_in_repository():
            raise InputError(
                f"{self.folder} is not in a git repository; set `treebank` to the folder of a checkout"
            )
        found = self._resolve(name) if name and not name.startswith("-") else ""
        if not found:
            raise InputError(f"{self.folder} has no commit {name!r}; use a hash, a tag or a branch")
        return found

    def files_at(self, commit: str, name: str = "") -> TreebankFiles:
        """Return the files of a treebank in a commit, whose release is its name or the beginning of the hash.

        Args:
            commit: its whole hash.
            name: the tag or branch by which the commit was named.

        Raises:
            InputError: it has no CoNLL-U files of a treebank.
        """
        folder = cache_folder().parent / "commits" / commit / self.folder.resolve().name
        every = [file for file in self._list_names(commit) if file.endswith((".conllu", ".conllu.gz"))]
        files = [file for file in every if is_treebank_file(file)] or every
        if not files:
            raise InputError(
                f"{self.folder} has no .conllu file in commit {commit[:SHOWN]}; name later commits"
            )
        for file in files:
            if not (folder / file).exists():
                folder.mkdir(parents=True, exist_ok=True)
                write_atomically(folder / file, self._git("cat-file", "blob", f"{commit}:./{file}") or b"")
        is_plain = _PLAIN.fullmatch(name) and not commit.startswith(name)
        return replace(locate_treebank(folder), release=name if is_plain else commit[:SHOWN])

    def has_as_is(self, name: str) -> bool:
        """Return whether git has a file of the folder as it is, so that changes can be undone.

        Without git it has none.
        """
        try:
            tracked = self._git("ls-files", "--error-unmatch", "--", name, may_fail=True)
            changes = self._git("status", "--porcelain", "--", name, may_fail=True)
        except InputError:
            return False
        return tracked is not None and changes == b""

    def _is_in_repository(self) -> bool:
        return self._git("rev-parse", "--git-dir", may_fail=True) is not None

    def _resolve(self, name: str) -> str:
        question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        words = (self._git(*question, may_fail=True) or b"").decode().split()
        return words[-1] if words else ""

    def _is_ancestor(self, first: str, last: str) -> bool:
        return self._git("merge-base", "--is-ancestor", first, last, may_fail=True) is not None

    def _list_changing(self, first: str, last: str) -> list[str]:
        span = f"{first}..{last}"
        listed = self._git("rev-list", "--reverse", "--first-parent", span, "--", CONLLU)
        return (listed or b"").decode().split()

    def _list_names(self, commit: str) -> list[str]:
        listed = self._git("ls-tree", "--name-only", "-z", commit) or b""
        return listed.decode(errors="replace").split("\0")

    def _git(self, *arguments: str, may_fail: bool = False) -> bytes | None:
        command = ["git", "-C", str(self.folder), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        except FileNotFoundError:
            raise InputError("git is not installed; install it, or use `releases`") from None
        if done.returncode == 0:
            return done.stdout
        if may_fail:
            return None
        reason = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
        raise InputError(f"git cannot read {self.folder} ({reason}); check the repository")
