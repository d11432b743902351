"""What the inverses restore of gold trees, pooled over each release.

    python research/round_trips/round_trips.py [--learned] UD_HOME [SPEC...]

UD_HOME holds releases, or is one. Every place of every tree is transformed and inverted again, from the
transformed trees alone: no recorded heads, no side preferences from UD trees. With --learned, treebank by
treebank, dev and test where there are training trees, once so and once with the side preferences of
these. Printed per release or treebank, specification (a transformation or a scheme) and label option:
the tokens that the transformation re-headed, and those it re-headed or relabelled; of the former, the
share that gets its head back; of the latter, the share that gets head and deprel back; and the share of
all tokens that ends with both.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product
from pathlib import Path

from learnability.comparing.conversion import side_preferences
from learnability.comparing.names import annotation_named
from learnability.errors import InputError
from learnability.transforms.base import Transformation, invert_all
from learnability.transforms.registry import PAPER
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import row

SUD_LIKE = "case+cop+cc:style=moscow+mark+mwe+name+aux"
"""The scheme that the page calls `sud-like` (research/kinds_of_parsers/sud-like.toml)."""

SPECS = (*PAPER, "aux", "conj", "punct", "all", "function-heads", SUD_LIKE)


def counts(trees: list[Tree], rule: Transformation, labels: str, train: list[Tree]) -> Counter[str]:
    """Count tokens re-headed, changed and restored; `train`: UD trees for side preferences, if any."""
    known = side_preferences(train, rule) if train else None
    after = [rule.apply(tree, labels=labels) for tree in trees]
    found: Counter[str] = Counter()
    restored = invert_all(rule, after, side_preferences=known, labels=labels)
    for before, there, back in zip(trees, after, restored, strict=True):
        for i in range(len(before)):
            moved = before.heads[i] != there.heads[i]
            changed = moved or before.deprels[i] != there.deprels[i]
            head = before.heads[i] == back.heads[i]
            both = head and before.deprels[i] == back.deprels[i]
            found.update(
                tokens=1, right=both, moved=moved, moved_back=moved and head, changed=changed,
                changed_back=changed and both,
            )  # fmt: skip
    return found


Sets = tuple[list[Tree], list[Tree]]
"""The training trees of a treebank, and its others."""


def pooled(
    treebanks: dict[str, Sets], release: str, spec: str, labels: str, learn: bool | None
) -> Counter[str]:
    """Return :func:`counts` of all treebanks of a release together."""
    total: Counter[str] = Counter()
    for train, others in treebanks.values():
        rule = annotation_named(spec).rule(detect_conventions(train + others, folder=release))
        if rule is None:
            sys.exit(f"{spec}: no rules lead back from it")
        if learn is None:
            total += counts(train + others, rule, labels, [])
        else:
            total += counts(others, rule, labels, train if learn else [])
    return total


def main(*arguments: str) -> None:
    """Print the table: a line per release (treebank), specification, and options."""
    learned = arguments[0] == "--learned"
    home, *specs = arguments[learned:]
    head = ["release", "transformation", "labels", *["preferences"] * learned, "re-headed", "heads back"]
    head += ["changed", "both back", "all tokens"]
    print(row(*head))
    print("|---" * len(head) + "|")
    folder = Path(home)
    if not any(folder.rglob("*.conllu")):
        sys.exit(f"{home} has no .conllu file in it; name a folder with releases, or one")
    one_release = any(folder.glob("*/*.conllu"))
    for release in [folder] if one_release else sorted(path for path in folder.iterdir() if path.is_dir()):
        treebanks: dict[str, Sets] = {}
        for file in sorted(release.glob("*/*.conllu")):
            found = [sentence.tree for sentence in read_conllu(file).sentences]
            treebanks.setdefault(file.parent.name, ([], []))["-train" not in file.stem].extend(found)
        if not treebanks:
            continue
        name = release.name.rpartition("-")[2].removeprefix("v")
        groups = {name: treebanks}
        if learned:
            groups = {f"{name} {bank}": {bank: parts} for bank, parts in treebanks.items() if parts[0]}
        ways = tuple(product(("keep", "external"), (False, True) if learned else (None,)))
        for spec, (name, group) in product(specs or SPECS, groups.items()):
            for labels, learn in ways:
                total = pooled(group, release.name, spec, labels, learn)
                heads, both, every = (
                    f"{100 * total[a] / max(1, total[b]):.2f}"
                    for a, b in (("moved_back", "moved"), ("changed_back", "changed"), ("right", "tokens"))
                )
                told = ["train" if learn else "none"] * learned
                cells = (name, spec, labels, *told, total["moved"], heads, total["changed"], both, every)
                print(row(*cells), flush=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except InputError as error:
        sys.exit(str(error))
