"""Whether neighbouring sentences err alike: trainings over all sentences of a treebank, kept for measuring.

Each sentence is parsed by parsers that were trained on other folds. The folds lie either along the treebank
(blocks of neighbours, as `settle` cuts it) or across it (neighbours are dealt to different folds). What
neighbours share in both is due to their text; what they share only along is due to a common training set.

    python benchmarks/neighbours.py train UD_Kazakh UD_Tamil [--release 1.3] [--seeds 10] [--folds 5] --out DIR
    python benchmarks/neighbours.py measure DIR
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.on_fold import Parts
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.judges.registry import judge_named
from learnability.metrics.scores import FEWEST_SITES, Score, correct_tokens
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank

Counts = NDArray[np.int64]

ARRANGEMENTS = ("along", "across")


@dataclass(frozen=True)
class Trained:
    """Hold the right heads of many trainings on one treebank, its sentences in the order of the files.

    Attributes:
        right: int64[seeds, S] for UD and each alternative.
        tokens: int64[S].
        documents: int64[S], ascending, from 0; the same for all where no document is marked.
        folds: int64[S], the fold that tested a sentence.
    """

    right: dict[str, Counts]
    tokens: Counts
    documents: Counts
    folds: Counts

    def save(self, path: Path) -> None:
        """Write all into one file."""
        named = {f"right {name}": right.astype(np.int16) for name, right in self.right.items()}
        rest = {"tokens": self.tokens, "documents": self.documents, "folds": self.folds}
        np.savez_compressed(path, **named, **rest)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Trained:
        """Read what was saved."""
        with np.load(path) as stored:
            right = {
                name.removeprefix("right "): stored[name].astype(np.int64)
                for name in stored.files
                if name.startswith("right ")
            }
            return cls(right, stored["tokens"], stored["documents"], stored["folds"])


def main() -> None:
    """Train, or measure what was trained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    train.add_argument("treebanks", nargs="+")
    train.add_argument("--ud-home")
    train.add_argument("--release", default="1.3")
    train.add_argument("--seeds", type=int, default=10)
    train.add_argument("--folds", type=int, default=5)
    train.add_argument("--transform", nargs="+", default=PAPER)
    train.add_argument("--arrangement", nargs="+", default=ARRANGEMENTS, choices=ARRANGEMENTS)
    train.add_argument("--out", type=Path, required=True)
    command_line = parser.parse_args()
    command_line.out.mkdir(parents=True, exist_ok=True)
    for name in command_line.treebanks:
        for arrangement in command_line.arrangement:
            path = command_line.out / f"{Path(name).name}-{command_line.release}-{arrangement}.npz"
            trained(name, arrangement, command_line).save(path)
            print(path, flush=True)


def trained(name: str, arrangement: str, command_line: argparse.Namespace) -> Trained:
    """Return the trainings on a treebank."""
    blocks = sentence_blocks(name, command_line.ud_home, command_line.release)
    starts = [any(line.startswith("# newdoc") for line in block.splitlines()) for block in blocks]
    folds = command_line.folds
    order = np.arange(len(blocks))
    if arrangement == "across":
        order = np.concatenate([order[number::folds] for number in range(folds)])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / Path(name).name
        folder.mkdir()
        language = language_of(name, command_line.ud_home, command_line.release)
        shuffled = "".join(without_documents(blocks[number]) for number in order)
        (folder / f"{language}-ud-train.conllu").write_text(shuffled, encoding="utf-8")
        files = locate_treebank(folder)
        alternatives = tuple(map(annotation_spelled, command_line.transform))
        options = ExperimentOptions(
            alternatives, judges=(judge_named("arc-eager"),), data=DataOptions(cross_validate=folds)
        )
        right: dict[str, list[Counts]] = {}
        tested: list[int] = []
        for number in range(folds):
            fold = fold_of(files, options, number)
            tested.append(len(fold.ud.test))
            for annotation, parts in annotations_of(fold):
                right.setdefault(annotation, []).append(right_heads(fold, parts, command_line.seeds))
        tokens = np.array([len(tree) for k in range(folds) for tree in fold_of(files, options, k).ud.test])
    back = np.argsort(order)
    places = {name for name, of_folds in right.items() if len(of_folds) == folds}
    together = {name: np.concatenate(right[name], axis=1)[:, back] for name in right if name in places}
    fold_numbers = np.repeat(np.arange(folds), tested)[back]
    return Trained(together, tokens[back], np.cumsum(starts), fold_numbers)


def annotations_of(fold: Fold) -> Iterator[tuple[str, Parts]]:
    """Yield UD and each alternative with places."""
    yield "ud", fold.ud
    for condition in fold.conditions:
        compared = fold.compared(condition)
        if compared.exists and sum(map(len, compared.test_sites())) * 5 >= FEWEST_SITES:
            yield condition.transformed.name, compared.transformed.parts


def right_heads(fold: Fold, parts: Parts, seeds: int) -> Counts:
    """Return int64[seeds, sentences], the right heads in the sentences that a fold tests."""
    tested = (train_and_test(fold, parts, seed) for seed in range(1, seeds + 1))
    return np.array([correct_tokens(trained.gold, trained.parsed, Score.UAS) for trained in tested])


def sentence_blocks(name: str, ud_home: str | None, release: str) -> list[str]:
    """Return all sentences of a treebank as CoNLL-U, in the order of its files."""
    files = locate_treebank(name, ud_home=ud_home, release=release)
    blocks = []
    for path in (*files.train, *files.dev, *files.test):
        blocks += [block.strip() for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
    return blocks


def language_of(name: str, ud_home: str | None, release: str) -> str:
    """Return the name of the files before `-ud-`."""
    files = locate_treebank(name, ud_home=ud_home, release=release)
    return (*files.train, *files.test)[0].name.split("-ud-")[0]


def without_documents(block: str) -> str:
    """Return a sentence without marks of documents, so that folds are cut by sentences."""
    kept: Sequence[str] = [line for line in block.splitlines() if not line.startswith("# newdoc")]
    return "\n".join(kept) + "\n\n"


if __name__ == "__main__":
    main()
