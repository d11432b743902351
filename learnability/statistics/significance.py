"""Tell how certain a difference is: one model for interval, p value, equivalence and required test size.

Everything starts from per-sentence counts of correct heads of two settings on the same sentences:
correct_a[K, S] and correct_b[K, S] over K seeds and S sentences (seed k of a is paired with seed k of
b), and total[S], the tokens. The statistic is the difference of the micro-averaged scores

    delta = 100 / K * sum over seeds and sentences of (correct_a - correct_b) / sum of total,

in percentage points. Both the seeds and the sentences are samples: others would give another difference.
In the model the contribution of seed k and sentence s to delta (linearised, because delta is a ratio:
100 * (d_ks - delta t_s) / mean(t)) is

    z_ks = seed_k + sentence_s + residual_ks,

each with mean 0 and a separate variance, so that

    variance of delta = (var(sentence) + var(residual) / K) / S + var(seed) / K.

Neighbouring sentences are alike. So the first term is estimated from the text in its order, from the means of
sentences over the seeds (`statistics.text_variance`); it contains the residual once. With documents of one
sentence it is the variance of these means, divided by S. var(seed) is the variance of the seeds' means over
the sentences minus that residual. Few seeds estimate it badly, and one seed not at all. So it is averaged
with a value measured on other treebanks (`SEED_RATIO`), which counts for `SEED_DEGREES` degrees of freedom.
So is the first term of a difference between annotations (`text_variance.TextNoise`).
Interval and p value are those of Student's t with the degrees of freedom of the two terms together
(`degrees_of_sum`). So an interval excludes 0 exactly where p is below its level. No standard error is below
that of one head, 100 / sum of total: parses that are equal in a few sentences may still differ in others.
(Crossed random effects: Searle, Casella & McCulloch 1992, ch. 4;
variances shared between experiments: Smyth 2004.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnability.errors import InputError
from learnability.statistics.inference import ONE_LOOK, Inference, Side, Testing, winner
from learnability.statistics.spread import SEED_RATIO, Spread, TrainingNoise, error_with_folds
from learnability.statistics.text_variance import (
    PRIOR_OF_FOLDS,
    PRIOR_OF_TEST_SET,
    TextNoise,
    TextVariance,
)


@dataclass(frozen=True, kw_only=True)
class Comparison(Inference):
    """Setting a (UD) against setting b (the alternative): scores, and the inference on their difference.

    Attributes:
        score_a, score_b: micro-averaged scores in percent, means over seeds.
        delta: score_a - score_b, in points; positive: a is better.
        testing: how often the difference was looked at; interval and p values follow from it.
    """

    score_a: float
    score_b: float
    delta: float
    testing: Testing
    winner: Side
    seeds: int
    sentences: int


def compare(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    total: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    seed_ratio: float = SEED_RATIO,
    folds: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    beside: Sequence[ArrayLike] = (),
    between_folds: bool = False,
    testing: Callable[[Spread], Testing] | None = None,
    counted: tuple[ArrayLike, ArrayLike] | None = None,
    moderated: bool = False,
) -> Comparison:
    """Compare two settings: difference, interval and p values (docs/rules.md, Scores and uncertainty).

    Args:
        correct_a: int[seeds, sentences] (for one seed also int[sentences]), right tokens of setting a.
        correct_b: the same of setting b.
        total: int[sentences], all tokens.
        weights: float[tests], if the scores are weighted sums of several tests of the same sentences (with
            sum 1: means); the counts are then int[tests, seeds, sentences].
        seed_ratio: replaces `SEED_RATIO` for parsers with another measured value.
        folds: int[sentences], the fold in which each sentence was tested, if the treebank is cross-validated.
        documents: int[sentences], the document of each sentence; sentences are in the order of the text. By
            default no document is known.
        beside: int[seeds, sentences] each, right tokens of further alternatives on the same sentences;
            var(seed) is measured in them, too, and what the text adds where that is `moderated`.
        between_folds: also measure the variance between folds, whose training sets differ
            (:func:`error_with_folds`).
        testing: returns how often the difference was looked at; default: once.
        counted: int[seeds, sentences] of setting a and of setting b, what each sentence counts where that is
            not `total`. The score of a seed is then the ratio of the sums of right and counted tokens.
        moderated: average the variance of the text with that of other treebanks and of what stands `beside`
            (`text_variance.TextNoise`); for differences between two annotations, where it was measured.

    Returns:
        The difference in points, its interval and p values.

    Raises:
        InputError: the shapes or values of the counts do not fit, or there is no token.
    """
    if counted is not None:
        tokens = np.asarray(total, np.int64)
        a, b = (as_of_tokens(*each, tokens) for each in zip((correct_a, correct_b), counted, strict=True))
    else:
        a, b, tokens = _check_counts(
            correct_a, correct_b, total, None if weights is None else np.asarray(weights)
        )
    runs = len(a) * int(tokens.sum())
    delta = 100.0 * float((a - b).sum()) / runs
    fold = None if folds is None else np.asarray(folds, np.int64)
    others = [np.asarray(correct, np.float64) for correct in beside]
    noise = TrainingNoise.known_elsewhere(seed_ratio).after(others, tokens, fold)
    document = np.zeros(len(tokens), np.int64) if documents is None else np.asarray(documents, np.int64)
    text_noise = None
    if moderated:
        differences = (100.0 * (a.mean(axis=0) - other.mean(axis=0)) for other in others)
        tested_apart = fold is not None and len(np.unique(fold)) > 1
        prior = PRIOR_OF_FOLDS if tested_apart else PRIOR_OF_TEST_SET
        of_others = (TextVariance.of(each, tokens, document, fold) for each in differences)
        text_noise = TextNoise.after(of_others, prior)
    spread = Spread.of(a - b, tokens, noise, fold, document, text_noise)
    used = ONE_LOOK if testing is None else testing(spread)
    error, degrees = spread.error, spread.degrees
    if between_folds and fold is not None:
        error, degrees = error_with_folds(spread, a - b, tokens, fold)
    error = max(error, 100.0 / int(tokens.sum()))
    tested = Inference.of(delta, error, degrees, used)
    return Comparison(
        score_a=100.0 * float(a.sum()) / runs,
        score_b=100.0 * float(b.sum()) / runs,
        delta=delta,
        **vars(tested),
        testing=used,
        winner=winner(delta),
        seeds=len(a),
        sentences=len(tokens),
    )


def as_of_tokens(right: ArrayLike, counted: ArrayLike, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return counts out of the tokens of each sentence that have the ratio of other counts, linearised.

    A ratio of sums varies with both of its sums, which its linear approximation at the estimate allows for
    (Särndal, Swensson & Wretman 1992, section 5.6). Its sum over sentences is exact.

    `right`, `counted`: int[seeds, sentences]. Returns float64[seeds, sentences]; the sum over the sentences
    of a seed, by that of the tokens, is its score.

    Raises:
        InputError: the shapes or values of the counts do not fit, or nothing counts.
    """
    a, out_of = np.atleast_2d(np.asarray(right)), np.atleast_2d(np.asarray(counted))
    if a.shape != out_of.shape or a.shape[1:] != tokens.shape or (a < 0).any() or (a > out_of).any():
        raise InputError(
            "there are more right tokens than counted ones, or for other sentences; check the counts"
        )
    sums = out_of.sum(axis=1, keepdims=True)
    if not a.size or not sums.all():
        raise InputError("there are no tokens to compare; pass test sentences and seeds")
    score = a.sum(axis=1, keepdims=True) / sums
    linearised: NDArray[np.float64] = score * tokens + tokens.sum() / sums * (a - score * out_of)
    return linearised


