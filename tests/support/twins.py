"""Features, training and parsing once more, slow and obvious: dictionaries, strings and lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from brute_force import FOURTH, LEFT, RIGHT, SHIFT, Search
from brute_force import SYSTEMS as TWINS

from learnability.parsing.stepwise import Oracle
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.sentence import Tree

ABSENT, ROOT = "absent", 0
MASK = 2**64 - 1


class Analysis:
    """A state of a twin together with the labels of its arcs."""

    def __init__(self, name: str, tree: Tree) -> None:
        self.name, self.tree, self.n = name, tree, len(tree)
        self.system = TWINS[name]
        self.state = self.system.initial(self.n)
        self.label: dict[int, int] = {}
        self.root_position = 0 if SYSTEMS[name].kernels.root_first else self.n + 1

    def is_final(self) -> bool:
        return self.system.is_final(self.state)

    def legal(self) -> list[int]:
        return sorted(self.system.successors(self.state))

    def arc(self, transition: int):
        """The arc that a transition adds, or None."""
        before, after = self.state[-1], self.system.successors(self.state)[transition][-1]
        for d in range(1, self.n + 1):
            if before[d - 1] != after[d - 1]:
                return after[d - 1], d
        return None

    def take(self, transition: int, label: int = 0) -> None:
        added = self.arc(transition)
        if added:
            self.label[added[1]] = label
        self.state = self.system.successors(self.state)[transition]

    def at(self, word):
        return self.root_position if word == ROOT else word

    def head(self, word):
        if word in (ABSENT, ROOT) or self.state[-1][word - 1] is None:
            return ABSENT
        return self.state[-1][word - 1]

    def dependents(self, word, left: bool) -> list:
        """From the outermost one inwards."""
        found = [d for d in range(1, self.n + 1) if word != ABSENT and self.state[-1][d - 1] == word]
        if left:
            return sorted(d for d in found if d < self.at(word))
        return sorted((d for d in found if d > self.at(word)), reverse=True)


def address(a: Analysis, text: str):
    """The word at an address."""
    if text in ("CL", "CR"):
        return between(a, text)
    base, path = text[:2], text[2:]
    if a.name == "covington":
        stack, buffer = a.state[0], a.state[2]
    else:
        stack, buffer = a.state[0], a.state[1]
    number = int(base[1])
    items = stack[::-1] if base[0] == "S" else buffer
    word = items[number] if number < len(items) else ABSENT
    steps = {
        "": lambda: word,
        "h": lambda: a.head(word),
        "h2": lambda: a.head(a.head(word)),
        "l": lambda: nth(a.dependents(word, True), 0),
        "l2": lambda: nth(a.dependents(word, True), 1),
        "r": lambda: nth(a.dependents(word, False), 0),
        "r2": lambda: nth(a.dependents(word, False), 1),
        "i": lambda: nth(a.dependents(word, True), -1),
        "j": lambda: nth(a.dependents(word, False), -1),
    }
    return steps[path]()


def nth(words: list, k: int):
    return words[k] if (k < len(words) and words) else ABSENT


def between(a: Analysis, which: str):
    """The first or last word between the focus words whose head is not in their interval."""
    left, right = address(a, "S0"), address(a, "N0")
    if left == ABSENT or right == ABSENT:
        return ABSENT
    outside = [
        w for w in range(left + 1, right) if a.head(w) == ABSENT or not left <= a.at(a.head(w)) <= right
    ]
    return (outside[0] if which == "CL" else outside[-1]) if outside else ABSENT


def bucket(distance: int) -> int:
    return distance if distance < 5 else 5 if distance <= 10 else 6


def distance(a: Analysis, left, right) -> int:
    return bucket((a.n + 2 if right == ABSENT else a.at(right)) - (a.n + 2 if left == ABSENT else a.at(left)))


def attribute_of(a: Analysis, word, attribute: str):
    """The value of an attribute of a word."""
    if attribute == "l":
        return a.label.get(word, 0)
    if attribute in ("vl", "vr"):
        return min(len(a.dependents(word, attribute == "vl")), 7)
    if attribute in ("sl", "sr"):
        return frozenset(a.label[d] % 64 for d in a.dependents(word, attribute == "sl"))
    if word in (ABSENT, ROOT):
        return str(word)
    tree, i = a.tree, word - 1
    form = tree.forms[i]
    values = {"w": form, "p": tree.upos[i], "wp": (form, tree.upos[i])}
    if attribute in values:
        return (values[attribute],)
    if attribute in ("x", "f", "m"):
        return ({"x": tree.xpos, "f": tree.feats, "m": tree.lemmas}[attribute][i],)
    k = int(attribute[1:])
    return (form[:k] if attribute[0] == "p" else form[-k:],)


def features(a: Analysis, table: list[str]) -> list[tuple]:
    """One tuple per template: the template's text and the values of its atoms."""

    def value(text: str):
        if text == "d":
            return distance(a, address(a, "S0"), address(a, "N0"))
        where, attribute = text.split(".")
        return attribute_of(a, address(a, where), attribute)

    return [(template, *(value(t) for t in template.split("+"))) for template in table]


