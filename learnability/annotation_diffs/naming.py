"""Find the annotation that a name or path means: a file, a folder, a treebank, a release, a commit."""

from __future__ import annotations

import os
from pathlib import Path

from learnability.annotation_diffs.version import Version, version_of_file
from learnability.errors import InputError
from learnability.treebanks.commits import Checkout
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import TreebankFiles, explicit_files, list_treebanks, locate_treebank
from learnability.treebanks.releases import Release, plain_release
from learnability.treebanks.splits import read_treebank


def version_named(
    text: str, *, ud_home: str | os.PathLike[str] | None = None, multiple_roots: bool = False
) -> Version:
    """Return the annotation of this name, read.

    Args:
        text: an existing file or folder; ``FOLDER@COMMIT`` of a git checkout; the name of a treebank, or
            ``NAME@RELEASE``.
        ud_home: the folder in which names are searched.
        multiple_roots: accept several words with HEAD 0 in one sentence.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    path = Path(text)
    if path.exists() and not path.is_dir():  # a pipe of the shell is no regular file
        return version_of_file(read_conllu(path, multiple_roots=multiple_roots, keep_incomplete=True))
    files = files_named(text, ud_home=ud_home)
    return Version.of_treebank(read_treebank(files, multiple_roots=multiple_roots, keep_incomplete=True))


def files_named(text: str, *, ud_home: str | os.PathLike[str] | None = None) -> TreebankFiles:
    """Return the files of the file, folder, commit, treebank or release of this name.

    Args:
        text: as in :func:`version_named`.
        ud_home: the folder in which names are searched.

    Raises:
        InputError: there is none.
    """
    path = Path(text)
    if not text:
        raise InputError("an annotation has an empty name; name a file, a folder or a treebank")
    if path.exists() and not path.is_dir():
        return explicit_files(test=[path])
    name, at, version = text.rpartition("@")
    if path.exists() or not at:
        return locate_treebank(text, ud_home=ud_home, otherwise=OTHERWISE)
    if Path(name).is_dir():
        checkout = Checkout(Path(name))
        if not checkout.has_commit(version):
            hidden = [
                files.folder
                for files in list_treebanks(ud_home)
                if (files.name, files.release) == (name, plain_release(version))
            ]
            if hidden:
                raise InputError(f"the folder ./{name} hides the release {name}@{version}; use {hidden[0]}")
        return checkout.files_at(checkout.find_commit(version), version)
    return locate_treebank(name, ud_home=ud_home, release=Release.number(version), otherwise=OTHERWISE)


OTHERWISE = "a file with all its sentences"
"""What can be named in place of a folder."""
