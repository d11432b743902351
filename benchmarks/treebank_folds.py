"""What several benchmarks share: the treebanks named on the command line, read and encoded one by one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from learnability.experiments.fold import Fold, fold_of
from learnability.experiments.options import DataOptions, ExperimentOptions
from learnability.treebanks.locate import locate_treebank


def arguments(
    description: str, treebanks: Sequence[str] = (), release: str | None = None
) -> argparse.ArgumentParser:
    """The options that name treebanks; the first line of `description` is the help. Defaults may be given."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("treebanks", nargs="*" if treebanks else "+", default=treebanks or None)
    parser.add_argument("--ud-home")
    parser.add_argument("--release", default=release)
    return parser


def folds(
    given: argparse.Namespace, system: str = "arc-eager", judge: str = ""
) -> Iterator[tuple[str, Fold]]:
    """Each treebank's name and its sentences as a run reads them; without train, dev serves as train."""
    for name in given.treebanks:
        files = locate_treebank(name, ud_home=given.ud_home, release=given.release)
        judges = (judge,) if judge else ()
        options = ExperimentOptions((), system=system, judges=judges, data=DataOptions(missing_train="dev"))
        yield name, fold_of(files, options, 0)
