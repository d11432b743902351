"""Draw the sentences that show a group of differences on a terminal, as a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from learnability.annotation_diffs.changes import ATTRIBUTES, changes_in, features_of
from learnability.annotation_diffs.difference_kinds import APART, ORDER, Example, Group
from learnability.reports.drawn_pairs import lines_of
from learnability.reports.tree_pair import TreePair
from learnability.treebanks.sentence import Sentence, Tree

DRAWN = ("HEAD", "DEPREL")
"""The columns of which arcs show what differs."""


def pairs_to_draw(group: Group) -> list[TreePair]:
    """Return the sentences of a group that can be drawn: both sides have trees over as many words."""
    examples = [example for example in group.examples if example.pair.alignment.identical]
    trees = [(example, _reduce_trees(example, group)) for example in examples]
    return [
        TreePair(example.pair.base.name, *both)
        for example, both in trees
        if all(tree.heads and tree.deprels for tree in both)
    ]


def _reduce_trees(example: Example, group: Group) -> tuple[Tree, Tree]:
    base, alternative = example.pair.base.tree, example.pair.alternative.tree
    blank = base.upos or ("",) * len(base)
    first, second = list(blank), list(blank)
    column = group.kind.column
    if column in APART:
        for change in changes_in(example.pair):
            if change.kind == group.kind:
                i, j = change.base, change.alternative
                first[i - 1] = _label_cell(example.pair.base, i, group)
                second[j - 1] = _label_cell(example.pair.alternative, j, group)
    if column in ATTRIBUTES and column != "DEPREL":
        cells = (
            _choose_labels(getattr(tree, ATTRIBUTES[column]), group, len(tree))
            for tree in (base, alternative)
        )
        for token, (before, after) in enumerate(zip(*cells, strict=True)):
            if before != after:
                first[token], second[token] = before, after
    bare = {"lemmas": (), "xpos": (), "feats": ()}
    return replace(base, upos=tuple(first), **bare), replace(alternative, upos=tuple(second), **bare)


def _label_cell(sentence: Sentence, token: int, group: Group) -> str:
    _, deps, misc = sentence.lines[sentence.rows[token - 1]].rsplit("\t", 2)
    if group.kind.column == "DEPS":
        return deps
    return misc if group.kind.detail == ORDER else _name_value(group.kind.detail, misc)


def describe_values(example: Example, group: Group) -> tuple[str, str]:
    """Return what the word of an example has on both sides, where no arc shows it."""
    column, pair = group.kind.column, example.pair
    sides = ((pair.base, example.base), (pair.alternative, example.alternative))
    if column in APART:
        first, second = (_label_cell(sentence, word, group) for sentence, word in sides)
    else:
        first, second = (
            _choose_labels(getattr(sentence.tree, ATTRIBUTES[column])[word - 1 : word], group, 1)[0]
            for sentence, word in sides
        )
    return first, second


def _name_value(name: str, cell: str) -> str:
    values = features_of(cell)
    return f"{name}={values[name]}" if name in values else f"no {name}"


def _choose_labels(cells: Sequence[str], group: Group, words: int) -> Sequence[str]:
    if group.kind.column != "FEATS" or group.kind.detail == ORDER:
        return cells or ("",) * words
    return [_name_value(group.kind.detail, cell) for cell in cells]


def lines_of_group(group: Group, names: tuple[str, str]) -> list[str]:
    """Return the lines of the drawings of a group for a terminal."""
    lines: list[str] = []
    for pair in pairs_to_draw(group):
        lines += ["", pair.where, *(line for line, _ in lines_of(pair, names))]
    return lines
