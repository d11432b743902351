"""Find the treebanks that are parsed, and make the sets of each: sources to learn from, itself to test."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from learnability.extending import (
    InputError,
    Sentence,
    Treebank,
    TreebankFiles,
    TreebankSelection,
    Version,
    count_noun,
    enumerate_names,
    origin_of_treebank,
    read_treebank,
)
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.sources import (
    SourceTreebank,
    largest_treebanks,
    read_source,
)

FEWEST_SOURCES = 2
"""The fewest treebanks to learn from, unless they are named."""


@dataclass(frozen=True)
class TransferTarget(TreebankSelection):
    """A treebank to parse, and what parsers learn from, as in `TransferOptions`."""

    source: tuple[str, ...] = ()
    leave_out: str = "family"
    words: int = 1_500

    def files(self) -> TransferFiles:
        """Locate the files of the target and of its sources; raise an InputError if there are none."""
        target = Version.find_files(self.treebank or "", ud_home=self.ud_home)
        found = [Version.find_files(name, ud_home=self.ud_home) for name in self.source]
        known = found or largest_treebanks(self.ud_home, target.release)
        sources = tuple(files for files in known if self.is_foreign(target, files))
        if len(sources) < (1 if found else FEWEST_SOURCES):
            family = origin_of_treebank(target.name, target.paths()).family
            of_others = f"of another {self.leave_out} than {target.name} ({family})"
            raise InputError(
                f"{'no named source is' if found else 'fewer than two treebanks are'} {of_others}; name "
                "sources of other languages in `source`, or set `ud_home` to a folder that has more"
            )
        return TransferFiles(**vars(target), sources=sources, words=self.words)

    @classmethod
    def of(cls, named: TreebankSelection, options: TransferOptions) -> TransferTarget:
        """Return the treebank that is named, with the choice of its sources."""
        chosen = {"source": options.source, "leave_out": options.leave_out, "words": options.words}
        return cls(**{**vars(named), **chosen})

    @classmethod
    def beside(cls, folder: Path | None, options: TransferOptions) -> TransferTarget:
        """Return the treebank in a folder, whose sources are in other folders beside it.

        Raises:
            InputError: it has no folder.
        """
        if folder is None:
            raise InputError("sources are looked for beside the folder of a treebank; name it by its folder")
        return cls.of(TreebankSelection(str(folder), ud_home=str(folder.parent)), options)

    @classmethod
    def add_sources(cls, treebank: Treebank, options: TransferOptions, reading: Any) -> TransferTreebank:
        """Return a treebank that was read, with its sources; `reading`: how these are read."""
        folder = Path(next(iter(treebank.files))).parent
        read = partial(read_treebank, **reading)
        (found,) = cls.beside(folder, options).files().folds(treebank, read, lambda whole: (whole,))
        return found

    def is_foreign(self, target: TreebankFiles, source: TreebankFiles) -> bool:
        """Return whether a parser of the target may learn from a source."""
        ours, theirs = (origin_of_treebank(files.name, files.paths()) for files in (target, source))
        return ours.language != theirs.language and (
            self.leave_out == "language" or ours.family != theirs.family
        )

    @classmethod
    def find_selections(cls, named: TreebankSelection, options: TransferOptions) -> list[TransferTarget]:
        """Return the target that is named, or one for each language."""
        if options.every_language and named.treebank:
            raise InputError("`every_language` parses all languages; leave it out, or leave out `treebank`")
        names = [named.treebank]
        if options.every_language:
            names = [str(files.folder) for files in largest_treebanks(named.ud_home, "")]
            if len(names) < FEWEST_SOURCES:
                raise InputError(
                    "fewer than two treebanks are found; set `ud_home` to a folder that has more"
                )
        elif not named.treebank:
            raise InputError("no treebank is named", ["`treebank`", "`every_language`"])
        return [cls.of(replace(named, treebank=name), options) for name in names]


@dataclass(frozen=True)
class TransferFiles(TreebankFiles):
    """Hold the files of a treebank, and those of its sources."""

    sources: tuple[TreebankFiles, ...] = field(kw_only=True)
    words: int = field(kw_only=True)

    def list_other_files(self) -> tuple[TreebankFiles, ...]:
        return self.sources

    def folds(
        self,
        treebank: Treebank,
        read: Callable[[TreebankFiles], Treebank],
        divide: Callable[[Treebank], Sequence[Treebank]],
    ) -> tuple[TransferTreebank, ...]:
        """Return a single fold: the sentences of the first draw, and all sentences of the treebank to test.

        Raises:
            InputError: a source follows another version of the guidelines.
        """
        sources = tuple(read_source(files, read) for files in self.sources)
        conventions = treebank.conventions
        other = [source.name for source in sources if source.version != conventions.version]
        if other:
            raise InputError(
                f"{enumerate_names(other)} and {treebank.name} follow different versions of the guidelines; "
                "name sources of the same version in `source`"
            )
        tested = tuple(chain.from_iterable(part for _, part in treebank.splits()))
        marks_names = conventions.flat_name or any(source.marks_names for source in sources)
        whole = TransferTreebank(
            treebank.name,
            treebank.release,
            (),
            (),
            tested,
            conventions=replace(conventions, flat_name=marks_names),
            files={
                **treebank.files,
                **{path: digest for each in sources for path, digest in each.files.items()},
            },
            split_policy=(
                f"trained on {count_noun(len(sources), 'treebank')} of other languages, "
                "tested on all sentences"
            ),
            warnings=(*treebank.warnings, *(line for each in sources for line in each.warnings)),
            sources=sources,
            words=self.words,
        )
        return (whole.of_draw(1),)


@dataclass(frozen=True, repr=False, kw_only=True)
class TransferTreebank(Treebank):
    """Hold the sentences of a treebank to test on, and those of its sources to learn from."""

    sources: tuple[SourceTreebank, ...]
    words: int

    def of_draw(self, seed: int) -> TransferTreebank:
        """Return the treebank with sentences to learn from that are drawn with this seed."""
        target = zlib.crc32(self.name.encode())
        drawn = [source.draw(self.words, seed, target) for source in self.sources]

        def join(part: int) -> tuple[Sentence, ...]:
            return tuple(chain.from_iterable(sets[part] for sets in drawn))

        return replace(self, train=join(0), dev=join(1))
