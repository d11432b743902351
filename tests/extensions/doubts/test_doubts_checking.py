"""No decision makes a file worse: what brings an error is refused, and all others are applied."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_doubts_decisions import HEADER, WORDS, block, decision, file_of
from test_doubts_validator import needs_validator

from learnability import InputError, RunError
from learnability.extensions.doubts.applying import apply_decisions, find_unapplied
from learnability.extensions.doubts.columns import HEAD, UPOS
from learnability.extensions.doubts.decisions import (
    ACCEPT,
    DecidedPlace,
    Decision,
    ProposedValue,
    parse_decisions,
)
from learnability.extensions.doubts.doubt import Doubt, mark_breaking
from learnability.extensions.doubts.merging import DecidedDoubts, decisions_typed, known_doubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.treebanks import sentence_checks
from learnability.treebanks.conllu_io import ConlluFile, find_cycle
from learnability.treebanks.guidelines import Guidelines
from learnability.treebanks.sentence import Tree
from learnability.treebanks.sentence_checks import SentenceChecker
from learnability.treebanks.validator import Incident

OURS = SentenceChecker("")


def tag_decision(file: ConlluFile, word: int, new: str, *half: tuple[str, str]) -> Decision:
    """A decision that a word of the first sentence gets another tag, with the other half of it."""
    sentence = file.sentences[0]
    place = DecidedPlace.of(sentence.content, word, (0, ""), UPOS, sentence.tree.upos[word - 1])
    values = tuple(ProposedValue(column, "", value) for column, value in half)
    return Decision(place, ACCEPT, (), f"d:{word}", proposed_value=new, other_half=values)


def test_what_brings_an_error_is_refused_and_the_rest_is_applied() -> None:
    file = file_of(block())
    accepted = [decision(file, 5, 2, "obj"), decision(file, 4, 5, "det"), tag_decision(file, 4, "VERB")]
    applied = apply_decisions([file], accepted, checker=OURS)
    assert applied.accepted == 2
    ((_, data),) = applied.files
    assert b"4\tthe\tthe\tDET\tX\t_\t5\tdet" in data
    assert b"5\tlake\tlake\tNOUN\tX\t_\t2\tobj" in data
    (refused,) = applied.refused
    assert refused.decision is accepted[2]
    assert refused.reason.endswith(f"{SentenceChecker.OURS} finds a new error: tag (VERB cannot be det)")
    assert refused.reason.startswith("x-ud-test.conllu:7: ")


@pytest.mark.parametrize(("tag", "is_open"), [("ADP", True), ("NOUN", False), ("ADV", False)])
def test_an_accepted_tag_is_open_while_the_old_one_stands(tag: str, is_open: bool) -> None:
    accepted = tag_decision(file_of(block()), 3, "NOUN")
    file = file_of(block([*WORDS[:2], ("3", "near", tag, 1, "case"), *WORDS[3:]]))
    assert [each for _, each in find_unapplied(file.sentences, [accepted])] == [accepted] * is_open


def test_errors_that_were_there_before_refuse_nothing() -> None:
    words = [*WORDS[:3], ("4", "the", "VERB", 2, "det"), WORDS[4]]
    file = file_of(block(words))
    applied = apply_decisions([file], [decision(file, 5, 2, "obj")], checker=OURS)
    assert (applied.accepted, applied.refused) == (1, [])


def test_two_halves_go_in_together_and_not_alone() -> None:
    words = [*WORDS[:2], ("3", "and", "CCONJ", 2, "cc"), *WORDS[3:]]
    file = file_of(block(words))
    alone = tag_decision(file, 3, "INTJ")
    assert [r.decision for r in apply_decisions([file], [alone], checker=OURS).refused] == [alone]
    halves = ("deprel", "discourse"), ("xpos", "UH"), ("feats", "A=B"), ("lemma", "oh")
    both = tag_decision(file, 3, "INTJ", *halves)
    applied = apply_decisions([file], [both], checker=OURS)
    assert b"3\tand\toh\tINTJ\tUH\tA=B\t2\tdiscourse" in applied.files[0][1]
    assert (applied.accepted, applied.refused) == (1, [])
    arc = decision(file, 3, 2, "discourse")  # in two rows, too
    assert apply_decisions([file], [alone, arc], checker=OURS).accepted == 2


@pytest.mark.parametrize(
    ("half", "reason"),
    [
        (("deprel", "nonsense"), "'nonsense' is no relation of UD"),
        (("deprel", "root"), "word 3 cannot be 'root': only root has the head 0"),
        (("feats", "case"), "'case' are no features"),
    ],
)
def test_an_invalid_other_half_is_refused(half: tuple[str, str], reason: str) -> None:
    file = file_of(block())
    applied = apply_decisions([file], [tag_decision(file, 3, "ADV", half)])
    assert reason in applied.refused[0].reason
    assert applied.changed == 0


def random_decisions(file: ConlluFile, generator: random.Random) -> list[Decision]:
    """Decisions about words of the first sentence, of which many break rules."""
    deprels = ["det", "cop", "obj", "nsubj", "case", "cc", "conj", "obl", "advmod"]
    words = range(1, len(file.sentences[0]) + 1)
    found: list[Decision] = []
    for word in generator.sample(words, generator.randint(1, len(words))):
        if generator.random() < 0.5:
            found.append(tag_decision(file, word, generator.choice(["VERB", "ADP", "CCONJ", "DET", "AUX"])))
        else:
            head = generator.choice([head for head in words if head != word])
            found.append(decision(file, word, head, generator.choice(deprels), where=f"d:{word}"))
    return found


def broken(tree: Tree) -> set[tuple[int, str]]:
    """The words that break a rule, and the rules."""
    return set(Guidelines.find_violations(tree))


def test_random_decisions_bring_no_error_and_what_could_go_in_does() -> None:
    generator = random.Random(5)
    refused = applied_at_all = 0
    for _ in range(60):
        tags = [generator.choice(["NOUN", "VERB", "ADP", "DET", "CCONJ"]) for _ in WORDS]
        file = file_of(
            block(
                [
                    (n, form, tag, head, deprel)
                    for (n, form, _, head, deprel), tag in zip(WORDS, tags, strict=True)
                ]
            )
        )
        decisions = random_decisions(file, generator)
        before = broken(file.sentences[0].tree)

        def result(
            some: Sequence[Decision], checker: SentenceChecker | None = None, file: Any = file
        ) -> tuple[Tree, Any]:
            applied = apply_decisions([file], some, checker=checker)
            ((_, data),) = applied.files
            return file_of(data.decode()).sentences[0].tree, applied

        tree, applied = result(decisions, OURS)
        assert broken(tree) <= before
        assert not find_cycle(tree.heads)
        went = [each.decision for each in applied.refused]
        kept = [each for each in decisions if each not in went]
        assert result(kept)[0] == tree  # what stays is applied as a whole
        for each in went:  # brute force: nothing that was refused could have gone in
            other, again = result([*kept, each])
            assert again.refused or broken(other) - before or other == tree
        refused += len(went)
        applied_at_all += len(kept)
    assert min(refused, applied_at_all) > 20


def test_the_other_half_is_what_the_treebank_has() -> None:
    def tree(*words: tuple[str, str, str, str, str]) -> Tree:
        forms, tags, xpos, feats, deprels = zip(*words, strict=True)
        heads = [0, *[1] * (len(words) - 1)]
        return Tree(forms, tags, tuple(heads), deprels, xpos=xpos, feats=feats)

    usual = tree(
        ("go", "VERB", "V", "_", "root"),
        ("Yes", "INTJ", "UH", "_", "discourse"),
        ("and", "CCONJ", "C", "_", "cc"),
    )
    wrong = tree(
        ("go", "VERB", "V", "_", "root"),
        ("yes", "CCONJ", "C", "Case=Nom", "cc"),
        ("oh", "CCONJ", "C", "Case=Nom", "cc"),
    )
    halves = OtherHalves([usual] * 10 + [wrong])
    expected = {"deprel": "discourse", "xpos": "UH", "feats": "_"}
    assert halves.of_tag(wrong, 2, "INTJ") == expected
    assert halves.of_tag(wrong, 3, "INTJ") == expected  # an unknown form gets what its tag has
    assert halves.of_tag(usual, 2, "INTJ") == {}
    lemmas = ("go", "yup", "oh")
    with_lemmas = OtherHalves([replace(usual, lemmas=("go", "yes", "and"))] * 10)
    assert with_lemmas.cells(replace(wrong, lemmas=lemmas), 2, "INTJ")["lemma"] == "yes"
    assert "lemma" not in with_lemmas.cells(
        replace(wrong, lemmas=lemmas), 3, "INTJ"
    )  # nothing is known of it
    assert halves.of_relation(wrong, 2, "discourse") == {"upos": "INTJ", "xpos": "UH", "feats": "_"}
    assert halves.of_relation(wrong, 2, "cc") == {}
    assert "deprel" not in halves.of_tag(usual, 1, "INTJ")  # a root word stays one


ROW = "s,f,3,5,oh,2,cc,2,cc,,,,0.5,p,0123456789abcdef,both,,upos,ADP,INTJ,deprel=discourse xpos=UH feats=_"


def test_a_table_accepts_both_halves(tmp_path: Path) -> None:
    header = f"{HEADER},column,value,proposed_value,other_half"
    (read,) = parse_decisions(f"{header}\n{ROW}\n", "d").decisions
    assert read.verdict == ACCEPT
    assert [(column, new) for column, _, new in read.values] == [
        ("upos", "INTJ"), ("deprel", "discourse"), ("xpos", "UH"), ("feats", "_"),
    ]  # fmt: skip
    (alone,) = parse_decisions(f"{header}\n{ROW.replace('both', 'accept')}\n", "d").decisions
    assert [column for column, *_ in alone.values] == ["upos"]
    path = tmp_path / "d.csv"
    path.write_text(f"{header}\n{ROW}\n", encoding="utf-8")
    (kept,) = parse_decisions(decisions_typed(str(path)), "kept").decisions
    assert kept.values == read.values
    for old, new, message in (
        ("deprel=discourse xpos=UH feats=_", "", "there is no other half"),
        ("deprel=", "misc=", "'misc=discourse' is no other half"),
    ):
        with pytest.raises(InputError, match=f"d:2: {message}"):
            parse_decisions(f"{header}\n{ROW.replace(old, new)}\n", "d")


def test_what_was_accepted_does_not_come_back() -> None:
    header = f"{HEADER},column,value,proposed_value,other_half"
    arc = "s,f,3,4,oh,2,cc,3,obl:arg,,,,0.5,p,0123456789abcdef,accept,,head,,,"
    known = known_doubts([f"{header}\n{ROW}\n{arc}\n"])

    def verdict(*place: Any) -> str:
        return known.find_verdict(DecidedPlace.of("0123456789abcdef", *place), "")

    assert verdict(5, (2, "cc"), UPOS, "ADP") == verdict(5, (2, "cc"), UPOS, "INTJ") == ACCEPT
    assert verdict(4, (2, "cc"), HEAD, "") == verdict(4, (3, "obl:arg"), HEAD, "") == ACCEPT
    assert verdict(4, (3, "obl:arg"), "subtype", "") == ACCEPT
    assert verdict(5, (2, "cc"), UPOS, "NOUN") == verdict(4, (3, "obl"), HEAD, "") == ""


@needs_validator
def test_the_official_validator_refuses_in_its_own_words() -> None:
    file = file_of(block(), name="en_x-ud-test.conllu")
    checker = SentenceChecker.of([file.name])
    assert checker.language == "en"
    accepted = [decision(file, 5, 2, "obj"), tag_decision(file, 4, "VERB")]
    applied = apply_decisions([file], accepted, checker=checker)
    assert applied.accepted == 1
    (refused,) = applied.refused
    assert refused.decision is accepted[1]
    assert (
        "udvalidate --lang en) finds a new error: rel-upos-det ('det' should be 'DET' or 'PRON'"
        in refused.reason
    )


def test_our_checks_take_over_where_the_validator_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(text: bytes, language: str) -> list[Incident]:
        raise RunError("it broke off")

    monkeypatch.setattr(sentence_checks, "validate_text", break_off)
    file, checker = file_of(block()), SentenceChecker("en")
    applied = apply_decisions([file], [tag_decision(file, 4, "VERB")], checker=checker)
    assert (
        f"{SentenceChecker.OURS} (udvalidate broke off) finds a new error: tag" in applied.refused[0].reason
    )


def test_of_two_copies_only_one_takes_the_annotation_of_the_other() -> None:
    copy = [*WORDS[:3], ("4", "the", "DET", 5, "det"), ("5", "lake", "NOUN", 2, "obj")]
    file = file_of(block(), block(copy, sent_id="copy"))
    found = list_quick_doubts(file.sentences, DecidedDoubts())
    doubts = [doubt for doubt in found if doubt.column == HEAD and doubt.word == 4]
    assert [(doubt.sentence, doubt.proposed_head) for doubt in doubts] == [(0, 5), (1, 2)]
    there, back = (
        Decision(doubt.place, ACCEPT, tuple(doubt.proposed_arcs), f"d:{number}")
        for number, doubt in enumerate(doubts)
    )
    one = apply_decisions([file], [there])
    assert [trees[0].heads == trees[1].heads for _, trees in one.trees] == [True]
    assert (one.accepted, one.refused) == (1, [])
    both = apply_decisions([file], [there, back])
    assert [data for _, data in both.files] == [file.data]
    assert [each.reason for each in both.refused] == [
        f"d:{number} makes a copy of the sentence as this one is; accept one of the two" for number in (1, 0)
    ]
    assert known_doubts([]).find_verdict(doubts[1].place, "") == ""
    assert DecidedDoubts([there]).find_verdict(doubts[1].place, "") == ACCEPT  # one decision settles both


def doubt_of(file: ConlluFile, word: int, **changes: Any) -> Doubt:
    """A doubt about a word of the first sentence of a file."""
    return replace(Doubt.of_word(0, file.sentences[0], word), **changes)


def test_proposals_that_would_be_refused_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(block())
    doubts = [
        doubt_of(file, 4, column=UPOS, value="DET", proposed_value="VERB"),
        doubt_of(file, 4, proposed_head=5, proposed_deprel="det"),
        doubt_of(file, 2, proposed_head=5, proposed_deprel="acl"),
        doubt_of(file, 5, column="lemma", value="lake", proposed_value="see"),
    ]
    looked_at: list[Tree] = []
    check = Guidelines.find_violations

    def spy(tree: Tree) -> Iterator[tuple[int, str]]:
        looked_at.append(tree)
        return check(tree)

    monkeypatch.setattr(Guidelines, "find_violations", spy)
    marked = mark_breaking(doubts * 5, file.sentences, SentenceChecker(""))
    assert [doubt.would_break for doubt in marked] == ["tag", "", "cycle", ""] * 5
    assert sum(tree is file.sentences[0].tree for tree in looked_at) == 1
    assert len(looked_at) == 1 + 2 * 5  # a lemma breaks no rule, and what is no tree is not looked at
    assert [doubt.change(file.sentences[0].tree).heads[3] for doubt in doubts] == [2, 5, 2, 2]


def test_what_a_copy_has_otherwise_is_one_proposal() -> None:
    file, reason = file_of(block()), "the same sentence has it as root at x:16"
    doubts = [
        doubt_of(file, 5, proposed_head=0, proposed_deprel="root", reason=reason),
        doubt_of(file, 2, proposed_head=5, proposed_deprel="acl", reason=reason),
    ]
    alone = [replace(doubt, reason="") for doubt in doubts]
    assert [each.would_break for each in mark_breaking(alone, file.sentences, OURS)] == [
        "multiple-roots",
        "cycle",
    ]
    assert [each.would_break for each in mark_breaking(doubts, file.sentences, OURS)] == ["", ""]
