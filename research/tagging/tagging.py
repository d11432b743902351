"""The tagger of `--tags predicted` beside UDPipe 1's: accuracy and seconds on the same sentences.

    python research/tagging/tagging.py                          # eight treebanks of two releases
    python research/tagging/tagging.py UD_Irish --release 1.3 --seeds 3 [--sentences 400] [--without-udpipe]

Both read forms and learn UPOS from the training set, UDPipe with its default options, which choose an
iteration by the development set; our tagger is trained with each seed, and accuracies are means. "jackknifed"
is the accuracy on the training set as the parser sees it. Seconds are processor seconds: of all taggers that
`--tags predicted` trains for a seed, with encoding (once for all seeds) and tagging; of UDPipe's training and
tagging; and of training the parsers. The taggers' seconds are divided by those of one training, and by those
of all trainings of a seed in a run of seven constructions: settings (a), (b) and (c) (here as long as (a)).
Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from learnability.comparing.fold_trees import Sets, TaggerCache
from learnability.parsing.parser import ParserOptions, train_parser, warm_up_parser
from learnability.parsing.tagger import Tags, predict_tags
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.transforms.registry import PAPER
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, folds, row, timed

TREEBANKS = {
    "1.3": ("UD_Irish", "UD_Hungarian", "UD_Kazakh", "UD_Greek"),
    "2.16": ("UD_Tamil-TTB", "UD_Turkish-IMST", "UD_French-Sequoia", "UD_English-LinES"),
}
"""Treebanks of eight languages, by release."""


TRAININGS = 1 + 2 * len(PAPER)
"""The trainings of a seed in a run of the seven constructions of the paper, which share the taggers."""


class Found(NamedTuple):
    """Accuracies of our tagger and of UDPipe's in percent, and seconds."""

    jackknifed: float
    dev: float
    test: float
    seconds: float
    udpipe: float
    udpipe_seconds: float
    parser_seconds: float
    labelled_seconds: float


def right(trees: Sequence[Tree], tags: Sequence[Tags]) -> float:
    """Return the share of right tags in percent."""
    pairs = [pair for tree, own in zip(trees, tags, strict=True) for pair in zip(tree.upos, own, strict=True)]
    return 100 * statistics.fmean(gold == tag for gold, tag in pairs)


def tagged_by_udpipe(sets: Sets) -> list[Tags]:
    """Train UDPipe's tagger with its default options, and return the tags of the test set."""
    from ufal.udpipe import InputFormat, Model, ProcessingError, Sentence, Sentences, Trainer

    def read(trees: Sequence[Tree], *, tags: bool) -> Any:
        bare = [replace(t, upos=t.upos if tags else (), heads=(), deprels=()) for t in trees]
        bare = [replace(tree, lemmas=(), xpos=(), feats=()) for tree in bare]
        reader, sentences = InputFormat.newConlluInputFormat(), Sentences()
        reader.setText(conllu_text(bare))
        while reader.nextSentence(sentence := Sentence(), ProcessingError()):
            sentences.append(sentence)
        return sentences

    error = ProcessingError()
    data = read(sets.train, tags=True), read(sets.dev, tags=True)
    trained = Trainer.train("morphodita_parsito", *data, Trainer.NONE, Trainer.DEFAULT, Trainer.NONE, error)
    if error.occurred():
        raise SystemExit(error.message)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(trained)
        model = Model.load(str(path))
    found = []
    for sentence in read(sets.test, tags=False):
        model.tag(sentence, Model.DEFAULT, error)
        found.append(tuple(word.upostag for word in list(sentence.words)[1:]))
    return found


def measure(sets: Sets, command_line: argparse.Namespace) -> Found:
    """Train and test both taggers, and train the parsers on gold tags."""
    ours, nan = [], float("nan")
    taggings = TaggerCache(command_line.seeds)
    for seed in range(1, command_line.seeds + 1):
        seconds, tagging = timed(partial(taggings.of, sets.train, [*sets.dev, *sets.test], seed))
        dev, test = tagging.others[: len(sets.dev)], tagging.others[len(sets.dev) :]
        tagged = (sets.train, tagging.train), (sets.dev, dev), (sets.test, test)
        ours.append([*(right(trees, tags) for trees, tags in tagged), seconds])
    udpipe = nan, nan
    if not command_line.without_udpipe:
        spent, tags = timed(partial(tagged_by_udpipe, sets))
        udpipe = right(sets.test, tags), spent
    parsers = []
    for labelled in (False, True):
        options = ParserOptions(features=OF_EXPERIMENTS, labelled=labelled)
        warm_up_parser(options)
        parsers.append(timed(partial(train_parser, sets.train, options, sets.dev))[0])
    jackknifed, dev_accuracy, test_accuracy, seconds = (
        statistics.fmean(column) for column in zip(*ours, strict=True)
    )
    return Found(jackknifed, dev_accuracy, test_accuracy, seconds, *udpipe, *parsers)


def cells(found: Found) -> tuple[str, ...]:
    """Return the figures of a row."""
    return (
        f"{found.jackknifed:.2f}", f"{found.dev:.2f}", f"{found.test:.2f}", f"{found.udpipe:.2f}",
        f"{found.test - found.udpipe:+.2f}", f"{found.seconds:.2f}", f"{found.udpipe_seconds:.1f}",
        f"{found.seconds / found.parser_seconds:.2f}", f"{found.seconds / found.labelled_seconds:.2f}",
        f"{found.seconds / found.parser_seconds / TRAININGS:.3f}",
    )  # fmt: skip


def main() -> None:
    """Print one row for each treebank, and the means."""
    options = arguments(__doc__, ("default",))
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--sentences", type=int, help="learn from the first sentences only")
    options.add_argument("--without-udpipe", action="store_true")
    command_line = options.parse_args()
    chosen = (
        TREEBANKS
        if command_line.treebanks == ("default",)
        else {command_line.release: command_line.treebanks}
    )
    print(f"{command_line.seeds} seeds; load {os.getloadavg()[0]:.1f}\n")
    figures = ("jackknifed", "dev", "test", "UDPipe, test", "difference", "CPU s", "UDPipe, CPU s")
    shares = ("share of arc-eager", "share of labelled", "share of a run")
    names = ("treebank", "training tokens", *figures, *shares)
    print(row(*names))
    print(row("---", *["--:"] * (len(names) - 1)))
    rows: list[Found] = []
    for command_line.release, command_line.treebanks in chosen.items():
        for treebank, fold in folds(command_line):
            sets = replace(fold.ud, train=fold.ud.train[: command_line.sentences])
            if not rows:
                predict_tags(sets.train[:3], sets.test[:2], 1)
            rows.append(measure(sets, command_line))
            tokens = f"{sum(map(len, sets.train)):,}"
            print(row(f"{treebank} {command_line.release}", tokens, *cells(rows[-1])), flush=True)
    means = Found(*map(statistics.fmean, zip(*rows, strict=True)))
    print(row("mean", "", *cells(means)))


if __name__ == "__main__":
    main()
