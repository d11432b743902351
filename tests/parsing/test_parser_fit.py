"""`Parser.fit` and `parse`: trees or sentences in, the same kind out, with what training takes care of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_treebanks import demo_treebank

from learnability.errors import InputError
from learnability.parsing.parser import Iteration, Parser, ParserOptions, train_parser
from learnability.parsing.projectivity import drop, lift
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Treebank


@pytest.fixture(scope="module")
def bank() -> Treebank:
    whole = demo_treebank()
    return replace(whole, train=whole.train[:150], dev=whole.dev[:30], test=whole.test[:20])


def trees(sentences) -> list:
    return [sentence.tree for sentence in sentences]


def test_a_treebank_trains_with_its_dev(bank: Treebank) -> None:
    seen: list[Iteration] = []
    parser = Parser.fit(bank, iterations=3, seed=2, progress=seen.append)
    expected = train_parser(lift(trees(bank.train)), ParserOptions(iterations=3, seed=2), trees(bank.dev))
    assert parser.parse(bank.test) == expected.parser.parse(bank.test)
    assert [one.dev_uas for one in seen] == expected.dev_uas
    assert [(one.number, one.most) for one in seen] == [(1, 3), (2, 3), (3, 3)]
    assert all(one.seconds > 0 and one.tokens_per_second > 0 for one in seen)


def test_trees_give_trees_and_sentences_sentences(bank: Treebank) -> None:
    parser = Parser.fit(bank.train, iterations=1, labelled=True, nonprojective="drop")
    assert parser.parse(trees(bank.test)) == trees(parser.parse(bank.test))
    parsed = parser.parse(bank.test)
    assert [s.sent_id for s in parsed] == [s.sent_id for s in bank.test]
    text = conllu_text(parsed)
    assert f"\t{parsed[0].tree.heads[0]}\t{parsed[0].tree.deprels[0]}\t" in text.splitlines()[3]
    assert parser.parse([]) == []
    same = train_parser(drop(trees(bank.train)), ParserOptions(iterations=1, labelled=True)).parser
    assert same.parse(trees(bank.test)) == trees(parsed)


def test_a_short_repr(bank: Treebank) -> None:
    parser = Parser.fit(bank.train, iterations=1)
    assert repr(parser).startswith("<Parser arc-eager, dynamic oracle, unlabelled, ")


@pytest.mark.usefixtures("interpreted")
def test_the_oracle_of_arc_standard_is_static(bank: Treebank) -> None:
    fitted = Parser.fit(bank.train[:5], system="arc-standard", iterations=1, labelled=True)
    assert fitted.options.oracle == "static"
    with pytest.raises(InputError, match="arc-standard has no dynamic training"):
        Parser.fit(bank.train[:5], system="arc-standard", oracle="dynamic")
    with pytest.raises(InputError, match="`nonprojective='lfit'` is not accepted; choose one of lift, drop"):
        Parser.fit(bank.train[:5], nonprojective="lfit")
