"""Apply the only rule of a scheme file to trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from learnability.annotation_diffs.actions import Change, changed_tree
from learnability.schemes.toml_file import FileScheme, scheme_from_text
from learnability.transforms.relabelling import Relabelling, ValueChange, problems_of
from learnability.treebanks.sentence import Conventions, Tree


@dataclass(frozen=True)
class SchemeRule:
    """Represent the rule of a scheme that has only one, for trees with some conventions."""

    text: str
    name: str
    conventions: Conventions
    labels: Literal["external", "keep"]

    @cached_property
    def _change(self) -> Change:
        scheme = scheme_from_text(self.text, self.name)
        assert isinstance(scheme, FileScheme)
        if scheme.relabelling:
            (change,) = scheme.relabelling.changes
            return change
        (rule,) = scheme.rules
        return rule(self.conventions)

    def makes_difference(self, trees: Sequence[Tree]) -> bool:
        """Return whether parsers can tell what the rule makes of trees: more than another name."""
        if isinstance(self._change, ValueChange):
            return not problems_of(Relabelling((self._change,)), trees, self.conventions.language)
        return any(self._change.places(tree) for tree in trees)

    def apply(self, tree: Tree) -> Tree:
        return changed_tree(self._change, tree, self.labels, self.conventions.language)
