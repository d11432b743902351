"""Byte-exact writing of CoNLL-U (docs/rules.md, Treebanks and splits), and the way back to what was read.

Writing replaces single cells of the raw lines, so that whatever is not meant to change cannot change.
With provenance it records the original heads and deprels in MISC, from where they can be restored.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeVar

from learnability.errors import InputError
from learnability.treebanks.conllu_io import DEPREL, DEPS, HEAD, ID, MISC, ConlluFile, Place, check_tree, show
from learnability.treebanks.sentence import TRANSFORMED, AnyTrees, Sentence, Tree, trees_of

Text = TypeVar("Text", Tree, Sentence)
"""Whichever was given comes back."""

ORIGINAL_HEAD = "OrigHead="
ORIGINAL_DEPREL = "OrigRel="


def write_conllu(
    file: ConlluFile,
    trees: AnyTrees,
    *,
    deps: Literal["drop", "keep"] = "drop",
    provenance: bool = False,
    predicted: bool = False,
    transformed: str | None = None,
) -> bytes:
    """The bytes of `file` with the heads and deprels of `trees`, one tree per sentence, in order.

    If no head and no deprel differs, these are the bytes that were read. Otherwise only HEAD and
    DEPREL of the tokens where they differ are rewritten and all other bytes stay, except that with
    ``deps="drop"`` DEPS become ``_`` and empty nodes disappear in all sentences: an enhanced graph
    must not contradict the basic tree. With `provenance` each rewritten token gets ``OrigHead=`` (and
    ``OrigRel=`` if its deprel differs) at the end of MISC. Where the trees are `predicted`, no earlier record
    stays: it is gold.

    `transformed` names the transformations whose annotation the trees have: the sentences that differ
    (all if `predicted`) get the comment ``# transformed = case+det`` after their own. Empty: the trees are
    UD, and no such comment stays. None: comments stay as they are.

    Raises:
        InputError: `trees` has another number of trees, or a tree another number of tokens; with `provenance`
            also where a token has a record already, from which the new ones could not be told.
    """
    trees = trees_of(trees)
    if len(trees) != len(file.sentences):
        what = f"{len(trees)} trees for {len(file.sentences)} sentences; give one tree per sentence"
        raise InputError(f"{file.name}: {what}")
    for sentence, tree in zip(file.sentences, trees, strict=True):
        if len(tree) != len(sentence):
            what = f"a tree of {len(tree)} words for {len(sentence)} words; give the tree of this sentence"
            raise InputError(f"{file.name}:{sentence.line}: sentence {sentence.sent_id}: {what}")
    if provenance:
        _check_recordable(file)
    changes = _changes(file.sentences, trees, deps, provenance, predicted, transformed)
    return replace_lines(file, changes)


def _check_recordable(file: ConlluFile) -> None:
    """InputError where no record could be read back: a token bears one already, or a deprel has a ``|``."""
    for sentence in file.sentences:
        place = Place(file.name, sentence.sent_id, sentence.line, sentence.rows)
        for token, row in enumerate(sentence.rows, start=1):
            cells = sentence.lines[row].split("\t")
            if _without_records(cells[MISC]) != cells[MISC]:
                what = f"MISC {show(cells[MISC])} bears a record of `provenance` already"
                place.fail(f"{what}; undo that first with `invert`, or remove it", token=token)
            if "|" in cells[DEPREL]:
                what = f"DEPREL {show(cells[DEPREL])} cannot be recorded in MISC, where | separates"
                place.fail(f"{what}; correct it", token=token)


def _changes(
    sentences: Sequence[Sentence],
    trees: Iterable[Tree],
    deps: Literal["drop", "keep"],
    provenance: bool = False,
    predicted: bool = False,
    transformed: str | None = None,
) -> dict[int, str | None]:
    """New text by line number (from 1), of one line or more, None for a line to remove; empty if no head and
    no deprel differs."""
    changes: dict[int, str | None] = {}
    differs: list[bool] = []
    for sentence, tree in zip(sentences, trees, strict=True):
        changes_before = len(changes)
        for row, head, deprel in zip(sentence.rows, tree.heads, tree.deprels, strict=True):
            cells = sentence.lines[row].split("\t")
            same_head = cells[HEAD] != "_" and int(cells[HEAD]) == head
            kept = _without_records(cells[MISC]) if predicted else cells[MISC]
            if same_head and cells[DEPREL] == deprel and cells[MISC] == kept:
                continue
            cells[MISC] = kept
            if provenance and cells[HEAD] != "_":
                changed = [(ORIGINAL_HEAD, HEAD)] + [(ORIGINAL_DEPREL, DEPREL)] * (cells[DEPREL] != deprel)
                for key, column in changed:
                    before = "" if cells[MISC] == "_" else f"{cells[MISC]}|"
                    cells[MISC] = before + key + cells[column]
            if not same_head:
                cells[HEAD] = str(head)
            cells[DEPREL] = deprel
            changes[sentence.line + row] = "\t".join(cells)
        differs.append(predicted or len(changes) > changes_before)
    if changes and deps == "drop":
        changes |= enhanced_changes(sentences, changes)
    if transformed is not None:
        for sentence, other in zip(sentences, differs, strict=True):
            if other or not transformed:
                changes |= dict(_comment_changes(sentence, changes, transformed))
    return changes


def _comment_changes(
    sentence: Sentence, changes: Mapping[int, str | None], transformed: str
) -> Iterator[tuple[int, str | None]]:
    """What removes the comment on the sentence's annotation, and puts `transformed` before its first word."""
    numbered = list(enumerate(sentence.lines, start=sentence.line))
    yield from ((number, None) for number, raw in numbered if raw.startswith(TRANSFORMED))
    if transformed:
        left = ((number, changes.get(number, raw)) for number, raw in numbered if not raw.startswith("#"))
        number, text = next((number, text) for number, text in left if text is not None)
        yield number, f"{TRANSFORMED}{transformed}\n{text}"


