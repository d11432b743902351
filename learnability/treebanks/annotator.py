"""Programs that annotate anew: they read CoNLL-U and give the same words other heads and relations.

A program is run once for a file. What it gave is kept in the cache, beside downloaded treebanks, under a
digest of all that is known to decide it: the file's bytes, the definition of the command, and the contents of
the program and of every file that the command names.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from learnability.errors import InputError, RunError, explained
from learnability.support.files import write_atomically
from learnability.support.programs import Command, find_program, mentions, most_output, run_command, with_log
from learnability.treebanks import locate
from learnability.treebanks.conllu_io import ConlluFile, other_words, read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree


def annotations_folder() -> Path:
    """Where annotations by programs are kept; whatever is removed there is made again."""
    return locate.cache_folder().parent / "annotations"


@dataclass(frozen=True)
class Annotator:
    """A program that annotates CoNLL-U anew.

    Attributes:
        name: what messages call it.
        command: with the placeholders ``{input}`` and ``{output}`` (standard input and output where it has
            none) and ``{folder}``.
        folder: the value of ``{folder}``.
        time_limit: seconds for each file.
        definition: the text that defines it; where any of it changes, its command is run again.
    """

    name: str
    command: Command
    folder: Path
    time_limit: float
    definition: str = ""

    def check(self) -> None:
        """InputError where the program is not there."""
        self._program()

    def files(self, files: TreebankFiles, *, multiple_roots: bool = False) -> TreebankFiles:
        """The treebank in its annotation: where the files are, each with the name of the one it is made of.

        InputError for a file that cannot be read, or without the program; RunError where it fails, or its
        answer is not a tree of the same words.
        """

        def made(paths: Iterable[Path]) -> tuple[Path, ...]:
            read = (read_conllu(path, multiple_roots=multiple_roots) for path in paths)
            return tuple(self.file(file, multiple_roots=multiple_roots) for file in read)

        train, dev, test = (made(paths) for _, paths in files.splits())
        return replace(files, folder=None, train=train, dev=dev, test=test)

    def annotated(self, file: ConlluFile, *, multiple_roots: bool = False) -> ConlluFile:
        """A file in its annotation: HEAD and DEPREL are the program's; where any differs, DEPS and empty
        nodes are dropped; all else is as it was. Errors as of :meth:`files`."""
        path = self.file(file, multiple_roots=multiple_roots)
        return read_conllu(path, multiple_roots=multiple_roots, name=f"{file.name} by {self.name}")

    def file(self, file: ConlluFile, *, multiple_roots: bool = False) -> Path:
        """Where :meth:`annotated` is."""
        place = annotations_folder() / self._digest(file)
        path = place / (file.path.name if file.path else "in.conllu")
        if not path.is_file():
            data = write_conllu(file, self._run(file, multiple_roots))
            with explained(f"{place}: cannot be made", "let XDG_CACHE_HOME name a folder to write to"):
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
        """The program, and the files among its arguments, also in an option: ``--rules={folder}/x.txt``."""
        yield self._program()
        for part in self.command[1:]:
            _, folder, rest = part.partition("{folder}")
            path = Path(f"{self.folder}{rest}" if folder else part)
            if path.is_absolute() and os.path.isfile(path):  # of pathlib, a long argument is an error
                yield path

    def _run(self, file: ConlluFile, multiple_roots: bool) -> list[Tree]:
        """The trees that the program gives the sentences of the file."""
        if not file.sentences:
            return []
        with tempfile.TemporaryDirectory(prefix="learnability-scheme-", ignore_cleanup_errors=True) as work:
            folder, log = Path(work), Path(work, "messages.log")
            source, output = folder / "input.conllu", folder / "output.conllu"
            source.write_bytes(file.data)
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
        pairs = zip(file.sentences, answer, strict=True)
        return [own.tree.with_heads(other.tree.heads, other.tree.deprels) for own, other in pairs]

    def _fail(self, file: ConlluFile, problem: str, log: Path) -> NoReturn:
        raise RunError(f"scheme {self.name}: {file.name}: {with_log(problem, log, self.name)}")


def _content(path: Path) -> bytes:
    """The bytes of a file; none of a program that may be run, but not read."""
    try:
        return path.read_bytes()
    except PermissionError:
        return b""


def _other_sentence(sentences: Sequence[Sentence], answer: Sequence[Sentence]) -> str:
    """The first sentence whose words are not the same in the answer, in words; else empty."""
    for own, other in zip(sentences, answer, strict=False):
        if problem := other_words(own.tree, other.tree):
            return f"its output:{other.line}: sentence {own.sent_id}: {problem}"
    both = min(len(sentences), len(answer))
    if len(answer) == len(sentences):
        return ""
    last = f"ends after sentence {sentences[both - 1].sent_id}" if both else "is empty"
    ends = last if both == len(answer) else f"goes on after sentence {sentences[-1].sent_id}"
    return f"its output {ends}: {len(answer)} sentences for {len(sentences)}"
