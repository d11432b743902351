"""What counting alone (`doubts --quick`) lists, beside public lists and beside later corrections.

    python research/doubts/counting.py corrected OLD NEW [--treebank UD_X ...]
    python research/doubts/counting.py lists HOME [--treebank UD_X ...] [--kept FOLDER]

`lists` makes three kinds of public lists again, from the lines of the files alone: features that contradict
XPOS, lemmas that are not the usual one of form and tag, and features that nearly all words of a tag have. It
prints which share of their words stands among our rows, by sentence, word and column.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnability.extensions.doubts.column_evidence import fuse_orders
from learnability.extensions.doubts.columns import DEPREL, FEATS, HEAD, LEMMA, UPOS, XPOS, group_of, values_in
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.logistic import load_all_weights
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.treebanks.labels import universal
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.sentence import Sentence, Tree
from research.doubts.column_corrections import Compared, scored, sentences_of
from research.doubts.doubts import matched, print_row

USUAL, LEAST = 0.95, 20
"""A list names the words that differ from this share of at least as many words."""

AT = (50, 500)


class Place(NamedTuple):
    """Represent a value of a word: the name of the file, the line of the word, the column."""

    file: str
    line: int
    column: str


def rows_of(files: TreebankFiles) -> Iterator[tuple[str, int, list[str]]]:
    """Yield file, line and cells of each word, without looking at anything else."""
    for path in dict.fromkeys(files.paths()):
        for line, text in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            cells = text.split("\t")
            if len(cells) == 10 and cells[0].isdigit() and cells[3] != "PUNCT":
                yield path.name, line, cells


def features(cell: str) -> dict[str, str]:
    return dict(item.split("=", 1) for item in cell.split("|") if "=" in item)


def public_lists(files: TreebankFiles) -> dict[str, list[Place]]:
    """Return the words of three kinds of lists, each with the column that it is about."""
    words = list(rows_of(files))
    names = sorted({name for *_, cells in words for name in features(cells[5])})
    lists: dict[str, list[Place]] = {}
    by_xpos: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    by_tag: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    lemmas: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for *_, cells in words:
        found = features(cells[5])
        lemmas[cells[1].lower(), cells[3]][cells[2]] += 1
        for name in names:
            by_xpos[cells[4], name][found.get(name, "")] += 1
            by_tag[cells[3], name][name in found] += 1
    contradicting, minority, missing = [], [], []
    for file, line, cells in words:
        found = features(cells[5])
        usual, count = lemmas[cells[1].lower(), cells[3]].most_common(1)[0]
        total = lemmas[cells[1].lower(), cells[3]].total()
        if usual != cells[2] and total >= LEAST and count >= USUAL * total:
            minority.append(Place(file, line, "lemma"))
        for name in names:
            counts, value = by_xpos[cells[4], name], found.get(name, "")
            (usual, count), total = counts.most_common(1)[0], counts.total()
            if cells[4] != "_" and value and value != usual and total >= LEAST and count >= USUAL * total:
                contradicting.append(Place(file, line, f"feats:{name}"))
            having = by_tag[cells[3], name]
            if name not in found and having.total() >= LEAST and having[True] >= USUAL * having.total():
                missing.append(Place(file, line, f"feats:{name}"))
    lists["features that contradict XPOS"] = contradicting
    lists["minority lemmas"] = minority
    lists["missing features"] = missing
    return lists


def ranks_of_columns(files: TreebankFiles, sentences: Sequence[Sentence], kept: Path) -> dict[Place, int]:
    """Return the ranks of all values that are no arcs in the order of a whole run without its heads."""
    trees = [sentence.tree for sentence in sentences]
    treebank = Compared(files.name, files.release, trees, trees, scored(files, kept))
    places = [(s.file, s.line_of(word)) for s in sentences for word in range(1, len(s) + 1)]
    weights = load_all_weights()
    scores, found = [], []
    for column in treebank.doubted:
        if len(column.words) and (model := weights.get(column.column.partition(":")[0])):
            score = model.probabilities(column.evidence)
            scores.append(fuse_orders(column.column, score, column.evidence))
            pairs = (places[word] for word in column.words.tolist())
            found += [Place(file, line, column.column) for file, line in pairs]
    order = np.argsort(-np.concatenate(scores), kind="stable")
    return {found[number]: rank for rank, number in enumerate(order.tolist())}


def print_lists(files: TreebankFiles, kept: Path | None) -> None:
    sentences = sentences_of(files)
    doubts = list_quick_doubts(sentences, DecidedDoubts())
    ranks = {Place(d.file, d.line, d.column): rank for rank, d in reversed(list(enumerate(doubts)))}
    orders = {"--quick": ranks}
    if kept is not None:
        orders["classifiers"] = ranks_of_columns(files, sentences, kept)
    for title, words in public_lists(files).items():
        for name, ranks in orders.items():
            among = [ranks[place] for place in words if place in ranks]
            first = [str(sum(rank < at for rank in among)) for at in AT]
            share = f"{len(among) / len(words):.0%}" if words else ""
            print_row(f"{files.name} {files.release}", title, f"{len(words):,}", name, *first, share)


def is_corrected(doubt: Doubt, later: Tree) -> bool:
    """Return whether a later release has another value; of an arc another head or universal relation."""
    word = doubt.word - 1
    if doubt.column == HEAD:
        arc = later.heads[word], universal(values_in(later, DEPREL)[word])
        return arc != (doubt.head, universal(doubt.deprel))
    return values_in(later, doubt.column)[word] != doubt.value


def print_corrected(old: TreebankFiles, new: TreebankFiles) -> None:
    """Print how many rows are corrected: of all, and of each group of columns in a list of its own."""
    sentences = sentences_of(old)
    later = matched(sentences, sentences_of(new))
    doubts = list_quick_doubts(sentences, DecidedDoubts())
    known = [(doubt, other.tree) for doubt in doubts if (other := later[doubt.sentence]) is not None]
    for group in ("all", HEAD, UPOS, XPOS, LEMMA, FEATS):
        some = [pair for pair in known if group in ("all", group_of(pair[0].column))]
        hits = list(itertools.starmap(is_corrected, some))
        counts = (str(sum(hits[:at])) for at in (*AT, len(hits) // 5, len(hits)))
        print_row(f"{old.name} {old.release}", group, f"{len(hits):,}", *counts)


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("command", choices=("corrected", "lists"))
    parser.add_argument("homes", type=Path, nargs="+", metavar="HOME")
    parser.add_argument("--treebank", action="append", default=[], metavar="UD_X")
    parser.add_argument("--kept", type=Path, help="what classifiers say; see columns.py")
    line = parser.parse_args()
    first = {files.name: files for files in list_treebanks(line.homes[0])}
    chosen = [first[name] for name in line.treebank or first]
    if line.command == "lists":
        print_row("treebank", "list", "values", "rows of", "first 50", "first 500", "all rows")
        print_row(*["---"] * 7)
        for files in chosen:
            print_lists(files, line.kept)
        return
    second = {files.name: files for files in list_treebanks(line.homes[1])}
    print_row("treebank", "column", "rows", "corrected of 50", "of 500", "of 20 %", "of all")
    print_row(*["---"] * 7)
    for files in chosen:
        print_corrected(files, second[files.name])


if __name__ == "__main__":
    main()
