"""What a parser whose training has one optimum says of annotations, beside arc-eager, and at which price.

    python research/loglinear/loglinear.py all [--out FILE]
    python research/loglinear/loglinear.py UD_Irish [--release 1.3] [--out FILE]

Both parsers are trained on UD and on each of the seven constructions, and tested on their own annotations: z
of differences by processor second, who is right where arc-eager leaves a question open, and which relations
and distances make the parsers differ. `all` are the treebanks of `capped.TREEBANKS`. With a file, what is
measured is kept, and a study that was stopped goes on. Seconds are processor seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.parsers.trainer import TrainedParser
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO, scale_seed_ratio
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree
from research.loglinear.capped import (
    CLEAR,
    OPTIMUM,
    USUAL,
    OfTreebank,
    Side,
    Truth,
    changed_words,
    find_truths,
    measure_treebanks,
    print_row,
    sides_of,
    train_optima,
    train_usual,
)
from research.support.treebank_folds import timed

SEEDS, ORDERS = 5, 2
"""Trainings of arc-eager on an annotation; orders of sentences with which an optimum is sought."""

AT = (1, 3, 5)
"""The numbers of trainings of arc-eager that are compared with one optimum."""

DIFFERS = 3.0
"""The z of a difference between the differences of both parsers from which on it is looked at."""

DISTANCES = {0: "root", 1: "1", 4: "2 to 4", 10: "5 to 10", 1000: "above 10"}
"""Classes of distances of a head in UD, by the largest."""

Counts = NDArray[np.int64]
Words = NDArray[np.int8]


class Trained(msgspec.Struct):
    """Hold a training: its parser, seed and seconds, and for each test word 1 if its head is right."""

    parser: str
    seed: int
    seconds: float
    right: str


class Annotated(OfTreebank):
    """Hold the trainings on one annotation of a treebank.

    Attributes:
        name: the construction, or UD.
        trained: the words trained on.
        lengths: of the test sentences.
        changed: the test words with another head than in UD.
        relations: in UD, of each test word; of UD only.
        distances: in UD, of each test word from its head, 0 at roots; of UD only.
        trainings: the trainings.
        agreed: the test words to which two orders give the same head.
    """

    name: str
    trained: int
    lengths: list[int]
    changed: int
    relations: list[str]
    distances: list[int]
    trainings: list[Trained]
    agreed: int

    def right(self, parser: str) -> Words:
        """Return int8[trainings, words], which words each training of a parser has right."""
        found = [list(map(int, each.right)) for each in self.trainings if each.parser == parser]
        return np.array(found, np.int8)

    def seconds(self, parser: str) -> float:
        """Return the mean seconds of a training of a parser."""
        return fmean(each.seconds for each in self.trainings if each.parser == parser)

    def by_sentence(self, parser: str) -> Counts:
        """Return int64[trainings, sentences], the words that are right."""
        starts = np.cumsum([0, *self.lengths[:-1]])
        counts: Counts = np.add.reduceat(self.right(parser).astype(np.int64), starts, axis=1)
        return counts


def measure_questions(title: str, sides: Sequence[Side]) -> list[Annotated]:
    """Train both parsers on all annotations of a treebank."""
    trainings: dict[str, list[Trained]] = {side.name: [] for side in sides}
    agreed: dict[str, int] = {}
    for side in sides:
        for seed in range(1, SEEDS + 1):
            seconds, parser = timed(lambda: train_usual(side.train, side.dev, seed))  # noqa: B023
            trainings[side.name].append(Trained(USUAL, seed, seconds, tell_right(side, parser)))
    parsed: dict[str, Sequence[Tree]] = {}
    for order in range(1, ORDERS + 1):
        seconds, parsers = timed(lambda: train_optima([side.train for side in sides], order))  # noqa: B023
        for side, parser in zip(sides, parsers, strict=True):
            found = parser.parse(side.test)
            if side.name in parsed:
                agreed[side.name] = int((~changed_words(found, parsed[side.name])).sum())
            parsed[side.name] = found
            right = tell_right(side, parser)
            trainings[side.name].append(Trained(OPTIMUM, order, seconds / len(sides), right))
    ud = sides[0].test
    return [
        Annotated(
            title,
            side.name,
            sum(map(len, side.train)),
            [len(tree) for tree in side.test],
            int(changed_words(side.test, ud).sum()),
            [universal(deprel) for tree in ud for deprel in tree.deprels] if side.name == "UD" else [],
            [abs(h - d) if h else 0 for tree in ud for d, h in enumerate(tree.heads, 1)]
            if side.name == "UD"
            else [],
            trainings[side.name],
            agreed[side.name],
        )
        for side in sides
    ]


def tell_right(side: Side, parser: TrainedParser) -> str:
    """Return for each test word 1 if its head is right, else 0."""
    wrong = changed_words(parser.parse(side.test), side.test)
    return "".join("0" if is_wrong else "1" for is_wrong in wrong)


@dataclass(frozen=True)
class Question:
    """Hold the two annotations of a question: UD and the construction."""

    ud: Annotated
    other: Annotated

    def z(self, parser: str, trainings: slice) -> tuple[float, float]:
        """Return a difference in points (positive: UD is ahead) and its z, by some trainings of a parser."""
        ratio = 0.0
        if parser == USUAL:
            ratio = scale_seed_ratio(SEED_RATIO, sum(self.ud.lengths), self.ud.trained)
        a, b = (side.by_sentence(parser)[trainings] for side in (self.ud, self.other))
        found = compare(a, b, np.array(self.ud.lengths), seed_ratio=ratio)
        return found.delta, found.delta / found.error

    def usual(self, trainings: int) -> tuple[float, float]:
        """Return the difference and the z of the first trainings of arc-eager."""
        return self.z(USUAL, slice(trainings))

    @property
    def optimum(self) -> tuple[float, float]:
        """Return the difference and the z of one optimum, with the noise of its order."""
        return self.z(OPTIMUM, slice(ORDERS))

    @property
    def z_of_one(self) -> float:
        """Return the root mean square z of single trainings of arc-eager."""
        return root_mean_square([self.z(USUAL, slice(k, k + 1))[1] for k in range(SEEDS)])

    def gaps(self) -> NDArray[np.float64]:
        """Return float64[words]: by how much arc-eager favours UD more than the optimum does."""
        of_parsers = [
            self.ud.right(parser).mean(axis=0) - self.other.right(parser).mean(axis=0)
            for parser in (USUAL, OPTIMUM)
        ]
        gaps: NDArray[np.float64] = of_parsers[0] - of_parsers[1]
        return gaps

    def z_of_gap(self) -> float:
        """Return the z of the difference of both parsers' differences, over sentences."""
        starts = np.cumsum([0, *self.ud.lengths[:-1]])
        by_sentence = np.add.reduceat(self.gaps(), starts)
        return float(by_sentence.sum() / sqrt(max(1e-9, (by_sentence**2).sum())))

    @property
    def truth(self) -> Truth | None:
        """Return what a whole run found."""
        return find_truths().get((self.ud.treebank, self.other.name))


