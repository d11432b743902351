"""Universal Dependencies treebanks: reading, writing, finding and splitting them."""

from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.conllu_writing import conllu_text, with_tree, write_conllu
from learnability.treebanks.frames import tokens_frame, trees_from_frame
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.locate import TreebankFiles, explicit_files, list_treebanks, locate_treebank
from learnability.treebanks.sentence import Conventions, Sentence, Tree, Treebank
from learnability.treebanks.splits import load_folds, load_treebank, read_treebank

__all__ = [
    "ConlluFile",
    "Conventions",
    "Sentence",
    "Tree",
    "Treebank",
    "TreebankFiles",
    "conllu_text",
    "detect_conventions",
    "explicit_files",
    "list_treebanks",
    "load_folds",
    "load_treebank",
    "locate_treebank",
    "read_conllu",
    "read_treebank",
    "tokens_frame",
    "trees_from_frame",
    "with_tree",
    "write_conllu",
]
