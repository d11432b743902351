"""Changes of tags and relations in scheme files, by name, and joined with transformations."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnability.comparing.names import annotation_typed, annotations_typed
from learnability.errors import InputError
from learnability.schemes import find_scheme
from learnability.schemes.relabellings import built_in, relabelling_named
from learnability.treebanks.sentence import Conventions, Tree

V1 = Tree(
    ("She", "is", "asked", "and", "that", "'s", "it"),
    ("PRON", "AUX", "VERB", "CONJ", "SCONJ", "PART", "PROPN"),
    (3, 3, 0, 3, 3, 3, 3),
    ("nsubjpass", "auxpass", "root", "cc", "mark", "nmod:tmod", "nmod:npmod"),
    ("she", "be", "ask", "and", "that", "'s", "it"),
)
V2 = Tree(
    V1.forms,
    ("PRON", "AUX", "VERB", "CCONJ", "SCONJ", "PART", "PROPN"),
    V1.heads,
    ("nsubj:pass", "aux:pass", "root", "cc:preconj", "mark", "obl:tmod", "acl:relcl"),
    V1.lemmas,
)


@pytest.mark.parametrize(
    ("name", "column", "v1", "v2"),
    [
        ("aux-verb", "upos", {2: "VERB"}, {2: "VERB"}),
        ("pron-det", "upos", {1: "DET"}, {1: "DET"}),
        ("propn-noun", "upos", {7: "NOUN"}, {7: "NOUN"}),
        ("adp-sconj", "upos", {5: "ADP"}, {5: "ADP"}),
        ("sconj-cconj", "upos", {4: "SCONJ"}, {4: "SCONJ"}),
        ("part-lemma", "upos", {6: "PART-'s"}, {6: "PART-'s"}),
        (
            "open-closed",
            "upos",
            dict(enumerate(("CLOSED", "CLOSED", "OPEN", "CLOSED", "CLOSED", "CLOSED", "OPEN"), start=1)),
            dict(enumerate(("CLOSED", "CLOSED", "OPEN", "CLOSED", "CLOSED", "CLOSED", "OPEN"), start=1)),
        ),
        (
            "no-subtypes",
            "deprels",
            {6: "nmod", 7: "nmod"},
            {1: "nsubj", 2: "aux", 4: "cc", 6: "obl", 7: "acl"},
        ),
        ("acl-relcl", "deprels", {}, {7: "acl"}),
        ("obl-nmod", "deprels", {}, {6: "nmod:tmod"}),
        ("aux-pass", "deprels", {2: "aux"}, {2: "aux"}),
        ("unmarked", "deprels", {6: "nmod:unmarked", 7: "nmod:unmarked"}, {6: "obl:unmarked"}),
    ],
)
def test_built_in_changes_know_both_versions(
    name: str, column: str, v1: dict[int, str], v2: dict[int, str]
) -> None:
    for tree, values in ((V1, v1), (V2, v2)):
        changed = relabelling_named(name).apply(tree)
        old = getattr(tree, column)
        expected = tuple(values.get(token, value) for token, value in enumerate(old, start=1))
        assert getattr(changed, column) == expected
        assert changed.heads == tree.heads


def test_every_built_in_change_is_tried() -> None:
    (tried,) = (
        mark.args[1]
        for mark in test_built_in_changes_know_both_versions.pytestmark  # type: ignore[attr-defined]
    )
    assert [case[0] for case in tried] != []
    assert {case[0] for case in tried} == set(built_in())
    for name in built_in():
        assert find_scheme(name).description


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_merges_splits_and_transforms(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
merge.upos = {AUX = "VERB", "CCONJ|CONJ" = "SCONJ"}
split.xpos = {TO = "lemma"}

[[transform]]
name = "case"

[[merge.deprel]]
from = ["obl", "obl:*"]
to = "nmod"
side = "left"

[[split.deprel]]
from = "advmod"
to = "advmod:neg"
lemma = "not"
""",
    )
    assert find_scheme(path).specs == (
        "case",
        "upos:AUX=VERB",
        "upos:CCONJ|CONJ=SCONJ",
        "deprel:obl|obl:*=nmod,side=left",
        "xpos:TO=TO-{lemma}",
        "deprel:advmod=advmod:neg,lemma=not",
    )
    annotation = annotation_typed(f"scheme:{path}")
    assert annotation.changes.names == ("head", "deprel", "upos", "xpos")


