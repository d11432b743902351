"""Ask which side of a convention is easier to learn in each of two treebanks, and which to train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pandas as pd

from learnability.api import run_experiment
from learnability.extensions.harmonise.comparison import TreebankComparison
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, sample_places
from learnability.extensions.harmonise.learned_rules import ConventionRule
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.rewriting import (
    ConstructionRewriting,
    Rewriting,
    RewritingAnswer,
)
from learnability.treebanks.sentence import Sentence, Tree, Treebank

NOT_COMPARED = "not compared"
"""The answer where a rule changes no word, or only gives a relation another name."""


def add_answers(comparison: TreebankComparison, jobs: int = 1) -> TreebankComparison:
    """Return a comparison with both answers about each rewriting, as `run` gives them.

    Of constructions they are asked in both treebanks; a rule is learned for each of the two treebanks. Each
    parser learns from at most as many words as the comparison allows.

    Args:
        comparison: of the treebanks.
        jobs: the number of processes.

    Raises:
        InputError: a treebank is too small to be divided.
        RunError: a training failed.
    """
    answers = [_ask_of_construction(comparison, each, jobs) for each in comparison.rewritten_constructions]
    answers += [_ask_of_rule(comparison, each, jobs) for each in comparison.rules]
    return replace(comparison, answers=tuple(answers))


def _ask_of_construction(
    comparison: TreebankComparison, construction: ConstructionRewriting, jobs: int
) -> RewritingAnswer:
    """Return the answers about a construction in one treebank."""
    treebank = comparison.treebanks[construction.treebank]
    if construction.is_converted_back:
        treebank = construction.rewrite(treebank)
    divided = divide_version(treebank, comparison.settings.words)
    row = None
    if construction.makes_difference(trees_of(divided)):
        row = _compare(comparison, divided, jobs, transforms=construction.spec)
    return read_answer(row, construction, is_converted_back=construction.is_converted_back)


def _ask_of_rule(comparison: TreebankComparison, rule: ConventionRule, jobs: int) -> RewritingAnswer:
    """Return the answers about a rule in the treebank that it rewrites."""
    divided = divide_version(comparison.treebanks[rule.treebank], comparison.settings.words)
    if not rule.makes_difference(trees_of(divided)):
        return read_answer(None, rule)
    with TemporaryDirectory(prefix="learnability-") as folder:
        scheme = Path(folder, "rule.toml")
        scheme.write_text(rule.scheme, encoding="utf-8")
        row = _compare(comparison, divided, jobs, alternative=scheme, labels=rule.labels)
    return read_answer(row, rule)


def trees_of(treebank: Treebank) -> list[Tree]:
    """Return the trees of all sets."""
    return [sentence.tree for _, sentences in treebank.splits() for sentence in sentences]


def _compare(
    comparison: TreebankComparison,
    divided: Treebank,
    jobs: int,
    *,
    transforms: str | Sequence[str] = (),
    alternative: Path | Sequence[Path] = (),
    labels: Literal["external", "keep"] = "external",
) -> pd.Series:
    """Return the row of a run that compares the trees of a treebank with a construction or a scheme."""
    settings = comparison.settings
    rows = run_experiment(
        divided,
        transforms,
        alternative=alternative,
        test_set=True,
        seeds=len(settings.seeds),
        iterations=settings.iterations,
        parsers=(settings.system,),
        labels=labels,
        splits="released" if divided.test else "cut",
        jobs=jobs,
        progress=False,
    )
    return rows.iloc[0]


def divide_version(treebank: ComparedTreebank, words: int) -> Treebank:
    """Return the sentences of a treebank in its sets, with training sentences of at most that many words.

    Without a training or a test set, all sentences are for training; `run` cuts test sentences off.
    """
    version = treebank.version
    sets: dict[str, list[Sentence]] = {"train": [], "dev": [], "test": []}
    for sentence, name in zip(version.sentences, version.sets, strict=True):
        sets[name or "train"].append(sentence)
    train = sets["train"]
    if train and sets["test"]:
        train = [train[place] for place in sorted(sample_places(list(map(len, train)), words, seed=1))]
    else:
        train, sets = list(version.sentences), {"dev": [], "test": []}
    return Treebank(
        treebank.name,
        "",
        train=tuple(train),
        dev=tuple(sets["dev"]),
        test=tuple(sets["test"]),
        conventions=version.conventions,
    )


def read_answer(
    row: pd.Series | None, rewriting: Rewriting, *, is_converted_back: bool = False
) -> RewritingAnswer:
    """Return the answer in a row of a run.

    Args:
        row: with the columns of results.csv; None if there was nothing to compare.
        rewriting: what was compared with the annotation.
        is_converted_back: whether the UD trees of the treebank are made by the rule.
    """
    spec, number, like = rewriting.spec, rewriting.treebank, rewriting.like
    if row is None:
        return RewritingAnswer(spec, number, like, is_converted_back, NOT_COMPARED, NOT_COMPARED, None)
    difference = None
    if not pd.isna(row[f"{SCORE}_delta_low"]):
        value, low, high = (float(row[f"{SCORE}_delta{end}"]) for end in ("", "_low", "_high"))
        difference = Estimate95(value, low, high)
    easier, train_on = (str(row[f"{SCORE}_{question}"]) for question in ("easier", "train_on"))
    return RewritingAnswer(spec, number, like, is_converted_back, easier, train_on, difference)
