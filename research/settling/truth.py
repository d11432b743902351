"""How often the sides that `run --settle` names in a small treebank are those of a large one.

The sentences of a treebank are shuffled and cut into disjoint parts. Each part is a small treebank: it is run
and settled, and knows nothing of the others. Then parsers that are trained on the part are tested on all the
others, and the sign of that difference is the truth.

    python research/settling/truth.py UD_English-LinES UD_French-Sequoia [--release 2.16] [--parts 5]
        [--seeds 5] [--transform case ...] [--out DIR]
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from learnability.evidence.questions import Answer
from learnability.metrics.scores import FEWEST
from learnability.statistics.inference import ALPHA, EFFECT
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank
from research.support.treebank_folds import arguments, row

SHARES = (0.8, 0.1)
"""The training and the development set of a part; the rest is its test set."""


@dataclass(frozen=True)
class Found:
    """What was found of a construction in a part: UD minus the alternative in points, and what is clear."""

    delta: float
    clear: bool
    equal: bool


def main() -> None:
    """Print one line per part, and one for all together."""
    parser = arguments(__doc__, ("UD_English-LinES", "UD_French-Sequoia"), "2.16")
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--transform", nargs="+", default=PAPER)
    parser.add_argument("--out", help="keep the runs in this folder")
    command_line = parser.parse_args()
    print(row("part", "questions", "sides named", "right", "equal", "below half a point in the rest", "open"))
    print(row(*["---"] * 7))
    total = np.zeros(6, np.int64)
    with tempfile.TemporaryDirectory() as temporary:
        for name in command_line.treebanks:
            sentences = shuffled(name, command_line.ud_home, command_line.release)
            cuts = np.linspace(0, len(sentences), command_line.parts + 1).astype(int)
            for number, (start, end) in enumerate(pairwise(cuts), 1):
                folder = Path(command_line.out or temporary) / f"{Path(name).name}-{number}"
                part, others = sentences[start:end], [*sentences[:start], *sentences[end:]]
                counts = held_against(part, others, folder, command_line.transform, command_line.seeds)
                total += counts
                print(row(folder.name, *counts), flush=True)
    print(row("all", *total))


def shuffled(name: str, ud_home: str | None, release: str | None) -> list[str]:
    """Return all sentences of a treebank as CoNLL-U, in an order that is always the same."""
    files = locate_treebank(name, ud_home=ud_home, release=release)
    blocks = []
    for path in (*files.train, *files.dev, *files.test):
        blocks += [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
    order = np.random.default_rng(1).permutation(len(blocks))
    return [f"{blocks[number].strip()}\n\n" for number in order]


def held_against(
    part: Sequence[str], others: Sequence[str], folder: Path, transforms: Sequence[str], seeds: int
) -> list[int]:
    """Return the counts of a line: what is found in a part, and how much of it holds in the others."""
    train, dev = (round(share * len(part)) for share in SHARES)
    training, development, test = part[:train], part[train : train + dev], part[train + dev :]
    small = written(folder / "small", training, development, test)
    large = written(folder / "large", training, development, others)
    chosen = [word for transform in transforms for word in ("--transform", transform)]
    learnability(
        "run", "--treebank", str(small), *chosen, "--budget", "10h", "--out", str(folder / "settled")
    )
    learnability(
        "run",
        "--test-set",
        "--treebank",
        str(large),
        *chosen,
        "--seeds",
        str(seeds),
        "--out",
        str(folder / "truth"),
    )
    answers = dict(found(folder / "settled" / "results.csv"))
    truth = dict(found(folder / "truth" / "results.csv"))
    held = [(answer, truth[name]) for name, answer in answers.items() if name in truth]
    named = [(answer, true) for answer, true in held if answer.clear]
    equal = [true for answer, true in held if answer.equal and not answer.clear]
    right = sum(answer.delta * true.delta > 0 for answer, true in named)
    small_in_rest = sum(abs(true.delta) < EFFECT for true in equal)
    return [len(held), len(named), right, len(equal), small_in_rest, len(held) - len(named) - len(equal)]


def written(folder: Path, train: Sequence[str], dev: Sequence[str], test: Sequence[str]) -> Path:
    """Return the folder of a treebank with these sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, sentences in (("train", train), ("dev", dev), ("test", test)):
        (folder / f"part-ud-{part}.conllu").write_text("".join(sentences), encoding="utf-8")
    return folder


def learnability(*words: str) -> None:
    """Run a command."""
    command = [sys.executable, "-m", "learnability", *words, "--jobs", "1", "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def found(path: Path) -> Iterator[tuple[str, Found]]:
    """Yield each construction of a table with enough places, and what was found of it."""
    if not path.exists():  # nothing was open
        return
    with open(path, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            places = int(line["places"] or 0) + int(line["test_places"] or 0)
            if line["uas_delta"] and places >= FEWEST.places:
                clear = bool(line["uas_p_holm"]) and float(line["uas_p_holm"]) < ALPHA
                equal = line["easier"] == Answer.SAME
                yield line["construction"], Found(float(line["uas_delta"]), clear, equal)


if __name__ == "__main__":
    main()
