from __future__ import annotations

from itertools import combinations

import pytest
from small_treebanks import demo_treebank

from learnability.treebanks.labels import universal
from learnability.treebanks.locate import DEMO_FOLDER
from learnability.treebanks.sentence import Sentence, Treebank


@pytest.fixture(scope="module")
def demo() -> Treebank:
    return demo_treebank()


def everything(demo: Treebank) -> list[Sentence]:
    return [sentence for _, part in demo.splits() for sentence in part]


def test_sizes_and_conventions(demo: Treebank) -> None:
    assert {name: len(part) for name, part in demo.splits()} == {"train": 230, "dev": 40, "test": 600}
    assert demo.conventions.version == 2
    assert demo.conventions.flat_name
    assert demo.warnings == ()
    assert demo.train[0].starts_document


def test_sentence_ids_are_unique(demo: Treebank) -> None:
    names = [sentence.sent_id for sentence in everything(demo)]
    assert len(set(names)) == len(names)


def test_valid_at_level_2_of_the_official_validator() -> None:
    udtools = pytest.importorskip("udtools")
    files = sorted(map(str, DEMO_FOLDER.glob("*.conllu")))
    state = udtools.Validator(lang="ud", level=2, output=None).validate_files(files)
    assert bool(state), str(state)


@pytest.mark.parametrize(
    ("label", "least"),
    [
        ("case", 500), ("det", 500), ("mark", 100), ("cop", 100), ("aux:pass", 50), ("cc", 100),
        ("conj", 100), ("fixed", 100), ("goeswith", 30), ("flat:name", 200), ("acl:relcl", 30),
        ("cc:preconj", 5),
    ],
)  # fmt: skip
def test_every_construction_occurs(demo: Treebank, label: str, least: int) -> None:
    assert sum(sentence.tree.deprels.count(label) for sentence in everything(demo)) >= least


@pytest.mark.parametrize("label", ["fixed", "goeswith", "flat", "conj", "case", "det", "mark"])
def test_constructions_with_several_places_occur(demo: Treebank, label: str) -> None:
    """Two dependents of one kind on one head: expressions of three words, three conjuncts, ..."""
    several = 0
    for sentence in demo.train:
        heads = [
            head
            for head, deprel in zip(sentence.tree.heads, sentence.tree.deprels, strict=True)
            if universal(deprel) == label
        ]
        several += len(heads) > len(set(heads))
    assert several >= 5


def crossing(sentence: Sentence) -> bool:
    arcs = [tuple(sorted((word, head))) for word, head in enumerate(sentence.tree.heads, start=1)]
    return any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def test_a_few_sentences_are_non_projective(demo: Treebank) -> None:
    share = sum(map(crossing, demo.train)) / len(demo.train)
    assert 0.005 < share < 0.1


def test_multiword_tokens_and_empty_nodes_occur(demo: Treebank) -> None:
    ids = [line.split("\t")[0] for s in demo.train for line in s.lines if not line.startswith("#")]
    assert sum("-" in name for name in ids) >= 10
    assert 2 <= sum("." in name for name in ids) <= 20


def test_text_comments_are_the_forms_with_their_spaces(demo: Treebank) -> None:
    for sentence in everything(demo):
        text, skip = "", 0
        for line in sentence.lines:
            cells = line.split("\t")
            if line.startswith("#") or "." in cells[0] or (cells[0].isdigit() and int(cells[0]) <= skip):
                continue
            if "-" in cells[0]:
                skip = int(cells[0].split("-")[1])
            text += cells[1] + ("" if "SpaceAfter=No" in cells[9] else " ")
        assert f"# text = {text.strip()}" in sentence.lines
