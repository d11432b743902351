"""The measures once more, slow and obvious: from their definitions, in plain Python over whole trees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log2
from operator import eq
from statistics import fmean

from brute_force import SYSTEMS
from trees import descends, is_projective, nonprojective_tokens

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


def shape(trees: Sequence[Tree]) -> dict[str, float]:
    """Every field of a tree shape."""
    arcs = [(tree, d, h) for tree in trees for d, h in enumerate(tree.heads, start=1) if h]
    arity = Counter((id(tree), h) for tree, _, h in arcs)
    depth = {
        id(tree): [sum(descends(tree.heads, d, above) for above in range(1, len(tree) + 1)) - 1
                   for d in range(1, len(tree) + 1)]
        for tree in trees
    }  # fmt: skip
    sides: Pairs = [(d < h, (tree.upos[d - 1], tree.upos[h - 1])) for tree, d, h in arcs]
    crossing = {id(tree): len(nonprojective_tokens(tree.heads)) for tree in trees}
    return {
        "sentences": len(trees),
        "tokens": sum(map(len, trees)),
        "mean_dependency_length": fmean(abs(d - h) for _, d, h in arcs),
        "nonprojective_sentences": fmean(crossing[id(tree)] > 0 for tree in trees),
        "nonprojective_arcs": sum(crossing.values()) / len(arcs),
        "mean_depth": fmean(x for own in depth.values() for x in own),
        "mean_height": fmean(max(own) for own in depth.values()),
        "mean_arity": fmean(arity.values()),
        "max_arity": max(arity.values()),
        "direction_entropy": conditional_entropy(sides),
    }


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


def perplexity(train: Sequence[Tree], dev: Sequence[Tree]) -> float:
    """Of dev's words in the order of their attachment, by an interpolated Witten-Bell trigram model."""

    def words(trees: Sequence[Tree]) -> list[list[str]]:
        found = []
        for tree in trees:
            if is_projective(tree.heads):
                found.append([tree.forms[d - 1].lower() for d in derivation(tree)[1]])
        return found

    learned = words(train)
    frequency = Counter(word for sentence in learned for word in sentence)
    known = {word for word, n in frequency.items() if n >= 2}

    def events(sentences: list[list[str]]) -> list[tuple[str, str, str]]:
        found = []
        for sentence in sentences:
            row = ["<<", "<<", *(word if word in known else "??" for word in sentence), ">>"]
            found += list(zip(row, row[1:], row[2:], strict=False))
        return found

    counts: Counter[tuple[str, ...]] = Counter()
    followers: dict[tuple[str, ...], set[str]] = defaultdict(set)
    totals: Counter[tuple[str, ...]] = Counter()
    for event in events(learned):
        for context in (event[:2], event[1:2], ()):
            counts[*context, event[2]] += 1
            followers[context].add(event[2])
            totals[context] += 1
    size = len(known) + 2  # the unknown symbol and the end

    def p(word: str, context: tuple[str, ...]) -> float:
        lower = p(word, context[1:]) if context else 1 / size
        types = len(followers[context])
        if not types:
            return lower
        return (counts[*context, word] + types * lower) / (totals[context] + types)

    surprise = [-log2(p(event[2], event[:2])) for event in events(words(dev))]
    return 2 ** fmean(surprise)


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


CONTENT_V2 = (
    *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"),
    *("advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"),
    *("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
)
"""What CLAS counts: the universal relations but aux, case, cc, clf, cop, det, mark and punct."""

V2_OF = {
    "dobj": "obj", "nsubjpass": "nsubj", "csubjpass": "csubj", "auxpass": "aux", "neg": "advmod",
    "mwe": "fixed", "name": "flat", "foreign": "flat", "remnant": "orphan",
}  # fmt: skip


def attachment(gold: Sequence[Tree], parsed: Sequence[Tree]) -> dict[str, float]:
    """Every attachment score, in percent."""
    tokens = []
    for tree, other in zip(gold, parsed, strict=True):
        rows = zip(tree.heads, other.heads, tree.deprels, other.deprels, tree.upos, strict=True)
        for head, guess, label, guessed, tag in rows:
            tokens.append((head == guess, label, guessed, tag))
    words = [token for token in tokens if main(token[1]) != "punct"]
    found = {}
    for name, own in (("", tokens), ("_without_punctuation", words)):
        found["uas" + name] = 100 * fmean(ok for ok, *_ in own)
        found["las" + name] = 100 * fmean(ok and main(a) == main(b) for ok, a, b, _ in own)
        found["las_with_subtypes" + name] = 100 * fmean(ok and a == b for ok, a, b, _ in own)

    def v2(label: str, tag: str) -> str:
        if main(label) == "neg" and tag == "DET":
            return "det"
        return V2_OF.get(main(label), main(label))

    pairs = [(ok, v2(a, tag), v2(b, tag)) for ok, a, b, tag in tokens]
    right = sum(ok and a == b and a in CONTENT_V2 for ok, a, b in pairs)
    all_of_them = sum(a in CONTENT_V2 for _, a, _ in pairs) + sum(b in CONTENT_V2 for _, _, b in pairs)
    found["clas"] = 200 * right / all_of_them
    return found
