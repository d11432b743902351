"""Read CoNLL-U (docs/rules.md, Treebanks and splits); `conllu_writing` writes it.

Lines are split at tabs only, and a :class:`ConlluFile` keeps the bytes that it was read from. (The library
`conllu` also splits at two spaces, strips lines, and drops repeated MISC keys and a second ``=``.)
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from os import PathLike
from pathlib import Path
from sys import intern
from typing import BinaryIO, NamedTuple, NoReturn, Self, TypedDict

from learnability.errors import InputError
from learnability.support.nouns import count_noun
from learnability.treebanks.columns import (
    COLUMNS,
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    FileColumns,
    header_of,
    missing_column,
    named_columns,
)
from learnability.treebanks.sentence import UNSPECIFIED, FurtherColumns, Sentence, Tree, find_cycle, show

_RANGE_OR_EMPTY = re.compile(r"(0|[1-9][0-9]{0,8})([-.])([1-9][0-9]{0,8})")
# Treebanks of version 1 spell the id in several other ways.
_OLD_SENT_ID = re.compile(r"#\s*(?:sent_?id(?:\s*[:=]\s*|\s+)|id\s*[:=]\s*)(\S+)", re.IGNORECASE)


def reading_seconds(paths: Iterable[str | PathLike[str]]) -> float:
    """Return roughly how many seconds reading these files takes, at 10 MB/s; missing files count 0."""
    return sum(path.stat().st_size for path in map(Path, paths) if path.is_file()) / 10e6


class Reading(TypedDict, total=False):
    """Hold which sentences are accepted; see :func:`read_conllu`."""

    multiple_roots: bool
    skip_incomplete: bool


class SkippedSentence(NamedTuple):
    """Name a sentence that was left out: its number in the file (from 0), and its id or location."""

    number: int
    name: str


@dataclass(frozen=True)
class ConlluFile:
    """Hold one CoNLL-U file: its sentences and the bytes that they were read from.

    Attributes:
        name: the name in messages.
        path: where it was read from; None for a stream.
        sha256: the hexadecimal digest of `data`.
        sentences: the sentences in order; their lines have the columns of CoNLL-U.
        data: the bytes of the file.
        columns: the columns of the file.
        skipped: the sentences that were left out, because heads are missing.
    """

    name: str
    path: Path | None
    sha256: str
    sentences: tuple[Sentence, ...]
    data: bytes = field(repr=False)
    columns: FileColumns = field(default_factory=FileColumns)
    skipped: tuple[SkippedSentence, ...] = ()

    def in_columns(self, line: bytes, text: str) -> str:
        """Return a changed line, which may have comments before it, with the columns of the file.

        Args:
            line: as it is in the file, without its end.
            text: with the columns of CoNLL-U.

        Raises:
            InputError: the file lacks a column that has changed.
        """
        if self.columns.are_standard:
            return text
        *comments, last = text.split("\n")
        try:
            return "\n".join([*comments, self.columns.write_changed(line.decode(), last)])
        except KeyError as error:
            raise missing_column(self.name, error.args[0]) from None

    def replace_lines(self, changes: Mapping[int, str | None]) -> bytes:
        """Return the file's bytes with whole lines replaced by one or more lines, or removed (None)."""
        lines = []
        start = BOM_UTF8 if self.data.startswith(BOM_UTF8) else b""  # stays even if the first line is removed
        for number, line in enumerate(self.data.removeprefix(start).split(b"\n"), start=1):
            text = changes.get(number, "")
            if text:
                end = b"\r" if line.endswith(b"\r") else b""
                text = self.in_columns(line.removesuffix(end), text)
                line = text.encode().replace(b"\n", end + b"\n") + end
            if text is not None:
                lines.append(line)
        return start + b"\n".join(lines)

    def describe_skipped(self) -> list[str]:
        """Return a line on the sentences that were left out, or none."""
        if not self.skipped:
            return []
        names = ", ".join(sentence.name for sentence in self.skipped[:NAMED])
        ends = ", ..." if len(self.skipped) > NAMED else ""
        total = len(self.skipped) + len(self.sentences)
        return [
            f"{self.name}: {len(self.skipped):,} of {count_noun(total, 'sentence')} left out, because heads "
            f"are not given ({names}{ends})"
        ]

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __getitem__(self, number: int) -> Sentence:
        return self.sentences[number]


