"""Have doubts of all columns judged by two readers who do not know which analysis is the annotation.

    python research/doubts/blind.py draw TREEBANK --runs FOLDER --out FOLDER [--seed 1]
    python research/doubts/blind.py count FOLDER

`draw` writes fifty values from the top of the one list over all columns, and for each of them another value
of the same group of columns that a parser or classifier contradicts, from outside the first 1,000. Each of
the two readings has a sheet, in an order and with analyses A and B in an order of its own. A reader writes a
line for each item into answers-1.txt or answers-2.txt: its number, a tab, and `A` or `B` (this analysis is
right and the other is wrong), `both` (both are fine) or `neither`. `count` reads key.json, which no reader
has opened, and prints the counts and how far the readers agree. A page with counts says who the readers were:
language models, or people who read the language.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from learnability.annotation_diffs.agreement import column_agreement
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.extensions.doubts.columns import (
    ARCS,
    GROUPS,
    HEAD,
    PUNCT,
    SUBTYPE,
    UPOS,
    describe_value,
    group_of,
)
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.listing import ARC, AssessedTreebank, DoubtPlace
from learnability.extensions.doubts.study import assess_treebank, conllu_files
from learnability.treebanks.sentence import Tree
from research.doubts.doubts import doubted, print_row

READINGS = (1, 2)
"""The numbers of the readings, each of which sees all items."""

SHEET, ANSWERS, KEY = "sheet-{}.txt", "answers-{}.txt", "key.json"
"""What a reader sees, what it writes, and what it must not see."""

TOP, RANDOM = "top", "random"

FIRST = 1000
"""The doubts among which no random disagreement is drawn."""

INSTRUCTIONS = """\
Reading {reading} of {count} items from the treebank {name} (Universal Dependencies, version 2).

Each item shows a sentence and two analyses, A and B, of the word in [[double brackets]]. They differ in one
point only. Judge this point by the guidelines of Universal Dependencies for the language, from the sentence
alone. The analyses are in random order: neither position says anything.

Write one line per item into a file: the number of the item, a tab, and one of these words:
A        analysis A is right, and B is wrong
B        analysis B is right, and A is wrong
both     both are acceptable
neither  both are wrong

