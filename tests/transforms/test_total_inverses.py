"""Every conversion back to UD takes whatever a parser writes: any trees with any labels, tags and forms."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transform_trees import transformation, tree, variants
from trees import is_tree, random_heads

from learnability.comparing.conversion import Converter, train_converter
from learnability.parsing.encoding import encode_tokens
from learnability.schemes import CATALOGUE
from learnability.schemes.toml_file import scheme_from_text
from learnability.transforms.base import Transformation, invert_all, learn_side_preferences
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Place
from learnability.transforms.registry import TRANSFORMATIONS, get_transformation
from learnability.transforms.relabelling import Relabelling
from learnability.treebanks.labels import UNIVERSAL, complement_of
from learnability.treebanks.sentence import ROOT, Conventions, Tree

EXAMPLES = settings().max_examples // 2
"""For each of many rules."""

VERSIONS = (0, 1, 2)
MODES = ("external", "keep", None)
TOGETHER = (
    "conj+case",
    "cc+conj",
    "cc:style=moscow+conj:direction=left",
    "conj+mwe+name+case",
    "mwe+name+cop:reattach=clause",
    "punct:head=root+conj+cop",
    "punct:head=neighbour+cc:head=first+name",
    "case:lemma=a|b,side=left+det:form!=a+conj:upos=NOUN",
    "+".join(TRANSFORMATIONS),
)
DEFINED = """
[[transform]]
name = "roots"
kind = "head-inversion"
labels = ["root", "conj"]

