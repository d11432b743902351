"""What `run` says of annotations that are made simpler on purpose.

Four kinds of simplifications are compared with a treebank by `run`: two of heads, for which files are
written, one of relations, with files and as a rule, and one of tags, as a rule.

    python research/simpler/simpler.py UD_Irish [--release 1.3] [--labelled]
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.labels import universal
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments

NEIGHBOURS = ("ADJ", "ADV", "DET", "NOUN", "PRON", "PROPN")
ARGUMENTS = ("nsubj", "obj", "dobj", "iobj", "obl", "nmod", "ccomp", "xcomp", "advcl", "acl")


def hang_on_neighbours(tree: Tree) -> Tree:
    """Return the tree with words of some tags hung on the next word, and the others on each other."""
    kept = [token for token, tag in enumerate(tree.upos, start=1) if tag not in NEIGHBOURS]
    if not kept:
        return tree
    heads = [min(token + 1, kept[-1]) for token in range(1, len(tree) + 1)]
    root = 0
    for token in kept:
        ancestor = tree.heads[token - 1]
        while ancestor and ancestor not in kept:
            ancestor = tree.heads[ancestor - 1]
        heads[token - 1] = ancestor or root
        root = root or (0 if ancestor else token)
    return tree.with_heads(heads, tree.deprels)


def hang_on_root(tree: Tree) -> Tree:
    """Return the tree with every word hung on the root word."""
    root = tree.heads.index(0) + 1
    heads = [0 if token == root else root for token in range(1, len(tree) + 1)]
    return tree.with_heads(heads, tree.deprels)


def merge_relations(tree: Tree) -> Tree:
    """Return the tree with one relation for all arguments and clauses."""
    merged = ["dep" if universal(name) in ARGUMENTS else name for name in tree.deprels]
    return tree.with_heads(tree.heads, merged)


SIMPLIFICATIONS: dict[str, Callable[[Tree], Tree]] = {
    "half of the words on their neighbour": hang_on_neighbours,
    "all words on the root word": hang_on_root,
    "one relation for arguments and clauses": merge_relations,
}
RULES = (f"deprel:{'|'.join(ARGUMENTS)}=dep", "upos:NOUN|VERB|ADJ|ADV|PROPN=X")
"""Simplifications as rules: one relation for arguments and clauses, and one tag for the open classes."""


def main() -> None:
    """Print a line per treebank and simplification."""
    parser = arguments(__doc__, ("UD_Irish",), "1.3")
    parser.add_argument("--labelled", action="store_true")
    given = parser.parse_args()
    score = "las" if given.labelled else "uas"
    print("treebank", "alternative", "UD minus alternative", "restored", "easier", "reason", sep="\t")
    for name in given.treebanks:
        files = locate_treebank(name, ud_home=given.ud_home, release=given.release)
        for what, simplify in SIMPLIFICATIONS.items():
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary) / files.name
                folder.mkdir()
                for path in files.paths():
                    file = read_conllu(path)
                    simpler = [simplify(sentence.tree) for sentence in file]
                    (folder / path.name).write_bytes(write_conllu(file, simpler))
                print_line(name, what, compared(name, ["--alternative", str(folder)], given), score)
        for rule in RULES if given.labelled else RULES[1:]:  # without labels relations play no part
            print_line(name, rule, compared(name, ["--transform", rule], given), score)


Row = dict[tuple[str, str, str], str]


def print_line(name: str, what: str, row: Row, score: str) -> None:
    """Print what a run says of one simplification; scores.csv leaves out what is empty."""
    keys = (
        (score, "own_annotation", "delta"),
        (score, "converted_back", "restored"),
        (score, "", "easier"),
        (score, "", "easier_reason"),
    )
    print(name, what, *(row.get(key, "") for key in keys), sep="\t", flush=True)


def compared(name: str, alternative: list[str], given: argparse.Namespace) -> Row:
    """Return what a run on the test set says of a treebank and an alternative, by score, comparison and
    statistic."""
    command = ["run", "--test-set", "--treebank", name, "--release", given.release, *alternative]
    command += ["--ud-home", given.ud_home] if given.ud_home else []
    command += ["--labelled"] if given.labelled else []
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "learnability", *command, "--out", f"{out}/run"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        with Path(out, "run", "scores.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    return {(row["score"], row["comparison"], row["statistic"]): row["value"] for row in rows}


if __name__ == "__main__":
    main()
