"""The transformations once more, slow and obvious: docs/rules.md word for word, on lists, arc by arc.

Each function takes the heads (index 0 unused) and deprels of a tree, changes both in place, and is told the
selected places by their tokens. Labels are those of the option ``external``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from naive_sud import chain_of_conjuncts, rises

from learnability.treebanks.sentence import Conventions, Tree

CLAUSE = (
    *("nsubj", "csubj", "nsubjpass", "csubjpass", "expl", "aux", "auxpass", "neg", "advmod", "advcl"),
    *("mark", "cc", "conj", "parataxis", "discourse", "vocative", "dislocated", "punct", "obl"),
)
"""Relations of a clause's dependents, as opposed to those of its predicate's phrase."""


def main(deprel: str) -> str:
    return deprel.split(":")[0]


def lies_between(token: int, one: int, other: int) -> bool:
    return min(one, other) < token < max(one, other)


@dataclass
class Group:
    """A coordination or an expression: its first word in UD, the others from it outwards, coordinators."""

    key: int
    first: int
    others: list[int]
    coordinators: list[int] = field(default_factory=list)
    along: list[int] = field(default_factory=list)


def sides(tree: Tree, tokens: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
    """Per word and side of it, right before left: those of `tokens` that hang on it there, outwards."""
    found = defaultdict(list)
    for token in sorted(tokens):
        head = tree.heads[token - 1]
        if head:
            found[head, token < head].append(token)
    for head, left in sorted(found):
        own = found[head, left]
        yield head, own[::-1] if left else own


# Which tokens are places.


def function_words(tree: Tree, name: str) -> list[int]:
    """The places of `case`, `det`, `mark`, `cop`, `aux`."""
    found = []
    for token, (deprel, head) in enumerate(zip(tree.deprels, tree.heads, strict=True), start=1):
        kinds = {"cop": ["cop", "auxpass"], "aux": ["aux", "auxpass"]}.get(name, [name])
        place = main(deprel) in kinds
        if name == "cop":
            place |= deprel == "aux:pass" or deprel.startswith("aux:pass:")
        if place and head:
            found.append(token)
    return found


def words_of_expressions(tree: Tree, name: str, flat_name: bool) -> list[int]:
    """The further words of the expressions of `mwe` or `name`."""
    found = []
    for token, deprel in enumerate(tree.deprels, start=1):
        if name == "foreign":
            named = deprel.split(":")[1:2] == ["name"] if flat_name else deprel.split(":")[1:2] != ["foreign"]
            one = main(deprel) == "foreign" or (main(deprel) == "flat" and not named)
        elif name == "mwe":
            one = main(deprel) in ("mwe", "fixed", "goeswith")
        elif main(deprel) == "flat" and flat_name:
            one = deprel.split(":")[1:2] == ["name"]
        else:
            one = main(deprel) == "name" or (main(deprel) == "flat" and deprel.split(":")[1:2] != ["foreign"])
        if one and tree.heads[token - 1]:
            found.append(token)
    return found


def chain_places(tree: Tree, words: list[int]) -> list[int]:
    return sorted(word for _, own in sides(tree, words) for word in own[1:])


def coordinations(tree: Tree, key: str) -> list[Group]:
    """The coordinations, each with the coordinator that identifies it."""
    conjuncts = [t for t, deprel in enumerate(tree.deprels, start=1) if main(deprel) == "conj"]
    cc = [
        t
        for t, deprel in enumerate(tree.deprels, start=1)
        if main(deprel) == "cc" and deprel.split(":")[1:2] != ["preconj"]
    ]
    found: list[Group] = []
    taken: set[int] = set()
    for first, others in sides(tree, conjuncts):
        if first in cc or any(group.first == first for group in found):
            continue  # coordinated coordinators; or a second one, left of a word
        inside = [
            k
            for k in cc
            if (tree.heads[k - 1] == first and lies_between(k, first, others[-1]))
            or (tree.heads[k - 1] in others and lies_between(k, first, tree.heads[k - 1]))
        ]
        inside.sort(key=lambda k: abs(k - first))
        inside = [k for k in inside if k not in taken]
        if inside:
            taken.update(inside)
            found.append(Group(inside[-1 if key == "last" else 0], first, others, inside))
    cut = []
    for group in found:
        around = next((outer for outer in found if group.first in outer.others), None)
        marks = [around.first, *around.coordinators, *around.others] if around else []
        if any(lies_between(mark, group.first, group.others[-1]) for mark in marks):
            cut.append(group)
    return [group for group in found if group not in cut]


def headed_by_a_conjunct(tree: Tree, direction: str) -> list[Group]:
    """All coordinations with their conjuncts on that side of the first; what goes along to the new head."""
    conjuncts = [t for t, deprel in enumerate(tree.deprels, start=1) if main(deprel) == "conj"]
    found = []
    for first, others in sides(tree, conjuncts):
        if (others[0] > first) == (direction == "right"):
            between = [t for t in range(1, len(tree) + 1) if lies_between(t, first, others[0])]
            own = [t for t in between if tree.heads[t - 1] == first]
            along = [t for t in own if tree.deprels[t - 1] != "cc:preconj"]
            along = [t for t in along if main(tree.deprels[t - 1]) in ("cc", "punct")]
            # nothing else of the first conjunct lies beyond it
            along = [t for t in along if all(x in along or lies_between(x, first, t) for x in own if x != t)]
            found.append(Group(others[-1], first, others, along=along))
    return found


# What is done at the selected ones.


def punctuation(heads: list[int], tree: Tree, where: str, selected: Collection[int]) -> None:
    """Each selected mark on its new head; the neighbour's, with all marks that follow it at once."""
    for place in selected:
        for mark, head in new_heads(tree, where)[place].items():
            heads[mark] = head


