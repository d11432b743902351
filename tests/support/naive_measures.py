"""The measures once more, slow and obvious: from their definitions, in plain Python over whole trees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log2
from operator import eq

from brute_force import SYSTEMS

from learnability.treebanks.sentence import Tree

Pairs = list[tuple[object, object]]


def main(deprel: str) -> str:
    return deprel.split(":")[0]


def entropy(counts: Iterable[int]) -> float:
    found = list(counts)
    return -sum(n / sum(found) * log2(n / sum(found)) for n in found)


def conditional_entropy(pairs: Pairs) -> float:
    """H(first | second) of the pairs."""
    given = defaultdict(Counter)
    for outcome, pair in pairs:
        given[pair][outcome] += 1
    own = {pair: entropy(counts.values()) for pair, counts in given.items()}
    return sum(counts.total() / len(pairs) * own[pair] for pair, counts in given.items())


def tags_of_arcs(trees: Sequence[Tree]) -> Pairs:
    """The dependent's tag, and the head's, of each arc."""
    pairs: Pairs = []
    for tree in trees:
        for tag, head in zip(tree.upos, tree.heads, strict=True):
            pairs.append((tag, (tree.upos[head - 1],) if head else "ROOT"))
    return pairs


def derivation(tree: Tree) -> tuple[list[int], list[int]]:
    """The transitions of the static arc-eager oracle, and the words in the order in which they get their
    heads.

    Goldberg & Nivre 2012, Algorithm 1, ROOT at the end of the buffer. Words without a head go to the root
    last.
    """
    system, gold = SYSTEMS["arc-eager"], tree.heads
    state = system.initial(len(tree))
    transitions, order = [], []
    shift, right, left, reduce = range(4)
    while not system.is_final(state):
        stack, buffer, heads = state
        after, chosen = system.successors(state), shift
        if stack:
            s, b = stack[-1], buffer[0]
            linked = any((b and gold[b - 1] == k) or (k and gold[k - 1] == b) for k in stack[:-1])
            if left in after and gold[s - 1] == b:
                chosen = left
            elif right in after and gold[b - 1] == s:
                chosen = right
            elif reduce in after and (b == 0 or linked):
                chosen = reduce
        before, state = heads, after[chosen]
        transitions.append(chosen)
        order += [d for d, (a, b) in enumerate(zip(before, state[-1], strict=True), start=1) if a != b]
    return transitions, order


INSIDE = {"case", "det", "mark", "cop", "aux", "auxpass", "flat", "name", "fixed", "mwe", "goeswith"}


def content_of(tree: Tree, token: int) -> int:
    """The content word of a token's phrase; 0 of the root."""
    while token and tree.heads[token - 1] and main(tree.deprels[token - 1]) in INSIDE:
        token = tree.heads[token - 1]
    return token


def heads_of_phrases(gold: Tree, heads: Sequence[int]) -> list[int]:
    """The content word of the phrase that each phrase hangs on, in the order of their content words."""
    found = []
    for token in range(1, len(gold) + 1):
        if content_of(gold, token) == token:
            at = heads[token - 1]
            while at and content_of(gold, at) == token:
                at = heads[at - 1]
            found.append(content_of(gold, at))
    return found


def phrases_right(gold: Tree, heads: Sequence[int]) -> tuple[int, int]:
    """How many phrases hang on the right phrase, and how many there are."""
    found, true = heads_of_phrases(gold, heads), heads_of_phrases(gold, gold.heads)
    return sum(map(eq, found, true)), len(true)