def arc_features(a: Analysis, head: int, dependent: int, table: list[str]) -> list[tuple]:
    """As `features`, of an arc about to be added, whose direction comes first."""
    leftward = dependent < a.at(head)

    def place(text: str):
        return {
            "H": head,
            "D": dependent,
            "Db": dependent - 1,  # the edges of a sentence look like the root
            "Da": dependent + 1 if dependent < a.n else ROOT,
            "Hs": nth(a.dependents(head, leftward), 0),
            "Dl": nth(a.dependents(dependent, True), 0),
            "Dr": nth(a.dependents(dependent, False), 0),
        }[text]

    def value(text: str):
        where, attribute = text.split(".")
        return attribute_of(a, place(where), attribute)

    return [(leftward, template, *(value(t) for t in template.split("+"))) for template in table]


def templates_of(table: str, labelled: bool) -> list[str]:
    """The templates of a table; without labels, those that need none."""
    needs = (".l", ".sl", ".sr")
    return [t for t in table.split() if labelled or not any(x.endswith(needs) for x in t.split("+"))]


def reachable(a: Analysis, head: int, dependent: int) -> bool:
    """Whether an arc is or can be in A under arc-eager (2013, 4.5), over the whole sentence."""
    stack, buffer, heads = a.state
    if heads[dependent - 1] is not None:
        return heads[dependent - 1] == head
    if head == ROOT and a.name == "arc-eager-root-first":
        return True
    if dependent in buffer:
        return head in buffer or head in stack
    return dependent in stack and head in buffer


SEARCHES = {name: Search(twin) for name, twin in TWINS.items()}


def costs(a: Analysis, gold: tuple[int, ...]) -> dict[int, int]:
    """Arc-eager: arcs reachable before and not after; others: the change of the loss, by search."""
    if not a.name.startswith("arc-eager"):
        search, golds = SEARCHES[a.name], np.array([gold])
        before = search.losses(a.state, golds)[0]
        after = a.system.successors(a.state)
        return {t: int(search.losses(after[t], golds)[0] - before) for t in a.legal()}
    found = {}
    for transition in a.legal():
        after = Analysis(a.name, a.tree)
        after.state = a.system.successors(a.state)[transition]
        found[transition] = sum(
            reachable(a, h, d) and not reachable(after, h, d) for d, h in enumerate(gold, start=1)
        )
    return found


def static(a: Analysis, path: list, gold: tuple[int, ...]) -> int:
    """Arc-eager: Goldberg & Nivre 2012, Algorithm 1; others: as the package says, which search has proven."""
    if not a.name.startswith("arc-eager"):
        facts, oracle = SYSTEMS[a.name], Oracle(a.tree, a.name)
        c = oracle.initial()
        for transition, _ in path:
            c = c.apply(facts.transition_name(transition))
        return facts.transitions.index(oracle.static(c))
    stack, buffer, _ = a.state
    arcs = {(h, d) for d, h in enumerate(gold, start=1)}
    if not stack:
        return SHIFT
    s, b = stack[-1], buffer[0]
    if (b, s) in arcs and LEFT in a.legal():
        return LEFT
    if (s, b) in arcs and RIGHT in a.legal():
        return RIGHT
    below = any((k, b) in arcs or (b, k) in arcs for k in stack[:-1])
    if FOURTH in a.legal() and (b == ROOT or below):
        return FOURTH
    return SHIFT