[[transform]]
name = "clf"
kind = "chain"
labels = ["clf", "cc", "punct"]
"""
SCHEMES = tuple(
    name for name, scheme in CATALOGUE.items() if scheme.transformations and name not in TRANSFORMATIONS
)
SPECS = (*variants(), *TOGETHER, *SCHEMES, "defined")

SUBTYPES = (
    "aux:pass",
    "cc:preconj",
    "flat:name",
    "flat:foreign",
    "acl:relcl",
    "conj:x",
    "case:a:b",
    "cop:own",
)
PLAIN = (*sorted(UNIVERSAL - {"root"}), *SUBTYPES)
ODD = (
    "root",
    "comp:root",
    "comp:",
    "comp:comp:conj",
    "_",
    "SUBJ",
    "x:y",
    "comp:obj",
    "subj@pass",
    "@",
    "mod@",
)
SUD = (
    *("subj", "subj@expl", "comp:obj", "comp:obl@agent", "comp:aux@pass", "comp:pred", "comp:cleft", "comp"),
    *("mod", "mod@relcl", "udep", "udep@poss", "unk", "conj:coord", "conj:coord@emb", "conj:appos"),
    *("conj:dicto", "flat@name", "det", "cc", "punct", "orphan", "comp:obj@x@y", "@relcl"),
)


def rule_of(spec: str, version: int = 2) -> Transformation:
    conventions = Conventions(version, language="fr")
    if spec in SCHEMES:
        return CATALOGUE[spec].transformation(conventions)
    if spec == "defined":
        return scheme_from_text(DEFINED, "x.toml").transformation(conventions)
    return JointTransformation([get_transformation(one, conventions) for one in spec.split("+")])


def parse(draw: Random, rule: Transformation, roots: int = 1) -> Tree:
    """A random tree whose labels are mostly those that the rule reads or writes, and its words like `a`."""
    n = draw.randint(1, 9)
    heads = list(random_heads(draw, n, projective=draw.random() < 0.5))
    for _ in range(roots - 1):
        heads[draw.randrange(n)] = ROOT
    own = [name for name in PLAIN if any(part.matches(name) for part in rule.rules)]
    names = [*own * 2, *[f"comp:{name}" for name in own] * 4, *draw.sample(PLAIN, 5), draw.choice(ODD)]
    if rule.has_sud_relations and draw.random() < 0.5:
        names = [*SUD, draw.choice(ODD)]
    forms = tuple(draw.choice("abcde") for _ in heads)
    return Tree(
        forms,
        tuple(draw.choice(("NOUN", "VERB", "ADP", "CCONJ", "PUNCT", "X", "")) for _ in heads),
        tuple(heads),
        tuple(draw.choice(names) if head or draw.random() < 0.1 else "root" for head in heads),
        lemmas=forms,
        feats=tuple(draw.choice(("_", "Voice=Pass", "Case=Gen|X=y")) for _ in heads),
    )


def is_valid(before: Tree, after: Tree, *, labels: str | None, renames: bool = False) -> bool:
    """Whether the tree has the roots of the one before and the labels that these had, and no label that no
    parser wrote.

    With external labels these are the labels before, those that complements name, and `dep` for the
    complements that are left. A scheme that renames relations may write others.
    """
    roots, roots_before = ([i for i, head in enumerate(one.heads) if head == ROOT] for one in (after, before))
    at_roots = sorted(after.deprels[i] for i in roots)
    named = {complement_of(name) for name in before.deprels}
    return (
        is_tree(after.heads, several_roots=True)
        and len(roots) == len(roots_before)
        and (at_roots == sorted(before.deprels[i] for i in roots_before) or labels != "keep")
        and (
            sorted(after.deprels) == sorted(before.deprels)
            if labels == "keep"
            else renames or {*after.deprels} <= {*before.deprels, *named, "dep", "root"}
        )
        and (not _only_root_words_are_roots(before) or _only_root_words_are_roots(after))
        and "" not in after.deprels
        and (after.forms, after.upos, after.feats) == (before.forms, before.upos, before.feats)
    )


def _only_root_words_are_roots(tree: Tree) -> bool:
    named = (complement_of(name) for name in tree.deprels)
    return [name == "root" for name in tree.deprels] == [
        head == ROOT for head in tree.heads
    ] and "root" not in named


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 2**32),
    version=st.sampled_from(VERSIONS),
    labels=st.sampled_from(MODES),
    roots=st.sampled_from((1, 1, 1, 3)),
    has_places=st.booleans(),
    has_preferences=st.booleans(),
)
def test_any_parse_comes_back_as_a_tree_with_valid_labels(
    spec: str,
    seed: int,
    version: int,
    labels: str | None,
    roots: int,
    has_places: bool,
    has_preferences: bool,
) -> None:
    draw = Random(seed)
    rule = rule_of(spec, version)
    parses = [parse(draw, rule, roots) for _ in range(draw.randint(1, 3))]
    places = None
    if has_places:
        places = [random_places(draw, rule, one) for one in parses]
    known = None
    if has_preferences:
        known = learn_side_preferences([parse(draw, rule) for _ in range(draw.randint(0, 3))], rule)
    converted = invert_all(rule, parses, places, known, labels=labels)
    for before, after in zip(parses, converted, strict=True):
        renames = rule.has_sud_relations
        assert is_valid(before, after, labels="external" if renames else labels, renames=renames)
        if labels == "external" and not has_places:
            left = map(complement_of, after.deprels)
            assert not any(part.matches(name) for part in rule.rules for name in left)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32), version=st.sampled_from(VERSIONS), roots=st.sampled_from((1, 1, 3)))
def test_trees_with_any_labels_can_be_transformed(spec: str, seed: int, version: int, roots: int) -> None:
    rule = rule_of(spec, version)
    before = parse(Random(seed), rule, roots)
    external = rule.apply(before, labels="external")
    kept, renames = rule.apply(before, labels="keep"), rule.has_sud_relations
    assert is_valid(before, kept, labels="external" if renames else "keep", renames=renames)
    assert is_tree(external.heads, several_roots=True)
    assert external.heads.count(ROOT) == before.heads.count(ROOT)


def random_places(draw: Random, rule: Transformation, parsed: Tree) -> list[Place]:
    """Any tokens as places of any rules, as a classifier finds them."""
    tokens = [token for token in range(1, len(parsed) + 1) if draw.random() < 0.4]
    return [Place(token, draw.choice(rule.rules).name) for token in tokens]


def test_a_first_conjunct_on_the_side_of_further_conjuncts_is_one_of_them() -> None:
    """Found in parses of UD_Turkish-IMST: UD has such a word on the same head, most often as `conj`."""
    right, left = transformation("conj"), transformation("conj:direction=left")
    parsed = tree("Ann and Bob", "0 1 1", "root cc comp:conj")
    assert right.invert(parsed) == tree("Ann and Bob", "0 1 1", "root cc conj")
    assert left.invert(parsed) == tree("Ann and Bob", "3 3 0", "conj cc root")
    parsed = tree("Ann and Bob", "3 3 0", "comp:conj:x cc root")
    assert left.invert(parsed) == tree("Ann and Bob", "3 3 0", "conj:x cc root")
    # one on either side: the left one is the first conjunct, and the right one a further conjunct of its head
    parsed = tree("Ann Bob Eve", "2 0 2", "comp:conj root comp:conj")
    assert right.invert(parsed) == tree("Ann Bob Eve", "0 1 2", "root conj conj")


def test_complements_that_no_place_has_left_are_unknown_relations() -> None:
    cc = transformation("cc")
    # a coordinator has two first conjuncts: the nearer one is right
    parsed = tree("Ann and Bob", "2 0 2", "comp:cc root comp:cc")
    assert invert_all(cc, parsed, labels="external") == [tree("Ann and Bob", "0 1 1", "root cc dep")]
    root = tree("Ann sleeps", "2 0", "nsubj comp:cc")
    assert invert_all(cc, root, labels="external") == [tree("Ann sleeps", "2 0", "nsubj root")]
    # restricted: the word cannot have been a place
    of = rule_of("case:form=of")
    parsed = tree("to town", "0 1", "root comp:case")
    assert invert_all(of, parsed, labels="external") == [tree("to town", "0 1", "root dep")]


def test_labels_of_the_treebank_that_begin_like_complements_stay() -> None:
    """SUD labels objects comp:obj and complements of auxiliaries comp:aux."""
    before = tree("He can go and see us", "2 0 2 5 3 5", "subj root comp:aux cc conj comp:obj")
    conj = transformation("conj")
    after = conj.apply(before, labels="external")
    assert Converter(conj, None, "external").convert([after]) == [before]


def test_the_root_label_goes_with_the_root_word() -> None:
    """Of a parse without labels: the classifier found a place at the root, and no relation that fits."""
    parsed = tree("to town", "0 1", "root obl")
    assert transformation("case").invert(parsed, [Place(1, "case")]) == tree("to town", "2 0", "obl root")


def test_a_classifier_takes_words_tags_and_relations_that_it_has_never_seen() -> None:
    draw = Random(5)
    rule = rule_of("case+cop+cc:style=moscow+mark+mwe+name+aux")
    learned = [
        tree("Ann/PROPN is/AUX in/ADP town/NOUN", "4 4 4 0", "nsubj cop case root"),
        tree("sleep/VERB", "0", "root"),
        tree("that/SCONJ Ann/PROPN sleeps/VERB is/AUX good/ADJ", "3 3 5 5 0", "mark nsubj csubj cop root"),
    ]
    converter = train_converter(learned, rule, None, encode_tokens)
    parses: Sequence[Tree] = [parse(draw, rule) for _ in range(300)]
    for before, after in zip(parses, converter.convert(parses), strict=True):
        assert is_tree(after.heads)
        assert [name == "root" for name in after.deprels] == [head == ROOT for head in after.heads]
        assert after.forms == before.forms


@pytest.mark.parametrize("name", [name for name, scheme in CATALOGUE.items() if scheme.relabelling])
@given(seed=st.integers(0, 2**32))
def test_any_tags_and_relations_can_be_relabelled(name: str, seed: int) -> None:
    relabelling: Relabelling = CATALOGUE[name].relabelling
    before = parse(Random(seed), rule_of("all"), 2)
    after = relabelling.apply(before, "fr")
    assert after.heads == before.heads
    assert relabelling.apply(after, "fr") == after
    for column in ("upos", "deprels", "feats"):
        assert getattr(after, column).count("") == getattr(before, column).count("")
