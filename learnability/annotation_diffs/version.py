"""Hold one of the two annotations that are compared, and find it by name: a file, a treebank, a commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from learnability.errors import InputError
from learnability.treebanks.commits import Checkout
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.locate import TreebankFiles, explicit_files, list_treebanks, locate_treebank
from learnability.treebanks.releases import Release, plain_release
from learnability.treebanks.sentence import Conventions, Sentence, Tree, Treebank
from learnability.treebanks.splits import file_conventions, read_treebank

OTHERWISE = "a file with all its sentences"
"""What can be named in place of a folder."""


@dataclass(frozen=True, repr=False)
class Version:
    """Hold an annotation of a text: a treebank, a file, a release, a commit, a parse.

    Attributes:
        name: what people call it, ``UD_French-GSD 2.16``.
        sentences: all its sentences, in order.
        sets: per sentence the set in which it is (``train``, ``dev``, ``test``); empty where there are none.
        conventions: how it uses labels, which rules have to know.
        warnings: what a user should know about the data, one line each.
        digests: those of the files that it was read from, in order.
    """

    name: str
    sentences: tuple[Sentence, ...]
    sets: tuple[str, ...]
    conventions: Conventions = field(default_factory=Conventions)
    warnings: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()

    @classmethod
    def named(
        cls, text: str, *, ud_home: str | os.PathLike[str] | None = None, multiple_roots: bool = False
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
            return cls.of_file(read_conllu(path, multiple_roots=multiple_roots, keep_incomplete=True))
        files = cls.find_files(text, ud_home=ud_home)
        return cls.of_treebank(read_treebank(files, multiple_roots=multiple_roots, keep_incomplete=True))

    @staticmethod
    def find_files(text: str, *, ud_home: str | os.PathLike[str] | None = None) -> TreebankFiles:
        """Return the files of the file, folder, commit, treebank or release of this name.

        Args:
            text: as in :meth:`named`.
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
                    raise InputError(
                        f"the folder ./{name} hides the release {name}@{version}; use {hidden[0]}"
                    )
            return checkout.files_at(checkout.find_commit(version), version)
        return locate_treebank(name, ud_home=ud_home, release=Release.number(version), otherwise=OTHERWISE)

    @classmethod
    def of_file(cls, file: ConlluFile, name: str = "") -> Version:
        """Return the sentences of a file, which has no sets."""
        sets = ("",) * len(file)
        return cls(name or file.name, file.sentences, sets, file_conventions(file), digests=(file.sha256,))

    @classmethod
    def of_treebank(cls, treebank: Treebank, name: str = "") -> Version:
        """Return the sentences of a treebank in the order of its sets."""
        sentences: list[Sentence] = []
        sets: list[str] = []
        for split, part in treebank.splits():
            sentences += part
            sets += [split] * len(part)
        if len(set(sets)) == 1:
            sets = [""] * len(sets)
        name = name or f"{treebank.name} {treebank.release}".strip()
        digests = tuple(treebank.files.values())
        return cls(name, tuple(sentences), tuple(sets), treebank.conventions, treebank.warnings, digests)

    @classmethod
    def of_sentences(cls, items: Iterable[Tree | Sentence], name: str) -> Version:
        """Return sentences or bare trees as a version."""
        sentences = tuple(item if isinstance(item, Sentence) else Sentence(item) for item in items)
        conventions = detect_conventions(sentence.tree for sentence in sentences)
        return cls(name, sentences, ("",) * len(sentences), conventions)

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def has_lines(self) -> bool:
        return any(sentence.lines for sentence in self.sentences)

    @property
    def words(self) -> int:
        return sum(map(len, self.sentences))

    def change_trees(self, change: Callable[[Tree], Tree], name: str) -> Version:
        """Return the sentences with the trees that a rule makes of theirs.

        Args:
            change: the rule, which keeps the words.
            name: of the new version.
        """
        sentences = (
            replace(sentence, tree=change(sentence.tree)) if sentence.tree.heads else sentence
            for sentence in self.sentences
        )
        return Version(name, tuple(sentences), self.sets, self.conventions, digests=self.digests)