def new_heads(tree: Tree, where: str) -> dict[int, dict[int, int]]:
    """By place the marks that move and their new heads."""
    size, up = len(tree), [0, *tree.heads]
    names = ["", *tree.deprels]
    marks = [t for t in range(1, size + 1) if main(names[t]) == "punct" and up[t] and t not in up]
    words = [t for t in range(1, size + 1) if t not in marks]

    def clausal(word: int) -> bool:
        if main(names[word]) == "conj" and up[word]:
            return clausal(up[word])
        clauses = ("csubj", "csubjpass", "ccomp", "xcomp", "advcl", "acl", "parataxis")
        return not up[word] or main(names[word]) in clauses

    found: dict[int, dict[int, int]] = {}
    gap = {}
    for mark in marks:
        before = [w for w in words if w < mark]
        after = [w for w in words if w > mark]
        path = [up[mark]]
        while up[path[-1]]:
            path.append(up[path[-1]])
        spans = [(abs(t - up[t]), t) for t in range(1, size + 1) if up[t] and lies_between(mark, t, up[t])]
        top = up[min(spans)[1]] if spans else path[-1]
        if where == "neighbour":
            new = before[-1] if before else after[0]
        elif where == "root":
            new = top
        else:
            new = next(word for word in path if word == top or clausal(word))
        if new != up[mark]:
            place = gap.setdefault(len(before), mark) if where == "neighbour" else mark
            found.setdefault(place, {})[mark] = new
    return found


def chain(heads: list[int], tree: Tree, words: list[int], selected: Collection[int], old: list[int]) -> None:
    """Each selected word hangs on the one before; what hangs on the first word between them, too."""
    for first, own in sides(tree, words):
        for before, word in pairwise(own):
            if word in selected:
                heads[word] = before
                for d in range(min(before, word) + 1, max(before, word)):
                    if old[d] == first:
                        heads[d] = before


