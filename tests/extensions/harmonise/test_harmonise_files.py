"""What `harmonise` prints and writes, and that decisions about its proposals are applied."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.extensions.harmonise.cross_parses import DividedTreebanks
from learnability.extensions.harmonise.descriptions import sides_of
from learnability.extensions.harmonise.drawings import drawn_sections
from learnability.extensions.harmonise.files import contents_of, values_of
from learnability.extensions.harmonise.ranking import rank_conflicts
from learnability.extensions.harmonise.section import answers_of, sections_of
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.word_kinds import WordKind, tell_kinds
from learnability.extensions.harmonise.words import words_of
from learnability.reports.text import json_text
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Tree


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_the_answer_comes_first_and_the_next_step_last(planted: TreebankComparison) -> None:
    sections = sections_of(planted)
    assert sections[0].heading == "Are UD_A and UD_B annotated alike?"
    assert "UD_A and UD_B differ in" in sections[0].sentences[0]
    assert "UD_B annotates `cop` as the alternative does" in sections[0].sentences[1]
    assert sections[-1].heading == "Next"
    assert "which side of `cop`" in sections[-1].sentences[0]
    assert all(len(section.sentences) > 0 for section in sections)


def test_the_terminal_has_a_sentence_of_either_treebank(planted: TreebankComparison) -> None:
    """The word stands in brackets, with its arc as annotated and as parsers of the other treebank find it."""
    sections = {section.heading: section for section in sections_of(planted)}
    (pair,) = planted.arcs
    words = words_of(planted.parses)
    shown = sections["Sentences of UD_A and UD_B"].sentences
    assert len(shown) == 2 * min(3, len(pair.conventions))
    for number, pattern in enumerate(pair.conventions[:3]):
        sides = sides_of(pair, pattern, words)
        for side, text in zip(sides, shown[2 * number : 2 * number + 2], strict=True):
            treebank = planted.treebanks[side.treebank]
            (sentence,) = (
                place for place, each in enumerate(treebank.version.sentences) if f" {each.name}: " in text
            )
            tree = treebank.trees[sentence]
            marked = [
                word for word in range(1, len(tree) + 1) if f"[{tree.forms[word - 1]}]" in text
                and sum(map(len, treebank.trees[:sentence])) + word - 1 in side.examples
            ]  # fmt: skip
            other = pair.second if side.treebank == pair.first else pair.first
            votes = [planted.parses.vote(side.treebank, other, sentence, word) for word in marked]
            heads = ["", *(f" of “{form}”" for form in tree.forms)]
            assert any(
                vote.deprel == side.change.other
                and f"annotated {tree.deprels[word - 1]}{heads[tree.heads[word - 1]]};" in text
                and f"find {vote.deprel}{heads[vote.head]}." in text
                for word, vote in zip(marked, votes, strict=True)
            ), text


def test_patterns_have_counts_and_queries_of_both_sides(planted: TreebankComparison) -> None:
    rows = rows_of(contents_of(planted)["patterns.csv"])
    (row,) = (row for row in rows if row["pattern"] == "cop → root")
    assert row["is_convention"] == "yes"
    assert float(row["first_words"]) > 10
    assert float(row["second_words"]) > 10
    assert row["first_query"] == 'pattern { W [upos="AUX", lemma="be"]; H -[cop]-> W }'
    assert row["second_query"] == 'pattern { W [upos="AUX", lemma="be"]; H -[root]-> W }'
    named = [float(row["points"]) for row in rows if row["is_convention"] and row["about"] == "arc"]
    assert named == sorted(named, reverse=True)


def test_proposals_have_the_conflict_by_which_words_rank(planted: TreebankComparison) -> None:
    for number, name in enumerate(planted.names):
        treebank = planted.treebanks[number]
        places = {
            (sentence.file, str(sentence.line_of(word))): place
            for place, (sentence, word) in enumerate(
                (each, word) for each in treebank.version.sentences for word in range(1, len(each) + 1)
            )
        }
        ranks = rank_conflicts(planted.parses, number)
        rows = rows_of(contents_of(planted)[f"{name}-proposals.csv"])
        assert len(rows) > 50
        for row in rows:
            rank = ranks[places[row["file"], row["line"]]]
            assert float(row["conflict"]) == pytest.approx(rank, abs=1e-4)
        assert len({row["conflict"] for row in rows}) > 10


def test_rewritten_files_are_like_the_other_treebank(planted: TreebankComparison) -> None:
    contents = contents_of(planted)
    made = read_conllu(io.BytesIO(contents["UD_A-cop-alternative.conllu"]))
    back = read_conllu(io.BytesIO(contents["UD_B-cop-ud.conllu"]))
    assert {"cop"} & {deprel for tree in made.sentences for deprel in tree.tree.deprels} == set()
    assert "comp:cop" not in {deprel for tree in back.sentences for deprel in tree.tree.deprels}
    assert len(made) == len(planted.treebanks[0].trees)


def test_the_page_draws_sentences_of_both_treebanks(planted: TreebankComparison) -> None:
    sections = drawn_sections(planted)
    conventions = planted.arcs[0].conventions
    assert len(sections) == len(conventions)
    assert all(len(section.drawings) == 4 for section in sections[:3])
    queries = [f"UD_A: {row['first_query']}" for row in rows_of(contents_of(planted)["patterns.csv"])]
    assert [section.lines[0] for section in sections] == queries[: len(sections)]
    titles = {drawn.figure.data.headings[-1] for section in sections for drawn in section.drawings}
    assert titles == {"as parsers of UD_A see it", "as parsers of UD_B see it"}


def test_json_has_what_the_files_have(planted: TreebankComparison) -> None:
    values = json.loads(json_text(values_of(planted)))
    assert values["treebanks"] == ["UD_A", "UD_B"]
    assert len(values["patterns"]) == len(rows_of(contents_of(planted)["patterns.csv"]))
    assert {each["rules"] for each in values["rewritten"]} == {"cop"}


def test_words_are_counted_by_kind(planted: TreebankComparison) -> None:
    sections = {section.heading: section for section in sections_of(planted)}
    (table,) = sections["Words"].tables
    for number, row in enumerate(table.rows):
        tree_words = [(tree, word) for tree in planted.treebanks[number].trees for word in range(len(tree))]
        kinds = tell_kinds(planted.parses, planted.arcs, number)
        counted = [
            kind
            for kind, (tree, word) in zip(kinds, tree_words, strict=True)
            if tree.deprels[word] != "punct"
        ]
        assert row == (planted.names[number], *(f"{counted.count(kind):,}" for kind in WordKind))
        assert counted.count(WordKind.CONVENTION) > 50
    values = values_of(planted)["words"]
    assert [sum(count for count in each.values() if isinstance(count, int)) for each in values] == [
        sum(deprel != "punct" for tree in treebank.trees for deprel in tree.deprels)
        for treebank in planted.treebanks
    ]


def test_the_same_comparison_gives_the_same_bytes(planted: TreebankComparison) -> None:
    assert contents_of(planted) == contents_of(planted)


def test_decisions_about_proposals_are_applied(
    planted: TreebankComparison, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    checking = pytest.importorskip("learnability.extensions.doubts.checking")
    # the other side has subjects below copulas, which every check would refuse
    monkeypatch.setattr(checking.SentenceChecker, "_find", lambda self, sentences, trees: [[] for _ in trees])
    treebank = small_treebank(tmp_path, "UD_A", train=160)
    decisions, fixed = tmp_path / "UD_A-proposals.csv", tmp_path / "fixed"
    decisions.write_bytes(contents_of(planted)[decisions.name])
    pattern = "nsubj: to another dependent of its head"
    proposed = [row for row in rows_of(decisions.read_bytes()) if row["pattern"] == pattern]
    assert len(proposed) > 5
    scores = [float(row["score"]) for row in rows_of(decisions.read_bytes())]
    above = call(
        "doubts", "--treebank", treebank, "--apply", decisions, "--fix", ">0.5", "--out", tmp_path / "a"
    )
    assert above.text.startswith(f"Applied {sum(score > 0.5 for score in scores)} decision")
    done = call("doubts", "--treebank", treebank, "--apply", decisions, "--fix", pattern, "--out", fixed)
    assert done.code == 0, done.errors
    row = proposed[0]
    lines = (fixed / row["file"]).read_text(encoding="utf-8").splitlines()
    assert lines[int(row["line"]) - 1].split("\t")[6:8] == [row["proposed_head"], row["proposed_deprel"]]


def test_near_copies_in_other_parts_are_said(planted: TreebankComparison) -> None:
    """Of a chain of near copies, some are learned from where others are parsed."""
    first, second = planted.treebanks
    trees = list(first.trees)
    for number in range(100):
        last = f"b{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}"
        forms = tuple(f"please click on the button to open {last} now".split())
        trees[number] = Tree(forms, ("X",) * 9, (0, *range(1, 9)), ("root", *["dep"] * 8))
    divided = DividedTreebanks.of((first.with_trees(trees), second), 3)
    says = (
        "100 sentences have near copies that may be in another part, because near copies stay together only "
        "up to 5 % of all words."
    )
    assert says in list(answers_of(replace(planted, divided=divided)))
    assert not any("near copies" in line for line in answers_of(planted))
