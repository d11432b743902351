"""What is learned to convert trees back to UD, count by count."""

from __future__ import annotations

from collections import Counter

import pytest
from transform_trees import transformation, tree
from worked_examples import ASYNDETIC, MIRRORED

from learnability.transforms.base import invert_all, learn_side_preferences
from learnability.transforms.function_heads import learn_from_complements
from learnability.transforms.preferences import SidePreferences, learn, words_of


def is_case(deprel):
    return deprel.startswith("case")


def counted(**counts):
    """Preferences with these counts."""
    return SidePreferences(**{name: Counter(values) for name, values in counts.items()})


def test_from_ud_trees():
    seen = [
        # `very` lies beyond the function word, `big` and `now` do not; `all` hangs on its inner side
        tree("very just IN/ADP all big Rome now", "6 3 6 3 6 0 6", "det advmod case mwe amod root nmod"),
        tree("go Rome ago/ADP there", "0 1 2 2", "root obl:tmod case:post advmod"),
        tree("in/ADP", "0", "case"),
    ]
    once = ["very", "just", "all", "big", "now", "go", "ago", "there"]
    assert learn(seen, is_case) == counted(
        right=[("upos", "ADP"), ("deprel", "case"), ("form", "in")],
        left=[("upos", "ADP"), ("deprel", "case:post"), ("form", "ago")],
        core=[("root",), ("obl",)],
        far=[("det",), ("advmod",)],
        near=[("mwe",)],
        functions=[("upos", "ADP"), ("form", "in"), ("upos", "ADP"), ("form", "ago")],
        words={("upos", "X"): 9, ("upos", "ADP"): 3, ("form", "in"): 2, ("form", "rome"): 2}
        | {("form", form): 1 for form in once},
        relations=[
            *[("upos", "ADP", "case"), ("form", "in", "case")],
            *[("upos", "ADP", "case:post"), ("form", "ago", "case:post")],
        ],
    )


def test_words_from_transformed_trees_not_at_the_root_nor_below_its_label():
    seen = [tree("a b c d", "0 1 2 3", "root case case:x obl"), tree("e c", "0 1", "case case")]
    assert words_of(seen, is_case) == counted(
        functions={("upos", "X"): 2, ("form", "c"): 2},
        words={("upos", "X"): 3, ("form", "c"): 2, ("form", "d"): 1},
    )


def test_from_external_labels_where_a_word_has_one_complement():
    two = tree("from in/ADP house Rome", "0 1 2 2", "root comp:case comp:case comp:case:x")
    both = [("upos", "X"), ("form", "from")]
    assert learn_from_complements([two, two], is_case) == counted(
        functions=both * 2, words=both * 2, relations=[(*value, "case") for value in both] * 2
    )


# Where both sides of a word have children, their relations speak for the one, and for the other
# the words that have children on one side only: these are learned from first, and they are fewer.
RIGHT = [
    *[tree("say go zu town", "0 1 4 2", "root obj case nmod")] * 10,
    *[tree("say go here zu town", "0 1 5 5 2", "root obj nmod case nsubj")] * 11,
]
LEFT = [
    *[tree("say go town zu", "0 1 2 3", "root obj nmod case")] * 10,
    *[tree("say go town zu here", "0 1 2 3 3", "root obj nsubj case nmod")] * 11,
]


@pytest.mark.parametrize("file", [RIGHT, LEFT])
def test_the_words_whose_side_is_certain_are_learned_from_first(file):
    case = transformation("case")
    assert invert_all(case, [case.apply(one) for one in file]) == file


@pytest.mark.parametrize(
    ("spec", "before", "already", "firsts", "own"),
    [
        (
            "conj",
            tree("came and left it now .", "0 3 1 3 3 1", "root cc conj obj advmod punct"),
            MIRRORED,
            ["punct"],
            ["obj", "advmod"],
        ),
        (
            "conj:direction=left",
            tree("so Ali it sold and left", "6 6 4 6 6 0", "discourse nsubj obj conj cc root"),
            ASYNDETIC,
            ["discourse", "nsubj"],
            ["obj"],
        ),
    ],
)
def test_whose_the_dependents_beyond_the_new_head_of_a_coordination_are(spec, before, already, firsts, own):
    conj = transformation(spec)
    (rule,) = conj.rules
    assert learn_side_preferences([before, already], conj) == counted(
        far=[("conj", rule.already), *(("conj", name) for name in firsts)],
        near=[("conj", rule.already), *(("conj", name) for name in own)],
    )


def test_what_was_counted_gives_the_same_preferences_again():
    seen = [
        tree("very just IN/ADP all big Rome now", "6 3 6 3 6 0 6", "det advmod case mwe amod root nmod"),
        tree("go Rome ago/ADP there", "0 1 2 2", "root obl:tmod case:post advmod"),
        *[tree("in/ADP Rome", "2 0", "case root")] * 3,
    ]
    learned = learn(seen, is_case)
    assert SidePreferences.of_counted(learned.list_counted()) == learned
    each = [learn([one], is_case).list_counted() for one in seen]
    assert SidePreferences.of_counted(value for values in each for value in values) == learned
    assert learned.functions["form", "in"] == 4
