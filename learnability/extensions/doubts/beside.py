"""Read the treebanks of the language that are counted beside the doubted one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from learnability.extending import InputError, Sentence, Version, read_conllu


def read_beside(
    names: Sequence[str], doubted: Iterable[Path], *, multiple_roots: bool, skip_incomplete: bool
) -> list[list[Sentence]]:
    """Return the sentences of each of the treebanks that are counted beside the doubted one.

    Args:
        names: of treebanks, folders or files.
        doubted: the files of the doubted one.
        multiple_roots: as in `read_conllu`.
        skip_incomplete: as there.

    Raises:
        InputError: there is none of a name, it is the doubted one, or it cannot be read.
    """
    known = {path.resolve() for path in doubted}
    treebanks = []
    for name in names:
        paths = dict.fromkeys(Version.find_files(name).paths())
        if not known.isdisjoint(path.resolve() for path in paths):
            raise InputError(f"{name} is the treebank itself; name another treebank of the language")
        files = [
            read_conllu(path, name=path.name, multiple_roots=multiple_roots, skip_incomplete=skip_incomplete)
            for path in paths
        ]
        treebanks.append([sentence for file in files for sentence in file.sentences])
    return treebanks
