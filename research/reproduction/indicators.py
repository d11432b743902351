"""Measure both annotations of the pairs of finished runs: the indirect indicators of the 2018 paper.

An indicator picks a side without comparing two parsers. One of them is a training on both annotations, which
a run makes; the others need no parser, and are measured here in the treebanks of the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from learnability.commands.measure import MeasuredCorpus, measure_corpus
from learnability.commands.resolve import Names
from learnability.comparing.options import ExperimentOptions
from learnability.evidence.stored_runs import StoredPair, finished_config
from learnability.evidence.survey import Evidence
from learnability.parsing.projectivity import is_projective
from learnability.running.cell import treebank_id
from learnability.statistics.inference import winner
from learnability.studies.experiment_arguments import treebanks_of
from learnability.support.progress import ProgressSteps
from learnability.treebanks.sentence import Tree, trees_of
from learnability.treebanks.splits import load_folds
from research.reproduction.complexity import derivation_complexity

TRAINED_ON_BOTH = "trained_on_both"


@dataclass(frozen=True)
class Indicator:
    """Name an indicator; the side with the lower value is picked, unless it is that with the higher."""

    key: str
    title: str
    lower_is_better: bool = True

    def favour(self, base: float, alternative: float) -> float:
        """Return how far the values favour UD."""
        return alternative - base if self.lower_is_better else base - alternative


INDICATORS = (
    Indicator(TRAINED_ON_BOTH, "training on both annotations", lower_is_better=False),
    Indicator("predictability", "predictability"),
    Indicator("perplexity", "derivation perplexity"),
    Indicator("complexity", "derivation complexity"),
)

Values = Mapping[tuple[str, str], Mapping[str, tuple[float, float]]]
"""By treebank and construction the values of measures, in UD's trees and in the alternative's."""


def measure_runs(evidence: Evidence) -> Values:
    """Return the measures of all pairs, on the training and development sets of their runs."""
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for folder in dict.fromkeys(pair.folder for pair in evidence.pairs):
        config = finished_config(folder)
        options = ExperimentOptions.of_config(config)
        for files in treebanks_of(config, folder):
            (bank, *_) = load_folds(files, **vars(options.data))
            train, dev = tuple(trees_of(bank.train)), tuple(trees_of(bank.dev))
            corpus = MeasuredCorpus(bank.name, bank.release, bank.conventions, train, dev)
            names = [Names((annotation.spelling,)) for annotation in options.alternatives]
            rows = measure_corpus(corpus, names, ProgressSteps())
            for annotation, name, row in zip(options.alternatives, names, rows, strict=True):
                pairs = {key: (value, row["alternative"][key]) for key, value in row["base"].items()}
                pairs["complexity"] = compare_complexity(train, name.change(bank.conventions))
                found[treebank_id(bank.name, bank.release), annotation.name] = {
                    key: (float(base), float(alternative))
                    for key, (base, alternative) in pairs.items()
                    if isinstance(base, int | float) and isinstance(alternative, int | float)
                }
    return found


def compare_complexity(trees: Sequence[Tree], change: Callable[[Tree], Tree]) -> tuple[int, int]:
    """Return the derivation complexity of both annotations, on trees that are projective in both."""
    pairs = [(tree, change(tree)) for tree in trees]
    kept = [pair for pair in pairs if all(is_projective(tree.heads) for tree in pair)]
    base, alternative = ([pair[side] for pair in kept] for side in (0, 1))
    return derivation_complexity(base), derivation_complexity(alternative)


def values_of(pair: StoredPair, indicator: Indicator, measured: Values) -> tuple[float, float] | None:
    """Return the values of an indicator for a pair; None where it was not computed."""
    if indicator.key == TRAINED_ON_BOTH:
        base, alternative = pair.row.trained_on_both.base, pair.row.trained_on_both.alternative
        return None if base is None or alternative is None else (base, alternative)
    return measured.get((pair.treebank, pair.row.name), {}).get(indicator.key)


def pick_of(pair: StoredPair, indicator: Indicator, measured: Values) -> str | None:
    """Return the side that an indicator picks for a pair; None where it was not computed."""
    if indicator.key == TRAINED_ON_BOTH:
        return pair.row.trained_on_both.pick
    values = values_of(pair, indicator, measured)
    if values is None:
        return None
    favoured = indicator.favour(*values)
    return str(winner(favoured if abs(favoured) >= 1e-9 else 0))  # sums in another order differ
