"""Whatever stands in a file is compared, or named as not compared; only the same is called the same."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from learnability import InputError, read_conllu
from learnability.annotation_diffs.annotation_diff import AnnotationDiff, diff
from learnability.annotation_diffs.annotators import Annotators, compare_all
from learnability.annotation_diffs.beside_words import find_displaced
from learnability.annotation_diffs.version import Version
from learnability.reports.annotation_diffs.beside_words import not_compared_sentences, other_sentences
from learnability.reports.annotation_diffs.changelog import changelog
from learnability.reports.annotation_diffs.drawings import lines_of_group
from learnability.reports.annotation_diffs.tables import pairs_table
from learnability.reports.annotation_diffs.terminal import summary

WORDS = (
    "1\tde\tde\tADP\t_\t_\t3\tcase\t3:case\t_",
    "2\tla\tla\tDET\t_\tGender=Fem|Number=Sing\t3\tdet\t3:det\tGloss=the",
    "2.1\tno\tno\tADV\t_\t_\t_\t_\t3:advmod\t_",
    "3\trana\trana\tNOUN\t_\t_\t0\troot\t0:root\t_",
)
SENTENCE = "\n".join(
    ("# sent_id = m1", "# text = della rana", "1-2\tdella\t_\t_\t_\tTypo=Yes\t_\t_\t_\tA=b", *WORDS)
)
OTHER = SENTENCE.replace("m1", "m2").replace("rana", "mosca")
TEXT = f"{SENTENCE}\n\n{OTHER}\n\n"

Compare = Callable[[str, str], AnnotationDiff]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    def compare(first: str, second: str) -> AnnotationDiff:
        files = tmp_path / "a.conllu", tmp_path / "b.conllu"
        for file, text in zip(files, (first, second), strict=True):
            file.write_bytes(text.encode())
        return diff(*files)

    return compare


CHANGES = {
    "1-2\tdella\t_\t_\t_\tTypo=Yes\t_\t_\t_\tA=b\n": ("", "1 multiword token is gone (m1)."),
    "\tdella\t": ("\tdela\t", "1 multiword token differs in FORM (m1)."),
    "1-2\t": ("1-3\t", "1 multiword token differs in its words (m1)."),
    "Typo=Yes": ("_", "1 multiword token differs in FEATS (m1)."),
    "A=b": ("A=c", "1 multiword token differs in MISC (m1)."),
    "2.1\tno\tno\tADV\t_\t_\t_\t_\t3:advmod\t_\n": ("", "1 empty node is gone (m1)."),
    "2.1\tno": ("2.1\tnon", "1 empty node differs in FORM (m1)."),
    "3:advmod": ("1:advmod", "1 empty node differs in DEPS (m1)."),
    "# text = della rana": ("# text = della Rana", "1 comment # text differs in value (m1)."),
    "# sent_id = m1\n": ("", "1 comment # sent_id is gone"),
    "# sent_id = m1": ("# sent_id = m9", "1 sentence has another sent_id (m1 → m9)."),
    "# text": ("# newdoc id = d\n# text", "1 comment # newdoc id is new (m1)."),
    "# text =": ("# read it again\n# text =", "1 comment without a key is new (m1)."),
    "# sent_id = m1\n# text = della rana": (
        "# text = della rana\n# sent_id = m1",
        "The comments of 1 sentence differ only in their place, order or spaces (m1).",
    ),
    "# text = della": (
        "#text=della",
        "The comments of 1 sentence differ only in their place, order or spaces (m1).",
    ),
    "3\trana\trana": (
        "# text = della rana\n3\trana\trana",
        "1 comment # text is new (m1).",
    ),
    "\n\n# sent_id = m2": ("\n\n# a note\n\n# sent_id = m2", "1 comment without a key is new (m2)."),
    "0:root\t_\n\n# sent_id = m2": (
        "0:root\t_\n\n# newdoc id = d\n\n# sent_id = m2",
        "1 comment # newdoc id is new (m2).",
    ),
}


@pytest.mark.parametrize("old", CHANGES)
def test_what_stands_beside_words_is_compared(compare: Compare, old: str) -> None:
    new, expected = CHANGES[old]
    changed = TEXT.replace(old, new, 1)
    found = compare(TEXT, changed)
    assert changed != TEXT
    assert found.differs
    assert found.sentences_differing == 1
    assert expected in " ".join(summary(found))
    assert expected in " ".join(changelog(found).split())
    back = compare(changed, TEXT)
    assert sorted((each.kind.mirror_kind(), each.count) for each in found.others) == sorted(
        (each.kind, each.count) for each in back.others
    )


CELLS = {
    "Gender=Fem|Number=Sing": ("Number=Sing|Gender=Fem", "FEATS"),
    "Gloss=the": ("Gloss=the|Gloss=the", "MISC"),
    "3:case": ("3:case|3:case", "DEPS"),
    "0:root": ("0:root|1:dep", "DEPS"),
}


@pytest.mark.parametrize("old", CELLS)
def test_every_other_cell_is_a_difference(compare: Compare, old: str) -> None:
    new, column = CELLS[old]
    found = compare(TEXT, TEXT.replace(old, new, 1))
    assert [group.kind.column for group in found.groups] == [column]
    assert found.words_differing[column] == 1
    assert found.sentences_differing == 1
    assert lines_of_group(found.groups[0], ("here", "there"))[2:]


def test_the_order_of_edges_is_a_difference(compare: Compare) -> None:
    first, second = (TEXT.replace("3:case", cell, 1) for cell in ("2:dep|3:case", "3:case|2:dep"))
    (group,) = compare(first, second).groups
    assert (group.columns, group.kind.detail) == (("DEPS",), "order")


def test_any_changed_line_is_noticed(compare: Compare) -> None:
    """Each cell, comment and line is changed or removed in turn, whatever it is."""
    lines = TEXT.split("\n")
    tried = 0
    for number, line in enumerate(lines[:7]):
        variants = [f"{line}x"] if line.startswith("#") else []
        for cell in range(1, 10) if not line.startswith("#") else ():
            cells = line.split("\t")
            if cell == 6:
                continue
            cells[cell] = "Zz=1" if cells[cell] != "Zz=1" else "_"
            variants.append("\t".join(cells))
        for variant in variants:
            changed = "\n".join([*lines[:number], variant, *lines[number + 1 :]])
            found = compare(TEXT, changed)
            assert found.differs, variant
            assert found.sentences_differing == 1, variant
            assert not summary(found)[0].startswith(("Nothing", "No sentence")), variant
            tried += 1
    assert tried == 2 + 5 * 8


def test_the_same_bytes_are_the_same(compare: Compare) -> None:
    found = compare(TEXT, TEXT)
    assert (found.differs, found.are_same_files, found.others) == (False, True, ())
    assert summary(found) == ["Nothing differs in 2 sentences."]
    assert " is the same as " in " ".join(changelog(found).split())


BYTES = {
    "line ends": TEXT.replace("\n", "\r\n"),
    "byte order mark": f"\ufeff{TEXT}",
    "blank lines": f"{TEXT}\n\n",
}


@pytest.mark.parametrize("name", BYTES)
def test_other_bytes_are_not_the_same(compare: Compare, name: str) -> None:
    found = compare(TEXT, BYTES[name])
    assert not found.differs
    text = " ".join(summary(found))
    assert text.startswith("No sentence differs, of 2 sentences.")
    assert name.split()[0] in text
    assert "is the same as" not in changelog(found)


def test_comments_keep_their_place(compare: Compare) -> None:
    """A comment between words, and one behind the last sentence, are compared."""
    text = "# text = della rana\n"
    for changed in (TEXT.replace(text, "", 1).replace("3\trana", f"{text}3\trana", 1), f"{TEXT}# end\n"):
        assert (compare(TEXT, changed).differs, compare(TEXT, changed).sentences_differing) == (True, 1)
        assert not compare(changed, changed).differs


def test_each_value_of_a_repeated_attribute_is_compared(compare: Compare) -> None:
    """Only the same values in another order are called so."""
    several = TEXT.replace("Gloss=the", "Gloss=the|Gloss=this", 1)
    for cell, detail in (("Gloss=that|Gloss=this", "Gloss"), ("Gloss=this|Gloss=the", "order")):
        (group,) = compare(several, several.replace("Gloss=the|Gloss=this", cell)).groups
        assert (group.kind.column, group.kind.detail) == ("MISC", detail)


@pytest.mark.parametrize(
    ("lemma", "other", "detail"), [("groß", "GROß", "capital letters"), ("groß", "gross", "")]
)
def test_only_capital_letters_are_called_so(compare: Compare, lemma: str, other: str, detail: str) -> None:
    first, second = (TEXT.replace("rana\trana", f"rana\t{each}", 1) for each in (lemma, other))
    (group,) = compare(first, second).groups
    assert (group.kind.column, group.kind.detail) == ("LEMMA", detail)


def test_a_sentence_in_another_file_is_named_as_a_reason(tmp_path: Path) -> None:
    third = OTHER.replace("m2", "m3").replace("mosca", "musca")
    for folder, first, second in (("a", TEXT, third), ("b", SENTENCE, f"{OTHER}\n\n{third}")):
        (tmp_path / folder).mkdir()
        for name, text in (("x", first), ("y", second)):
            (tmp_path / folder / f"{name}.conllu").write_text(f"{text.strip()}\n\n", encoding="utf-8")
    (line,) = summary(diff(tmp_path / "a", tmp_path / "b"))
    assert "which file a sentence is in" in line


def test_the_order_of_sentences_is_compared(compare: Compare) -> None:
    found = compare(TEXT, f"{OTHER}\n\n{SENTENCE}\n\n")
    assert other_sentences(found) == ["1 sentence stands in another place (m1)."] or other_sentences(
        found
    ) == ["1 sentence stands in another place (m2)."]
    assert found.differs


def test_the_fewest_sentences_are_out_of_order() -> None:
    """Against every subset, the largest first."""
    draw = random.Random(61)
    for _ in range(200):
        positions = draw.sample(range(20), draw.randint(0, 7))
        items = range(len(positions))
        longest = next(
            size
            for size in range(len(positions), -1, -1)
            if any(
                [positions[item] for item in kept] == sorted(positions[item] for item in kept)
                for kept in combinations(items, size)
            )
        )
        displaced = find_displaced(positions)
        kept = [positions[item] for item in items if item not in displaced]
        assert kept == sorted(kept)
        assert len(kept) == longest


def test_further_columns_are_compared(compare: Compare) -> None:
    def plus(mark: str, name: str = "PARSEME:MWE") -> str:
        head = f"# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC {name}\n"
        lines = (line if line.startswith("#") else f"{line}\t*" for line in SENTENCE.split("\n"))
        return head + "\n".join(lines).replace("root\t_\t*", f"root\t_\t{mark}") + "\n\n"

    found = compare(plus("*"), plus("1:ID"))
    assert other_sentences(found) == ["1 word differs in PARSEME:MWE (m1)."]
    assert not compare(plus("*"), plus("*")).differs
    texts = other_sentences(compare(plus("*"), f"{SENTENCE}\n\n"))
    assert "The column PARSEME:MWE is gone in 1 sentence (m1)." in texts


def test_words_that_are_not_compared_are_named(compare: Compare) -> None:
    """Also edges of enhanced graphs are those of the same words, however these are numbered."""
    joined = re.sub(r"1-2.*\n|# text.*\n", "", SENTENCE).replace("2.1\t", "1.1\t")
    joined = re.sub(r"1\tde\t.*\n2\tla.*\n", "1\tdela\tdela\tADP\t_\t_\t2\tcase\t2:case\t_\n", joined)
    joined = joined.replace("1.1\tno\tno\tADV\t_\t_\t_\t_\t3:", "1.1\tno\tno\tADV\t_\t_\t_\t_\t2:")
    found = compare(f"{SENTENCE}\n\n", joined.replace("\n3\trana", "\n2\trana") + "\n\n")
    (line,) = not_compared_sentences(found)
    assert line.endswith("2 words here, 1 there (m1: de la → dela).")
    assert found.words_left_out == ("m1: de la → dela",)
    assert not any(each.kind.thing == "empty node" for each in found.others)
    assert found.words_differing["DEPS"] == found.words_differing["HEAD"] == 0


WITHOUT_HEAD = TEXT.replace("3\tcase\t3:case", "_\tcase\t3:case", 1)


def test_sentences_without_heads_are_compared_in_the_other_columns(compare: Compare) -> None:
    found = compare(TEXT, WITHOUT_HEAD)
    assert not found.groups
    assert summary(found) == [
        "Nothing that was compared differs in 2 sentences.",
        "HEAD and DEPREL are not compared in 1 sentence, because heads are not given (m1).",
    ]
    assert "the same" not in changelog(found)
    found = compare(WITHOUT_HEAD, WITHOUT_HEAD.replace("\tDET\t", "\tPRON\t", 1).replace("det", "mod"))
    assert {(group.kind.column, group.words) for group in found.groups} == {
        ("UPOS", 1), ("DEPREL", 1), ("DEPS", 1)
    }  # fmt: skip
    assert found.agreement.trees.tokens == 3
    assert found.not_compared == {("HEAD", "DEPREL"): ("m1",)}


def test_one_change_is_one_group(compare: Compare) -> None:
    """A relation that differs in the tree and in the enhanced graph; and an edge with another relation."""
    both = compare(TEXT, TEXT.replace("3\tdet\t3:det", "3\tamod\t3:amod"))
    (group,) = both.groups
    assert (group.columns, group.words, group.enhanced) == (("DEPREL", "DEPS"), 2, 2)
    assert both.words_differing["DEPS"] == both.words_differing["DEPREL"] == 2
    (group,) = compare(TEXT, TEXT.replace("3:det", "3:amod")).groups
    assert (group.columns, group.kind.base, group.kind.alternative) == (("DEPS",), "det", "amod")
    (group,) = compare(TEXT, TEXT.replace("3:det", "1:det")).groups
    assert (group.columns, group.kind.detail, group.words) == (("DEPS",), "moved", 2)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [("3:det", "3:amod", ("3:det", "3:amod")), ("Gloss=the", "_", ("Gloss=the", "no Gloss"))],
)
def test_drawings_mark_the_word_and_its_value(
    compare: Compare, old: str, new: str, shown: tuple[str, str]
) -> None:
    (group,) = compare(TEXT, TEXT.replace(old, new)).groups
    lines = lines_of_group(group, ("a" * 60, "b" * 60))
    marked = [line for line in lines if line.startswith("*")]
    assert len(marked) == 2
    assert all(text in line for line in marked for text in (*shown, "2 la"))
    assert any("aa  bb" in line for line in lines)


def annotated(user: str, tag: str) -> str:
    return TEXT.replace("# text", f"# user_id = {user}\n# text").replace("\tDET\t", f"\t{tag}\t")


def test_annotators_of_one_file(tmp_path: Path) -> None:
    file = tmp_path / "all.conllu"
    file.write_text(annotated("x", "DET") + annotated("y", "PRON") + annotated("z", "DET") + TEXT)
    version = Version.of_file(read_conllu(file))
    versions = Annotators.parse("user_id").divide(version)
    assert [(each.name, len(each)) for each in versions] == [("x", 2), ("y", 2), ("z", 2)]
    assert versions[0].warnings == (f"2 of 8 sentences of {file} left out, because they have no # user_id",)
    found, apart = compare_all(versions, "user_id")
    assert apart == []
    assert [(each.base.name, each.alternative.name, each.differences) for each in found] == [
        ("x", "y", 2), ("x", "z", 0), ("y", "z", 2)
    ]  # fmt: skip
    assert [each.differs for each in found] == [True, False, True]
    chosen = Annotators.parse("user_id=z,x").divide(version)
    assert [each.name for each in chosen] == ["z", "x"]
    with pytest.raises(InputError, match="no sentence has # user_id = w"):
        Annotators.parse("user_id=w,x").divide(version)
    with pytest.raises(InputError, match="names no annotator"):
        Annotators.parse("nobody").divide(version)


def test_annotators_without_a_common_sentence_are_named(tmp_path: Path) -> None:
    """The others are compared, and sentences that only one of them has are counted."""
    alone = annotated("z", "DET").replace("della", "delle").replace("la\t", "le\t")
    alone = alone.replace("rana", "felis").replace("mosca", "canis").replace("\tde\t", "\tex\t")
    (tmp_path / "all.conllu").write_text(annotated("x", "DET") + annotated("y", "PRON") + alone)
    version = Version.of_file(read_conllu(tmp_path / "all.conllu"))
    x, y, z = Annotators.parse("user_id").divide(version)
    (found,), apart = compare_all((x, y, z), "user_id")
    assert (found.base.name, found.alternative.name) == ("x", "y")
    same = "have no sentence with the same words, so they are not compared"
    assert apart == [f"x and z {same}", f"y and z {same}"]
    with pytest.raises(InputError, match="x and z have no sentence with the same words; name two"):
        compare_all((x, z), "user_id")
    fewer = replace(y, sentences=y.sentences[:1], sets=y.sets[:1])
    table = pairs_table(compare_all((x, y, fewer), "user_id")[0])
    assert [row[table.headings.index("only in one")] for row in table.rows] == ["0", "1", "1"]
    assert "only in one" not in pairs_table(compare_all((x, y, x), "user_id")[0]).headings
    with pytest.raises(InputError, match="names only x; use a file"):
        Annotators.parse("user_id=x,x").divide(version)


@pytest.mark.parametrize(
    "changed", [f"{TEXT}{OTHER}\n\n", SENTENCE, f"{TEXT}{OTHER.replace('mosca', 'rosa')}"]
)
def test_changelogs_do_not_deny_a_change_of_the_number(compare: Compare, changed: str) -> None:
    for found in (compare(TEXT, changed), compare(changed, TEXT)):
        assert "No sentence was added or deleted" not in " ".join(changelog(found).split())
    assert "No sentence was added or deleted" in " ".join(
        changelog(compare(TEXT, TEXT.replace("DET", "X"))).split()
    )


def test_changelogs_say_of_what_a_column_did_not_change(compare: Compare) -> None:
    without = TEXT.replace("\t3\tdet", "\t_\tdet", 1)
    text = " ".join(changelog(compare(TEXT, without.replace("ADP", "X"))).split())
    assert text.endswith("did not change in what was compared.")
    assert " ".join(changelog(compare(TEXT, TEXT.replace("ADP", "X"))).split()).endswith(" did not change.")
