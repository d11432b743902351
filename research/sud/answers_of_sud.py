"""Is UD or SUD easier, and which step of SUD makes the difference?

    python research/sud/answers_of_sud.py train FOLDER [TREEBANK... --release R] [--words 8000] [--published FILE]
    python research/sud/answers_of_sud.py tables FOLDER

`train` cuts the first words of each treebank, and carries out a run of all treebanks for each setting. Every
sentence is tested, in four folds, with one seed. A run that is finished is not carried out again, and one that was
broken off goes on. FILE is the SUD version of UD_French-Sequoia. `tables` prints what the
finished runs of a folder show.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from learnability.treebanks.locate import locate_treebank
from research.support.treebank_folds import EIGHT

WORDS, FOLDS, SEEDS = 8000, 4, 1

STEPS = (
    *(f"{name}:reattach=sud" for name in ("case", "cop", "mark", "aux")),
    *("reparandum", "mwe", "name", "foreign", "conjuncts"),
)
"""The constructions of which SUD consists."""

HEADS = str(Path(__file__).with_name("heads.toml"))
"""All steps together, with UD's relations."""

PUBLISHED = "UD_French-Sequoia"
"""The treebank of which there is a published SUD version."""

NEURAL = (PUBLISHED,)
"""The treebanks of the neural parser, which takes longest."""

UNTIL_PUBLISHED = 4
"""The number of settings in which the published trees are compared, too: those with gold tags."""


@dataclass(frozen=True)
class Setting:
    """Name what parsers are trained, what they see and what they predict.

    Attributes:
        parser: the parser.
        labelled: whether it predicts relations.
        tags: the tags that it sees.
        steps: whether it learns each step of SUD, or SUD alone.
        treebanks: the treebanks, by default all.
    """

    parser: str
    labelled: bool
    tags: str = "gold"
    steps: bool = False
    treebanks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the setting as a folder."""
        return "-".join((self.parser, "labelled" if self.labelled else "unlabelled", self.tags))

    def words(self) -> Iterator[str]:
        """Yield the setting as options of `run`."""
        yield from ("--parser", self.parser, "--tags", self.tags, "--seeds", str(SEEDS))
        if self.labelled:
            yield "--labelled"

    def alternatives(self) -> Iterator[str]:
        """Yield the alternatives as options of `run`."""
        yield from ("--alternative", "sud")
        if self.steps:
            yield from (word for step in STEPS for word in ("--transform", step))
        if self.labelled:  # without labels these are the trees of `sud`
            yield from ("--alternative", HEADS)


SETTINGS = (
    Setting("arc-eager", labelled=False, steps=True),
    Setting("graph", labelled=False, steps=True),
    Setting("arc-eager", labelled=True),
    Setting("graph", labelled=True),
    Setting("arc-eager", labelled=True, tags="predicted"),
    Setting("graph", labelled=True, tags="predicted"),
    Setting("arc-eager", labelled=False, tags="predicted"),
    Setting("graph", labelled=False, tags="predicted"),
    Setting("biaffine", labelled=True, treebanks=NEURAL),
)


def first_words(sources: Sequence[Path], words: int) -> str:
    """Return the first sentences of files that have together at most a number of words."""
    kept: list[str] = []
    for sentence in (text for file in sources for text in file.read_text("utf-8").strip("\n").split("\n\n")):
        words -= sum(line.split("\t", 1)[0].isdigit() for line in sentence.split("\n"))
        if words < 0:
            break
        kept.append(sentence)
    return "\n\n".join([*kept, ""]) + "\n"


def train(given: argparse.Namespace) -> None:
    """Carry out the runs that are missing."""
    folder = Path(given.folder)
    chosen = {given.release: given.treebanks} if given.treebanks else EIGHT
    cut: dict[str, Path] = {}
    for release, names in chosen.items():
        for name in names:
            files = locate_treebank(name, ud_home=given.ud_home, release=release)
            paths = tuple(files.paths())
            cut[name] = folder / "cut" / paths[0].parent.parent.name / name
            cut[name].mkdir(parents=True, exist_ok=True)
            (cut[name] / paths[0].name).write_text(first_words(paths, given.words), encoding="utf-8")
    for number, setting in enumerate(SETTINGS):
        used = [cut[name] for name in cut if not setting.treebanks or name in setting.treebanks]
        if used:
            carry_out(folder / "runs" / setting.name, used, setting, setting.alternatives())
        if given.published and number < UNTIL_PUBLISHED:
            published = ("--alternative", os.path.abspath(given.published))
            carry_out(folder / "published" / setting.name, [cut[PUBLISHED]], setting, published)


def carry_out(out: Path, treebanks: Sequence[Path], setting: Setting, alternatives: Iterable[str]) -> None:
    """Carry out a run that is not finished."""
    if (out / "results.csv").exists():
        return
    words = [word for treebank in treebanks for word in ("--treebank", str(treebank))]
    words += ["--cross-validate", str(FOLDS), *setting.words(), *alternatives]
    words += ["--jobs", "1", "--out", str(out), "--resume", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "learnability", "run", *words], check=True, stdout=subprocess.DEVNULL
    )
    print(out, flush=True)


def main() -> None:
    """Carry out the runs, or print the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = options.add_subparsers(required=True)
    of_train = commands.add_parser("train")
    of_train.add_argument("folder")
    of_train.add_argument("treebanks", nargs="*")
    of_train.add_argument("--ud-home")
    of_train.add_argument("--release")
    of_train.add_argument("--words", type=int, default=WORDS)
    of_train.add_argument("--published")
    of_train.set_defaults(carry_out=train)
    given = options.parse_args()
    given.carry_out(given)


if __name__ == "__main__":
    main()
