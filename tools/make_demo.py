"""Write the bundled `demo` treebank, an English-like UD v2 treebank from a small seeded grammar.

``python tools/make_demo.py learnability/treebanks/data/UD_Demo`` writes the files that the package ships.
With them every command works without a download: all seven constructions of the paper occur, nested and
coordinated, with questions, relative clauses, a few non-projective sentences, multiword tokens and empty
nodes. Some attachments are random, so that no parser gets everything right. The treebank tells nothing about
English.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from demo_grammar.clauses import Grammar
from demo_grammar.surface import to_conllu

SEED = 2021
SIZES = {"train": 230, "dev": 40, "test": 600}
DOCUMENT = 10
"""Sentences per document."""


def generate(seed: int = SEED) -> dict[str, str]:
    """Return the files of the treebank, name to content; a seed gives the same files on every machine."""
    files = {}
    for offset, (split, size) in enumerate(SIZES.items()):
        grammar = Grammar(seed + offset)
        blocks = []
        for index in range(size):
            document = f"demo-{split}-d{index // DOCUMENT + 1:02}" if index % DOCUMENT == 0 else ""
            blocks.append(to_conllu(grammar.sentence(), f"demo-{split}-{index + 1:03}", document))
        files[f"demo-ud-{split}.conllu"] = "".join(blocks)
    return files


def main(arguments: Sequence[str]) -> int:
    """Write the treebank into the folder that is the only argument."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python tools/make_demo.py OUTDIR\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in generate().items():
        (folder / name).write_bytes(content.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
