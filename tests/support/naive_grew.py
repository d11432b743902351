"""Counting the matches of the few Grew queries that `diff` writes, word by word."""

from __future__ import annotations

import re

from learnability.treebanks.sentence import Tree

_PATTERN = re.compile(r"pattern \{ (?:W \[(?P<word>.*)\]|H -\[(?P<edge>.*)\]-> W) \}")
_CLAUSE = re.compile(r'(!?)([\w]+)(?:="((?:[^"\\]|\\.)*)")?(?:, |$)')


def matches(query: str, trees: list[Tree]) -> int:
    """How many words the query finds."""
    found = _PATTERN.fullmatch(query)
    assert found, query
    if found["edge"]:
        return sum(tree.deprels.count(found["edge"]) for tree in trees)
    clauses = [
        (sign == "", name, re.sub(r"\\(.)", r"\1", value) if value is not None else None)
        for sign, name, value in (match.groups() for match in _CLAUSE.finditer(found["word"]) if match[0])
    ]
    return sum(fits(tree, token, clauses) for tree in trees for token in range(len(tree)))


def fits(tree: Tree, token: int, clauses: list[tuple[bool, str, str | None]]) -> bool:
    cells = {"form": tree.forms, "lemma": tree.lemmas, "upos": tree.upos, "xpos": tree.xpos}
    values = {name: column[token] for name, column in cells.items() if column and column[token] != "_"}
    for item in tree.feats[token].split("|") if tree.feats else ():
        name, _, value = item.partition("=")
        values[name.replace("[", "__").rstrip("]")] = value
    return all(
        (name in values and value in (None, values[name])) == wanted for wanted, name, value in clauses
    )
