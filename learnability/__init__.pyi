# The public names by module: what `learnability` offers, imported when first used.

from .annotation_diffs import AnnotationDiff, LearnedRule, diff
from .api import RunComparison, compare_runs, read_results, read_scores, run_experiment
from .comparing.options import DataOptions, ExperimentOptions
from .drawing.derivations import Derivation
from .errors import InputError, RunError
from .metrics import (
    attachment_scores,
    derivation_perplexity,
    phrase_scores,
    predictability,
    tree_shape,
)
from .multiref.arrays import encode_references
from .multiref.references import ReferenceSet, reference_set
from .multiref.training import preferred_shares, train_on_references
from .oracles.checking import Counterexample, OracleCheck, assert_oracle, check_oracle
from .oracles.derivations import find_derivation
from .oracles.systems import find_definition
from .parsing.model_file import load_model, save_model
from .parsing.parser import Iteration, Parser, ParserOptions, Training, train_parser
from .parsing.projectivity import is_projective, lift
from .parsing.stepwise import Configuration, Oracle
from .reports.tree_pair import TreePair
from .schemes import Scheme, find_scheme, get_scheme
from .statistics.systems import GroupComparison, compare_parses
from .transforms.base import Transformation, invert_all, learn_side_preferences
from .transforms.joint import JointTransformation
from .transforms.plan import Place
from .transforms.registry import get_transformation
from .treebanks.conllu_io import read_conllu
from .treebanks.conllu_writing import conllu_text, with_tree, write_conllu
from .treebanks.fetch import fetch_release, fetch_treebank
from .treebanks.interchange import (
    build_treebank,
    from_conllu,
    from_frame,
    from_networkx,
    from_nltk,
    to_conllu,
    to_frame,
    to_networkx,
    to_nltk,
)
from .treebanks.locate import list_treebanks
from .treebanks.sentence import Conventions, Sentence, Tree, Treebank
from .treebanks.splits import load_folds, load_treebank

__version__: str

__all__ = [
    "AnnotationDiff",
    "Configuration",
    "Conventions",
    "Counterexample",
    "DataOptions",
    "Derivation",
    "ExperimentOptions",
    "GroupComparison",
    "InputError",
    "Iteration",
    "JointTransformation",
    "LearnedRule",
    "Oracle",
    "OracleCheck",
    "Parser",
    "ParserOptions",
    "Place",
    "ReferenceSet",
    "RunComparison",
    "RunError",
    "Scheme",
    "Sentence",
    "Training",
    "Transformation",
    "Tree",
    "TreePair",
    "Treebank",
    "assert_oracle",
    "attachment_scores",
    "build_treebank",
    "check_oracle",
    "compare_parses",
    "compare_runs",
    "conllu_text",
    "derivation_perplexity",
    "diff",
    "encode_references",
    "fetch_release",
    "fetch_treebank",
    "find_definition",
    "find_derivation",
    "find_scheme",
    "from_conllu",
    "from_frame",
    "from_networkx",
    "from_nltk",
    "get_scheme",
    "get_transformation",
    "invert_all",
    "is_projective",
    "learn_side_preferences",
    "lift",
    "list_treebanks",
    "load_folds",
    "load_model",
    "load_treebank",
    "phrase_scores",
    "predictability",
    "preferred_shares",
    "read_conllu",
    "read_results",
    "read_scores",
    "reference_set",
    "run_experiment",
    "save_model",
    "to_conllu",
    "to_frame",
    "to_networkx",
    "to_nltk",
    "train_on_references",
    "train_parser",
    "tree_shape",
    "with_tree",
    "write_conllu",
]
