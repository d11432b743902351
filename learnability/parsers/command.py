"""Use any command as a parser: a TOML file says how to train and how to parse.

::

    name = "attach"                    # default: the name of the file
    description = "attaches each word to the likeliest word near it"
    train = ["python", "{folder}/attach.py", "train", "{train}", "{model}"]
    parse = ["python", "{folder}/attach.py", "parse", "{model}", "{input}", "{output}"]
    projective = true                  # training trees must be projective; default false
    threads = 1                        # processors that a training uses
    time_limit = 3600                  # seconds for a training, and for each parsing
    seconds = 0.2                      # of a training on 1,000 tokens, for the progress of a run
    seed_ratio = 1                     # how much its scores change with the seed (docs/howto/parsers.md)

Both commands run without a shell in a separate folder, which exists as long as the trained parser. The files
are CoNLL-U. Words have FORM, UPOS and XPOS (both tags are the tag of the run, because parsers differ in which
of them they read); all other columns are ``_``. Without ``{output}``, the parse is read from standard output.
docs/howto/parsers.md explains everything.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, NoReturn

import msgspec

from learnability.errors import InputError, RunError, meant
from learnability.parsers.trainer import ParserKind, Setup, TrainedParser, check_parses
from learnability.support.programs import (
    TIME_LIMIT,
    Command,
    find_program,
    mentions,
    most_output,
    read_command,
    read_time_limit,
    run_command,
    with_log,
)
from learnability.support.toml_section import SUFFIX, TomlSection, read_text
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree

KEYS = (
    *("name", "description", "train", "parse", "projective"),
    *("threads", "time_limit", "seconds", "seed_ratio"),
)
IN_TRAINING = ("train", "dev", "model", "seed", "folder", "tags", "iterations")
PLACEHOLDERS = (*IN_TRAINING, "input", "output")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class ReportedTraining(msgspec.Struct, frozen=True):
    """Report how a training went; a command may write this as ``training.json`` in its folder."""

    iterations: Count
    best_iteration: Count = 0
    dev_uas: list[float] = []


@dataclass(frozen=True)
class CommandTrainer:
    """Represent a command as a parser; see the module.

    `train_command`, `parse_command`: the program and its arguments, with placeholders. `folder`: the value of
    ``{folder}``. `time_limit`: seconds for a training, and for each parsing.
    """

    name: str
    setup: Setup
    train_command: Command
    parse_command: Command
    folder: Path = field(default_factory=Path)
    projective: bool = False
    threads: int = 1
    time_limit: float = TIME_LIMIT
    environment: Mapping[str, str] = field(default_factory=dict)

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Trainer` defines it; the seed orders the training sentences, too."""
        work = Path(tempfile.mkdtemp(prefix="learnability-parser-"))
        trained = _Trained(self, work, seed)
        weakref.finalize(trained, shutil.rmtree, work, ignore_errors=True)
        shuffled = Random(seed).sample(trees, len(trees))
        for name, sentences in (("train", shuffled), ("dev", dev)):
            text = conllu_text(_show_columns(tree, self.setup, learning=True) for tree in sentences)
            (work / f"{name}.conllu").write_text(text, encoding="utf-8", newline="\n")
        begin = time.perf_counter()
        trained.run("training", self.train_command, work / "train.log", {})
        seconds = time.perf_counter() - begin
        course = ReportedTraining(self.setup.iterations or 0)
        try:
            with suppress(FileNotFoundError):
                course = msgspec.json.decode((work / "training.json").read_bytes(), type=ReportedTraining)
        except (OSError, msgspec.DecodeError) as error:
            trained.fail(f"training wrote an invalid training.json ({error})", work / "train.log")
        return TrainedParser(
            trained.parse, course.iterations, seconds, course.best_iteration, list(course.dev_uas)
        )


def _show_columns(tree: Tree, setup: Setup, *, learning: bool = False) -> Tree:
    """Return what a command reads of a tree: forms and tags, and with `learning` heads and deprels."""
    seen = tree.as_seen(setup.tags)
    tags = tuple(tag or "_" for tag in seen.upos)
    heads, deprels = (tree.heads, _deprels(tree, setup)) if learning else ((), ())
    return Tree(seen.forms, tags, heads, deprels, xpos=tags)


def _deprels(tree: Tree, setup: Setup) -> tuple[str, ...]:
    return tree.deprels if setup.labelled else tuple("dep" if head else "root" for head in tree.heads)


