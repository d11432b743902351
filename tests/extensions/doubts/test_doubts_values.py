"""Doubts about tags, features, lemmas and subtypes: values, evidence, and decisions about them."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_treebanks import demo_treebank

from learnability import InputError
from learnability.extensions.doubts.applying import apply_decisions
from learnability.extensions.doubts.cells import score_column, score_columns
from learnability.extensions.doubts.column_evidence import DAMPING, doubt_column, fuse_orders
from learnability.extensions.doubts.columns import (
    GROUPS,
    LEMMA,
    RARE,
    SUBTYPE,
    UPOS,
    XPOS,
    column_typed,
    doubted_words,
    is_chosen,
    value_columns,
    values_in,
)
from learnability.extensions.doubts.decisions import (
    ACCEPT,
    DecidedPlace,
    Decision,
    parse_decisions,
    read_decisions,
)
from learnability.extensions.doubts.merging import decisions_typed, known_doubts
from learnability.extensions.doubts.results import ColumnScores
from learnability.extensions.doubts.study import check_columns
from learnability.extensions.doubts.words import ColumnWords
from learnability.parsers.classified_words import ClassifiedWords
from learnability.regularities.lemma_edits import edit_of
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

TEXT = """# sent_id = s1
1\tDogs\tdog\tNOUN\tN\tNumber=Plur\t2\tnsubj\t_\tA=1
2\tbark\tbark\tVERB\tV\tTense=Pres|VerbForm=Fin\t0\troot\t_\t_
3\tloudly\tloud\tADV\tR\t_\t2\tadvmod:loud\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\tP\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    """All trees of the bundled treebank."""
    treebank = demo_treebank()
    return [sentence.tree for _, part in treebank.splits() for sentence in part]


def file_of(text: str = TEXT) -> ConlluFile:
    return read_conllu(io.BytesIO(text.encode()), name="x-ud-test.conllu")


def decision(file: ConlluFile, word: int, column: str, old: str, new: str, verdict: str = ACCEPT) -> Decision:
    """A decision about a value of the first sentence of a file."""
    place = DecidedPlace.of(file.sentences[0].content, word, (9, "dep"), column, old)
    return Decision(place, verdict, (), f"d:{word}", proposed_value=new)  # type: ignore[arg-type]


def test_columns_and_groups_are_chosen_by_name() -> None:
    for name in (*GROUPS, "feats:Number[psor]"):
        assert column_typed(f" {name} ") == name
    for wrong in ("tags", "feats:", "", "upos:NOUN"):
        with pytest.raises(InputError, match="there is no column"):
            column_typed(wrong)
    assert column_typed("XPOS") == "xpos"
    assert is_chosen("feats:Case", ())
    assert is_chosen("feats:Case", ["feats"])
    assert is_chosen("feats:Case", ["lemma", "feats:Case"])
    assert not is_chosen("feats:Case", ["feats:Gender", "upos"])
    assert (is_chosen(SUBTYPE, ()), is_chosen(SUBTYPE, [SUBTYPE])) == (False, True)


@pytest.mark.parametrize(
    ("feats", "name", "value", "expected"),
    [
        ("_", "Case", "Acc", "Case=Acc"),
        ("Case=Nom|Number=Sing", "Gender", "Fem", "Case=Nom|Gender=Fem|Number=Sing"),
        ("Case=Nom", "Case", "", "_"),
        ("abbr=Yes|Case=Nom", "Zeta", "A", "abbr=Yes|Case=Nom|Zeta=A"),
        ("Gender=Masc|Weird|Number=Sing", "Gender", "Fem", "Gender=Fem|Number=Sing|Weird"),
        ("Case=Acc|Case=Nom|Empty=", "Gender", "Fem", "Case=Acc|Case=Nom|Empty=|Gender=Fem"),
    ],
)
def test_a_feature_goes_where_the_validator_wants_it(
    feats: str, name: str, value: str, expected: str
) -> None:
    tree = Tree(("a",), ("X",), (0,), ("root",), feats=(feats,))
    assert tree.with_value(1, f"feats:{name}", value).feats == (expected,)


