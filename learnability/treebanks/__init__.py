"""Universal Dependencies treebanks: reading, writing, finding and splitting them."""

from learnability.treebanks.conllu_io import ConlluFile, read_conllu, write_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.locate import (
    TreebankFiles,
    explicit_files,
    list_treebanks,
    locate_treebank,
)
from learnability.treebanks.provenance import read_provenance, restore_provenance
from learnability.treebanks.sentence import ROOT, Conventions, Sentence, Tree, Treebank
from learnability.treebanks.splits import load_folds, load_treebank, read_treebank

__all__ = [
    "ROOT",
    "ConlluFile",
    "Conventions",
    "Sentence",
    "Tree",
    "Treebank",
    "TreebankFiles",
    "detect_conventions",
    "explicit_files",
    "list_treebanks",
    "load_folds",
    "load_treebank",
    "locate_treebank",
    "read_conllu",
    "read_provenance",
    "read_treebank",
    "restore_provenance",
    "write_conllu",
]
