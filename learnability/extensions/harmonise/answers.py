"""Ask which side of a construction is easier to learn in each of two treebanks, and which to train on."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from learnability.api import run_experiment
from learnability.extensions.harmonise.comparison import TreebankComparison
from learnability.extensions.harmonise.constructions import ConstructionAnswer
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, sample_places
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.rewriting import rewrite_treebank
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Sentence, Treebank


def add_answers(comparison: TreebankComparison, jobs: int = 1) -> TreebankComparison:
    """Return a comparison with both answers about each construction in both treebanks, as `run` gives them.

    Each parser learns from at most as many words as the comparison allows.

    Args:
        comparison: of the treebanks.
        jobs: the number of processes.

    Raises:
        InputError: a treebank is too small to be divided.
        RunError: a training failed.
    """
    treebanks, settings = comparison.treebanks, comparison.settings
    answers: list[ConstructionAnswer] = []
    for support in comparison.constructions:
        ud, alternative = support.treebank, support.source
        rule = get_transformation(support.spec, treebanks[ud].version.conventions)
        for number in (ud, alternative):
            treebank = treebanks[number]
            if number == alternative:
                treebank = rewrite_treebank(treebank, rule, back=True)
            divided = divide_version(treebank, settings.words)
            rows = run_experiment(
                divided,
                support.spec,
                test_set=True,
                seeds=len(settings.seeds),
                iterations=settings.iterations,
                parsers=(settings.system,),
                labels="external",
                splits="released" if divided.test else "cut",
                jobs=jobs,
                progress=False,
            )
            row, is_converted_back = rows.iloc[0], number == alternative
            answers.append(read_answer(row, support.spec, number, is_converted_back=is_converted_back))
    return replace(comparison, answers=tuple(answers))


def divide_version(treebank: ComparedTreebank, words: int) -> Treebank:
    """Return the sentences of a treebank in its sets, with training sentences of at most that many words.

    Without sets, all sentences are for training; `run` cuts test sentences off.
    """
    version = treebank.version
    sets: dict[str, list[Sentence]] = {"train": [], "dev": [], "test": []}
    for sentence, name in zip(version.sentences, version.sets, strict=True):
        sets[name or "train"].append(sentence)
    train = sets["train"]
    if sets["test"]:
        train = [train[place] for place in sorted(sample_places(list(map(len, train)), words, seed=1))]
    return Treebank(
        treebank.name,
        "",
        train=tuple(train),
        dev=tuple(sets["dev"]),
        test=tuple(sets["test"]),
        conventions=version.conventions,
    )


def read_answer(row: pd.Series, spec: str, treebank: int, *, is_converted_back: bool) -> ConstructionAnswer:
    """Return the answer in a row of a run.

    Args:
        row: with the columns of results.csv.
        spec: the construction.
        treebank: the number of the treebank.
        is_converted_back: whether its UD trees are made by the rule.
    """
    difference = None
    if not pd.isna(row[f"{SCORE}_delta_low"]):
        value, low, high = (float(row[f"{SCORE}_delta{end}"]) for end in ("", "_low", "_high"))
        difference = Estimate95(value, low, high)
    easier, train_on = (str(row[f"{SCORE}_{question}"]) for question in ("easier", "train_on"))
    return ConstructionAnswer(spec, treebank, is_converted_back, easier, train_on, difference)
