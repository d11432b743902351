"""What every external parser keeps to, checked on a few sentences of the bundled treebank."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from small_treebanks import DEMO

from learnability.metrics.attachment import attachment_scores
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.parsing.projectivity import lift
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree


def part(name: str, count: int) -> list[Tree]:
    sentences = (DEMO / f"demo-ud-{name}.conllu").read_text(encoding="utf-8").split("\n\n")[:count]
    file = read_conllu(io.BytesIO("\n\n".join([*sentences, ""]).encode()))
    trees = [lift(sentence.tree) for sentence in file.sentences]
    return [replace(tree, xpos=tuple(f"x{tag}" for tag in tree.upos)) for tree in trees]


TRAIN, DEV, TEST = part("train", 20), part("dev", 4), part("test", 10)


def trained(spec: str, setup: Setup, train: Sequence[Tree] = TRAIN, seed: int = 1) -> TrainedParser:
    return parser_named(spec).trainer(setup).train(train, DEV, seed)


def shuffled(trees: Sequence[Tree], *columns: str) -> list[Tree]:
    random = Random(7)

    def other(tree: Tree, column: str) -> tuple[object, ...]:
        values = (*range(len(tree) + 1),) if column == "heads" else ("A", "B", "_", "C=1")
        return tuple(random.choice(values) for _ in tree.forms)

    return [replace(tree, **{column: other(tree, column) for column in columns}) for tree in trees]


def heads(trees: Sequence[Tree]) -> list[tuple[int, ...]]:
    return [tree.heads for tree in trees]


def check_what_it_sees(spec: str, setup: Setup) -> None:
    """Nothing that is not allowed changes a parse: in the sentences to parse, and in those to learn from."""
    hidden = {"gold": ["xpos"], "xpos": ["upos"], "none": ["upos", "xpos"]}[setup.tags] + ["lemmas", "feats"]
    parser = trained(spec, setup)
    parses = parser.parse(TEST)
    assert heads(parses) == heads(parser.parse(shuffled(TEST, "heads", "deprels", *hidden)))
    learned = shuffled(TRAIN, *hidden, *([] if setup.labelled else ["deprels"]))
    again = trained(spec, setup, learned).parse(TEST)
    assert [(tree.heads, tree.deprels) for tree in again] == [(tree.heads, tree.deprels) for tree in parses]


def check_seeds(spec: str, setup: Setup, folder: Path) -> None:
    """One seed is one parser, in another process too; another seed is another one."""
    parses = trained(spec, setup).parse(TEST)
    script = folder / "again.py"
    script.write_text(
        "import sys; sys.path[:0] = eval(sys.argv[1])\n"
        "from external import *\n"
        f"text = conllu_text(trained({spec!r}, {setup!r}).parse(TEST))\n"
        "sys.stdout.buffer.write(text.encode())\n"
    )
    run = subprocess.run([sys.executable, str(script), repr(sys.path)], capture_output=True, check=True)
    assert run.stdout.decode() == conllu_text(parses)
    assert heads(trained(spec, setup, seed=2).parse(TEST)) != heads(parses)


def check_official_scores(folder: Path, gold: Sequence[Tree], answer: Path, parses: Sequence[Tree]) -> None:
    """The official scorer says of the tool's own output `answer` what we say of the parser's parses."""
    udeval = pytest.importorskip("udtools.udeval", reason="the official scorer (udtools) is not installed")
    (folder / "gold.conllu").write_text(conllu_text(gold), encoding="utf-8")
    files = [udeval.load_conllu_file(str(path), {}) for path in (folder / "gold.conllu", answer)]
    official, own = udeval.evaluate(*files), attachment_scores(gold, parses)
    assert own.uas == pytest.approx(100 * official["UAS"].f1)
    assert own.las == pytest.approx(100 * official["LAS"].f1)
