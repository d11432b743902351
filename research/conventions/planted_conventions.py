"""Plant one convention in half of a treebank, and look whether it is the first line of its column.

    python research/conventions/planted_conventions.py TREEBANK...

Each change is made in one half of the sentences, all by itself. The other half stays as it is.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.regularities.contexts import Context
from learnability.regularities.word_table import WordTable, read_features
from learnability.treebanks.sentence import Sentence, Tree
from research.conventions.counted_halves import split_in_halves

TreeChange = Callable[[Tree], Tree]

RENAMED = "Other"
"""What the value is called that is renamed."""


class Planted(NamedTuple):
    """A change, and the column of lines about it."""

    name: str
    column: str
    change: TreeChange


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
    """The six changes, each of what is frequent in the treebank."""
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
    planned.append(turn_coordinators())
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


def turn_coordinators() -> Planted:
    """Coordinators depend on the first conjunct, not on the one that follows them."""

    def change(tree: Tree) -> Tree:
        heads = list(tree.heads)
        for word, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True)):
            if deprel == "cc" and head and tree.deprels[head - 1].startswith("conj"):
                heads[word] = tree.heads[head - 1]
        return tree.with_heads(heads)

    return Planted("cc depends on the first conjunct", "side", change)


def main() -> None:
    """Print what is named for each change."""
    first = alone = total = 0
    for name in sys.argv[1:]:
        sentences = Version.named(name).sentences
        half, other = split_in_halves(sentences, 1, by_document=False)
        for planted in plan_changes([sentence.tree for sentence in sentences]):
            changed: list[Sentence] = [replace(each, tree=planted.change(each.tree)) for each in half]
            found = ConventionSearch(WordTable([changed, other]), 0).find()
            lines = [(each.difference.column, each.difference.value) for each in found.inventories]
            lines += [
                (
                    line.columns[0],
                    f"{line.value} > {line.instead}: " + "; ".join(map(Context.describe, line.contexts[:4])),
                )
                for line in found.conventions
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
