"""The best projective tree with each arc: max-marginals.

The max-marginal of an arc is the score of the best tree that contains the arc. By how much it exceeds the
best tree without the arc says how much a parser prefers the arc. All of them follow from one pass inside and
one outside of Eisner's (1996) spans, where the sums of the inside-outside algorithm (Baker 1979) are maxima.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.encoding import Corpus
from learnability.parsing.graph import GraphParser
from learnability.parsing.graph_features import (
    ArcSpace,
    ArcTemplates,
    compile_arc_templates,
    fill_halves,
    new_arc_space,
    score_arcs,
)
from learnability.parsing.jit import Ints, Scores, njit
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.token_classifier import Margins

Table = NDArray[np.float64]


@bundle
class MarginalSpace(NamedTuple):
    """Eisner's spans by the head and the other end, as in :class:`~graph_decoders.SpanSpace`.

    Attributes:
        open, closed: float64[n + 1, n + 1], the score of the best incomplete and complete span.
        open_outside, closed_outside: float64[n + 1, n + 1], the best score of the rest of a tree.
        marginal: float64[n + 1, n + 1], of each arc by dependent and head.
    """

    open: Table
    closed: Table
    open_outside: Table
    closed_outside: Table
    marginal: Table


def new_marginal_space(longest: int) -> MarginalSpace:
    return MarginalSpace(*np.zeros((5, longest + 1, longest + 1)))


@njit
def projective_marginals(n: int, score: Scores, multiple_roots: bool, space: MarginalSpace) -> None:
    """Write the max-marginal of every arc over projective trees to `space.marginal`, in O(n^3)."""
    inside(n, score, multiple_roots, space)
    outside(n, score, multiple_roots, space)


@njit
def inside(n: int, score: Scores, multiple_roots: bool, space: MarginalSpace) -> None:
    """Fill `space.open` and `space.closed`; with a single root word, only words form spans."""
    opened, closed = space.open, space.closed
    first = 0 if multiple_roots else 1
    for i in range(first, n + 1):
        closed[i, i] = 0.0
    for width in range(1, n + 1 - first):
        for left in range(first, n + 1 - width):
            right = left + width
            best = -np.inf
            for q in range(left, right):
                best = max(best, closed[left, q] + closed[right, q + 1])
            opened[left, right] = best + score[right, left]
            opened[right, left] = best + score[left, right]
            best = -np.inf
            for q in range(left + 1, right + 1):
                best = max(best, opened[left, q] + closed[q, right])
            closed[left, right] = best
            best = -np.inf
            for q in range(left, right):
                best = max(best, opened[right, q] + closed[q, left])
            closed[right, left] = best


@njit
def outside(n: int, score: Scores, multiple_roots: bool, space: MarginalSpace) -> None:
    """Fill the outside tables and `space.marginal`; `inside` comes first."""
    opened, closed = space.open, space.closed
    opened_outside, closed_outside, marginal = space.open_outside, space.closed_outside, space.marginal
    for i in range(n + 1):
        for j in range(n + 1):
            opened_outside[i, j] = closed_outside[i, j] = marginal[i, j] = -np.inf
    first = 0 if multiple_roots else 1
    if multiple_roots:
        closed_outside[0, n] = 0.0
    else:
        for word in range(1, n + 1):
            closed_outside[word, 1] = max(closed_outside[word, 1], closed[word, n] + score[word, 0])
            closed_outside[word, n] = max(closed_outside[word, n], closed[word, 1] + score[word, 0])
            marginal[word, 0] = closed[word, 1] + closed[word, n] + score[word, 0]
    for width in range(n - first, 0, -1):
        for left in range(first, n + 1 - width):
            right = left + width
            o = closed_outside[left, right]
            for q in range(left + 1, right + 1):
                opened_outside[left, q] = max(opened_outside[left, q], o + closed[q, right])
                closed_outside[q, right] = max(closed_outside[q, right], o + opened[left, q])
            o = closed_outside[right, left]
            for q in range(left, right):
                opened_outside[right, q] = max(opened_outside[right, q], o + closed[q, left])
                closed_outside[q, left] = max(closed_outside[q, left], o + opened[right, q])
        for left in range(first, n + 1 - width):
            right = left + width
            marginal[right, left] = opened_outside[left, right] + opened[left, right]
            marginal[left, right] = opened_outside[right, left] + opened[right, left]
            o = max(
                opened_outside[left, right] + score[right, left],
                opened_outside[right, left] + score[left, right],
            )
            for q in range(left, right):
                closed_outside[left, q] = max(closed_outside[left, q], o + closed[right, q + 1])
                closed_outside[right, q + 1] = max(closed_outside[right, q + 1], o + closed[left, q])


@njit
def arc_margin(n: int, dependent: int, head: int, space: MarginalSpace) -> tuple[float, int]:
    """Return by how much the best tree with an arc exceeds the best tree without it, and the other head.

    `projective_marginals` comes first. The margin is negative where the parser prefers the other head, and
    infinite where there is no other.
    """
    marginal, rival = space.marginal[dependent], -1
    for h in range(n + 1):
        if h != head and h != dependent and (rival < 0 or marginal[h] > marginal[rival]):
            rival = h
    if rival < 0 or marginal[rival] == -np.inf:
        return np.inf, head
    return marginal[head] - marginal[rival], rival


@njit
def margins_of_sentences(
    corpus: Corpus, gold: Ints, p: Perceptron, t: ArcTemplates, multiple_roots: bool, arcs: ArcSpace,
    space: MarginalSpace, margins: Scores, rivals: Ints,
) -> None:  # fmt: skip
    """Write the margin of each arc of the trees `gold` (int32[rows]) and the other head."""
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        fill_halves(n, base, corpus.attributes, t, arcs)
        score_arcs(n, p, t, arcs)
        projective_marginals(n, arcs.score, multiple_roots, space)
        for d in range(1, n + 1):
            margin, rival = arc_margin(n, d, gold[base + d], space)
            margins[base + d] = margin
            rivals[base + d] = rival


def arc_margins(parser: GraphParser, corpus: Corpus, heads: Ints) -> Margins:
    """Return the margins of the arcs of trees (int32[rows of the corpus]) by a projective parser."""
    assert parser.decoder.projective  # the other decoder would search a tree for every arc
    templates, longest = compile_arc_templates(), int(corpus.length.max(initial=0))
    margins, rivals = np.zeros(len(heads), np.float32), np.zeros(len(heads), np.int32)
    margins_of_sentences(
        corpus, heads, parser.weights, templates, parser.decoder.multiple_roots,
        new_arc_space(longest, templates), new_marginal_space(longest), margins, rivals,
    )  # fmt: skip
    tokens = corpus.rows_of_tokens()
    return Margins(margins[tokens], rivals[tokens])


@njit
def best_heads_of_sentences(
    corpus: Corpus, p: Perceptron, t: ArcTemplates, multiple_roots: bool, arcs: ArcSpace,
    space: MarginalSpace, found: Ints, scores: Scores,
) -> None:  # fmt: skip
    """Write the results of :func:`best_heads` to `found` and `scores` ([rows, most])."""
    most = found.shape[1]
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        fill_halves(n, base, corpus.attributes, t, arcs)
        score_arcs(n, p, t, arcs)
        projective_marginals(n, arcs.score, multiple_roots, space)
        for d in range(1, n + 1):
            marginal = space.marginal[d]
            best = -np.inf
            for k in range(most):
                head = -1
                for h in range(n + 1):
                    is_taken = h == d
                    for earlier in range(k):
                        if found[base + d, earlier] == h:
                            is_taken = True
                    if not is_taken and (head < 0 or marginal[h] > marginal[head]):
                        head = h
                if head < 0 or marginal[head] == -np.inf:
                    break
                best = max(best, marginal[head])
                found[base + d, k], scores[base + d, k] = head, marginal[head] - best


class BestHeads(NamedTuple):
    """The heads that a graph-based parser prefers for each token, the best first.

    Attributes:
        heads: int32[tokens, most], the heads (0: the root); -1 where there are no more.
        scores: float32[tokens, most], the score of the best tree with the arc, minus that of the best tree;
            minus infinity where there are no more.
    """

    heads: Ints
    scores: Scores


def best_heads(parser: GraphParser, corpus: Corpus, most: int) -> BestHeads:
    """Return the heads of each token whose best projective trees score highest; of equals the first."""
    assert parser.decoder.projective
    templates, longest = compile_arc_templates(), int(corpus.length.max(initial=0))
    rows = (len(corpus.attributes), most)
    found, scores = np.full(rows, -1, np.int32), np.full(rows, -np.inf, np.float32)
    best_heads_of_sentences(
        corpus, parser.weights, templates, parser.decoder.multiple_roots, new_arc_space(longest, templates),
        new_marginal_space(longest), found, scores,
    )  # fmt: skip
    tokens = corpus.rows_of_tokens()
    return BestHeads(found[tokens], scores[tokens])
