"""Do constructions together cross arcs that UD does not cross?

    python research/crossing/crossing.py small [--words 4] [--parts 2] [--with conjuncts]
    python research/crossing/crossing.py random --words 12 [--parts 3] [--trees 300] [--seed 1]
    python research/crossing/crossing.py treebanks UD_HOME... [--parts 2 3] [--draws 10] [--seed 1]

A combination has one variant each of some constructions of the registry. All that promise to keep projective
trees projective are tried; `--with NAME` keeps those that contain this construction, and `--spec` names them.

`small` goes through every projective tree of up to so many words, with every choice of relations that the
combination looks at and one that it does not, and through every selection of its places. It prints the
smallest sentence that crosses arcs for each combination that has one. `random` draws larger trees in the same
way. `treebanks` draws combinations for each projective sentence of UD, and selects all places and half of
them. Each ends with what was tried, and how often arcs crossed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import NamedTuple

from learnability.parsing.projectivity import is_projective
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Plan
from learnability.transforms.registry import TRANSFORMATIONS, every_variant, get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Conventions, Tree
from research.support.treebank_folds import row

Heads = tuple[int, ...]


class Word(NamedTuple):
    """A form and a relation that a rule may tell from others."""

    form: str
    deprel: str


NEUTRAL = Word("w", "obl")
"""A word that no rule looks at."""

WORDS = {
    **{name: (Word("w", name),) for name in ("case", "det", "mark", "aux", "reparandum")},
    "cop": (Word("w", "cop"), Word("w", "nsubj")),
    "cc": (Word("w", "cc"), Word("w", "conj")),
    "conj": (Word("w", "conj"), Word("w", "cc"), Word(",", "punct")),
    "punct": (Word(",", "punct"), Word("w", "advcl")),
    "conjuncts": (
        *(Word("w", "conj"), Word("w", "cc"), Word("w", "parataxis")),
        *(Word("(", "punct"), Word(")", "punct")),
    ),
    "mwe": (Word("w", "fixed"),),
    "name": (Word("w", "flat"),),
    "foreign": (Word("w", "flat:foreign"),),
}
"""The words that the rule of a construction tells apart. Brackets count as marks."""

MOST_PLACES = 6
"""The most places of a tree of which every selection is tried; of others as many are drawn."""


class Crossing(NamedTuple):
    """A projective tree in which a selection of places crosses arcs."""

    tree: Tree
    selected: tuple[int, ...]
    heads: Heads

    def __str__(self) -> str:
        words = " ".join(
            f"{form}/{name}" for form, name in zip(self.tree.forms, self.tree.deprels, strict=True)
        )
        old, new = (" ".join(map(str, heads)) for heads in (self.tree.heads, self.heads))
        return f"{words}: {old} → {new} (places {' '.join(map(str, self.selected))})"


def variants() -> list[str]:
    """Return every variant that promises to keep trees projective."""
    return [spec for spec in every_variant(TRANSFORMATIONS) if get_transformation(spec).promised.projective]


def combined(parts: Sequence[int], containing: str) -> list[str]:
    """Return the combinations of so many variants, each of another construction."""
    found = []
    for chosen in (chosen for count in parts for chosen in combinations(variants(), count)):
        names = [spec.partition(":")[0] for spec in chosen]
        if len(set(names)) == len(names) and (not containing or containing in names):
            found.append("+".join(chosen))
    return found


@cache
def rule_of(spec: str, conventions: Conventions) -> Transformation:
    return JointTransformation([get_transformation(part, conventions) for part in spec.split("+")])


def words_for(spec: str, relations: Sequence[str]) -> list[Word]:
    """Return the words that a combination tells apart, and one that it does not; `relations`: only these."""
    names = [part.partition(":")[0] for part in spec.split("+")]
    words = dict.fromkeys([*(word for name in names for word in WORDS[name]), NEUTRAL])
    return [word for word in words if not relations or word.deprel in relations]


def conventions_for(spec: str) -> list[Conventions]:
    """Return the conventions among which the rules of a combination distinguish."""
    return [Conventions(version) for version in ((1, 2) if "conjuncts" in spec else (2,))]


@cache
def projective_trees(size: int) -> list[Heads]:
    """Return the heads of every projective tree with one root."""
    return [
        heads
        for heads in product(range(size + 1), repeat=size)
        if heads.count(0) == 1 and _reach_root(heads) and is_projective(heads)
    ]


def _reach_root(heads: Heads) -> bool:
    """Return whether no word is above itself."""
    for token in range(1, len(heads) + 1):
        for _ in heads:
            token = heads[token - 1] if token else 0
        if token:
            return False
    return True


def random_projective(draw: Random, size: int) -> Heads:
    """Return the heads of a random projective tree, in which some words have many dependents."""
    heads = [0] * size

    def attach(low: int, high: int, head: int) -> None:
        while low < high:
            end = draw.choice((high, draw.randint(low + 1, high), low + 1, low + 1))
            top = draw.randrange(low, end)
            heads[top] = head
            attach(low, top, top + 1)
            attach(top + 1, end, top + 1)
            low = end

    root = draw.randrange(size)
    attach(0, root, root + 1)
    attach(root + 1, size, root + 1)
    return tuple(heads)


def tree_of(heads: Heads, words: Sequence[Word]) -> Tree:
    """Return a tree whose root word is no place."""
    forms = tuple(word.form if head else NEUTRAL.form for head, word in zip(heads, words, strict=True))
    deprels = tuple(word.deprel if head else "root" for head, word in zip(heads, words, strict=True))
    return Tree(forms, ("X",) * len(heads), heads, deprels)


def small_trees(size: int, words: Sequence[Word]) -> Iterator[Tree]:
    """Yield every projective tree of this size over these words."""
    for heads in projective_trees(size):
        for chosen in product(words, repeat=size - 1):
            root = heads.index(0)
            yield tree_of(heads, (*chosen[:root], NEUTRAL, *chosen[root:]))


def selections(plan: Plan, draw: Random) -> Iterator[tuple[int, ...]]:
    """Yield selections of places, all of them if there are few."""
    tokens = [place.token for place in plan.places]
    if len(tokens) <= MOST_PLACES:
        for answers in product((False, True), repeat=len(tokens)):
            yield tuple(token for token, answer in zip(tokens, answers, strict=True) if answer)
        return
    yield tuple(tokens)
    for _ in range(2**MOST_PLACES - 1):
        yield tuple(token for token in tokens if draw.random() < 0.5)


def crossing_in(rule: Transformation, tree: Tree, draw: Random) -> Crossing | None:
    """Return a selection of places that crosses arcs in a projective tree, if there is one."""
    plan = rule.plan(tree)
    for selected in selections(plan, draw):
        heads = plan.heads(selected)
        if not is_projective(heads):
            return Crossing(tree, selected, heads)
    return None


def smallest_crossing(
    spec: str, longest: int, relations: Sequence[str], tried: Counter[str]
) -> Crossing | None:
    """Return the smallest tree that a combination makes cross arcs, if one has at most so many words."""
    draw = Random(1)
    for size, conventions in product(range(2, longest + 1), conventions_for(spec)):
        rule = rule_of(spec, conventions)
        for tree in small_trees(size, words_for(spec, relations)):
            tried["trees"] += 1
            if crossing := crossing_in(rule, tree, draw):
                return crossing
    return None


def random_crossing(spec: str, longest: int, trees: int, seed: int, tried: Counter[str]) -> Crossing | None:
    """Return the smallest of random trees that a combination makes cross arcs, if there is one."""
    draw, words = Random(f"{seed} {spec}"), words_for(spec, ())
    found = []
    for _ in range(trees):
        heads = random_projective(draw, draw.randint(4, longest))
        few = draw.sample(
            words, min(len(words), draw.randint(2, 5))
        )  # the same relation comes more than once
        tree = tree_of(heads, [draw.choice(few) for _ in heads])
        tried["trees"] += 1
        found.append(crossing_in(rule_of(spec, draw.choice(conventions_for(spec))), tree, draw))
    return min(filter(None, found), key=lambda crossing: len(crossing.tree), default=None)


def print_synthetic(chosen: argparse.Namespace, specs: Sequence[str]) -> None:
    """Print the smallest crossing of each combination, and how many combinations have none."""
    tried: Counter[str] = Counter()
    print("| combination | smallest sentence: heads in UD and afterwards |\n|---|---|")
    for spec in specs:
        if chosen.what == "small":
            crossing = smallest_crossing(spec, chosen.words, chosen.relations, tried)
        else:
            crossing = random_crossing(spec, chosen.words, chosen.trees, chosen.seed, tried)
        tried["combinations"] += 1
        if crossing:
            tried["crossing"] += 1
            print(row(f"`{spec}`", crossing), flush=True)
    print(
        f"\n{tried['crossing']} of {tried['combinations']:,} combinations cross arcs; "
        f"{tried['trees']:,} trees of up to {chosen.words} words were tried."
    )


def trees_in(folder: Path) -> list[Tree]:
    """Return the trees of a treebank."""
    return [s.tree for path in sorted(folder.glob("*.conllu")) for s in read_conllu(path).sentences]


def print_treebanks(chosen: argparse.Namespace, specs: Sequence[str]) -> None:
    """Print how many changed sentences of each treebank cross arcs, and which combinations do it."""
    total: Counter[str] = Counter()
    guilty: Counter[str] = Counter()
    print("| treebank | changed trees | crossing |\n|---|--:|--:|")
    for folder in sorted({path.parent for home in chosen.homes for path in home.rglob("*.conllu")}):
        trees = trees_in(folder)
        conventions = detect_conventions(trees, folder=folder.parent.name)
        draw, counts = Random(f"{chosen.seed} {folder.name}"), Counter[str]()
        for tree in filter(lambda tree: is_projective(tree.heads), trees):
            for spec in specs if len(specs) <= chosen.draws else draw.sample(specs, chosen.draws):
                plan = rule_of(spec, conventions)._compile_plan(tree)
                places = [place.token for place in plan.places]
                for selected in (places, [token for token in places if draw.random() < 0.5]):
                    heads = plan.heads(selected)
                    counts["changed"] += heads != tree.heads
                    if not is_projective(heads):
                        counts["crossing"] += 1
                        guilty[spec] += 1
        total += counts
        print(row(folder.name, f"{counts['changed']:,}", f"{counts['crossing']:,}"), flush=True)
    print(row("all", f"{total['changed']:,}", f"{total['crossing']:,}"))
    for spec, count in guilty.most_common(chosen.most):
        print(f"{count:6} {spec}")


def check_homes(parser: argparse.ArgumentParser, homes: Sequence[Path]) -> None:
    """Refuse folders without treebanks, which would only make the table shorter."""
    if not homes:
        parser.error("treebanks needs UD_HOME; name a folder with treebanks")
    for home in homes:
        if not any(home.rglob("*.conllu")):
            parser.error(f"{home} has no .conllu file in it; name a folder with treebanks")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("small", "random", "treebanks"))
    parser.add_argument("homes", type=Path, nargs="*")
    parser.add_argument("--parts", type=int, nargs="+", default=[2], help="how many constructions together")
    parser.add_argument("--with", dest="containing", default="", help="a construction that takes part")
    parser.add_argument("--spec", action="append", help="a combination (repeatable) in place of all")
    parser.add_argument("--words", type=int, default=4, help="words of the largest tree")
    parser.add_argument("--relations", nargs="+", default=(), help="small: only words with these relations")
    parser.add_argument("--trees", type=int, default=300, help="random: trees for each combination")
    parser.add_argument("--draws", type=int, default=10, help="treebanks: combinations for each sentence")
    parser.add_argument(
        "--most", type=int, default=20, help="treebanks: combinations printed that cross arcs"
    )
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if chosen.what == "treebanks":
        check_homes(parser, chosen.homes)
    specs = chosen.spec or combined(chosen.parts, chosen.containing)
    (print_treebanks if chosen.what == "treebanks" else print_synthetic)(chosen, specs)


if __name__ == "__main__":
    main()