def _check_counts(
    correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the counts (their weighted means) as float64[K, S] twice, and int64[S]."""
    a, b = np.atleast_2d(np.asarray(correct_a)), np.atleast_2d(np.asarray(correct_b))
    tokens = np.asarray(total)
    tests = () if weights is None else weights.shape
    if a.shape != b.shape or a.shape != (*tests, a.shape[-2], *tokens.shape):
        raise InputError(
            f"counts of shapes {a.shape}, {b.shape} and {tokens.shape} do not fit; "
            "pass correct[seeds, sentences] twice and total[sentences]"
        )
    if not all(np.issubdtype(values.dtype, np.integer) for values in (a, b, tokens)):
        raise InputError(
            "`correct_a`, `correct_b` and `total` must be whole numbers; pass the correct heads and tokens "
            "of each sentence"
        )
    if tokens.sum() == 0 or a.size == 0:
        raise InputError("there are no tokens to compare; pass test sentences and seeds")
    if (np.minimum(a, b) < 0).any() or (np.maximum(a, b) > tokens).any():
        raise InputError("a sentence has more correct heads than tokens, or fewer than 0; check the counts")
    if weights is not None:
        a, b = np.tensordot(weights, a, 1), np.tensordot(weights, b, 1)
    return a.astype(np.float64), b.astype(np.float64), tokens.astype(np.int64)
