"""What of UD the scheme `sud` gives back with preferences learned from training trees.

    python research/sud/way_back.py TREEBANK...

Trained on at most 3,000 training sentences, tested on at most 1,000 test sentences, every place transformed.
Printed per treebank: the words, the share that moves, the share of these with their head back, and of all
words the share with their head, with their relation without subtype, and with head and whole relation.
"""

from __future__ import annotations

import sys
from collections import Counter

from learnability.schemes import get_scheme
from learnability.transforms.base import invert_all, learn_side_preferences
from learnability.treebanks.labels import universal
from learnability.treebanks.splits import load_treebank


def count(name: str) -> Counter[str]:
    """Return how many words of a treebank move and come back."""
    treebank = load_treebank(name)
    scheme = get_scheme("sud", treebank)
    known = learn_side_preferences(treebank.train[:3000], scheme)
    before = [sentence.tree for sentence in treebank.test[:1000]]
    there = [scheme.apply(tree) for tree in before]
    found = Counter[str]()
    for tree, sud, back in zip(before, there, invert_all(scheme, there, None, known), strict=True):
        for i in range(len(tree)):
            moved, head = tree.heads[i] != sud.heads[i], tree.heads[i] == back.heads[i]
            relation = universal(tree.deprels[i]) == universal(back.deprels[i])
            whole = head and tree.deprels[i] == back.deprels[i]
            found.update(words=1, moved=moved, moved_back=moved and head, head=head, relation=relation)
            found["whole"] += whole
    return found


def main(names: list[str]) -> None:
    """Print a row for each treebank."""
    for name in names:
        found = count(name)
        parts = (
            ("moved", "words"),
            ("moved_back", "moved"),
            *((k, "words") for k in ("head", "relation", "whole")),
        )
        shares = (f"{100 * found[part] / max(1, found[whole]):.2f}" for part, whole in parts)
        print("|", name, "|", f"{found['words']:,}", "|", " | ".join(shares), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