@dataclass
class _Trained:
    """A working folder with the files that the training left there."""

    trainer: CommandTrainer
    work: Path
    seed: int
    parsed: int = 0

    def parse(self, sentences: Sequence[Tree]) -> list[Tree]:
        setup, name = self.trainer.setup, self.trainer.name
        if not sentences:
            return []
        self.parsed += 1
        names = (f"input{self.parsed}.conllu", f"output{self.parsed}.conllu", f"parse{self.parsed}.log")
        source, output, log = (self.work / file for file in names)
        text = conllu_text(_show_columns(tree, setup) for tree in sentences)
        source.write_text(text, encoding="utf-8", newline="\n")
        to_file = mentions(self.trainer.parse_command, "output")
        files = {"input": source, "output": output}
        stdout = None if to_file else output
        self.run("parsing", self.trainer.parse_command, log, files, stdout, {output: most_output(source)})
        if not output.is_file():
            self.fail("parsing wrote no output", log)
        try:
            answer = read_conllu(output, name="its output", multiple_roots=True).sentences
            for sentence in answer:
                if sum(not line.startswith("#") for line in sentence.lines) > len(sentence):
                    raise RunError(f"sentence {sentence.sent_id} of its output has lines that are not words")
            parses = [sentence.tree for sentence in answer]
            check_parses(name, sentences, parses)
        except (InputError, RunError) as error:
            self.fail(str(error).removeprefix(f"parser {name}: ").partition("; ")[0], log)
        finally:
            for path in (source, output):
                path.unlink(missing_ok=True)
        pairs = zip(sentences, parses, strict=True)
        return [tree.with_heads(parse.heads, _deprels(parse, setup)) for tree, parse in pairs]

    def run(
        self,
        step: str,
        command: Command,
        log: Path,
        files: Mapping[str, Path],
        stdout: Path | None = None,
        limits: Mapping[Path, int] | None = None,
    ) -> None:
        """Run the command to its end, and end every process that it started; RunError if it failed."""
        parser, setup = self.trainer, self.trainer.setup
        values = {
            "train": self.work / "train.conllu",
            "dev": self.work / "dev.conllu",
            "model": self.work / "model",
            "seed": self.seed,
            "folder": parser.folder,
            "tags": setup.tags,
            "iterations": setup.iterations,
            **files,
        }
        environment = {**dict.fromkeys(THREADS, str(parser.threads)), **parser.environment}
        problem = run_command(
            command, values, self.work, log, parser.time_limit,
            stdout=stdout, environment=environment, limits=limits,
        )  # fmt: skip
        if problem:
            self.fail(f"{step} {problem}", log)

    def fail(self, problem: str, log: Path) -> NoReturn:
        """Raise a RunError with the problem, the last line of the log and where the log is kept."""
        name = self.trainer.name
        raise RunError(f"parser {name}: {with_log(problem, log, name, self.trainer.setup.logs)}")


def read_parser(path: str | os.PathLike[str]) -> ParserKind:
    """Read a TOML file that defines a parser; an InputError is ``FILE:LINE: what is wrong; what to do``."""
    top = TomlSection.top(str(path), read_text(path, "parser file"))
    for key in top.values:
        if key not in KEYS:
            top.fail(f"the key {key!r} is unknown; {meant(key, KEYS)}", key)
    file = Path(path)
    name = top.name(top.text("name") or file.name.removesuffix(SUFFIX))
    train = read_command(top, "train", "train", IN_TRAINING, "train")
    parse = read_command(top, "parse", "parse", PLACEHOLDERS, "input")
    threads = top.number_above("threads", 0, 1, 1000)
    if threads != int(threads):
        top.fail(f"threads is {threads}; use a whole number", "threads")
    folder, projective = file.resolve().parent, top.truth("projective", False)
    time_limit = read_time_limit(top)
    parser = CommandTrainer(name, Setup(), train, parse, folder, projective, int(threads), time_limit)
    seconds = float(top.number_above("seconds", 0, 1, 100_000))
    return ParserKind(
        name,
        top.text("description") or f"defined in {file.name}",
        partial(_make, parser),
        (seconds, seconds),
        # only what determines the parses: users may raise a time limit before they continue a run
        sha256=hashlib.sha256(repr(({"train": train, "parse": parse}, projective)).encode()).hexdigest(),
        seed_ratio=float(top.number_above("seed_ratio", 0, 1, 1000)),
    )


def _make(trainer: CommandTrainer, setup: Setup, options: Mapping[str, str]) -> CommandTrainer:
    for command in (trainer.train_command, trainer.parse_command):
        find_program(f"parser {trainer.name}", command, trainer.folder)
    if setup.iterations and not mentions(trainer.train_command, "iterations"):
        advice = "leave out `iterations`, or add {iterations} to train"
        raise InputError(f"parser {trainer.name}: the command has no placeholder {{iterations}}; {advice}")
    return replace(trainer, setup=setup)


def own_program(module: str, name: str, setup: Setup, *arguments: str) -> CommandTrainer:
    """Return a projective parser whose program is a module of this package.

    Its command line is ``MODULE train|parse FILES ARGUMENTS``. A separate process isolates its messages,
    seeds and threads, and can be ended.
    """
    import learnability

    program = (sys.executable, "-W", "ignore", "-m", module)
    paths = (str(Path(learnability.__file__).parents[1]), os.environ.get("PYTHONPATH", ""))
    return CommandTrainer(
        name,
        setup,
        (*program, "train", "{train}", "{dev}", "{model}", "{seed}", *arguments),
        (*program, "parse", "{input}", "{output}", "{model}"),
        projective=True,
        time_limit=7 * 86_400,
        environment={"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