def _without_records(misc: str) -> str:
    """A MISC cell without what is recorded in it."""
    if ORIGINAL_HEAD not in misc and ORIGINAL_DEPREL not in misc:
        return misc
    kept = [item for item in misc.split("|") if not item.startswith((ORIGINAL_HEAD, ORIGINAL_DEPREL))]
    return "|".join(kept) or "_"


def _recorded(misc: str, key: str) -> list[str]:
    """The values recorded under `key` in a MISC cell."""
    return [item.removeprefix(key) for item in misc.split("|") if item.startswith(key)]


def enhanced_changes(
    sentences: Iterable[Sentence], changes: Mapping[int, str | None] = MappingProxyType({})
) -> dict[int, str | None]:
    """What empties DEPS and removes the empty nodes (None), by line number; `changes` are made before."""
    emptied: dict[int, str | None] = {}
    for sentence in sentences:
        for number, raw in enumerate(sentence.lines, start=sentence.line):
            if raw.startswith("#"):
                continue
            cells = (changes.get(number) or raw).split("\t")
            if "." in cells[ID]:
                emptied[number] = None
            elif cells[DEPS] != "_":
                cells[DEPS] = "_"
                emptied[number] = "\t".join(cells)
    return emptied


def replace_lines(file: ConlluFile, changes: dict[int, str | None]) -> bytes:
    """The file's bytes with whole lines replaced (by one or more), or removed with their ends (None)."""
    lines = []
    start = BOM_UTF8 if file.data.startswith(BOM_UTF8) else b""  # stays, whatever becomes of the first line
    for number, line in enumerate(file.data.removeprefix(start).split(b"\n"), start=1):
        text = changes.get(number, "")
        if text:
            end = b"\r" if line.endswith(b"\r") else b""
            line = text.encode().replace(b"\n", end + b"\n") + end
        if text is not None:
            lines.append(line)
    return start + b"\n".join(lines)


