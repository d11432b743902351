"""Ask which side of a convention is easier to learn in each of two treebanks, and which to train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal

import pandas as pd

from learnability.extending import ExperimentOptions, Sentence, Tree, Treebank, count_noun, run_experiment
from learnability.extensions.harmonise.cells import LanguageCell, name_ways
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    TrainingSettings,
    sample_places,
)
from learnability.extensions.harmonise.learned_rules import ConventionRule
from learnability.extensions.harmonise.matrix import SCORE
from learnability.extensions.harmonise.results import AnswerResult
from learnability.extensions.harmonise.rewriting import ConstructionRewriting, Rewriting

NOT_COMPARED = "not compared"
"""The answer where a rule changes no word, or only gives a relation another name."""

NOTHING_TO_COMPARE = AnswerResult(easier=NOT_COMPARED, train_on=NOT_COMPARED, difference=None)


def ask_of_rewriting(
    treebank: ComparedTreebank, rewriting: Rewriting, settings: TrainingSettings
) -> AnswerResult:
    """Return both answers about a rewriting in the treebank that it rewrites, as `run` gives them.

    Args:
        treebank: as annotated.
        rewriting: a construction, or a rule that was learned.
        settings: each parser learns from at most as many words.

    Raises:
        InputError: the treebank is too small to be divided.
        RunError: a training failed.
    """
    if isinstance(rewriting, ConventionRule):
        return _ask_of_rule(treebank, rewriting, settings)
    assert isinstance(rewriting, ConstructionRewriting)
    if rewriting.is_converted_back:
        treebank = rewriting.rewrite(treebank)
    divided = divide_version(treebank, settings.words)
    if not rewriting.makes_difference(trees_of(divided)):
        return NOTHING_TO_COMPARE
    return read_answer(_compare(settings, divided, transforms=rewriting.spec))


def _ask_of_rule(
    treebank: ComparedTreebank, rule: ConventionRule, settings: TrainingSettings
) -> AnswerResult:
    divided = divide_version(treebank, settings.words)
    if not rule.rule.makes_difference(trees_of(divided)):
        return NOTHING_TO_COMPARE
    with TemporaryDirectory(prefix="learnability-") as folder:
        scheme = Path(folder, "rule.toml")
        scheme.write_text(rule.learned.scheme, encoding="utf-8")
        return read_answer(_compare(settings, divided, alternative=scheme, labels=rule.labels))


def trees_of(treebank: Treebank) -> list[Tree]:
    """Return the trees of all sets."""
    return [sentence.tree for _, sentences in treebank.splits() for sentence in sentences]


def _compare(
    settings: TrainingSettings,
    divided: Treebank,
    *,
    transforms: str | Sequence[str] = (),
    alternative: Path | Sequence[Path] = (),
    labels: Literal["external", "keep"] = "external",
) -> pd.Series:
    """Return the row of a run that compares the trees of a treebank with a construction or a scheme."""
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
        jobs=1,
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


def read_answer(row: pd.Series) -> AnswerResult:
    """Return the answers in a row of a run.

    Args:
        row: with the columns of results.csv.
    """
    difference = None
    if not pd.isna(row[f"{SCORE}_delta_low"]):
        value, low, high = (float(row[f"{SCORE}_delta{end}"]) for end in ("", "_low", "_high"))
        difference = value, low, high
    easier, train_on = (str(row[f"{SCORE}_{question}"]) for question in ("easier", "train_on"))
    return AnswerResult(easier=easier, train_on=train_on, difference=difference)


@dataclass(frozen=True, kw_only=True)
class AnswerCell(LanguageCell[AnswerResult]):
    """Ask which side of a rewriting is easier to learn, as `run` does.

    Attributes:
        rewriting: a construction or a rule.
    """

    SETTING: ClassVar[str] = "answer"
    RESULT: ClassVar[type[Any]] = AnswerResult

    rewriting: Rewriting

    @property
    def subject(self) -> str:
        """Return both treebanks, from 1, what is rewritten, and how many parsers are trained."""
        by = f"by {self.rewriting.key}, {count_noun(len(self.settings.seeds), 'training')}"
        return f"{name_ways(self.rewriting)} {by}"

    @property
    def title(self) -> str:
        return f"({self.SETTING}) {name_ways(self.rewriting)} by {self.rewriting.spec}"

    def compute_on(self, treebanks: Sequence[ComparedTreebank]) -> AnswerResult:
        return ask_of_rewriting(treebanks[self.rewriting.treebank], self.rewriting, self.settings)

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        """Return a rough estimate of the processor seconds: of both annotations, with conversion back."""
        return 3 * len(self.settings.seeds) * super().seconds(options, tokens)
