"""Any command as a judge: a TOML file says how to train and how to parse.

::

    name = "attach"                    # default: the name of the file
    description = "attaches each word to the likeliest one near it"
    train = ["python", "{folder}/attach.py", "train", "{train}", "{model}"]
    parse = ["python", "{folder}/attach.py", "parse", "{model}", "{input}", "{output}"]
    projective = true                  # its training trees have to be; default false
    threads = 1                        # processors that a training takes
    time_limit = 3600                  # seconds for a training, and for each parsing
    seconds = 0.2                      # of a training on 1,000 tokens, for the progress of a run
    seed_ratio = 1                     # how much its scores change with the seed (docs/judges.md)

Both commands run without a shell in a folder of their own, which is there as long as the trained parser.
The files are CoNLL-U; what a word is seen by stands in FORM, UPOS and XPOS (the tag of the run in both, as
parsers differ in which they read), all else is ``_``. Without ``{output}``, standard output is the parse.
docs/judges.md has all of it.
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
from learnability.judges.judge import JudgeKind, Setup, TrainedParser, check_parses
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


class Course(msgspec.Struct, frozen=True):
    """How a training went: what a command may leave as ``training.json`` in its folder."""

    iterations: Count
    best_iteration: Count = 0
    dev_uas: list[float] = []


@dataclass(frozen=True)
class CommandJudge:
    """A command as a judge; see the module.

    Attributes:
        train_command, parse_command: the program and its arguments, with placeholders.
        folder: the value of ``{folder}``.
        environment: variables that the commands get beside our own.
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
        """See :class:`Judge`; the seed orders the training sentences, and is told to the command."""
        work = Path(tempfile.mkdtemp(prefix="learnability-judge-"))
        trained = _Trained(self, work, seed)
        weakref.finalize(trained, shutil.rmtree, work, ignore_errors=True)
        shuffled = Random(seed).sample(trees, len(trees))
        for name, sentences in (("train", shuffled), ("dev", dev)):
            text = conllu_text(_seen(tree, self.setup, learning=True) for tree in sentences)
            (work / f"{name}.conllu").write_text(text, encoding="utf-8", newline="\n")
        begin = time.perf_counter()
        trained.run("training", self.train_command, work / "train.log", {})
        seconds = time.perf_counter() - begin
        course = Course(self.setup.iterations or 0)
        try:
            with suppress(FileNotFoundError):
                course = msgspec.json.decode((work / "training.json").read_bytes(), type=Course)
        except (OSError, msgspec.DecodeError) as error:
            trained.fail(f"training left a training.json that tells nothing ({error})", work / "train.log")
        return TrainedParser(
            trained.parse, course.iterations, seconds, course.best_iteration, list(course.dev_uas)
        )


def _seen(tree: Tree, setup: Setup, *, learning: bool = False) -> Tree:
    """What a command sees of a tree: forms and tags, and in `learning` what there is to learn."""
    # here, because it takes long, and the programs of our own judges do without it
    from learnability.parsing.encoding import tags_seen

    tags = tuple(tag or "_" for tag in tags_seen(tree, setup.tags))
    heads, deprels = (tree.heads, _deprels(tree, setup)) if learning else ((), ())
    return Tree(tree.forms, tags, heads, deprels, xpos=tags)


def _deprels(tree: Tree, setup: Setup) -> tuple[str, ...]:
    return tree.deprels if setup.labelled else tuple("dep" if head else "root" for head in tree.heads)