def root_mean_square(values: Sequence[float]) -> float:
    """Return the root of the mean of the squares."""
    return sqrt(fmean(value**2 for value in values))


def list_questions(rows: Sequence[Annotated]) -> list[Question]:
    """Return the questions of the rows."""
    ud = {each.treebank: each for each in rows if each.name == "UD"}
    return [Question(ud[each.treebank], each) for each in rows if each.name != "UD"]


def print_questions(rows: Sequence[Annotated]) -> None:
    """Print z and price by treebank, then who is right, then where the parsers differ."""
    questions = list_questions(rows)
    titles = list(dict.fromkeys(each.treebank for each in rows))
    print_row("treebank", "words", "questions", *(f"z, {k}" for k in AT), "z, optimum", "s, 1", "s, optimum")
    print_row("---", *["--:"] * 8)
    for title in [*titles, "all"]:
        of_title = [each for each in rows if title in (each.treebank, "all")]
        asked = [each for each in questions if title in (each.ud.treebank, "all")]
        if asked:
            print_row(title, *z_and_price(of_title, asked))
    print()
    costs = [price(rows, USUAL) * k for k in AT] + [price(rows, OPTIMUM)]
    roots = [*roots_of(questions)]
    print_row("", *(f"arc-eager, {k}" for k in AT), "one optimum")
    print_row("---", *["--:"] * 4)
    print_row("root mean square z", *(f"{z:.2f}" for z in roots))
    print_row("seconds per 1,000 words and annotation", *(f"{cost:.3f}" for cost in costs))
    print_row("z per second", *(f"{z / cost:.0f}" for z, cost in zip(roots, costs, strict=True)))
    print_row("z² per second", *(f"{z**2 / cost:.0f}" for z, cost in zip(roots, costs, strict=True)))
    words = sum(len(each.trainings[-1].right) for each in rows)
    agreed = sum(each.agreed for each in rows)
    print(f"\nTwo orders give {100 * agreed / max(1, words):.2f} % of {words:,} words the same head.\n")
    print_sides(questions)
    print_second(questions)
    print_gaps(questions)


def roots_of(questions: Sequence[Question]) -> Iterator[float]:
    """Yield the root mean square z of arc-eager, by the number of its trainings, and that of the optimum."""
    yield root_mean_square([each.z_of_one for each in questions])
    for trainings in AT[1:]:
        yield root_mean_square([each.usual(trainings)[1] for each in questions])
    yield root_mean_square([each.optimum[1] for each in questions])


def price(rows: Sequence[Annotated], parser: str) -> float:
    """Return the seconds of one training on 1,000 words of an annotation."""
    return 1000 * sum(each.seconds(parser) for each in rows) / sum(each.trained for each in rows)


