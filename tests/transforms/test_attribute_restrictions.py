"""Restrictions by attributes in MISC, and by comments of sentences and documents."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from invoking import Call

from learnability.errors import InputError
from learnability.transforms.base import invert_all
from learnability.transforms.registry import get_transformation
from learnability.transforms.restricted_rules import advice, check_places
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Tree

WORDS = """\
1\tin\tin\tADP\t_\t_\t2\tcase\t_\tLangID={one}
2\thouse\thouse\tNOUN\t_\t_\t0\troot\t_\tLangID={one}|Gloss=a: b
3\tof\tof\tADP\t_\t_\t4\tcase\t_\t{other}
4\tKim\tKim\tPROPN\t_\t_\t2\tnmod\t_\tLangID=TR

"""

MIXED = (
    "# newdoc id = d1\n# meta::genre = news: sports\n# sent_id = s1\n# speaker_id = A\n"
    + WORDS.format(one="DE", other="_")
    + "# sent_id = s2\n"
    + WORDS.format(one="TR", other="LangID=DE")
    + "# newdoc id = d2\n# sent_id = s3\n# speaker_id = B b\n"
    + WORDS.format(one="DE", other="LangID=TR")
).encode()


def trees() -> list[Tree]:
    return [sentence.tree for sentence in read_conllu(io.BytesIO(MIXED), name="x.conllu")]


@pytest.mark.parametrize(
    ("restriction", "places"),
    [
        ("misc=LangID=DE", [[1], [3], [1]]),
        ("misc=LangID", [[1], [1, 3], [1, 3]]),
        ("misc!=LangID=DE", [[3], [1], [3]]),  # a word without the attribute does not have this value
        ("misc!=LangID", [[3], [], []]),
        ("misc=LangID=DE|LangID=TR", [[1], [1, 3], [1, 3]]),
        ("head_misc=Gloss=a: b", [[1], [1], [1]]),
        ("head_misc=LangID=TR,misc=LangID=DE", [[], [3], []]),
        ("comment=speaker_id=A", [[1, 3], [], []]),
        ("comment=speaker_id=B b", [[], [], [1, 3]]),
        ("comment!=speaker_id=A", [[], [1, 3], [1, 3]]),
        ("comment=meta::genre=news: sports", [[1, 3], [1, 3], []]),  # of the whole document
        ("comment=newdoc id=d2", [[], [], [1, 3]]),
        ("comment=speaker_id,misc=LangID=DE", [[1], [], [1]]),
    ],
)
def test_words_are_chosen_by_attributes_and_comments(restriction: str, places: list[list[int]]) -> None:
    rule = get_transformation(f"case:{restriction}")
    assert [sorted(place.token for place in rule.places(tree)) for tree in trees()] == places
    changed = [rule.apply(tree) for tree in trees()]
    assert [tree.misc for tree in changed] == [tree.misc for tree in trees()]
    back = invert_all(rule, changed, [rule.places(tree) for tree in trees()])
    assert [tree.heads for tree in back] == [tree.heads for tree in trees()]


@pytest.mark.parametrize(
    ("restriction", "message"),
    [
        ("misc=LangId=DE", "misc=LangId=DE: no word has LangId=DE in MISC; did you mean 'LangID'?"),
        ("misc=LangID=FR", "no word has LangID=FR in MISC; choose from LangID=DE, LangID=TR"),
        ("comment=speaker=A", "no sentence has a comment speaker=A; did you mean 'speaker_id'?"),
        (
            "comment=speaker_id=C",
            "no sentence has a comment speaker_id=C; choose from speaker_id=A, speaker_id=B b",
        ),
    ],
)
def test_an_attribute_that_never_occurs_is_named(restriction: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        check_places("x", get_transformation(f"case:{restriction}"), trees())
    assert message in str(error.value)
    excluded = get_transformation(f"case:{restriction.replace('=', '!=', 1)}")
    (line,) = advice(excluded, trees())
    assert message.partition(": ")[2] in line
    assert advice(get_transformation("case:misc=LangID=DE,comment=speaker_id"), trees()) == []


@pytest.mark.parametrize("value", ["misc==DE", "misc=LangID=", "comment= =A", "comment=speaker_id = A"])
def test_what_is_no_attribute_is_refused(value: str) -> None:
    name = value.partition("=")[0]
    with pytest.raises(InputError, match=f"no {'attribute' if name == 'misc' else 'comment'}; write"):
        get_transformation(f"case:{value}")


def test_commands_scheme_files_and_changes_of_tags_take_them(call: Call, tmp_path: Path) -> None:
    source, scheme = tmp_path / "in.conllu", tmp_path / "mixed.toml"
    source.write_bytes(MIXED)
    listed = call("transform", "--transform", "case:misc=LangID=DE", "--places", source)
    assert [line.split("\t")[:3:2] for line in listed.text.splitlines()[1:]] == [
        ["s1", "1"], ["s2", "3"], ["s3", "1"],
    ]  # fmt: skip
    scheme.write_text(
        'name = "mixed"\ndescription = "one speaker"\n[[transform]]\nname = "case"\n'
        'comment = ["speaker_id=A", "speaker_id=B b"]\n"misc!" = "LangID=TR"\n',
        encoding="utf-8",
    )
    listed = call("transform", "--alternative", scheme, "--places", source)
    assert [line.split("\t")[:3:2] for line in listed.text.splitlines()[1:]] == [
        ["s1", "1"], ["s1", "3"], ["s3", "1"],
    ]  # fmt: skip
    tags = call("transform", "--transform", "upos:ADP=PART,misc=LangID=DE", source)
    assert tags.text.count("\tPART\t") == 3
    unknown = call("transform", "--transform", "case:misc=LangId", source, "-o", tmp_path / "out")
    assert "no word has LangId in MISC; did you mean 'LangID'?" in unknown.errors
