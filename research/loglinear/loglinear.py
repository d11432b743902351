"""What a parser whose training has one optimum is good for, beside parsers with random orders.

    python research/loglinear/loglinear.py questions UD_Irish UD_Tamil [--release 1.3] [--seeds 3]
    python research/loglinear/loglinear.py orders UD_Tamil [--seeds 12]
    python research/loglinear/loglinear.py short UD_Irish UD_Tamil
    python research/loglinear/loglinear.py planted UD_Irish UD_Tamil

`questions`: the difference between UD and each of the seven constructions, each parser tested on its own
annotation, with its z and its price. `orders`: how the order of training changes a difference: for one
training, for the mean of three, and for three models whose weights are averaged, with the same order for both
annotations and with others. `short`: differences of short trainings on a quarter of a sample. `planted`: how
well each parser ranks planted errors of heads. Seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold
from learnability.comparing.names import annotation_spelled
from learnability.comparing.short_trainings import ITERATIONS, sample
from learnability.parsers.loglinear import LoglinearTrainer
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.parsing.encoding import encode_trees
from learnability.parsing.graph import Decoder, encoder, find_tree, new_graph_space, train_graph_parser
from learnability.parsing.graph_features import compile_arc_templates, fill_halves, score_arcs
from learnability.parsing.parser import SMALL
from learnability.parsing.projectivity import lift
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO
from learnability.transforms.registry import PAPER
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, folds, row, timed

FEWEST_PLACES = 10
"""Words with another head among the test words, below which a construction is no question."""

CLEAR = 2.0
"""The z from which on a difference counts as clear here, without correction."""

PLANTED = 0.1
"""The share of test words that get a random head."""

AVERAGED = 3
"""Models whose weights are averaged."""

Right = NDArray[np.int64]
Trainer = Callable[[Sequence[Tree], int], TrainedParser]


@dataclass(frozen=True)
class Side:
    """Hold the trees of an annotation: trained on, and tested on."""

    name: str
    train: Sequence[Tree]
    test: Sequence[Tree]


def sides(fold: Fold) -> list[Side]:
    """Return UD and the constructions that are questions."""
    ud = Side("UD", fold.ud.train, fold.ud.test)
    found = [ud]
    for name in PAPER:
        change = fold.change(annotation_spelled(name))
        side = Side(name, lift([change(tree) for tree in ud.train]), [change(tree) for tree in ud.test])
        pairs = zip(side.test, ud.test, strict=True)
        if (
            sum(a != b for new, old in pairs for a, b in zip(new.heads, old.heads, strict=True))
            >= FEWEST_PLACES
        ):
            found.append(side)
    return found


def right_heads(gold: Sequence[Tree], parsed: Sequence[Tree]) -> Right:
    """Return int64[sentences], the words with the right head."""
    return np.array(
        [
            sum(a == b for a, b in zip(g.heads, p.heads, strict=True))
            for g, p in zip(gold, parsed, strict=True)
        ]
    )


def z_of(a: Sequence[Right], b: Sequence[Right], total: Right, ratio: float) -> tuple[float, float]:
    """Return a difference in points and its z."""
    found = compare(np.array(a), np.array(b), total, seed_ratio=ratio)
    return found.delta, found.delta / max(found.error, 1e-9)


def train_usual(
    trees: Sequence[Tree], dev: Sequence[Tree], seed: int, iterations: int | None = None
) -> TrainedParser:
    """Train arc-eager."""
    return parser_named("arc-eager").trainer(Setup(iterations=iterations)).train(trees, dev, seed)


def questions(command_line: argparse.Namespace) -> None:
    """Print a row per question, then the sums."""
    print(
        row(
            "treebank",
            "construction",
            "arc-eager",
            "z, one seed",
            f"z, {command_line.seeds} seeds",
            "loglinear",
            "z",
        )
    )
    print(row(*["---"] * 2, *["--:"] * 5))
    every, seconds, tokens, agreement = [], np.zeros(2), 0, []
    for path, fold in folds(command_line):
        name = Path(path).name
        annotations, dev = sides(fold), fold.ud.dev
        total = np.array([len(tree) for tree in fold.ud.test])
        tokens += len(annotations) * sum(map(len, fold.ud.train))
        usual: dict[str, list[Right]] = {}
        for side in annotations:
            change = fold.change(annotation_spelled(side.name)) if side.name != "UD" else lambda tree: tree
            own_dev = [change(tree) for tree in dev]
            for seed in range(1, command_line.seeds + 1):
                spent, parser = timed(lambda: train_usual(side.train, own_dev, seed))  # noqa: B023
                seconds[0] += spent / command_line.seeds
                usual.setdefault(side.name, []).append(right_heads(side.test, parser.parse(side.test)))
        spent, parsers = timed(lambda: train_optima([side.train for side in annotations], 1))  # noqa: B023
        seconds[1] += spent
        parsed = [p.parse(side.test) for p, side in zip(parsers, annotations, strict=True)]
        optimum = {s.name: right_heads(s.test, p) for s, p in zip(annotations, parsed, strict=True)}
        (again,) = train_optima([annotations[0].train], 2)
        pairs = zip(again.parse(fold.ud.test), parsed[0], strict=True)
        agreement += [a == b for x, y in pairs for a, b in zip(x.heads, y.heads, strict=True)]
        for side in annotations[1:]:
            a, b = usual["UD"], usual[side.name]
            ones = [z_of([x], [y], total, SEED_RATIO)[1] for x, y in zip(a, b, strict=True)]
            delta, z = z_of(a, b, total, SEED_RATIO)
            other, z_other = z_of([optimum["UD"]], [optimum[side.name]], total, 0.0)
            every.append((float(np.sqrt(np.mean(np.square(ones)))), z, z_other))
            figures = (
                f"{delta:+.2f}",
                f"{every[-1][0]:.1f}",
                f"{z:+.1f}",
                f"{other:+.2f}",
                f"{z_other:+.1f}",
            )
            print(row(name, side.name, *figures), flush=True)
    one, many, optimal = (np.array(column) for column in zip(*every, strict=True))
    costs = 1000 * seconds / tokens
    print()
    print(row("", "arc-eager, one seed", f"arc-eager, {command_line.seeds} seeds", "loglinear"))
    print(row("---", *["--:"] * 3))
    all_costs = (costs[0], command_line.seeds * costs[0], costs[1])
    roots = [float(np.sqrt(np.mean(np.square(z)))) for z in (one, many, optimal)]
    print(row("root mean square z", *(f"{root:.2f}" for root in roots)))
    print(row("seconds per 1,000 tokens and annotation", *(f"{cost:.3f}" for cost in all_costs)))
    print(
        row("z² per second", *(f"{root**2 / cost:.0f}" for root, cost in zip(roots, all_costs, strict=True)))
    )
    clear, clear_other, same = np.abs(many) >= CLEAR, np.abs(optimal) >= CLEAR, many * optimal > 0
    counts = {
        "questions": len(every),
        "same sign": int(same.sum()),
        "both clear": int((clear & clear_other).sum()),
        "of them, same side": int((clear & clear_other & same).sum()),
        "only arc-eager clear": int((clear & ~clear_other).sum()),
        "only loglinear clear": int((clear_other & ~clear).sum()),
        "same head by two orders": f"{100 * np.mean(agreement):.2f} % of {len(agreement):,}",
    }
    print()
    print(row(*counts))
    print(row(*["--:"] * len(counts)))
    print(row(*counts.values()))


def train_optima(annotations: Sequence[Sequence[Tree]], seed: int) -> list[TrainedParser]:
    """Train a log-linear parser for each annotation, in the same passes."""
    trainer = parser_named("loglinear").trainer(Setup())
    assert isinstance(trainer, LoglinearTrainer)
    return trainer.train_together(annotations, seed)


def orders(command_line: argparse.Namespace) -> None:
    """Print how much the order of training changes a difference, over pairs of disjoint groups of seeds."""
    print(
        row(
            "treebank",
            "construction",
            "same order",
            "other orders",
            f"mean of {AVERAGED}",
            f"{AVERAGED} averaged",
        )
    )
    print(row(*["---"] * 2, *["--:"] * 4))
    deviations = []
    for path, fold in folds(command_line):
        name = Path(path).name
        seeds, total = range(1, command_line.seeds + 1), sum(map(len, fold.ud.test))
        groups = [seeds[i : i + AVERAGED] for i in range(0, len(seeds), AVERAGED)]
        scores = {side.name: order_scores(side, seeds, groups) for side in sides(fold)}
        for construction in list(scores)[1:]:
            (a, a_mean), (b, b_mean) = scores["UD"], scores[construction]
            points = 100 / total
            same = points * (a - b)
            other = np.array([points * (a[i] - b[j]) for i, j in product(range(len(a)), repeat=2) if i != j])
            means = same.reshape(-1, AVERAGED).mean(axis=1)
            found = (
                same.std(ddof=1),
                other.std(ddof=1),
                means.std(ddof=1),
                (points * (a_mean - b_mean)).std(ddof=1),
            )
            deviations.append(found)
            print(row(name, construction, *(f"{value:.2f}" for value in found)), flush=True)
    mean = np.sqrt(np.mean(np.square(deviations), axis=0))
    print(row("root mean square", "", *(f"{value:.2f}" for value in mean)))


def order_scores(side: Side, seeds: range, groups: Sequence[range]) -> tuple[Right, Right]:
    """Return the right heads of the graph-based parser with each seed, and with averaged weights."""
    encode, decoder = encoder(labelled=False), Decoder(True, False)
    parsers = {
        seed: train_graph_parser(
            side.train, (), encode, decoder, labelled=False, iterations=8, seed=seed
        ).parser
        for seed in seeds
    }
    corpus, gold = encode_trees(side.test, encode)
    templates, tokens = compile_arc_templates(), corpus.rows_of_tokens()
    space = new_graph_space(int(corpus.length.max()), templates, decoder)
    one = [int((parsers[seed].parse_corpus(corpus)[0][tokens] == gold[tokens]).sum()) for seed in seeds]
    averaged = []
    for group in groups:
        right = 0
        for n, base in zip(corpus.length, corpus.start, strict=True):
            mean = np.zeros((n + 1, n + 1), np.float32)
            fill_halves(n, base, corpus.attributes, templates, space.arcs)
            for seed in group:  # the score by averaged weights is the mean of the scores
                score_arcs(n, parsers[seed].weights, templates, space.arcs)
                mean += space.arcs.score[: n + 1, : n + 1] / AVERAGED
            space.arcs.score[: n + 1, : n + 1] = mean
            find_tree(n, decoder, space)
            right += int((space.heads[1 : n + 1] == gold[base + 1 : base + 1 + n]).sum())
        averaged.append(right)
    return np.array(one), np.array(averaged)


def short(command_line: argparse.Namespace) -> None:
    """Print differences of short trainings on a quarter of a sample, by both parsers."""
    print(row("treebank", "construction", "arc-eager", "z", "loglinear", "z"))
    print(row(*["---"] * 2, *["--:"] * 4))
    seconds, every = np.zeros(2), []
    for path, fold in folds(command_line):
        name = Path(path).name
        chosen = sample(len(fold.ud.train), 0.25, 1)
        cut = [
            Side(side.name, [side.train[i] for i in chosen.train], [side.train[i] for i in chosen.test])
            for side in sides(fold)
        ]
        total, right = np.array([len(tree) for tree in cut[0].test]), {}
        for side in cut:
            spent, parser = timed(lambda: train_usual(side.train, (), 1, ITERATIONS))  # noqa: B023
            seconds[0] += spent
            right[side.name] = [right_heads(side.test, parser.parse(side.test))]
        spent, parsers = timed(lambda: train_optima([side.train for side in cut], 1))  # noqa: B023
        seconds[1] += spent
        for side, parser in zip(cut, parsers, strict=True):
            right[side.name].append(right_heads(side.test, parser.parse(side.test)))
        for side in cut[1:]:
            found = [
                z_of([right["UD"][k]], [right[side.name][k]], total, ratio)
                for k, ratio in enumerate((SEED_RATIO, 0.0))
            ]
            every.append([z for _, z in found])
            print(row(name, side.name, *(figure for d, z in found for figure in (f"{d:+.2f}", f"{z:+.1f}"))))
    roots = np.sqrt(np.mean(np.square(every), axis=0))
    print(row("root mean square z", "", "", f"{roots[0]:.2f}", "", f"{roots[1]:.2f}"))
    print(row("seconds", "", f"{seconds[0]:.1f}", "", f"{seconds[1]:.1f}", ""))


def planted(command_line: argparse.Namespace) -> None:
    """Print the area under the curve with which margins and probabilities rank planted errors of heads."""
    print(row("treebank", "errors", "arc-eager:rich", "loglinear", "mean of both ranks", "seconds"))
    print(row("---", *["--:"] * 5))
    for path, fold in folds(command_line):
        name = Path(path).name
        faulty, wrong = plant(fold.ud.test)
        setup, ranks, spent = Setup(labelled=True), [], []
        for spelling in ("arc-eager:rich", "loglinear"):
            trainer = parser_named(spelling).trainer(setup)
            seconds, parser = timed(lambda: trainer.train(fold.ud.train, fold.ud.dev, 1))  # noqa: B023
            spent.append(seconds)
            assert parser.margins is not None
            margins = parser.margins(faulty).arcs
            ranks.append(np.argsort(np.argsort(margins, kind="stable"), kind="stable"))
        areas = [area(rank, wrong) for rank in (ranks[0], ranks[1], ranks[0] + ranks[1])]
        times = " and ".join(f"{seconds:.0f}" for seconds in spent)
        print(row(name, int(wrong.sum()), *(f"{a:.3f}" for a in areas), times), flush=True)


def plant(trees: Sequence[Tree]) -> tuple[list[Tree], NDArray[np.bool_]]:
    """Return trees in which some words have another head, and which words these are; heads make trees."""
    draw, faulty, wrong = Random(1), [], []
    for tree in trees:
        heads, n = list(tree.heads), len(tree)
        marks = [False] * n
        for d in range(1, n + 1):
            if heads[d - 1] == 0 or draw.random() >= PLANTED:
                continue
            others = [h for h in range(1, n + 1) if h != d and h != heads[d - 1] and d not in above(heads, h)]
            if others:
                heads[d - 1], marks[d - 1] = draw.choice(others), True
        faulty.append(tree.with_heads(heads))
        wrong += marks
    return faulty, np.array(wrong)


def above(heads: Sequence[int], word: int) -> Iterator[int]:
    """Yield the words on the way from a word to the root."""
    while word:
        yield word
        word = heads[word - 1]


def area(rank: NDArray[np.int64], wrong: NDArray[np.bool_]) -> float:
    """Return how often a wrong word has a lower rank than a right one."""
    order = np.argsort(np.argsort(rank, kind="stable"), kind="stable")
    count = wrong.sum()
    return float(1 - (order[wrong].sum() - count * (count - 1) / 2) / (count * (len(wrong) - count)))


def main() -> None:
    """Run the part that is named."""
    parts = {"questions": questions, "orders": orders, "short": short, "planted": planted}
    parser = arguments(__doc__, release="1.3")
    parser.add_argument("--seeds", type=int, default=3)
    part, *words = sys.argv[1:]
    train_usual([SMALL], [SMALL], 1)  # kernels are compiled or loaded before anything is timed
    train_optima([[SMALL]], 1)
    parts[part](parser.parse_args(words))


if __name__ == "__main__":
    main()
