"""Kinds of annotation that change what the kinds of the package do not: tags, and relations alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from learnability.comparing.annotation import Annotation, Columns
from learnability.multiref.contrasts import Change
from learnability.multiref.references import LabelOption
from learnability.treebanks.sentence import Conventions, Tree


class MergedTags(Annotation):
    """UD in which a tag is written as another one: ``upos:AUX=VERB``."""

    changes: ClassVar[Columns] = Columns.TAGS

    @classmethod
    def resolved(cls, spelling: str) -> Annotation | None:
        """Return the annotation."""
        return cls(spelling) if spelling.startswith("upos:") else None

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Return the function that writes the tag."""
        old, _, new = self.spelling.partition(":")[2].partition("=")
        return partial(merged, column="upos", old=old, new=new)


class MergedRelations(Annotation):
    """UD in which a relation is written as another one: ``deprel:obj=iobj``."""

    changes: ClassVar[Columns] = Columns.RELATIONS

    def change(self, conventions: Conventions, labels: LabelOption | None) -> Change:
        """Return the function that writes the relation."""
        old, _, new = self.spelling.partition(":")[2].partition("=")
        return partial(merged, column="deprels", old=old, new=new)


def merged(tree: Tree, column: str, old: str, new: str) -> Tree:
    """Return the tree with one value of a column written as another."""
    return replace(tree, **{column: tuple(new if one == old else one for one in getattr(tree, column))})
