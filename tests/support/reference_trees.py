"""Trees to test reference sets on: real sentences, and the names of rules."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from learnability.parsing.projectivity import projectivize
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Conventions, Tree

SPECS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "case+det", "case+cop+cc+det+mark+mwe+name")


@cache
def transformation(spec: str) -> Transformation:
    conventions = Conventions(version=2, flat_name=True)
    parts = [get_transformation(name, conventions) for name in spec.split("+")]
    return parts[0] if len(parts) == 1 else JointTransformation(parts)


@cache
def first_trees(path: Path) -> list[Tree]:
    with path.open(encoding="utf-8") as lines:
        blocks = (list(block) for blank, block in itertools.groupby(lines, "\n".__eq__) if not blank)
        first = "\n".join("".join(block) for block in itertools.islice(blocks, 200)) + "\n"
    sentences = read_conllu(io.BytesIO(first.encode()), multiple_roots=True).sentences
    return [sentence.tree for sentence in sentences]


@cache
def projective_trees(path: Path) -> list[Tree]:
    return [tree.with_heads(projectivize(tree.heads)) for tree in first_trees(path)]


def real_trees(
    files: Sequence[Path], most_places: int, spec: str, per_file: int, fewest_places: int = 1
) -> list[Tree]:
    rule, chosen = transformation(spec), []
    for path in files:
        found = (
            tree for tree in projective_trees(path) if fewest_places <= len(rule.places(tree)) <= most_places
        )
        chosen += itertools.islice(found, per_file)
    return chosen
