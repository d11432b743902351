from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnability.errors import InputError
from learnability.treebanks.copies import LARGEST, comparable_words, find_copies, group_copies, number_groups
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank, number_documents
from learnability.treebanks.splits import GatheredCopies, divide_treebank

LONG = "the old man saw a small dog in the park"
NEAR = "The old man saw a big dog in the park ."
"""Nine of ten words are the same."""

FILES = TreebankFiles("UD_X", "", None)


def tree(text: str) -> Tree:
    forms = tuple(text.split())
    return Tree(forms, ("X",) * len(forms), (0, *(1,) * (len(forms) - 1)))


def bank(*texts: str, documents: tuple[int, ...] = ()) -> Treebank:
    sentences = tuple(
        Sentence(tree(text), str(number), starts_document=number in documents)
        for number, text in enumerate(texts)
    )
    return Treebank("UD_X", "", (), (), sentences)


def are_copies(first: Tree, second: Tree) -> bool:
    """The rule as it is written: the same words, or 70 % of the words of eight and more."""
    one, other = map(comparable_words, (first, second))
    left = list(other)
    for word in one:
        if word in left:
            left.remove(word)
    common = len(other) - len(left)
    is_long = len(one) >= 8 and len(other) >= 8
    return one == other or (is_long and 10 * 2 * common >= 7 * (len(one) + len(other)))


def naive_groups(trees: list[Tree]) -> list[int]:
    """The first sentence of each group, by comparing all pairs until nothing changes."""
    groups = list(range(len(trees)))
    for _ in trees:
        for i, one in enumerate(trees):
            for j, other in enumerate(trees):
                if are_copies(one, other):
                    groups[i] = groups[j] = min(groups[i], groups[j])
    return groups


@pytest.mark.parametrize(
    ("first", "second", "copies"),
    [
        ("Yes .", "yes !", True),
        ("Page 12", "page 34 .", True),
        ("Page 12", "Page 3", False),
        ("B2 rules", "B3 rules", False),
        ("Yes", "No", False),
        ("...", "...", True),
        ("...", "!", False),
        (LONG, NEAR, True),
        (LONG, LONG.replace("small", "tiny").replace("park", "yard"), True),
        (LONG, LONG.replace("small", "tiny").replace("park", "yard").replace("dog", "cat"), True),
        (LONG, "an old lady saw a big dog in the yard", False),
        ("a b c d e f g", "a b c d e f h", False),
        ("a b c d e f g h", "h g f e d c b a", True),
        ("Straße ﬁn", "STRASSE FIN", True),
    ],
)
def test_what_counts_as_a_copy(first: str, second: str, copies: bool) -> None:
    trees = [tree(first), tree(second)]
    assert are_copies(*trees) == copies
    filler = [tree(" ".join(f"w{i}x{j}" for j in range(20))) for i in range(30)]
    assert number_groups([*trees, *filler])[1] == (0 if copies else 1)
    assert find_copies(trees[:1], [*filler, trees[1]]) == [copies]


def test_withheld_words_are_no_copies() -> None:
    withheld = [tree("_ _ _ _ _ _ _ _ _"), tree("_ _ _ _ _ _ _ _ _")]
    assert number_groups(withheld) == [0, 1]
    assert find_copies(withheld[:1], withheld[1:]) == [False]


@given(st.data())
def test_groups_are_those_of_all_pairs(data: st.DataObject) -> None:
    texts = st.lists(st.sampled_from("abcdefghijklmn"), min_size=1, max_size=11).map(" ".join)
    base = data.draw(st.lists(texts, min_size=1, max_size=5))
    near = st.sampled_from(base).flatmap(
        lambda text: st.sampled_from(text.split()).map(lambda word: text.replace(word, "z", 1))
    )
    trees = [tree(text) for text in [*base, *data.draw(st.lists(st.one_of(st.sampled_from(base), near)))]]
    large = [tree(" ".join(f"w{i}" for i in range(3000)))]  # so that no group is too large
    assert number_groups([*trees, *large])[:-1] == naive_groups(trees)
    tested, learned = trees[: len(base)], trees[len(base) :]
    assert find_copies(tested, learned) == [any(are_copies(a, b) for b in learned) for a in tested]


def test_near_copies_form_no_long_chains() -> None:
    """Each sentence shares nine of its ten words with the next one: together they would be one group."""
    chain = [tree(" ".join(f"w{start + i}x" for i in range(10))) for start in range(300)]
    assert all(are_copies(one, other) for one, other in pairwise(chain))
    sizes = Counter(number_groups(chain))
    assert max(sizes.values()) * 10 <= LARGEST * 3000
    assert max(sizes.values()) > 1


