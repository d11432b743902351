"""Hold one of the two annotations that are compared, and the sentences that it consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from learnability.treebanks.conllu_io import ConlluFile
from learnability.treebanks.sentence import Conventions, Sentence, Tree, Treebank
from learnability.treebanks.splits import file_conventions


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
        return cls(name, sentences, ("",) * len(sentences))

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


def version_of_file(file: ConlluFile, name: str = "") -> Version:
    """Return the sentences of a file, which has no sets."""
    sets = ("",) * len(file)
    return Version(name or file.name, file.sentences, sets, file_conventions(file), digests=(file.sha256,))
