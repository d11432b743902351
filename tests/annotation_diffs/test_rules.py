"""Rules from differences: the rule that made a copy is found, with figures of other sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, repeat
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from small_treebanks import demo_treebank
from trees import random_tree

import learnability
from learnability.annotation_diffs import restricting
from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.annotation_diffs.restricting import ChangedWord, best_restriction
from learnability.annotation_diffs.rules import LearnedRule
from learnability.reports.annotation_diffs.rules import scheme_of
from learnability.schemes.toml_file import scheme_from_text
from learnability.transforms.relabelling import Relabelling, ValueChange, parsed_change
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.transforms.user_defined import KINDS
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Conventions, Tree

CONSTRUCTIONS = ("det", "case", "cop", "cop:reattach=clause", "cc", "conj", "punct:head=root")
CHANGES = (
    "upos:AUX=VERB",
    "deprel:advmod=obl,side=left",
    "deprel:nmod=obl,head_upos=PROPN",
    "feats:Tense=*=_",
    "feats:_=Poss=No,upos=DET",
)


def copied(trees: Sequence[Tree], spec: str) -> list[Tree]:
    """The trees after a change of labels."""
    return [Relabelling((parsed_change(spec),)).apply(tree) for tree in trees]


@cache
def trees_of_demo() -> tuple[Tree, ...]:
    """Part of the demo treebank: the development set, every fourth test sentence, and the rare ones."""
    parts = dict(demo_treebank().splits())
    test = [sentence.tree for sentence in parts["test"]]
    rare = [tree for tree in test if any(map(is_rare, tree.deprels, tree.heads, repeat(tree)))]
    return (*(sentence.tree for sentence in parts["dev"]), *dict.fromkeys([*test[::4], *rare]))


def is_rare(deprel: str, head: int, tree: Tree) -> bool:
    """Whether this is a word of the rarest of `CHANGES`."""
    return deprel == "nmod" and tree.upos[head - 1] == "PROPN"


@pytest.mark.parametrize("spec", CONSTRUCTIONS)
def test_the_construction_that_made_a_copy_is_found(spec: str) -> None:
    found = learnability.diff(trees_of_demo(), learnability.get_transformation(spec))
    (heads, *_) = (number for number, g in enumerate(found.groups, start=1) if g.kind.column == "HEAD")
    (rule,) = found.learn_rules(numbers=[heads])
    assert rule.spec == spec
    assert (rule.precision, rule.recall) == (1, 1)
    assert rule.labels == ("external" if spec.startswith("punct") else "keep")  # the same for punctuation
    assert rule.words > 20


@pytest.mark.parametrize("spec", CHANGES)
def test_the_change_that_made_a_copy_is_found(spec: str) -> None:
    trees = trees_of_demo()
    found = learnability.diff(trees, copied(trees, spec))
    rules = found.learn_rules()
    assert rules[0].spec == spec
    assert (rules[0].precision, rules[0].recall) == (1, 1)
    assert all(rule.recall == 1 for rule in rules if rule.change)


def renamed(trees: Sequence[Tree], column: str, old: str, new: str) -> list[Tree]:
    """The trees with another value in the place of one."""
    changed = []
    for tree in trees:
        values: Any = tuple(new if value == old else value for value in getattr(tree, column))
        changed.append(replace(tree, **{column: values}))
    return changed


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        ("deprels", "amod", "mod"),
        ("deprels", "nmod", "nmod2"),
        ("deprels", "obj", "Ränge@x"),
        ("upos", "PUNCT", "PUNC"),
        ("upos", "SCONJ", "$,"),
        ("xpos", "NN", "nn_x"),
        ("xpos", "NN", "_"),
    ],
)
def test_values_that_ud_does_not_have_are_found_and_applied(column: str, old: str, new: str) -> None:
    trees = trees_of_demo()
    others = renamed(trees, column, old, new)
    for base, alternative in ((trees, others), (others, trees)):
        rules = learnability.diff(base, alternative).learn_rules()
        rule = next(rule for rule in rules if rule.group.kind.column in ("UPOS", "XPOS", "DEPREL"))
        assert (rule.precision, rule.recall) == (1, 1)
        scheme = scheme_from_text(scheme_of(rule), "rule.toml")
        made = [scheme.relabelling.apply(tree) for tree in base]
        assert [getattr(tree, column) for tree in made] == [getattr(tree, column) for tree in alternative]


@pytest.mark.parametrize("label", ["mod", "comp:obl@x", "_"])
def test_words_with_labels_that_ud_does_not_have_can_move(label: str) -> None:
    trees = renamed(renamed(trees_of_demo(), "deprels", "advmod", label), "deprels", "nsubj", "subj@y")
    subjects = KINDS["head-inversion"]("move", ["subj@y"], Conventions())
    made_by = restrict_rule(subjects, Restriction(child_deprel=["det"]))
    others = [made_by.apply(tree, labels="keep") for tree in trees]
    rules = learnability.diff(trees, others).learn_rules(most=1)
    assert rules[0].precision == rules[0].recall == 1
    scheme = scheme_from_text(scheme_of(rules[0]), "rule.toml")
    rule = scheme.transformation(Conventions())
    assert [rule.apply(tree, labels="keep").heads for tree in trees] == [tree.heads for tree in others]


def test_one_rule_explains_several_groups() -> None:
    trees = trees_of_demo()
    found = learnability.diff(trees, copied(trees, "feats:Tense=*=_"))
    rules = found.learn_rules()
    assert len(rules) > 2
    assert {rule.same_as for rule in rules} == {0, 1}
    assert {rule.spec for rule in rules} == {"feats:Tense=*=_", "as group 1"}
    det = learnability.get_transformation("det")
    labelled = learnability.diff(trees, [det.apply(tree, labels="external") for tree in trees])
    rules = labelled.learn_rules()
    assert {rule.group.kind.column for rule in rules} == {"HEAD", "DEPREL"}
    assert {rule.labels for rule in rules} == {"external"}
    assert sum(rule.same_as == 0 for rule in rules) == 1


def test_a_group_without_a_rule_says_why() -> None:
    trees = trees_of_demo()
    draw = Random(4)
    by_chance = [
        replace(
            tree, deprels=tuple("obl" if d == "nmod" and draw.random() < 0.3 else d for d in tree.deprels)
        )
        for tree in trees
    ]
    (rule,) = learnability.diff(trees, by_chance).learn_rules()
    assert rule.change is None
    assert rule.why_none.startswith("no rule is right more often than wrong")
    lemmas = [replace(tree, lemmas=tuple("x" if o == "be" else o for o in tree.lemmas)) for tree in trees]
    (rule,) = learnability.diff(trees, lemmas).learn_rules()
    assert rule.why_none == "rules do not change LEMMA"
    roots = [replace(tree, deprels=tuple(d.replace("root", "dep") for d in tree.deprels)) for tree in trees]
    (rule,) = learnability.diff(trees, roots).learn_rules()
    assert rule.why_none == "only rules that move heads change the root"
    few = [*copied(trees[:1], "deprel:det=obl"), *trees[1:]]
    (rule,) = learnability.diff(trees, few).learn_rules()
    assert rule.why_none == "too few words"


def test_a_rule_that_finds_nothing_on_other_sentences_is_none() -> None:
    """In the half that is learned from, words with the lemma x differ; in the other half, words with y."""
    texts = [(f"a{number}", "b") for number in range(60)]
    shuffled = list(texts)
    Random(1).shuffle(shuffled)
    base, alternative = [], []
    for text in texts:
        rank = shuffled.index(text)
        lemma = "z" if rank % 2 else "x" if rank < 30 else "y"
        tree = Tree(text, ("X", "X"), (0, 1), ("root", "nmod"), lemmas=("w", lemma))
        base.append(tree)
        alternative.append(tree if rank % 2 else replace(tree, deprels=("root", "obl")))
    (rule,) = learnability.diff(base, alternative).learn_rules()
    assert rule.why_none == "no rule makes any of the words on other sentences"
    assert (rule.change, rule.words, rule.found, rule.changed) == (None, 15, 0, 0)


def test_the_figures_are_those_of_the_sentences_that_were_not_learned_from() -> None:
    """All copies of a sentence are in the same half, so a rule cannot profit from having seen it."""
    trees = trees_of_demo()
    changed = copied(trees, "deprel:advmod=obl,side=left")
    once = learnability.diff(trees, changed).learn_rules(most=1)[0]
    twice = learnability.diff([*trees, *trees], [*changed, *changed]).learn_rules(most=1)[0]
    assert twice.sentences == tuple(2 * count for count in once.sentences)
    assert (twice.words, twice.changed, twice.right) == (2 * once.words, 2 * once.changed, 2 * once.right)
    texts = {tree.forms for tree in trees}
    assert sum(once.sentences) == len(trees)
    assert abs(once.sentences[0] - once.sentences[1]) <= len(trees) - len(texts) + 1


@pytest.mark.parametrize("seed", [1, 2])
def test_figures_against_a_count_by_hand(seed: int) -> None:
    """A rule that is sometimes wrong: with both seeds together, each sentence is tested or learned from."""
    trees = trees_of_demo()
    draw = Random(seed)
    mostly = [
        replace(
            tree, deprels=tuple("obl" if d == "nmod" and draw.random() < 0.8 else d for d in tree.deprels)
        )
        for tree in trees
    ]
    found = learnability.diff(trees, mostly)
    (rule,) = found.learn_rules(seed=seed)
    assert rule.spec.startswith("deprel:nmod=obl")
    texts = list(dict.fromkeys(tree.forms for tree in trees))
    Random(seed).shuffle(texts)
    tested = set(texts[(len(texts) + 1) // 2 :])
    assert isinstance(rule.change, ValueChange)
    changed = right = words = 0
    for tree, other in zip(trees, mostly, strict=True):
        if tree.forms in tested:
            made = Relabelling((rule.change,)).apply(tree)
            for before, after, wanted in zip(tree.deprels, made.deprels, other.deprels, strict=True):
                words += before != wanted
                changed += before != after
                right += before != after == wanted
    assert (rule.words, rule.changed, rule.right, rule.found) == (words, changed, right, right)
    assert 0.7 < right / changed < 0.9


def worth(cases: Sequence[ChangedWord], restriction: Restriction, cost: float) -> float:
    length = sum(len(values) for _, values in restriction.wanted)
    admitted = [case.weight for case in cases if restriction.admits(case.tree, case.token, "")]
    return sum(admitted) - cost * length


@pytest.mark.parametrize("seed", range(5))
def test_the_search_finds_what_trying_everything_finds(seed: int) -> None:
    """Against all restrictions to one value, or to two of different criteria."""
    draw = Random(seed)
    trees = [random_tree(seed * 100 + number, 7) for number in range(12)]
    truth = draw.choice(["upos", "deprel", "head_upos", "side", "lemma"])
    wanted = draw.choice(["NOUN", "det", "VERB", "left", "a"])
    cases = []
    for tree in trees:
        for token in range(1, 8):
            is_right = Restriction(**{truth: [wanted]}).admits(tree, token, "") or draw.random() < 0.3
            cases.append(ChangedWord(tree, token, 1 if is_right else -1))
    cost = 1.0
    names = ("upos", "lemma", "deprel", "side", "head_upos", "head_deprel", "child_upos")
    values = {
        "upos": ("NOUN", "VERB", "DET", "ADP"),
        "side": ("left", "right"),
        "lemma": sorted({lemma for tree in trees for lemma in tree.lemmas}),
        "deprel": sorted({deprel for tree in trees for deprel in tree.deprels}),
    }
    single = [
        (name + negation, value)
        for name in names
        for negation in ("", "!")
        for value in values[name.rpartition("_")[2]]
    ]
    tried = [Restriction()]
    tried += [Restriction(**{name: [value]}) for name, value in single]
    tried += [
        Restriction(**{first[0]: [first[1]], second[0]: [second[1]]})
        for first, second in combinations(single, 2)
        if first[0] != second[0]
    ]
    best = max(worth(cases, restriction, cost) for restriction in tried)
    restriction, found = best_restriction(cases, cost, lambda name, value: True)
    assert found == pytest.approx(worth(cases, restriction, cost))
    assert found >= best


def test_what_can_be_left_out_without_loss_is_left_out() -> None:
    trees = [random_tree(seed, 8) for seed in range(30)]
    cases = [
        ChangedWord(tree, token, 1 if tree.upos[token - 1] == "NOUN" else -1)
        for tree in trees
        for token in range(1, 9)
    ]
    weights = np.array([case.weight for case in cases], np.float32)
    criteria = restricting._criteria(cases, lambda name, value: True)
    every = restricting._State({}, np.ones(len(cases), np.float32), float(weights.sum()))
    wanted = {"upos": ("NOUN",), "side": ("left", "right"), "upos!": ("VERB",)}
    long = restricting._with(every, criteria, wanted, weights, 1.0)
    short = restricting._shortened(long, criteria, weights, 1.0)
    assert short.wanted == {"upos": ("NOUN",)}
    assert short.worth == long.worth + 3
    restriction, _ = best_restriction(cases, 1.0, lambda name, value: True)
    assert str(restriction) == "upos=NOUN"


def test_a_word_without_a_value_meets_no_exclusion() -> None:
    """The root word has no head, so it is not admitted where only some tags of heads are excluded."""
    trees = [random_tree(seed, 8) for seed in range(30)]
    cases = []
    for tree in trees:
        for token, head in enumerate(tree.heads, start=1):
            is_right = head and tree.upos[head - 1] != "NOUN"
            cases.append(ChangedWord(tree, token, 1 if is_right else -1))
    restriction, found = best_restriction(cases, 1.0, lambda name, value: True)
    assert str(restriction) == "head_upos!=NOUN"
    assert found == worth(cases, restriction, 1.0)


@cache
def learned_rules() -> list[tuple[AnnotationDiff, LearnedRule]]:
    """A rule of each kind that can be learned."""
    trees = trees_of_demo()
    move = KINDS["head-inversion"]("move", ["advmod"], Conventions())
    changed = [
        *([rule.apply(tree) for tree in trees] for rule in (move, learnability.get_transformation("det"))),
        *(copied(trees, spec) for spec in (*CHANGES, "deprel:nmod=obl,child_upos!=DET")),
        renamed(trees, "deprels", "amod", "mod"),
        renamed(trees, "xpos", "NN", "_"),
    ]
    found = [learnability.diff(trees, other) for other in changed]
    return [(comparison, comparison.learn_rules(most=1)[0]) for comparison in found]


def test_the_scheme_file_of_a_rule_is_the_rule() -> None:
    trees = trees_of_demo()
    kinds = set()
    for comparison, rule in learned_rules():
        scheme = scheme_from_text(scheme_of(rule), "rule.toml")
        kinds.add((bool(scheme.relabelling), bool(scheme.transformations)))
        transformation = scheme.transformation(comparison.base.conventions)
        for pair, tree in zip(comparison.matching.pairs, trees, strict=True):
            made = scheme.relabelling.apply(transformation.apply(tree, labels=rule.labels or "keep"))
            assert made == pair.alternative.tree
    assert kinds == {(True, False), (False, True)}


@pytest.mark.parametrize(
    ("restriction", "deprel"),
    [
        ("misc=LangID=DE", False),
        ("comment=genre=news", False),
        ("misc=LangID=DE", True),
        ("comment=genre=news", True),
    ],
)
def test_rules_are_restricted_by_misc_and_comments(tmp_path: Path, restriction: str, deprel: bool) -> None:
    """Only German words, or only news, have another tag or head; nothing else tells them apart."""
    generator, lines = random.Random(7), list[str]()
    for number in range(60):
        lines += [f"# sent_id = s{number}", f"# genre = {generator.choice(('news', 'blog'))}"]
        for word, head in enumerate((0, 1, 2), start=1):
            misc = f"LangID={generator.choice(('DE', 'TR'))}"
            name = "nmod" if head else "root"
            lines.append(f"{word}\tw{number}.{word}\tw\tNOUN\t_\t_\t{head}\t{name}\t_\t{misc}")
        lines.append("")
    source = tmp_path / "base.conllu"
    source.write_text("\n".join([*lines, ""]), encoding="utf-8")
    base = [sentence.tree for sentence in read_conllu(source)]
    change = f"deprel:nmod=obl,{restriction}" if deprel else f"upos:NOUN=PROPN,{restriction}"
    other = copied(base, change)
    comparison = learnability.diff(base, other)
    (rule,) = comparison.learn_rules(most=1)
    assert rule.change is not None
    assert str(rule.change.restriction) == restriction
    scheme = scheme_from_text(scheme_of(rule), "rule.toml")
    assert [scheme.relabelling.apply(tree) for tree in base] == other
