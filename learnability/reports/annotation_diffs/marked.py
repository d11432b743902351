"""Write the base as CoNLL-U, with what the alternative has instead in MISC."""

from __future__ import annotations

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.changes import ATTRIBUTES, changes_in, features_of
from learnability.annotation_diffs.difference_kinds import ORDER
from learnability.annotation_diffs.matching import SentencePair
from learnability.treebanks.columns import MISC
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import UNSPECIFIED

ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t", "\n": "\\n"})
"""How MISC writes signs that would end an item or a cell."""


def marked_conllu(comparison: AnnotationDiff) -> bytes:
    """Return the sentences that both have, as the base annotates them.

    A word that differs has in MISC what the alternative says: ``DiffUpos=NOUN``, ``DiffHead=3``,
    ``DiffTense=_`` (no such feature), and ``Diff=UPOS,HEAD`` with the names of all columns that differ.
    """
    texts = [_mark_word(pair) for pair in comparison.matching.pairs]
    return "".join(texts).encode()


def _mark_word(pair: SentencePair) -> str:
    lines = conllu_text([pair.base]).rstrip("\n").split("\n")
    rows = [row for row, line in enumerate(lines) if line[:1] != "#" and line.split("\t")[0].isdigit()]
    items: dict[int, dict[str, str]] = {}
    columns: dict[int, list[str]] = {}
    for change in changes_in(pair):
        kind, token = change.kind, change.base
        named = columns.setdefault(token, [])
        named += (column for column in change.columns if column not in named)
        name, value = _item(pair, kind.column, kind.detail, change.alternative)
        if name:
            items.setdefault(token, {})[name] = value
    for token, named in columns.items():
        cells = lines[rows[token - 1]].split("\t")
        marks = [f"Diff={','.join(named)}", *(f"{n}={v}" for n, v in items.get(token, {}).items())]
        kept = [] if cells[MISC] == UNSPECIFIED else [cells[MISC]]
        cells[MISC] = "|".join([*kept, *marks])
        lines[rows[token - 1]] = "\t".join(cells)
    return "\n".join(lines) + "\n\n"


def _item(pair: SentencePair, column: str, detail: str, token: int) -> tuple[str, str]:
    """Return the name of the item of MISC and what the alternative has; empty for columns without one."""
    tree = pair.alternative.tree
    if column == "HEAD":
        return "DiffHead", str(tree.heads[token - 1])
    if detail == ORDER:
        return "", ""
    if column == "FEATS":
        value = features_of(tree.feats[token - 1]).get(detail, UNSPECIFIED)
        return f"Diff{detail}", value.translate(ESCAPES)
    if column in ATTRIBUTES:
        return f"Diff{column.title()}", getattr(tree, ATTRIBUTES[column])[token - 1].translate(ESCAPES)
    return "", ""
