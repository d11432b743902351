"""The catalogue of schemes."""

from __future__ import annotations

import pytest

from learnability.errors import InputError
from learnability.schemes import CATALOGUE, Scheme, find_scheme, get_scheme
from learnability.transforms.registry import PAPER, TRANSFORMATIONS
from learnability.treebanks.sentence import Conventions, Tree

CONVENTIONS = Conventions(2)
BEFORE = Tree(
    ("They", "sleep", "in", "the", "car", "and", "van"),
    ("PRON", "VERB", "ADP", "DET", "NOUN", "CCONJ", "NOUN"),
    (2, 0, 5, 5, 2, 7, 5),
    ("nsubj", "root", "case", "det", "obl", "cc", "conj"),
)


def test_every_scheme_can_be_built_and_described():
    for name, scheme in CATALOGUE.items():
        assert scheme.name == name
        assert scheme.description
        assert get_scheme(name, CONVENTIONS).name == name


def test_the_catalogue_holds_what_the_design_names():
    singles = set(TRANSFORMATIONS)
    named = {"ud", "all", "function-heads", "sud-like", "prague", "moscow", "stanford", "verb-groups"}
    assert set(CATALOGUE) == singles | named
    assert find_scheme("all").transformations == PAPER
    assert "det" not in find_scheme("function-heads").transformations


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("ud", (2, 0, 5, 5, 2, 7, 5)),
        ("stanford", (2, 0, 5, 5, 2, 7, 5)),
        ("case", (2, 0, 2, 5, 3, 7, 5)),
        ("prague", (2, 0, 5, 5, 6, 2, 6)),
        ("moscow", (2, 0, 5, 5, 2, 5, 6)),
        ("function-heads", (2, 0, 2, 5, 3, 7, 5)),
        ("sud-like", (2, 0, 2, 5, 3, 5, 6)),
        ("all", (2, 0, 6, 3, 4, 2, 6)),
    ],
)
def test_schemes_on_a_sentence(name, heads):
    assert get_scheme(name, CONVENTIONS).apply(BEFORE).heads == heads


def test_an_unknown_scheme_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'function-heads'"):
        get_scheme("function-head", CONVENTIONS)


def test_a_scheme_with_a_wrong_transformation_is_refused():
    with pytest.raises(InputError, match="did you mean 'case'"):
        Scheme("mine", ("kase",)).transformation(CONVENTIONS)
