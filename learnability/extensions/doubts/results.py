"""What the cells of `doubts` record."""

from __future__ import annotations

import zlib

import msgspec


class FilesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a treebank, as they were read.

    Attributes:
        names: of the files, in the order of their sentences.
        contents: their bytes, compressed by zlib.
    """

    names: list[str]
    contents: list[bytes]

    def files(self) -> dict[str, bytes]:
        """Return the bytes of each file by its name."""
        return dict(zip(self.names, map(zlib.decompress, self.contents), strict=True))


class ValidatorResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the official validator finds.

    Attributes:
        is_complete: whether it is installed and came to its end.
        incidents: the file, the line and the name of each error.
    """

    is_complete: bool = False
    incidents: list[tuple[str, int, str]] = []


class VotesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The trees that a parser found for the sentences of a fold; one entry per token.

    Attributes:
        heads: the heads (0: the root).
        relations: the relations, as indices in `names`.
        names: the relations by number.
        arc_margins: how much the parser prefers the annotated arc (`parsers.trainer.Margins`); empty for a
            parser that cannot say.
        relation_margins: how much it prefers the annotated relation.
    """

    heads: list[int]
    relations: list[int]
    names: list[str]
    arc_margins: list[float] = []
    relation_margins: list[float] = []


class MarginsResult(VotesResult, frozen=True, kw_only=True):
    """The trees that the graph-based parser found, and how it sees the annotated trees.

    Its arc margins say by how much the best tree with the annotated arc exceeds the best tree without, its
    relation margins by how much the annotated relation exceeds any other in the annotated tree.

    Attributes:
        rivals: the head in the best tree without the annotated arc.
        rival_relations: the next relation, as an index in `names`.
    """

    rivals: list[int]
    rival_relations: list[int]
