"""Keep whole treebanks in the records of a run, so that a report needs nothing but records."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Unpack

import msgspec

from learnability.comparing.fold import Fold
from learnability.comparing.options import ExperimentOptions
from learnability.running.cell import Cell
from learnability.treebanks.conllu_io import ConlluFile, Reading, conllu_bytes, read_conllu
from learnability.treebanks.locate import SPLITS, TreebankFiles
from learnability.treebanks.sentence import Treebank
from learnability.treebanks.splits import read_treebank


class KeptTreebank(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a treebank, as they were read.

    Attributes:
        name, release: of the treebank.
        is_pooled: whether the names of its files tell no sets.
        sets: of each file.
        names: of the files, in the order of their sentences.
        contents: their bytes, compressed by zlib.
    """

    name: str
    release: str
    is_pooled: bool
    sets: list[str]
    names: list[str]
    contents: list[bytes]

    @classmethod
    def read(cls, files: TreebankFiles) -> KeptTreebank:
        """Read the files of a treebank."""
        named = [(name, path) for name, paths in files.splits() for path in paths]
        return cls(
            name=files.name,
            release=files.release,
            is_pooled=files.pooled,
            sets=[name for name, _ in named],
            names=[path.name for _, path in named],
            contents=[zlib.compress(conllu_bytes(path)) for _, path in named],
        )

    def read_again(self, **reading: Unpack[Reading]) -> Treebank:
        with TemporaryDirectory(prefix="learnability-") as folder:
            paths: dict[str, list[Path]] = {name: [] for name in SPLITS}
            for number, (split, name, content) in enumerate(self.files()):
                path = Path(folder, str(number), name)
                path.parent.mkdir()
                path.write_bytes(content)
                paths[split].append(path)
            sets = (tuple(paths[name]) for name in SPLITS)
            files = TreebankFiles(self.name, self.release, None, *sets, pooled=self.is_pooled)
            return read_treebank(files, **reading)

    def read_files(self, **reading: Unpack[Reading]) -> list[ConlluFile]:
        return [read_conllu(BytesIO(content), name=name, **reading) for _, name, content in self.files()]

    def files(self) -> Iterator[tuple[str, str, bytes]]:
        return zip(self.sets, self.names, map(zlib.decompress, self.contents), strict=True)


class KeptFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files of all treebanks that a study works on together."""

    treebanks: list[KeptTreebank]


@dataclass(frozen=True, kw_only=True)
class FilesCell(Cell[KeptFiles]):
    """Keep the files of treebanks; `located`: where they are."""

    SETTING: ClassVar[str] = "files"
    RESULT: ClassVar[type[KeptFiles]] = KeptFiles

    located: tuple[TreebankFiles, ...]

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        return options.with_parser(options.parsers[0].spelling)

    def compute(self, fold: Fold) -> KeptFiles:
        return KeptFiles(treebanks=list(map(KeptTreebank.read, self.located)))
