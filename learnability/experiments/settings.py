"""The trainings of a condition with their test scores.

Setting (a) trains on the original annotation, (b) on the transformed one, (c) once against all references
between the two (docs/rules.md, Survival).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from learnability.experiments.condition import Condition
from learnability.experiments.examples import original_examples, transformed_examples
from learnability.experiments.fold import Annotated, Fold, Parts, TrainingReferences
from learnability.experiments.run_records import Ceiling, ScoreCounts, Survival, Training
from learnability.judges.judge import TrainedParser, check_parses
from learnability.judges.transition import parse_encoded
from learnability.metrics import nucleus_scores
from learnability.metrics.breakdown import PARTS, by_relation, counts_by
from learnability.metrics.scores import Score, correct_tokens, per_sentence, right_tokens
from learnability.multiref.references import closest_correct
from learnability.multiref.training import MultirefTraining, survival_shares, train_on_references
from learnability.parsing import parser
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True, eq=False)
class Tested:
    """A parser trained on one annotation of a fold, and what it made of the test part: the gold trees of the
    annotation, and as parsed."""

    fold: Fold
    trained: TrainedParser
    train_tokens: int
    gold: Sequence[Tree]
    parsed: Sequence[Tree]

    def record(
        self,
        conditions: Sequence[Condition] = (),
        back: Annotated | None = None,
        examples: list[dict[str, Any]] | None = None,
    ) -> Training:
        """The record of the training. `conditions`: score it against their closest references, and by
        relation and part. `back`: convert the parses from this annotation to UD."""
        training = self.trained
        nuclei = nucleus_scores(self.fold.nuclei, [tree.heads for tree in self.parsed])
        back_trees = back.converter.convert(self.parsed) if back else None
        return Training(
            **work_of(training, self.train_tokens),
            tokens=[len(tree) for tree in self.gold],
            words=per_sentence(self.fold.test_words, self.gold).tolist(),
            nuclei=nuclei.total.tolist(),
            scores={
                score.value: self._counts(score, conditions, back, back_trees, nuclei.correct.tolist())
                for score in self.fold.scores
            },
            best_iteration=training.best_iteration,
            dev_uas=training.dev_uas,
            examples=examples,
        )

    def _counts(
        self,
        score: Score,
        conditions: Sequence[Condition],
        back: Annotated | None,
        converted: Sequence[Tree] | None,
        nuclei: list[int],
    ) -> ScoreCounts:
        fold, right = self.fold, right_tokens(self.gold, self.parsed, score)
        counts = ScoreCounts(
            correct=per_sentence(right, self.gold).tolist(),
            words=per_sentence(right & fold.test_words, self.gold).tolist(),
            nuclei=nuclei if score is Score.UAS else [],
        )
        if not conditions:
            return counts
        closest, split = {}, {}
        for condition in conditions:
            name = condition.transformed.spelling
            references = fold.test_references(condition, score)
            closest[name] = closest_correct(references, self.parsed, score).tolist()
            split[name] = counts_by(fold.test_kinds(condition), right, () if condition.is_given else PARTS)
        counts = msgspec.structs.replace(
            counts, closest=closest, relations=by_relation(fold.ud.test, right), error_split=split
        )
        if back is None or converted is None:
            return counts
        gold_sites = back.ceiling_gold_sites if score is Score.UAS else None
        ceiling = Ceiling(found_sites=back.ceilings[score], gold_sites=gold_sites)
        return msgspec.structs.replace(
            counts, back=correct_tokens(fold.ud.test, converted, score).tolist(), ceiling=ceiling
        )


def work_of(training: TrainedParser | parser.Training, tokens: int) -> dict[str, Any]:
    """What a training on so many tokens cost: the fields of `run_records.Work`."""
    return {
        "iterations": training.iterations,
        "kernel_seconds": round(training.seconds, 4),
        "trained_tokens": tokens * max(training.iterations, 1),
        "features": training.features,
    }


def train_and_test(fold: Fold, parts: Parts, seed: int) -> Tested:
    """Train on the first of the parts, stop by dev UAS on the second, parse the third.

    Raises:
        RunError: the judge failed, or its answer is no tree of the same words.
    """
    trained = fold.judge.train(parts.train, parts.dev, seed)
    parsed = trained.parse(parts.test)
    check_parses(" ".join(fold.options.judges) or fold.options.system, parts.test, parsed)
    return Tested(fold, trained, sum(map(len, parts.train)), parts.test, parsed)


def train_original(fold: Fold, seed: int, *, keep: bool = False) -> Training:
    """Setting (a), also scored against each condition's references, and converted to UD if it is not UD;
    `keep` test sentences to be drawn."""
    annotated = fold.original
    tested = train_and_test(fold, annotated.parts, seed)
    examples = original_examples(fold, tested.parsed) if keep else None
    return tested.record(fold.conditions, _way_back(annotated), examples)


def train_transformed(fold: Fold, condition: Condition, seed: int, *, keep: bool = False) -> Training | None:
    """Setting (b), every site transformed, its parses also converted to UD; None without sites."""
    if not fold.exists(condition):
        return None
    annotated = fold.transformed(condition)
    tested = train_and_test(fold, annotated.parts, seed)
    examples = transformed_examples(fold, condition, tested.parsed) if keep else None
    return tested.record([condition], None if condition.is_given else _way_back(annotated), examples)


def _way_back(annotated: Annotated) -> Annotated | None:
    """The annotation, if its parses can be converted to UD; what is UD need not be."""
    same = annotated.annotation.is_ud or annotated.annotation.is_given
    return None if same else annotated


def train_on_both(fold: Fold, condition: Condition, seed: int, iterations: int) -> Survival | None:
    """Setting (c): train once against all references and count which survive; None without sites."""
    if not fold.exists(condition):
        return None
    references = fold.references(condition)
    table = references.table
    trained, work = train_on_sets(fold, references, seed, iterations)
    shares = [survival_shares(table, survived) for survived in trained.survival]
    parsed = parse_encoded(trained.parser, fold.encode, fold.ud.test)
    return Survival(
        **work,
        sites=len(table.sentence),
        sentences_with_sites=shares[-1].sentences,
        original_share=[s.original_share for s in shares],
        transformed_share=[s.transformed_share for s in shares],
        site_original_share=[s.site_original_share for s in shares],
        factors_cut=table.factors_cut,
        closest={
            score.value: int(closest_correct(fold.test_references(condition, score), parsed, score).sum())
            for score in fold.scores
        },
        tokens=sum(map(len, fold.ud.test)),
        sentences_unmixed=None if condition.original.is_ud else references.unmixed,
    )


def train_on_sets(
    fold: Fold, own: TrainingReferences, seed: int, iterations: int
) -> tuple[MultirefTraining, dict[str, Any]]:
    """Train against sets of references; the training, and what it cost (the fields of `run_records.Work`)."""
    corpus, options = fold.encode(fold.ud.train), replace(fold.parser, seed=seed)
    trained = train_on_references(corpus, own.references, own.table, options, iterations, labels=own.labels)
    return trained, work_of(trained, corpus.tokens())