def test_a_value_is_read_where_it_was_written(trees: Sequence[Tree]) -> None:
    columns = value_columns(trees)
    assert {UPOS, LEMMA, "feats:Number"} <= set(columns)
    for tree in trees[:20]:
        for column in columns:
            changed = tree.with_value(2, column, "New")
            assert values_in(changed, column)[1] == "New"
            for other in columns:
                before, after = list(values_in(tree, other)), list(values_in(changed, other))
                if other == column:
                    before[1] = after[1] = ""
                assert before == after


def test_words_are_doubted_where_their_tag_has_the_feature(trees: Sequence[Tree]) -> None:
    sample = trees[:15]
    tags = [tag for tree in sample for tag in tree.upos]
    relations = [deprel for tree in sample for deprel in tree.deprels]
    for column in value_columns(sample):
        values = [value for tree in sample for value in values_in(tree, column)]
        expected = []
        for word, (tag, value) in enumerate(zip(tags, values, strict=True)):
            if column in (UPOS, LEMMA):
                is_doubted = value != "_"
            elif column == SUBTYPE:
                kind = relations[word].split(":")[0]
                is_doubted = len({name for name in relations if name.split(":")[0] == kind}) > 1
            else:
                having = sum(1 for other, v in zip(tags, values, strict=True) if other == tag and v)
                is_doubted = value != "" or having > RARE * tags.count(tag)
            expected.append(is_doubted and tag != "PUNCT")
        assert doubted_words(sample, column).tolist() == expected


def test_an_edit_makes_the_lemma_again(trees: Sequence[Tree]) -> None:
    pairs = {pair for tree in trees for pair in zip(tree.forms, tree.lemmas, strict=True)}
    draw = random.Random(1)
    letters = "aAbBßİıΣς́ é"
    for _ in range(2000):
        form, lemma = ("".join(draw.choices(letters, k=draw.randint(1, 6))) for _ in range(2))
        pairs.add((form, lemma))
    for form, lemma in sorted(pairs):
        assert edit_of(form, lemma).apply(form) == lemma
    assert edit_of("Dogs", "dog") == edit_of("cats", "cat")
    assert edit_of("was", "be") != edit_of("saw", "be") or edit_of("was", "be").apply("saw") == "be"
    assert edit_of("dogs", "dog").apply("a") == ""  # nothing would be left