def test_a_file_may_have_tags_and_relations_that_ud_does_not_have(tmp_path: Path) -> None:
    text = """not_in_ud = ["mod", "comp", "PUNC", "subj@pass"]

[[transform]]
name = "modifiers"
kind = "chain"
labels = ["mod:x"]
head_deprel = "comp:obj"

[[transform]]
name = "case"
head_deprel = "subj@pass"

[merge.deprel]
"mod" = "comp:obl"

[merge.upos]
"PUNC" = "PUNCT"
"""
    scheme = find_scheme(written(tmp_path, text))
    assert scheme.specs[1:] == ("case:head_deprel=subj@pass", "deprel:mod=comp:obl", "upos:PUNC=PUNCT")
    for name in ("mod", "comp", "PUNC", "subj@pass"):
        with pytest.raises(InputError, match=f"'{name.split(':')[0]}"):
            find_scheme(written(tmp_path, text.replace(f'"{name}", ', "").replace(f', "{name}"]', "]")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[merge.upps]\nAUX = "VERB"', "1: merge: no column 'upps'; did you mean 'upos'?"),
        (
            'name = "x"\n[merge.upos]\nAUX = "VREB"',
            "2: upos:AUX=VREB: there is no UPOS tag 'VREB'; did you mean",
        ),
        (
            '[merge.upos]\nAUX = "VERB"\nVERB = "AUX"',
            "1: upos:VERB=AUX changes the new value of upos:AUX=VERB again",
        ),
        ("[merge.upos]\nAUX = 3", "2: merge.upos: AUX is not a string"),
        ("merge = 3", "1: merge is not a table of columns"),
        ("merge.upos = 3", "1: merge.upos is empty or not a table"),
        ("[merge.upos]", "1: merge.upos is empty or not a table"),
        ('[[merge.upos]]\nfrom = "AUX"', '1: merge.upos: add from = "OLD" and to = "NEW"'),
        (
            '[[merge.upos]]\nfrom = "AUX"\nto = "VERB"\nlema = "x"',
            "4: merge.upos: unknown key 'lema'; did you",
        ),
        ('[[merge.upos]]\nfrom = "AUX"\nto = "VERB"\nside = "l"', "1: upos:AUX=VERB: there is no side 'l'"),
        ('[split.upos]\nPART = "lemmma"', "1: upos:PART=PART-{lemmma}: there is no restriction 'lemmma'"),
        ('command = ["x"]\n[merge.upos]\nAUX = "VERB"', "2: the key 'merge' is unknown"),
        ('command = ["x"]\ncolumns = ["uopos"]', "2: no column 'uopos'; did you mean 'upos'?"),
    ],
)
def test_mistakes_in_files_are_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        find_scheme(path)
    assert str(error.value).startswith(f"{path}:{message}")
    assert "\n" not in str(error.value)


def test_the_language_of_a_scheme_is_that_of_its_changes(tmp_path: Path) -> None:
    merges = '[merge.upos]\nAUX = "VERB"\n[[merge.deprel]]\nfrom = "obl"\nto = "nmod"\nlanguage = "de"'
    path = written(tmp_path, f'language = "fr"\n{merges}\n')
    assert find_scheme(path).specs == ("upos:AUX=VERB,language=fr", "deprel:obl=nmod,language=de")


def test_changes_join_with_transformations() -> None:
    joined = annotation_typed("scheme:upos:AUX=VERB+det+case+deprel:obl|obl=nmod")
    assert joined.spelling == "scheme:case+det+upos:AUX=VERB+deprel:obl=nmod"
    assert annotation_typed(joined.spelling) == joined
    assert joined.changes.names == ("head", "deprel", "upos")
    assert not joined.has_inverse
    assert not joined.is_single
    restricted = annotation_typed("scheme:case:upos=ADP+upos:AUX=VERB")
    assert restricted.specs == ("case:upos=ADP",)
    with pytest.raises(InputError, match="joins several"):
        annotation_typed("case+upos:AUX=VERB")
    with pytest.raises(InputError, match="`transforms='aux-verb'` and `alternative='aux-verb'` are the same"):
        annotations_typed(["aux-verb", "scheme:aux-verb"])
    with pytest.raises(InputError, match="`transforms='aux-verb'` and `transforms='upos:AUX=VERB'` are the"):
        annotations_typed(["aux-verb", "upos:AUX=VERB"])


IN = Tree(
    ("was", "seen", "in", "May"),
    ("AUX", "VERB", "ADP", "PROPN"),
    (2, 0, 4, 2),
    ("aux:pass", "root", "case", "obl:tmod"),
)


def test_places_of_transformations_are_those_of_ud() -> None:
    """Also where a change gives the relation that marks them another name."""
    scheme = annotation_typed("scheme:case+cop+aux-pass+obl-nmod+upos:ADP=X")
    external = scheme.change(Conventions(version=2), "external")(IN)
    assert external.heads == (0, 1, 2, 3)
    assert external.upos == ("AUX", "VERB", "X", "PROPN")
    assert external.deprels == ("root", "comp:aux", "nmod:tmod", "comp:case")
    unlabelled = scheme.change(Conventions(version=2), None)(IN)
    assert (unlabelled.heads, unlabelled.upos) == (external.heads, external.upos)
    alone = annotation_typed("scheme:case+cop").change(Conventions(version=2), "external")(IN)
    assert alone.heads == external.heads
