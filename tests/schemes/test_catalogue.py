"""The catalogue of schemes."""

from __future__ import annotations

import pytest

from learnability.errors import InputError
from learnability.schemes import (
    CATALOGUE,
    Scheme,
    find_scheme,
    get_scheme,
    spelled_scheme,
    split_names,
    transformation_named,
)
from learnability.schemes.relabellings import built_in
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
        if scheme.relabelling:
            with pytest.raises(InputError, match=f"scheme {name} changes tags or relations"):
                get_scheme(name, CONVENTIONS)
        else:
            assert get_scheme(name, CONVENTIONS).name == name


def test_the_catalogue_holds_what_the_design_names():
    singles = set(TRANSFORMATIONS)
    named = {"ud", "all", "function-heads", "sud", "prague", "moscow", "stanford", "verb-groups"}
    assert set(CATALOGUE) == singles | named | set(built_in())
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
        ("case+cop+cc:style=moscow+mark+mwe+name+aux", (2, 0, 2, 5, 3, 5, 6)),
        ("sud", (2, 0, 2, 5, 3, 7, 5)),
        ("all", (2, 0, 6, 3, 4, 2, 6)),
    ],
)
def test_schemes_on_a_sentence(name, heads):
    assert get_scheme(name, CONVENTIONS).apply(BEFORE).heads == heads


def test_transformations_joined_with_a_plus_are_a_scheme():
    joined = find_scheme("cop:reattach=clause+case")
    assert joined.name == "case+cop:reattach=clause"
    assert joined.transformations == ("case", "cop:reattach=clause")
    assert get_scheme("det+case", CONVENTIONS).apply(BEFORE) == get_scheme("case+det", CONVENTIONS).apply(
        BEFORE
    )
    assert get_scheme("case+cop+cc+det+mark+mwe+name", CONVENTIONS).apply(BEFORE).heads == (
        2,
        0,
        6,
        3,
        4,
        2,
        6,
    )
    assert spelled_scheme("det+cop:reattach=min+case") == "case+cop+det"
    assert spelled_scheme("all") == "all"


def test_a_plus_within_a_restriction_joins_nothing():
    assert split_names("case:lemma=a+b") == ("case:lemma=a+b",)
    assert split_names("case:lemma=+") == ("case:lemma=+",)
    assert split_names("case:lemma=+|of+det") == ("case:lemma=+|of", "det")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("case+det+case", "case occurs twice"),
        ("case+det:style=x", "construction det: there is no option 'style'"),
        ("case+dett", "no scheme 'case\\+dett'"),
    ],
)
def test_mistakes_in_joined_transformations(name, message):
    with pytest.raises(InputError, match=message):
        find_scheme(name)


def test_joined_transformations_are_no_transformation():
    with pytest.raises(InputError, match="case\\+det joins several constructions; use `alternative='case"):
        transformation_named("case+det", CONVENTIONS)


def test_an_unknown_scheme_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'function-heads'"):
        get_scheme("function-head", CONVENTIONS)


def test_a_scheme_with_a_wrong_transformation_is_refused():
    with pytest.raises(InputError, match="did you mean 'case'"):
        Scheme("mine", ("kase",)).transformation(CONVENTIONS)