class SplitMix:
    """The generator of the kernels."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return ((x ^ (x >> 31)) >> 11) / 2**53


class Model:
    """An averaged perceptron over a dictionary; every step's weights are really summed up at the end."""

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.weights: dict[tuple, list[int]] = {}
        self.history: dict[tuple, list[tuple[int, int, int]]] = defaultdict(list)
        self.steps = 0

    def scores(self, found: list[tuple]) -> list[int]:
        rows = [self.weights[f] for f in found if f in self.weights]
        return [sum(row[k] for row in rows) for k in range(self.classes)]

    def update(self, found: list[tuple], good: int, bad: int) -> None:
        for f in found:
            row = self.weights.setdefault(f, [0] * self.classes)
            row[good] += 1
            row[bad] -= 1
            self.history[f] += [(self.steps, good, 1), (self.steps, bad, -1)]

    def averaged(self) -> dict[tuple, list[float]]:
        """Mean over the steps of the weights that the step began with, and the first step's update late.

        An update made in step t counts in the steps after t: (steps - t) / steps of it.
        """
        result = {}
        for f, changes in self.history.items():
            row = [0.0] * self.classes
            for k in range(self.classes):
                total = sum(t * amount for t, which, amount in changes if which == k)
                row[k] = self.weights[f][k] - total / max(self.steps, 1)
            result[f] = row
        return result


def train(
    trees: list[Tree], name: str, oracle: str, table: str, label_table: str, labels: list[str],
    iterations: int, seed: int = 1, k: int = 1, p: float = 0.9,
):  # fmt: skip
    """Train as `parser.train_parser`; returns both models and every configuration seen, as paths."""
    templates, label_templates = templates_of(table, bool(labels)), label_table.split()
    model, label_model = Model(4), Model(max(len(labels), 1))
    order, random = np.random.default_rng(seed), SplitMix(seed)
    paths = []
    for iteration in range(1, iterations + 1):
        exploration = p if iteration > k else 0.0
        for index in order.permutation(len(trees)):
            tree = trees[index]
            a = Analysis(name, tree)
            path = []
            while not a.is_final():
                legal = a.legal()
                chosen, exploring = legal[0], False
                if len(legal) > 1:
                    found = features(a, templates)
                    scores = model.scores(found)
                    predicted = max(legal, key=lambda t: (scores[t], -t))
                    if oracle == "static":
                        correct = [static(a, path, tree.heads)]
                    else:
                        price = costs(a, tree.heads)
                        correct = [t for t in legal if price[t] == min(price.values())]
                    best = max(correct, key=lambda t: (scores[t], -t))
                    model.steps += 1
                    if predicted not in correct:
                        model.update(found, best, predicted)
                    chosen = predicted if predicted in correct else best
                    if oracle == "ambiguity" and predicted not in correct:
                        chosen = correct[int(random() * len(correct))]
                    if oracle == "explore" and exploration > 0:
                        exploring = random() < exploration
                        chosen = predicted if exploring else chosen
                label = 0
                added = a.arc(chosen)
                if labels and added and added[1] != ROOT:
                    found = arc_features(a, *added, label_templates)
                    scores = label_model.scores(found)
                    guess = scores.index(max(scores))
                    label_model.steps += 1
                    if tree.heads[added[1] - 1] == added[0]:
                        right = labels.index(tree.deprels[added[1] - 1])
                        if guess != right:
                            label_model.update(found, right, guess)
                            guess = guess if exploring else right
                    label = guess + 1
                path.append((chosen, label))
                a.take(chosen, label)
            at_roots = {t.deprels[t.heads.index(ROOT)] for t in trees}
            for d, head in enumerate(a.state[-1], start=1):
                if labels and len(at_roots) > 1 and head is None and tree.heads[d - 1] == ROOT:
                    found = arc_features(a, ROOT, d, label_templates)
                    scores = label_model.scores(found)
                    guess, right = scores.index(max(scores)), labels.index(tree.deprels[d - 1])
                    label_model.steps += 1
                    if guess != right:
                        label_model.update(found, right, guess)
            paths.append((index, path))
    return model, label_model, paths


