"""The graph-based parser as a parser: what it learns, what it sees, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from learnability.errors import InputError
from learnability.parsers.graph import KINDS
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.treebanks.sentence import Tree

LABELS = {"DET": "det", "ADJ": "amod", "NOUN": "nsubj", "VERB": "root", "ADV": "advmod"}


def toy(seed: int, sentences: int) -> list[Tree]:
    """The (big) dog saw a (small) cat (often): the verb heads nouns and adverbs, nouns what precedes them."""
    draw, found = Random(seed), []
    for _ in range(sentences):
        noun = lambda: ["DET"] * draw.randint(0, 1) + ["ADJ"] * draw.randint(0, 2) + ["NOUN"]  # noqa: E731
        tags = [*noun(), "VERB", *noun(), *["ADV"] * draw.randint(0, 2)]
        verb = tags.index("VERB")
        heads = [
            0 if i == verb else verb + 1 if tag in ("NOUN", "ADV") else tags.index("NOUN", i) + 1
            for i, tag in enumerate(tags)
        ]
        deprels = ["obj" if tag == "NOUN" and i > verb else LABELS[tag] for i, tag in enumerate(tags)]
        forms = [f"{tag.lower()}{draw.randrange(4)}" for tag in tags]
        found.append(Tree(forms, tags, heads, deprels, xpos=[t[:2] for t in tags], lemmas=forms))
    return found


TRAIN, DEV, TEST = toy(1, 40), toy(2, 10), toy(3, 30)


def train(
    spec: str = "graph", seed: int = 1, trees: list[Tree] | None = None, **setup: object
) -> TrainedParser:
    parser = parser_named(spec).trainer(Setup(**{"iterations": 5, **setup}))
    return parser.train(TRAIN if trees is None else trees, DEV, seed)


def arcs(trees: list[Tree], labels: bool = True) -> list[tuple]:
    return [(tuple(tree.heads), tuple(tree.deprels) if labels else ()) for tree in trees]


@pytest.mark.parametrize("spec", ["graph", "graph:nonprojective"])
def test_a_grammar_is_learned_with_its_labels(spec: str) -> None:
    parsed = train(spec, labelled=True).parse(TEST)
    assert arcs(parsed) == arcs(TEST)
    unlabelled = train(spec).parse(TEST)
    assert arcs(unlabelled, labels=False) == arcs(TEST, labels=False)
    assert {deprel for tree in unlabelled for deprel in tree.deprels} == {"root", "dep"}


def test_the_ending_of_a_form_decides_its_label() -> None:
    """Stems that did not occur in training, with two endings."""

    def clause(stem: int) -> Tree:
        forms, tags = (f"stem{stem}en", f"other{stem}ta", "goes"), ("NOUN", "NOUN", "VERB")
        deprels = ("obj", "obl", "root")
        if stem % 2:
            forms, deprels = (*forms[1::-1], forms[2]), (*deprels[1::-1], deprels[2])
        return Tree(forms, tags, (3, 3, 0), deprels)

    parser = train(labelled=True, trees=[clause(stem) for stem in range(20)])
    unseen = [clause(stem) for stem in range(20, 40)]
    assert arcs(parser.parse(unseen)) == arcs(unseen)


def test_trees_that_cross_are_learned_without_the_restriction_only() -> None:
    crossing = Tree(
        ("dog", "came", "late", "barking"), ("NOUN", "VERB", "ADV", "ADJ"), (2, 0, 2, 1), ("dep",) * 4
    )
    assert train("graph:nonprojective", trees=[crossing]).parse([crossing])[0].heads == (2, 0, 2, 1)
    assert train("graph", trees=[crossing]).parse([crossing])[0].heads != (2, 0, 2, 1)
    (kind,) = KINDS
    assert kind.make(Setup(), {"decoder": "projective"}).projective
    assert not kind.make(Setup(), {"decoder": "nonprojective"}).projective


def test_several_root_words_are_left_if_wanted() -> None:
    two = Tree(("run", "jump"), ("VERB", "VERB"), (0, 0), ("root", "root"))
    for spec in ("graph", "graph:nonprojective"):
        assert train(spec, trees=[two], multiple_roots=True).parse([two])[0].heads == (0, 0)
        assert train(spec, trees=[two]).parse([two])[0].heads in ((0, 1), (2, 0))


@pytest.mark.parametrize("tags", ["gold", "xpos", "none"])
def test_it_sees_words_and_allowed_tags_only(tags: str) -> None:
    """Neither when it parses nor, as to the other columns, when it learns."""
    draw = Random(7)

    def hidden(tree: Tree, train: bool) -> Tree:
        n = len(tree)
        other = lambda: tuple(draw.choices(["X", "VERB", "NOUN"], k=n))  # noqa: E731
        return replace(
            tree,
            upos=tree.upos if tags == "gold" else other(),
            xpos=tree.xpos if tags == "xpos" else other(),
            lemmas=other(),
            heads=tree.heads if train else tuple(range(n)),
            deprels=tree.deprels if train else ("dep",) * n,
        )

    parser = train(labelled=True, tags=tags)
    expected = arcs(parser.parse(TEST))
    assert arcs(parser.parse([hidden(tree, train=False) for tree in TEST])) == expected
    blind = train(trees=[hidden(tree, train=True) for tree in TRAIN], labelled=True, tags=tags)
    assert arcs(blind.parse(TEST)) == expected


def test_labels_do_not_change_unlabelled_runs() -> None:
    other = [replace(tree, deprels=("x",) * len(tree)) for tree in TRAIN]
    given, changed = train(), train(trees=other)
    assert arcs(changed.parse(TEST)) == arcs(given.parse(TEST))
    assert changed.features == given.features


def test_the_seed_orders_the_sentences() -> None:
    """The same seed, the same weights; their number differs with the order."""

    def features(seed: int) -> int | None:
        return train(seed=seed, iterations=2).features

    assert features(1) == features(1)
    assert len({features(seed) for seed in range(1, 6)}) > 1


def test_how_the_training_went_is_told() -> None:
    parser = train(iterations=4)
    assert (parser.iterations, len(parser.dev_uas)) == (4, 4)
    assert parser.dev_uas[parser.best_iteration - 1] == max(parser.dev_uas)
    assert parser.seconds > 0


def test_without_sentences_or_tags_there_is_one_line() -> None:
    with pytest.raises(InputError, match="no training sentences"):
        train(trees=[])
    with pytest.raises(InputError, match="no token has UPOS"):
        train(trees=[replace(tree, upos=("_",) * len(tree)) for tree in TRAIN])
    assert list(train().parse([])) == []
