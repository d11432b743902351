from __future__ import annotations

import random
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_data import tree
from small_treebanks import cut
from trees import descends, random_heads

from learnability.errors import InputError
from learnability.metrics import AttachmentScores, attachment_scores
from learnability.metrics.attachment import SCORES
from learnability.metrics.scores import Score, sentence_counts
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Sentence, Tree

V2 = ("UD_English-LinES", "UD_French-Sequoia", "UD_Greek-GDT", "UD_Tamil-TTB", "UD_Turkish-IMST")

GOLD = tree([2, 3, 0, 5, 3, 3], deprels="det nsubj:pass root case obl punct")
PARSE = tree([2, 3, 0, 3, 3, 5], deprels="det nsubj root case obj punct")


def test_a_short_repr_has_sizes_and_scores() -> None:
    tree = Tree(("a",) * 500, ("N",) * 500, tuple(range(500)), ("root", *(f"x{i}" for i in range(499))))
    shown = repr(attachment_scores([tree] * 30, [tree] * 30))
    assert shown == "AttachmentScores(30 sentences, 15,000 tokens, uas=100.00, las=100.00, clas=100.00)"


def test_scores_by_hand() -> None:
    scores = attachment_scores([GOLD], [PARSE])
    # Heads: 4 and the punctuation mark are wrong. Labels: nsubj for nsubj:pass, obj for obl.
    assert scores.uas == pytest.approx(100 * 4 / 6)
    assert scores.uas_without_punctuation == pytest.approx(100 * 4 / 5)
    assert scores.las == pytest.approx(100 * 3 / 6)
    assert scores.las_without_punctuation == pytest.approx(100 * 3 / 5)
    assert scores.las_with_subtypes == pytest.approx(100 * 2 / 6)
    assert scores.las_with_subtypes_without_punctuation == pytest.approx(100 * 2 / 5)
    assert scores.clas == pytest.approx(100 * 2 / 3)  # nsubj, root; not obl
    assert (scores.sentences, scores.tokens) == (1, 6)
    assert list(scores.percentages()) == list(SCORES)
    assert scores.percentages()["clas"] == scores.clas


def test_punctuation_is_what_the_reference_labels_punct() -> None:
    relabelled = GOLD.with_heads(GOLD.heads, ["punct", "punct", "root", "punct", "punct", "dep"])
    scores = attachment_scores([GOLD], [relabelled])
    assert scores.tokens - scores.words == 1
    assert scores.uas_without_punctuation * scores.words == 100 * 5


def test_relations_by_hand() -> None:
    table = {row.relation: row for row in attachment_scores([GOLD], [PARSE]).relation_table()}
    assert list(table) == ["case", "det", "nsubj", "obj", "obl", "punct", "root"]
    assert (table["nsubj"].precision, table["nsubj"].recall, table["nsubj"].f1) == (100, 100, 100)
    assert (table["case"].gold, table["case"].system, table["case"].correct) == (1, 1, 0)
    assert (table["obj"].precision, table["obj"].recall, table["obj"].f1) == (0, 0, 0)
    full = {row.relation: row for row in attachment_scores([GOLD], [PARSE]).relation_table(subtypes=True)}
    assert (full["nsubj:pass"].recall, full["nsubj"].precision) == (0, 0)
    two = attachment_scores([GOLD, GOLD], [PARSE, GOLD]).relation_table()
    case = next(row for row in two if row.relation == "obl")
    assert (case.precision, case.recall, case.f1) == (100, 50, pytest.approx(200 / 3))


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 99)), max_size=6), st.integers(0, 6))
def test_scores_add_up(seeds: list[tuple[int, int]], cut: int) -> None:
    gold = [labelled(n, seed) for n, seed in seeds]
    parse = [labelled(n, seed + 1) for n, seed in seeds]
    together = attachment_scores(gold, parse)
    parts = attachment_scores(gold[:cut], parse[:cut]) + attachment_scores(gold[cut:], parse[cut:])
    assert parts == together == together + AttachmentScores()
    assert sum(row.gold for row in together.relation_table()) == together.tokens
    assert sum(row.correct for row in together.relation_table(subtypes=True)) == (
        sum(n for kind, n in together.kinds.items() if kind.right_head and kind.gold == kind.system)
    )


def labelled(n: int, seed: int) -> Tree:
    chance = random.Random(seed)
    some = ["det", "punct", "obl", "obl:arg", "nsubjpass", "case", "dobj"]
    return tree(random_heads(random.Random(seed), n), deprels=" ".join(chance.choice(some) for _ in range(n)))


def test_nothing_gives_no_score() -> None:
    assert np.isnan(AttachmentScores().uas)
    assert np.isnan(attachment_scores([], []).clas)


def content_words(gold: Tree, parse: Tree) -> tuple[int, int]:
    """The content words of both trees together, and those that are right, counted in both."""
    right, counted = sentence_counts([gold], [parse], Score.CLAS)
    assert counted is not None
    return int(counted[0]), int(right[0])


def test_v1_labels_count_in_clas() -> None:
    gold = tree([2, 0, 2, 2, 2], deprels="auxpass root dobj neg name")
    other = gold.with_heads([2, 0, 2, 2, 1])
    assert content_words(gold, other) == (4 + 4, 2 * 3)
    # Mapped first, compared then: v1 and v2 names of a relation are the same.
    v2 = gold.with_heads(gold.heads, ["aux:pass", "root", "obj", "advmod", "flat"])
    assert attachment_scores([gold], [v2]).clas == 100
    assert attachment_scores([gold], [v2]).las == 20
    # v1 neg is v2 det on a determiner, by the reference's tags.
    no = tree([2, 0], upos="DET NOUN", deprels="neg root")
    assert content_words(no, tree([2, 0], deprels="neg root")) == (1 + 1, 2 * 1)
    # Relations outside UD's list are no content labels, as in the official scorer.
    unknown = gold.with_heads(gold.heads, ["auxpass", "root", "comp:case", "other", "name"])
    assert content_words(unknown, unknown) == (2 + 2, 2 * 2)


