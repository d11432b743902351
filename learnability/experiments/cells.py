"""What one cell computes: a training with its test scores; the measures are in `measuring`."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.back_conversion import back_record
from learnability.experiments.data import (
    Fold,
    check_unchanged,
    contrast_of,
    fold_of,
    test_references,
    transformed_trees,
)
from learnability.experiments.drawable import original_sentences, transformed_sentences
from learnability.experiments.joint import train_candidate, train_joint
from learnability.experiments.labelled import closest_labelled_matches, labelled_back_record
from learnability.experiments.learning_curve import train_part
from learnability.experiments.measuring import measure
from learnability.experiments.options import UD, ExperimentOptions
from learnability.experiments.plan import Cell
from learnability.experiments.scheme_training import SchemeTraining, parse_test, train_on_parts
from learnability.metrics.breakdown import by_relation, error_split
from learnability.multiref.arrays import encode_references, label_names
from learnability.multiref.contrasts import Contrast, unmixed
from learnability.multiref.references import closest_matches
from learnability.multiref.training import survival_shares, train_on_references
from learnability.parsing.parser import ParserOptions
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree

Record = dict[str, Any]


def run_cell(
    files: TreebankFiles,
    options: ExperimentOptions,
    cell: Cell,
    needed: Sequence[Record],
    sha256: Mapping[str, str],
) -> Record:
    """Compute one cell and return its record (JSON-serialisable).

    `needed`: the records of the cells that it needs (`Plan.needed`). `sha256`: what the
    treebank's files were when the run was planned.

    Raises:
        InputError: the files are others here.
    """
    began = time.perf_counter()
    fold = fold_of(files, options, cell.fold)
    check_unchanged(fold, sha256)
    prepared = time.perf_counter()
    if cell.setting == "measures":
        record = measure(fold, options.against, cell.condition)
    elif cell.setting == "a":
        record = train_original(fold, options, cell.seed, keep=_keeps_sentences(options, cell))
    elif cell.setting == "b":
        keep = _keeps_sentences(options, cell)
        record = train_transformed(fold, options, cell.condition, cell.seed, keep=keep)
    elif cell.setting == "c":
        record = train_multiref(fold, options, cell.condition, cell.seed, needed[0]["iterations"])
    else:
        record = _further_training(fold, options, cell, needed)
    return {
        **identity(cell),
        **record,
        "wall_seconds": round(time.perf_counter() - began, 3),
        "read_seconds": round(prepared - began, 3),
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "peak_memory_mb": peak_memory(),
    }


def _further_training(fold: Fold, options: ExperimentOptions, cell: Cell, needed: Sequence[Record]) -> Record:
    """A cell of `--joint`, `--verify` or `--learning-curve`."""
    parser = parser_options(options, cell.seed)
    if cell.setting == "joint":
        return train_joint(fold, options, parser, needed[0]["iterations"])
    if cell.setting == "verify":
        return train_candidate(fold, options, parser, int(cell.condition), needed)
    return train_part(fold, options, cell.condition, parser, cell.share)


def _keeps_sentences(options: ExperimentOptions, cell: Cell) -> bool:
    """Whether the record of this training holds sentences to be drawn."""
    return options.trees and cell.seed == 1 and cell.fold == 0


def identity(cell: Cell) -> Record:
    """The fields of a record that say which cell it is of."""
    return {
        "key": cell.key,
        "treebank": cell.treebank,
        "setting": cell.setting,
        "condition": cell.condition,
        "seed": cell.seed,
        "fold": cell.fold,
    }


def peak_memory() -> int | None:
    """The largest resident memory of this process so far, in megabytes; None where it cannot be told."""
    try:
        import resource
    except ImportError:
        return None
    import sys

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def parser_options(options: ExperimentOptions, seed: int) -> ParserOptions:
    """The parser of all settings; (c) always trains by Algorithm 1, whatever the oracle of (a) and (b)."""
    return ParserOptions(
        system=options.system,
        oracle=options.oracle,
        iterations=options.iterations,
        tags=options.tags,
        labelled=options.labels is not None,
        seed=seed,
        multiple_roots=options.data.multiple_roots,
    )


def train_original(fold: Fold, options: ExperimentOptions, seed: int, *, keep: bool = False) -> Record:
    """Setting (a): train and test on the original trees; also scored against each condition's references.

    Against another scheme than UD the original trees are that scheme's, and its parses are also converted
    back. `keep`: the record holds test sentences to be drawn.
    """
    against, own = options.against, (fold.train_ready, fold.dev, fold.test)
    trees = own if against == UD else transformed_trees(fold, against, options.labels)
    record, found = _train(fold, options, seed, trees)
    scores = {c: _scored(fold, options, c, found) for c in options.conditions}
    for field in next(iter(scores.values()), {}):
        record[field] = {c: scores[c][field] for c in options.conditions}
    if against != UD:
        record |= _converted(fold, options, against, found)
    kept = {"drawable": original_sentences(fold, options, found.predicted)} if keep else {}
    return {**record, **kept}


def train_transformed(
    fold: Fold, options: ExperimentOptions, condition: str, seed: int, *, keep: bool = False
) -> Record:
    """Setting (b): train and test on trees with every site transformed.

    `keep`: the record holds test sentences to be drawn.
    """
    if not fold.trains_on(_contrast(fold, options, condition)):
        return {"sites": 0}
    trees = transformed_trees(fold, condition, options.labels)
    record, found = _train(fold, options, seed, trees)
    heads = [tree.heads for tree in trees[2]]
    kept = transformed_sentences(fold, options, condition, heads, found.predicted) if keep else []
    return {
        **record,
        **_scored(fold, options, condition, found),
        **({"drawable": kept} if keep else {}),
        **_converted(fold, options, condition, found),
    }


def train_multiref(
    fold: Fold, options: ExperimentOptions, condition: str, seed: int, iterations: int
) -> Record:
    """Setting (c): train once against all references and count which survive."""
    contrast = _contrast(fold, options, condition)
    if not fold.trains_on(contrast):
        return {"sites": 0}
    labels, most = options.labels, options.max_options
    sets = [contrast.references(tree, max_options=most, labels=labels) for tree in fold.train_ready]
    names = label_names(sets) if labels else []
    references, table = encode_references(fold.train_corpus, sets, names)
    trained = train_on_references(
        fold.train_corpus, references, table, parser_options(options, seed), iterations, labels=names
    )
    shares = [survival_shares(table, survived) for survived in trained.survival]
    predicted, parsed = parse_test(trained.parser, fold)
    record: Record = {}
    if labels is not None:
        record["las_closest_correct"] = _closest_arcs(fold, options, condition, parsed)
    if options.against != UD:
        record["sentences_unmixed"] = unmixed(sets)
    return {
        **record,
        "iterations": iterations,
        "sites": len(table.sentence),
        "sentences_with_sites": shares[-1].sentences,
        "original_share": [s.original_share for s in shares],
        "transformed_share": [s.transformed_share for s in shares],
        "site_original_share": [s.site_original_share for s in shares],
        "factors_cut": table.factors_cut,
        "closest_correct": _closest(fold, options, condition, predicted),
        "test_tokens": fold.test_corpus.tokens(),
        "kernel_seconds": round(trained.seconds, 4),
        "trained_tokens": fold.train_corpus.tokens() * iterations,
        "features": trained.features,
    }


def _contrast(fold: Fold, options: ExperimentOptions, condition: str) -> Contrast:
    return contrast_of(options.against, condition, fold.treebank.conventions)


def _converted(fold: Fold, options: ExperimentOptions, scheme: str, found: SchemeTraining) -> Record:
    """What is right after conversion of a scheme's test parses to UD: by their labels, if they have any."""
    if options.labels is None:
        return back_record(fold, scheme, found.predicted)
    return labelled_back_record(fold, scheme, options.labels, found.parsed)


