"""What takes trees takes sentences, too; and a tree that is to be parsed has forms and tags only."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from small_treebanks import DEMO

import learnability
from learnability import InputError, Sentence, Tree
from learnability.metrics import find_phrases
from learnability.treebanks.conllu_io import ConlluFile

CROSSING = Tree(("a", "b", "c", "d"), ("X",) * 4, (3, 4, 0, 3), ("dep", "dep", "root", "dep"))
PLAIN = Tree(("Mice", "sleep"), ("NOUN", "VERB"))


@pytest.fixture(scope="module")
def file() -> ConlluFile:
    return learnability.read_conllu(DEMO / "demo-ud-dev.conllu")


def test_a_file_is_its_sentences(file: ConlluFile) -> None:
    assert len(file) == len(list(file)) == 40
    assert file[-1] is list(file)[-1] is file.sentences[-1]


def test_scores_and_measures_take_both(file: ConlluFile) -> None:
    trees = [sentence.tree for sentence in file]
    scores = learnability.attachment_scores(file, trees)
    assert (scores.uas, scores.sentences) == (100, 40)
    assert learnability.attachment_scores(file[0], trees[0]) == learnability.attachment_scores(
        trees[:1], trees[:1]
    )
    assert learnability.predictability(file) == learnability.predictability(trees)
    assert learnability.tree_shape(file) == learnability.tree_shape(trees)
    perplexity = learnability.derivation_perplexity(file, file[:50])
    assert perplexity == learnability.derivation_perplexity(trees, trees[:50])
    assert learnability.phrase_scores(file, trees).uas == 100
    heads = [tree.heads for tree in trees]
    assert learnability.phrase_scores(find_phrases(trees), heads).uas == 100


def test_transformations_give_back_what_they_take(file: ConlluFile) -> None:
    case = learnability.get_transformation("case")
    sentence = next(one for one in file if case.places(one))
    transformed = case.apply(sentence)
    assert isinstance(transformed, Sentence)
    assert transformed.tree == case.apply(sentence.tree) != sentence.tree
    assert f"\t{transformed.tree.heads[0]}\t" in transformed.lines[transformed.rows[0]]
    assert (sentence.transformed, transformed.transformed) == ("", "case")
    with pytest.raises(InputError, match="already transformed"):
        case.apply(transformed)
    with pytest.raises(InputError, match="by case, not by det"):
        learnability.get_transformation("det").invert(transformed)
    assert case.invert(transformed).transformed == ""
    assert case.invert(transformed).tree == case.invert(transformed.tree) == sentence.tree
    assert len(learnability.reference_set(sentence, case)) == 2 ** len(case.places(sentence))
    again = learnability.invert_all(
        case, [transformed], side_preferences=learnability.learn_side_preferences(file, case)
    )
    assert again == [sentence.tree]
    assert learnability.write_conllu(file, file) == file.data


def test_projectivity_of_one_or_many() -> None:
    assert not learnability.is_projective(CROSSING)
    assert not learnability.is_projective(Sentence(CROSSING))
    assert not learnability.is_projective(CROSSING.heads)
    lifted = learnability.lift(CROSSING)
    assert learnability.is_projective(lifted)
    assert learnability.lift([CROSSING, lifted]) == [lifted, lifted]
    sentence = learnability.lift(Sentence(CROSSING, "s"))
    assert (sentence.sent_id, sentence.tree) == ("s", lifted)


def test_a_tree_to_be_parsed_needs_forms_and_tags_only(file: ConlluFile) -> None:
    parser = learnability.Parser.fit(list(file)[:10], iterations=1)
    (parsed,) = parser.parse([PLAIN])
    assert (parsed.forms, len(parsed.heads)) == (PLAIN.forms, 2)
    assert str(PLAIN) == "1  Mice   NOUN  _  _\n2  sleep  VERB  _  _"
    assert learnability.conllu_text([PLAIN]).startswith("1\tMice\t_\tNOUN\t_\t_\t_\t_\t_\t_\n")


@pytest.mark.parametrize(
    "use",
    [
        lambda tree: learnability.attachment_scores(tree, tree),
        lambda tree: learnability.is_projective(tree),
        lambda tree: learnability.get_transformation("case").apply(tree),
        lambda tree: learnability.Oracle(tree),
        lambda tree: learnability.train_parser([tree]),
        lambda tree: learnability.to_networkx(tree),
        lambda tree: learnability.to_frame([tree]),
    ],
)
def test_where_heads_are_needed_they_are_asked_for(use: object) -> None:
    with pytest.raises(InputError, match=r"sentence 1 \(2 tokens: Mice sleep\) has no heads; parse it first"):
        use(PLAIN)  # type: ignore[operator]


def test_columns_have_one_length() -> None:
    with pytest.raises(InputError, match=r"different lengths \(2 forms, 1 upos, 0 heads"):
        Tree(("a", "b"), ("X",))


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    from importlib.metadata import version

    assert learnability.__version__ == version("learnability")


def test_an_underscore_is_a_withheld_form_unless_it_is_a_mark_among_words() -> None:
    def tree(forms: str, tags: str = "") -> Tree:
        words = tuple(forms.split())
        return Tree(words, tuple(tags.split()) or ("_",) * len(words))

    assert tree("Mice sleep .").find_withheld() == (False, False, False)
    assert tree("_ _ _", "NOUN VERB PUNCT").find_withheld() == (True, True, True)
    assert tree("snake _ case _ _", "NOUN PUNCT NOUN SYM VERB").find_withheld() == (
        False,
        False,
        False,
        False,
        True,
    )
    assert tree("a _").find_withheld() == (False, True)  # without a tag nobody can tell
    first, second = tree("The _ _", "DET NOUN NOUN").compared_forms()[1:]
    assert first != second
    assert tree("The _", "DET SYM").compared_forms() == ("the", "_")


def test_a_sentence_is_the_same_in_another_file() -> None:
    data = (DEMO / "demo-ud-dev.conllu").read_bytes()
    first, second = (
        learnability.read_conllu(io.BytesIO(data), name=name)[0] for name in ("a.conllu", "b.conllu")
    )
    assert (first.location, second.location) == ("a.conllu:1", "b.conllu:1")
    assert first == second
    assert hash(first) == hash(second)