@dataclass
class _Trained:
    """A working folder with what training left there."""

    judge: CommandJudge
    work: Path
    seed: int
    parsed: int = 0

    def parse(self, sentences: Sequence[Tree]) -> list[Tree]:
        """See :class:`TrainedParser`."""
        setup, name = self.judge.setup, self.judge.name
        if not sentences:
            return []
        self.parsed += 1
        names = (f"input{self.parsed}.conllu", f"output{self.parsed}.conllu", f"parse{self.parsed}.log")
        source, output, log = (self.work / file for file in names)
        text = conllu_text(_seen(tree, setup) for tree in sentences)
        source.write_text(text, encoding="utf-8", newline="\n")
        to_file = mentions(self.judge.parse_command, "output")
        files = {"input": source, "output": output}
        stdout = None if to_file else output
        self.run("parsing", self.judge.parse_command, log, files, stdout, {output: most_output(source)})
        if not output.is_file():
            self.fail("parsing left no output", log)
        try:
            answer = read_conllu(output, name="its output", multiple_roots=True).sentences
            for sentence in answer:
                if sum(not line.startswith("#") for line in sentence.lines) > len(sentence):
                    raise RunError(f"its output: sentence {sentence.sent_id}: lines that are no words")
            parses = [sentence.tree for sentence in answer]
            check_parses(name, sentences, parses)
        except (InputError, RunError) as error:
            self.fail(str(error).removeprefix(f"judge {name}: ").partition("; ")[0], log)
        finally:
            for path in (source, output):
                path.unlink(missing_ok=True)
        pairs = zip(sentences, parses, strict=True)
        return [tree.with_heads(parse.heads, _deprels(parse, setup)) for tree, parse in pairs]

    def run(
        self,
        what: str,
        command: Command,
        log: Path,
        files: Mapping[str, Path],
        stdout: Path | None = None,
        limits: Mapping[Path, int] | None = None,
    ) -> None:
        """Run the command to its end, and end what it started.

        Raises:
            RunError: it fails, takes too long, or writes too much.
        """
        judge, setup = self.judge, self.judge.setup
        values = {
            "train": self.work / "train.conllu",
            "dev": self.work / "dev.conllu",
            "model": self.work / "model",
            "seed": self.seed,
            "folder": judge.folder,
            "tags": setup.tags,
            "iterations": setup.iterations,
            **files,
        }
        environment = {**dict.fromkeys(THREADS, str(judge.threads)), **judge.environment}
        problem = run_command(
            command, values, self.work, log, judge.time_limit,
            stdout=stdout, environment=environment, limits=limits,
        )  # fmt: skip
        if problem:
            self.fail(f"{what} {problem}", log)

    def fail(self, problem: str, log: Path) -> NoReturn:
        """Raise what is wrong, with the last line of the log and where it is kept."""
        name = self.judge.name
        raise RunError(f"judge {name}: {with_log(problem, log, name, self.judge.setup.logs)}")


def read_judge(path: str | os.PathLike[str]) -> JudgeKind:
    """The kind of judge that a TOML file defines; InputError: ``FILE:LINE: what is wrong; what to do``."""
    top = TomlSection.top(str(path), read_text(path, "judge file"), "judge")
    for key in top.values:
        if key not in KEYS:
            top.fail(f"unknown key {key!r}; {meant(key, KEYS)}", key)
    file = Path(path)
    name = top.name(top.text("name") or file.name.removesuffix(SUFFIX))
    train = read_command(top, "train", "train", IN_TRAINING, "train")
    parse = read_command(top, "parse", "parse", PLACEHOLDERS, "input")
    threads = top.number_above("threads", 0, 1)
    if threads != int(threads):
        top.fail(f"threads is {threads}; give a whole number", "threads")
    folder, projective = file.resolve().parent, top.truth("projective", False)
    time_limit = read_time_limit(top)
    judge = CommandJudge(name, Setup(), train, parse, folder, projective, int(threads), time_limit)
    seconds = float(top.number_above("seconds", 0, 1))
    return JudgeKind(
        name,
        top.text("description") or f"defined in {file.name}",
        partial(_make, judge),
        (seconds, seconds),
        # of what determines the parses: a time limit may be raised before a run is continued
        sha256=hashlib.sha256(repr(({"train": train, "parse": parse}, projective)).encode()).hexdigest(),
        seed_ratio=float(top.number_above("seed_ratio", 0, 1)),
    )


def _make(judge: CommandJudge, setup: Setup, options: Mapping[str, str]) -> CommandJudge:
    """The judge of a run; InputError where its programs are not there, or it cannot do what is asked for."""
    for command in (judge.train_command, judge.parse_command):
        find_program(f"judge {judge.name}", command, judge.folder)
    if setup.iterations and not mentions(judge.train_command, "iterations"):
        advice = "leave out `iterations`, or add {iterations} to train"
        raise InputError(f"judge {judge.name} does not say where its command takes {{iterations}}; {advice}")
    return replace(judge, setup=setup)


def own_program(module: str, name: str, setup: Setup, *arguments: str) -> CommandJudge:
    """A projective judge whose program is a module of this package: ``MODULE train|parse FILES ARGUMENTS``.

    A process of its own keeps its messages, seeds and threads apart from ours, and can be ended.
    """
    import learnability

    program = (sys.executable, "-W", "ignore", "-m", module)
    paths = (str(Path(learnability.__file__).parents[1]), os.environ.get("PYTHONPATH", ""))
    return CommandJudge(
        name,
        setup,
        (*program, "train", "{train}", "{dev}", "{model}", "{seed}", *arguments),
        (*program, "parse", "{input}", "{output}", "{model}"),
        projective=True,
        time_limit=7 * 86_400,
        environment={"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