def test_different_tokens_are_refused_with_the_sentence_named() -> None:
    other = tree([2, 3, 0, 5, 3, 3], forms="w1 w2 w3 w4 v5 w6")
    with pytest.raises(InputError, match=r"sentence 2 \(s-9\), token 5: 'w5' in the gold tree, 'v5' in"):
        attachment_scores([GOLD, GOLD], [GOLD, other], names=["s-8", "s-9"])
    with pytest.raises(InputError, match=r"sentence 1 \(s-8\), token 5"):
        attachment_scores(Sentence(GOLD, "s-8"), [other])
    with pytest.raises(InputError, match="sentence 1 has 6 tokens in the gold tree and 2 in the parse"):
        attachment_scores([GOLD], [tree([0, 1])])
    with pytest.raises(InputError, match="1 gold tree, but 0 parses"):
        attachment_scores([GOLD], [])


SIGNS = "ab_ \N{NO-BREAK SPACE}\N{THIN SPACE}\N{IDEOGRAPHIC SPACE}\N{ZERO WIDTH SPACE}"


@given(st.text(SIGNS, max_size=4), st.text(SIGNS, max_size=4), st.integers(1, 2))
def test_words_are_the_same_as_for_the_official_scorer(middle: str, other: str, head: int) -> None:
    udeval = pytest.importorskip("udtools.udeval", reason="the official scorer (udtools) is not installed")
    gold, parse = (
        Tree(("It", f"1{form}0", "."), ("PRON", "NUM", "PUNCT"), (2, 0, last), ("nsubj", "root", "punct"))
        for form, last in ((middle, 2), (other, head))
    )
    files = [udeval.load_conllu(StringIO(conllu_text([tree])), "file", {}) for tree in (gold, parse)]
    try:
        official = udeval.evaluate(*files)
    except udeval.UDError:
        with pytest.raises(InputError, match="sentence 1, token 2: "):
            attachment_scores(gold, parse)
    else:
        assert attachment_scores(gold, parse).las == pytest.approx(100 * official["LAS"].f1)


def test_kinds_of_space_make_no_other_word() -> None:
    with_space, without_break, joined = (
        Tree((form, "m"), ("NUM", "NOUN"), (2, 0), ("nummod", "root"))
        for form in ("1 000", "1\N{NO-BREAK SPACE}000", "1000")
    )
    assert attachment_scores(with_space, without_break).uas == 100
    assert attachment_scores(without_break, joined).uas == 100
    with pytest.raises(InputError, match="token 1: '1 000' in the gold tree, '1_000' in the parse"):
        attachment_scores(with_space, tree([2, 0], forms="1_000 m"))


def disturbed(heads: tuple[int, ...], chance: random.Random) -> list[int]:
    """Other heads for about a third of the words; still a tree with one root."""
    new = list(heads)
    for d in range(1, len(new) + 1):
        if new[d - 1] and chance.random() < 0.35:
            allowed = [w for w in range(1, len(new) + 1) if not descends(new, w, d)]
            new[d - 1] = chance.choice(allowed)
    return new


def disturbed_file(sentences: tuple[Sentence, ...], chance: random.Random) -> tuple[str, list[Tree]]:
    """The sentences as CoNLL-U with other heads and labels, and their trees."""
    used = sorted({deprel for sentence in sentences for deprel in sentence.tree.deprels} - {"root"})
    text, trees = [], []
    for sentence in sentences:
        heads = disturbed(sentence.tree.heads, chance)
        deprels = [
            chance.choice(used) if label != "root" and chance.random() < 0.25 else label
            for label in sentence.tree.deprels
        ]
        trees.append(sentence.tree.with_heads(heads, deprels))
        lines = list(sentence.lines)
        for row, head, deprel in zip(sentence.rows, heads, deprels, strict=True):
            cells = lines[row].split("\t")
            lines[row] = "\t".join([*cells[:6], str(head), deprel, *cells[8:]])
        text += [*lines, ""]
    return "\n".join(text) + "\n", trees


@pytest.mark.parametrize("treebank", V2)
def test_equals_the_official_scorer(treebank: str, ud_home: Path, tmp_path: Path) -> None:
    udeval = pytest.importorskip("udtools.udeval", reason="the official scorer (udtools) is not installed")
    (path,) = (ud_home / "ud-treebanks-v2.16" / treebank).glob("*-ud-test.conllu")
    gold_file, other = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    cut(path, gold_file, 0, 200)
    sentences = read_conllu(gold_file).sentences
    text, parses = disturbed_file(sentences, random.Random(treebank))
    other.write_text(text, encoding="utf-8")
    official = udeval.evaluate(udeval.load_conllu_file(str(gold_file)), udeval.load_conllu_file(str(other)))
    scores = attachment_scores([sentence.tree for sentence in sentences], parses)
    for name, ours in (("UAS", scores.uas), ("LAS", scores.las), ("CLAS", scores.clas)):
        assert ours == pytest.approx(100 * official[name].f1, rel=1e-12), name
    right, counted = sentence_counts([sentence.tree for sentence in sentences], parses, Score.CLAS)
    assert counted is not None
    theirs = official["CLAS"]
    assert (right.sum(), counted.sum()) == (2 * theirs.correct, theirs.gold_total + theirs.system_total)
    assert 40 < scores.las < scores.uas < 90
