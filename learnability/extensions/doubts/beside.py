"""Read the files of the doubted treebank, and the treebanks of the language that are counted beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from learnability.extending import ConlluFile, InputError, Sentence, TreebankFiles, Version, read_conllu


def read_files(treebank: TreebankFiles, **reading: bool) -> list[ConlluFile]:
    """Return the files of a treebank, each once; `reading` as in `read_conllu`."""
    return [read_conllu(path, name=path.name, **reading) for path in dict.fromkeys(treebank.paths())]


def list_sentences(files: Iterable[ConlluFile]) -> list[Sentence]:
    return [sentence for file in files for sentence in file.sentences]


def read_beside(names: Sequence[str], doubted: Iterable[Path], **reading: bool) -> list[list[Sentence]]:
    """Return the sentences of each of the treebanks that are counted beside the doubted one.

    Raises:
        InputError: there is none of a name, it is the doubted one, or it cannot be read.
    """
    known = {path.resolve() for path in doubted}
    treebanks = []
    for name in names:
        treebank = Version.find_files(name)
        if not known.isdisjoint(path.resolve() for path in treebank.paths()):
            raise InputError(f"{name} is the treebank itself; name another treebank of the language")
        treebanks.append(list_sentences(read_files(treebank, **reading)))
    return treebanks
