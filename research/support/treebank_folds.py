"""What several studies share: treebanks from the command line, processor seconds, scores, rows."""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.metrics.scores import ANSWERED, correct_tokens
from learnability.parsers.registry import parser_named
from learnability.parsing.projectivity import lift
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

T = TypeVar("T")

EIGHT = {
    "1.3": ("UD_Greek", "UD_Turkish", "UD_Hungarian", "UD_Irish", "UD_Chinese"),
    "2.16": ("UD_English-LinES", "UD_French-Sequoia", "UD_Tamil-TTB"),
}
"""Treebanks of eight families or branches, by release."""


def arguments(
    description: str, treebanks: Sequence[str] = (), release: str | None = None
) -> argparse.ArgumentParser:
    """Return a parser with the options that name treebanks; the first line of `description` is the help."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("treebanks", nargs="*" if treebanks else "+", default=treebanks or None)
    parser.add_argument("--ud-home")
    parser.add_argument("--release", default=release)
    return parser


def folds(command_line: argparse.Namespace, parser: str = "arc-eager") -> Iterator[tuple[str, Fold]]:
    """Yield each treebank's name and its sentences as a run reads them; without train, dev replaces it."""
    for name in command_line.treebanks:
        files = locate_treebank(name, ud_home=command_line.ud_home, release=command_line.release)
        data = DataOptions(splits="dev")
        options = ExperimentOptions((), parsers=(parser_named(parser),), data=data)
        yield name, fold_of(files, options, 0)


def eight_or_named(command_line: argparse.Namespace) -> Iterator[tuple[str, Fold]]:
    """Yield the treebanks that were named; if this is the single word `eight`, those of `EIGHT`."""
    if tuple(command_line.treebanks) != ("eight",):
        yield from folds(command_line)
        return
    for release, names in EIGHT.items():
        of_release = argparse.Namespace(**{**vars(command_line), "release": release, "treebanks": names})
        yield from folds(of_release)


def training_trees(command_line: argparse.Namespace) -> dict[str, list[Tree]]:
    """Return each treebank's projective training trees; with `--joined` those of all treebanks together."""
    parts = {name: lift(fold.ud.train) for name, fold in folds(command_line)}
    if command_line.joined:
        return {" + ".join(parts): [tree for trees in parts.values() for tree in trees]}
    return parts


def processor_seconds() -> float:
    """Return the processor seconds of this process and of its child processes that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the processor seconds of the work, and its result."""
    before = processor_seconds()
    result = work()
    return processor_seconds() - before, result


def alone(work: Callable[..., T], *arguments: object) -> T:
    """Return what work returns in a process of its own, whose memory no other work has used."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as process:
        return process.submit(work, *arguments).result()


def most_memory() -> int:
    """Return the most memory of this process, or of one that it started and that has ended, in megabytes."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(each).ru_maxrss for each in whose) // 1024


def fastest(
    work: Callable[[], T], repeat: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, T]:
    """Return the seconds of the fastest of several calls, and the last result."""
    seconds = []
    for _ in range(repeat):
        before = clock()
        result = work()
        seconds.append(clock() - before)
    return min(seconds), result


def accuracy(gold: Sequence[Tree], parsed: Sequence[Tree]) -> tuple[float, float]:
    """Return UAS and LAS in percent."""
    tokens = sum(map(len, gold))
    uas, las = (100 * float(correct_tokens(gold, parsed, score).sum()) / tokens for score in ANSWERED)
    return uas, las


def row(*values: object) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(map(str, values))} |"
