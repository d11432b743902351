"""Reading CoNLL-U (design section 4); writing is in :mod:`learnability.treebanks.conllu_writing`.

The library `conllu` interprets ids and comments. The columns are split here, at tabs only: `conllu`
also splits at two spaces, strips every line and keeps neither repeated MISC keys nor a second ``=``.
A :class:`ConlluFile` therefore keeps the bytes it was read from.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NoReturn

from conllu.exceptions import ParseException
from conllu.parser import parse_comment_line, parse_id_value

from learnability.errors import InputError
from learnability.treebanks.sentence import Sentence, Tree

BYTES_PER_SECOND = 10e6
"""About how fast a file is read; only for estimates."""

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, _FORM, _LEMMA, _UPOS, _XPOS, _FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
_NEEDED = (_FORM, _UPOS, HEAD, DEPREL)
BOM = "\ufeff"


def reading_seconds(paths: Iterable[str | PathLike[str]]) -> float:
    """About how long it takes to read these files, by their size; 0 for those that are not there."""
    return sum(path.stat().st_size for path in map(Path, paths) if path.is_file()) / BYTES_PER_SECOND


@dataclass(frozen=True)
class ConlluFile:
    """One CoNLL-U file: its sentences and the bytes they were read from.

    Attributes:
        name: what messages call the file (its path, unless a name was given).
        path: where it was read from; None for a stream.
        sha256: hexadecimal digest of `data`.
        sentences: in the order of the file; ``sentence.line`` says where each begins.
        data: the file's bytes, unchanged.
    """

    name: str
    path: Path | None
    sha256: str
    sentences: tuple[Sentence, ...]
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which sentence something was found: all that an error message needs."""

    file: str
    sentence: str

    def fail(self, line: int, problem: str) -> NoReturn:
        """Raise the one-line InputError about `line` (from 1) of the file."""
        where = f"sentence {self.sentence}: " if self.sentence else ""
        raise InputError(f"{self.file}:{line}: {where}{problem}")


def read_conllu(
    source: str | PathLike[str] | BinaryIO,
    *,
    multiple_roots: bool = False,
    name: str | None = None,
    require_trees: bool = True,
) -> ConlluFile:
    """Read a CoNLL-U file, version 1 or 2, and check that every sentence is a tree.

    Args:
        source: a path, or a binary stream that is read to its end.
        multiple_roots: accept several words with HEAD 0 in one sentence.
        name: what messages call the file; default its path, or the stream's name.
        require_trees: False for parser input: HEAD and DEPREL may be ``_`` (read as 0 and ``_``) and
            heads are only checked to lie in the sentence.

    Raises:
        InputError: unreadable file or malformed input, in one line:
            ``FILE:LINE: sentence ID: what is wrong; what to do``.
    """
    path = Path(source) if isinstance(source, (str, PathLike)) else None
    called = name or (str(path) if path else str(getattr(source, "name", "<stream>")))
    if path is not None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{called}: cannot be read ({(error.strerror or str(error)).lower()}); "
                "give a readable CoNLL-U file"
            ) from None
    else:
        data = source.read()  # type: ignore[union-attr]
    lines = [line[:-1] if line.endswith("\r") else line for line in _decode(data, called).split("\n")]
    if lines[0].startswith(BOM):
        lines[0] = lines[0][1:]
    sentences: list[Sentence] = []
    pending_document = False
    for start, end in _blocks(lines):
        block = lines[start:end]
        sent_id, starts_document = _metadata(block)
        if all(line.startswith("#") for line in block):
            # Comments between two blank lines belong to no sentence; they stay in the file's bytes.
            pending_document = pending_document or starts_document
            continue
        place = Place(called, sent_id or str(len(sentences) + 1))
        tree, rows = _parse_block(block, start + 1, place, require_trees)
        if require_trees:
            check_tree(tree.heads, start + 1, rows, place, multiple_roots)
        sentences.append(
            Sentence(
                tree=tree,
                sent_id=place.sentence,
                lines=tuple(block),
                rows=rows,
                line=start + 1,
                starts_document=starts_document or pending_document,
            )
        )
        pending_document = False
    return ConlluFile(called, path, hashlib.sha256(data).hexdigest(), tuple(sentences), data)


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}:{line}: not UTF-8 (byte 0x{data[error.start]:02x}); convert the file to UTF-8"
        ) from None


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Half-open index ranges of the maximal runs of non-blank lines."""
    blocks = []
    start = -1
    for index, line in enumerate(lines):
        if line and not line.isspace():
            if start < 0:
                start = index
        elif start >= 0:
            blocks.append((start, index))
            start = -1
    if start >= 0:
        blocks.append((start, len(lines)))
    return blocks


# Treebanks of release 1 spell the id in ways of their own.
_OLD_SENT_ID = re.compile(r"#\s*(?:sent_?id(?:\s*[:=]\s*|\s+)|id\s*[:=]\s*)(\S+)", re.IGNORECASE)


def _metadata(block: Sequence[str]) -> tuple[str, bool]:
    """The sent_id (empty if none is recognised) and whether a document starts here."""
    sent_id = old_id = ""
    starts_document = False
    for line in block:
        if not line.startswith("#"):
            continue
        if "sent_id" in line or "newdoc" in line:
            for key, value in parse_comment_line(line):
                if key == "sent_id" and value:
                    sent_id = sent_id or value
                elif key == "newdoc" or key.startswith("newdoc "):
                    starts_document = True
        if not old_id and (match := _OLD_SENT_ID.match(line)):
            old_id = match[1]
    return sent_id or old_id, starts_document


@lru_cache(maxsize=4096)
def _id(text: str) -> int | tuple[int, str, int] | None:
    """`conllu`'s reading of an id: a token, a range or an empty node; None for anything else."""
    try:
        value: int | tuple[int, str, int] | None = parse_id_value(text)
    except ParseException:
        return None
    canonical = "".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return value if canonical == text else None


