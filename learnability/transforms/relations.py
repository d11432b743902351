"""Give the trees of a scheme relations of its own, and UD its relations back.

Heads move at places, and a place can be selected or not. Relations have no places: all words of a tree have
those of UD, or those of the scheme. They are named last, from the tree with external labels (``comp:<label>``
on a word whose place a function word has taken; docs/rules.md, Labels), and restored first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from learnability.transforms.plan import Namer
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.sentence import Tree


class RelationSystem(ABC):
    """Represent the relations of a scheme."""

    name: str

    @abstractmethod
    def namer(self, tree: Tree, language: str) -> Namer:
        """Return the function that names the relations of the words of a tree."""

    @abstractmethod
    def learn(self, pairs: Iterable[tuple[Tree, Tree]]) -> SidePreferences:
        """Return what trees show that :meth:`restore` needs.

        Args:
            pairs: trees of the scheme with external labels, and with the relations of the scheme.
        """

    @abstractmethod
    def restore(self, trees: Sequence[Tree], known: SidePreferences | None, *, version: int) -> list[Tree]:
        """Return trees of the scheme with external labels in place of its relations.

        Whatever the trees and their relations are, heads stay, and so do the labels of root words.
        """