Numbers before words are their places in the sentence. What stands in parentheses after the item's number is
the column, and the tag of the word where the column depends on it. `no-Gender` says that the word does not
have this feature.
"""


class Judgement(StrEnum):
    """What a reader says of an item, once it is known which analysis is the annotation."""

    PROPOSAL = "proposal right"
    NEITHER = "neither right"
    BOTH = "both fine"
    ANNOTATION = "annotation right"


class KeyEntry(msgspec.Struct, frozen=True):
    """What an item of a sheet is.

    Attributes:
        item: its number among all items, which is the same in both readings.
        group: `TOP` or `RANDOM`.
        column: what is in doubt.
        annotation: the analysis that is the annotation, ``A`` or ``B``.
    """

    item: int
    group: str
    column: str
    annotation: str


class Item(NamedTuple):
    """A value to judge, and the group that it is drawn for."""

    place: DoubtPlace
    group: str


@dataclass(frozen=True, eq=False)
class Draw:
    """The items that are drawn from a treebank.

    Attributes:
        treebank: with its doubts.
        places: all values that can be listed, the most doubtful first.
    """

    treebank: AssessedTreebank
    places: Sequence[DoubtPlace]

    def items(self, count: int, seed: int) -> list[Item]:
        """Return the items: the first value of each word at the top, and as many from outside `FIRST`.

        No word has two items, which would look alike to a reader.
        """
        used: set[int] = set()
        top: list[Item] = []
        for place in self.places:
            if len(top) < count and place.word not in used:
                top.append(Item(place, TOP))
                used.add(place.word)
        rest: dict[str, list[DoubtPlace]] = {}
        for place in self.places[FIRST:]:
            if self.is_contradicted(place):
                rest.setdefault(self.group_of(place), []).append(place)
        draw = np.random.default_rng(seed)
        others = {
            group: iter([places[i] for i in draw.permutation(len(places))])
            for group, places in sorted(rest.items())
        }
        random: list[Item] = []
        for item in top:
            for place in others.get(self.group_of(item.place), iter(())):
                if place.word not in used:
                    random.append(Item(place, RANDOM))
                    used.add(place.word)
                    break
        return [*top, *random]

    def is_contradicted(self, place: DoubtPlace) -> bool:
        """Return whether a parser, or the classifier of the column, has another value."""
        if place.column == ARC:
            words, word = self.treebank.words, place.word
            heads = words.voted_heads[:, word] != words.heads[word]
            return bool((heads | (words.voted_relations[:, word] != words.relations[word])).any())
        return bool(self.treebank.columns[place.column].evidence["differs"][place.item])

    def group_of(self, place: DoubtPlace) -> str:
        """Return the group of columns of a value."""
        if place.column == ARC:
            return HEAD if self.treebank.words.are_words[place.word] else PUNCT
        return group_of(self.treebank.columns[place.column].column)


def shown(tree: Tree, doubt: Doubt, swapped: bool) -> str:
    """Return the sentence of a doubt and its two analyses; the proposal is A if `swapped`.

    Only a column that depends on the tag shows it: that of the word would betray which analysis of the tag
    is the annotation.
    """
    heads = {head for head in (doubt.head, doubt.proposed_head) if head} if doubt.column in ARCS else set()
    words = []
    for number, form in enumerate(tree.forms, start=1):
        if number == doubt.word:
            words.append(f"[[{number}:{form}]]")
        else:
            words.append(f"{number}:{form}" if number in heads else form)
    if doubt.column in ARCS:
        both = [
            _arc(tree, doubt.head, doubt.deprel),
            _arc(tree, doubt.proposed_head, doubt.proposed_deprel),
        ]
    else:
        both = [describe_value(doubt.column, value) for value in (doubt.value, doubt.proposed_value)]
    one, other = reversed(both) if swapped else both
    name = {HEAD: "head and relation", PUNCT: "head of punctuation", SUBTYPE: "relation"}.get(
        doubt.column, doubt.column
    )
    tag = "" if doubt.column == UPOS else f", {doubt.upos}"
    return f"({name}{tag})\n   {' '.join(words)}\n   A {one}\n   B {other}"


def _arc(tree: Tree, head: int, deprel: str) -> str:
    return f"{deprel} of {head}:{tree.forms[head - 1]}" if head else "root of the sentence"


def draw_sheets(treebank: Path, runs: Path, out: Path, count: int, seed: int) -> None:
    """Write a sheet for each reading, and the key."""
    folder = doubted(treebank, out.name, runs)
    config = finished_config(folder)
    plan, records = RunPlan.of_config(config), finished_records(folder, config)
    assessed = assess_treebank(plan, records, conllu_files(plan, records))
    items = Draw(assessed, assessed.places(())).items(count, seed)
    out.mkdir(parents=True, exist_ok=True)
    key: dict[str, list[KeyEntry]] = {}
    for reading in READINGS:
        draw = np.random.default_rng([seed, reading])
        texts = [INSTRUCTIONS.format(reading=reading, count=len(items), name=treebank.name)]
        entries: list[KeyEntry] = []
        for number, index in enumerate(draw.permutation(len(items)).tolist(), start=1):
            place, group = items[index]
            doubt, swapped = assessed.doubt_at(place), bool(draw.random() < 0.5)
            tree = assessed.words.trees[doubt.sentence]
            texts.append(f"{number}. {shown(tree, doubt, swapped)}\n")
            entries.append(KeyEntry(index, group, doubt.column, "B" if swapped else "A"))
        (out / SHEET.format(reading)).write_text("\n".join(texts), encoding="utf-8")
        key[str(reading)] = entries
    (out / KEY).write_bytes(msgspec.json.encode(key))
    top = sum(item.group == TOP for item in items)
    sheets = " and ".join(str(out / SHEET.format(reading)) for reading in READINGS)
    print(f"Wrote {top} items from the top and {len(items) - top} at random to {sheets}")


def read_answers(path: Path, entries: Sequence[KeyEntry]) -> dict[int, Judgement]:
    """Return the judgement of each item by its number among all items.

    Args:
        path: the answers of a reading.
        entries: its items in the order of the sheet.

    Raises:
        InputError: the file is missing, a line cannot be read, or an item has no answer or two.
    """
    if not path.exists():
        raise InputError(f"{path} is missing; write the answers of the reading there")
    found: dict[int, Judgement] = {}
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        number, _, answer = (part.strip() for part in text.partition("\t"))
        is_item = number.isdecimal() and 1 <= int(number) <= len(entries)
        if not is_item or answer not in ("A", "B", "both", "neither"):
            raise InputError(
                f"{path}:{line}: needs the number of an item, a tab, and A, B, both or neither; not {text!r}"
            )
        entry = entries[int(number) - 1]
        if entry.item in found:
            raise InputError(f"{path}:{line}: item {number} has an answer already; keep one of them")
        found[entry.item] = _judgement(answer, entry)
    for place, entry in enumerate(entries, start=1):
        if entry.item not in found:
            raise InputError(f"{path}: item {place} has no answer; add one")
    return found


def _judgement(answer: str, entry: KeyEntry) -> Judgement:
    if answer in ("both", "neither"):
        return Judgement.BOTH if answer == "both" else Judgement.NEITHER
    return Judgement.ANNOTATION if answer == entry.annotation else Judgement.PROPOSAL


def kappa_of(first: Mapping[int, Judgement], second: Mapping[int, Judgement], items: Sequence[int]) -> float:
    """Return Cohen's kappa of two readings of some items in the four categories; nan without any variety."""
    counts = Counter((str(first[item]), str(second[item])) for item in items)
    return column_agreement("", counts).kappa