def _closest(fold: Fold, options: ExperimentOptions, condition: str, predicted: NDArray[np.int32]) -> int:
    """Correct heads on test against the closest of each sentence's references."""
    sets = test_references(fold, options.against, condition, options.max_options, None)
    return int(closest_matches(sets, fold.test_corpus, predicted).sum())


def _closest_arcs(fold: Fold, options: ExperimentOptions, condition: str, parsed: Sequence[Tree]) -> int:
    """The same for heads and labels."""
    sets = test_references(fold, options.against, condition, options.max_options, options.labels)
    return int(closest_labelled_matches(sets, parsed).sum())


def _scored(fold: Fold, options: ExperimentOptions, condition: str, found: SchemeTraining) -> Record:
    """What (a) and (b) have right with regard to a condition: its closest references, its sites."""
    record: Record = {
        "closest_correct": _closest(fold, options, condition, found.predicted),
        "error_split": _error_split(fold, options, condition, found.right),
    }
    if found.las_right is not None:
        record["las_closest_correct"] = _closest_arcs(fold, options, condition, found.parsed)
        record["las_error_split"] = _error_split(fold, options, condition, found.las_right)
    return record


def _error_split(
    fold: Fold,
    options: ExperimentOptions,
    condition: str,
    right: NDArray[np.bool_],
) -> dict[str, tuple[int, int]]:
    """Correct and all test tokens: the sites of the condition, their nuclei, elsewhere.

    `right`: bool[test tokens], the correct heads (or arcs).
    """
    contrast = _contrast(fold, options, condition)
    sites = [[site.token for site in contrast.sites(tree)] for tree in fold.test]
    return error_split(fold.test, sites, right)


def _train(
    fold: Fold, options: ExperimentOptions, seed: int, trees: Sequence[Sequence[Tree]]
) -> tuple[Record, SchemeTraining]:
    """Train one parser on train, dev and test `trees`; its record with the scores on test."""
    found = train_on_parts(fold, fold.train_corpus, trees, parser_options(options, seed))
    training = found.training
    record: Record = {
        **found.record(),
        "best_iteration": training.best_iteration,
        "dev_uas": training.dev_uas,
        "relations": by_relation(fold.test, found.right),
        "features": training.features,
    }
    if found.las_right is not None:
        record["las_relations"] = by_relation(fold.test, found.las_right)
    return record, found
