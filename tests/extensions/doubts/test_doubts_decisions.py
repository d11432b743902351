"""Decisions about doubts: they find their words again, change nothing else, and never break a tree."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubt_tables import write_table
from hypothesis import given
from hypothesis import strategies as st
from invoking import Call
from trees import is_tree, random_heads

from learnability import InputError
from learnability.extensions.doubts.applying import Applied, apply_decisions
from learnability.extensions.doubts.command import make_patch
from learnability.extensions.doubts.decisions import (
    ACCEPT,
    OPEN,
    REJECT,
    DecidedPlace,
    Decision,
    DecisionFile,
    parse_decisions,
    read_decisions,
)
from learnability.extensions.doubts.files import COLUMNS
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.merging import (
    accept_matching,
    decisions_typed,
    known_doubts,
    merge_decisions,
)
from learnability.treebanks.conllu_io import ConlluFile, read_conllu

HEADER = (
    "sent_id,file,line,word,form,head,deprel,proposed_head,proposed_deprel,also_word,also_head,also_deprel,"
    "score,pattern,content,decision,note"
)

WORDS = [
    ("1", "Who", "PRON", 2, "nsubj"),
    ("2", "sleeps", "VERB", 0, "root"),
    ("3", "near", "ADP", 1, "case"),
    ("4", "the", "DET", 2, "det"),
    ("5", "lake", "NOUN", 2, "obl"),
]


def block(
    words: Sequence[tuple[str, str, str, int, str]] = WORDS, sent_id: str = "s1", deps: str = "_"
) -> str:
    """A sentence in CoNLL-U, with comments, a range and things in MISC."""
    lines = [f"# sent_id = {sent_id}", "# text = ü", "1-2\tWhosleeps\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"]
    lines += [
        f"{number}\t{form}\t{form.lower()}\t{tag}\tX\t_\t{head}\t{deprel}\t{deps}\tA=b"
        for number, form, tag, head, deprel in words
    ]
    return "\n".join(lines) + "\n\n"


def file_of(*blocks: str, name: str = "x-ud-test.conllu", end: str = "\n", start: bytes = b"") -> ConlluFile:
    """A file as it is read."""
    data = start + "".join(blocks).replace("\n", end).encode()
    return read_conllu(io.BytesIO(data), name=name)


def decision(
    file: ConlluFile,
    word: int,
    head: int,
    deprel: str,
    verdict: Any = ACCEPT,
    also: Any = None,
    where: str = "d:2",
) -> Decision:
    """A decision about a word of the first sentence of a file."""
    sentence = file.sentences[0]
    place = DecidedPlace(
        sentence.content, word, sentence.tree.heads[word - 1], sentence.tree.deprels[word - 1]
    )
    arcs = (ProposedArc(word, head, deprel), *([ProposedArc(*also)] if also else []))
    return Decision(place, verdict, arcs, where)


def text_of(decisions: Sequence[Decision]) -> str:
    """A file of decisions."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER.split(","))
    for each in decisions:
        content, word, head, deprel = each.place[:4]
        also = each.arcs[1] if len(each.arcs) > 1 else ("", "", "")
        arcs_ = (head, deprel, *each.arcs[0][1:], *also)
        note = 'a note, with "quotes"\nand שלום <b>'
        row = ("id", "f", 1, word, each.form, *arcs_, each.score, each.pattern, content, each.verdict)
        writer.writerow((*row, note))
    return out.getvalue()


def arcs(file: ConlluFile, data: bytes) -> list[list[tuple[int, str]]]:
    """The arcs of all sentences of new bytes."""
    read = read_conllu(io.BytesIO(data), name=file.name)
    return [list(zip(s.tree.heads, s.tree.deprels, strict=True)) for s in read.sentences]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_only_the_cells_that_are_decided_change(end: str, start: bytes) -> None:
    file = file_of(block(), block(sent_id="s2", words=WORDS[:2]), end=end, start=start)
    applied = apply_decisions([file], [decision(file, 3, 5, "case"), decision(file, 4, 5, "det")])
    ((_, data),) = applied.files
    expected = file.data.replace(b"ADP\tX\t_\t1\tcase", b"ADP\tX\t_\t5\tcase")
    expected = expected.replace(b"DET\tX\t_\t2\tdet", b"DET\tX\t_\t5\tdet")
    assert data == expected
    assert (applied.changed, applied.accepted, applied.refused) == (2, 2, [])


