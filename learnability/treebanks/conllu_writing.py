"""Byte-exact writing of CoNLL-U (design section 4).

Writing replaces single cells of the raw lines, so that whatever is not meant to change cannot change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from learnability.errors import InputError
from learnability.treebanks.conllu_io import BOM, DEPREL, DEPS, HEAD, ID, MISC, ConlluFile
from learnability.treebanks.sentence import Sentence, Tree

ORIGINAL_HEAD = "OrigHead="
ORIGINAL_DEPREL = "OrigRel="


def write_conllu(
    file: ConlluFile,
    trees: Sequence[Tree],
    *,
    deps: Literal["drop", "keep"] = "drop",
    provenance: bool = False,
) -> bytes:
    """The bytes of `file` with the heads and deprels of `trees`, one tree per sentence, in order.

    If no head and no deprel differs, these are the bytes that were read. Otherwise only HEAD and
    DEPREL of the tokens where they differ are rewritten and all other bytes stay, except that with
    ``deps="drop"`` DEPS become ``_`` and empty nodes disappear in all sentences: an enhanced graph
    must not contradict the basic tree. With `provenance` each rewritten token gets ``OrigHead=`` (and
    ``OrigRel=`` if its deprel differs) at the end of MISC; a value recorded earlier stays, so that it
    always names the first original.

    Raises:
        InputError: `trees` has another number of trees, or a tree another number of tokens.
    """
    if len(trees) != len(file.sentences):
        raise InputError(
            f"{file.name}: {len(trees)} trees for {len(file.sentences)} sentences; give one tree per sentence"
        )
    changes: dict[int, str | None] = {}
    for sentence, tree in zip(file.sentences, trees, strict=True):
        if len(tree) != len(sentence):
            raise InputError(
                f"{file.name}:{sentence.line}: sentence {sentence.sent_id}: a tree of {len(tree)} words "
                f"for {len(sentence)} words; give the tree of this sentence"
            )
        changes.update(_changed_rows(sentence, tree, provenance))
    if not changes:
        return file.data
    if deps == "drop":
        changes.update(enhanced_changes(file.sentences, changes))
    return replace_lines(file, changes)


def _changed_rows(sentence: Sentence, tree: Tree, provenance: bool) -> dict[int, str | None]:
    """New text by line number (from 1) of the tokens whose HEAD or DEPREL differ from the raw ones."""
    changes: dict[int, str | None] = {}
    for row, head, deprel in zip(sentence.rows, tree.heads, tree.deprels, strict=True):
        cells = sentence.lines[row].split("\t")
        same_head = cells[HEAD] != "_" and int(cells[HEAD]) == head
        if same_head and cells[DEPREL] == deprel:
            continue
        if provenance and cells[HEAD] != "_":
            recorded = cells[MISC].split("|")
            if not any(item.startswith(ORIGINAL_HEAD) for item in recorded):
                cells[MISC] = _append(cells[MISC], ORIGINAL_HEAD + cells[HEAD])
            if cells[DEPREL] != deprel and not any(i.startswith(ORIGINAL_DEPREL) for i in recorded):
                cells[MISC] = _append(cells[MISC], ORIGINAL_DEPREL + cells[DEPREL])
        if not same_head:
            cells[HEAD] = str(head)
        cells[DEPREL] = deprel
        changes[sentence.line + row] = "\t".join(cells)
    return changes


def _append(misc: str, item: str) -> str:
    return item if misc == "_" else f"{misc}|{item}"


def enhanced_changes(
    sentences: Iterable[Sentence], changes: Mapping[int, str | None] = MappingProxyType({})
) -> dict[int, str | None]:
    """What empties DEPS and removes the empty nodes (None), by line number; `changes` are made before."""
    found: dict[int, str | None] = {}
    for sentence in sentences:
        for index, raw in enumerate(sentence.lines):
            if raw.startswith("#"):
                continue
            number = sentence.line + index
            cells = (changes.get(number) or raw).split("\t")
            if "." in cells[ID]:
                found[number] = None
            elif cells[DEPS] != "_":
                cells[DEPS] = "_"
                found[number] = "\t".join(cells)
    return found


def replace_lines(file: ConlluFile, changes: dict[int, str | None]) -> bytes:
    """The file's bytes with whole lines replaced, or removed with their terminator (None)."""
    pieces = []
    for number, line in enumerate(file.data.split(b"\n"), start=1):
        if number not in changes:
            pieces.append(line)
            continue
        text = changes[number]
        if text is None:
            continue
        start = BOM.encode() if number == 1 and line.startswith(BOM.encode()) else b""
        pieces.append(start + text.encode() + (b"\r" if line.endswith(b"\r") else b""))
    return b"\n".join(pieces)


def with_tree(sentence: Sentence, tree: Tree, *, deps: Literal["drop", "keep"] = "drop") -> Sentence:
    """The sentence with the heads and deprels of `tree`, in its lines too; `deps` as in :func:`write_conllu`.

    Raises:
        InputError: the tree has another number of tokens.
    """
    if len(tree) != len(sentence):
        raise InputError(f"a tree of {len(tree)} words for {sentence!r}; give the tree of this sentence")
    changes = _changed_rows(sentence, tree, provenance=False) if sentence.lines else {}
    if changes and deps == "drop":
        changes |= enhanced_changes([sentence], changes)
    lines: list[str] = []
    rows: list[int] = []
    for index, raw in enumerate(sentence.lines):
        text = changes.get(sentence.line + index, raw)
        if text is not None:
            if index in sentence.rows:
                rows.append(len(lines))
            lines.append(text)
    return replace(sentence, tree=tree, lines=tuple(lines), rows=tuple(rows))


def conllu_text(sentences: Iterable[Sentence | Tree]) -> str:
    """Sentences as CoNLL-U: their raw lines where they have any, else the columns of their trees.

    >>> conllu_text([Tree(("Sleep",), ("VERB",), (0,), ("root",))]).split()
    ['1', 'Sleep', '_', 'VERB', '_', '_', '0', 'root', '_', '_']
    """
    return "".join(f"{line}\n" for one in sentences for line in (*_lines_of(one), ""))


def _lines_of(one: Sentence | Tree) -> Iterable[str]:
    if isinstance(one, Sentence):
        if one.lines:
            return one.lines
        comments = [f"# sent_id = {one.sent_id}"] if one.sent_id else []
        return (*comments, *_lines_of(one.tree))
    blank = ("_",) * len(one)
    columns = (one.forms, one.lemmas or blank, one.upos, one.xpos or blank, one.feats or blank)
    numbers, heads = map(str, range(1, len(one) + 1)), map(str, one.heads)
    return map("\t".join, zip(numbers, *columns, heads, one.deprels, blank, blank, strict=True))
