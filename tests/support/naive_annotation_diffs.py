"""Counting the differences of two CoNLL-U texts line by line: slow, and without any code of the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

Row = list[str]
Key = tuple[str, str, str, str, str, bool]


class Block:
    """A sentence: its id and the cells of its words."""

    def __init__(self, text: str) -> None:
        self.rows: list[Row] = []
        self.sent_id = ""
        for line in text.split("\n"):
            if line.startswith("# sent_id"):
                self.sent_id = line.split("=", 1)[1].strip()
            elif line and not line.startswith("#"):
                cells = line.split("\t")
                if cells[0].isdigit():
                    self.rows.append(cells)
        self.words = tuple(row[1] for row in self.rows)


def blocks_of(paths: Iterable[Path]) -> list[Block]:
    """The sentences of files in order."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return [Block(part) for text in texts for part in text.split("\n\n") if part.strip()]


def pairs_of(first: list[Block], second: list[Block]) -> list[tuple[Block, Block]]:
    """Sentences with the same words: with the same id if there is one, then in order."""
    places: dict[tuple[str, ...], list[Block]] = {}
    for block in second:
        places.setdefault(block.words, []).append(block)
    pairs, rest = [], []
    for block in first:
        same = [other for other in places.get(block.words, []) if other.sent_id == block.sent_id != ""]
        if same:
            places[block.words].remove(same[0])
            pairs.append((block, same[0]))
        else:
            rest.append(block)
    for block in rest:
        if places.get(block.words):
            pairs.append((block, places[block.words].pop(0)))
    return pairs


def features(cell: str) -> dict[str, str]:
    found = {}
    for item in cell.split("|"):
        if item not in ("", "_"):
            name, *value = item.split("=", 1)
            found[name] = (value[0] or "(empty)") if value else "(no value)"
    return found


def ancestors(rows: list[Row], word: int) -> list[int]:
    found = []
    at = int(rows[word - 1][6])
    while at:
        found.append(at)
        at = int(rows[at - 1][6])
    return found


def place(rows: list[Row], word: int, other: int) -> str:
    """Where `other` is, seen from `word`, one question after the other."""
    if other == 0:
        return "root"
    of_word, of_other = ancestors(rows, word), ancestors(rows, other)
    if word in of_other:
        return "child" if of_other[0] == word else "below"
    if other in of_word:
        return "grandparent" if of_word.index(other) == 1 else "above"
    if [0, *of_word[:1]][-1] == [0, *of_other[:1]][-1]:
        return "sibling"
    return "nephew" if of_word and of_word[0] in of_other else "elsewhere"


def count(pairs: Iterable[tuple[Block, Block]]) -> Counter[Key]:
    """How many words differ in each way: column, detail, tags, both values, whether it is punctuation."""
    counts: Counter[Key] = Counter()
    for first, second in pairs:
        for number, (a, b) in enumerate(zip(first.rows, second.rows, strict=True), start=1):
            mark = a[7].split(":")[0] == b[7].split(":")[0] == "punct"
            if a[2] != b[2]:
                counts[lemma(a[2], b[2], mark)] += 1
            for column, name in ((3, "UPOS"), (4, "XPOS"), (7, "DEPREL")):
                if a[column] != b[column]:
                    values = [cell if cell != "_" else "" for cell in (a[column], b[column])]
                    counts[name, "", "", values[0], values[1], mark] += 1
            tags = a[3] if a[3] == b[3] else f"{a[3]} > {b[3]}"
            old, new = features(a[5]), features(b[5])
            if a[5] != b[5] and old == new:
                counts["FEATS", "order", "", "", "", mark] += 1
            for name in set(old) | set(new):
                if old.get(name) != new.get(name):
                    counts["FEATS", name, tags, old.get(name, ""), new.get(name, ""), mark] += 1
            if a[6] != b[6]:
                detail = f"{place(first.rows, number, int(b[6]))}, {place(second.rows, number, int(a[6]))}"
                counts["HEAD", detail, "", a[7], b[7], mark] += 1
            for detail, before, after in edges(a, b):
                counts["DEPS", detail, "", before, after, mark] += 1
            old, new = features(a[9]), features(b[9])
            if a[9] != b[9] and old == new:
                counts["MISC", "order", "", "", "", mark] += 1
            for name in set(old) | set(new):
                if old.get(name) != new.get(name):
                    values = ["(any)" if name in each else "" for each in (old, new)]
                    counts["MISC", name, "", values[0], values[1], mark] += 1
    return counts


def lemma(a: str, b: str, mark: bool) -> Key:
    if a.casefold() == b.casefold():
        return ("LEMMA", "capital letters", "", "", "", mark)
    if "_" in (a, b):
        return ("LEMMA", "", "", "(any)" if a != "_" else "", "(any)" if b != "_" else "", mark)
    return ("LEMMA", "", "", a, b, mark)


def edges(a: Row, b: Row) -> list[tuple[str, str, str]]:
    """What differs between the enhanced graphs of a word, unless that is what differs in the tree."""
    if a[8] == b[8]:
        return []
    gone = [edge for edge in a[8].split("|") if edge != "_"]
    added = [edge for edge in b[8].split("|") if edge != "_"]
    for edge in [edge for edge in gone if edge in added]:
        if edge in added:
            gone.remove(edge)
            added.remove(edge)
    if not gone and not added:
        return [("order", "", "")]
    arc, other = f"{a[6]}:{a[7]}", f"{b[6]}:{b[7]}"
    if arc != other and arc in gone and other in added:
        gone.remove(arc)
        added.remove(other)
    found = []
    for part, detail in ((0, ""), (1, "moved")):
        for edge in sorted(gone):
            for new in sorted(added):
                if edge.split(":", 1)[part] == new.split(":", 1)[part]:
                    gone.remove(edge)
                    added.remove(new)
                    found.append((detail, edge.split(":", 1)[1], new.split(":", 1)[1]))
                    break
    found += [("", edge.split(":", 1)[1], "") for edge in gone]
    return found + [("", "", edge.split(":", 1)[1]) for edge in added]