@given(st.lists(st.integers(0, 9), min_size=10, max_size=30))
def test_near_copies_in_other_groups_are_counted(starts: list[int]) -> None:
    trees = [tree(" ".join(f"w{start + i}x" for i in range(10))) for start in starts]
    groups = number_groups(trees)
    divided = [
        any(are_copies(one, other) and here != there for other, there in zip(trees, groups, strict=True))
        for one, here in zip(trees, groups, strict=True)
    ]
    assert group_copies(trees).divided == sum(divided)


def test_near_copies_that_cannot_stay_together_are_said_not_to() -> None:
    """Folds of a treebank of formulas: some of them are in the training set of others."""
    texts = [" ".join(f"w{number}x{i}y" for i in range(11)) for number in range(70)]
    for number in range(30):
        texts.insert(
            3 * number,
            f"please click on the button {'abcdefghijklmnopqrstuvwxyzäöüß'[number]} to open the menu again",
        )
    folds = divide_treebank(bank(*texts), FILES, cross_validate=3)
    learned = [
        find_copies([s.tree for s in fold.test], [s.tree for s in fold.train]).count(True) for fold in folds
    ]
    assert max(learned) > 0
    assert folds[0].split_policy.endswith(
        ". 30 sentences have near copies that may be in another part, because near copies stay together only "
        "up to 5 % of all words"
    )


def test_the_same_words_stay_together_however_often() -> None:
    assert set(number_groups([tree("Yes ."), tree("yes")] * 50)) == {0}


def test_without_copies_nothing_moves() -> None:
    whole = bank(*(f"word{number}" for number in range(9)), documents=(0, 4))
    assert GatheredCopies.of(whole.test).sentences == whole.test
    assert "copies" not in divide_treebank(whole, FILES, cross_validate=3)[0].split_policy


def test_a_copy_joins_the_document_of_the_first() -> None:
    whole = bank("a", "b", "c", "B", "d", "a", "e", documents=(0, 3, 5))
    gathered = GatheredCopies.of(whole.test).sentences
    assert [sentence.sent_id for sentence in gathered] == ["0", "5", "1", "3", "2", "4", "6"]
    assert number_documents(gathered) == [1, 1, 1, 1, 1, 2, 3]


@given(st.data())
def test_copies_are_never_learned_from(data: st.DataObject) -> None:
    words = [f"{a}{b}" for a in "abcdefghi" for b in "uvwxyz"]
    texts = data.draw(st.lists(st.sampled_from([*words, *words[:3] * 20]), min_size=8, max_size=60))
    if len(set(texts)) < 5:
        texts += words[:5]
    marks = data.draw(st.sets(st.integers(0, len(texts) - 1)))
    whole = bank(*texts, documents=tuple(marks))
    folds = divide_treebank(whole, FILES, cross_validate=data.draw(st.integers(3, 5)))
    for fold in folds:
        parts = [{sentence.tree.forms for sentence in part} for _, part in fold.splits()]
        assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    tested = [sentence.sent_id for fold in folds for sentence in fold.test]
    assert sorted(tested) == sorted(sentence.sent_id for sentence in whole.test)


@pytest.mark.parametrize("splits", ["cut", "60:20:20", "50:0:50"])
def test_copies_stay_in_one_set(splits: str) -> None:
    whole = bank(*(f"word{number % 30}x" for number in range(40)))
    (cut,) = divide_treebank(whole, FILES, splits=splits)
    parts = [{sentence.tree.forms for sentence in part} for _, part in cut.splits()]
    assert sum(map(len, parts)) == 30
    assert cut.split_policy.endswith(
        "20 of 40 sentences are copies of each other, with (nearly) the same words, and stay together"
    )


def test_a_development_set_from_the_end_of_train_has_no_copy() -> None:
    texts = [f"word{number}x" for number in range(18)]
    train = bank(*texts, texts[0], texts[1]).test
    (divided,) = divide_treebank(Treebank("UD_X", "", train, (), bank("z").test), FILES)
    assert [sentence.sent_id for sentence in divided.dev] == ["16", "17"]
    assert [sentence.sent_id for sentence in divided.train[:4]] == ["0", "18", "1", "19"]


def test_too_few_different_sentences() -> None:
    whole = bank("a", "b", "c", "A", "B", "C")
    with pytest.raises(
        InputError, match="UD_X has only 3 different sentences for 5 folds; use `cross_valida"
    ):
        divide_treebank(whole, FILES, cross_validate=5)
    same = Treebank("UD_X", "", bank("a", "A", "a").test, (), bank("b").test)
    with pytest.raises(
        InputError, match="UD_X has 3 sentences with the same words, too few for two sets; use"
    ):
        divide_treebank(same, FILES)
