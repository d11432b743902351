"""How costs grow with the size of a treebank and the length of sentences, beside the theory's exponents.

    python research/growth/growth.py UD_Greek --release 1.3 [--of size]
        [--part reading --part "arc-eager: p" ...]
    python research/growth/growth.py UD_English-LinES UD_French-Sequoia --release 2.16 --joined --of size

A cost in proportion to n^b has the exponent b: the slope of a line through log seconds over log n. "End"
is the slope between the last two points. It tells more where a large cheap cost hides a small expensive one,
and is far less exact. Seconds are processor seconds with kernels compiled, the median of `--repeat` (a single
measurement where it takes longer than a second). A `run` is a separate process with its child processes; its
largest memory is printed, too. A star marks exponents of more than 0.1 above the theory.

Size: 1, 2, 5 and 10 copies of the training set, or of a part of its sentences for slow work. With "own
words" each copy has distinct forms, so that no cache helps and models grow as fast as the text; with "same
words" copies are alike. The vocabulary of a real treebank grows more slowly.

Length: sentences of about 100, 200, ... 5,000 tokens, together 20,000. They are sentences of the treebank,
lifted and joined. The root word of each depends on that of the sentence before (`--star`: of the first).
Seconds are those of one sentence.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from learnability.comparing.conversion import train_converter
from learnability.metrics import (
    attachment_scores,
    derivation_perplexity,
    find_phrases,
    phrase_scores,
    predictability,
    tree_shape,
)
from learnability.metrics.scores import Score, correct_tokens
from learnability.multiref.arrays import encode_references
from learnability.multiref.references import reference_set
from learnability.multiref.training import train_on_references
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, Trainer
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.parser import ParserOptions
from learnability.parsing.projectivity import lift
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.statistics.significance import compare
from learnability.support.memory import collect_rarely
from learnability.transforms.base import invert_all, learn_side_preferences
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import TRANSFORMATIONS, get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.sentence import Tree
from research.performance.measures import conllu, parse
from research.support.treebank_folds import arguments, row, timed, training_trees

COPIES = (1, 2, 5, 10)
LENGTHS = (100, 200, 500, 1000, 2000, 5000)
TOKENS = 20_000
"""The number of tokens in the sentences of each length."""
LONG = 1.0
"""Work that takes longer than this many processor seconds is measured once."""
ITERATIONS = 2
TOLERANCE = 0.1

PARSERS = {
    **dict.fromkeys(SYSTEMS, 1.0), "covington": 2.0, "easy-first": 2.0,
    "graph": 3.0, "graph:nonprojective": 2.0,
}  # fmt: skip
"""Our parsers, and the theory's exponents in the length of sentences."""

LONGEST = {"easy-first": 2000, "covington": 500, "graph": 1000, "graph:nonprojective": 1000}
"""The longest sentences for parsers whose cost grows with the square or the cube of the length."""

Trees = Sequence[Tree]
Work = Callable[[], Any]


@dataclass(frozen=True)
class TimedPart:
    """A part of the work to be timed.

    Attributes:
        name: its name in the table.
        prepare: returns the work to be timed for some trees.
        length: the theory's exponent in the length of sentences; in size it is 1.
        share: the share of the sentences to use in the table of sizes.
        longest: the length of the longest sentences to try.
    """

    name: str
    prepare: Callable[[Trees], Work]
    length: float = 1.0
    share: float = 1.0
    longest: int = max(LENGTHS)


def with_own_words(trees: Trees, copy: int) -> list[Tree]:
    """Return the trees with forms that no other copy has; punctuation stays, because rules depend on it."""
    renamed = []
    for tree in trees:
        pairs = zip(tree.forms, tree.upos, strict=True)
        renamed.append(replace(tree, forms=tuple(w if tag == "PUNCT" else f"{copy}{w}" for w, tag in pairs)))
    return renamed


