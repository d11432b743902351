"""The bundled `demo` treebank: an English-like UD v2 treebank from a small seeded grammar.

Run ``python -m learnability.treebanks.demo OUTDIR`` to write it. It exists so that every command works
without a download: all seven constructions of the paper occur, nested and coordinated, with questions,
relative clauses, a few non-projective sentences, multiword tokens, empty nodes, and attachments that
only chance decides, so that no parser gets everything right. It says nothing about English.
"""

from __future__ import annotations

from learnability.treebanks.demo.clauses import Grammar
from learnability.treebanks.demo.surface import to_conllu

SEED = 2018
SIZES = {"train": 600, "dev": 100, "test": 150}
DOCUMENT = 10
"""Sentences per document."""


def generate(seed: int = SEED) -> dict[str, str]:
    """The files of the treebank, name to content; the same for the same seed on every machine."""
    files = {}
    for offset, (split, size) in enumerate(SIZES.items()):
        grammar = Grammar(seed + offset)
        blocks = []
        for index in range(size):
            document = f"demo-{split}-d{index // DOCUMENT + 1:02}" if index % DOCUMENT == 0 else ""
            blocks.append(to_conllu(grammar.sentence(), f"demo-{split}-{index + 1:03}", document))
        files[f"demo-ud-{split}.conllu"] = "".join(blocks)
    return files
