"""How good are the rules that `diff --rules` learns?

    python research/rules/rules.py releases HISTORY/ud-treebanks-v* [--max 10] [--seed 1]
    python research/rules/rules.py copies UD_HOME/ud-treebanks-v2.16 [--sentences 1000] [--seed 1]

The first form names folders of treebanks, one per release. Each treebank is compared with its next release,
and a rule is learned for each of the largest groups. Printed are a row per group, and what all of them show
together.

The second form makes copies of the first sentences of each treebank by schemes, and learns a rule for the
largest group of heads, or of the changed column. *Found*: precision and recall are 100 %. *Named*: the rule
is the scheme, in the same words.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import learnability
from learnability.annotation_diffs import AnnotationDiff, LearnedRule
from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.version import Version
from learnability.transforms.relabelling import Relabelling, parsed_change
from learnability.treebanks.releases import Release

SPECS = (
    *("case", "det", "mark", "cop", "aux", "cc", "cc:style=moscow", "conj", "mwe", "name"),
    *("punct:head=neighbour", "case:upos=ADP,side=left", "det:head_upos=PROPN", "conj:upos=VERB"),
    *("cop:reattach=clause", "upos:AUX=VERB", "upos:PROPN=NOUN", "upos:DET=PRON,side=left"),
    *("deprel:nmod=obl", "deprel:obl=nmod,upos=PROPN", "deprel:advmod=obl,head_upos=VERB"),
    *("deprel:amod=nmod,child_upos=ADV", "feats:Number=*=_", "feats:Number=Plur=_,upos=NOUN"),
    "feats:_=Degree=Pos,upos=ADV",
)
"""The schemes that make copies."""

FEWEST = 50
"""A treebank in which a scheme changes fewer words is left out."""

SURE = 0.9
"""A rule is good whose precision and recall are at least this."""


def versions(homes: Sequence[Path]) -> Iterator[tuple[str, Path, Path]]:
    """Yield the name of each treebank with two following releases."""
    releases = sorted(homes, key=lambda path: Release.key(release_of(path)))
    names = sorted({path.name for release in releases for path in release.glob("UD_*")})
    for name in names:
        folders = [release / name for release in releases if (release / name).is_dir()]
        for earlier, later in pairwise(folders):
            yield name, earlier, later


def release_of(folder: Path) -> str:
    """Return the release that the name of a folder of treebanks ends with."""
    return folder.name.rpartition("v")[2]


def share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f}"


def releases(homes: Sequence[Path], most: int, seed: int) -> None:
    """Print the rules between releases."""
    print("| treebank | releases | words | what differs | rule | precision | recall |")
    print("|---|---|--:|---|---|--:|--:|")
    fates: Counter[str] = Counter()
    words: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for name, earlier, later in versions(homes):
        found = learnability.diff(earlier, later)
        years = " to ".join(release_of(path.parent) for path in (earlier, later))
        for rule in found.learn_rules(most=most, seed=seed):
            fate = fate_of(rule)
            fates[fate] += 1
            words[fate] += rule.group.words
            reasons[rule.why_none] += rule.change is None
            figures = (share(rule.precision), share(rule.recall)) if rule.change else ("", "")
            cells = (
                name,
                years,
                f"{rule.group.words:,}",
                rule.group.title,
                f"`{rule.spec}`",
                *figures,
            )
            print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    print("\n| rules | groups | words |\n|---|--:|--:|")
    for fate, count in sorted(fates.items()):
        print(f"| {fate} | {count} | {words[fate]:,} |")
    print("\n| no rule, because | groups |\n|---|--:|")
    for reason, count in reasons.most_common():
        if count:
            print(f"| {reason} | {count} |")


def fate_of(rule: LearnedRule) -> str:
    """Return how good a rule is, in words."""
    if rule.change is None:
        return "4. none"
    worst = min(rule.precision or 0, rule.recall or 0)
    return (
        "1. both 90 % or more"
        if worst >= SURE
        else "2. both 50 % or more"
        if worst >= 0.5
        else "3. found, weaker"
    )


def copy_of(version: Version, spec: str) -> Version:
    """Return what a scheme makes of a treebank."""
    if spec.partition(":")[0] in ("upos", "deprel", "feats"):
        change = Relabelling((parsed_change(spec),))
        return version.change_trees(lambda tree: change.apply(tree, version.conventions.language), spec)
    return version.change_trees(learnability.get_transformation(spec, version.conventions).apply, spec)


def shortened(version: Version, most: int) -> Version:
    """Return the first sentences of a treebank."""
    return replace(version, sentences=version.sentences[:most], sets=version.sets[:most])


def first_rule(found: AnnotationDiff, spec: str, seed: int) -> LearnedRule:
    """Return the rule of the largest group of the column that the scheme changes."""
    column = spec.partition(":")[0].upper()
    column = column if column in ("UPOS", "DEPREL", "FEATS") else "HEAD"
    groups = enumerate(found.groups, start=1)
    number = next(number for number, group in groups if group.kind.column == column)
    return found.learn_rules(numbers=[number], seed=seed)[0]


def copies(homes: Sequence[Path], most: int, seed: int) -> None:
    """Print which schemes are found again in copies that they made."""
    folders = sorted(path for home in homes for path in home.glob("UD_*"))
    print("| scheme | copies | named | found | precision and recall of the others |\n|---|--:|--:|--:|---|")
    for spec in SPECS:
        tried = named = equal = 0
        others: list[str] = []
        for folder in folders:
            version = shortened(Version.named(str(folder)), most)
            found = compare_versions(version, copy_of(version, spec))
            if sum(group.words for group in found.groups) < FEWEST:
                continue
            tried += 1
            rule = first_rule(found, spec, seed)
            named += rule.spec == spec
            if rule.change is not None and rule.precision == rule.recall == 1:
                equal += 1
            else:
                others.append(f"{version.name}: {rule.spec} {share(rule.precision)}/{share(rule.recall)}")
        print(f"| {spec} | {tried} | {named} | {equal} | {'; '.join(others)} |")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("releases", "copies"))
    parser.add_argument("homes", type=Path, nargs="+")
    parser.add_argument("--max", type=int, default=10, help="rules for the N largest groups")
    parser.add_argument("--sentences", type=int, default=1000, help="copies: the first N of each treebank")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if chosen.what == "releases":
        releases(chosen.homes, chosen.max, chosen.seed)
    else:
        copies(chosen.homes, chosen.sentences, chosen.seed)


if __name__ == "__main__":
    main()
