"""Run programs that read CoNLL-U and give the same words other heads, relations or tags.

A program runs once per file. Its output is kept in the cache, next to downloaded treebanks. The name of the
folder is a digest of everything known to determine the output: the file's bytes, the definition of the
command, and the contents of the program and of every file that the command names.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, Unpack

from learnability.errors import InputError, RunError
from learnability.support.files import write_atomically
from learnability.support.nouns import count_noun
from learnability.support.programs import Command, find_program, mentions, most_output, run_command, with_log
from learnability.treebanks import locate
from learnability.treebanks.conllu_io import COMPRESSED, ConlluFile, Reading, read_conllu
from learnability.treebanks.conllu_writing import conllu_text, write_conllu
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, other_words

HEADS_AND_RELATIONS = ("head", "deprel")
"""What a program may change unless its definition says otherwise."""

CHANGEABLE = {"head": "heads", "deprel": "deprels", "upos": "upos", "xpos": "xpos", "feats": "feats"}
"""What a program may change, and the names of the columns in a tree."""


def annotations_folder() -> Path:
    """Return the folder that holds the annotations made by programs; removed files are made again."""
    return locate.cache_folder().parent / "annotations"


@dataclass(frozen=True)
class Annotator:
    """Represent a program that annotates CoNLL-U anew.

    Attributes:
        command: the command, with the placeholders ``{input}`` and ``{output}`` (if missing, standard input
            and output) and ``{folder}``.
        time_limit: seconds for each file.
        definition: the text that defines the command; if any of it changes, the command runs again.
        columns: what it may change, by the names of columns in lower case; other changes are ignored.
    """

    name: str
    command: Command
    folder: Path
    time_limit: float
    definition: str = ""
    columns: tuple[str, ...] = HEADS_AND_RELATIONS

    def check(self) -> None:
        self._program()

    def files(self, files: TreebankFiles, **reading: Unpack[Reading]) -> TreebankFiles:
        """Return the paths of new files in this program's annotation, named like the originals.

        InputError: a file cannot be read, or there is no such program; RunError: it fails, or changes words.
        """

        def annotated_paths(paths: Iterable[Path]) -> tuple[Path, ...]:
            originals = (read_conllu(path, **reading) for path in paths)
            return tuple(self.file(file, **reading) for file in originals)

        train, dev, test = (annotated_paths(paths) for _, paths in files.splits())
        return replace(files, folder=None, train=train, dev=dev, test=test)

    def annotate_file(self, file: ConlluFile, **reading: Unpack[Reading]) -> ConlluFile:
        """Return a file in this program's annotation; it raises the errors of :meth:`files`.

        If a head or deprel differs, DEPS and empty nodes are dropped.
        """
        path = self.file(file, **reading)
        return read_conllu(path, **reading, name=f"{file.name} by {self.name}")

    def file(self, file: ConlluFile, **reading: Unpack[Reading]) -> Path:
        """Return the path of what :meth:`annotate_file` reads."""
        place = annotations_folder() / self._digest(file)
        path = place / (file.path.name.removesuffix(COMPRESSED) if file.path else "in.conllu")
        if not path.is_file():
            data = write_conllu(file, self._run(file, reading.get("multiple_roots", False)))
            with InputError.explain(f"{place} cannot be created", "set XDG_CACHE_HOME to a writable folder"):
                place.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
        return path

    def _digest(self, file: ConlluFile) -> str:
        digest = hashlib.sha256()
        contents = map(_content, self._named_files())
        for part in (file.data, self.definition.encode(), repr(self.command).encode(), *contents):
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()

    def _program(self) -> Path:
        return find_program(f"scheme {self.name}", self.command, self.folder)

    def _named_files(self) -> Iterator[Path]:
        """Yield the program and the files that its arguments or options name: ``--rules={folder}/x.txt``."""
        yield self._program()
        for part in self.command[1:]:
            _, folder, rest = part.partition("{folder}")
            path = Path(f"{self.folder}{rest}" if folder else part)
            if path.is_absolute() and os.path.isfile(path):  # pathlib raises an error for a long argument
                yield path

    def _run(self, file: ConlluFile, multiple_roots: bool) -> list[Tree]:
        if not file.sentences:
            return []
        with tempfile.TemporaryDirectory(prefix="learnability-scheme-", ignore_cleanup_errors=True) as work:
            folder, log = Path(work), Path(work, "messages.log")
            source, output = folder / "input.conllu", folder / "output.conllu"
            is_whole = file.columns.are_standard and not file.skipped
            source.write_bytes(file.data if is_whole else conllu_text(file.sentences).encode())
            problem = run_command(
                self.command,
                {"input": source, "output": output, "folder": self.folder},
                folder,
                log,
                self.time_limit,
                stdin=None if mentions(self.command, "input") else source,
                stdout=None if mentions(self.command, "output") else output,
                limits={output: most_output(source)},
            )
            if problem:
                self._fail(file, problem, log)
            try:
                answer = read_conllu(output, name="its output", multiple_roots=multiple_roots).sentences
            except InputError as error:
                self._fail(file, str(error).partition("; ")[0] if output.is_file() else "no output", log)
            if problem := _other_sentence(file.sentences, answer):
                self._fail(file, problem, log)
        names = [CHANGEABLE[column] for column in self.columns]
        trees = []
        for sentence, annotated in zip(file.sentences, answer, strict=True):
            changed = {name: getattr(annotated.tree, name) for name in names}
            trees.append(replace(sentence.tree, **changed))
        return trees

    def _fail(self, file: ConlluFile, problem: str, log: Path) -> NoReturn:
        raise RunError(f"scheme {self.name}: {file.name}: {with_log(problem, log, self.name)}")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except PermissionError:
        return b""


def _other_sentence(sentences: Sequence[Sentence], answer: Sequence[Sentence]) -> str:
    for sentence, annotated in zip(sentences, answer, strict=False):
        if problem := other_words(sentence.tree, annotated.tree):
            return f"its output:{annotated.line}: sentence {sentence.sent_id}: {problem}"
    if len(answer) == len(sentences):
        return ""
    if not answer:
        ends = "is empty"
    elif len(answer) < len(sentences):
        ends = f"ends after sentence {sentences[len(answer) - 1].sent_id}"
    else:
        ends = f"goes on after sentence {sentences[-1].sent_id}"
    return f"its output {ends}: {count_noun(len(answer), 'sentence')} for {len(sentences)}"
