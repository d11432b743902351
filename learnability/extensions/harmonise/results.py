"""What the cells of `harmonise` record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from learnability.extending import Tree


class TagsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The tags that a tagger gives; one entry per word.

    Attributes:
        tags: as indices in `names`.
        names: the tags by number.
    """

    tags: list[int]
    names: list[str]

    @classmethod
    def of(cls, tags: Sequence[Sequence[str]]) -> TagsResult:
        """Return the tags of sentences."""
        names = sorted({tag for sentence in tags for tag in sentence})
        number = {name: place for place, name in enumerate(names)}
        return cls(tags=[number[tag] for sentence in tags for tag in sentence], names=names)

    def each_tag(self) -> Iterator[str]:
        return (self.names[tag] for tag in self.tags)


class ParsesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The trees that a parser finds; one entry per word.

    Attributes:
        heads: the heads (0: the root).
        relations: the relations, as indices in `names`.
        names: the relations by number.
    """

    heads: list[int]
    relations: list[int]
    names: list[str]

    @classmethod
    def of(cls, parsed: Sequence[Tree]) -> ParsesResult:
        """Return the heads and relations of trees."""
        names = sorted({deprel for tree in parsed for deprel in tree.deprels})
        number = {name: place for place, name in enumerate(names)}
        return cls(
            heads=[head for tree in parsed for head in tree.heads],
            relations=[number[deprel] for tree in parsed for deprel in tree.deprels],
            names=names,
        )

    def arcs(self) -> Iterator[tuple[int, str]]:
        return zip(self.heads, (self.names[relation] for relation in self.relations), strict=True)


class RightResult(msgspec.Struct, frozen=True, kw_only=True):
    """How many words of each sentence a parser gives the right head and relation."""

    right: list[int]
