"""What SUD does differently, slow and obvious: docs/transformations/sud.md word for word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from learnability.treebanks.sentence import Tree

SUBJECTS = ("nsubj", "csubj", "nsubjpass", "csubjpass")
PAIRS = ("()", "[]", "{}", '""', "''", "«»", "“”", "‘’", "„“", "``''", "--", "––", "——")


MODIFIERS = ("advmod", "neg", "advcl", "obl", "reparandum")

Top = Callable[[int], int]


def main(deprel: str) -> str:
    return deprel.split(":")[0]


def chain_of_conjuncts(tree: Tree, v1: bool) -> dict[int, dict[int, int]]:
    """By the last conjunct of each coordination, the words that move and their new heads."""
    found: dict[int, dict[int, int]] = {}
    for first in range(1, len(tree) + 1):
        own = [t for t in range(1, len(tree) + 1) if tree.heads[t - 1] == first]
        conjuncts = [t for t in own if t > first and main(tree.deprels[t - 1]) == "conj"]
        moved = {}
        for t in own:
            before = [c for c in conjuncts if c < t]
            after = [c for c in conjuncts if c >= t]
            if t < first or (
                not after and any(x <= t and stays(tree, first, x) for x in own if x > max(before, default=0))
            ):
                continue
            if t not in conjuncts and after and all(announces(tree, x, v1) for x in own if t <= x < after[0]):
                moved[t] = after[0]
            elif before:
                moved[t] = before[-1]
        if moved and conjuncts:
            found[conjuncts[-1]] = moved
    return found


def announces(tree: Tree, token: int, v1: bool) -> bool:
    """Whether a word before a conjunct belongs to it."""
    label = tree.deprels[token - 1]
    coordinator = main(label) == "cc" and label.split(":")[1:2] != ["preconj"]
    return coordinator or (v1 and main(label) == "punct")


def stays(tree: Tree, first: int, token: int) -> bool:
    """Whether a word behind a coordination is no part of it."""
    opening = [t for t in range(1, first) if tree.heads[t - 1] == first]
    closes = any(tree.forms[t - 1] + tree.forms[token - 1] in PAIRS for t in opening)
    return closes or main(tree.deprels[token - 1]) in ("discourse", "parataxis")


def rises(
    tree: Tree,
    c: int,
    k: Sequence[int],
    lifting: Collection[int],
    others: Sequence[int],
    top: Callable[[int], int],
) -> dict[int, int]:
    """On which member of the chain of the content word `c` each other dependent ends, 0 for `c` itself."""
    return {d: _level(tree, c, k, lifting, others, top, d) for d in others}


def _level(
    tree: Tree,
    c: int,
    k: Sequence[int],
    lifting: Collection[int],
    others: Sequence[int],
    top: Callable[[int], int],
    d: int,
) -> int:
    level = 0
    while level < len(k) and _rises_to(tree, c, k, lifting, others, top, d, level):
        level += 1
    return level


def _rises_to(
    tree: Tree, c: int, k: Sequence[int], lifting: Collection[int], others: Sequence[int], top: Top,
    d: int, level: int,
) -> bool:  # fmt: skip
    """Whether a dependent that has come to member `level` goes on to the next, the function word `f`."""
    f = k[level]
    is_mark = main(tree.deprels[d - 1]) == "punct" and f in lifting and not (d < f < c or c < f < d)
    far = [x for x in others if x < f < c or c < f < x]
    held = is_mark and _some_stay(tree, c, k, lifting, far, others, top, level)
    return not held and _may_rise(tree, c, k, lifting, others, top, d, level)


def _some_stay(
    tree: Tree, c: int, k: Sequence[int], lifting: Collection[int], among: Sequence[int],
    others: Sequence[int], top: Top, level: int,
) -> bool:  # fmt: skip
    """Whether one of the dependents `among` others comes to member `level` and goes no further."""
    return any(
        _level_before(tree, c, k, lifting, others, top, x, level)
        and not _rises_to(tree, c, k, lifting, others, top, x, level)
        for x in among
    )


def _may_rise(
    tree: Tree, c: int, k: Sequence[int], lifting: Collection[int], others: Sequence[int], top: Top,
    d: int, level: int,
) -> bool:  # fmt: skip
    """Whether a dependent rises, marks even if an argument stays beyond the function word."""
    f = k[level]
    beyond = d < f < c or c < f < d
    if f not in lifting:
        return beyond
    label = tree.deprels[d - 1]
    relation, kind = main(label), main(tree.deprels[f - 1])
    clause = kind in ("aux", "auxpass", "cop")
    features = tree.feats[d - 1].split("|") if tree.feats else []
    subject = relation in (*SUBJECTS, "dislocated", "vocative") or label in ("expl:subj", "expl:impers")
    argument = relation in ("obj", "dobj", "iobj", "xcomp", "ccomp") or (
        relation == "obl" and label.split(":", 1)[1:] in (["arg"], ["agent"])
    )
    if relation == "expl":
        argument = ":" in label or "Reflex=Yes" in features
    if relation == "conj":
        return any(k.index(one) >= level for one in _coordinated_with(tree, c, k, top, d))
    causee = relation in ("obj", "dobj", "iobj") and label.split(":")[1:] == ["agent"]
    if causee and tree.deprels[f - 1] == "aux:caus":
        return True
    if beyond:
        nearer = [x for x in others if min(d, f) < x < max(d, f)]
        if relation in MODIFIERS and _some_stay(tree, c, k, lifting, nearer, others, top, level):
            return False
        return subject or not (argument or (relation == "nmod" and clause))
    if relation in ("discourse", "orphan", "remnant"):
        return True
    if relation == "cc":
        return d < c and kind != "mark"
    if subject or (relation == "expl" and not argument):
        return kind != "mark"
    inside = min(c, f) < d < max(c, f)
    # no arcs may cross: all between this one and the function word, or further out, have to rise as well
    for x in others:
        in_the_way = (min(d, f) < x < max(d, f)) if inside else (c < d < x or x < d < c)
        same = min(c, f) < x < max(c, f) if inside else True
        reached = x != d and _level_before(tree, c, k, lifting, others, top, x, level)
        if in_the_way and same and reached and not _may_rise(tree, c, k, lifting, others, top, x, level):
            return False
    if argument:
        return False
    if relation == "punct":
        opened = [
            x for x in others
            if min(c, f) < x < max(c, f) and tree.forms[x - 1] + tree.forms[d - 1] in PAIRS
        ]  # fmt: skip
        return not inside and not opened
    if relation == "parataxis":
        return kind == "cop"
    if relation not in MODIFIERS:
        return False
    if not clause:
        later = [main(tree.deprels[x - 1]) in ("aux", "auxpass", "cop") for x in k[level:]]
        return not inside and any(later) and kind == "case"
    degree = (
        relation == "advmod" and abs(d - c) == 1 and tree.upos[c - 1] in ("ADJ", "ADV")
        and "Polarity=Neg" not in features
    )  # fmt: skip
    return not inside or not degree


def _level_before(
    tree: Tree, c: int, k: Sequence[int], lifting: Collection[int], others: Sequence[int], top: Top,
    d: int, level: int,
) -> bool:  # fmt: skip
    """Whether a dependent comes to member `level` at all."""
    return all(_rises_to(tree, c, k, lifting, others, top, d, i) for i in range(level))


def _coordinated_with(tree: Tree, c: int, k: Sequence[int], top: Callable[[int], int], d: int) -> list[int]:
    """The function words of `c` whose phrases the conjunct `d` is coordinated with."""
    t = top(d)
    tag, own = tree.upos[t - 1], tree.upos[c - 1]
    alike = []
    for f in k:
        kind = main(tree.deprels[f - 1])
        if kind in ("aux", "auxpass", "cop"):
            finite = "VerbForm=Fin" in (tree.feats[t - 1].split("|") if tree.feats else [])
            subject = [x for x in range(1, len(tree) + 1) if tree.heads[x - 1] == d]
            finite = finite or any(main(tree.deprels[x - 1]) in SUBJECTS for x in subject)
            content_is = "VerbForm=Fin" in (tree.feats[c - 1].split("|") if tree.feats else [])
            fits = tag in ("AUX", "VERB") and (tag != own or (finite and not content_is))
        else:
            fits = (t != d and main(tree.deprels[t - 1]) == kind) or (
                tag not in (own, "_") and tag == tree.upos[f - 1]
            )
        if fits:
            alike.append(f)
    same = [f for f in alike if tree.forms[f - 1].lower() == tree.forms[t - 1].lower()]
    return same or alike