def copied(trees: Trees, copies: int, own_words: bool) -> list[Tree]:
    """Return `copies` copies of the trees."""
    return [t for i in range(copies) for t in (with_own_words(trees, i) if own_words else trees)]


def joined(trees: Trees, length: int, star: bool) -> list[Tree]:
    """Return trees of about `length` tokens each, with about `TOKENS` tokens together."""
    trees_made: list[Tree] = []
    supply = cycle(trees)
    while sum(map(len, trees_made)) < TOKENS:
        columns: list[list[Any]] = [[] for _ in range(7)]
        first = above = 0
        while (before := len(columns[0])) < length:
            tree = next(supply)
            heads = [head + before if head else above for head in tree.heads]
            deprels = tree.deprels
            if above:
                deprels = tuple("parataxis" if name == "root" else name for name in deprels)
            root = tree.heads.index(0) + 1 + before
            first = first or root
            above = first if star else root
            values_of_tree = (tree.forms, tree.upos, heads, deprels, tree.lemmas, tree.xpos, tree.feats)
            for column, values in zip(columns, values_of_tree, strict=True):
                column += values
        trees_made.append(Tree(*map(tuple, columns)))
    return trees_made


class TimedParts:
    """All work that is timed, for one treebank; `folder` for files."""

    def __init__(self, usual: Trees, folder: Path) -> None:
        self.usual, self.folder = usual, folder
        self.memory: dict[int, float] = {}
        """The largest memory of a run in MB, by its tokens."""
        self.rules = JointTransformation([get_transformation(name) for name in TRANSFORMATIONS], "all")

    def __iter__(self) -> Iterator[TimedPart]:
        yield TimedPart("reading", self.reading)
        yield TimedPart("writing", self.writing)
        yield TimedPart("lifting", lambda trees: partial(lift, trees))
        for name in TRANSFORMATIONS:
            yield TimedPart(f"transforming: {name}", partial(each, get_transformation(name).apply))
        yield TimedPart("transforming: all together", partial(each, self.rules.apply))
        yield TimedPart("inverting: all together", self.inverting, share=0.1)
        yield TimedPart("reference sets", partial(each, self.references))
        yield TimedPart("reference sets: encoding", self.encoding)
        yield TimedPart("reference sets: training", self.reference_training, share=0.2)
        yield TimedPart("conversion to UD: learning", self.converting, share=0.1)
        for spec, theory in PARSERS.items():
            slow = 0.1 if theory > 1 else 1.0
            longest = LONGEST.get(spec, max(LENGTHS))
            yield TimedPart(f"{spec}: training", partial(self.training, spec), theory, slow, longest)
            yield TimedPart(f"{spec}: parsing", partial(self.parsing, spec), theory, slow, longest)
        yield from self.measures()
        yield TimedPart("run", self.run, share=0.1, longest=2000)

    def measures(self) -> Iterator[TimedPart]:
        for function in (predictability, tree_shape):
            yield TimedPart(f"measure: {function.__name__}", partial(partial, function))
        yield TimedPart("measure: perplexity", self.perplexity)
        yield TimedPart(
            "scores: attachment", lambda trees: partial(attachment_scores, trees, parse(trees, 0.2, 1))
        )
        yield TimedPart("scores: phrases", lambda trees: partial(find_phrases, trees))
        yield TimedPart("scores: between phrases", self.phrases)
        yield TimedPart("scores: comparison", self.comparison)

    def reading(self, trees: Trees) -> Work:
        path = self.folder / "growth.conllu"
        path.write_text(conllu(trees), encoding="utf-8")
        return partial(read_conllu, path)

    def writing(self, trees: Trees) -> Work:
        return partial(write_conllu, self.reading(trees)(), list(map(self.rules.apply, trees)))

    def inverting(self, trees: Trees) -> Work:
        learned = learn_side_preferences(self.usual[:500], self.rules)
        return partial(invert_all, self.rules, list(map(self.rules.apply, trees)), None, learned)

    def references(self, tree: Tree) -> Any:
        return reference_set(tree, self.rules)

    def encoding(self, trees: Trees) -> Work:
        return partial(encode_references, encode_tokens(trees), list(map(self.references, trees)))

    def reference_training(self, trees: Trees) -> Work:
        corpus = encode_tokens(trees)
        encoded = encode_references(corpus, list(map(self.references, trees)))
        return partial(
            train_on_references, corpus, *encoded, ParserOptions(features=OF_EXPERIMENTS), ITERATIONS
        )

    def converting(self, trees: Trees) -> Work:
        return partial(train_converter, trees, self.rules, None, encode_tokens)

    def training(self, spec: str, trees: Trees) -> Work:
        return partial(trainer_of(spec).train, trees, [], 1)

    def parsing(self, spec: str, trees: Trees) -> Work:
        """Return the parsing of trees by a fixed parser, because its speed depends on its size."""
        return partial(self.parser(spec).parse, trees)

    @cache  # noqa: B019
    def parser(self, spec: str) -> Any:
        return trainer_of(spec).train(self.usual[:1000], [], 1)

    def perplexity(self, trees: Trees) -> Work:
        return partial(derivation_perplexity, trees, trees[: max(1, len(trees) // 10)])

    def phrases(self, trees: Trees) -> Work:
        return partial(phrase_scores, find_phrases(trees), heads_of(parse(trees, 0.2, 1)))

    def comparison(self, trees: Trees) -> Work:
        parses = [
            [correct_tokens(trees, parse(trees, share, seed), Score.UAS) for seed in (1, 2, 3)]
            for share in (0.2, 0.21)
        ]
        first, second = map(np.array, parses)
        return partial(compare, first, second, np.array(list(map(len, trees))))

    def run(self, trees: Trees) -> Work:
        """Return a run that trains on all trees, with a tenth as development and a tenth as test set."""
        folder, tenth = self.folder / "UD_Growth", max(1, len(trees) // 10)
        folder.mkdir(exist_ok=True)
        for name, part in (("train", trees), ("dev", trees[:tenth]), ("test", trees[-tenth:])):
            (folder / f"en_growth-ud-{name}.conllu").write_text(conllu(part), encoding="utf-8")
        out = ("--force", "--quiet", "--out", str(self.folder / "out"))
        few = ("--transform", "case", "--seeds", "1", "--iterations", str(ITERATIONS), "--jobs", "1")
        command = [
            sys.executable,
            "-m",
            "learnability",
            "run",
            "--test-set",
            "--treebank",
            str(folder),
            *few,
            *out,
        ]
        tokens = sum(map(len, trees))

        # a process counts the memory of its parent, so a shell starts the run, because it needs little
        shell = ["sh", "-c", f"{shlex.join(command)}; exit $?"]

        def work() -> None:
            subprocess.run(shell, check=True, stdout=subprocess.DEVNULL)
            lines = (self.folder / "out" / "records.jsonl").read_text().splitlines()
            self.memory[tokens] = max(json.loads(line)["peak_memory_mb"] for line in lines)

        return work


def each(function: Callable[[Tree], Any], trees: Trees) -> Work:
    return lambda: list(map(function, trees))


def heads_of(trees: Trees) -> list[tuple[int, ...]]:
    return [tree.heads for tree in trees]


def trainer_of(spec: str) -> Trainer:
    return parser_named(spec).trainer(Setup(labelled=True, iterations=ITERATIONS))


def seconds_of(work: Work, repeat: int) -> float:
    """Return the median processor seconds of the work."""
    times: list[float] = []
    while len(times) < repeat and max(times, default=0) < LONG:
        gc.collect()
        times.append(timed(work)[0])
    return median(times)


def exponents(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Return the slope of log seconds over log sizes, and the slope between the last two points."""
    x, y = np.log(sizes), np.log(seconds)
    return float(np.polyfit(x, y, 1)[0]), float((y[-1] - y[-2]) / (x[-1] - x[-2]))


def cells(found: tuple[float, float], theory: float) -> tuple[str, str]:
    """Return both exponents as text, the first marked where it is above the theory."""
    whole, end = found
    return f"{whole:.2f}{' *' if whole > theory + TOLERANCE else ''}", f"{end:.2f}"


def by_size(parts: Sequence[TimedPart], trees: Trees, words: Sequence[str], repeat: int) -> None:
    """Print the table of sizes."""
    head = [f"{name}, {word} words" for word in words for name in ("exponent", "end")]
    print(row("part", "tokens", f"seconds, {words[0]} words", *head))
    print("|---|--:|--:" + "|--:" * len(head) + "|")
    for part in parts:
        base = trees[: max(1, round(part.share * len(trees)))]
        sizes = [copies * sum(map(len, base)) for copies in COPIES]
        seconds = {
            word: [seconds_of(part.prepare(copied(base, n, word == "own")), repeat) for n in COPIES]
            for word in words
        }
        ends = [f"{ends[0]:,} to {ends[-1]:,}" for ends in (sizes,)]
        times = seconds[words[0]]
        found = [cell for word in words for cell in cells(exponents(sizes, seconds[word]), 1.0)]
        print(row(part.name, *ends, f"{times[0]:.2f} to {times[-1]:.2f}", *found), flush=True)


def by_length(parts: Sequence[TimedPart], trees: Trees, star: bool, repeat: int) -> None:
    """Print the table of lengths."""
    print(row("part", "lengths", "seconds per sentence", "exponent", "end", "theory"))
    print("|---|--:|--:|--:|--:|--:|")
    trees_by_length = {length: joined(trees, length, star) for length in LENGTHS}
    for part in parts:
        chosen = [sentences for length, sentences in trees_by_length.items() if length <= part.longest]
        sizes = [sum(map(len, sentences)) / len(sentences) for sentences in chosen]
        seconds = [seconds_of(part.prepare(sentences), repeat) / len(sentences) for sentences in chosen]
        ends = f"{sizes[0]:.0f} to {sizes[-1]:,.0f}", f"{seconds[0]:.2g} to {seconds[-1]:.2g}"
        print(
            row(part.name, *ends, *cells(exponents(sizes, seconds), part.length), f"{part.length:.0f}"),
            flush=True,
        )


def main() -> None:
    """Print a table for each question."""
    options = arguments(__doc__, ("demo",))
    options.add_argument("--of", choices=("size", "length"), action="append", help="default: both")
    options.add_argument("--part", action="append", default=[], help="only those that begin so")
    options.add_argument("--words", choices=("own", "same"), action="append", help="default: both")
    options.add_argument("--star", action="store_true")
    options.add_argument("--joined", action="store_true", help="the treebanks as one")
    options.add_argument("--repeat", type=int, default=3)
    command_line = options.parse_args()
    collect_rarely()  # as every command does
    for name, trees in training_trees(command_line).items():
        with tempfile.TemporaryDirectory() as folder:
            parts = TimedParts(trees, Path(folder))
            chosen = [
                p for p in parts if not command_line.part or p.name.startswith(tuple(command_line.part))
            ]
            for part in chosen:  # compile
                part.prepare(trees[:20])()
            parts.memory.clear()
            where = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
            for kind in command_line.of or ("size", "length"):
                print(f"\n{name}, {kind}; {where}; load {os.getloadavg()[0]:.1f}\n")
                if kind == "size":
                    by_size(chosen, trees, command_line.words or ("own", "same"), command_line.repeat)
                else:
                    by_length(chosen, trees, command_line.star, command_line.repeat)
                if kind == "size" and parts.memory:
                    figures = (
                        f"{megabytes:.0f} MB ({tokens:,} tokens)"
                        for tokens, megabytes in parts.memory.items()
                    )
                    print(f"\nLargest memory of a run: {', '.join(figures)}")


if __name__ == "__main__":
    main()
