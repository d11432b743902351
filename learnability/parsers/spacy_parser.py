"""Use spaCy's transition-based parser as a parser, trained from scratch without vectors.

Honnibal & Johnson (2015), "An improved non-monotonic transition system for dependency parsing". `spacy.cfg`,
beside this file, defines the network and its training: convolutions over embeddings of forms, tags, prefixes,
suffixes and shapes. After each iteration the development set is parsed, and the iteration with the best UAS
is kept. Training ends by the same rule as for the package's parsers, or after 30 iterations. Everything
random starts from the seed.

Each sentence is a separate document with fixed boundaries, so that spaCy does not split it. spaCy learns no
labels of root words: all of them get the most frequent one of the training trees.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from learnability.parsers.command import CommandTrainer, ReportedTraining, own_program
from learnability.parsers.trainer import ParserKind, Setup
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import ROOT, Tree

if TYPE_CHECKING:
    from spacy.tokens import Doc

CONFIG = Path(__file__).with_name("spacy.cfg")
ROOT_LABEL_FILE = "root-label.txt"
"""The file in the folder of the model with the label of root words."""

PATIENCE = 3


def _make(setup: Setup, options: Mapping[str, str]) -> CommandTrainer:
    return own_program(__name__, "spacy", setup, str(setup.iterations or 0))


KINDS = (
    ParserKind(
        name="spacy",
        description="spaCy: a transition-based parser on a convolutional network",
        make=_make,
        seconds=(4.5, 8.0),
        modules=("spacy",),
        seed_ratio=SEED_RATIO,  # UD_Kazakh 1.3, 12 seeds: -0.5, no more than chance
        extra="spacy",
    ),
)


def train(train: str, dev: str, model: str, seed: str, iterations: str) -> None:
    """Train on CoNLL-U files and write the model of the best iteration on the development set."""
    from spacy.training import Example
    from spacy.util import load_config, load_model_from_config, registry
    from thinc.api import fix_random_seed

    fix_random_seed(int(seed))
    nlp = load_model_from_config(load_config(CONFIG), auto_fill=True)
    trees, held_out = _trees(train), _trees(dev)
    pairs = zip(_docs(nlp, trees), _docs(nlp, trees, gold=True), strict=True)
    examples = [Example(plain, gold) for plain, gold in pairs]
    optimizer = nlp.initialize(lambda: examples)
    training = registry.resolve(nlp.config["training"])
    scores: list[float] = []
    best, kept = 0, b""
    for iteration in range(1, (int(iterations) or training["max_epochs"]) + 1):
        random.shuffle(examples)
        for batch in training["batcher"](examples):
            nlp.update(batch, sgd=optimizer, drop=training["dropout"])
        if held_out:
            right = sum(map(_count_right_heads, held_out, _parses(nlp, held_out)))
            scores.append(100 * right / sum(map(len, held_out)))
        if not held_out or scores[-1] > max(scores[:-1], default=-1):
            best, kept = iteration, nlp.to_bytes()
        elif not int(iterations) and iteration - best >= PATIENCE:
            break
    nlp.from_bytes(kept)
    nlp.to_disk(model)
    at_roots = Counter(
        deprel
        for tree in trees
        for head, deprel in zip(tree.heads, tree.deprels, strict=True)
        if head == ROOT
    )
    Path(model, ROOT_LABEL_FILE).write_text(at_roots.most_common(1)[0][0], encoding="utf-8")
    Path("training.json").write_bytes(msgspec.json.encode(ReportedTraining(iteration, best, scores)))


def parse(source: str, output: str, model: str) -> None:
    """Parse a CoNLL-U file."""
    import spacy

    root_label = Path(model, ROOT_LABEL_FILE).read_text(encoding="utf-8")
    parses = _parses(spacy.load(model), _trees(source, require_trees=False), root_label)
    Path(output).write_text(conllu_text(parses), encoding="utf-8", newline="\n")


def _trees(path: str, *, require_trees: bool = True) -> list[Tree]:
    file = read_conllu(path, multiple_roots=True, require_trees=require_trees)
    return [sentence.tree for sentence in file.sentences]


def _docs(nlp: Any, trees: Sequence[Tree], *, gold: bool = False) -> Iterator[Doc]:
    from spacy.tokens import Doc

    for tree in trees:
        annotation: dict[str, Any] = {"sent_starts": [True] + [False] * (len(tree) - 1)}
        if gold:
            heads = [head - 1 if head else word for word, head in enumerate(tree.heads)]
            deprels = [
                deprel if head else "ROOT" for head, deprel in zip(tree.heads, tree.deprels, strict=True)
            ]
            annotation = {"heads": heads, "deps": deprels}
        yield Doc(nlp.vocab, words=list(tree.forms), tags=list(tree.upos), **annotation)


def _parses(nlp: Any, trees: Sequence[Tree], root_label: str = ROOT_LABEL) -> list[Tree]:
    parses = []
    for tree, doc in zip(trees, nlp.pipe(_docs(nlp, trees)), strict=True):
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
        deprels = [root_label if token.head.i == token.i else token.dep_ or "dep" for token in doc]
        parses.append(tree.with_heads(heads, deprels))
    return parses


def _count_right_heads(gold: Tree, parse: Tree) -> int:
    return sum(map(int.__eq__, gold.heads, parse.heads))


if __name__ == "__main__":
    (train if sys.argv[1] == "train" else parse)(*sys.argv[2:])