def count_rows(counts: Counter[Judgement]) -> list[str]:
    """Return how many annotations are wrong, of these with the right proposal, both fine, and right."""
    right, wrong = counts[Judgement.PROPOSAL], counts[Judgement.NEITHER]
    return [str(n) for n in (right + wrong, right, counts[Judgement.BOTH], counts[Judgement.ANNOTATION])]


def count_answers(folder: Path) -> None:
    """Print how each reading judged the items of each group and column, and how far the readings agree."""
    key = msgspec.json.decode((folder / KEY).read_bytes(), type=dict[str, list[KeyEntry]])
    readings = [read_answers(folder / ANSWERS.format(r), key[str(r)]) for r in READINGS]
    entries = {entry.item: entry for entry in key[str(READINGS[0])]}
    for name, parts in (("group", _by_group(entries)), ("column", _by_column(entries))):
        print_row(name, "items", "reading", "annotation wrong", "and the proposal right", "both fine",
                  "annotation right")  # fmt: skip
        print_row(*["---"] * 7)
        for part, items in parts:
            for number, reading in zip(READINGS, readings, strict=True):
                counts = Counter(reading[item] for item in items)
                print_row(part, str(len(items)), str(number), *count_rows(counts))
        print()
    print_row("group", "items", "same judgement", "kappa")
    print_row(*["---"] * 4)
    first, second = readings
    for part, items in [*_by_group(entries), ("all", list(entries))]:
        same = sum(first[item] == second[item] for item in items)
        print_row(part, str(len(items)), f"{same}", f"{kappa_of(first, second, items):.2f}")


def _by_group(entries: Mapping[int, KeyEntry]) -> Iterator[tuple[str, list[int]]]:
    """Yield the items of each group."""
    for group in (TOP, RANDOM):
        yield group, [item for item, entry in entries.items() if entry.group == group]


def _by_column(entries: Mapping[int, KeyEntry]) -> Iterator[tuple[str, list[int]]]:
    """Yield the items of each group in each group of columns."""
    for column in GROUPS:
        for group, items in _by_group(entries):
            among = [item for item in items if group_of(entries[item].column) == column]
            if among:
                yield f"{column}, {group}", among


def main() -> int:
    """Draw items, or count answers."""
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
        draw_sheets(line.treebank, line.runs, line.out, line.items, line.seed)
        return 0
    try:
        count_answers(line.folder)
    except InputError as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