def promote(heads: list[int], names: list[str], groups: Sequence[Group], selected: Collection[int]) -> None:
    """The key of a group takes the place of its first word and heads all others.

    Another dependent of one of them moves to the key if the key or another of them lies between the two.
    """
    old, own_label = list(heads), list(names)
    groups = [group for group in groups if group.key in selected]

    def top(word: int) -> int:
        above = [group.key for group in groups if group.first == word]
        return top(above[0]) if above else word

    for d in range(1, len(heads)):
        for group in groups:
            if d == group.first:
                heads[d] = top(d)
                names[d] = "comp:" + own_label[group.key]
        if any(d == group.key for group in groups):
            continue  # it goes where the first word was
        target = old[d]
        outer = [group for group in groups if old[d] in group.others and old[d] != group.key]
        inner = [group for group in groups if old[d] == group.first]
        for group in outer + inner:
            along = group in inner and any(k == d or lies_between(k, d, old[d]) for k in group.along)
            if along or any(lies_between(m, d, old[d]) for m in (group.key, group.first, *group.others)):
                target = top(group.key)
                break
        for group in groups:
            if d in group.others and d != group.key:
                target = top(group.key)
        heads[top(d)] = target
        names[top(d)] = own_label[d] if top(d) != d else names[d]


def moscow(heads: list[int], groups: Sequence[Group], selected: Collection[int]) -> None:
    """A chain of conjuncts and coordinators; what is caught between two moves to the one nearer to C1."""
    old, linked = list(heads), set()
    chains = []
    for group in groups:
        if group.key in selected:
            links = [group.first]
            for conjunct in group.others:
                between = [k for k in group.coordinators if lies_between(k, links[-1], conjunct)]
                links += [*between[-1:], conjunct]
            chains.append(links)
            for before, link in pairwise(links):
                heads[link] = before
                linked.add(link)
    for d in range(1, len(heads)):
        for links in chains:
            if d not in linked and old[d] in links and heads[d] == old[d]:
                for near, far in pairwise(links):
                    if lies_between(d, near, far) and old[d] not in (near, far):
                        heads[d] = near


def invert_function_words(
    heads: list[int], names: list[str], selected: Iterable[tuple[int, str]], clausal: Collection[int] = (),
    lifting: Collection[int] = (), tree: Tree | None = None,
) -> None:  # fmt: skip
    """Content words bottom-up, each replaced by the chain of its function words (token, label).

    Keeps for every word the token that stands for its block by now. Function words in `clausal` take the
    dependents of the clause from the content word's side, too, those in `lifting` whatever SUD gives them.
    """
    label = dict(selected)
    above, original = list(heads), list(names)
    top = list(range(len(above)))

    def depth(token: int) -> int:
        return 0 if above[token] == 0 else 1 + depth(above[token])

    for c in sorted(range(1, len(above)), key=depth, reverse=True):
        own = [d for d in range(1, len(above)) if above[d] == c]
        places = [f for f in own if f in label]
        k = [f for f in places if f > c] + [f for f in places if f < c][::-1]
        risen = {}
        if tree is not None and any(f in lifting for f in k):
            others = [d for d in own if d not in places]
            risen = rises(tree, c, k, lifting, others, top.__getitem__)
        for d in own:
            if d in places:
                continue
            if d in risen:
                heads[top[d]] = top[k[risen[d] - 1]] if risen[d] else c
                continue
            beyond = [f for f in k if lies_between(f, c, d)]
            target = min(beyond, key=lambda f: abs(f - d), default=c)
            if target == c and main(original[d]) in CLAUSE:
                target = clause_head(c, d, k, own, original, clausal)
            heads[top[d]] = c if target == c else top[target]
        inner, outside = c, names[c]
        for f in k:
            heads[inner] = top[f]
            names[inner] = "comp:" + label[f]
            inner = top[f]
        # The chain member below the next one is its block's top, which then stands for all of c.
        top[c] = inner
        heads[inner] = above[c]
        names[inner] = outside


def clause_head(
    c: int, d: int, k: list[int], own: list[int], names: list[str], clausal: Collection[int]
) -> int:
    """Where a clause's dependent goes that lies on the content word's side; a crossing keeps it there."""
    outwards = [f for f in k if (f < c) == (d < c)]
    if outwards:
        head = limit = min(outwards, key=lambda f: abs(f - d))
    else:
        others = [f for f in k if f in clausal]
        head, limit = (others[-1] if others else c), (0 if d < c else 10**9)
    if head not in clausal:
        return c
    stay = [x for x in own if lies_between(x, d, limit) and main(names[x]) not in CLAUSE]
    return c if stay else head