def z_and_price(rows: Sequence[Annotated], questions: Sequence[Question]) -> list[str]:
    """Return the cells of a row: words trained on, questions, z, and prices."""
    words = {each.treebank: each.trained for each in rows}
    prices = (price(rows, parser) for parser in (USUAL, OPTIMUM))
    return [
        f"{sum(words.values()):,}",
        str(len(questions)),
        *(f"{z:.2f}" for z in roots_of(questions)),
        *(f"{seconds:.3f}" for seconds in prices),
    ]


def print_sides(questions: Sequence[Question]) -> None:
    """Print how often each parser has the side that a whole run found clear, and how often both are clear."""
    known = [each for each in questions if each.truth and each.truth.clear]
    print_row("parser", "clear in a whole run", "same side", "of them clear here", "same side")
    print_row("---", *["--:"] * 4)
    asked: list[tuple[str, Callable[[Question], tuple[float, float]]]] = [
        (f"arc-eager, {k}", lambda each, k=k: each.usual(k))  # type: ignore[misc]
        for k in AT
    ]
    for name, found in [*asked, ("one optimum", lambda each: each.optimum)]:
        clear = [each for each in known if abs(found(each)[1]) >= CLEAR]
        print_row(name, len(known), count_right(known, found), len(clear), count_right(clear, found))
    both = [each for each in questions if abs(each.usual(SEEDS)[1]) >= CLEAR <= abs(each.optimum[1])]
    same = sum(each.usual(SEEDS)[0] * each.optimum[0] > 0 for each in both)
    signs = sum(each.usual(SEEDS)[0] * each.optimum[0] > 0 for each in questions)
    print(f"\nThe signs of five trainings and of the optimum agree in {signs} of {len(questions)} questions.")
    print(f"Both are clear in {len(both)} of them, on the same side in {same}.\n")


def count_right(questions: Sequence[Question], found: Callable[[Question], tuple[float, float]]) -> int:
    """Return in how many questions a difference has the side of the whole run."""
    return sum(each.truth is not None and found(each)[0] * each.truth.delta > 0 for each in questions)


def print_second(questions: Sequence[Question]) -> None:
    """Print what the optimum, and two more trainings of arc-eager, say of what three trainings leave open."""
    still_open = [each for each in questions if abs(each.usual(3)[1]) < CLEAR]
    print_row("asked where three trainings leave it open", "questions", "clear", "known side", "right", "s")
    print_row("---", *["--:"] * 5)
    ways: tuple[tuple[str, Callable[[Question], tuple[float, float]], float], ...] = (
        ("two more trainings of arc-eager", lambda each: each.usual(5), 2),
        ("one optimum", lambda each: each.optimum, 0),
    )
    for name, found, trainings in ways:
        clear = [each for each in still_open if abs(found(each)[1]) >= CLEAR]
        known = [each for each in clear if each.truth and each.truth.clear]
        rows = {id(side): side for each in still_open for side in (each.ud, each.other)}
        parser = USUAL if trainings else OPTIMUM
        seconds = sum(side.seconds(parser) * (trainings or 1) for side in rows.values())
        right = count_right(known, found)
        print_row(name, len(still_open), len(clear), len(known), right, f"{seconds:.0f}")
    print()


def print_gaps(questions: Sequence[Question]) -> None:
    """Print where the parsers differ most, or the optimum from a whole run, and the words that do it."""
    print_row("question", "arc-eager", "z", "optimum", "z", "z of the gap", "words that do it, in points")
    print_row("---", *["--:"] * 5, "---")
    for each in questions:
        (usual, z), (optimum, other_z) = each.usual(SEEDS), each.optimum
        both_clear = abs(z) >= CLEAR <= abs(other_z) and usual * optimum < 0
        whole = each.truth is not None and each.truth.clear and optimum * each.truth.delta < 0
        if both_clear or whole or abs(each.z_of_gap()) >= DIFFERS:
            name = f"{each.ud.treebank} `{each.other.name}`"
            name += (", both clear" if both_clear else "") + (", against a whole run" if whole else "")
            figures = f"{usual:+.2f}", f"{z:+.1f}", f"{optimum:+.2f}", f"{other_z:+.1f}"
            print_row(name, *figures, f"{each.z_of_gap():+.1f}", words_of_gap(each))


def words_of_gap(question: Question) -> str:
    """Return the relations and distances with the largest parts of the gap between both parsers."""
    parts: defaultdict[tuple[str, str], float] = defaultdict(float)
    gaps = question.gaps() * 100 / len(question.ud.relations)
    for relation, distance, gap in zip(question.ud.relations, question.ud.distances, gaps, strict=True):
        parts[relation, next(name for most, name in DISTANCES.items() if distance <= most)] += gap
    largest = sorted(parts.items(), key=lambda item: -abs(item[1]))[:4]
    return ", ".join(f"`{relation}` at {distance} {gap:+.2f}" for (relation, distance), gap in largest)


def main() -> None:
    """Measure what is not kept yet, and print the tables."""
    rows = measure_treebanks(__doc__, Annotated, lambda title, fold: measure_questions(title, sides_of(fold)))
    print_questions(rows)


if __name__ == "__main__":
    main()
