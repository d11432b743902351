"""Compare what counting names in Latin with what a hand changed, column by column.

    python research/conventions/counted_latin.py FOLDER [NAME...]

FOLDER holds `ud-2.10` and `harmonised`. Each treebank is compared with the other three as released. A word
counts as found if a line concerns it; it is right if the hand changed that column of it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.extensions.harmonise.conventions import TreebankConventions
from learnability.regularities.word_table import WordTable
from learnability.treebanks.sentence import Tree

NAMES = ("ITTB", "PROIEL", "UDante", "LLCT")

GOLD = ("upos", "relation", "deprel", "head", "feats", "lemma")
"""What is compared with the hand."""

LINES = {
    "upos": ("upos",),
    "relation": ("relation",),
    "deprel": ("relation", "subtype"),
    "head": ("side", "head_upos"),
    "lemma": ("lemma",),
}
"""The columns of lines by what they are compared with."""


def cells(tree: Tree, word: int) -> dict[str, object]:
    """The columns of a word (from 0)."""
    return {
        "upos": tree.upos[word],
        "relation": tree.deprels[word].split(":")[0],
        "deprel": tree.deprels[word],
        "head": tree.heads[word],
        "feats": tree.feats[word],
        "lemma": tree.lemmas[word],
    }


def changed_words(table: WordTable, treebank: int, hand: dict[str, Tree]) -> dict[str, np.ndarray]:
    """int8[words] by column: 1 if the hand changed it, 0 if not, -1 if its files lack the word."""
    found = {name: np.full(len(table), -1, np.int8) for name in GOLD}
    for word in np.flatnonzero(table.treebank == treebank).tolist():
        sentence = table.sentences[int(table.sentence[word])]
        place = int(table.position[word]) - 1
        after = hand.get(sentence.sent_id)
        if after is None or len(after) <= place or after.forms[place] != sentence.tree.forms[place]:
            continue
        old, new = cells(sentence.tree, place), cells(after, place)
        for name in GOLD:
            found[name][word] = old[name] != new[name]
    return found


class Score(NamedTuple):
    """How well the words that lines concern are those that a hand changed."""

    words: int
    precision: float
    recall: float
    chance: float


def score(named: np.ndarray, gold: np.ndarray) -> Score:
    """Compare words with those that changed, among those that are known."""
    known = gold >= 0
    chosen = gold[named & known]
    changed = max(1, int((gold == 1).sum()))
    return Score(
        len(chosen),
        float(chosen.mean()) if len(chosen) else float("nan"),
        float((chosen == 1).sum()) / changed,
        float((gold[known] == 1).mean()),
    )


def named_words(found: TreebankConventions, size: int, columns: tuple[str, ...]) -> np.ndarray:
    """The words that lines of these columns concern."""
    named = np.zeros(size, np.bool_)
    details = [line for each in found.inventories for line in each.details]
    for each in found.inventories:
        if each.is_own and each.column in (*columns, "deprel" if "subtype" in columns else ""):
            named[each.places] = True
    for line in (*found.conventions, *details):
        if any(
            name in columns or (columns == ("feats",) and name.startswith("feats")) for name in line.columns
        ):
            named[line.places] = True
    return named


def main() -> None:
    """Print a table, and with -v each line with its precision."""
    arguments = [each for each in sys.argv[1:] if each != "-v"]
    folder, chosen = Path(arguments[0]), arguments[1:] or list(NAMES)
    read = {name: Version.named(str(folder / "ud-2.10" / f"UD_Latin-{name}")).sentences for name in NAMES}
    table = WordTable([read[name] for name in NAMES])
    print(
        "| treebank | column | lines | words | precision | recall | chance | seconds |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|"
    )
    for name in chosen:
        number = NAMES.index(name)
        start = time.process_time()
        found = ConventionSearch(table, number).find()
        seconds = time.process_time() - start
        hand = Version.named(str(folder / "harmonised" / f"UD_Latin-{name}")).sentences
        gold = changed_words(table, number, {sentence.sent_id: sentence.tree for sentence in hand})
        for column in GOLD:
            columns = LINES.get(column, (column,))
            every = [*found.conventions, *(line for one in found.inventories for line in one.details)]
            lines = [
                line
                for line in every
                if line.columns[0] in columns or (column == "feats" and line.columns[0].startswith("feats"))
            ]
            measured = score(named_words(found, len(table), columns), gold[column])
            print(
                f"| {name} | {column} | {len(lines)} | {measured.words} | {measured.precision:.1%} | "
                f"{measured.recall:.1%} | {measured.chance:.1%} | {seconds:.1f} |"
            )
            if "-v" in sys.argv:
                for each in found.inventories:
                    if each.column == column:
                        known = gold[column][each.places]
                        share = float((known[known >= 0] == 1).mean()) if (known >= 0).any() else float("nan")
                        print(
                            f"    inventory {each.column} {each.value} {each.is_own} {each.counts} "
                            f"right {share:.0%}"
                        )
                from learnability.regularities.contexts import Context

                for line in lines:
                    known = gold[column][line.places]
                    share = float((known[known >= 0] == 1).mean()) if (known >= 0).any() else float("nan")
                    contexts = "; ".join(map(Context.describe, line.contexts[:5]))
                    print(
                        f"    {len(line.places)} {line.kind} {line.columns} {line.value} > {line.instead}: "
                        f"{contexts} {line.counts} {line.sureness:.1f} right {share:.0%}"
                    )


if __name__ == "__main__":
    main()
