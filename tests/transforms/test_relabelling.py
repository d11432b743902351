"""Changes of tags, features and relations: what they give, what they refuse, and that once is enough."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import trees_of_heads

from learnability.errors import InputError
from learnability.transforms.relabelling import COLUMNS, Relabelling, parsed_change, problems_of
from learnability.treebanks.columns import COLUMNS as CELLS
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.conllu_writing import conllu_text, write_conllu
from learnability.treebanks.sentence import Tree

TREE = Tree(
    forms=("She", "is", "not", "able", "to", "come", "home", "now"),
    upos=("PRON", "AUX", "PART", "ADJ", "PART", "VERB", "NOUN", "ADV"),
    heads=(4, 4, 4, 0, 6, 4, 6, 6),
    deprels=("nsubj", "cop", "advmod", "root", "mark", "xcomp", "obl:npmod", "advmod"),
    lemmas=("she", "be", "not", "able", "to", "come", "home", "_"),
    xpos=("PRP", "VBZ", "RB", "JJ", "TO", "VB", "NN", "RB"),
    feats=("Case=Nom|Number=Sing", "Number=Sing", "_", "_", "_", "VerbForm=Inf", "Number=Sing", "_"),
)


def changed(*specs: str, tree: Tree = TREE, language: str = "en") -> Tree:
    return Relabelling(tuple(map(parsed_change, specs))).apply(tree, language)


@pytest.mark.parametrize(
    ("spec", "column", "values"),
    [
        ("upos:AUX=VERB", "upos", {2: "VERB"}),
        ("upos:AUX|PART=VERB", "upos", {2: "VERB", 3: "VERB", 5: "VERB"}),
        ("upos:PART=PART-{lemma}", "upos", {3: "PART-not", 5: "PART-to"}),
        ("upos:ADV=ADV-{lemma}", "upos", {}),  # the lemma is not known
        ("upos:PRON=PRON-{Case}", "upos", {1: "PRON-Nom"}),
        ("upos:NOUN=NOUN-{Case}", "upos", {}),
        ("upos:PART=PART-neg,lemma=not", "upos", {3: "PART-neg"}),
        ("upos:PART=PART-inf,lemma!=not", "upos", {5: "PART-inf"}),
        ("upos:PART=PART-v,head_upos=VERB", "upos", {5: "PART-v"}),
        ("upos:PART=PART-m,deprel=mark", "upos", {5: "PART-m"}),
        ("upos:PRON=PRON-n,feats=Case=Nom", "upos", {1: "PRON-n"}),
        ("upos:VERB|NOUN=OPEN,side=right", "upos", {6: "OPEN", 7: "OPEN"}),
        ("upos:ADJ=ADJ-{head_upos}", "upos", {}),  # the root word has no head
        ("upos:ADV=ADV-{head_upos}", "upos", {8: "ADV-VERB"}),
        ("upos:ADP=X,language=fr", "upos", {}),
        ("xpos:N*=N", "xpos", {7: "N"}),
        ("xpos:VB|VBZ=V", "xpos", {2: "V", 6: "V"}),
        ("deprel:*:npmod=*:unmarked", "deprels", {7: "obl:unmarked"}),
        ("deprel:*:*=*", "deprels", {7: "obl"}),
        ("deprel:*ot=obl", "deprels", {}),  # root stays
        ("deprel:advmod=advmod:{side}", "deprels", {3: "advmod:left", 8: "advmod:right"}),
        ("feats:Number=_", "feats", {1: "Case=Nom", 2: "_", 7: "_"}),
        ("feats:Case=Nom=Case=Acc", "feats", {1: "Case=Acc|Number=Sing"}),
        ("feats:VerbForm=Inf=VerbForm=Fin", "feats", {6: "VerbForm=Fin"}),
    ],
)
def test_a_change_gives_some_words_other_values(spec: str, column: str, values: dict[int, str]) -> None:
    old = getattr(TREE, column)
    expected = tuple(values.get(token, value) for token, value in enumerate(old, start=1))
    assert changed(spec) == replace(TREE, **{column: expected})
    assert parsed_change(parsed_change(spec).spec) == parsed_change(spec)


def test_changes_of_several_columns_look_at_the_same_tree() -> None:
    both = changed("upos:AUX=VERB", "deprel:advmod=obl,upos=PART")
    assert both.upos[1] == "VERB"
    assert both.deprels[2] == "obl"
    assert both.deprels[7] == "advmod"
    assert changed("upos:AUX=VERB", "deprel:advmod=obl,upos=PART") == changed(
        "deprel:advmod=obl,upos=PART", "upos:AUX=VERB"
    )


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["upos:AUXX=VERB"], "no UPOS tag 'AUXX'; did you mean 'AUX'"),
        (["upos:AUX=VREB"], "no UPOS tag 'VREB'; did you mean 'VERB'"),
        (["deprel:obll=nmod"], "no UD relation 'obll'; did you mean 'obl'"),
        (["deprel:obl=nmodd:x"], "no UD relation 'nmodd'"),
        (["deprel:amod=mod"], r"If 'mod' is right, use a scheme file with not_in_ud = .\W+mod\W+$"),
        (["deprel:amod=obl,head_deprel=mod"], "no UD relation 'mod'"),
        (["deprel:root=obl"], "root marks the word with head 0"),
        (["uposs:AUX=VERB"], "no column 'uposs'; did you mean 'upos'"),
        (["upos:AUX"], "is not a change; write upos:OLD=NEW"),
        (["feats:Case=Gen"], "is not a change; write feats:Case=Gen=Case=Dat"),
        (["upos:AUX=AUX"], "the old and the new value are the same"),
        (["upos:AUX=VERB,sid=left"], "write|no|left"),
        (["upos:AUX=VERB,side=lef"], "no side 'lef'; did you mean 'left'"),
        (["upos:PART=PART-{lemmma}"], "there is no restriction 'lemmma'; did you mean 'lemma'"),
        (["upos:NOUN=*"], r"\* in the new value stands for the text"),
        (["xpos:*=*-A"], "is a cycle, because x-A would change again"),
        (["upos:AUX=VERB", "upos:VERB=AUX"], "changes the new value of upos:AUX=VERB again"),
        (
            ["upos:AUX=VERB", "upos:VERB=NOUN"],
            "changes the new value of upos:AUX=VERB again; write one change in place of both",
        ),
        (["upos:AUX=VERB", "deprel:aux=obl,upos=VERB"], "depends on upos, which upos:AUX=VERB changes"),
        (["upos:AUX=VERB,head_upos=VERB"], "depends on head_upos, which"),
        (["deprel:obl=nmod", "upos:NOUN=X,deprel=obl"], "depends on deprel, which deprel:obl=nmod changes"),
        (["feats:Case=_", "upos:NOUN=NOUN-{Case}"], "depends on feats, which feats:Case"),
        (["upos:X=SYM|NOUN"], "names several new values; write one"),
        (["upos:AUX=VERB\tX"], "is not a value of a column"),
    ],
)
def test_mistakes_are_one_line(specs: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        changed(*specs)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("specs", "problems"),
    [
        (["upos:AUX=VERB"], {}),
        (["upos:ADP=SCONJ"], {"upos:ADP=SCONJ": "no word has UPOS ADP; choose from ADJ, ADV, AUX"}),
        (["upos:AUX=ADP"], {"upos:AUX=ADP": "the change only renames AUX, because no other word"}),
        (
            ["upos:AUX=AUX-l,side=left"],
            {"upos:AUX=AUX-l,side=left": "the restriction changes all words with UPOS AUX"},
        ),
        (["upos:PART=PART-n,lemma=not"], {}),
        (["deprel:obl:npmod=nsubj", "deprel:obl:*=nmod:*"], {}),
        (["deprel:acl:*=acl"], {"deprel:acl:*=acl": r"no word has the relation acl:\*"}),
        (["deprel:acl=cop", "upos:AUX=VERB"], {"deprel:acl=cop": "no word has the relation acl"}),
        (["feats:Gender=_"], {"feats:Gender=*=_": r"no word has FEATS Gender=\*; choose from Case=Nom"}),
    ],
)
def test_changes_without_effect_say_why(specs: list[str], problems: dict[str, str]) -> None:
    relabelling = Relabelling(tuple(map(parsed_change, specs)))
    found = problems_of(relabelling, [TREE], "en")
    assert found.keys() == problems.keys()
    for spec, problem in problems.items():
        assert re.match(problem, found[spec]), found[spec]


def test_which_tags_tell_the_tree() -> None:
    def reads(spec: str) -> bool:
        return Relabelling((parsed_change(spec),)).reads_trees

    assert reads("upos:ADP=ADP-l,side=left")
    assert reads("upos:NOUN=NOUN-{deprel}")
    assert reads("xpos:NN=NNX,head_upos=VERB")
    assert not reads("upos:PART=PART-{lemma}")
    assert not reads("deprel:obl=nmod,side=left")


TAGS = ("ADJ", "AUX", "NOUN", "VERB")
RELATIONS = ("nsubj", "obl", "obl:tmod", "nmod:tmod", "nmod")
RESTRICTED = (
    "",
    "",
    ",side=left",
    ",lemma!=c",
    ",deprel=obl",
    ",upos=NOUN",
    ",head_upos=VERB",
    ",feats=Case",
)


@st.composite
def specs(draw: st.DrawFn) -> str:
    """A change, with a restriction or without."""
    column = draw(st.sampled_from(("upos", "xpos", "deprel", "feats")))
    if column == "feats":
        change = draw(st.sampled_from(("Case=A=Case=B", "Case=_", "Number=X=Number=Y", "Case=B=_")))
    elif column == "deprel":
        pattern = st.sampled_from((*RELATIONS, "obl:*", "*:*", "*:tmod"))
        old, new = draw(pattern), draw(st.sampled_from((*RELATIONS, "*", "*:x", "{side}")))
        change = f"{old}={old}:{new}" if new == "{side}" and "*" not in old else f"{old}={new}"
    else:
        old = draw(st.lists(st.sampled_from(TAGS), min_size=1, max_size=3, unique=True))
        new = draw(st.sampled_from((*TAGS, "NEW", "ADJ-{lemma}", "ADV-{side}", "AUX-{Case}")))
        change = f"{'|'.join(old)}={new}"
    return f"{column}:{change}{draw(st.sampled_from(RESTRICTED))}"


@st.composite
def labelled_trees(draw: st.DrawFn) -> Tree:
    """A tree of which every column is filled."""
    heads = draw(trees_of_heads(longest=8))
    size = len(heads)

    def column(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)))

    relations = column(RELATIONS)
    return Tree(
        forms=column(("a", "b", "c")),
        upos=column(TAGS),
        heads=heads,
        deprels=tuple("root" if h == 0 else d for h, d in zip(heads, relations, strict=True)),
        lemmas=column(("a", "b", "c", "_")),
        xpos=column(TAGS),
        feats=column(("_", "Case=A", "Case=B|Number=X", "Number=Y")),
    )


def read(text: str) -> ConlluFile:
    return read_conllu(BytesIO(text.encode()), name="x.conllu")


@settings(max_examples=max(200, settings().max_examples))
@given(st.lists(specs(), min_size=1, max_size=3), st.lists(labelled_trees(), min_size=1, max_size=3))
def test_random_schemes_change_named_columns_only_and_once(chosen: list[str], trees: list[Tree]) -> None:
    try:
        relabelling = Relabelling(tuple(map(parsed_change, dict.fromkeys(chosen))))
    except InputError:
        return  # refused: the order would matter
    file = read(conllu_text(trees))
    once = [relabelling.apply(tree) for tree in trees]
    assert [relabelling.apply(tree) for tree in once] == once
    written = write_conllu(file, once, deps="keep").decode().split("\n")
    kept = [i for i, name in enumerate(CELLS) if name.lower() not in relabelling.columns]
    for line, before in zip(written, file.data.decode().split("\n"), strict=True):
        cells, old = line.split("\t"), before.split("\t")
        assert len(cells) == len(old)
        if len(cells) > 1:
            assert [cells[i] for i in kept] == [old[i] for i in kept]
        else:
            assert cells == old
    again = read("\n".join(written))
    for sentence, tree in zip(again, once, strict=True):
        assert all(getattr(sentence.tree, name) == getattr(tree, name) for name in COLUMNS.values())
