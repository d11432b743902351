"""Plant one convention in half of a treebank, and look whether it is the first line of its column.

    python research/conventions/planted_conventions.py [--copy] TREEBANK...

Each change is made in one half of the sentences, all by itself. The other half stays as it is. With --copy it
is made in a copy of all sentences.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_lines import describe_contexts
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.extensions.harmonise.conventions import Convention
from learnability.regularities.word_table import WordTable, read_features
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Sentence, Tree
from research.conventions.counted_halves import split_in_halves

TreeChange = Callable[[Tree], Tree]
Rows = list[list[str]]

FEWEST = 20
"""The occurrences of a token of several words that is planted."""

FEWEST_TURNED = 200
"""The words whose heads are turned."""

RENAMED = "Other"
"""What the value is called that is renamed."""


class Planted(NamedTuple):
    """A change of trees or of the rows of a file, and the column of lines about it."""

    name: str
    column: str
    change: TreeChange | None = None
    change_rows: Callable[[Rows], Rows] | None = None

    def apply(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with the change."""
        if self.change is not None:
            return [replace(each, tree=self.change(each.tree)) for each in sentences]
        assert self.change_rows is not None
        blocks = []
        for each in sentences:
            comments = [line for line in each.lines if line.startswith("#")]
            rows = [
                line.split("\t") for line in each.lines if "\t" in line and "." not in line.split("\t")[0]
            ]
            blocks.append("\n".join([*comments, *map("\t".join, self.change_rows(rows))]))
        return list(read_conllu(io.BytesIO(("\n\n".join(blocks) + "\n\n").encode())).sentences)


def write_features(features: dict[str, str]) -> str:
    """The cell of these features."""
    return "|".join(f"{name}={value}" for name, value in features.items()) or "_"


def each_cell(tree: Tree, change: Callable[[str, dict[str, str]], None]) -> Tree:
    """The tree with features that a function changes, given the tag."""
    cells = []
    for tag, cell in zip(tree.upos, tree.feats or ("_",) * len(tree), strict=True):
        features = read_features(cell)
        change(tag, features)
        cells.append(write_features(features))
    return replace(tree, feats=tuple(cells))


def plan_changes(trees: Sequence[Tree]) -> list[Planted]:
    """The changes of trees, each of what is frequent in the treebank."""
    pairs = Counter(
        (tag, name)
        for tree in trees
        for tag, cell in zip(tree.upos, tree.feats, strict=False)
        for name in read_features(cell)
    )
    values = Counter(pair for tree in trees for cell in tree.feats for pair in read_features(cell).items())
    names = Counter(name for name, _ in values)
    planned = []
    several = [pair for pair, _ in pairs.most_common() if sum(name == pair[1] for _, name in pairs) > 1]
    if several:
        planned.append(remove_feature(*several[0]))
    renamed = [pair for pair, _ in values.most_common() if names[pair[0]] > 1]
    if renamed:
        planned.append(rename_value(*renamed[0]))
    endings = Counter(
        form.lower()[-2:]
        for tree in trees
        for form, lemma, tag in zip(tree.forms, tree.lemmas, tree.upos, strict=False)
        if tag in ("NOUN", "VERB") and len(form) > 3 and lemma not in ("_", form.lower())
    )
    if endings:
        planned.append(keep_ending(endings.most_common(1)[0][0]))
    subtypes = Counter(deprel for tree in trees for deprel in tree.deprels if ":" in deprel)
    if subtypes:
        planned.append(drop_subtype(subtypes.most_common(1)[0][0]))
    tags = Counter(tag for tree in trees for tag in tree.upos)
    merged = [
        (old, new) for old, new in (("DET", "ADJ"), ("AUX", "VERB"), ("SCONJ", "ADP")) if tags[old] >= 100
    ]
    planned += [merge_tag(*pair) for pair in merged[:1]]
    planned.append(turn_heads(trees))
    return planned