def single_root(heads: list) -> list[int]:
    """Attach headless words and all roots but the first to the root word."""
    roots = [d for d, h in enumerate(heads, start=1) if h == 0]
    headless = [d for d, h in enumerate(heads, start=1) if h is None]
    root = roots[0] if roots else headless[0]
    return [0 if d == root else root if h in (0, None) else h for d, h in enumerate(heads, start=1)]


def parse(tree: Tree, name: str, weights: dict[tuple, list[float]], table: str) -> list[int]:
    """Greedy parsing, unlabelled."""
    templates = templates_of(table, labelled=False)
    a = Analysis(name, tree)
    while not a.is_final():
        rows = [weights[f] for f in features(a, templates) if f in weights]
        scores = [np.float32(0)] * 4
        for row in rows:
            scores = [s + np.float32(w) for s, w in zip(scores, row, strict=True)]
        a.take(max(a.legal(), key=lambda t: (scores[t], -t)))
    return single_root(list(a.state[-1]))


def parse_labelled(
    tree: Tree, name: str, weights: dict[tuple, list[float]], label_weights: dict[tuple, list[float]],
    table: str, label_table: str, labels: Sequence[str], root_labels: Sequence[str], *, multiple_roots: bool,
) -> tuple[list[int], list[str]]:  # fmt: skip
    """Greedy parsing; root words have several labels."""
    a, found = Analysis(name, tree), {}

    def label_of(head: int, d: int) -> str:
        scores = sum_of_rows(label_weights, arc_features(a, head, d, label_table.split()), len(labels))
        choices = [k for k, label in enumerate(labels) if head != ROOT or label in root_labels]
        return labels[max(choices, key=lambda k: (scores[k], -k))]

    while not a.is_final():
        scores = sum_of_rows(weights, features(a, templates_of(table, labelled=True)), 4)
        chosen = max(a.legal(), key=lambda t: (scores[t], -t))
        added = a.arc(chosen)
        if added and added[1] != ROOT:
            found[added[1]] = label_of(*added)
        a.take(chosen, 1 + labels.index(found[added[1]]) if added and added[1] != ROOT else 0)
    before = list(a.state[-1])
    heads = single_root(before)
    if multiple_roots and ROOT in before:
        heads = [ROOT if old == ROOT else new for old, new in zip(before, heads, strict=True)]
    for d, (old, new) in enumerate(zip(before, heads, strict=True), start=1):
        if old != new:
            found[d] = label_of(new, d)
    return heads, [found[d] if found[d] != "root" or not h else "dep" for d, h in enumerate(heads, start=1)]


def sum_of_rows(weights: dict[tuple, list[float]], found: list[tuple], classes: int) -> list[np.float32]:
    """The scores of the classes by averaged weights."""
    scores = [np.float32(0)] * classes
    for row in (weights[f] for f in found if f in weights):
        scores = [s + np.float32(w) for s, w in zip(scores, row, strict=True)]
    return scores


