"""Which annotation scheme of a treebank does a parser learn best?

What the commands do is available as functions; these are the first to know:

>>> import learnability
>>> bank = learnability.load_treebank("demo")
>>> case = learnability.get_transformation("case", bank.conventions)
>>> tree = bank.train[0].tree
>>> len(learnability.reference_set(tree, case)) == 2 ** len(case.sites(tree))
True
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "treebanks": (
        "Conventions",
        "Sentence",
        "Tree",
        "Treebank",
        "load_treebank",
        "read_conllu",
        "write_conllu",
    ),
    "transforms": ("JointTransformation", "Site", "Transformation", "get_transformation", "invert_all"),
    "schemes": ("get_scheme",),
    "multiref.references": ("ReferenceSet", "encode_references", "reference_set"),
    "multiref.training": ("survival_shares", "train_on_references"),
    "parsing.parser": ("Parser", "ParserOptions", "train_parser"),
    "parsing.model_file": ("load_model", "save_model"),
    "metrics": (
        *("attachment_scores", "derivation_complexity", "derivation_perplexity", "nucleus_scores"),
        *("predictability", "tree_shape"),
    ),
    "experiments.plan": ("DataOptions", "ExperimentOptions"),
    "experiments.runner": ("make_plan", "run_experiment"),
    "errors": ("InputError", "RunError"),
}
"""Public names by module; a module is imported when one of its names is first used."""

_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
