"""Root words with several labels, learned by the neural parser."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from root_labels import UNSEEN, check_root_labels, check_single_label

from learnability.parsing.encoding import encode_tokens
from learnability.parsing.graph import Decoder
from learnability.parsing.iterations import CorpusParser
from learnability.treebanks.sentence import Tree


def by_network(trees: Sequence[Tree]) -> tuple[CorpusParser, Sequence[Tree]]:
    pytest.importorskip("jax", reason="pip install './learnability[neural]'")
    pytest.importorskip("optax", reason="pip install './learnability[neural]'")
    from learnability.extensions.biaffine.parser import train_biaffine_parser
    from learnability.extensions.biaffine.rows import COLUMNS

    def encode(sentences: Sequence[Tree]):
        return encode_tokens(sentences, columns=COLUMNS)

    trained = train_biaffine_parser(
        trees, (), encode, Decoder(True, False), labelled=True, iterations=2, seed=1
    )
    return trained.parser, trained.parser.parse_encoded(UNSEEN, encode(UNSEEN))


def test_root_words_have_a_label_of_root_words() -> None:
    check_root_labels(by_network, is_sure=False)  # it learns little from so few sentences


def test_a_single_label_is_that_of_every_root_word() -> None:
    check_single_label(by_network)
