"""Apply the only rule of a scheme file to trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from learnability.annotation_diffs.actions import Change, changed_tree
from learnability.schemes.toml_file import FileScheme, scheme_from_text
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

    def apply(self, tree: Tree) -> Tree:
        return changed_tree(self._change, tree, self.labels, self.conventions.language)
