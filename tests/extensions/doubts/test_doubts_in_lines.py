"""Doubts in lines of text: each fits the width, and the marks are below the words that they are about."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from learnability.extensions.doubts.doubt import ELSEWHERE, FEW, NEVER_SAW, Doubt
from learnability.extensions.doubts.in_lines import (
    ANNOTATED,
    BOTH,
    GAP,
    INDENT,
    PROPOSED,
    WORD,
    group_by_cause,
    heading_of,
    lines_of_causes,
)
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.treebanks.sentence import Tree

FORMS = ["Thug", "an", "bPápacht", "cuairt", "ar", "an", "gcathair", "agus", "ar", "an", "tír"]


def tree_of(forms: list[str]) -> Tree:
    return Tree(tuple(forms), ("",) * len(forms), (), ())


def doubt(word: int = 5, head: int = 8, proposed_head: int = 7, **changed: object) -> Doubt:
    """A doubt about a word of a sentence."""
    values: dict[str, object] = {
        "sentence": 0, "sent_id": "s1", "file": "ga-ud-train.conllu", "line": 1819,
        "word": word, "form": "ar", "upos": "ADP", "head": head, "deprel": "conj",
        "proposed_head": proposed_head, "proposed_deprel": "case", "also": None,
        "score": 0.97, "pattern": "ADP:ar",
    }  # fmt: skip
    return Doubt(**{**values, **changed})  # type: ignore[arg-type]


def lines_of(doubts: Sequence[Doubt], forms: list[str], width: int) -> list[str]:
    """What stands below the pattern of doubts about a sentence."""
    heading, *lines = lines_of_causes([doubts], [tree_of(forms)], width)
    assert heading == doubts[0].pattern + (f" ({len(doubts)} words)" if len(doubts) > 1 else "")
    return lines


def marked(sentence: str, marks: str) -> dict[str, str]:
    """The words that have a sign below all of their columns, and none elsewhere."""
    above: dict[str, str] = {}
    column = len(INDENT)
    for text in sentence.removeprefix(INDENT).split(" "):
        below = marks[column : column + cell_len(text)].strip()
        if below:
            assert below == below[0] * cell_len(text)
            assert below[0] not in above
            above[below[0]] = text
        column += cell_len(text)
        assert marks[column : column + 1].strip() == ""
        column += 1
    return above


def test_file_and_line_proposal_and_both_heads() -> None:
    first, sentence, marks = lines_of([doubt()], FORMS, 80)
    assert first == INDENT + "ga-ud-train.conllu:1819  ar  case of gcathair, not conj of agus  0.97"
    assert sentence == INDENT + " ".join(FORMS)
    assert marked(sentence, marks) == {WORD: "ar", PROPOSED: "gcathair", ANNOTATED: "agus"}
    assert marks.index(WORD) == sentence.index(" ar ") + 1  # the first of the two


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"proposed_head": 8}, "case, not conj, of agus"),
        ({"proposed_head": 0, "proposed_deprel": "root"}, "root, not conj of agus"),
        ({"head": 0, "deprel": "root"}, "case of gcathair, not root"),
        ({"word": 1, "head": 6, "proposed_head": 10}, "case of an (10), not conj of an (6)"),
        (
            {"also": ProposedArc(7, 0, "root")},
            "case of gcathair, not conj of agus; with it gcathair as root",
        ),
    ],
)
def test_every_kind_of_proposal_is_said(changed: dict[str, object], text: str) -> None:
    first, sentence, marks = lines_of([doubt(**changed)], FORMS, 100)  # type: ignore[arg-type]
    assert first == INDENT + f"ga-ud-train.conllu:1819  ar  {text}  0.97"
    signs = marked(sentence, marks)
    assert (BOTH in signs) == (changed.get("proposed_head") == 8)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("alphabet", ["abc", "語日本", "e\u0301"])
def test_lines_fit_and_marks_are_below_their_words(width: int, alphabet: str) -> None:
    generator = random.Random(width)
    for round_ in range(60):
        sizes = [1, 2, 4] if round_ % 2 else [1, 3, 6, 30]
        length = generator.randint(2, 90)
        forms = [
            "".join(generator.choices(alphabet, k=generator.choice(sizes))) + str(number)
            for number in range(1, length + 1)
        ]
        word, head, proposed = (generator.randint(1, length) for _ in range(3))
        if word in (head, proposed):
            continue
        lines = lines_of([doubt(word, head, proposed, form=forms[word - 1])], forms, width)
        *_, sentence, marks = lines
        assert all(cell_len(line) <= width for line in lines), lines
        signs = {WORD: word, ANNOTATED: head, PROPOSED: proposed}
        if head == proposed:
            signs = {WORD: word, BOTH: head}
        found = marked(sentence, marks)
        assert found.keys() == signs.keys()
        for sign, number in signs.items():
            assert (
                found[sign] == forms[number - 1]
                or found[sign][:-1] == forms[number - 1][: len(found[sign]) - 1]
            )
            assert (
                round_ % 2 == 0 or width < 80 or found[sign] == forms[number - 1]
            )  # short words are not cut
        if length > 80 and round_ % 2:
            assert cell_len(sentence) > width - 20  # there is as much of the sentence as fits


def test_a_long_sentence_keeps_what_the_doubt_is_about() -> None:
    forms = [f"w{number}" for number in range(1, 200)]
    _, sentence, marks = lines_of([doubt(100, 3, 190)], forms, 80)
    assert marked(sentence, marks) == {WORD: "w100", ANNOTATED: "w3", PROPOSED: "w190"}
    assert sentence.count(GAP) >= 2


def test_doubts_of_a_sentence_share_it() -> None:
    lines = lines_of([doubt(), doubt(9, 8, 11)], FORMS, 80)
    assert len(lines) == 5
    assert [marked(lines[2], line)[PROPOSED] for line in lines[3:]] == ["gcathair", "tír"]


def test_words_that_run_from_right_to_left_carry_their_marks() -> None:
    forms = ["הלך", "הילד", "אל", "הבית"]
    _, sentence = lines_of([doubt(3, 1, 4, form=forms[2])], forms, 80)
    assert sentence.split() == ["-הלך-", "הילד", "^אל^", "+הבית+"]
    for words in range(2, 40):
        lines = lines_of([doubt(3, 1, 4, form="אל")], forms + ["אל"] * words, 80)
        assert all(cell_len(line) <= 80 for line in lines)


def test_a_cause_is_one_entry_whatever_its_words_have() -> None:
    usual = "180 of 192 CCONJ have the relation cc"
    votes = f"4 of 4 parsers {NEVER_SAW} attach it to lake"
    copies = [f"{ELSEWHERE} has {value} at f:{line}" for value, line in (("amod", 3), ("NUM", 3), ("det", 9))]
    doubts = [
        doubt(1, deprel="obj", reason=usual),
        doubt(2, reason=votes, pattern="p"),
        doubt(3, deprel="flat", reason=f"{usual}; {votes}", pattern="q"),
        doubt(4, reason=votes, pattern="r"),  # other words, whatever the parsers say
        doubt(5, reason=copies[0], content="c"),
        doubt(5, reason=copies[1], content="c", column="upos"),
        doubt(5, reason=copies[2], content="c", sentence=1),
        doubt(6, reason=FEW, pattern="p"),
        doubt(7, proposed_deprel="obl", reason="det has the dependent nmod"),
        doubt(8, proposed_deprel="amod", reason="det has the dependent nmod"),  # the same rule
    ]
    causes = group_by_cause(doubts)
    assert [[each.word for each in cause] for cause in causes] == [[1, 3], [2, 6], [4], [5, 5, 5], [7, 8]]
    assert [heading_of(cause) for cause in causes] == [
        usual, "p", votes, f"{ELSEWHERE} is annotated otherwise at f:3",
        "det has the dependent nmod",
    ]  # fmt: skip
    lines = list(lines_of_causes(causes[1:2], [tree_of(FORMS)], 200))
    assert [line.endswith(f"0.97  {reason}") for line, reason in zip(lines[1:3], (votes, FEW), strict=True)]


def test_the_second_proposal_stands_beside_the_first() -> None:
    def text(*arcs: ProposedArc, **changed: object) -> str:
        return lines_of([doubt(second_arcs=arcs, **changed)], FORMS, 200)[0]  # type: ignore[arg-type]

    assert "  case of gcathair or det of tír, not conj of agus  " in text(ProposedArc(5, 11, "det"))
    assert "  case or det, not conj, of agus  " in text(ProposedArc(5, 8, "det"), proposed_head=8)
    assert "  case of agus or root, not conj of agus  " in text(ProposedArc(5, 0, "root"), proposed_head=8)
    # two heads look the same
    assert "  case of an (2) or det of an (6), not conj of agus (8)  " in text(
        ProposedArc(5, 6, "det"), proposed_head=2
    )