def _parse_block(
    block: Sequence[str], line: int, place: Place, require_trees: bool
) -> tuple[Tree, tuple[int, ...]]:
    """Tree and token rows of one sentence whose first raw line has number `line`."""
    tokens: list[list[str]] = []
    rows: list[int] = []
    covered = 0  # last token of the range that is open
    opens = 0  # first token of a range that has to come next
    empty = 0  # number of the last empty node after the current token
    range_line = line
    for index, raw in enumerate(block):
        if raw.startswith("#"):
            continue
        cells = raw.split("\t")
        if len(cells) != 10:
            place.fail(
                line + index, f"{len(cells)} columns instead of 10; separate ten columns by single tabs"
            )
        number = len(tokens)
        if cells[0] == str(number + 1):
            tokens.append(cells)
            rows.append(index)
            opens = empty = 0
            continue
        identifier = _id(cells[0])
        if not isinstance(identifier, tuple):
            place.fail(line + index, f"ID is {show(cells[0])} where {number + 1} is due; number words from 1")
        first, kind, second = identifier
        if kind == ".":
            if opens or (first, second) != (number, empty + 1):
                place.fail(
                    line + index,
                    f"empty node {cells[0]} where {number}.{empty + 1} is due; number it after its word",
                )
            empty = second
        else:
            if opens or first != number + 1 or first <= covered or second < first:
                place.fail(
                    line + index,
                    f"range {cells[0]} is not just before its first word or overlaps; correct or remove it",
                )
            opens, covered, range_line = first, second, line + index
    if covered > len(tokens):
        place.fail(
            range_line, f"range ends at {covered}, beyond the last word {len(tokens)}; correct or remove it"
        )
    if not tokens:
        place.fail(line, "a sentence without words; add or remove it")
    return _tree(tokens, line, rows, place, require_trees), tuple(rows)


def show(cell: str) -> str:
    """A cell for a message: quoted, shortened, control characters escaped."""
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")


def _tree(tokens: list[list[str]], line: int, rows: Sequence[int], place: Place, require_trees: bool) -> Tree:
    columns = list(zip(*tokens, strict=True))
    for column in _NEEDED:
        if "" in columns[column]:
            word = columns[column].index("")
            place.fail(
                line + rows[word], f"{COLUMNS[column]} of word {word + 1} is empty; fill it in or write _"
            )
    heads = columns[HEAD] if require_trees else tuple("0" if h == "_" else h for h in columns[HEAD])
    for word, head in enumerate(heads):
        if not (head.isascii() and head.isdigit()):
            place.fail(
                line + rows[word], f"HEAD of word {word + 1} is {show(head)}; it must be an integer from 0"
            )
        if len(head) > 9 or int(head) > len(tokens):
            place.fail(
                line + rows[word],
                f"HEAD of word {word + 1} is {show(head)}, but the last word is {len(tokens)}; correct it",
            )
    return Tree(
        forms=columns[_FORM],
        upos=columns[_UPOS],
        heads=tuple(map(int, heads)),
        deprels=columns[DEPREL],
        lemmas=columns[_LEMMA],
        xpos=columns[_XPOS],
        feats=columns[_FEATS],
    )


def find_cycle(heads: Sequence[int]) -> int:
    """The number (from 1) of the first token that never reaches the root 0; 0 if every token does.

    `heads` must lie in 0..n. Linear in n.
    """
    safe = bytearray(len(heads) + 1)
    safe[0] = 1
    for start in range(1, len(heads) + 1):
        path = []
        node = start
        while not safe[node]:
            safe[node] = 2
            path.append(node)
            node = heads[node - 1]
        if safe[node] == 2:
            return node
        for node in path:
            safe[node] = 1
    return 0


def check_tree(
    heads: Sequence[int], line: int, rows: Sequence[int], place: Place, multiple_roots: bool
) -> None:
    """Raise InputError unless `heads` (within 0..n) are a tree; arguments as for the parts of a sentence."""
    roots = [word for word, head in enumerate(heads) if head == 0]
    if not roots:
        place.fail(line + rows[0], "no root: no word has HEAD 0; give one word HEAD 0")
    if len(roots) > 1 and not multiple_roots:
        words = ", ".join(str(word + 1) for word in roots[:5]) + (", ..." if len(roots) > 5 else "")
        place.fail(
            line + rows[roots[1]],
            f"{len(roots)} roots (words {words}); attach all but one, or allow it with --multiple-roots",
        )
    if word := find_cycle(heads):
        place.fail(line + rows[word - 1], f"cycle through word {word}; correct the heads")
