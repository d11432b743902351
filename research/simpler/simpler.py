"""What is said of annotations that are made simpler on purpose.

Each of four simplifications is made of a treebank, written to files, and compared with the treebank by `run`.

    python research/simpler/simpler.py UD_Irish [--release 1.3] [--labelled]
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.labels import universal
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments

NEIGHBOURS = ("ADJ", "ADV", "DET", "NOUN", "PRON", "PROPN")
ARGUMENTS = ("nsubj", "obj", "dobj", "iobj", "obl", "nmod", "ccomp", "xcomp", "advcl", "acl")
OPEN_CLASSES = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")


def hang_on_neighbours(tree: Tree) -> Tree:
    """Return the tree with words of some tags hung on the next word, where that makes no circle."""
    heads = list(tree.heads)
    for token, tag in enumerate(tree.upos, start=1):
        if tag in NEIGHBOURS and token < len(tree) and heads[token - 1]:
            ancestor = token + 1
            while ancestor not in (0, token):
                ancestor = heads[ancestor - 1]
            if not ancestor:
                heads[token - 1] = token + 1
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


def merge_tags(tree: Tree) -> Tree:
    """Return the tree with one tag for the open classes."""
    return replace(tree, upos=tuple("X" if tag in OPEN_CLASSES else tag for tag in tree.upos))


SIMPLIFICATIONS: dict[str, Callable[[Tree], Tree]] = {
    "half of the words on their neighbour": hang_on_neighbours,
    "all words on the root word": hang_on_root,
    "one relation for arguments and clauses": merge_relations,
    "one tag for open classes": merge_tags,
}


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
                row = compared(name, folder, Path(temporary) / "run", given.release, labelled=given.labelled)
            keys = (
                (score, "own_annotation", "delta"),
                (score, "converted_back", "restored"),
                (score, "", "easier"),
                (score, "", "easier_reason"),
            )
            found = [row.get(key, "") for key in keys]  # scores.csv leaves out what is empty
            print(name, what, *found, sep="\t", flush=True)


def compared(
    name: str, folder: Path, out: Path, release: str, *, labelled: bool
) -> dict[tuple[str, str, str], str]:
    """Return what a run on the test set says of a treebank and a folder with its sentences."""
    command = ["run", "--test-set", "--treebank", name, "--release", release, "--alternative", str(folder)]
    command += ["--labelled"] if labelled else []
    done = subprocess.run(
        [sys.executable, "-m", "learnability", *command, "--out", str(out)], capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    with (out / "scores.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["score"], row["comparison"], row["statistic"]): row["value"] for row in csv.DictReader(file)
        }


if __name__ == "__main__":
    main()