def with_tree(
    sentence: Sentence,
    tree: Tree,
    *,
    deps: Literal["drop", "keep"] = "drop",
    transformed: str | None = None,
) -> Sentence:
    """The sentence with the heads and deprels of a new tree, in its lines too.

    As :func:`write_conllu` with `predicted`: no record of other heads stays; `deps`, `transformed` as there.

    Raises:
        InputError: the tree has another number of tokens.
    """
    if len(tree) != len(sentence):
        raise InputError(f"a tree of {len(tree)} words for {sentence!r}; give the tree of this sentence")
    changes = (
        _changes([sentence], [tree], deps, predicted=True, transformed=transformed) if sentence.lines else {}
    )
    lines: list[str] = []
    rows: list[int] = []
    for index, raw in enumerate(sentence.lines):
        text = changes.get(sentence.line + index, raw)
        if text is not None:
            lines += text.split("\n")
            if index in sentence.rows:
                rows.append(len(lines) - 1)
    return replace(sentence, tree=tree, lines=tuple(lines), rows=tuple(rows))


def given_back(given: Text, tree: Tree, transformed: str | None = None) -> Text:
    """The new tree of what was given: a tree as it is, a sentence :func:`with_tree`."""
    return with_tree(given, tree, transformed=transformed) if isinstance(given, Sentence) else tree


def conllu_text(sentences: Iterable[Sentence | Tree]) -> str:
    """Sentences as CoNLL-U: their raw lines where they have any, else the columns of their trees.

    >>> conllu_text([Tree(("Sleep",), ("VERB",), (0,), ("root",))]).split()
    ['1', 'Sleep', '_', 'VERB', '_', '_', '0', 'root', '_', '_']
    """
    return "".join(f"{line}\n" for sentence in sentences for line in (*_lines_of(sentence), ""))


def _lines_of(sentence: Sentence | Tree) -> Iterable[str]:
    if isinstance(sentence, Sentence):
        comments = [f"# sent_id = {sentence.sent_id}"] if sentence.sent_id else []
        return sentence.lines or (*comments, *_lines_of(sentence.tree))
    blank = ("_",) * len(sentence)
    others = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.deprels)
    columns = (map(str, column or blank) for column in others)
    rows = zip(map(str, range(1, len(sentence) + 1)), sentence.forms, *columns, blank, blank, strict=True)
    return map("\t".join, rows)


def read_provenance(
    sentence: Sentence, *, name: str = "<input>"
) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The original heads and deprels that ``write_conllu(..., provenance=True)`` recorded; None without any.

    Tokens without a record keep their present ones. InputError, in the file `name`: what was recorded is no
    tree, or a record occurs twice.
    """
    heads, deprels = list(sentence.tree.heads), list(sentence.tree.deprels)
    place = Place(name, sentence.sent_id, sentence.line, sentence.rows)
    any_record = False
    for token, row in enumerate(sentence.rows, start=1):
        misc = sentence.lines[row].split("\t")[MISC]
        recorded, labels = _recorded(misc, ORIGINAL_HEAD), _recorded(misc, ORIGINAL_DEPREL)
        if not recorded and not labels:
            continue
        value = recorded[0] if len(recorded) == 1 else ""
        is_head = value.isascii() and value.isdigit() and len(value) <= 9 and int(value) <= len(heads)
        if not is_head or len(labels) > 1 or "" in labels:
            problem = f"MISC {show(misc)} records no single original head; correct or remove it"
            place.fail(problem, token=token)
        any_record = True
        heads[token - 1] = int(value)
        if labels:
            deprels[token - 1] = labels[0]
    if not any_record:
        return None
    check_tree(heads, place, multiple_roots=True)
    return tuple(heads), tuple(deprels)


def restore_provenance(file: ConlluFile) -> bytes:
    """The inverse of writing with provenance: recorded heads and deprels back, the records removed.

    The result equals the original file, byte for byte, but for DEPS and empty nodes dropped on writing.
    """
    changes: dict[int, str | None] = {}
    for sentence in file.sentences:
        original = read_provenance(sentence, name=file.name)
        if original is None:
            continue
        changes |= dict(_comment_changes(sentence, {}, ""))
        for row, head, deprel in zip(sentence.rows, *original, strict=True):
            cells = sentence.lines[row].split("\t")
            kept = _without_records(cells[MISC])
            if kept != cells[MISC]:
                cells[HEAD], cells[DEPREL], cells[MISC] = str(head), deprel, kept
                changes[sentence.line + row] = "\t".join(cells)
    return replace_lines(file, changes)
