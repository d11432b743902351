"""Have doubts judged by a reader who does not know which analysis is the annotation.

    python research/doubts/blind.py draw TREEBANK --runs FOLDER --out FOLDER [--seed 1]
    python research/doubts/blind.py count FOLDER

`draw` writes items.txt: fifty doubts from the top and fifty other words about which a parser disagrees,
shuffled, each with its sentence and two analyses in random order. The reader writes verdicts.txt with a word
for each item: `1:A` or `1:B` (this analysis is right and the other is wrong), `1:=` (both are fine) or `1:n`
(neither is). `count` reads key.json, which the reader has not opened, and prints the counts. A page with
counts says who the reader was: a language model, or a person who reads the language.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from learnability.errors import InputError
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.listing import AssessedTreebank, load_weights
from research.doubts.doubts import assessed, doubted, print_row

ITEMS, KEY, VERDICTS = "items.txt", "key.json", "verdicts.txt"
"""What the reader sees, what it must not see, and what it writes."""

TOP, RANDOM = "top", "random"

FIRST = 1000
"""The doubts among which no random disagreement is drawn."""

AROUND = 14
"""Words that are shown on either side, and more where a head is within twice as many."""


def drawn(words: AssessedTreebank, count: int, seed: int) -> list[tuple[int, str]]:
    """Return the indices of words to judge, each with its group, shuffled."""
    order, every = words.order(), words.words
    differs = (every.voted_heads != every.heads) | (every.voted_relations != every.relations)
    rest = [word for word in order[FIRST:] if differs[:, word].any()]
    draw = np.random.default_rng(seed)
    others = draw.choice(rest, min(count, len(rest)), replace=False).tolist()
    items = [(word, TOP) for word in order[:count]] + [(int(word), RANDOM) for word in others]
    return [items[i] for i in draw.permutation(len(items))]


def shown(assessed_words: AssessedTreebank, doubt: Doubt, swapped: bool) -> str:
    """Return the sentence around a word, and its two analyses; the proposal comes first if `swapped`."""
    tree = assessed_words.words.trees[doubt.sentence]
    heads = [head for head in (doubt.head, doubt.proposed_head) if head]
    near = [head for head in heads if abs(head - doubt.word) <= 2 * AROUND]
    first = max(1, min(doubt.word - AROUND, *(head - 2 for head in (*near, doubt.word))))
    last = min(len(tree), max(doubt.word + AROUND, *(head + 2 for head in (*near, doubt.word))))
    words = []
    for number in range(first, last + 1):
        form = tree.forms[number - 1]
        if number == doubt.word:
            words.append(f"[[{number}:{form}/{tree.upos[number - 1]}]]")
        else:
            words.append(f"{number}:{form}" if number in heads else form)

    def arc(deprel: str, head: int) -> str:
        return f"{deprel} of {head}:{tree.forms[head - 1]}" if head else "root of the sentence"

    both = [arc(doubt.deprel, doubt.head), arc(doubt.proposed_deprel, doubt.proposed_head)]
    one, other = reversed(both) if swapped else both
    return f"{' '.join(words)}\n   A {one}\n   B {other}"


def draw_items(treebank: Path, runs: Path, out: Path, count: int, seed: int) -> None:
    """Write the items and their key."""
    words = AssessedTreebank.of(assessed(doubted(treebank, out.name, runs)), load_weights())
    draw = np.random.default_rng([seed, 1])
    texts, key = [], {}
    for number, (word, group) in enumerate(drawn(words, count, seed), start=1):
        swapped = bool(draw.random() < 0.5)
        texts.append(f"{number}. {shown(words, words.doubt(word), swapped)}\n")
        key[str(number)] = {"group": group, "annotation": "B" if swapped else "A"}
    out.mkdir(parents=True, exist_ok=True)
    (out / ITEMS).write_text("\n".join(texts), encoding="utf-8")
    (out / KEY).write_text(json.dumps(key), encoding="utf-8")
    print(f"Wrote {len(key)} items to {out / ITEMS}")


def count_verdicts(folder: Path) -> None:
    """Print how the reader judged the items of each group."""
    key = json.loads((folder / KEY).read_text(encoding="utf-8"))
    typed = (folder / VERDICTS).read_text(encoding="utf-8").split()
    verdicts = dict(verdict.split(":", 1) for verdict in typed)
    if verdicts.keys() != key.keys() or not set(verdicts.values()) <= {"A", "B", "=", "n"}:
        raise InputError(f"{folder / VERDICTS} needs one of A, B, = and n for each of {len(key)} items")
    counts: Counter[tuple[str, str]] = Counter()
    for number, item in key.items():
        verdict = verdicts[number]
        if verdict == item["annotation"]:
            found = "annotation right"
        else:
            found = {"=": "both fine", "n": "both wrong"}.get(verdict, "proposal right")
        counts[item["group"], found] += 1
    print_row("group", "annotation wrong", "and the proposal right", "both fine", "annotation right")
    print_row(*["---"] * 5)
    for group in (TOP, RANDOM):
        right, wrong = counts[group, "proposal right"], counts[group, "both wrong"]
        rest = (counts[group, "both fine"], counts[group, "annotation right"])
        print_row(group, *map(str, (right + wrong, right, *rest)))


def main() -> None:
    """Draw items, or count verdicts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("treebank", type=Path)
    draw.add_argument("--runs", type=Path, required=True)
    draw.add_argument("--out", type=Path, required=True, help="its name is also that of the run")
    draw.add_argument("--items", type=int, default=50, help="of each group")
    draw.add_argument("--seed", type=int, default=1)
    count = commands.add_parser("count")
    count.add_argument("folder", type=Path)
    line = parser.parse_args()
    if line.command == "draw":
        draw_items(line.treebank, line.runs, line.out, line.items, line.seed)
    else:
        count_verdicts(line.folder)


if __name__ == "__main__":
    main()
