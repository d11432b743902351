"""Scheme files: what they mean, and one located line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnability.errors import InputError
from learnability.multiref.references import reference_set
from learnability.schemes import find_scheme, get_scheme
from learnability.schemes.toml_file import read_scheme, scheme_text
from learnability.transforms.base import invert_all
from learnability.transforms.plan import Place
from learnability.transforms.registry import get_transformation
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions, Tree
from learnability.treebanks.splits import read_treebank

EXAMPLES = Path(__file__).parents[2] / "docs" / "schemes"
FRENCH = Conventions(version=2, language="fr")

# Il va de Paris à Rome sans Marie
SENTENCE = Tree(
    forms=("Il", "va", "De", "Paris", "à", "Rome", "sans", "Marie"),
    upos=("PRON", "VERB", "ADP", "PROPN", "ADP", "PROPN", "ADP", "PROPN"),
    heads=(2, 0, 4, 2, 6, 2, 8, 2),
    deprels=("nsubj", "root", "case", "obl", "case", "obl", "case", "obl"),
    lemmas=("il", "aller", "de", "Paris", "à", "Rome", "sans", "Marie"),
)


def scheme_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_only_the_admitted_words_are_places() -> None:
    rule = get_scheme(str(EXAMPLES / "de-and-a.toml"), FRENCH)
    assert rule.places(SENTENCE) == (Place(3, "case"), Place(5, "case"))
    assert rule.apply(SENTENCE).heads == (2, 0, 2, 3, 2, 5, 8, 2)
    assert rule.name == "de-and-a"
    assert rule.spec == "case:lemma=de|à,language=fr"
    assert len(reference_set(SENTENCE, rule)) == 4
    assert rule.invert(rule.apply(SENTENCE)).heads == SENTENCE.heads


def test_an_unadmitted_word_that_looks_inverted_is_left_alone() -> None:
    rule = get_scheme(str(EXAMPLES / "de-and-a.toml"), FRENCH)
    odd = SENTENCE.with_heads((2, 0, 2, 3, 2, 5, 2, 7))  # "sans" heads "Marie" in the input already
    assert rule.invert(odd).heads == (2, 0, 4, 2, 6, 2, 2, 7)


def test_another_language_has_no_places_and_an_unknown_one_is_refused() -> None:
    path = str(EXAMPLES / "de-and-a.toml")
    assert get_scheme(path, Conventions(language="es")).places(SENTENCE) == ()
    with pytest.raises(InputError, match="needs the language of the treebank"):
        get_scheme(path, Conventions()).places(SENTENCE)


def test_options_restrictions_and_definitions() -> None:
    scheme = read_scheme(EXAMPLES / "classifiers.toml")
    assert scheme.name == "classifiers"
    assert scheme.transformations == ("case:upos=ADP,side=left", "cop:reattach=clause", "clf", "compound")
    # san ge xiao haizi: three CLF small children; case right of its noun is not admitted
    tree = Tree(
        ("san", "ge", "haizi", "li", "jia", "yi", "bing"),
        ("NUM", "NOUN", "NOUN", "ADP", "X", "X", "X"),
        (3, 1, 0, 3, 3, 3, 3),
        ("nummod", "clf", "root", "case", "compound", "compound:x", "obl"),
    )
    rule = scheme.transformation(Conventions(version=2))
    assert rule.places(tree) == (Place(2, "clf"), Place(6, "compound"))
    # clf: ge takes the place of san, and haizi keeps its own; compound: jia -> yi
    assert rule.apply(tree).heads == (2, 3, 0, 3, 3, 5, 3)


@pytest.mark.parametrize(
    ("restriction", "places"),
    [
        ('form = ["De", "SANS"]', [3, 7]),
        ('side = "left"', [3, 5, 7]),
        ('language = ["fr", "it"]', [3, 5, 7]),
        ('form = "de"\nlemma = "à"', []),
        ('"form!" = "de"', [5, 7]),
        ('upos = "ADP"\n"lemma!" = ["de", "sans"]', [5]),
    ],
)
def test_restrictions(tmp_path: Path, restriction: str, places: list[int]) -> None:
    path = scheme_file(tmp_path, f'[[transform]]\nname = "case"\n{restriction}\n')
    rule = find_scheme(path).transformation(FRENCH)
    assert [place.token for place in rule.places(SENTENCE)] == places
    assert rule.name == "mine"


def test_a_defined_head_inversion_is_what_the_built_in_one_is(tmp_path: Path) -> None:
    path = scheme_file(tmp_path, '[[transform]]\nname = "adp"\nkind = "head-inversion"\nlabels = ["case"]\n')
    rule = get_scheme(path, FRENCH)
    assert rule.apply(SENTENCE).heads == get_transformation("case", FRENCH).apply(SENTENCE).heads
    assert rule.places(SENTENCE)[0] == Place(3, "adp")


MISTAKES = {
    "syntax": ('name = "x"\n[[transform]]\nname = case\n', 3, "not TOML"),
    "unclosed": ('name = "x"\n[[transform]]\nname = ["a",\n', 3, "not TOML"),
    "many digits": ('name = "x"\n[[transform]]\nname = ' + "9" * 5000 + "\n", 3, "not TOML: it has too many"),
    "deep nesting": ('name = "x"\nlabels = ' + "[" * 5000, 2, "nested brackets; shorten"),
    "unknown top-level key": ('nmae = "x"\n[[transform]]\nname = "case"\n', 1, "did you mean 'name'?"),
    "restriction above the tables": ('form = "de"\n[[transform]]\nname = "case"\n', 1, "below [[transform]]"),
    "relation that UD lacks": (
        '[[transform]]\nname = "x"\nkind = "head-inversion"\nlabels = ["PREP"]\n',
        4,
        'or write not_in_ud = ["PREP"] at the top, if your treebank has it',
    ),
    "no transformation": ('name = "x"\n', 1, "add [[transform]]"),
    "one pair of brackets": ('name = "x"\n\n[transform]\nname = "case"\n', 3, "two brackets"),
    "no name": ('[[transform]]\nform = "de"\n', 1, "has no name"),
    "unknown transformation": ('[[transform]]\nname = "cse"\n', 2, "did you mean 'case'?"),
    "unknown key": ('[[transform]]\nname = "cop"\n\nreatach = "clause"\n', 4, "did you mean 'reattach'?"),
    "unknown value": ('[[transform]]\nname = "cop"\nreattach = "clausal"\n', 3, "did you mean 'clause'?"),
    "option of another": (
        '[[transform]]\nname = "det"\nreattach = "clause"\n',
        3,
        "det has no key 'reattach'",
    ),
    "wrong type": ('[[transform]]\nname = "case"\nform = 3\n', 3, "form is a number"),
    "list of numbers": ('[[transform]]\nname = "case"\nform = [1, "a"]\n', 3, "does not consist of strings"),
    "empty list": ('[[transform]]\nname = "case"\nform = []\n', 3, "would match nothing"),
    "unknown UPOS": ('[[transform]]\nname = "case"\nupos = [\n  "ADP",\n  "ADPO",\n]\n', 5, "mean 'ADP'?"),
    "unknown relation": ('[[transform]]\nname = "case"\ndeprel = ["cass"]\n', 3, "did you mean 'case'?"),
    "foreign relation": ('[[transform]]\nname = "case"\ndeprel = "nsubj"\n', 3, "choose from case"),
    "unknown feature": ('[[transform]]\nname = "case"\nfeats = ["Case=Gen",\n"gen"]\n', 4, "write Case=Gen"),
    "language in words": ('language = "French"\n[[transform]]\nname = "case"\n', 1, '"fr" for fr_gsd'),
    "twice": ('[[transform]]\nname = "case"\n[[transform]]\nname = "case"\n', 4, "occurs twice"),
    "unknown kind": ('[[transform]]\nname = "n"\nkind = "chains"\nlabels = "clf"\n', 3, "mean 'chain'?"),
    "no kind": ('[[transform]]\nname = "n"\nlabels = "clf"\n', 1, "n has no kind"),
    "no labels": ('[[transform]]\nname = "n"\nkind = "chain"\n', 1, "add labels"),
    "unknown label": ('[[transform]]\nname = "n"\nkind = "chain"\nlabels = ["clf",\n"flt"]\n', 5, "'flat'"),
    "redefinition": ('[[transform]]\nname = "case"\nkind = "chain"\nlabels = "clf"\n', 2, "exists"),
    "odd name": ('name = "a/b"\n[[transform]]\nname = "case"\n', 1, "only letters, digits, hyphens"),
    "second table": ('[[transform]]\nname = "case"\n\n[[transform]]\n# here\nname = "dett"\n', 6, "'det'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_one_located_line(tmp_path: Path, mistake: str) -> None:
    text, line, hint = MISTAKES[mistake]
    path = scheme_file(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_scheme(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert any(part in message for part in hint.split("|"))
    assert "\n" not in message


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml cannot be read .no such file"):
        find_scheme(str(tmp_path / "none.toml"))
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b'name = "\xe0"')
    with pytest.raises(InputError, match=r"bad\.toml is not UTF-8 \(byte 9\)"):
        find_scheme(str(bad))


def test_the_example_on_a_real_treebank(ud_home: Path) -> None:
    files = locate_treebank("UD_French-Sequoia", ud_home=ud_home, release="2.16")
    treebank = read_treebank(files)
    rule = get_scheme(str(EXAMPLES / "de-and-a.toml"), treebank.conventions)
    trees = [sentence.tree for sentence in treebank.test]
    places = [place for tree in trees for place in rule.places(tree)]
    wanted = sum(
        deprel.partition(":")[0] == "case" and lemma.lower() in ("de", "à") and head > 0
        for tree in trees
        for deprel, lemma, head in zip(tree.deprels, tree.lemmas, tree.heads, strict=True)
    )
    assert len(places) == wanted > 500
    back = invert_all(rule, [rule.apply(tree) for tree in trees])
    changed = sum(a != b for t in trees for a, b in zip(t.heads, rule.apply(t).heads, strict=True))
    pairs = zip(trees, back, strict=True)
    wrong = sum(a != b for t, u in pairs for a, b in zip(t.heads, u.heads, strict=True))
    assert wrong <= 0.01 * changed


def test_a_scheme_that_is_written_is_read_back(tmp_path: Path) -> None:
    variants = {"cop:reattach=clause", "case:lemma!=de|à,side=left", "cc:head=first,style=moscow", "mwe"}
    words = Restriction(form=['"', "\\", "a,b", "x|y", "é=1", "#"], deprel=["det"])
    rules = [*map(get_transformation, sorted(variants)), restrict_rule(get_transformation("det"), words)]
    path = scheme_file(tmp_path, scheme_text("mine", 'two "\\" words', rules))
    scheme = read_scheme(path)
    assert (scheme.name, scheme.description) == ("mine", 'two "\\" words')
    parts = scheme.transformation(Conventions()).rules
    assert {part.spec for part in parts if part.name != "det"} == variants
    assert [part.restriction for part in parts if part.name == "det"] == [words]
