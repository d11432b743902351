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
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.rewriting import Rewriting, RewritingAnswer
from learnability.treebanks.sentence import Sentence, Treebank


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
    answers: list[RewritingAnswer] = []
    for construction in comparison.rewritten_constructions:
        treebank = comparison.treebanks[construction.treebank]
        if construction.is_converted_back:
            treebank = construction.rewrite(treebank)
        row = _compare(comparison, treebank, jobs, transforms=construction.spec)
        answers.append(read_answer(row, construction, is_converted_back=construction.is_converted_back))
    for rule in comparison.rules:
        treebank = comparison.treebanks[rule.treebank]
        with TemporaryDirectory(prefix="learnability-") as folder:
            scheme = Path(folder, "rule.toml")
            scheme.write_text(rule.scheme, encoding="utf-8")
            row = _compare(comparison, treebank, jobs, alternative=scheme, labels=rule.labels)
        answers.append(read_answer(row, rule))
    return replace(comparison, answers=tuple(answers))


def _compare(
    comparison: TreebankComparison,
    treebank: ComparedTreebank,
    jobs: int,
    *,
    transforms: str | Sequence[str] = (),
    alternative: Path | Sequence[Path] = (),
    labels: Literal["external", "keep"] = "external",
) -> pd.Series:
    """Return the row of a run that compares the trees of a treebank with a construction or a scheme."""
    settings = comparison.settings
    divided = divide_version(treebank, settings.words)
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


def read_answer(row: pd.Series, rewriting: Rewriting, *, is_converted_back: bool = False) -> RewritingAnswer:
    """Return the answer in a row of a run.

    Args:
        row: with the columns of results.csv.
        rewriting: what was compared with the annotation.
        is_converted_back: whether the UD trees of the treebank are made by the rule.
    """
    difference = None
    if not pd.isna(row[f"{SCORE}_delta_low"]):
        value, low, high = (float(row[f"{SCORE}_delta{end}"]) for end in ("", "_low", "_high"))
        difference = Estimate95(value, low, high)
    easier, train_on = (str(row[f"{SCORE}_{question}"]) for question in ("easier", "train_on"))
    number, like = rewriting.treebank, rewriting.like
    return RewritingAnswer(rewriting.spec, number, like, is_converted_back, easier, train_on, difference)