def test_a_classifier_reads_everything_but_the_value_in_doubt(trees: Sequence[Tree]) -> None:
    """The features of a word do not change with its value; those of its neighbours do."""
    sample = list(trees[:30])
    for column in value_columns(sample):
        doubted = np.flatnonzero(doubted_words(sample, column))
        if not len(doubted):
            continue
        words = ClassifiedWords(sample, 20)
        target = int(doubted[len(doubted) // 2])
        place = [(i, word) for i, tree in enumerate(sample) for word in range(1, len(tree) + 1)][target]
        changed = list(sample)
        new = f"{universal(sample[place[0]].deprels[place[1] - 1])}:new" if column == SUBTYPE else "New"
        changed[place[0]] = sample[place[0]].with_value(place[1], column, new)
        at = np.array([target])
        before = words.keys(column, [value for tree in sample for value in values_in(tree, column)], at)
        values = [value for tree in changed for value in values_in(tree, column)]
        after = ClassifiedWords(changed, 20).keys(column, values, at)
        assert (before == after).all(), column


def test_a_planted_tag_is_doubted_and_the_right_one_proposed(trees: Sequence[Tree]) -> None:
    train, test = list(trees[:-40]), list(trees[-40:])
    number, word = next(
        (i, word) for i, tree in enumerate(test) for word, tag in enumerate(tree.upos, 1) if tag == "DET"
    )
    test[number] = test[number].with_value(word, UPOS, "VERB")
    (scores,) = score_columns(train, test, [UPOS], 1)
    asked = np.flatnonzero(doubted_words([*train, *test], UPOS))
    asked = asked[asked >= sum(map(len, train))] - sum(map(len, train))
    place = asked.tolist().index(sum(map(len, test[:number])) + word - 1)
    assert scores.margins[place] == min(scores.margins)
    assert scores.names[scores.rivals[place]] == "DET"
    again = score_column(ClassifiedWords([*train, *test], len(train)), UPOS, 1)
    assert again == scores  # the same, whatever was classified before


def counted(trees: Sequence[Tree], column: str) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The values of doubted words, and their form with its neighbours."""
    flags = iter(doubted_words(trees, column).tolist())
    values, contexts = [], []
    for tree in trees:
        forms = ["<", *(form.lower() for form in tree.forms), ">"]
        for i, value in enumerate(values_in(tree, column)):
            if next(flags):
                values.append(value)
                contexts.append((forms[i], forms[i + 1], forms[i + 2]))
    return values, contexts


@pytest.mark.parametrize("column", [UPOS, LEMMA, "feats:Number"])
def test_evidence_is_counted_over_the_other_words(trees: Sequence[Tree], column: str) -> None:
    sample = trees[:60]
    values, contexts = counted(sample, column)
    rivals = [f"{value}x" for value in values]
    names = sorted(set(rivals))
    scores = ColumnScores(
        column=column, margins=[-1.0] * len(values), rivals=[names.index(r) for r in rivals], names=names
    )
    found = doubt_column(ColumnWords(sample), [scores])
    assert [found.names[value] for value in found.values] == values
    assert [found.names[value] for value in found.proposed] == rivals  # all margins speak against it
    key = Counter(contexts)
    both = Counter(zip(contexts, values, strict=True))
    expected = [
        -np.log((both[context, value] - 1 + 0.5) / (key[context] - 1 + 1.0))
        for context, value in zip(contexts, values, strict=True)
    ]
    assert found.evidence["value by context"].tolist() == pytest.approx(expected)


def test_disagreement_with_the_head_surprises_where_others_agree() -> None:
    def pair(first: str, second: str) -> Tree:
        feats = tuple(f"Gender={gender}" if gender else "_" for gender in (first, second))
        return Tree(("a", "b"), ("ADJ", "NOUN"), (2, 0), ("amod", "root"), ("a", "b"), (), feats)

    sample = [pair("Fem", "Fem")] * 9 + [pair("Masc", "Fem"), pair("", "Fem")]
    words = len(sample) * 2
    scores = ColumnScores(column="feats:Gender", margins=[1.0] * words, rivals=[0] * words, names=["Neut"])
    evidence = doubt_column(ColumnWords(sample), [scores]).evidence
    surprise = -np.log(1 - (9 + 0.5) / (9 + 1.0))  # nine other pairs, and all agree
    assert evidence["disagrees with the head"].tolist() == pytest.approx([0.0] * 18 + [surprise, 0, 0, 0])
    assert evidence["dependents disagree"].tolist() == pytest.approx([0.0] * 19 + [surprise, 0, 0])
    assert evidence["proposal agrees with the head"][18] == pytest.approx(surprise)


def test_only_the_cell_that_is_decided_changes() -> None:
    file = file_of()
    decided = [
        decision(file, 1, UPOS, "NOUN", "PROPN"),
        decision(file, 3, LEMMA, "loud", "loudly"),
        decision(file, 2, "feats:Tense", "Pres", ""),
        decision(file, 2, "feats:Number", "", "Plur"),
    ]
    applied = apply_decisions([file], decided)
    expected = TEXT.replace("NOUN", "PROPN").replace("loud\t", "loudly\t", 1)
    expected = expected.replace("Tense=Pres|VerbForm=Fin", "Number=Plur|VerbForm=Fin")
    assert applied.files[0][1].decode() == expected
    assert (applied.accepted, applied.changed, applied.refused) == (4, 3, [])
    again = apply_decisions([file_of(expected)], decided)
    assert (again.accepted, again.already, again.files[0][1].decode()) == (0, 4, expected)


@pytest.mark.parametrize(
    ("word", "column", "old", "new", "reason"),
    [
        (1, UPOS, "NOUN", "THING", "no tag of UD"),
        (1, UPOS, "VERB", "ADJ", "word 1 has upos=NOUN, no longer VERB"),
        (1, LEMMA, "dog", "", "no lemma"),
        (1, LEMMA, "dog", "a\tb", "no lemma"),
        (1, "feats:Number", "Plur", "sing|x", "no feature"),
        (1, "feats:Number", "Dual", "Sing", "has Number=Plur, no longer Dual"),
        (3, "feats:Number", "Plur", "Sing", "has no-Number"),
        (9, UPOS, "NOUN", "ADJ", "no word 9"),
    ],
)
def test_what_cannot_be_applied_is_refused(word: int, column: str, old: str, new: str, reason: str) -> None:
    file = file_of()
    applied = apply_decisions([file], [decision(file, word, column, old, new)])
    assert applied.files == [(file, file.data)]
    assert reason in applied.refused[0].reason


def test_two_values_for_one_place_are_refused() -> None:
    file = file_of()
    tag = replace(decision(file, 1, UPOS, "NOUN", "PROPN"))
    arc = Decision(
        DecidedPlace(tag.place.content, 1, 2, "nsubj"), ACCEPT, (), "d:9", upos="NOUN", proposed_upos="ADJ"
    )
    applied = apply_decisions([file], [tag, arc])
    (refused,) = applied.refused
    assert "another decision gives word 1 PROPN" in refused.reason


def test_decisions_of_values_survive_a_file(tmp_path: Path) -> None:
    folder = tmp_path
    content = file_of().sentences[0].content
    header = "content,word,head,deprel,column,value,proposed_value,proposed_head,proposed_deprel,decision\n"
    rows = [
        f"{content},1,2,nsubj,upos,NOUN,PROPN,2,nsubj,accept\n",
        f"{content},2,0,root,feats:Tense,Pres,,0,root,reject\n",
        f"{content},1,2,nsubj,,,,2,obj,accept\n",
        f"{content},3,2,advmod:loud,subtype,,,2,advmod,accept\n",
    ]
    (folder / "d.csv").write_text(header + "".join(rows), encoding="utf-8")
    read = read_decisions(str(folder / "d.csv")).decisions
    assert [each.place.column for each in read] == ["upos", "feats:Tense", "head", "subtype"]
    assert [len(each.arcs) for each in read] == [0, 0, 1, 1]
    (folder / "kept.csv").write_text(decisions_typed(str(folder / "d.csv")), encoding="utf-8")
    kept = read_decisions(str(folder / "kept.csv")).decisions
    assert [(each.place, each.verdict, each.arcs, each.values) for each in kept] == [
        (each.place, each.verdict, each.arcs, each.values) for each in read
    ]
    known = known_doubts([decisions_typed(str(folder / "d.csv"))])
    # a decision about a tag holds whatever the arc is, and says nothing of the arc
    assert known.find_verdict(DecidedPlace.of(content, 1, (7, "x"), UPOS, "NOUN"), "") == ACCEPT
    assert known.find_verdict(DecidedPlace.of(content, 1, (7, "x"), UPOS, "ADJ"), "") == ""
    assert known.find_verdict(DecidedPlace.of(content, 2, (0, "root"), "head", ""), "") == ""
    (folder / "wrong.csv").write_text(header + rows[0].replace("upos", "tag"), encoding="utf-8")
    with pytest.raises(InputError, match="there is no column 'tag'"):
        read_decisions(str(folder / "wrong.csv"))


ROW = (
    "content,word,head,deprel,proposed_head,proposed_deprel,decision,upos,proposed_upos,column,value,"
    "proposed_value\n"
)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ("2,nsubj,2,nsubj,accept,NOUN,PART,upos,NOUN,PROPN", [("upos", "NOUN", "PART")]),
        ("2,nsubj,2,nsubj,accept,NOUN,,upos,NOUN,PROPN", [("upos", "NOUN", "PROPN")]),
        (
            "2,nsubj,2,nsubj,accept,NOUN,PROPN,lemma,dog,Dog",
            [("lemma", "dog", "Dog"), ("upos", "NOUN", "PROPN")],
        ),
    ],
)
def test_a_tag_of_ones_own_counts_in_every_row(cells: str, values: list[tuple[str, str, str]]) -> None:
    file = parse_decisions(f"{ROW}{'0' * 16},1,{cells}\n", "d.csv")
    assert [tuple(value) for value in file.decisions[0].values] == values


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (
            "2,nsubj,2,obj,accept,NOUN,,lemma,dog,Dog",
            "d.csv:2: proposed_head and proposed_deprel are not read",
        ),
        (
            "2,nsubj,3,obj,accept,NOUN,,head,,PROPN",
            "d.csv:2: proposed_value is not read in a row of column head",
        ),
    ],
)
def test_a_proposal_that_a_row_does_not_read_is_refused(cells: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_decisions(f"{ROW}{'0' * 16},1,{cells}\n", "d.csv")


def test_a_feature_that_no_word_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TEXT, encoding="utf-8")
    trees = [sentence.tree for sentence in read_conllu(path)]
    check_columns(trees, ["upos", "feats", "feats:Number"])
    with pytest.raises(InputError, match=r"'feats:Numbr' is there in no word.* upos, lemma, feats:Number, "):
        check_columns(trees, ["feats:Number", "feats:Numbr"])


def test_xpos_is_a_column_where_it_says_more_than_upos() -> None:
    def trees(*xpos: str) -> list[Tree]:
        tags = ("DET", "NOUN", "VERB", "PUNCT")
        deprels = ("det", "nsubj", "root", "punct")
        return [Tree(("the", "cat", "sleeps", "."), tags, (2, 3, 0, 3), deprels, xpos=xpos)]

    copy, own = trees("D", "N", "V", "."), trees("D", "N", "V", ".") * 9 + trees("D", "NP", "V", ".")
    assert XPOS not in value_columns(copy * 10)
    assert XPOS in value_columns(own)
    assert doubted_words(own[-1:], XPOS).tolist() == [True, True, True, False]
    check_columns(own, [XPOS])
    with pytest.raises(InputError, match="'xpos' is there in no word, or says no more than UPOS"):
        check_columns(copy, [XPOS])


def test_three_orders_of_lemmas_are_joined_and_other_columns_stay() -> None:
    generator = np.random.default_rng(3)
    improbable, mostly = generator.random(40), generator.integers(0, 2, 40).astype(float)
    evidence = {
        "value by form": improbable,
        "mostly as proposed by form": mostly,
        "margin rank": generator.normal(size=40),
    }
    score = generator.random(40)
    assert fuse_orders(UPOS, score, evidence) is score

    def rank(values: list[float], item: int) -> int:
        return sum(value > values[item] for value in values)

    votes = [score.tolist(), evidence["margin rank"].tolist()]
    unusual = (improbable * mostly).tolist()
    joined = [
        sum(1 / (DAMPING + rank(each, item)) for each in [*votes, *([unusual] if unusual[item] else [])])
        for item in range(40)
    ]
    found = fuse_orders(LEMMA, score, evidence)
    assert sorted(found) == sorted(score)
    assert sorted(range(40), key=lambda item: -found[item]) == sorted(
        range(40), key=lambda item: -joined[item]
    )
