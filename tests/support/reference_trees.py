"""Trees to test reference sets on: real sentences, and the names of rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from learnability.parsing.projectivity import projectivized
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Conventions, Tree

SPECS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "case+det", "case+cop+cc+det+mark+mwe+name")


def transformation(spec: str) -> Transformation:
    """`case` or several joined with +."""
    conventions = Conventions(version=2, flat_name=True)
    parts = [get_transformation(name, conventions) for name in spec.split("+")]
    return parts[0] if len(parts) == 1 else JointTransformation(parts)


def real_trees(files: Sequence[Path], most_sites: int, spec: str, per_file: int) -> list[Tree]:
    """Projectivised real sentences that have sites, but not more than `most_sites`."""
    chosen: list[Tree] = []
    for path in files:
        found = 0
        for sentence in read_conllu(path, multiple_roots=True).sentences:
            tree = sentence.tree.with_heads(projectivized(sentence.tree.heads))
            if 1 <= len(transformation(spec).sites(tree)) <= most_sites:
                chosen.append(tree)
                found += 1
                if found == per_file:
                    break
    return chosen