def test_nothing_accepted_changes_no_byte() -> None:
    file = file_of(block(), end="\r\n")
    verdicts: list[Any] = [REJECT, "later", OPEN]
    applied = apply_decisions([file], [decision(file, 3, 5, "case", verdict) for verdict in verdicts])
    assert applied.files == [(file, file.data)]


def test_decisions_outlive_new_ids_order_and_releases() -> None:
    file = file_of(block(), block(sent_id="s2", words=WORDS[:2]))
    decided = [decision(file, 3, 5, "case")]
    later = [(*WORDS[0][:3], 5, "obj"), *WORDS[1:3], *WORDS[3:]]  # another word was corrected
    new = file_of(
        block(sent_id="n1", words=WORDS[:2]), block(sent_id="n2", words=later), name="y-ud-dev.conllu"
    )
    ((_, data),) = apply_decisions([new], decided).files
    assert data == new.data.replace(b"ADP\tX\t_\t1\tcase", b"ADP\tX\t_\t5\tcase")
    again = apply_decisions([read_conllu(io.BytesIO(data), name=new.name)], decided)
    assert (again.accepted, again.already, again.changed, again.refused) == (0, 1, 0, [])


def test_a_decision_holds_for_all_sentences_with_its_words() -> None:
    file = file_of(block(), block(sent_id="s2"))
    applied = apply_decisions([file], [decision(file, 3, 5, "case")])
    assert (applied.changed, applied.accepted) == (2, 1)


def test_what_a_copy_of_the_sentence_has_was_not_applied_before() -> None:
    """The second sentence has the arc; in the first it would close a cycle, and that is said."""
    first = [*WORDS[:4], ("5", "lake", "NOUN", 3, "obl")]
    second = [*WORDS[:2], ("3", "near", "ADP", 5, "case"), *WORDS[3:]]
    file = file_of(block(first), block(second, sent_id="s2"))
    applied = apply_decisions([file], [decision(file, 3, 5, "case")])
    assert (applied.changed, applied.accepted, applied.already) == (0, 0, 0)
    (refused,) = applied.refused
    assert "cycle" in refused.reason


def test_a_new_tag_changes_its_cell_alone() -> None:
    file = file_of(block())
    kept = replace(decision(file, 4, 2, "det"), upos="DET", proposed_upos="PRON")  # the arc stays
    both = replace(decision(file, 3, 5, "case"), upos="ADP", proposed_upos="PART")
    ((_, data),) = (applied := apply_decisions([file], [kept, both])).files
    expected = file.data.replace(b"the\tDET", b"the\tPRON")
    assert data == expected.replace(b"near\tADP\tX\t_\t1", b"near\tPART\tX\t_\t5")
    assert (applied.changed, applied.accepted, applied.refused) == (2, 2, [])
    again = apply_decisions([read_conllu(io.BytesIO(data), name=file.name)], [kept, both])
    assert (again.changed, again.already, again.refused) == (0, 2, [])


@pytest.mark.parametrize(
    ("upos", "new", "reason"),
    [
        ("ADP", "<b>", "'<b>' is no tag of UD, and the treebank does not have it"),
        ("ADP", "adp", "'adp' is no tag of UD"),
        ("ADP", "P\tART", r"'P\\tART' is no tag of UD"),
        ("NOUN", "PART", "word 3 has upos=ADP, no longer NOUN; decide again"),
    ],
)
def test_an_invalid_tag_is_refused_with_its_arc(upos: str, new: str, reason: str) -> None:
    file = file_of(block())
    applied = apply_decisions(
        [file],
        [replace(decision(file, 3, 5, "case"), upos=upos, proposed_upos=new), decision(file, 4, 5, "det")],
    )
    (refused,) = refusals(applied)
    assert re.search(reason, refused), refused
    assert applied.changed == 1


def test_people_that_choose_other_tags_are_named() -> None:
    file = file_of(block())
    one, other = (
        replace(decision(file, 3, 5, "case"), upos="ADP", proposed_upos=tag) for tag in ("", "PART")
    )
    agreed, conflicts = merge_decisions([DecisionFile([one]), DecisionFile([other]), DecisionFile([one])])
    assert (agreed, [len(each) for each in conflicts]) == ([], [2])