def swap_root_labels(tree: Tree, heads: Sequence[int]) -> tuple[str, ...]:
    """The labels of the option ``keep``: the old root and the new one exchange theirs."""
    names = list(tree.deprels)
    old, new = tree.heads.index(0), list(heads).index(0)
    names[old], names[new] = names[new], names[old]
    return tuple(names)


@dataclass
class Naive:
    """Transformations together, ``cop:reattach=clause`` or several joined with +, for one tree."""

    tree: Tree
    spec: str
    conventions: Conventions

    def __post_init__(self) -> None:
        parts = [one.partition(":") for one in self.spec.split("+")]
        self.options = {
            name: dict(item.split("=") for item in rest.split(",") if item) for name, _, rest in parts
        }

    def option(self, name: str, key: str, default: str) -> str:
        return self.options.get(name, {}).get(key, default)

    def groups(self, name: str) -> list[Group]:
        """The coordinations."""
        if name == "cc":
            return coordinations(self.tree, self.option("cc", "head", "last"))
        return headed_by_a_conjunct(self.tree, self.option("conj", "direction", "right"))

    def words_of(self, name: str) -> list[int]:
        """The further words of the expressions of `mwe`, `name` or `foreign`."""
        return words_of_expressions(self.tree, name, self.conventions.flat_name)

    def chains_of_conjuncts(self) -> dict[int, dict[int, int]]:
        """By the last conjunct of each coordination, the words that move in a chain, and their new heads."""
        return chain_of_conjuncts(self.tree, v1=self.conventions.version == 1)

    def places(self, name: str) -> list[int]:
        """The places of one of the transformations by itself."""
        if name == "punct":
            return sorted(new_heads(self.tree, self.option("punct", "head", "clause")))
        if name == "conjuncts":
            return sorted(self.chains_of_conjuncts())
        if name not in ("cc", "conj", "mwe", "name", "foreign"):
            return function_words(self.tree, name)
        if name in ("mwe", "name", "foreign"):
            return chain_places(self.tree, self.words_of(name))
        return sorted(group.key for group in self.groups(name))

    def apply(self, places: dict[str, list[int]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Heads and external labels with these places of each transformation selected, layer by layer."""
        tree = self.tree
        heads, names = [0, *tree.heads], ["", *tree.deprels]
        stand_in: dict[int, int] = {}
        punctuation(heads, tree, self.option("punct", "head", "clause"), places.get("punct", ()))
        old = list(heads)
        for name in ("mwe", "name", "foreign"):
            if places.get(name):
                chain(heads, tree, self.words_of(name), places[name], old)
        if places.get("cc"):
            groups = self.groups("cc")
            if self.option("cc", "style", "prague") == "moscow":
                moscow(heads, groups, places["cc"])
            else:
                promote(heads, names, groups, places["cc"])
                stand_in |= {group.first: group.key for group in groups if group.key in places["cc"]}
        groups = [group for group in self.groups("conj") if group.key in places.get("conj", ())]
        promote(heads, names, groups, places.get("conj", ()))
        for group in groups:
            stand_in.setdefault(group.first, group.key)
        below = tree.with_heads(heads[1:], names[1:])
        chains = chain_of_conjuncts(below, v1=self.conventions.version == 1)
        for last_conjunct in places.get("conjuncts", ()):
            for word, head in chains.get(last_conjunct, {}).items():
                heads[word] = head
        function = [
            (f, name)
            for name in ("case", "det", "mark", "cop", "aux", "reparandum")
            for f in places.get(name, ())
        ]
        if function:
            clausal = self.option("cop", "reattach", "min") == "clause"

            def standing_for(f: int) -> int:
                return standing_for(stand_in[f]) if f in stand_in else f

            invert_function_words(
                heads,
                names,
                [(standing_for(f), tree.deprels[f - 1]) for f, _ in function],
                [standing_for(f) for f, name in function if name == "cop" and clausal],
                [f for f, name in function if self.option(name, "reattach", "min") == "sud"],
                tree,
            )
        return tuple(heads[1:]), tuple(names[1:])
