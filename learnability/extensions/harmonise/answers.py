"""Ask which side of a construction is easier to learn in each of two treebanks, and which to train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pandas as pd

from learnability.api import run_experiment
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, TrainingSettings
from learnability.extensions.harmonise.matrix import SCORE, Estimate95
from learnability.extensions.harmonise.rewriting import rewrite_treebank
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Sentence, Treebank


@dataclass(frozen=True)
class ConstructionAnswer:
    """Hold the two answers about a construction in a treebank, on its test set.

    Attributes:
        spec: the construction.
        treebank: the number of the treebank.
        is_converted_back: whether the treebank has the alternative, and its UD trees are made by the rule.
        easier: which annotation is easier to learn, as in results.csv.
        train_on: which one to train on where UD is needed, as in results.csv.
        difference: LAS on UD minus LAS on the alternative, in points; None if there are too few examples.
    """

    spec: str
    treebank: int
    is_converted_back: bool
    easier: str
    train_on: str
    difference: Estimate95 | None


def answer_constructions(
    treebanks: Sequence[ComparedTreebank],
    constructions: Sequence[RuleSupport],
    settings: TrainingSettings,
    jobs: int = 1,
) -> tuple[ConstructionAnswer, ...]:
    """Return both answers about each construction in both treebanks, by the comparison of `learnability run`.

    Args:
        treebanks: as they are annotated.
        constructions: what one treebank follows and another does not.
        settings: of the trainings; each parser learns from at most `settings.words` words.
        jobs: the number of processes.

    Raises:
        InputError: a treebank is too small to be divided.
        RunError: a training failed.
    """
    answers: list[ConstructionAnswer] = []
    for support in constructions:
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
            answers.append(
                read_answer(rows.iloc[0], support.spec, number, is_converted_back=number == alternative)
            )
    return tuple(answers)


def divide_version(treebank: ComparedTreebank, words: int) -> Treebank:
    """Return the sentences of a treebank in its sets, at most so many words of which are for training.

    Without sets, all sentences are for training; `run` cuts test sentences off.
    """
    version = treebank.version
    sets: dict[str, list[Sentence]] = {"train": [], "dev": [], "test": []}
    for sentence, name in zip(version.sentences, version.sets, strict=True):
        sets[name or "train"].append(sentence)
    train = sets["train"]
    if sets["test"]:
        train = sample_sentences(train, words)
    return Treebank(
        treebank.name,
        "",
        train=tuple(train),
        dev=tuple(sets["dev"]),
        test=tuple(sets["test"]),
        conventions=version.conventions,
    )


def sample_sentences(sentences: Sequence[Sentence], words: int) -> list[Sentence]:
    """Return sentences chosen at random, in their order, together at most so many words, but at least one."""
    places = list(range(len(sentences)))
    Random(1).shuffle(places)
    chosen: list[int] = []
    total = 0
    for place in places:
        total += len(sentences[place])
        if total > words and chosen:
            break
        chosen.append(place)
    return [sentences[place] for place in sorted(chosen)]


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