def refusals(applied: Applied) -> list[str]:
    """Why decisions were not applied."""
    return [each.reason for each in applied.refused]


@pytest.mark.parametrize(
    ("word", "head", "deprel", "reason"),
    [
        (2, 5, "conj", "the sentence would have no root"),
        (5, 0, "root", r"the sentence would have 2 roots \(words 2, 5\)"),
        (1, 3, "obl", "the heads would form a cycle through word [13]"),
        (3, 3, "case", "word 3 cannot be its own head"),
        (3, 9, "case", "word 3 cannot get head 9 in a sentence of 5 words"),
        (3, 0, "case", "only root has the head 0"),
        (3, 5, "root", "only root has the head 0"),
        (3, 5, "cse", "'cse' is no relation of UD"),
        (3, 5, "case\tx", "is no relation of UD"),
        (3, 5, "", "is no relation of UD"),
        (3, 5, "case:Ä", "is no relation of UD"),
    ],
)
def test_what_breaks_a_tree_is_refused_and_the_rest_is_done(
    word: int, head: int, deprel: str, reason: str
) -> None:
    file = file_of(block())
    applied = apply_decisions(
        [file], [decision(file, word, head, deprel), decision(file, 4, 5, "det:predet")]
    )
    assert applied.accepted == 1
    (refused,) = refusals(applied)
    assert re.search(reason, refused), refused
    assert refused.startswith(f"x-ud-test.conllu:{word + 3}: ")
    assert b"\t5\tdet:predet\t" in applied.files[0][1]


def test_what_is_not_there_any_more_is_refused() -> None:
    file, other = file_of(block()), file_of(block(words=WORDS[:4]))
    changed = file_of(block(words=[*WORDS[:2], ("3", "near", "ADP", 2, "advmod"), *WORDS[3:]]))
    decided = [decision(file, 3, 5, "case")]
    assert refusals(apply_decisions([other], decided)) == ["no sentence of the treebank has these words"]
    (reason,) = refusals(apply_decisions([changed], decided))
    assert reason.endswith("word 3 is advmod of 2, no longer case of 1; decide again")
    far = Decision(decided[0].place._replace(word=7), ACCEPT, (ProposedArc(7, 1, "case"),))
    assert refusals(apply_decisions([file], [far])) == [
        "x-ud-test.conllu:8: the sentence has 5 words, but no word 7"
    ]


def test_arcs_that_make_a_tree_only_together_are_applied_together() -> None:
    file = file_of(block())
    one, two = decision(file, 1, 3, "obl"), decision(file, 3, 5, "case")
    for order in ([one, two], [two, one]):
        applied = apply_decisions([file], order)
        assert (applied.accepted, applied.refused) == (2, [])
    swapped = [decision(file, 2, 5, "advcl"), decision(file, 5, 0, "root")]
    assert apply_decisions([file], swapped).accepted == 2
    linked = apply_decisions([file], [decision(file, 5, 0, "root", also=(2, 5, "advcl"))])
    assert (linked.accepted, linked.changed) == (1, 2)


def test_two_decisions_about_a_word_name_each_other() -> None:
    file = file_of(block())
    first = decision(file, 5, 0, "root", also=(2, 5, "advcl"), where="a.csv:4")
    second = decision(file, 2, 5, "conj", where="b.csv:9")
    applied = apply_decisions([file], [first, second])
    assert applied.accepted == 1
    assert refusals(applied) == ["x-ud-test.conllu:5: a.csv:4 gives word 2 another arc"]


def test_enhanced_graphs_follow_new_arcs_and_only_these_count() -> None:
    """A word with another tag alone has no other arc, so its enhanced edge does not count."""
    file = file_of(block(deps="1:case"))
    tag = replace(decision(file, 4, 2, "det"), upos="DET", proposed_upos="PRON")
    applied = apply_decisions([file], [decision(file, 3, 5, "case"), tag])
    assert (applied.changed, applied.arcs, applied.followed) == (2, 1, 1)
    assert applied.files[0][1].count(b"5:case") == 1
    assert applied.files[0][1].count(b"1:case") == 4
    assert applied.unclear == []


