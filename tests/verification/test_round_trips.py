"""Properties of every file below LEARNABILITY_UD_HOME: bytes, trees, the official scorer and validator."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import conllu
import pytest
from tally import Tally
from trees import is_projective, is_tree

from learnability import cli
from learnability.metrics import attachment_scores
from learnability.transforms.registry import PAPER, TRANSFORMATIONS
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu

SPECS = ("+".join(PAPER), *TRANSFORMATIONS, "cc:style=moscow", "cop:reattach=clause")


def transform(*arguments: object) -> None:
    """Run the command in this process; it has to succeed."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("stdin", "stdout", "stderr"):
            patch.setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
        assert cli.run(["transform", "--quiet", *map(str, arguments)]) == 0, arguments


def test_reading(ud_files: list[Path], tally: Tally) -> None:
    """Sentences as another reader (the library conllu) reads them"""
    for path in ud_files:
        other = conllu.parse(path.read_text())
        found = read_conllu(path).sentences
        tally.same(len(found), len(other), path)
        for sentence, tokens in zip(found, other, strict=True):
            words = [token for token in tokens if isinstance(token["id"], int)]
            theirs = [(w["form"], w["upos"] or "_", w["head"], w["deprel"]) for w in words]
            tree = sentence.tree
            own = list(zip(tree.forms, tree.upos, tree.heads, tree.deprels, strict=True))
            tally.same(own, theirs, path, sentence.sent_id)


def test_writing(ud_files: list[Path], tally: Tally) -> None:
    """Files that come back byte by byte when nothing has changed"""
    for path in ud_files:
        file = read_conllu(path)
        tally.same(write_conllu(file, file.sentences) == path.read_bytes(), True, path)


def test_transformed_files(ud_files: list[Path], tmp_path: Path, tally: Tally) -> None:
    """Transformed files: trees, and other columns as they were"""
    between = tmp_path / "between.conllu"
    for number, path in enumerate(ud_files):
        names = [word for name in SPECS[number % len(SPECS)].split("+") for word in ("--transform", name)]
        transform(*names, path, "-o", between)
        before, after = read_conllu(path).sentences, read_conllu(between).sentences
        for old, new in zip(before, after, strict=True):
            kept = is_projective(new.tree.heads) or not is_projective(old.tree.heads)
            tally.true(is_tree(new.tree.heads) and kept, path, new.sent_id)
            columns = [
                [sentence.lines[row].split("\t")[:6] for row in sentence.rows] for sentence in (old, new)
            ]
            tally.same(*columns, path, new.sent_id)


def disturbed(heads: tuple[int, ...], draw: random.Random) -> tuple[int, ...]:
    """Another tree with one root that shares most arcs."""
    new = list(heads)
    for token in range(1, len(heads) + 1):
        other = draw.randrange(1, len(heads) + 1)
        if heads[token - 1] and draw.random() < 0.3:
            tried = [*new[: token - 1], other, *new[token:]]
            new = tried if other != token and is_tree(tried) else new
    return tuple(new)


def test_scorer(ud_files: list[Path], tmp_path: Path, tally: Tally) -> None:
    """UAS, LAS and CLAS of the official scorer, dev and test parts of UD 2"""
    udeval = pytest.importorskip("udtools.udeval", reason="the official scorer (udtools) is not installed")
    draw = random.Random(4)
    for path in ud_files:
        if "v2." not in path.parent.parent.name or "-train" in path.name:
            continue
        file = read_conllu(path)
        gold = [sentence.tree for sentence in file.sentences]
        used = sorted({deprel for tree in gold for deprel in tree.deprels} - {"root"})
        parsed = []
        for tree in gold:
            names = [draw.choice(used) if n != "root" and draw.random() < 0.2 else n for n in tree.deprels]
            parsed.append(tree.with_heads(disturbed(tree.heads, draw), names))
        system = tmp_path / "system.conllu"
        system.write_bytes(write_conllu(file, parsed, deps="keep"))
        official = udeval.evaluate(udeval.load_conllu_file(str(path)), udeval.load_conllu_file(str(system)))
        scores = attachment_scores(gold, parsed)
        for name in ("UAS", "LAS", "CLAS"):
            theirs = 100 * official[name].f1
            tally.true(abs(getattr(scores, name.lower()) - theirs) < 1e-9, path, name, theirs)


def test_validator(ud_files: list[Path], tmp_path: Path, tally: Tally) -> None:
    """Test parts of UD 2 that the official validator accepts (level 2), transformed, accepted as well"""
    udtools = pytest.importorskip("udtools", reason="the official validator (udtools) is not installed")

    def errors(path: Path) -> int:
        validator = udtools.Validator(lang="ud", level=2, output=None, max_store=10**6)
        return len(list(validator.validate_files([str(path)]).error_tracker))

    for path in ud_files:
        if "v2." in path.parent.parent.name and "-test" in path.name:
            before = errors(path)
            for spec in ("case+det+mark+cop+aux", "+".join(PAPER)):
                names = [word for name in spec.split("+") for word in ("--transform", name)]
                transform(*names, path, "-o", tmp_path / "out.conllu")
                tally.same(errors(tmp_path / "out.conllu"), before, path, spec)
