"""The counts of differences are those of an independent script, and A B is the mirror image of B A."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import naive_annotation_diffs as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_treebanks import cut
from trees import labelled_trees

import learnability
from learnability.annotation_diffs.annotation_diff import AnnotationDiff, diff
from learnability.annotation_diffs.changes import changes_in, place_of
from learnability.annotation_diffs.difference_kinds import DifferenceKind
from learnability.annotation_diffs.matching import SentencePair
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Sentence, Tree

RELEASES = [
    ("UD_French-Sequoia", "2.8", "2.14"),
    ("UD_Tamil-TTB", "2.4", "2.8"),
    ("UD_Greek-GDT", "2.8", "2.12"),
]


def counted(pairs: list[SentencePair]) -> Counter[DifferenceKind]:
    return Counter(change.kind for pair in pairs for change in changes_in(pair))


def check_against_script(found: AnnotationDiff, first: list[Path], second: list[Path]) -> None:
    pairs = naive.pairs_of(naive.blocks_of(first), naive.blocks_of(second))
    same_words = [pair for pair in found.matching.pairs if not pair.is_reworded]
    assert len(same_words) == len(pairs)
    expected = naive.count(pairs)
    assert counted(same_words) == expected
    assert {group.kind: group.words for group in found.groups} == counted(list(found.matching.pairs))
    assert expected


def mirrored(found: AnnotationDiff) -> dict[object, object]:
    return {
        group.kind.mirror_kind(): (group.words, group.sentences, group.queries[::-1])
        for group in found.groups
    }


def check_mirrored(found: AnnotationDiff, back: AnnotationDiff) -> None:
    assert mirrored(found) == {
        group.kind: (group.words, group.sentences, group.queries) for group in back.groups
    }
    for group, other in zip(found.groups, back.groups, strict=True):
        assert group.words == other.words
    assert found.words == back.words
    assert (found.base_left_out, found.alternative_left_out) == (
        back.alternative_left_out,
        back.base_left_out,
    )
    one, two = found.matching, back.matching
    assert set(one.deleted) == set(two.new)
    assert set(one.copies_removed) == set(two.copies_added)
    assert {divided.whole.sent_id for divided in one.split} == {d.whole.sent_id for d in two.merged}
    assert Counter((row.removed, row.added, row.changed) for row in found.features) == Counter(
        (row.added, row.removed, row.changed) for row in back.features
    )
    assert [row.alpha for row in found.agreement.columns] == pytest.approx(
        [row.alpha for row in back.agreement.columns], nan_ok=True
    )


@pytest.mark.parametrize(("name", "earlier", "later"), RELEASES)
def test_releases_have_the_counts_of_the_script(
    history_home: Path, thorough: bool, tmp_path: Path, name: str, earlier: str, later: str
) -> None:
    """Of 100 sentences of each file, of which the first 20 were deleted and the last 20 are new."""
    folders = []
    for release in (earlier, later):
        whole = history_home / f"ud-treebanks-v{release}" / name
        if not whole.is_dir():
            pytest.skip(f"no {name} {earlier} and {later} below {history_home}")
        folders.append(tmp_path / whole.parent.name / name)
        folders[-1].mkdir(parents=True)
        for path in whole.glob("*.conllu"):
            first, count = (0, 1 << 20) if thorough else (20 * len(folders), 100)
            cut(path, folders[-1] / path.name, first, count)
    files = [
        [
            folder / path
            for split in ("train", "dev", "test")
            for path in sorted(folder.glob(f"*-{split}.conllu"))
        ]
        for folder in folders
    ]
    found = diff(f"{name}@{earlier}", f"{name}@{later}", ud_home=tmp_path)
    check_against_script(found, *files)
    check_mirrored(found, diff(*folders[::-1]))


def test_a_rule_has_the_counts_of_the_script(tmp_path: Path, demo_file: Path) -> None:
    file = learnability.read_conllu(demo_file)
    rule = get_transformation("cop")
    changed = tmp_path / "changed.conllu"
    trees = [rule.apply(sentence.tree, labels="external") for sentence in file]
    changed.write_bytes(learnability.write_conllu(file, trees, deps="keep"))
    found = diff(demo_file, changed)
    check_against_script(found, [demo_file], [changed])
    by_rule = diff(demo_file, lambda tree: rule.apply(tree, labels="external"))
    assert [(g.kind, g.words) for g in by_rule.groups] == [(g.kind, g.words) for g in found.groups]
    assert by_rule.unchanged == ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")


@pytest.fixture
def demo_file() -> Path:
    return Path(learnability.__file__).parent / "treebanks" / "data" / "UD_Demo" / "demo-ud-dev.conllu"


def test_a_file_against_itself_gives_nothing(demo_file: Path) -> None:
    found = diff(demo_file, demo_file)
    assert (found.groups, found.features, found.differs) == ((), (), False)
    assert found.agreement.trees.las == 100


@given(labelled_trees(("nsubj", "obj", "punct"), longest=7), st.randoms(use_true_random=False))
def test_places_are_those_of_the_script(tree: Tree, draw: object) -> None:
    rows = [["", "", "", "", "", "", str(head), ""] for head in tree.heads]
    for token in range(1, len(tree) + 1):
        for other in range(len(tree) + 1):
            if other not in (token, tree.heads[token - 1]):
                assert place_of(tree, token, other) == naive.place(rows, token, other)


def sentence(text: str, **columns: tuple[str, ...] | tuple[int, ...]) -> Sentence:
    forms = tuple(text.split())
    size = len(forms)
    values: dict[str, object] = {
        "upos": ("X",) * size,
        "heads": tuple(range(size)),
        "deprels": ("root", *["dep"] * (size - 1)),
    }
    return Sentence(Tree(forms, **{**values, **columns}))  # type: ignore[arg-type]


def test_words_that_only_one_side_has_are_left_out() -> None:
    before = [sentence("a b c d e f g h i j"), sentence("k l")]
    after = [sentence("a b c x y d e f g h j"), sentence("k l")]
    found = diff(before, after)
    assert (found.base_left_out, found.alternative_left_out) == (1, 2)
    check_mirrored(found, diff(after, before))


def test_counts_on_both_sides() -> None:
    before = [sentence("a b c", upos=("NOUN", "NOUN", "VERB")), sentence("d", upos=("NOUN",))]
    after = [sentence("a b c", upos=("PROPN", "NOUN", "VERB")), sentence("d", upos=("PROPN",))]
    (group,) = diff(before, after).groups
    assert (group.kind.base, group.kind.alternative, group.words, group.sentences) == ("NOUN", "PROPN", 2, 2)
    assert group.base_value is not None
    assert group.alternative_value is not None
    assert (group.base_value.base, group.base_value.of_base) == (3, 3)
    assert (group.base_value.alternative, group.base_value.of_alternative) == (1, 3)
    assert (group.alternative_value.base, group.alternative_value.alternative) == (0, 2)


def test_items_without_a_value_are_not_those_with_their_name_as_value() -> None:
    """``Weird``, ``Weird=`` and ``Weird=Weird`` differ in more than their order."""
    cells = ("Weird", "Weird=", "Weird=Weird")
    for one, other in permutations(cells, 2):
        (group,) = diff([sentence("a", feats=(one,))], [sentence("a", feats=(other,))]).groups
        assert (group.kind.column, group.kind.detail) == ("FEATS", "Weird")
        assert "" not in (group.kind.base, group.kind.alternative)
        (removed,) = diff([sentence("a", feats=(one,))], [sentence("a", feats=("_",))]).groups
        assert removed.kind.base
        assert removed.kind.alternative == ""


def test_the_lemma_any_is_a_lemma() -> None:
    (group,) = diff([sentence("a", lemmas=("any",))], [sentence("a", lemmas=("some",))]).groups
    assert group.kind.describe() == "any → some"
    assert group.queries == ('pattern { W [lemma="any"] }', 'pattern { W [lemma="some"] }')


def test_punctuation_comes_last() -> None:
    before = [sentence("a b c", deprels=("root", "dep", "punct"), heads=(0, 1, 1))]
    after = [sentence("a b c", deprels=("root", "obj", "punct"), heads=(0, 1, 2))]
    first, last = diff(before, after).groups
    assert (first.kind.column, first.is_apart) == ("DEPREL", False)
    assert (last.kind.column, last.kind.detail, last.is_apart) == ("HEAD", "sibling, grandparent", True)