def test_random_decisions_leave_trees_and_refuse_only_what_breaks_them() -> None:
    generator = random.Random(3)
    accepted = refused = 0
    for _ in range(300):
        size = generator.randint(2, 7)
        heads = random_heads(generator, size)
        words = [
            (str(i), f"w{i}", "NOUN", head, "root" if head == 0 else "dep") for i, head in enumerate(heads, 1)
        ]
        file = file_of(block(words))
        decided = []
        for word in generator.sample(range(1, size + 1), generator.randint(1, size)):
            head = generator.choice([i for i in range(size + 1) if i != word])
            decided.append(decision(file, word, head, "root" if head == 0 else "obl"))
        applied = apply_decisions([file], decided)
        (after,) = arcs(file, applied.files[0][1])
        assert is_tree([head for head, _ in after])
        kept = [each for each in decided if each not in [r.decision for r in applied.refused]]
        expected = [(head, "root" if head == 0 else "dep") for head in heads]
        for each in kept:
            expected[each.place.word - 1] = (each.arcs[0].head, each.arcs[0].deprel)
        assert after == expected
        for each in applied.refused:  # by itself, none of them could have been applied to what came out
            broken = [head for head, _ in after]
            broken[each.decision.place.word - 1] = each.decision.arcs[0].head
            assert not is_tree(broken)
        accepted, refused = accepted + applied.accepted, refused + len(applied.refused)
    assert min(accepted, refused) > 100


def test_a_file_of_decisions_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = file_of(block())
    decided = [decision(file, 3, 5, "case"), decision(file, 5, 0, "root", REJECT, also=(2, 5, "advcl"))]
    for separator, start in ((",", ""), (";", "\ufeff"), ("\t", "")):
        path = tmp_path / "d.csv"
        rows = list(csv.reader(io.StringIO(text_of(decided))))
        out = io.StringIO()
        csv.writer(out, delimiter=separator).writerows(rows)
        path.write_text(start + out.getvalue(), encoding="utf-8", newline="")
        read = read_decisions(str(path)).decisions
        assert [(each.place, each.outcome) for each in read] == [
            (each.place, each.outcome) for each in decided
        ]
        assert {each.sent_id for each in read} == {"id"}
        kept = parse_decisions(decisions_typed(str(path)), "kept").decisions
        assert [(each.place, each.outcome) for each in kept] == [
            (each.place, each.outcome) for each in decided
        ]


GOOD = "id,f,1,3,near,1,case,5,case,,,,0.9,P,0123456789abcdef,accept,"


def test_a_row_about_a_value_needs_no_arc() -> None:
    """`harmonise` writes such rows, because the arc stays."""
    sentence = file_of(block()).sentences[0]
    text = "content,word,head,deprel,column,value,proposed_value,proposed_head,proposed_deprel,decision\n"
    text += f"{sentence.content},3,1,case,upos,ADP,ADV,,,accept\n"
    (read,) = parse_decisions(text, "words.csv").decisions
    assert (read.arcs, read.proposed_value) == ((), "ADV")
    with pytest.raises(InputError, match="proposed_head '' is not the number of a word"):
        parse_decisions(text.replace("upos,ADP,ADV", "head,,"), "words.csv")


