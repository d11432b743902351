"""Replay the work of a maintainer: a later release answers, and each answer may change the order of doubts.

    python research/doubts/replay.py OLD NEW --runs FOLDER [--treebank UD_X@RELEASE ...] [--fit ...]

OLD are folders of releases, separated by commas, and NEW is the latest. Each treebank of OLD is compared with
all later releases. A doubt is accepted if the later release has another head or another universal relation
for the word, and rejected otherwise; words of sentences whose words it changed are left out. The order that
decisions teach (`learning`) is compared with the fixed order of the scores. Their weights are fitted
on the treebanks of `--fit` in other languages; without any they are those of the package.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, median

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.learning import DecidedExample, DoubtFeatures, learn
from learnability.extensions.doubts.listing import POOL, AssessedTreebank, load_all_weights
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.splits import read_treebank
from research.doubts.doubts import Assessed, assessed, compared, doubted, model_of, print_row, with_release

AT = (50, 100, 300)
"""The decisions after which corrections are counted."""

FEWEST = 300
"""Corrections of a pair of releases that is replayed, at least."""


@dataclass(frozen=True)
class Replay:
    """Hold what a pair of releases gives.

    Attributes:
        name: the treebank and both releases.
        corrections: in the whole treebank.
        fixed, learned: corrections found after each number of decisions of `AT`.
    """

    name: str
    corrections: int
    fixed: Sequence[int]
    learned: Sequence[int]

    @property
    def gain(self) -> float:
        """Return the corrections after the last decision, as a multiple of those of the fixed order."""
        return self.learned[-1] / max(self.fixed[-1], 1)


def found_in_learned_order(doubts: Sequence[Doubt], is_wrong: Sequence[bool], decisions: int) -> list[bool]:
    """Return the answers to doubts if each decision changes the order of what is left.

    Args:
        doubts: in the order of their scores.
        is_wrong: the answer to each.
        decisions: how many are made.
    """
    traits = DoubtFeatures()
    seen = [traits.see(doubt.score, doubt.pattern, doubt.content) for doubt in doubts]
    lessons: list[DecidedExample] = []
    left = list(range(len(doubts)))
    while left and len(lessons) < decisions:
        order = learn(lessons, traits.spreads)
        chosen = max(left, key=lambda place: (order.score(seen[place]), -place))
        left.remove(chosen)
        lessons.append(DecidedExample(seen[chosen], is_wrong[chosen]))
    return [lesson.is_wrong for lesson in lessons]


def count_at(answers: Sequence[bool]) -> list[int]:
    """Return how many answers are yes after each number of decisions of `AT`."""
    return [sum(answers[:count]) for count in AT]


def replay(name: str, treebank: Assessed, listed: AssessedTreebank) -> Replay:
    """Return what a pair of releases gives."""
    corrected = treebank.corrected(subtypes=False)
    order = [word for word in listed.order() if treebank.known[word]][:POOL]
    doubts = [listed.doubt(word) for word in order]
    is_wrong = [bool(corrected[word]) for word in order]
    learned = found_in_learned_order(doubts, is_wrong, AT[-1])
    return Replay(name, int(corrected.sum()), count_at(is_wrong), count_at(learned))


def replays(
    releases: Sequence[Path], names: Sequence[str], runs: Path, weights: dict[str, LogisticModel], fewest: int
) -> Iterator[Replay]:
    """Yield what all pairs of releases with at least so many corrections give."""
    for place, folder in enumerate(releases[:-1]):
        for files in list_treebanks(folder):
            if names and f"{files.name}@{files.release}" not in names:
                continue
            words = assessed(doubted(path_of(files), f"{files.name}-{files.release}", runs))
            language = files.name.removeprefix("UD_").partition("-")[0]
            listed = AssessedTreebank.of(words, weights.get(language) or load_all_weights()[HEAD])
            for later in releases[place + 1 :]:
                newer = {each.name: each for each in list_treebanks(later)}.get(files.name)
                if newer is None:
                    continue
                parts = read_treebank(newer, multiple_roots=True).splits()
                sentences = [sentence for _, part in parts for sentence in part]
                treebank = with_release(words, files.name, files.release, sentences)
                if treebank.corrected(subtypes=False).sum() >= fewest:
                    name = f"{files.name.removeprefix('UD_')} {files.release} to {newer.release}"
                    yield replay(name, treebank, listed)


def path_of(files: TreebankFiles) -> Path:
    """Return the folder of a treebank."""
    return (files.train or files.dev or files.test)[0].parent


def weights_of_others(fitted: Sequence[Assessed]) -> dict[str, LogisticModel]:
    """Return, by language, weights that are fitted on the treebanks of all other languages."""

    @cache
    def without(language: str) -> LogisticModel:
        return model_of([treebank for treebank in fitted if treebank.language != language])

    languages = {treebank.language for treebank in fitted}
    return {language: without(language) for language in languages} if len(languages) > 1 else {}


def print_table(rows: Sequence[Replay]) -> None:
    """Print the corrections that both orders find, and the mean of the gains."""
    headings = [f"{order} {count}" for order in ("fixed", "learned") for count in AT]
    print_row("treebank and releases", "corrections", *headings, "gain")
    print_row("---", *["--:"] * (len(headings) + 2))
    for row in rows:
        counts = (f"{count:,}" for count in (row.corrections, *row.fixed, *row.learned))
        print_row(row.name, *counts, f"{row.gain:.2f}")
    gains = [row.gain for row in rows]
    if gains:
        for name, gain in (
            (f"mean of {len(rows)}", fmean(gains)), ("median", median(gains)), ("lowest", min(gains))
        ):  # fmt: skip
            print_row(name, *[""] * (len(headings) + 1), f"{gain:.2f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("old", help="folders of old releases, the oldest first, separated by commas")
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    for option in ("--treebank", "--fit"):
        parser.add_argument(option, action="append", default=[], metavar="UD_X@RELEASE")
    parser.add_argument("--fewest", type=int, default=FEWEST, help="corrections of a pair, at least")
    line = parser.parse_args()
    line.runs.mkdir(parents=True, exist_ok=True)
    old = [Path(folder) for folder in line.old.split(",")]
    fitted = [each for folder in old if line.fit for each in compared(folder, line.new, line.fit, line.runs)]
    weights = weights_of_others(fitted)
    print_table(list(replays([*old, line.new], line.treebank, line.runs, weights, line.fewest)))


if __name__ == "__main__":
    main()
