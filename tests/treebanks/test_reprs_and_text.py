"""Trees and treebanks as people see them, and as CoNLL-U written from Python."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from learnability.errors import InputError
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text, with_tree
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_treebank

TREE = Tree(("a", "b", "c"), ("X", "Y", "Z"), (2, 0, 2), ("dep", "root", "dep:x"))

ENHANCED = """# newdoc
# sent_id = s1
1-2	ab	_	_	_	_	_	_	_	_
1	a	_	X	_	_	2	dep	2:dep	A=1
1.1	e	_	_	_	_	_	_	2:x	_
2	b	_	Y	_	_	0	root	0:root	_

"""


def test_reprs_are_short() -> None:
    bank = load_treebank("demo")
    assert repr(bank) == "<Treebank UD_Demo: train 230, dev 40, test 600 sentences>"
    assert (
        repr(replace(bank, train=(), dev=(), test=(), release="2.16"))
        == "<Treebank UD_Demo 2.16: no sentences>"
    )
    assert repr(bank.train[0]).startswith("<Sentence demo-train-001 of 10 tokens: Was the farmer at")
    assert repr(TREE) == "<Tree of 3 tokens: a b c>"
    assert repr(Sentence(replace(TREE, forms=("a",), upos=("X",), heads=(0,), deprels=("root",)))) == (
        "<Sentence of 1 token: a>"
    )
    assert str(TREE).splitlines()[2] == "3  c  Z  2  dep:x"


def test_a_sentence_with_another_tree() -> None:
    (sentence,) = read_conllu(io.BytesIO(ENHANCED.encode())).sentences
    assert conllu_text([sentence]) == ENHANCED
    assert with_tree(sentence, sentence.tree) == sentence
    changed = with_tree(sentence, sentence.tree.with_heads((0, 1), ("root", "dep")))
    text = conllu_text([changed])
    assert text.splitlines()[3:] == [
        "1\ta\t_\tX\t_\t_\t0\troot\t_\tA=1",
        "2\tb\t_\tY\t_\t_\t1\tdep\t_\t_",
        "",
    ]
    again = read_conllu(io.BytesIO(text.encode())).sentences[0]
    assert (again.tree, again.rows) == (changed.tree, changed.rows)
    assert with_tree(replace(sentence, lines=(), rows=()), changed.tree).tree == changed.tree
    with pytest.raises(InputError, match="a tree of 3 words does not fit <Sentence s1 of 2 tokens"):
        with_tree(sentence, TREE)


def test_trees_as_conllu() -> None:
    bank = load_treebank("demo")
    for sentences in (
        bank.test,
        [s.tree for s in bank.test],
        [Sentence(s.tree, s.sent_id) for s in bank.test],
    ):
        read = read_conllu(io.BytesIO(conllu_text(sentences).encode())).sentences
        assert [s.tree for s in read] == [s.tree for s in bank.test]
    assert conllu_text([Sentence(TREE, "x")]).splitlines()[0] == "# sent_id = x"
    assert isinstance(bank, Treebank)
