"""Score what was trained: fill the results that records hold (`comparing.results`).

Counts are per test sentence where they are lists.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.results import (
    BothResult,
    CommonLabels,
    Counts,
    Measures,
    ParsedSentence,
    ScoreCounts,
    TaggingCounts,
    TrainingResult,
)
from learnability.metrics.phrases import TOKEN_KINDS, by_relation, counts_by, phrase_scores
from learnability.metrics.scores import Score, per_sentence, right_tokens, sentence_counts
from learnability.parsing.projectivity import count_lost_arcs
from learnability.treebanks.sentence import Tree, document_lengths, number_documents

if TYPE_CHECKING:
    from learnability.comparing.annotated_folds import AnnotatedFold, ComparedFold
    from learnability.comparing.annotation import Annotation
    from learnability.comparing.fold import Fold
    from learnability.comparing.pair import Pair
    from learnability.multiref.contrasts import Sides
    from learnability.multiref.training import PreferredShares
    from learnability.parsers.trainer import TrainedParser
    from learnability.parsing.parser import Parser, Training


@dataclass(frozen=True, eq=False)
class TestedParser:
    """Represent a parser trained on one annotation of a fold, and what it made of the test set."""

    fold: Fold
    trained: TrainedParser
    train_tokens: int
    gold: Sequence[Tree]
    parsed: Sequence[Tree]
    tagging: TaggingCounts | None = None


def count_common_labels(tested: TestedParser, score: Score, pair: Pair[Annotation]) -> CommonLabels:
    """Return the counts of a parser by a score for a pair."""
    fold, gold = tested.fold, tested.gold
    compared = fold.compare_pair(pair)
    if not score.counts_every_token:
        counts = sentence_counts(gold, tested.parsed, score, compared.common_label)
        return CommonLabels(correct=counts.right.tolist(), counted=as_list(counts.counted))
    right = right_tokens(gold, tested.parsed, score, compared.common_label)
    names = [compared.common_label(deprel) for tree in fold.ud.test for deprel in tree.deprels]
    return CommonLabels(
        correct=per_sentence(right, gold).tolist(),
        words=per_sentence(right & fold.test_words, gold).tolist(),
        relations=counts_by(names, right),
    )


def count_right(
    tested: TestedParser,
    score: Score,
    phrases: list[int],
    pairs: Sequence[Pair[Annotation]],
    back: AnnotatedFold | None,
    converted: Sequence[Tree] | None,
) -> ScoreCounts:
    """Return the counts by one score.

    `converted` are the parses in UD, if they can be had.
    """
    fold, parsed = tested.fold, tested.parsed
    relabelled = [c for c in pairs if score.needs_labels and c.has_common_labels]
    common = {c.alternative.spelling: count_common_labels(tested, score, c) for c in relabelled}
    counts = sentence_counts(tested.gold, parsed, score)
    of_back = sentence_counts(fold.ud.test, converted, score) if converted else None
    if not score.counts_every_token:
        return ScoreCounts(
            correct=counts.right.tolist(),
            counted=as_list(counts.counted),
            back=as_list(of_back and of_back.right),
            back_counted=as_list(of_back and of_back.counted),
            common=common,
        )
    right = right_tokens(tested.gold, parsed, score)
    split = {}
    whole = right_tokens(tested.gold, parsed, score, str) if relabelled else None
    for pair in pairs:
        name, compared = pair.alternative.spelling, fold.compare_pair(pair)
        split[name] = counts_by(compared.test_kinds, right, TOKEN_KINDS if pair.has_rules else ())
    return ScoreCounts(
        correct=counts.right.tolist(),
        words=per_sentence(right & fold.test_words, tested.gold).tolist(),
        phrases=[] if score.needs_labels else phrases,
        back=as_list(of_back and of_back.right),
        ceiling=back.ceilings[score] if back else None,
        relations=by_relation(fold.ud.test, right) if pairs else {},
        error_split=split,
        common=common,
        whole_labels=[] if whole is None else per_sentence(whole, tested.gold).tolist(),
    )


def score_training(
    tested: TestedParser,
    pairs: Sequence[Pair[Annotation]] = (),
    back: AnnotatedFold | None = None,
    examples: list[ParsedSentence] | None = None,
) -> TrainingResult:
    """Return the result of a training, also by the parts of `pairs`, and by parses that are converted `back`
    from this annotation to UD."""
    fold, training = tested.fold, tested.trained
    phrases = phrase_scores(fold.phrases, [tree.heads for tree in tested.parsed])
    right_phrases: list[int] = phrases.correct.tolist()
    converted = back.converter.convert(tested.parsed) if back else None
    scores = {
        score.value: count_right(tested, score, right_phrases, pairs, back, converted)
        for score in fold.scores
    }
    return TrainingResult(
        **work_of(training, tested.train_tokens),
        tokens=[len(tree) for tree in tested.gold],
        words=per_sentence(fold.test_words, tested.gold).tolist(),
        phrases=phrases.total.tolist(),
        documents=document_lengths(number_documents(fold.treebank.test)),
        copies=[index for index, is_copy in enumerate(fold.test_copies) if is_copy],
        scores=scores,
        best_iteration=training.best_iteration,
        dev_uas=training.dev_uas,
        examples=examples,
        tagging=tested.tagging,
        lost_arcs=sum(map(count_lost_arcs, tested.gold)) if fold.trainer.projective else 0,
    )


def score_preferred(
    compared: ComparedFold, shares: Sequence[PreferredShares], work: Mapping[str, Any]
) -> BothResult:
    """Return the result of a training."""
    references = compared.training_references
    table = references.table
    return BothResult(
        **work,
        places=len(table.sentence),
        sentences_with_places=shares[-1].sentences,
        base_share=[share.base_share for share in shares],
        alternative_share=[share.alternative_share for share in shares],
        place_base_share=[share.place_base_share for share in shares],
        factors_cut=table.factors_cut,
        sentences_unmixed=None if compared.pair.base.is_ud else references.unmixed,
    )


def count_places(compared: ComparedFold, sides: Sequence[Sides], changes: Counts | None) -> Measures:
    """Return the counts of a pair."""
    fold = compared.fold
    skipped = sum((side.skipped for side in sides), Counter[str]())
    changed = [sum(map(operator.ne, side.base, side.alternative)) for side in sides]
    return Measures(
        places=sum(len(side.places) for side in sides),
        sentences=len(fold.train),
        sentences_changed=sum(
            tokens > 0 or bool(side.relabelled) for tokens, side in zip(changed, sides, strict=True)
        ),
        tokens_changed=sum(changed),
        test_places=sum(map(len, compared.test_places)),
        train_tokens=sum(map(len, fold.train)),
        nonprojective_train=fold.nonprojective,
        skipped=dict(sorted(skipped.items())),
        changes=changes,
    )


def as_list(counts: NDArray[np.int64] | None) -> list[int]:
    return [] if counts is None else counts.tolist()


def work_of(training: TrainedParser | Training[Parser], tokens: int) -> dict[str, Any]:
    """Return the fields of `running.records.Work`."""
    return {
        "iterations": training.iterations,
        "kernel_seconds": round(training.seconds, 4),
        "trained_tokens": tokens * max(training.iterations, 1),
        "features": training.features,
    }


EXAMPLE_LENGTHS = range(4, 23)
"""Tokens of a sentence that can be drawn readably."""

MOST_EXAMPLES = 300
"""Sentences kept of a treebank."""


def examples_of(fold: Fold, pair: Pair[Annotation] | None, parsed: Sequence[Tree]) -> list[ParsedSentence]:
    """Return what a record keeps so that a report can draw sentences: gold trees and predicted heads.

    Without a pair they are those of setting (a), else those of (b) that differ from (a). Relations are
    kept where they do not follow from those of UD.
    """
    examples: list[ParsedSentence] = []
    for index in fold.make_once(example_sentences):
        base, predicted = fold.base.test_tree(index), list(parsed[index].heads)
        if pair is None:
            sentence = ParsedSentence(
                index=index,
                sent_id=fold.treebank.test[index].name,
                forms=list(base.forms),
                upos=list(base.upos),
                heads=list(base.heads),
                deprels=list(base.deprels),
                predicted=predicted,
            )
            examples.append(sentence)
            continue
        annotated = fold.compare_pair(pair).alternative
        heads, labelled = annotated.sets.test[index].heads, fold.options.labels is not None
        deprels = list(annotated.test_tree(index).deprels)
        upos = annotated.sets.test[index].upos
        relabelled = not pair.has_conversion_back and labelled and deprels != list(base.deprels)
        if heads == base.heads and upos == base.upos and not relabelled:
            continue
        keeps_relations = not (pair.has_rules and pair.base.is_ud) or fold.options.labels == "external"
        sentence = ParsedSentence(
            index=index,
            upos=list(upos) if upos != base.upos else [],
            heads=list(heads),
            deprels=deprels if keeps_relations else [],
            predicted=predicted,
        )
        examples.append(sentence)
    return examples


def example_sentences(fold: Fold) -> tuple[int, ...]:
    """Return the indices of test sentences to draw: evenly spread, with a place, not too long."""
    places = [fold.compare_pair(pair).places for pair in fold.pairs]
    suitable = [
        index
        for index, tree in enumerate(fold.ud.test)
        if len(tree) in EXAMPLE_LENGTHS and any(find(tree) for find in places)
    ]
    kept = min(len(suitable), MOST_EXAMPLES)
    return tuple(suitable[i * len(suitable) // kept] for i in range(kept))