def test_the_second_proposal_can_be_accepted() -> None:
    columns = [column.name for column in COLUMNS]
    row = dict.fromkeys(columns, "") | {
        "content": "0123456789abcdef", "word": "3", "head": "1", "deprel": "case", "proposed_head": "2",
        "proposed_deprel": "obl", "also_word": "2", "also_head": "1", "also_deprel": "obj",
        "second_head": "4", "second_deprel": "mark", "decision": "Second",
    }  # fmt: skip

    def read(**changed: str) -> Decision:
        lines = [",".join(columns), ",".join({**row, **changed}[name] for name in columns)]
        (found,) = parse_decisions("\n".join(lines), "d.csv").decisions
        return found

    assert read().verdict == ACCEPT
    assert read().arcs == (ProposedArc(3, 4, "mark"),)
    linked = read(second_also_word="4", second_also_head="1", second_also_deprel="conj")
    assert linked.arcs == (ProposedArc(3, 4, "mark"), ProposedArc(4, 1, "conj"))
    assert read(decision="accept").arcs == (ProposedArc(3, 2, "obl"), ProposedArc(2, 1, "obj"))
    with pytest.raises(
        InputError, match=r"d.csv:2: there is no second proposal; use accept, reject or later"
    ):
        read(second_head="")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("accept", "yes", r"d.csv:2: decision 'yes' is unknown; use accept, second, both, reject or later"),
        (",3,near", ",three,near", r"d.csv:2: word 'three' is not the number of a word"),
        (",3,near", ",\u0663,near", r"d.csv:2: word '\u0663' is not"),
        (",3,near", f",{'9' * 5000},near", r"d.csv:2: word '9{40}' is not"),
        (",1,case", ",,case", r"d.csv:2: head '' is not"),
        ("0123456789abcdef", "x", r"d.csv:2: content 'x' has not sixteen digits"),
        ("0123456789abcdef", "=HYPERLINK(1)", r"d.csv:2: content '=HYPERLINK\(1\)'"),
        ("0.9", "0,9", r"d.csv:2: "),
        ("0.9", "many", r"d.csv:2: score 'many' is not a number"),
        (",,,,0.9", ",4,x,,0.9", r"d.csv:2: also_head 'x' is not"),
        (",,,,0.9", ",3,2,det,0.9", r"d.csv:2: also_word 3 is the word itself"),
        ("id", "i" * 140_000, r"d.csv:2: the line cannot be read"),
        (
            "id,f,1,3,near,1,case,5,case,,,,0.9,P",
            ",,,,,,,,,,,,,P",
            r"d.csv:2: a whole pattern can only be rejected",
        ),
    ],
)
def test_hostile_rows_are_refused_with_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "d.csv"
    assert old in GOOD
    path.write_text(f"{HEADER}\n{GOOD.replace(old, new, 1)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_decisions(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sent_id,word\n", "d.csv:1: there is no column content"),
        ("content,decision\n", "d.csv:1: there is no column word"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_decisions(str(path))


@given(st.lists(st.text(max_size=12), max_size=20), st.text(max_size=60))
def test_whatever_a_file_holds_is_read_or_refused(cells: list[str], tail: str) -> None:
    for text in (tail, f"{HEADER}\n{','.join(cells)}\n{tail}", f"{HEADER}\n{GOOD}\n{tail}"):
        try:
            parse_decisions(text, "d")
        except InputError as error:
            assert str(error).startswith("d:")  # noqa: PT017 (most texts raise nothing)


def test_people_agree_or_are_named() -> None:
    file = file_of(block())
    anna = DecisionFile(
        [decision(file, 3, 5, "case", where="anna:2"), decision(file, 4, 5, "det", where="anna:3")]
    )
    ben = DecisionFile(
        [
            decision(file, 3, 5, "case", where="ben:2"),
            decision(file, 4, 5, "det", REJECT, where="ben:3"),
            decision(file, 5, 1, "obj", "later", where="ben:4"),
        ]
    )
    agreed, conflicts = merge_decisions([anna, ben])
    assert [(each.where, each.place.word) for each in agreed] == [("anna:2", 3)]
    assert [[each.where for each in conflict] for conflict in conflicts] == [["anna:3", "ben:3"]]
    other = DecisionFile([decision(file, 3, 5, "mark", where="cy:2")])
    assert len(merge_decisions([anna, other])[1]) == 1
    assert merge_decisions([anna, anna])[1] == []


def test_doubts_are_accepted_in_bulk() -> None:
    file = file_of(block())
    open_ = [decision(file, word, 5, "case", OPEN) for word in (1, 3, 4)]
    rows = [
        Decision(each.place, verdict, each.arcs, pattern=pattern, score=score)
        for each, verdict, pattern, score in zip(
            open_, (OPEN, REJECT, OPEN), ("P", "P", "Q"), (0.5, 0.95, 0.91), strict=True
        )
    ]
    choose = DecisionFile(rows)
    assert [each.verdict for each in accept_matching(choose, ["P"]).decisions] == [ACCEPT, REJECT, OPEN]
    assert [each.verdict for each in accept_matching(choose, [">0.9"]).decisions] == [OPEN, REJECT, ACCEPT]
    assert [each.verdict for each in accept_matching(choose, ["> .4"]).decisions] == [ACCEPT, REJECT, ACCEPT]
    arrow = DecisionFile([replace(each, pattern="case → dep:der") for each in rows])
    for typed in ("case → dep:der", "case -> dep:der"):
        assert [each.verdict for each in accept_matching(arrow, [typed]).decisions] == [
            ACCEPT,
            REJECT,
            ACCEPT,
        ]
    for unknown in ("R", ">0.99", "P.*", ""):
        with pytest.raises(InputError, match="no row fits"):
            accept_matching(choose, [unknown])


def test_sentences_with_the_same_words_are_one_in_bulk() -> None:
    file = file_of(block(), block(sent_id="s2"))

    def row(head: int, score: float, verdict: Any = OPEN) -> Decision:
        return replace(decision(file, 3, head, "case", verdict), score=score)

    for rows, heads in (
        ([row(4, 0.91), row(5, 0.95)], [5]),  # the most doubtful decides
        ([row(4, 0.95), row(5, 0.95), row(4, 0.92)], [4]),
        ([row(4, 0.95), row(5, 0.92, ACCEPT)], [5]),  # what was decided stands
        ([row(4, 0.95), row(5, 0.92, REJECT)], []),
        ([row(4, 0.95, "later"), row(5, 0.92)], []),
    ):
        agreed, conflicts = merge_decisions([accept_matching(DecisionFile(rows), [">0.9"])])
        assert conflicts == []
        assert [each.arcs[0].head for each in agreed if each.verdict == ACCEPT] == heads
        applied = apply_decisions([file], agreed)
        assert (applied.changed, applied.refused) == (2 * len(heads), [])


def test_what_is_decided_is_known(tmp_path: Path) -> None:
    file = file_of(block())
    decided = [
        decision(file, 3, 5, "case"),
        decision(file, 4, 5, "det", REJECT),
        decision(file, 5, 1, "obj", OPEN),
    ]
    path = tmp_path / "d.csv"
    path.write_text(text_of(decided) + ",,,,,,,,,,,,,P -> Q,,reject,\n", encoding="utf-8")
    known = known_doubts((decisions_typed(str(path)),))
    verdicts = [known.find_verdict(each.place, "other") for each in decided]
    assert verdicts == [ACCEPT, REJECT, OPEN]
    assert known.find_verdict(decided[2].place, "P -> Q") == REJECT
    against = tmp_path / "e.csv"
    against.write_text(text_of([decision(file, 4, 5, "det")]), encoding="utf-8")
    both = known_doubts((decisions_typed(str(path)), decisions_typed(str(against))))
    assert both.find_verdict(decided[1].place, "") == OPEN  # they disagree


def test_the_content_is_that_of_the_words_alone() -> None:
    first, renamed = file_of(block()), file_of(block(sent_id="other"))
    corrected = file_of(block([*WORDS[:2], ("3", "near", "X", 5, "dep"), *WORDS[3:]]))
    shorter = file_of(block(WORDS[:4]))
    contents = [each.sentences[0].content for each in (first, renamed, corrected, shorter)]
    assert contents[0] == contents[1] == contents[2] != contents[3]
    withheld = [(number, "_", tag, head, deprel) for number, _, tag, head, deprel in WORDS]
    hidden = [file_of(block(withheld, sent_id=name)).sentences[0] for name in ("a", "b")]
    assert hidden[0].content != hidden[1].content


@pytest.mark.parametrize("tail", ["\n", ""])
def test_git_applies_patches(tmp_path: Path, tail: str) -> None:
    generator = random.Random(1)
    for number in range(8):
        size = generator.randint(1, 40)
        before = [f"line {i}\tü\r".encode() for i in range(size)]
        after = [line + b"x" if generator.random() < 0.15 else line for line in before]
        old, new = b"\n".join(before) + tail.encode(), b"\n".join(after) + tail.encode()
        patch = make_patch("a file.txt", old, new)
        assert (patch == b"") == (old == new)
        if old != new:
            folder = tmp_path / f"{number}"
            folder.mkdir()
            (folder / "a file.txt").write_bytes(old)
            subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, cwd=folder, check=True)
            assert (folder / "a file.txt").read_bytes() == new


