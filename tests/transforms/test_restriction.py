"""Restricted transformations keep what the unrestricted ones promise; registered ones from elsewhere."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transform_trees import decisions, variants
from trees import is_projective, is_tree, labelled_trees

from learnability.errors import InputError
from learnability.schemes.catalogue import split_names
from learnability.transforms import registry
from learnability.transforms.base import Transformation, invert_all
from learnability.transforms.constructions import Case
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import depends_on
from learnability.transforms.registry import PAPER, get_transformation
from learnability.transforms.relabelling import parsed_change
from learnability.transforms.restricted_rules import (
    check_places,
    mistake,
    restrict_rule,
    without_places,
)
from learnability.transforms.restriction import Restriction
from learnability.treebanks.sentence import Conventions, Tree

LABELS = ["case", "det", "cop", "mark", "cc", "cc", "conj", "conj", "fixed", "fixed", "flat", "flat", "obl"]


def halves(spec: str) -> tuple[Transformation, Transformation]:
    """A transformation (joint: all its parts), unrestricted and restricted to what stands left."""
    parts = [get_transformation(one, Conventions(2)) for one in spec.split("+")]
    left = Restriction(side=("left",))
    return JointTransformation(parts), JointTransformation([restrict_rule(part, left) for part in parts])


@pytest.mark.parametrize("spec", [*variants(), "+".join(PAPER), "mwe+name+cc+case"])
@given(data=st.data())
def test_a_restricted_transformation_is_a_partial_selection(spec: str, data: st.DataObject) -> None:
    tree: Tree = data.draw(labelled_trees(LABELS, projective=True, longest=9))
    whole, part = halves(spec)
    admitted = part.places(tree)
    assert set(admitted) <= set(whole.places(tree))
    assert all(s.token < tree.heads[s.token - 1] for s in admitted)
    chosen = set(data.draw(st.lists(st.sampled_from(admitted)))) if admitted else set()
    result = part.apply(tree, chosen)
    assert result == whole.apply(tree, chosen)
    assert is_tree(result.heads)
    assert is_projective(result.heads) or not whole.promised.projective
    for token, leaves in decisions(part, tree):
        assert depends_on(leaves) <= {place.token for place in admitted}
        for path, head in leaves:
            yes = [s for s in admitted if dict(path).get(s.token, False)]
            assert part.apply(tree, yes).heads[token - 1] == head


def test_inverse_leaves_other_words_alone() -> None:
    rule = restrict_rule(get_transformation("case", Conventions(2)), Restriction(form=("in",)))
    tree = Tree(("go", "to", "x", "in", "y"), ("V", "P", "N", "P", "N"), (0, 3, 1, 5, 3),
                ("root", "case", "obl", "case", "nmod"))  # fmt: skip
    assert rule.apply(tree).heads == (0, 3, 1, 3, 4)
    assert invert_all(rule, [rule.apply(tree)]) == [tree]


def test_a_token_that_one_transformation_may_not_take_is_free_for_another() -> None:
    tree = Tree(("was", "seen"), ("AUX", "VERB"), (2, 0), ("aux:pass", "root"), lemmas=("be", "see"))
    cop = restrict_rule(get_transformation("cop", Conventions(2)), Restriction(lemma=("werden",)))
    both = JointTransformation([cop, get_transformation("aux", Conventions(2))])
    assert [place.transform for place in both.places(tree)] == ["aux"]


def test_restriction_is_part_of_the_name() -> None:
    rule = restrict_rule(
        get_transformation("cop:reattach=clause", Conventions(2)), Restriction(upos=("AUX",))
    )
    assert rule.spec == "cop:reattach=clause,upos=AUX"
    assert restrict_rule(rule, Restriction()).spec == "cop:reattach=clause"
    with pytest.raises(InputError, match="restrict its parts"):
        restrict_rule(JointTransformation([rule]), Restriction(upos=("AUX",)))


GENITIVE = Tree(
    forms=("In", "of", "house", "von", "dem"),
    upos=("ADP", "ADP", "NOUN", "ADP", "X"),
    heads=(3, 3, 0, 3, 4),
    deprels=("case", "case", "root", "case:gen", "fixed"),
    lemmas=("in", "of", "house", "_", "der"),
    feats=("_", "Case=Acc,Gen|Foreign=Yes", "_", "AdpType=Prep|Case=Dat", "_"),
)


@pytest.mark.parametrize(
    ("spec", "places"),
    [
        ("case", [1, 2, 4]),
        ("case:form=in|VON", [1, 4]),
        ("case:form!=in|VON", [2]),
        ("case:lemma=of", [2]),
        ("case:lemma!=of", [1]),  # a word without lemma may be of or not
        ("case:feats=Case=Gen", [2]),
        ("case:feats=Case=Gen|Case=Dat", [2, 4]),
        ("case:feats!=Case=Gen", [1, 4]),
        ("case:feats=Case", [2, 4]),
        ("case:feats!=Case", [1]),
        ("case:feats=Case,feats!=Case=Acc", [4]),
        ("case:deprel=case:gen", [4]),
        ("case:deprel!=case:gen", [1, 2]),
        ("case:deprel=case", [1, 2, 4]),
        ("case:side=right", [4]),
        ("case:side!=right,upos=ADP,form!=in", [2]),
        ("case:language=de", [1, 2, 4]),
        ("case:language!=de", []),
    ],
)
def test_restrictions_as_options(spec: str, places: list[int]) -> None:
    rule = get_transformation(spec, Conventions(2, language="de"))
    assert [place.token for place in rule.places(GENITIVE)] == places
    assert get_transformation(rule.spec, rule.conventions).spec == rule.spec
    whole = get_transformation("case", rule.conventions)
    assert rule.apply(GENITIVE) == whole.apply(GENITIVE, rule.places(GENITIVE))


def test_a_restriction_has_one_spelling() -> None:
    assert get_transformation("cop:side=left|left,reattach=clause,form=Is|is|Was,upos!=X").spec == (
        "cop:reattach=clause,form=is|was,upos!=X,side=left"
    )


@given(st.lists(st.text(r"ab=|,+\:! ", min_size=1, max_size=6).map(str.strip).filter(bool), min_size=1))
def test_every_value_can_be_typed(values: list[str]) -> None:
    """What a scheme file has in a list is spelled so that it is read back: for records, rules and names."""
    spec = f"case:{Restriction(form=values)}"
    rule = get_transformation(spec)
    assert rule.restriction == Restriction(form=values)
    assert (rule.spec, split_names(f"{spec}+det")) == (spec, (spec, "det"))
    change = f"upos:ADP=X,{Restriction(form=values)}"
    assert parsed_change(change).spec == change


@pytest.mark.parametrize("name", ["a+det", "+case", "a+upos:X"])
def test_a_value_with_a_name_after_a_sign_joins_nothing(name: str) -> None:
    spec = f"case:{Restriction(form=[name])}"
    assert split_names(f"{spec}+det") == (spec, "det")
    assert get_transformation(spec).restriction == Restriction(form=[name])


def test_values_with_separators_are_typed_with_backslashes() -> None:
    typed = get_transformation(r"case:comment=genre=a\|b\, c|genre=d")
    assert typed.restriction == Restriction(comment=["genre=a|b, c", "genre=d"])
    with pytest.raises(
        InputError, match=r"write options as case:option=value, and \\, for a comma in a value"
    ):
        get_transformation("case:comment=genre=a, c")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("case:lema=of", "no option 'lema'; did you mean 'lemma'?"),
        ("case:upos=ADPO", "no UPOS tag 'ADPO'; did you mean 'ADP'?"),
        ("case:upos=ADP|", "no UPOS tag ''"),
        ("case:form=of|a\nb", "'a\\nb' contains control"),
        ("case:deprel=case:a\tb", "'case:a\\tb' contains control"),
        ("case:side=lft", "no side 'lft'; did you mean 'left'?"),
        ("case:feats=case=gen", "no feature 'case=gen'; write Case=Gen, or Case for any value"),
        ("case:deprel!=nsubj", "no place is labelled 'nsubj'; choose from case"),
        ("case:deprel=cass", "no UD relation 'cass'; did you mean 'case'?"),
        ("case:language=German", "no language code 'German'"),
        ("case:lemma=", "write options as case:option=value"),
        ("case:lemma=a,lemma=b", "has the option lemma twice"),
    ],
)
def test_mistakes_in_restrictions(spec: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        get_transformation(spec)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "missing"),
    [
        ("det", ["det"]),
        ("case+det", []),
        ("case+det+mwe:form=ab", ["mwe:form=ab"]),
        ("case+mwe:language=fr", []),
        ("case:language=fr", ["case:language=fr"]),
        ("det+mwe:form=ab", ["det", "mwe:form=ab"]),
    ],
)
def test_only_restrictions_have_to_fit_if_there_is_a_place_at_all(spec: str, missing: list[str]) -> None:
    parts = [get_transformation(one, Conventions(2, language="de")) for one in spec.split("+")]
    rule = JointTransformation(parts)
    assert without_places([(rule, [GENITIVE])]) == missing
    assert without_places([(rule, []), (rule, [GENITIVE])]) == missing
    if not missing:
        check_places("file", rule, [GENITIVE])
    else:
        with pytest.raises(InputError, match=f"^file has no place for {', '.join(missing)};"):
            check_places("file", rule, [GENITIVE])


def test_missing_lemmas_are_an_error() -> None:
    rule = restrict_rule(get_transformation("case", Conventions(2)), Restriction(lemma=("de",)))
    tree = Tree(("de", "x"), ("ADP", "X"), (2, 0), ("case", "root"))
    with pytest.raises(InputError, match="needs lemmas"):
        rule.places(tree)
    with pytest.raises(InputError, match="needs FEATS"):
        get_transformation("case:feats!=Case").places(tree)


class Registered(Case):
    name = "registered"


NOT_A_TRANSFORMATION = "nothing"


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    found: list[EntryPoint] = []
    monkeypatch.setattr(metadata, "entry_points", lambda group: found)
    registry.known_transformations.cache_clear()
    yield found
    registry.known_transformations.cache_clear()


def point(name: str, what: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{what}", registry.GROUP)


def test_a_registered_transformation_is_found_by_name(entry_points: list[EntryPoint]) -> None:
    entry_points.append(point("registered", "Registered"))
    assert isinstance(get_transformation("registered", Conventions()), Registered)


@pytest.mark.parametrize(
    ("name", "what", "message"),
    [
        ("registered", "Missing", "AttributeError"),
        ("registered", "NOT_A_TRANSFORMATION", "not a subclass"),
        ("other", "Registered", "the object is named .registered."),
    ],
)
def test_broken_entry_points_are_named(
    entry_points: list[EntryPoint], name: str, what: str, message: str
) -> None:
    entry_points.append(point(name, what))
    with pytest.raises(InputError, match=message):
        get_transformation("registerd", Conventions())


def test_criteria_of_the_head_and_of_the_dependents() -> None:
    """Of the sentence "the old dog barks", by the words that each restriction admits."""
    tree = Tree(
        ("the", "old", "dog", "barks"),
        ("DET", "ADJ", "NOUN", "VERB"),
        (3, 3, 4, 0),
        ("det", "amod", "nsubj:pass", "root"),
        ("the", "Old", "dog", "bark"),
        feats=("_", "Degree=Pos", "Number=Sing", "_"),
    )
    admitted = {
        "head_lemma": (["DOG"], [1, 2]),
        "head_deprel": (["nsubj"], [1, 2]),
        "head_feats": (["Number"], [1, 2]),
        "head_side": (["left"], [1, 2]),
        "head_upos!": (["NOUN"], [3]),  # the root word has no head, and so no tag of it
        "child_upos": (["ADJ", "NOUN"], [3, 4]),
        "child_lemma": (["old"], [3]),
        "child_feats": (["Degree=Pos"], [3]),
        "child_deprel": (["_"], [1, 2]),
        "child_deprel!": (["_", "det"], [4]),
        "child_side": (["right"], []),
    }
    for name, (values, words) in admitted.items():
        restriction = Restriction(**{name: values})
        assert [token for token in range(1, 5) if restriction.admits(tree, token, "")] == words, name
    assert mistake(None, "child_deprel", "_") == ""
    assert mistake(None, "deprel", "_")
    assert "no UPOS tag" in mistake(None, "child_upos", "NUON")
