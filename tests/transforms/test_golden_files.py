"""Files before and after each transformation, byte for byte.

`golden/v1.conllu` and `golden/v2.conllu` are the sentences in UD; `golden/v2.cop@reattach=clause.conllu` is
what the transformation makes of them, `all` being the paper's seven together.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from transform_trees import variants
from trees import is_projective, is_tree

from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.labels import detect_conventions

GOLDEN = Path(__file__).parent / "golden"
AFTER = sorted(path.name for path in GOLDEN.glob("v?.*.conllu"))


@pytest.mark.parametrize("name", AFTER)
def test_the_file_after_the_transformation(name):
    version, _, spec = name.removesuffix(".conllu").partition(".")
    file = read_conllu(GOLDEN / f"{version}.conllu")
    conventions = detect_conventions(
        [sentence.tree for sentence in file.sentences], release=f"{version[1:]}.0"
    )
    specs = PAPER if spec == "all" else [spec.replace("@", ":")]
    transformation = JointTransformation([get_transformation(one, conventions) for one in specs])
    after = write_conllu(file, [transformation.apply(sentence.tree) for sentence in file.sentences])
    assert after == (GOLDEN / name).read_bytes()
    assert after != file.data


def test_the_transformations_of_the_paper_have_a_file():
    named = {name.split(".")[1].partition("@")[0] for name in AFTER}
    assert named >= {*PAPER, "aux", "all"}


@pytest.mark.parametrize("spec", variants())
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_every_transformation_on_these_sentences(version, spec):
    """Whether or not it has a file: promises, and a tree on the way back."""
    file = read_conllu(GOLDEN / f"{version}.conllu")
    trees = [sentence.tree for sentence in file.sentences]
    rule = get_transformation(spec, detect_conventions(trees, release=f"{version[1:]}.0"))
    assert rule.spec == spec
    for before in trees:
        for labels in ("keep", "external"):
            after = rule.apply(before, labels=labels)
            assert is_tree(after.heads)
            assert is_projective(after.heads) or not is_projective(before.heads)
            assert (after.heads != before.heads) == bool(rule.places(before))
            assert is_tree(rule.invert(after, rule.places(before)).heads)
        assert rule.apply(before, ()) == before