HOSTILE = (
    "</script><script>x()</script>",
    'a,b "c"',
    "שלום",
    "\u202etxt",
    "-- /dev/null",
    "=cmd|' /C'!A0",
    "{{7*7}}",
)
"""Words that a treebank may hold."""


def test_words_of_all_kinds_go_through_file_patch_and_treebank(call: Call, tmp_path: Path) -> None:
    words = [
        (str(i), form, "X", min(1, i - 1), "root" if i == 1 else "dep") for i, form in enumerate(HOSTILE, 1)
    ]
    file = file_of(block(words, sent_id="<i>ש"), block(sent_id="s2"))
    content = file.sentences[0].content
    folder = tmp_path / "UD_X"
    folder.mkdir()
    path = folder / "x-ud-test.conllu"
    path.write_bytes(file.data)
    rows = [
        {
            **dict.fromkeys(HEADER.split(","), ""), "sent_id": "<i>ש", "form": form, "word": word, "head": 1,
            "deprel": "dep", "proposed_head": 2, "proposed_deprel": "dep", "content": content,
            "decision": "accept", "note": form,
        }
        for word, form in enumerate(HOSTILE, start=1)
        if word > 2
    ]  # fmt: skip
    write_table(tmp_path / "decisions.csv", rows)
    apply = ("--treebank", folder, "--apply", tmp_path / "decisions.csv")
    patch = call("doubts", *apply, "--diff")
    assert patch.code == 0, patch.errors
    (tmp_path / "fix.patch").write_bytes(patch.output)
    subprocess.run(["git", "apply", str(tmp_path / "fix.patch")], cwd=folder, check=True)
    first, _, second = file.data.partition(b"\n\n")
    expected = first
    for form in HOSTILE[2:]:
        cells = f"{form}\t{form.lower()}\tX\tX\t_\t"
        expected = expected.replace(f"{cells}1".encode(), f"{cells}2".encode())
    assert path.read_bytes() == expected + b"\n\n" + second
    again = call("doubts", *apply, "--out", tmp_path / "new")
    assert again.text.startswith(
        f"Applied 0 decisions: 0 words changed.\n{len(rows)} decisions had been applied"
    )


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    """A treebank of one file, and decisions beside it."""
    folder = tmp_path / "UD_X"
    folder.mkdir()
    file = file_of(block(), block(sent_id="s2", words=WORDS[:2]))
    (folder / "x-ud-test.conllu").write_bytes(file.data)
    good = [decision(file, 3, 5, "case"), decision(file, 5, 1, "obj", OPEN)]
    (tmp_path / "decisions.csv").write_text(text_of(good), encoding="utf-8")
    (tmp_path / "bad.csv").write_text(text_of([decision(file, 4, 0, "root"), *good]), encoding="utf-8")
    (tmp_path / "ben.csv").write_text(text_of([decision(file, 3, 5, "case", REJECT)]), encoding="utf-8")
    return folder