class BrokenSentences(InputError):
    """Signal sentences that are not well-formed; the message describes the first and names some others."""

    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """Return the error about these sentences, at least one."""
        first, *others = problems
        what, semicolon, advice = first.text.rpartition("; ")  # a cell that is quoted may contain one
        if others:
            named = [other.describe_in(first.file) for other in others[: NAMED - 1]]
            more = f"{count_noun(len(others), 'more sentence')} {'is' if len(others) == 1 else 'are'}"
            ends = ", ..." if len(others) > len(named) else ""
            what = f"{what}, and {more} broken ({', '.join(named)}{ends})"
        where = f"sentence {first.sentence}: " if first.sentence else ""
        error = cls(f"{first.file}:{first.line}: {where}{what}{semicolon}{advice}")
        error.problems = tuple(problems)
        return error


NAMED = 5
"""How many broken sentences a message names."""


class Problem(NamedTuple):
    """Say what is wrong with a sentence, and in which line of its file (from 1)."""

    file: str
    line: int
    sentence: str
    text: str

    def describe_in(self, file: str) -> str:
        """Return where the sentence is, in a message about that file."""
        elsewhere = f" of {self.file}" if self.file != file else ""
        return f"{self.sentence} in line {self.line}{elsewhere}"


class Collected:
    """Collect the broken sentences that are found in ``with`` blocks; each block ends at the first one.

    >>> broken = Collected()
    >>> for number in (1, 2):
    ...     with broken:
    ...         Location("x.conllu", f"a{number}", 10 * number).fail("a word has no ID; number it")
    >>> broken.check()
    Traceback (most recent call last):
    ...
    learnability.treebanks.conllu_io.BrokenSentences: x.conllu:10: sentence a1: a word has no ID, and 1 more \
sentence is broken (a2 in line 20); number it
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if not isinstance(error, BrokenSentences):
            return False
        self.problems += error.problems
        return True

    def check(self) -> None:
        if self.problems:
            raise BrokenSentences.of(self.problems)


@dataclass(frozen=True, slots=True)
class Location:
    """Hold where a sentence stands: its file, id, first line (from 1), and the rows of its tokens in its
    lines."""

    file: str
    sentence: str
    line: int
    rows: Sequence[int] = ()

    def fail(self, problem: str, *, row: int = 0, token: int = 0) -> NoReturn:
        """Raise BrokenSentences about a line of the sentence (from 0) or about a token (from 1)."""
        line = self.line + (self.rows[token - 1] if token else row)
        raise BrokenSentences.of([Problem(self.file, line, self.sentence, problem)])


def read_conllu(
    source: str | PathLike[str] | BinaryIO,
    *,
    multiple_roots: bool = False,
    name: str | None = None,
    require_trees: bool = True,
    skip_incomplete: bool = False,
    keep_incomplete: bool = False,
) -> ConlluFile:
    """Read a CoNLL-U file, version 1 or 2, and check that every sentence is a tree.

    A file that gzip compressed (``.conllu.gz``) is read as the file in it.

    If the file names its columns (CoNLL-U Plus: ``# global.columns = ID FORM ...``), they may be in another
    order, some may be missing, and there may be others, which are kept when the file is written.

    Args:
        source: a path, or a binary stream that is read to its end.
        multiple_roots: accept several words with HEAD 0 in one sentence.
        name: the name of the file in messages; by default its path, or the stream's name.
        require_trees: False for parser input: HEAD and DEPREL may be ``_`` (read as 0 and ``_``), and heads
            need only lie within the sentence.
        skip_incomplete: leave out sentences in which the HEAD of a word is ``_``; the file names them.
        keep_incomplete: keep such sentences, with trees that have no heads and no relations.

    Returns:
        The file, which has a length and gives its sentences by iteration or by number.

    Raises:
        InputError: the file is unreadable or malformed, in one line: ``FILE:LINE: sentence ID: what is wrong;
            what to do``. Of several malformed sentences it describes the first, counts the others, and names
            the next ones.
    """
    if isinstance(source, (str, PathLike)):
        path, name = Path(source), name or str(Path(source))
        with InputError.explain(f"{name} cannot be read", "use a readable CoNLL-U file"):
            data = conllu_bytes(path)
    else:
        path, name = None, name or str(getattr(source, "name", "<stream>"))
        data = _decompress(source.read(), name)
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
        problem = f"the line is not UTF-8 (byte 0x{byte:02x}); convert the file to UTF-8"
        raise InputError(f"{name}:{line}: {problem}") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    columns = _columns(lines, name, require_trees)
    sentences: list[Sentence] = []
    skipped: list[SkippedSentence] = []
    broken = Collected()
    document = False  # whether a new document has started since the last sentence
    of_document: tuple[str, ...] = ()
    between: tuple[str, ...] = ()  # comments since the last sentence that belong to none
    file_name = Path(name).name
    for start, block in _blocks(lines):
        ids, starts_document = _metadata(block)
        sent_id = next(iter(ids), "")
        document |= starts_document
        comments = _comments(block)
        if starts_document:
            of_document = tuple(each for each in comments if each.startswith(_OF_DOCUMENT))
        if all(line.startswith("#") for line in block):
            between += block
            continue
        number = len(sentences) + len(skipped) + len(broken.problems) + 1
        location = Location(name, sent_id or str(number), start)
        with broken:
            if len(ids) > 1:
                location.fail(f"a sentence has one sent_id, not {ids[0]} and {ids[1]}; delete one of them")
            further: FurtherColumns = ()
            if not columns.are_standard:
                block, further = _standard(block, columns, location)
            tokens, rows = _tokens(block, location)
            location = replace(location, rows=rows)
            is_incomplete = require_trees and any(cells[HEAD] == UNSPECIFIED for cells in tokens)
            if is_incomplete and skip_incomplete:
                skipped.append(SkippedSentence(number - 1, sent_id or f"{file_name}:{start}"))
                continue
            if is_incomplete and keep_incomplete:
                tree = replace(_tree(tokens, location, require_trees=False), heads=(), deprels=())
            else:
                tree = _tree(tokens, location, require_trees)
            every = tuple(dict.fromkeys((*of_document, *comments)))
            tree = replace(tree, comments=every)
            if require_trees and tree.heads:
                check_tree(tree.heads, location, multiple_roots)
            found = (tree, location.sentence, block, rows, start, document)
            sentence = Sentence(*found, file=file_name, numbered=not sent_id, further=further)
            sentences.append(replace(sentence, comments_before=between) if between else sentence)
            document, between = False, ()
    broken.check()
    if between and sentences:
        last = sentences[-1]
        sentences[-1] = replace(last, comments_before=last.comments_before + between)
    digest = hashlib.sha256(data).hexdigest()
    return ConlluFile(name, path, digest, tuple(sentences), data, columns, tuple(skipped))


def conllu_bytes(path: Path) -> bytes:
    return _decompress(path.read_bytes(), str(path))


def _decompress(data: bytes, name: str) -> bytes:
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{name} is a damaged gzip file; compress the CoNLL-U file again") from None


GZIP = b"\x1f\x8b"
"""The beginning of every file that gzip compressed."""

COMPRESSED = ".gz"
"""The ending of the names of such files."""


def _columns(lines: Iterable[str], name: str, require_trees: bool) -> FileColumns:
    number, names = header_of(lines)
    columns = FileColumns(names)
    if problem := columns.problem(parsed=require_trees):
        raise InputError(f"{name}:{number}: {problem}")
    return columns


def _standard(
    block: Sequence[str], columns: FileColumns, location: Location
) -> tuple[tuple[str, ...], FurtherColumns]:
    lines = []
    further: dict[str, list[str]] = {name: [] for name in columns.names if name not in COLUMNS}
    for row, line in enumerate(block):
        if not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != len(columns.names):
                location.fail(columns.wrong_number(cells), row=row)
            line = columns.standard(line)
            for name, cell in zip(columns.names, cells, strict=True):
                if name in further:
                    further[name].append(cell)
        elif named_columns(line) not in ((), columns.names):
            location.fail("`# global.columns` names other columns than before; split the file", row=row)
        lines.append(line)
    return tuple(lines), tuple((name, tuple(cells)) for name, cells in further.items())


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the maximal runs of non-blank lines, each with the number (from 1) of its first line."""
    start = 1
    for blank, run in groupby(lines, key=lambda line: not line or line.isspace()):
        block = tuple(run)
        if not blank:
            yield start, block
        start += len(block)


def _metadata(block: Iterable[str]) -> tuple[list[str], bool]:
    ids: list[str] = []
    old_id = ""
    starts_document = False
    for line in block:
        if not line.startswith("#"):
            continue
        key, _, value = map(str.strip, line[1:].partition("="))
        if key == "newdoc" or (key.startswith("newdoc ") and value):
            starts_document = True
        if key == "sent_id" and value:
            ids.append(value)
        if match := _OLD_SENT_ID.match(line):
            old_id = old_id or match[1]
    return ids or [old_id] * bool(old_id), starts_document


_TEXT = re.compile("text(?:_[a-z]{2,3})?")
"""The keys of comments that repeat the text of the sentence, or translate it."""

_OF_DOCUMENT = ("newdoc", "meta::")
"""The beginnings of comments that are about all sentences of a document."""


def _comments(block: Iterable[str]) -> tuple[str, ...]:
    """Return the comments of a sentence, ``genre=news``, without those that repeat its text."""
    found = []
    for line in block:
        if not line.startswith("#"):
            continue
        key, equals, value = map(str.strip, line[1:].partition("="))
        if key and not _TEXT.fullmatch(key):
            found.append(intern(f"{key}{equals}{value}"))
    return tuple(found)


@lru_cache(maxsize=4096)
def _id(text: str) -> tuple[int, str, int] | None:
    """Return the id of a range (3, "-", 4) or of an empty node (3, ".", 1); None for anything else."""
    match = _RANGE_OR_EMPTY.fullmatch(text)
    if match is None:
        return None
    first, sign, last = int(match[1]), match[2], int(match[3])
    return None if sign == "-" and last < first else (first, sign, last)


def _tokens(block: Sequence[str], location: Location) -> tuple[list[list[str]], tuple[int, ...]]:
    tokens: list[list[str]] = []
    rows: list[int] = []
    covered = 0  # last token of the latest range
    opens = False  # the first token of a range has to come next
    empty = 0  # number of the last empty node after the current token
    range_row = 0
    for row, raw in enumerate(block):
        if raw.startswith("#"):
            continue
        due = len(tokens) + 1
        cells = raw.split("\t")
        if len(cells) != 10:
            location.fail(FileColumns().wrong_number(cells), row=row)
        if "" in cells and cells[ID]:
            problem = (
                f"the {COLUMNS[cells.index('')]} of word {cells[ID][:20]} is empty; fill it in or write _"
            )
            location.fail(problem, row=row)
        if cells[ID] == str(due):
            tokens.append(cells)
            rows.append(row)
            opens, empty = False, 0
            continue
        match _id(cells[ID]):
            case (word, ".", number):
                if opens or (word, number) != (due - 1, empty + 1):
                    expected = f"{due - 1}.{empty + 1}"
                    problem = f"the empty node is {cells[ID]} instead of {expected}; number it after its word"
                    location.fail(problem, row=row)
                empty = number
            case (first, _, last):
                if opens or first != due or first <= covered:
                    problem = f"the range {cells[ID]} is not right before its first word, or overlaps another"
                    location.fail(f"{problem}; correct or remove it", row=row)
                opens, covered, range_row = True, last, row
            case _:
                location.fail(f"the ID is {show(cells[ID])} instead of {due}; number words from 1", row=row)
    if covered > len(tokens):
        problem = f"the range ends at {covered}, beyond the last word {len(tokens)}; correct or remove it"
        location.fail(problem, row=range_row)
    if not tokens:
        location.fail("the sentence has no words; add its words, or remove it")
    return tokens, tuple(rows)


def _tree(tokens: list[list[str]], location: Location, require_trees: bool) -> Tree:
    columns = list(zip(*tokens, strict=True))
    heads = columns[HEAD] if require_trees else tuple("0" if h == "_" else h for h in columns[HEAD])
    for word, head in enumerate(heads, start=1):
        if head == UNSPECIFIED:
            location.fail(
                f"the HEAD of word {word} is not given; give it, or leave such sentences out with "
                "`skip_incomplete=True`",
                token=word,
            )
        if not (head.isascii() and head.isdigit()) or (head[0] == "0" and head != "0"):
            location.fail(
                f"the HEAD of word {word} is {show(head)}; it must be an integer from 0 on", token=word
            )
        if len(head) > 9 or int(head) > len(tokens):
            problem = (
                f"the HEAD of word {word} is {show(head)}, but the last word is {len(tokens)}; correct it"
            )
            location.fail(problem, token=word)
    numbers = tuple(map(int, heads))
    others = (columns[column] for column in (LEMMA, XPOS, FEATS))
    tree = Tree(columns[FORM], columns[UPOS], numbers, columns[DEPREL], *others)
    has_misc = set(columns[MISC]) != {"_"}
    return replace(tree, misc=tuple(map(intern, columns[MISC]))) if has_misc else tree


def check_tree(heads: Sequence[int], location: Location, multiple_roots: bool) -> None:
    """Raise BrokenSentences unless `heads` (within 0..n) form a tree."""
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if not roots:
        location.fail(
            "the sentence has no root, because no word has HEAD 0; set the HEAD of one word to 0", token=1
        )
    if len(roots) > 1 and not multiple_roots:
        words = ", ".join(map(str, roots[:5])) + (", ..." if len(roots) > 5 else "")
        advice = "attach all but one, or allow it with `multiple_roots=True`"
        location.fail(
            f"the sentence has {count_noun(len(roots), 'root')} (words {words}); {advice}", token=roots[1]
        )
    if word := find_cycle(heads):
        location.fail(f"the heads form a cycle through word {word}; correct the heads", token=word)