def remove_feature(tag: str, name: str) -> Planted:
    """A tag loses a feature."""

    def change(given: str, features: dict[str, str]) -> None:
        if given == tag:
            features.pop(name, None)

    return Planted(f"{tag} loses {name}", f"feats:{name}", lambda tree: each_cell(tree, change))


def rename_value(name: str, value: str) -> Planted:
    """A value gets another name."""

    def change(_: str, features: dict[str, str]) -> None:
        if features.get(name) == value:
            features[name] = RENAMED

    return Planted(f"{name}={value} is {RENAMED}", f"feats:{name}", lambda tree: each_cell(tree, change))


def keep_ending(ending: str) -> Planted:
    """The lemmas of nouns and verbs with an ending are their forms."""

    def change(tree: Tree) -> Tree:
        lemmas = [
            form.lower() if tag in ("NOUN", "VERB") and form.lower().endswith(ending) else lemma
            for form, tag, lemma in zip(tree.forms, tree.upos, tree.lemmas, strict=True)
        ]
        return replace(tree, lemmas=tuple(lemmas))

    return Planted(f"lemmas keep -{ending}", "lemma", change)


def drop_subtype(deprel: str) -> Planted:
    """A subtype is dropped."""

    def change(tree: Tree) -> Tree:
        deprels = (each.partition(":")[0] if each == deprel else each for each in tree.deprels)
        return replace(tree, deprels=tuple(deprels))

    return Planted(f"{deprel} is dropped", "deprel", change)


def merge_tag(old: str, new: str) -> Planted:
    """A tag becomes another one."""

    def change(tree: Tree) -> Tree:
        return replace(tree, upos=tuple(new if tag == old else tag for tag in tree.upos))

    return Planted(f"{old} is {new}", "upos", change)


def turn_heads(trees: Sequence[Tree]) -> Planted:
    """Words of a relation depend on the head of their head: coordinators if there are enough, or others."""
    counts = Counter(
        deprel.partition(":")[0]
        for tree in trees
        for head, deprel in zip(tree.heads, tree.deprels, strict=True)
        if head and tree.heads[head - 1]
    )
    relation = next(name for name in ("cc", "case", "mark", "det") if counts[name] >= FEWEST_TURNED)

    def change(tree: Tree) -> Tree:
        above = [tree.heads[head - 1] if head else 0 for head in tree.heads]
        return tree.with_heads(
            [
                new if new and name.partition(":")[0] == relation else head
                for head, new, name in zip(tree.heads, above, tree.deprels, strict=True)
            ]
        )

    return Planted(f"{relation} depends on the head of its head", "head", change)


def words_of_ranges(rows: Rows) -> dict[int, tuple[int, str]]:
    """The last word and the form of each token of several words, by its first word."""
    ranges = [(row[0].split("-"), row[1]) for row in rows if "-" in row[0]]
    return {int(first): (int(last), form) for (first, last), form in ranges}


def plan_split(sentences: Sequence[Sentence]) -> Planted:
    """Tokens of several words with the most frequent ending are one; where there are none, words are two."""
    split: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for each in sentences:
        rows = [line.split("\t") for line in each.lines if "\t" in line]
        ranges = words_of_ranges(rows)
        inside = {number for first, (last, _) in ranges.items() for number in range(first, last + 1)}
        alone = [row[1] for row in rows if row[0].isdigit() and int(row[0]) not in inside]
        several = [form for _, form in ranges.values()]
        split.update(
            form.lower()[-letters:] for form in several for letters in (2, 3) if len(form) >= letters
        )
        every.update(
            form.lower()[-letters:]
            for form in (*alone, *several)
            for letters in (2, 3)
            if len(form) >= letters
        )
    always = [ending for ending, many in split.most_common() if many >= max(FEWEST, 0.9 * every[ending])]
    if always:
        return Planted(
            f"-{always[0]} is one word", "parts", change_rows=partial(join_words, ending=always[0])
        )
    endings = Counter(
        form.lower()[-2:]
        for each in sentences
        for form, tag in zip(each.tree.forms, each.tree.upos, strict=True)
        if tag == "NOUN" and len(form) > 3
    )
    ending = endings.most_common(1)[0][0]
    return Planted(f"-{ending} is two words", "parts", change_rows=partial(split_words, ending=ending))