def tree_margins(
    tree: Tree, name: str, weights: dict[tuple, list[float]], label_weights: dict[tuple, list[float]],
    table: str, label_table: str, labels: list[str],
) -> tuple[list[float], list[float]]:  # fmt: skip
    """The margins of the arcs and labels of a tree; which arcs a transition loses is found by search."""
    search, a = SEARCHES[name], Analysis(name, tree)
    arc_margins, label_margins = [np.inf] * len(tree), [np.inf] * len(tree)
    while not a.is_final():
        legal = a.legal()
        chosen = legal[0]
        if len(legal) > 1:
            scores = sum_of_rows(weights, features(a, templates_of(table, labelled=True)), 4)
            after = {t: search.reachable_arcs(a.system.successors(a.state)[t]) for t in legal}
            for d, h in enumerate(tree.heads, start=1):
                if (h, d) in search.reachable_arcs(a.state):
                    kept = [scores[t] for t in legal if (h, d) in after[t]]
                    lost = [scores[t] for t in legal if (h, d) not in after[t]]
                    if lost:
                        arc_margins[d - 1] = min(arc_margins[d - 1], max(kept) - max(lost))
            price = costs(a, tree.heads)
            cheapest = [t for t in legal if price[t] == min(price.values())]
            chosen = max(cheapest, key=lambda t: (scores[t], -t))
        label = 0
        added = a.arc(chosen)
        if added and added[1] != ROOT:
            head, d = added
            of_labels = sum_of_rows(label_weights, arc_features(a, head, d, label_table.split()), len(labels))
            deprel = tree.deprels[d - 1]
            wanted = of_labels[labels.index(deprel)] if deprel in labels else np.float32(0)
            others = [s for s, other in zip(of_labels, labels, strict=True) if other != deprel]
            label_margins[d - 1] = wanted - max(others)
            right = tree.heads[d - 1] == head and deprel in labels
            label = 1 + (labels.index(deprel) if right else of_labels.index(max(of_labels)))
        a.take(chosen, label)
    return arc_margins, label_margins


def easy_first_address(a: Analysis, k: int, text: str):
    """The word at an address of the pair of items k and k + 1."""
    items = a.state[0]
    base = text.rstrip("lr2") if text[0] in "PQ" else text[:2]
    index = {"A2": k - 2, "A1": k - 1, "P": k, "Q": k + 1, "B1": k + 2, "B2": k + 3}[base]
    word = items[index] if 0 <= index < len(items) else ABSENT
    path = text[len(base) :]
    if not path:
        return word
    return nth(a.dependents(word, path[0] == "l"), 1 if path.endswith("2") else 0)


def easy_first_features(a: Analysis, k: int, table: list[str]) -> list[tuple]:
    """As `features`, of one pair."""

    def value(text: str):
        if text == "d":
            return distance(a, a.state[0][k], a.state[0][k + 1])
        where, attribute = text.split(".")
        return attribute_of(a, easy_first_address(a, k, where), attribute)

    return [(template, *(value(t) for t in template.split("+"))) for template in table]


def train_easy_first(
    trees: list[Tree], exploring: bool, table: str, iterations: int, seed: int, k: int = 1, p: float = 0.9
):
    """Unlabelled; everything is extracted and scored anew at every step."""
    templates = templates_of(table, labelled=False)
    model = Model(4)
    order, random = np.random.default_rng(seed), SplitMix(seed)
    for iteration in range(1, iterations + 1):
        exploration = p if exploring and iteration > k else 0.0
        for index in order.permutation(len(trees)):
            tree = trees[index]
            a, stayed = Analysis("easy-first", tree), 0
            gold = {(h, d) for d, h in enumerate(tree.heads, start=1)}
            while not a.is_final():
                legal = a.legal()
                found = {t: easy_first_features(a, t // 2, templates) for t in legal}
                score = {t: model.scores(found[t])[1 if t % 2 else 2] for t in legal}
                price = {}
                for t in legal:
                    h, d = a.arc(t)
                    items = a.state[0]
                    price[t] = sum((x, d) in gold for x in items if x != h) + sum(
                        (d, x) in gold for x in items
                    )
                correct = [t for t in legal if price[t] == min(price.values())]
                predicted = max(legal, key=lambda t: (score[t], -t))
                wanted = max(correct, key=lambda t: (score[t], -t))
                model.steps += 1
                chosen = predicted
                if predicted not in correct:
                    same = found[wanted] == found[predicted] and wanted % 2 == predicted % 2
                    if not same:
                        for t, amount in ((wanted, 1), (predicted, -1)):
                            for f in found[t]:
                                which = 1 if t % 2 else 2
                                model.weights.setdefault(f, [0] * 4)[which] += amount
                                model.history[f].append((model.steps, which, amount))
                    if not (exploration > 0 and random() < exploration):
                        stayed += 1
                        if not same and stayed < 100:
                            continue
                        chosen = wanted
                stayed = 0
                a.take(chosen)
    return model
