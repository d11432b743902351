"""Whether neighbouring sentences err alike, and whether the tests allow for it.

`train` keeps trainings over all sentences of a treebank. Each sentence is parsed by parsers that were trained
on other folds. The folds lie either along the treebank (blocks of neighbours, as `settle` cuts it) or across
it (neighbours are dealt to different folds, so that parsers have seen the neighbours of what they parse).

`measure` says how much larger the variance of a difference is if it is estimated from blocks of neighbours
(or documents) instead of sentences, in the order of the files and in random orders. `seeds`: the same from
products of different seeds, so that nothing is counted that is due to one training. `beyond` is what blocks
of the same fold share.

`simulate` draws families of constructions without a difference, whose sentences share a part of their
variance with their document, and tests them as `run`, `history` and `settle` do: how many families raise a
false alarm, and how many differences are seen that 80 % of independent test sets would show.

    python research/neighbours/neighbours.py train UD_Kazakh UD_Tamil [--release 1.3] [--seeds 10] --out DIR
    python research/neighbours/neighbours.py measure DIR [--orders 1000]
    python research/neighbours/neighbours.py simulate [--tests run history settle]
        [--sentences 150 450 1000 3000]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.fold_trees import Sets
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.metrics.scores import FEWEST, Score, correct_tokens
from learnability.parsers.registry import parser_named
from learnability.statistics.holm import holm
from learnability.statistics.inference import ALPHA
from learnability.statistics.significance import compare
from learnability.transforms.registry import PAPER
from learnability.treebanks.locate import locate_treebank
from research.neighbours.settled_families import settled
from research.support.treebank_folds import row

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

    def contributions(self, name: str) -> NDArray[np.float64]:
        """Return float64[seeds, S], what each sentence adds to the difference, less its expectation."""
        difference = (self.right["ud"] - self.right[name]).astype(np.float64)
        per_token = difference.sum() / (len(difference) * self.tokens.sum())
        z: NDArray[np.float64] = difference - per_token * self.tokens
        return z

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
    measure = commands.add_parser("measure")
    measure.add_argument("folder", type=Path)
    measure.add_argument("--orders", type=int, default=1000)
    simulate = commands.add_parser("simulate")
    simulate.add_argument("--sentences", type=int, nargs="+", default=(150, 450, 1000, 3000))
    simulate.add_argument("--tests", nargs="+", default=TESTS, choices=TESTS)
    simulate.add_argument("--families", type=int, default=1000)
    simulate.add_argument("--families-for-power", type=int, default=300)
    simulate.add_argument("--constructions", type=int, default=3)
    command_line = parser.parse_args()
    if command_line.command == "measure":
        print_measures(command_line.folder, command_line.orders)
        return
    if command_line.command == "simulate":
        print_simulations(command_line)
        return
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
            alternatives, parsers=(parser_named("arc-eager"),), data=DataOptions(cross_validate=folds)
        )
        right: dict[str, list[Counts]] = {}
        tested: list[int] = []
        for number in range(folds):
            fold = fold_of(files, options, number)
            tested.append(len(fold.ud.test))
            for annotation, sets in annotations_of(fold):
                right.setdefault(annotation, []).append(right_heads(fold, sets, command_line.seeds))
        tokens = np.array([len(tree) for k in range(folds) for tree in fold_of(files, options, k).ud.test])
    back = np.argsort(order)
    places = {name for name, of_folds in right.items() if len(of_folds) == folds}
    together = {name: np.concatenate(right[name], axis=1)[:, back] for name in right if name in places}
    fold_numbers = np.repeat(np.arange(folds), tested)[back]
    return Trained(together, tokens[back], np.cumsum(starts), fold_numbers)


def annotations_of(fold: Fold) -> Iterator[tuple[str, Sets]]:
    """Yield UD and each alternative with places."""
    yield "ud", fold.base.sets
    for pair in fold.pairs:
        compared = fold.compare_pair(pair)
        if compared.exists and sum(map(len, compared.test_places)) * 5 >= FEWEST.places:
            yield pair.alternative.name, compared.alternative.sets


def right_heads(fold: Fold, sets: Sets, seeds: int) -> Counts:
    """Return int64[seeds, sentences], the right heads in the sentences that a fold tests."""
    tested = (train_and_test(fold, sets, seed) for seed in range(1, seeds + 1))
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


def print_measures(folder: Path, orders: int) -> None:
    """Print a line per treebank, arrangement of folds and length of blocks."""
    print(row("treebank", "folds", "sentences", "seeds", "blocks of", "variance", "seeds", "p", "beyond"))
    print(row(*["---"] * 9))
    for path in sorted(folder.glob("*.npz")):
        known = Trained.load(path)
        treebank, _, arrangement = path.stem.rpartition("-")
        sentences = len(known.tokens)
        seeds = len(known.right["ud"])
        contributions = [known.contributions(name) for name in known.right if name != "ud"]
        chance = np.random.default_rng(1)
        random_orders = [chance.permutation(sentences) for _ in range(orders)]
        blocks: dict[str, Counts] = {str(length): even_blocks(sentences, length) for length in (15, 30, 60)}
        if known.documents[-1] >= 5:
            blocks["document"] = np.unique(known.documents, return_inverse=True)[1]
        for length, block in blocks.items():
            total = np.mean([inflation(z.mean(axis=0), block) for z in contributions])
            between_seeds = np.mean([inflation_over_seeds(z, block) for z in contributions])
            by_chance = [
                np.mean([inflation(z.mean(axis=0)[order], block) for z in contributions])
                for order in random_orders
            ]
            beyond = np.mean(
                [shared_beyond_blocks(z.mean(axis=0), block, known.folds) for z in contributions]
            )
            p_value = np.mean(np.array(by_chance) >= total)
            figures = f"{total:.2f}", f"{between_seeds:.2f}", f"{p_value:.3f}", f"{beyond:+.2f}"
            print(row(treebank, arrangement, sentences, seeds, length, *figures), flush=True)


def even_blocks(sentences: int, length: int) -> Counts:
    """Return int64[S], the block of each sentence, of about this length."""
    count = max(1, round(sentences / length))
    return np.arange(sentences) * count // sentences


def inflation(z: NDArray[np.float64], block: Counts) -> float:
    """Return the variance of the sum of z as estimated from blocks, as a multiple of that from sentences."""
    sums = np.bincount(block, z)
    count = len(sums)
    return float((sums**2).sum() * count / (count - 1) / (z**2).sum())


def inflation_over_seeds(z: NDArray[np.float64], block: Counts) -> float:
    """Return the same from products of different seeds; z: float64[K, S]."""

    def products(values: NDArray[np.float64]) -> float:
        return float((values.sum(axis=0) ** 2 - (values**2).sum(axis=0)).sum())

    sums = np.array([np.bincount(block, of_seed) for of_seed in z])
    return products(sums) / products(z)


def shared_beyond_blocks(z: NDArray[np.float64], block: Counts, folds: Counts) -> float:
    """Return what neighbouring blocks of the same fold share more than those of different folds.

    It is the mean product of the sums of two neighbouring blocks, as a multiple of the mean square of a sum.
    """
    sums = np.bincount(block, z)
    starts = np.searchsorted(block, np.arange(len(sums)))
    same = folds[starts[:-1]] == folds[starts[1:]]
    products = sums[:-1] * sums[1:]
    if not same.any() or same.all():
        return float("nan")
    return float((products[same].mean() - products[~same].mean()) / (sums**2).mean())


MEAN_LENGTH, SCATTER, RESIDUAL = 100, 1.1, 1.5
"""Of simulated treebanks: tokens of a sentence; the standard deviation of what sentences and (for one seed)
the residual add to a difference in heads, per root of a token."""


TESTS = ("run", "history", "settle")
"""What tests a difference: on a test set, on folds as `history`, and on folds after each pass."""

MOST_SEEDS = 10
"""The trainings per fold that settling ends with."""

SEEN_IN_80_PERCENT = 2.8
"""The standard errors of a difference that a test at 0.05 sees in 80 % of the cases."""


def print_simulations(command_line: argparse.Namespace) -> None:
    """Print a line per test, number of sentences, and what a document of 30 sentences shares."""
    shares = "false alarms, sentences", "text", "power, sentences", "text"
    print(row("test", "sentences", "shared", "documents", *shares))
    print(row(*["---"] * 8))
    for test, sentences in product(command_line.tests, command_line.sentences):
        for shared, marked in ((0.0, False), (0.1, True), (0.1, False)):
            alarms = simulate(test, sentences, shared, marked, False, command_line)
            power = simulate(test, sentences, shared, marked, True, command_line)
            documents = "marked" if marked else "not marked"
            figures = (f"{share:.3f}" for share in (*alarms, *power))
            print(row(test, sentences, shared, documents, *figures), flush=True)


def simulate(
    test: str, sentences: int, shared: float, marked: bool, effect: bool, command_line: argparse.Namespace
) -> list[float]:
    """Return the share of families in which a side is named; with an `effect`, of constructions.

    The first is that with a variance by which each sentence counts for itself, as before; the second that
    with the variance of the text.

    Args:
        test: `run` (three seeds, one test set), `history` (three seeds, five folds) or `settle`.
        sentences: how many there are.
        shared: the share of the variance of sentences that is common to the sentences of a document.
        marked: the files mark documents.
        effect: UD is ahead by what 80 % of independent test sets of one look would show.
        command_line: the families and constructions.
    """
    chance = np.random.default_rng(1)
    named: list[list[float]] = []
    for _ in range(command_line.families_for_power if effect else command_line.families):
        of_text = (np.arange(sentences) + chance.integers(30)) // 30
        sizes = fold_sizes(of_text, 1 if test == "run" else 5, marked)
        tokens = chance.integers(MEAN_LENGTH // 2, MEAN_LENGTH * 3 // 2, sentences)
        seeds = MOST_SEEDS if test == "settle" else 3
        variance = SCATTER**2 + RESIDUAL**2 / seeds
        ahead = effect * SEEN_IN_80_PERCENT * sqrt(variance / tokens.sum())
        constructions = command_line.constructions
        groups = drawn_family(chance, tokens, of_text, shared, seeds, ahead, constructions)
        known = of_text if marked else np.zeros_like(of_text)
        families = [
            named_sides(test, groups, tokens, sizes, documents) for documents in (np.arange(sentences), known)
        ]
        named.append([float(np.mean(family) if effect else any(family)) for family in families])
    shares: list[float] = np.mean(named, axis=0).tolist()
    return shares


def fold_sizes(documents: Counts, folds: int, marked: bool) -> list[int]:
    """Return the sentences of each fold: of whole documents where they are marked, as `settle` cuts them."""
    sentences = len(documents)
    ends = [round(sentences * k / folds) for k in range(1, folds + 1)]
    if marked:
        starts = [0, *(np.flatnonzero(np.diff(documents)) + 1).tolist(), sentences]
        ends = [min(starts, key=lambda start, end=end: abs(start - end)) for end in ends]  # type: ignore[misc]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def drawn_family(
    chance: np.random.Generator,
    tokens: Counts,
    of_text: Counts,
    shared: float,
    seeds: int,
    ahead: float,
    constructions: int,
) -> Counts:
    """Return int64[1 + constructions, seeds, S], right heads of UD and of each alternative.

    Args:
        chance: the source of random numbers.
        tokens: int64[S].
        of_text: int64[S], the document of each sentence.
        shared: the share of the variance of sentences that is common to the sentences of a document.
        seeds: the trainings of each annotation.
        ahead: the share of the tokens by which UD is ahead.
        constructions: the alternatives.
    """
    right = [np.broadcast_to(tokens // 2, (seeds, len(tokens)))]
    for _ in range(constructions):
        of_document = chance.standard_normal(of_text[-1] + 1)[of_text] * sqrt(shared)
        of_sentence = chance.standard_normal(len(tokens)) * sqrt(1 - shared)
        residual = RESIDUAL * chance.standard_normal((seeds, len(tokens)))
        scattered = (SCATTER * (of_document + of_sentence) + residual) * np.sqrt(tokens)
        heads = np.rint(tokens // 2 + scattered - ahead * tokens).astype(np.int64)
        right.append(np.clip(heads, 0, tokens))
    return np.array(right)


def named_sides(test: str, right: Counts, tokens: Counts, sizes: list[int], documents: Counts) -> list[bool]:
    """Return for each construction whether a side is named."""
    if test == "settle":
        return [construction.alarm for construction in settled(right, tokens, sizes, documents)]
    ud, *alternatives = right
    folds = np.repeat(np.arange(len(sizes)), sizes)
    p_values = [
        compare(
            ud,
            other,
            tokens,
            documents=documents,
            folds=folds if test == "history" else None,
            between_folds=test == "history",
        ).p_value
        for other in alternatives
    ]
    return [p is not None and p < ALPHA for p in holm(p_values)]


if __name__ == "__main__":
    main()
