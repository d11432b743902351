"""Write CoNLL-U without changing any other byte (docs/rules.md, Treebanks and splits).

Writing replaces single cells of the raw lines, so that nothing else can change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from learnability.errors import InputError
from learnability.support.nouns import count_noun, say_there_are
from learnability.treebanks.columns import (
    COLUMNS,
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    UPOS,
    XPOS,
    named_columns,
)
from learnability.treebanks.conllu_io import ConlluFile
from learnability.treebanks.enhanced import DepsPolicy, follow_trees
from learnability.treebanks.sentence import TRANSFORMED, AnyTrees, Sentence, Tree, trees_of

Text = TypeVar("Text", Tree, Sentence)
"""A tree or a sentence; functions return what they got."""


def write_conllu(
    file: ConlluFile,
    trees: AnyTrees,
    *,
    deps: DepsPolicy = "drop",
    predicted: bool = False,
    transformed: str | None = None,
) -> bytes:
    """Return the bytes of `file` with the heads, deprels, lemmas, tags and features of `trees`.

    If none differs, these are the bytes that were read. Otherwise only these columns of
    the tokens that differ are rewritten, and all other bytes stay, apart from `deps` and `transformed`.

    Args:
        file: the file as :func:`read_conllu` returned it.
        trees: one tree (or sentence) per sentence of the file, in the same order.
        deps: if any head or deprel differs, ``"drop"`` sets DEPS to ``_`` and removes empty nodes in all
            sentences, because an enhanced graph must not contradict the basic tree; ``"keep"`` leaves them;
            ``"follow"`` leaves them, but edges that repeated a basic arc follow the new arc
            (:func:`~learnability.treebanks.enhanced.follow_trees` names the words of others that may
            contradict it).
        predicted: the trees are parses, so all sentences are annotated anew.
        transformed: the transformations whose annotation the trees have, ``case+det``. Sentences that differ
            (all if `predicted`) get the comment ``# transformed = case+det`` after their other comments. If
            empty, the trees are UD, and such comments are removed. If None, comments stay as they are.

    Returns:
        The content of the new file, in UTF-8.

    Raises:
        InputError: the number of trees, or of tokens in a tree, differs from the file.
    """
    trees = trees_of(trees)
    if len(trees) != len(file.sentences):
        problem = f"{say_there_are(len(trees), 'tree')} for {count_noun(len(file.sentences), 'sentence')}"
        raise InputError(f"{file.name}: {problem}; pass one tree per sentence")
    for sentence, tree in zip(file.sentences, trees, strict=True):
        if len(tree) != len(sentence):
            where = f"{file.name}:{sentence.line}: sentence {sentence.sent_id}"
            problem = f"its tree has {count_noun(len(tree), 'word')} instead of {len(sentence)}"
            raise InputError(f"{where}: {problem}; pass the tree of this sentence")
    return file.replace_lines(_changes(file.sentences, trees, deps, predicted, transformed))


def _changes(
    sentences: Sequence[Sentence],
    trees: Iterable[Tree],
    deps: DepsPolicy,
    predicted: bool = False,
    transformed: str | None = None,
) -> dict[int, str | None]:
    """Return the new text, of one line or several, by line number (from 1); None for a line to remove."""
    changes: dict[int, str | None] = {}
    any_arc = False
    trees = list(trees)
    annotated_anew: list[Sentence] = []
    for sentence, tree in zip(sentences, trees, strict=True):
        changes_before = len(changes)
        for token, (row, head, deprel) in enumerate(
            zip(sentence.rows, tree.heads, tree.deprels, strict=True)
        ):
            cells = sentence.lines[row].split("\t")
            for column, values in (
                (LEMMA, tree.lemmas), (UPOS, tree.upos), (XPOS, tree.xpos), (FEATS, tree.feats),
            ):  # fmt: skip
                if values and cells[column] != values[token]:
                    cells[column] = values[token]
                    changes[sentence.line + row] = "\t".join(cells)
            same_head = cells[HEAD] != "_" and int(cells[HEAD]) == head
            if same_head and cells[DEPREL] == deprel:
                continue
            any_arc = True
            if not same_head:
                cells[HEAD] = str(head)
            cells[DEPREL] = deprel
            changes[sentence.line + row] = "\t".join(cells)
        if predicted or len(changes) > changes_before:
            annotated_anew.append(sentence)
    if any_arc and deps == "drop":
        changes |= enhanced_changes(sentences, changes)
    elif any_arc and deps == "follow":
        changes |= _followed_changes(sentences, trees, changes)
    if transformed is not None:
        # with an empty name the trees are UD again: no sentence keeps a comment
        for sentence in annotated_anew if transformed else sentences:
            changes |= dict(_comment_changes(sentence, changes, transformed))
    return changes


def _comment_changes(
    sentence: Sentence, changes: Mapping[int, str | None], transformed: str
) -> Iterator[tuple[int, str | None]]:
    """Yield the changes that put the comment on the annotation right before the first word, or remove it."""
    numbered = list(enumerate(sentence.lines, start=sentence.line))
    yield from ((number, None) for number, raw in numbered if raw.startswith(TRANSFORMED))
    if transformed:
        for number, raw in numbered:
            text = changes.get(number, raw)
            if text is not None and not raw.startswith("#"):
                yield number, f"{TRANSFORMED}{transformed}\n{text}"
                break


def enhanced_changes(
    sentences: Iterable[Sentence], changes: Mapping[int, str | None] = MappingProxyType({})
) -> dict[int, str | None]:
    """Return by line number what empties DEPS and removes empty nodes; `changes` to the same lines come
    first."""
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


def _followed_changes(
    sentences: Sequence[Sentence], trees: Sequence[Tree], changes: Mapping[int, str | None]
) -> dict[int, str]:
    followed = follow_trees(sentences, trees).followed
    changed = {}
    for sentence in sentences:
        for number, raw in enumerate(sentence.lines, start=sentence.line):
            if number in followed:
                cells = (changes.get(number) or raw).split("\t")
                cells[DEPS] = followed[number]
                changed[number] = "\t".join(cells)
    return changed


def with_tree(sentence: Sentence, tree: Tree, *, transformed: str | None = None) -> Sentence:
    """Return the sentence with the heads and deprels of a new tree, also in its raw lines.

    Args:
        sentence: the sentence.
        tree: the new tree, of as many tokens.
        transformed: as in :func:`write_conllu`.

    Returns:
        A new sentence; the old one stays as it is.

    Raises:
        InputError: the tree has another number of tokens.
    """
    if len(tree) != len(sentence):
        raise InputError(
            f"a tree of {count_noun(len(tree), 'word')} does not fit {sentence!r}; pass the tree of this "
            "sentence"
        )
    changes = (
        _changes([sentence], [tree], "drop", predicted=True, transformed=transformed)
        if sentence.lines
        else {}
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


def conllu_text(sentences: Iterable[Sentence | Tree]) -> str:
    """Return sentences as CoNLL-U: their raw lines if they have any, otherwise the columns of their trees.

    Where the tree of a sentence was replaced since it was read, its lines have the columns of the new one.

    Columns that CoNLL-U does not have are left out; :func:`write_conllu` keeps them.

    Args:
        sentences: sentences or trees.

    Returns:
        The text, each sentence followed by an empty line.

    >>> conllu_text([Tree(("Sleep",), ("VERB",), (0,), ("root",))]).split()
    ['1', 'Sleep', '_', 'VERB', '_', '_', '0', 'root', '_', '_']
    """
    lines: list[str] = []
    for sentence in sentences:
        lines += [*_lines_of(sentence), ""]
    return "".join(f"{line}\n" for line in lines)


def _lines_of(sentence: Sentence | Tree) -> Iterable[str]:
    if isinstance(sentence, Sentence):
        comments = [f"# sent_id = {sentence.sent_id}"] if sentence.sent_id else []
        lines = [line for line in present_lines(sentence) if named_columns(line) in ((), COLUMNS)]
        return lines or (*comments, *_lines_of(sentence.tree))
    tree, blank = sentence, ("_",) * len(sentence)
    ids = map(str, range(1, len(tree) + 1))
    optional = (tree.lemmas, tree.upos, tree.xpos, tree.feats, tree.heads, tree.deprels)
    columns = [map(str, column or blank) for column in optional]
    return map("\t".join, zip(ids, tree.forms, *columns, blank, blank, strict=True))


def present_lines(sentence: Sentence) -> list[str]:
    """Return the raw lines of a sentence, with the columns of its tree if this was replaced since.

    A word with another head or relation loses its enhanced dependencies.
    """
    tree = sentence.tree
    columns = {
        FORM: tree.forms,
        LEMMA: tree.lemmas,
        UPOS: tree.upos,
        XPOS: tree.xpos,
        FEATS: tree.feats,
        HEAD: tuple(map(str, tree.heads)),
        DEPREL: tree.deprels,
    }
    known = {column: values for column, values in columns.items() if values}
    lines = list(sentence.lines)
    for word, row in enumerate(sentence.rows):
        cells = lines[row].split("\t")
        changed = [column for column, values in known.items() if cells[column] != values[word]]
        for column in changed:
            cells[column] = known[column][word]
        if HEAD in changed or DEPREL in changed:
            cells[DEPS] = "_"
        if changed:
            lines[row] = "\t".join(cells)
    return lines
