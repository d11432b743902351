from __future__ import annotations

import pytest
from udtools.udeval import CONTENT_DEPRELS, FUNCTIONAL_DEPRELS

from learnability.treebanks import labels
from learnability.treebanks.sentence import Conventions, Tree


def tree(*deprels: str) -> Tree:
    n = len(deprels)
    return Tree(("a",) * n, ("X",) * n, (0,) + (1,) * (n - 1), deprels)


def test_universal_part_and_subtype() -> None:
    assert labels.universal("nmod:poss") == "nmod"
    assert labels.universal("nmod") == "nmod"
    assert labels.relation("a:b:c") == "a:b"
    assert labels.relation("a") == "a"


def test_the_table_has_as_many_relations_as_the_guidelines() -> None:
    assert len(labels.V1) == 40
    assert len(labels.V2) == 37


def test_a_label_of_neither_version_is_an_error() -> None:
    with pytest.raises(ValueError, match="no UD relation: marc"):
        labels.labels("mark", "marc")


def test_functional_labels_are_the_official_scorers() -> None:
    assert labels.CLAS_FUNCTIONAL == FUNCTIONAL_DEPRELS
    assert labels.CLAS_CONTENT == CONTENT_DEPRELS


@pytest.mark.parametrize(
    ("v1", "v2"),
    [
        ("dobj", "obj"),
        ("nsubjpass", "nsubj:pass"),
        ("auxpass:reflex", "aux:reflex"),
        ("mwe", "fixed"),
        ("name", "flat:name"),
        ("foreign", "flat:foreign"),
        ("neg", "advmod"),
        ("remnant", "orphan"),
        ("nmod:poss", "nmod:poss"),
        ("obl", "obl"),
        ("mystery", "mystery"),
    ],
)
def test_v1_labels_are_mapped_to_v2(v1: str, v2: str) -> None:
    assert labels.to_v2(v1) == v2


def test_every_v1_label_is_in_clas_after_mapping_or_is_punctuation() -> None:
    for label in labels.V1 - labels.PUNCT:
        assert labels.universal(labels.to_v2(label)) in labels.CLAS_FUNCTIONAL | labels.CLAS_CONTENT
    assert labels.to_v2("neg", "DET") == "det"


def test_passive_auxiliaries() -> None:
    passive = ("auxpass", "auxpass:reflex", "aux:pass", "aux:pass:x")
    assert [labels.is_passive_auxiliary(label) for label in passive] == [True] * 4
    active = ("aux", "aux:q", "aux:passive", "cop")
    assert [labels.is_passive_auxiliary(label) for label in active] == [False] * 4


def test_preconjunctions_are_no_coordinators() -> None:
    assert [labels.is_coordinator(label) for label in ("cc", "cc:nc", "cc:preconj", "case")] == [
        True,
        True,
        False,
        False,
    ]


def test_flat_is_a_name_unless_the_treebank_says_flat_name() -> None:
    names = ("name", "flat:name", "flat", "flat:range", "flat:foreign", "fixed")
    plain, marked = Conventions(2), Conventions(2, flat_name=True)
    assert [labels.is_name(label, plain) for label in names] == [True, True, True, True, False, False]
    assert [labels.is_name(label, marked) for label in names] == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("deprels", "release", "folder", "version"),
    [
        (("root", "dobj"), "2.16", "", 2),
        (("root", "obj"), "1.3", "ud-treebanks-v2.16", 1),
        (("root", "dobj"), "", "ud-treebanks-v2.16", 2),
        (("root", "obl"), "", "universal-dependencies-1.3", 1),
        (("root", "dobj", "dobj", "obl"), "", "UD_English-LinES", 1),
        (("root", "obl:tmod", "obj", "name"), "", "UD_French", 2),
        (("root", "nsubj"), "", "", 0),
        (("root", "dobj", "obj"), "", "", 0),
    ],
)
def test_version_is_of_the_release_else_the_folder_else_the_labels(
    deprels: tuple[str, ...], release: str, folder: str, version: int
) -> None:
    found = labels.detect_conventions([tree(*deprels)], release=release, folder=folder)
    assert found.version == version


def test_conventions_look_at_all_trees() -> None:
    trees = [tree("root"), tree("root", "flat:name"), tree("root", "aux:pass")]
    assert labels.detect_conventions(trees, release="2.16") == Conventions(2, True)
    assert labels.detect_conventions(trees[:1], release="2.16") == Conventions(2, False)


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("ud-treebanks-v2.16", "2.16"),
        ("universal-dependencies-1.3", "1.3"),
        ("r2.9", "2.9"),
        ("2.10", "2.10"),
        ("UD_Greek", ""),
        ("python3.11", ""),
        ("corpus-1.5", ""),
        ("data-2.16.3", ""),
        ("cloud-2.1", ""),
    ],
)
def test_release_in_a_folder_name(name: str, release: str) -> None:
    assert labels.release_in(name) == release
