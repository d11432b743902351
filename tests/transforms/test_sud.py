"""The scheme `sud`: an example of each rule, a second implementation of its heads, and the way back."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_rules import Naive
from small_treebanks import demo_treebank
from transform_trees import transformation
from trees import is_projective, is_tree, random_heads

from learnability.schemes import get_scheme
from learnability.transforms.base import invert_all, learn_side_preferences
from learnability.transforms.preferences import SidePreferences
from learnability.treebanks.sentence import Conventions, Tree

HEADS = "+".join(f"{name}:reattach=sud" for name in ("case", "mark", "cop", "aux"))

LABELS = (
    *("case", "mark", "cop", "aux", "aux:pass", "nsubj", "csubj", "obj", "iobj", "obl", "obl:arg", "advmod"),
    *("conj", "cc", "cc:preconj", "punct", "parataxis", "parataxis:insert", "expl", "expl:subj", "expl:pv"),
    *("aux:caus", "aux:caus", "obj:agent", "obj:agent", "iobj:agent"),
    *("discourse", "orphan", "vocative", "dislocated", "nmod", "amod", "advcl", "ccomp", "xcomp"),
)


def sud(words: str, heads: str, labels: str, feats: str = "", language: str = "en", version: int = 2) -> str:
    """The heads and relations of a sentence whose words are written form/UPOS."""
    return written(scheme(language, version).apply(ud(words, heads, labels, feats)))


def scheme(language: str = "en", version: int = 2):
    return get_scheme("sud", Conventions(version, language=language))


def ud(words: str, heads: str, labels: str, feats: str = "") -> Tree:
    forms, upos = zip(*(word.split("/") for word in words.split()), strict=True)
    columns = tuple(map(int, heads.split())), tuple(labels.split())
    return Tree(forms, upos, *columns, feats=tuple(feats.split()))


def written(tree: Tree) -> str:
    return " ".join(f"{head}{name}" for head, name in zip(tree.heads, tree.deprels, strict=True))


EXAMPLES = {
    "adpositions are heads": (
        "flew/VERB to/ADP Rome/PROPN",
        "0 3 1",
        "root case obl",
        "0root 1udep 2comp:obj",
    ),
    "chains of auxiliaries": (
        "he/PRON had/AUX been/AUX sent/VERB",
        "4 4 4 0",
        "nsubj:pass aux aux:pass root",
        "2subj@pass 0root 2comp:aux 3comp:aux@pass",
    ),
    "a marker above a copula": (
        "says/VERB that/SCONJ it/PRON is/AUX cold/ADJ",
        "0 5 5 5 1",
        "root mark nsubj cop ccomp",
        "0root 1comp:obj 4subj 2comp:obj 4comp:pred",
    ),
    "no copula": ("he/PRON cold/ADJ", "2 0", "nsubj root", "2subj 0root"),
    "subjects rise from the inside": (
        "is/AUX he/PRON cold/ADJ",
        "3 3 0",
        "cop nsubj root",
        "0root 1subj 1comp:pred",
    ),
    "arguments stay beyond": (
        "what/PRON has/AUX he/PRON read/VERB",
        "4 4 4 0",
        "obj aux nsubj root",
        "4comp:obj 0root 2subj 2comp:aux",
    ),
    "modifiers rise": ("has/AUX come/VERB late/ADV", "2 0 2", "aux root advmod", "0root 1comp:aux 1mod"),
    "modifiers before an object stay": (
        "has/AUX read/VERB twice/ADV it/PRON",
        "2 0 2 2",
        "aux root advmod obj",
        "0root 1comp:aux 2mod 2comp:obj",
    ),
    "adverbs of degree stay": (
        "is/AUX very/ADV cold/ADJ",
        "3 3 0",
        "cop advmod root",
        "0root 3mod 1comp:pred",
    ),
    "arguments before the auxiliary keep marks": (
        "qu'/PRON a/AUX dit/VERB souvent/ADV ?/PUNCT",
        "3 3 0 3 3",
        "obj aux root advmod punct",
        "3comp:obj 0root 2comp:aux 2mod 3punct",
    ),
    "modifiers do not cross arguments": (
        "hier/ADV se/PRON est/AUX noyé/VERB il/PRON",
        "4 4 4 0 4",
        "advmod expl:pv aux root nsubj",
        "4mod 4comp@expl 0root 3comp:aux 3subj",
    ),
    "comments stay with the verb": (
        "has/AUX come/VERB ,/PUNCT rains/VERB",
        "2 0 4 2",
        "aux root punct parataxis",
        "0root 1comp:aux 4punct 2parataxis",
    ),
    "comments go to the copula": (
        "is/AUX cold/ADJ ,/PUNCT rains/VERB",
        "2 0 4 2",
        "cop root punct parataxis",
        "0root 1comp:pred 4punct 1parataxis",
    ),
    "marks that close stay": (
        "is/AUX (/PUNCT cold/ADJ )/PUNCT",
        "3 3 0 3",
        "cop punct root punct",
        "0root 3punct 1comp:pred 3punct",
    ),
    "like with like": (
        "to/ADP Rome/PROPN to/ADP Paris/PROPN",
        "2 0 4 2",
        "case root case conj",
        "0root 1comp:obj 1conj:coord 3comp:obj",
    ),
    "the same word with the same word": (
        "out/ADP of/ADP reach/NOUN of/ADP sight/NOUN",
        "3 3 0 5 3",
        "case case root case conj",
        "0root 1comp:obj 2comp:obj 2conj:coord 4comp:obj",
    ),
    "unlike stays": (
        "to/ADP Rome/PROPN and/CCONJ Paris/PROPN",
        "2 0 4 2",
        "case root cc conj",
        "0root 1comp:obj 4cc 2conj:coord",
    ),
    "finite verbs with the auxiliary": (
        "is/AUX cold/ADJ and/CCONJ rains/VERB",
        "2 0 4 2",
        "cop root cc conj",
        "0root 1comp:pred 4cc 1conj:coord",
    ),
    "a chain with a shared dependent": (
        "apples/NOUN pears/NOUN plums/NOUN here/ADV",
        "0 1 1 1",
        "root conj conj advmod",
        "0root 1conj:coord 2conj:coord 3mod",
    ),
    "a conjunct within another": (
        "a/X b/X c/X",
        "0 1 2",
        "root conj conj",
        "0root 1conj:coord 2conj:coord@emb",
    ),
    "left dependents stay": (
        "he/PRON reads/VERB writes/VERB",
        "2 0 2",
        "nsubj root conj",
        "2subj 0root 2conj:coord",
    ),
    "fixed": (
        "because/ADP of/ADP all/DET rain/NOUN",
        "4 1 1 0",
        "case fixed fixed root",
        "0root 1unk 2unk 1comp:obj",
    ),
    "names": (
        "Ann/PROPN B./PROPN Cole/PROPN",
        "0 1 1",
        "root flat:name flat:name",
        "0root 1flat@name 2flat@name",
    ),
    "relatives": ("dog/NOUN that/PRON left/VERB", "0 3 1", "root nsubj acl:relcl", "0root 3subj 1mod@relcl"),
    "ellipsis": (
        "drinks/VERB tea/NOUN Bob/PROPN coffee/NOUN",
        "0 1 1 3",
        "root obj conj orphan",
        "0root 1comp:obj 1conj:coord 3orphan",
    ),
    "discourse goes to the top": (
        "has/AUX come/VERB well/INTJ",
        "2 0 2",
        "aux root discourse",
        "0root 1comp:aux 1discourse",
    ),
    "corrections": ("right-/NOUN left/NOUN", "2 0", "reparandum root", "0root 1conj:dicto"),
    "extraposed subjects": (
        "it/PRON seems/VERB that/SCONJ works/VERB",
        "2 0 4 2",
        "expl root mark csubj",
        "2subj@expl 0root 2comp:obj 3comp:obj",
    ),
    "impersonal verbs": (
        "il/PRON manque/VERB page/NOUN",
        "2 0 2",
        "expl:subj root nsubj",
        "2subj@expl 0root 2comp:obj@agent",
    ),
    "who is made to act": (
        "les/PRON fait/AUX venir/VERB",
        "3 3 0",
        "obj:agent aux:caus root",
        "2comp:obj@agent 0root 2comp:aux@caus",
    ),
    "who is made to act, behind the verb": (
        "fait/AUX venir/VERB Ann/PROPN",
        "2 0 2",
        "aux:caus root obj:agent",
        "0root 1comp:aux@caus 1comp:obj@agent",
    ),
    "infinitives of adjectives": (
        "sorry/ADJ to/PART leave/VERB",
        "0 3 1",
        "root mark xcomp",
        "0root 1comp:obl 2comp:obj",
    ),
    "predicates": ("seems/VERB cold/ADJ", "0 1", "root xcomp", "0root 1comp:pred"),
    "nouns without adposition": ("day/NOUN one/NOUN", "0 1", "root nmod", "0root 1mod"),
    "modifiers by subtype": ("came/VERB Monday/NOUN", "0 1", "root obl:tmod", "0root 1mod"),
    "arguments by subtype": (
        "relies/VERB on/ADP it/PRON",
        "0 3 1",
        "root case obl:arg",
        "0root 1comp:obl 2comp:obj",
    ),
    "clefts": (
        "Ann/PROPN that/SCONJ left/VERB",
        "0 3 1",
        "root mark advcl:cleft",
        "0root 1comp:cleft 2comp:obj",
    ),
    "appositions": ("city/NOUN Rome/PROPN", "0 1", "root appos", "0root 1conj:appos"),
}


AMBIGUOUS = ("a chain with a shared dependent", "a conjunct within another")
"""Rules that give several UD trees the same SUD tree."""


@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rule(rule: str) -> None:
    words, heads, labels, expected = EXAMPLES[rule]
    assert sud(words, heads, labels) == expected


def test_version_1_has_its_own_names() -> None:
    """Coordinators and commas that hang on the first conjunct go to the one that follows."""
    words = "was/AUX seen/VERB ,/PUNCT heard/VERB and/CONJ read/VERB"
    labels = "auxpass root punct conj cc conj"
    assert sud(words, "2 0 2 2 2 2", labels, version=1) == (
        "0root 1comp:aux@pass 4punct 2conj:coord 6cc 4conj:coord"
    )
    assert sud("saw/VERB it/PRON", "0 1", "root dobj", version=1) == "0root 1comp:obj"


def test_negations_are_no_adverbs_of_degree() -> None:
    words, heads, labels = "is/AUX not/PART cold/ADJ", "3 3 0", "cop advmod root"
    assert sud(words, heads, labels, "_ Polarity=Neg _") == "0root 1mod 1comp:pred"


def test_numerals_are_determiners_in_french() -> None:
    words, heads, labels = "deux/NUM chats/NOUN", "2 0", "nummod root"
    assert sud(words, heads, labels, language="fr") == "2det 0root"
    assert sud(words, heads, labels) == "2mod 0root"


def test_every_word_has_the_relations_of_sud_whatever_is_selected() -> None:
    before = ud("she/PRON is/AUX in/ADP Rome/PROPN", "4 4 4 0", "nsubj cop case root")
    rule = scheme()
    for labels in ("keep", "external"):
        assert rule.apply(before, (), labels=labels).deprels[0] == "subj"
        copula = [place for place in rule.places(before) if place.transform == "cop"]
        assert written(rule.apply(before, copula, labels=labels)) == "2subj 0root 4case 2comp:pred"


def random_ud(draw: Random, longest: int = 10) -> Tree:
    """A tree of any shape, or a word with all others below it, whose dependents meet on their way up."""
    n = draw.randint(1, longest)
    content = draw.randint(1, n)
    heads = [0 if token == content else content for token in range(1, n + 1)]
    labels = (draw.choice(("aux", "cop", "case", "mark")), *draw.choices(LABELS, k=4))
    if draw.random() < 0.5:
        heads, labels = random_heads(draw, n, projective=draw.random() < 0.5), LABELS
    return Tree(
        tuple(draw.choice(("a", "b", "A", "(", ")")) for _ in heads),
        tuple(draw.choice(("NOUN", "VERB", "AUX", "ADP", "ADJ", "ADV", "_")) for _ in heads),
        tuple(heads),
        tuple(draw.choice(labels) if head else "root" for head in heads),
        feats=tuple(draw.choice(("_", "VerbForm=Fin", "Polarity=Neg", "Reflex=Yes|X=y")) for _ in heads),
    )


@given(seed=st.integers(0, 2**32))
def test_heads_equal_a_second_implementation(seed: int) -> None:
    draw = Random(seed)
    before, rule = random_ud(draw), transformation(HEADS)
    chosen = [place for place in rule.places(before) if draw.random() < 0.8]
    selected = {
        name: [place.token for place in chosen if place.transform == name]
        for name in ("case", "mark", "cop", "aux")
    }
    after = rule.apply(before, chosen, labels="external")
    assert (after.heads, after.deprels) == Naive(before, HEADS, Conventions(2)).apply(selected)


@given(seed=st.integers(0, 2**32), learns=st.booleans())
def test_its_own_trees_come_back_as_trees(seed: int, learns: bool) -> None:
    draw, rule = Random(seed), scheme()
    trees = [random_ud(draw) for _ in range(3)]
    known = learn_side_preferences(trees, rule) if learns else None
    for before, after in zip(trees, invert_all(rule, map(rule.apply, trees), None, known), strict=True):
        assert is_tree(after.heads)
        assert after.heads.count(0) == before.heads.count(0)


def test_what_ud_has_most_often_comes_back() -> None:
    """Without UD trees `mod` of a verb is a clause or an adverb; with them it can be anything."""
    before = ud("came/VERB Monday/NOUN", "0 1", "root obl:tmod")
    rule = scheme()
    there = rule.apply(before)
    assert written(rule.invert(there)) == "0root 1obl"
    known = learn_side_preferences([before, before], rule)
    assert rule.invert(there, side_preferences=known) == before
    assert rule.invert(there, side_preferences=SidePreferences.from_json(known.as_json())) == before


@pytest.mark.parametrize("rule", [rule for rule in EXAMPLES if rule not in AMBIGUOUS])
def test_an_example_comes_back(rule: str) -> None:
    """With UD to learn from, everything but shared dependents and nested coordinations."""
    words, heads, labels, _ = EXAMPLES[rule]
    before, sud_rule = ud(words, heads, labels), scheme()
    known = learn_side_preferences([before], sud_rule)
    assert sud_rule.invert(sud_rule.apply(before), side_preferences=known) == before


def test_the_page_tells_in_how_many_sentences_arcs_cross() -> None:
    demo = demo_treebank()
    trees = [sentence.tree for _, part in demo.splits() for sentence in part]
    sud = get_scheme("sud", demo.conventions)
    crossing = sum(is_projective(tree.heads) and not is_projective(sud.apply(tree).heads) for tree in trees)
    page = (Path(__file__).resolve().parents[2] / "docs/transformations/sud.md").read_text(encoding="utf-8")
    assert f"`sud` crosses arcs in {crossing} of {len(trees)} demo sentences" in page
