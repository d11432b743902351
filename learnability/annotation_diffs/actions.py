"""List the rules that may turn a group of differences from A into B, and the words that they change.

A rule is one of those that schemes consist of: a construction, a rule that a scheme file can define, or a
change of tags, features or relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from learnability.annotation_diffs.changes import ATTRIBUTES, EMPTY_VALUE, NO_VALUE, features_of
from learnability.annotation_diffs.difference_kinds import DifferenceKind
from learnability.annotation_diffs.matching import SentencePair
from learnability.annotation_diffs.restricting import ChangedWord
from learnability.errors import InputError
from learnability.transforms.base import Rule
from learnability.transforms.registry import TRANSFORMATIONS, every_variant, get_transformation
from learnability.transforms.relabelling import COLUMNS, NOTHING, Relabelling, ValueChange
from learnability.transforms.user_defined import KINDS
from learnability.treebanks.sentence import Conventions, Tree

Change = Rule | ValueChange
"""What a learned rule consists of."""

MOST_LABELS = 3
"""How many relations of new heads are tried as those of words that take the place of their heads."""


def changes_for(
    kind: DifferenceKind, pairs: Sequence[SentencePair], words: Sequence[Collection[int]], of: Conventions
) -> list[Change]:
    """Return the rules without restrictions that may turn A into B, the simplest first; `words`: per
    sentence."""
    if kind.column == "HEAD":
        return list(_moves(kind, pairs, words, of))
    column = kind.column.lower()
    if column not in COLUMNS or {kind.base, kind.alternative} & {EMPTY_VALUE, NO_VALUE}:
        return []
    olds: list[str] = [kind.base or NOTHING]
    new = kind.alternative or NOTHING
    if column == "feats":
        olds = [f"{kind.detail}=*", f"{kind.detail}={kind.base}"] if kind.base else [NOTHING]
        new = f"{kind.detail}={kind.alternative}" if kind.alternative else NOTHING
    return [change for old in olds if is_valid(change := ValueChange(column, (old,), new))]


def is_valid(change: ValueChange) -> bool:
    """Return whether a scheme can have this change."""
    try:
        return bool(Relabelling((change,)))
    except InputError:
        return False


def _moves(
    kind: DifferenceKind, pairs: Sequence[SentencePair], words: Sequence[Collection[int]], of: Conventions
) -> Iterator[Rule]:
    for spec in every_variant(tuple(TRANSFORMATIONS)):
        yield get_transformation(spec, of)
    heads = Counter[str]()
    for pair, tokens in zip(pairs, words, strict=True):
        new_heads = [pair.alternative.tree.heads[token - 1] for token in tokens]
        heads.update(pair.base.tree.deprels[head - 1] for head in new_heads if head)
    labels = dict.fromkeys((kind.base, *(label for label, _ in heads.most_common(MOST_LABELS))))
    for label in labels:
        yield KINDS["head-inversion"](f"{_as_name(label)}-as-head", [label], of)
    yield KINDS["chain"](f"{_as_name(kind.base)}-in-chains", [kind.base], of)


def _as_name(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-") or "word"


def cases_in(
    change: Change, pair: SentencePair, words: Collection[int], kind: DifferenceKind
) -> Iterator[ChangedWord]:
    if isinstance(change, ValueChange):
        yield from _relabelled(change, pair, words, kind)
    else:
        yield from _moved(change, pair, words)


def _relabelled(
    change: ValueChange, pair: SentencePair, words: Collection[int], kind: DifferenceKind
) -> Iterator[ChangedWord]:
    detail = kind.detail if kind.column == "FEATS" else ""
    for token, value in enumerate(getattr(pair.base.tree, COLUMNS[change.column]), start=1):
        new = _new_value(change, value)
        if new is not None:
            is_right = new == value_at(pair.alternative.tree, token, kind.column, detail)
            yield ChangedWord(pair.base.tree, token, (token in words) if is_right else -1)


@cache
def _new_value(change: ValueChange, value: str) -> str | None:
    """Return the new value of a cell, of FEATS that of the feature that changes; None if it does not."""
    if change.column != "feats":
        return change.replacement(value)
    new = change.new.partition("=")[2] if change.new != NOTHING else ""
    if change.adds:
        return None if change.adds in features_of(value) else new
    return new if any(change.replacement(feature) for feature in value.split("|")) else None


def value_at(tree: Tree, token: int, column: str, detail: str = "") -> str | int:
    """Return the value of a word in a column, of FEATS that of the feature `detail`."""
    if column == "HEAD":
        return tree.heads[token - 1]
    cell: str = getattr(tree, ATTRIBUTES[column])[token - 1]
    return features_of(cell).get(detail, "") if column == "FEATS" else cell


def _moved(rule: Rule, pair: SentencePair, words: Collection[int]) -> Iterator[ChangedWord]:
    """Yield the places of a rule; a word is right with its head in B, with this place alone or all
    selected."""
    plan = rule.plan(pair.base.tree)
    if not plan.places:
        return
    old, wanted = pair.base.tree.heads, pair.alternative.tree.heads
    together = plan.heads([place.token for place in plan.places])
    for place in plan.places:
        alone = plan.heads([place.token])
        moved = [i for i in range(len(old)) if alone[i] != old[i]]
        right = [i for i in moved if wanted[i] in (alone[i], together[i])]
        in_group = sum(i + 1 in words for i in right)
        yield ChangedWord(pair.base.tree, place.token, in_group - (len(moved) - len(right)))


def changed_tree(change: Change, tree: Tree, labels: str, language: str) -> Tree:
    """Return the tree that a rule makes of a UD tree."""
    if isinstance(change, ValueChange):
        return Relabelling((change,)).apply(tree, language)
    return change.apply(tree, labels=labels)