def renumber(rows: Rows, new: dict[str, str]) -> None:
    """Give words and heads their new numbers; enhanced graphs go."""
    for row in rows:
        row[0] = "-".join(new[part] for part in row[0].split("-"))
        row[6], row[8] = new.get(row[6], row[6]), "_"


def join_words(rows: Rows, ending: str) -> Rows:
    """Make one word of each token with this ending, as the one of its words that heads the others."""
    ranges = words_of_ranges(rows)
    chosen = {first: last for first, (last, form) in ranges.items() if form.lower().endswith(ending)}
    inside = {number: first for first, last in chosen.items() for number in range(first, last + 1)}
    kept: Rows = []
    new = {"0": "0"}
    for row in rows:
        numbers = [int(part) for part in row[0].split("-")]
        if numbers[0] not in inside:
            if len(numbers) == 1:
                new[row[0]] = str(sum("-" not in other[0] for other in kept) + 1)
            kept.append(row)
        elif len(numbers) == 1:
            first = inside[numbers[0]]
            if numbers[0] == first:
                kept.append(list(row))
            new[row[0]] = str(sum("-" not in other[0] for other in kept))
            if inside.get(int(row[6])) != first:  # the word that heads the others
                kept[-1][2:] = row[2:]
            kept[-1][1] = ranges[first][1]
    renumber(kept, new)
    return kept


def split_words(rows: Rows, ending: str) -> Rows:
    """Make two words of each noun with this ending; the second depends on the first as a case marker."""
    kept: Rows = []
    new = {"0": "0"}
    for row in rows:
        if "-" not in row[0]:
            new[row[0]] = str(sum("-" not in other[0] for other in kept) + 1)
        kept.append(row)
        if row[3] == "NOUN" and len(row[1]) > 3 and row[1].lower().endswith(ending):
            number, stem = row[0], row[1][:-2]
            second = [f"{number}b", row[1][-2:], row[1][-2:], "ADP", "_", "_", number, "case", "_", "_"]
            new[second[0]] = str(int(new[number]) + 1)
            whole = [f"{number}-{second[0]}", row[1], *["_"] * 8]
            kept[-1:] = [whole, [number, stem, stem.lower(), *row[3:]], second]
    renumber(kept, new)
    return kept


def column_of(line: Convention) -> str:
    """The column of a line as labels and changes name it."""
    name = line.columns[0]
    return {"side": "head", "head_upos": "head", "subtype": "deprel"}.get(name, name)


def main() -> None:
    """Print what is named for each change."""
    arguments = [each for each in sys.argv[1:] if each != "--copy"]
    first = alone = total = 0
    for name in arguments:
        sentences = Version.named(name).sentences
        half, other = split_in_halves(sentences, 1, by_document=False)
        if "--copy" in sys.argv:
            half = other = list(sentences)
        changes = plan_changes([sentence.tree for sentence in sentences])
        for planted in [*changes, plan_split(sentences)]:
            found = ConventionSearch(WordTable([planted.apply(half), other]), 0).find()
            lines = [(each.column, each.value) for each in found.inventories]
            lines += [
                (column_of(line), f"{line.value} > {line.instead}: {describe_contexts(line.contexts)}")
                for line in (
                    *(line for each in found.inventories for line in each.details),
                    *found.conventions,
                )
            ]
            is_first = bool(lines) and lines[0][0] == planted.column
            others = [line for line in lines if line[0] != planted.column]
            total, first, alone = total + 1, first + is_first, alone + (is_first and not others)
            where = f"{name.rsplit('/', 1)[-1]}: {planted.name}"
            answer = "found" if is_first else "NOT FIRST"
            print(f"{where}: {answer}, {len(lines)} lines, {len(others)} of other columns")
            for column, text in lines[:6]:
                print(f"      {column}: {text[:160]}")
    print(f"first line {first} of {total}, nothing of another column {alone}")


if __name__ == "__main__":
    main()
