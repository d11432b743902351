"""What several benchmarks share: treebanks named on the command line, processor seconds, scores, rows."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.judges.registry import judge_named
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsing.projectivity import lift
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

T = TypeVar("T")


def arguments(
    description: str, treebanks: Sequence[str] = (), release: str | None = None
) -> argparse.ArgumentParser:
    """The options that name treebanks; the first line of `description` is the help. Defaults may be given."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("treebanks", nargs="*" if treebanks else "+", default=treebanks or None)
    parser.add_argument("--ud-home")
    parser.add_argument("--release", default=release)
    return parser


def folds(given: argparse.Namespace, judge: str = "arc-eager") -> Iterator[tuple[str, Fold]]:
    """Each treebank's name and its sentences as a run reads them; without train, dev serves as train."""
    for name in given.treebanks:
        files = locate_treebank(name, ud_home=given.ud_home, release=given.release)
        data = DataOptions(splits="dev")
        options = ExperimentOptions((), judges=(judge_named(judge),), data=data)
        yield name, fold_of(files, options, 0)


def training_trees(given: argparse.Namespace) -> dict[str, list[Tree]]:
    """The projective trees that each treebank is trained on; with `--joined` those of all as one."""
    parts = {name: lift(fold.ud.train) for name, fold in folds(given)}
    if given.joined:
        return {" + ".join(parts): [tree for trees in parts.values() for tree in trees]}
    return parts


def processor_seconds() -> float:
    """What this process has taken so far, and those that it started and that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of the work, and what it gives."""
    before = processor_seconds()
    result = work()
    return processor_seconds() - before, result


def fastest(
    work: Callable[[], T], repeat: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, T]:
    """The seconds of the fastest of some calls, by default of this process, and what the last one gives."""
    seconds = []
    for _ in range(repeat):
        before = clock()
        result = work()
        seconds.append(clock() - before)
    return min(seconds), result


def accuracy(gold: Sequence[Tree], parsed: Sequence[Tree]) -> tuple[float, float]:
    """UAS and LAS in percent."""
    tokens = sum(map(len, gold))
    uas, las = (100 * float(correct_tokens(gold, parsed, score).sum()) / tokens for score in Score)
    return uas, las


def row(*values: object) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(map(str, values))} |"