def test_files_are_written_elsewhere(call: Call, treebank: Path, tmp_path: Path) -> None:
    path = treebank / "x-ud-test.conllu"
    before, apply = path.read_bytes(), ("--treebank", treebank, "--apply", tmp_path / "decisions.csv")
    after = before.replace(b"ADP\tX\t_\t1\tcase", b"ADP\tX\t_\t5\tcase")
    result = call("doubts", *apply, "--out", tmp_path / "new")
    assert (result.code, path.read_bytes()) == (0, before), result.errors
    assert (tmp_path / "new" / path.name).read_bytes() == after
    assert result.text.startswith("Applied 1 decision: 1 word changed.")
    (tmp_path / "new" / path.name).write_bytes(b"mine")
    refused = call("doubts", *apply, "--out", tmp_path / "new")
    assert refused.code == 2
    assert "exists and would change" in refused.errors
    assert call("doubts", *apply, "--diff").output == make_patch(path.name, before, after)


def test_the_folder_of_the_corrected_files_is_the_whole_treebank(
    call: Call, treebank: Path, tmp_path: Path
) -> None:
    other = treebank / "x-ud-dev.conllu"
    other.write_bytes(file_of(block(sent_id="d1", words=WORDS[:2])).data)
    new, apply = tmp_path / "new", ("--treebank", treebank, "--apply", tmp_path / "decisions.csv")
    new.mkdir()
    (new / "LICENSE.txt").write_bytes(b"mine")
    done = call("doubts", *apply, "--out", new)
    assert done.code == 0, done.errors
    assert {path.name for path in new.iterdir()} == {"LICENSE.txt", other.name, "x-ud-test.conllu"}
    assert (new / "LICENSE.txt").read_bytes() == b"mine"
    assert (new / other.name).read_bytes() == other.read_bytes()
    (new / other.name).write_bytes(b"mine")
    refused = call("doubts", *apply, "--out", new)
    assert (refused.code, (new / other.name).read_bytes()) == (2, b"mine")
    assert f"{new / other.name} exists and would change" in refused.errors


