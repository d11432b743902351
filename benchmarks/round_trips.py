"""What the inverses restore of gold trees, pooled over each release.

    python benchmarks/round_trips.py UD_HOME [SPEC...]

Every site of every tree is transformed and inverted again, from the transformed trees alone: no recorded
heads, no side preferences from UD trees. Printed per release, specification (a transformation, or
scheme:NAME) and label option: the tokens that the transformation re-headed, and those it re-headed or
relabelled; of the former, the share that gets its head back; of the latter, the share that gets head and
deprel back; and the share of all tokens that ends with both.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from learnability.experiments.data import transformation_of
from learnability.transforms import PAPER, Transformation, invert_all
from learnability.treebanks import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Tree

SPECS = (*PAPER, "aux", "scheme:all", "scheme:function-heads", "scheme:sud-like")


def counts(trees: list[Tree], rule: Transformation, labels: str) -> Counter[str]:
    """Tokens re-headed, changed and restored."""
    after = [rule.apply(tree, labels=labels) for tree in trees]
    found: Counter[str] = Counter()
    for before, there, back in zip(trees, after, invert_all(rule, after, labels=labels), strict=True):
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


def pooled(treebanks: dict[str, list[Tree]], release: str, spec: str, labels: str) -> Counter[str]:
    """:func:`counts` of all treebanks of a release together."""
    total: Counter[str] = Counter()
    for trees in treebanks.values():
        rule = transformation_of(spec, detect_conventions(trees, folder=release))
        total += counts(trees, rule, labels)
    return total


def main(home: str, *specs: str) -> None:
    """Print the table, a line per release, specification and label option."""
    print("| release | transformation | labels | re-headed | heads back | changed | both back | all tokens |")
    print("|---|---|---|---|---|---|---|---|")
    for release in sorted(path for path in Path(home).iterdir() if path.is_dir()):
        treebanks: dict[str, list[Tree]] = {}
        for file in sorted(release.glob("*/*.conllu")):
            found = [sentence.tree for sentence in read_conllu(file).sentences]
            treebanks.setdefault(file.parent.name, []).extend(found)
        name = release.name.rpartition("-")[2].removeprefix("v")
        for spec in specs or SPECS:
            for labels in ("keep", "external"):
                total = pooled(treebanks, release.name, spec, labels)
                heads, both, every = (
                    f"{100 * total[a] / max(1, total[b]):.2f}"
                    for a, b in (("moved_back", "moved"), ("changed_back", "changed"), ("right", "tokens"))
                )
                what = spec.removeprefix("scheme:")
                cells = (name, what, labels, total["moved"], heads, total["changed"], both, every)
                print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
