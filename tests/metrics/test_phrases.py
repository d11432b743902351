from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_data import tree
from naive_measures import heads_of_phrases, phrases_right
from trees import random_heads

from learnability.errors import InputError
from learnability.metrics import find_phrases, phrase_scores
from learnability.metrics.phrases import phrase_heads
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import TRANSFORMATIONS, get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Tree

# UD tree, deprels, and the heads under a transformation (docs/rules.md, Function heads).
CITY = "nsubj root case det amod obl punct"
EXAMPLES = {
    "case": ([2, 0, 6, 6, 6, 2, 2], CITY, [2, 0, 2, 6, 6, 3, 2]),
    "det": ([2, 0, 6, 6, 6, 2, 2], CITY, [2, 0, 4, 2, 6, 4, 2]),
    "two cases, chain": ([2, 0, 6, 6, 6, 2], "det root case case det nmod", [2, 0, 2, 3, 6, 4]),
    "two cases, outermost": ([2, 0, 6, 6, 6, 2], "det root case case det nmod", [2, 0, 2, 3, 6, 3]),
    "postposition": ([2, 4, 2, 0], "det nmod case root", [2, 3, 4, 0]),
    "moved modifier": ([2, 0, 5, 5, 2, 2], "nsubj root advmod case obl punct", [2, 0, 4, 2, 4, 2]),
    "circumposition": ([3, 3, 5, 3, 0, 5], "case nummod obl case root nsubj", [5, 3, 4, 1, 0, 5]),
    "mark": ([2, 0, 5, 5, 2, 7, 5], "nsubj root mark nsubj ccomp mark xcomp", [2, 0, 2, 5, 3, 5, 6]),
    "two determiners": ([4, 4, 4, 5, 0], "det:predet det nummod nsubj root", [5, 1, 4, 2, 0]),
    "det, right modifier": ([2, 5, 4, 2, 0], "det nsubj case nmod root", [5, 1, 4, 2, 0]),
    "cop": ([5, 5, 5, 5, 0], "nsubj cop det amod root", [2, 0, 5, 5, 2]),
    "cop, min": ([3, 3, 0, 3], "cop nsubj root punct", [0, 3, 1, 3]),
    "cop, clause": ([3, 3, 0, 3], "cop nsubj root punct", [0, 1, 1, 1]),
    "auxpass": ([5, 5, 5, 5, 0], "nsubjpass aux aux auxpass root", [4, 4, 4, 0, 4]),
    "aux:pass": ([5, 5, 5, 5, 0], "nsubj:pass aux aux aux:pass root", [2, 0, 2, 3, 4]),
    "mark, cop and case": (
        [2, 0, 7, 7, 7, 7, 2, 7],
        "nsubj root mark nsubj cop case ccomp advmod",
        [2, 0, 2, 5, 3, 5, 6, 7],
    ),
    "mwe": ([2, 0, 7, 3, 3, 7, 2], "nsubj root case mwe mwe det nmod", [2, 0, 7, 3, 4, 7, 2]),
    "fixed": ([2, 0, 7, 3, 3, 7, 2], "nsubj root case fixed fixed det obl", [2, 0, 7, 3, 4, 7, 2]),
    "name": ([4, 1, 1, 0], "nsubj name name root", [4, 1, 2, 0]),
    "flat, last word": ([4, 1, 1, 0], "nsubj flat:name flat:name root", [3, 3, 4, 0]),
    "name with quotes": (
        [7, 4, 4, 1, 4, 1, 0],
        "nsubj punct det name punct name root",
        [7, 4, 4, 1, 4, 4, 0],
    ),
    "goeswith": ([0, 1, 1, 1], "root goeswith goeswith punct", [0, 1, 2, 1]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_gold_ud_and_gold_transformed_trees_have_the_same_nucleus_tree(name: str) -> None:
    heads, deprels, transformed = EXAMPLES[name]
    assert heads != transformed
    phrases = find_phrases([tree(heads, deprels=deprels)])
    assert phrase_heads(phrases, [heads]).tolist() == phrases.heads.tolist()
    assert phrase_heads(phrases, [transformed]).tolist() == phrases.heads.tolist()
    assert phrase_scores(phrases, [transformed]).uas == 100


def test_nuclei_by_hand() -> None:
    # She lives (because) of the big city. "of" is marked by "because" of: fixed inside a case.
    gold = tree([2, 0, 7, 3, 7, 7, 2, 2], deprels="nsubj root case fixed det amod obl punct")
    phrases = find_phrases([tree([0]), gold])
    assert phrases.phrase.tolist() == [0, 1, 2, 7, 7, 7, 6, 7, 8]
    assert phrases.content.tolist() == [0, 1, 2, 6, 7, 8]
    assert phrases.heads.tolist() == [-1, 2, -1, 7, 2, 2]


def test_only_function_words_and_flat_expressions_join_a_nucleus() -> None:
    others = "root cc cc:preconj conj neg clf compound nummod appos list dep punct foreign"
    joining = "case:gen det:poss mark cop aux:pass auxpass flat:name name fixed mwe goeswith flat:foreign"
    gold = tree([0] + [1] * 24, deprels=f"{others} {joining}")
    assert find_phrases([gold]).content.tolist() == list(range(13))


def test_a_root_word_is_a_nucleus_whatever_its_label() -> None:
    phrases = find_phrases([tree([0, 1], deprels="case det")])
    assert phrases.content.tolist() == [0]
    assert phrases.heads.tolist() == [-1]


def test_errors_count_once_per_nucleus() -> None:
    gold = tree([2, 0, 6, 6, 6, 2, 2], deprels=CITY)
    phrases = find_phrases([gold])
    # The obl "in the city" hung on "big" (inverted or not) is one error; big itself, one more.
    wrong = phrase_scores(phrases, [[2, 0, 5, 6, 2, 3, 2]])
    assert (wrong.correct.tolist(), wrong.total.tolist()) == ([3], [5])
    assert wrong.uas == 60
    # Errors inside a phrase are none: the case marker hung on the determiner.
    assert phrase_scores(phrases, [[2, 0, 4, 6, 6, 2, 2]]).uas == 100
    # A function word's head counts only where its content word leads there.
    assert phrase_scores(phrases, [[2, 0, 1, 6, 6, 2, 2]]).uas == 100


def test_nucleus_scores_are_not_defined_for_coordination() -> None:
    # dogs and cats and mice slept (v2), Prague: heads cross phrases.
    gold = tree([6, 3, 1, 5, 1, 0], deprels="nsubj cc conj cc conj root")
    assert phrase_scores(find_phrases([gold]), [[4, 3, 4, 6, 4, 0]]).uas < 100


LABELS = ["case", "det", "mark", "cop", "aux", "aux:pass", "flat", "fixed"]
LABELS += ["nsubj", "obl", "punct", "amod", "acl"]


def labelled(n: int, seed: int) -> Tree:
    heads = random_heads(random.Random(seed), n)
    return tree(heads, deprels=" ".join(LABELS[(seed // (i + 3)) % 13] for i in range(n)))


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 10**6)), min_size=1, max_size=4))
def test_equals_the_definition_token_by_token(seeds: list[tuple[int, int]]) -> None:
    gold = [labelled(n, seed) for n, seed in seeds]
    parse = [random_heads(random.Random(seed + 1), n) for n, seed in seeds]
    phrases = find_phrases(gold)
    start, expected = 0, []
    counts = []
    for g, p in zip(gold, parse, strict=True):
        expected += [start + head - 1 if head else -1 for head in heads_of_phrases(g, p)]
        counts.append(phrases_right(g, p))
        start += len(g)
    assert phrase_heads(phrases, parse).tolist() == expected
    scores = phrase_scores(phrases, parse)
    assert list(zip(scores.correct.tolist(), scores.total.tolist(), strict=True)) == counts


def test_wrong_input_is_refused() -> None:
    gold = tree([2, 0, 2], deprels="nsubj root obl")
    phrases = find_phrases([gold, gold])
    with pytest.raises(InputError, match="differ in length"):
        phrase_heads(phrases, [[2, 0, 2], [2, 0]])
    inside = find_phrases([gold, tree([2, 0, 2], deprels="det root case")])
    with pytest.raises(InputError, match="the heads of sentence 2 form a cycle"):
        phrase_heads(inside, [[2, 0, 2], [2, 1, 2]])
    with pytest.raises(InputError, match="the heads of sentence 1 form a cycle"):
        find_phrases([tree([2, 1, 0], deprels="det case root")])


FILES = (
    "universal-dependencies-1.3/UD_Irish/ga-ud-test.conllu",
    "universal-dependencies-1.3/UD_Hungarian/hu-ud-test.conllu",
    "universal-dependencies-1.3/UD_Turkish/tr-ud-test.conllu",
    "ud-treebanks-v2.16/UD_French-Sequoia/fr_sequoia-ud-test.conllu",
    "ud-treebanks-v2.16/UD_English-LinES/en_lines-ud-test.conllu",
)


@pytest.mark.parametrize("file", FILES)
def test_transformed_real_treebanks_keep_the_nucleus_tree(file: str, ud_home: Path, thorough: bool) -> None:
    """Every transformation for which phrases are defined, alone and together, all places and half of them."""
    trees = [sentence.tree for sentence in read_conllu(ud_home / file).sentences]
    trees = trees if thorough else trees[:100]
    conventions = detect_conventions(trees, folder=Path(file).parent.name)
    names = [name for name, rule in TRANSFORMATIONS.items() if rule.moves_within_phrases]
    specs = [*names, "cop:reattach=clause"]
    singles = [get_transformation(spec, conventions) for spec in specs]
    together = JointTransformation([get_transformation(name, conventions) for name in names])
    phrases = find_phrases(trees)
    assert phrase_scores(phrases, [tree.heads for tree in trees]).uas == 100
    chance = random.Random(file)
    changed = 0
    for transformation in [*singles, together]:
        whole = [transformation.apply(tree).heads for tree in trees]
        half = [
            transformation.apply(
                tree, [s for s in transformation.places(tree) if chance.random() < 0.5]
            ).heads
            for tree in trees
        ]
        changed += whole != [tree.heads for tree in trees]
        for heads in (whole, half):
            scores = phrase_scores(phrases, heads)
            assert scores.correct.tolist() == scores.total.tolist(), transformation.spec
    assert changed >= 6