def test_a_check_names_what_is_accepted_but_not_applied(call: Call, treebank: Path, tmp_path: Path) -> None:
    check = ("doubts", "--treebank", treebank, "--check", "1.0", "--decisions")
    before, refused = (f"x-ud-test.conllu:{line}: accepted, but not applied: " for line in (6, 7))
    found = call(*check, tmp_path / "bad.csv")
    assert (found.code, before in found.errors, refused in found.errors) == (1, True, True)
    assert "2 accepted words not applied" in found.errors
    assert call(*check, tmp_path / "ben.csv").code == 0  # it rejects
    assert call(*check, tmp_path / "bad.csv", "--column", "lemma").code == 0
    call("doubts", "--treebank", treebank, "--apply", tmp_path / "bad.csv", "--out", treebank, "--force")
    left = call(*check, tmp_path / "bad.csv")
    assert (left.code, before in left.errors, refused in left.errors) == (1, False, True)
    assert call(*check, tmp_path / "decisions.csv").code == 0


def test_compressed_files_are_written_decompressed_and_named_so(
    call: Call, treebank: Path, tmp_path: Path
) -> None:
    path = treebank / "x-ud-test.conllu"
    data = path.read_bytes()
    path.unlink()
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data))
    apply = ("--treebank", treebank, "--apply", tmp_path / "decisions.csv")
    result = call("doubts", *apply, "--out", tmp_path / "new")
    assert result.text.endswith(f"Wrote {path.name} to {tmp_path / 'new'}\n")
    assert [each.name for each in (tmp_path / "new").iterdir()] == [path.name]
    refused = call("doubts", *apply, "--diff")
    assert (refused.code, refused.text) == (2, "")
    assert "is compressed; decompress it, or leave out --diff" in refused.errors


def test_what_is_refused_is_said_and_the_rest_is_written(call: Call, treebank: Path, tmp_path: Path) -> None:
    apply = ("--treebank", treebank, "--apply", tmp_path / "bad.csv", "--out", tmp_path / "new")
    result = call("doubts", *apply)
    assert result.code == 1
    assert "bad.csv:3: not applied: x-ud-test.conllu:7: the sentence would have 2 roots" in result.errors
    assert b"ADP\tX\t_\t5\tcase" in (tmp_path / "new" / "x-ud-test.conllu").read_bytes()
    both = call("doubts", *apply, "--apply", tmp_path / "ben.csv", "--json", "--force")
    assert both.code == 1
    assert re.search("decided differently: .*bad.csv:5 accept case of 5, .*ben.csv:3 reject", both.errors)


@pytest.mark.parametrize("flag", [("--diff",), ("--fix", ">0.9")])
def test_options_of_applying_need_decisions(call: Call, flag: tuple[str, ...]) -> None:
    result = call("doubts", "--treebank", "demo", *flag)
    assert result.code == 2
    assert f"{flag[0]} needs doubts or decisions; add --apply" in result.errors


def test_bulk_fixes_are_those_of_the_list(call: Call, treebank: Path, tmp_path: Path) -> None:
    file = file_of(block())
    listed = [decision(file, 3, 5, "case", OPEN), decision(file, 4, 5, "det", OPEN)]
    rows = [
        Decision(each.place, OPEN, each.arcs, pattern="P" * number, score=0.9 + number / 100)
        for number, each in enumerate(listed)
    ]
    (tmp_path / "doubts.csv").write_text(text_of(rows), encoding="utf-8")
    apply = ("--treebank", treebank, "--apply", tmp_path / "doubts.csv", "--diff")
    assert b"+4\tthe\tthe\tDET\tX\t_\t5\tdet" in call("doubts", *apply, "--fix", "P").output
    assert call("doubts", *apply, "--fix", ">0.5").output.count(b"\n+") == 3
    unknown = call("doubts", *apply, "--fix", "Q")
    assert unknown.code == 2
    assert "no row fits 'Q'; copy a pattern from the column pattern" in unknown.errors
