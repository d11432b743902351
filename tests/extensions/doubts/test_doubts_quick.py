"""What counting finds without training: listed with its reason, checked for a commit, joined and exported."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from doubt_tables import read_table, write_table
from invoking import Call
from rich.cells import cell_len
from small_treebanks import demo_treebank, small_treebank

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.in_lines import WIDTH, group_by_cause, lines_of_causes
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.transforms.relabelling import Relabelling, parsed_change
from learnability.treebanks.sentence import Sentence, Tree

LEVEL = "0.003"


def sentences() -> list[Sentence]:
    return list(demo_treebank().train)


def with_value(sentence: Sentence, field: str, word: int, value: str) -> Sentence:
    cells = list(getattr(sentence.tree, field))
    cells[word - 1] = value
    changes = {field: tuple(cells)}
    return replace(sentence, tree=replace(sentence.tree, **changes))  # type: ignore[arg-type]


def frequent(field: str) -> tuple[int, int, str]:
    """A sentence and a word with the most frequent form that is no punctuation, and its value in a column."""
    words = [
        (s.tree.forms[i].lower(), n, i + 1)
        for n, s in enumerate(sentences())
        for i in range(len(s))
        if s.tree.upos[i] != "PUNCT"
    ]
    forms = [form for form, *_ in words]
    form = max(dict.fromkeys(forms), key=forms.count)
    number, word = next((n, w) for f, n, w in words if f == form)
    return number, word, getattr(sentences()[number].tree, field)[word - 1]


@pytest.mark.parametrize(
    ("field", "column", "value"),
    [("upos", "upos", "ADJ"), ("lemmas", "lemma", "wrong"), ("xpos", "xpos", "WRONG")],
)
def test_a_planted_error_is_listed_with_its_reason(field: str, column: str, value: str) -> None:
    number, word, usual = frequent(field)
    every = sentences()
    every[number] = with_value(every[number], field, word, value)
    found = [
        d
        for d in list_quick_doubts(every, DecidedDoubts())
        if (d.sentence, d.word, d.column) == (number, word, column)
    ]
    (doubt,) = found
    assert (doubt.value, doubt.proposed_value) == (value, usual)
    assert doubt.score > 0.02
    counted, _, text = doubt.reason.partition(" of ")
    of, _, text = text.partition(" ")
    forms = [(f.lower(), t) for s in every for f, t in zip(s.tree.forms, getattr(s.tree, field), strict=True)]
    if column == "upos" and "form" in text:  # by an independent count
        form = every[number].tree.forms[word - 1].lower()
        assert int(of.replace(",", "")) == sum(f == form for f, _ in forms)
        assert int(counted.replace(",", "")) == sum(pair == (form, usual) for pair in forms)
    (only,) = list_quick_doubts(every, DecidedDoubts(), columns=[column])[:1]
    assert only.column == column


def test_missing_features_of_a_word_are_one_cause() -> None:
    words = 40
    feats = ["Number=Sing|Tense=Past"] * words
    feats[7] = "_"
    sentences = [
        Sentence(
            Tree(("went",), ("VERB",), (0,), ("root",), ("go",), ("VBD",), (cell,)),
            sent_id=str(number),
            file="f.conllu",
        )
        for number, cell in enumerate(feats)
    ]
    trees = [sentence.tree for sentence in sentences]
    (cause,) = group_by_cause(list_quick_doubts(sentences, DecidedDoubts()))
    assert [(d.sentence, d.column) for d in cause] == [(7, "feats:Number"), (7, "feats:Tense")]
    reason, line, *_ = lines_of_causes([cause], trees, 80)
    assert reason == f"{words - 1} of {words} VERB have Number=Sing"
    assert "went  Number=Sing|Tense=Past, not no-Number|no-Tense  0." in line


def test_words_with_a_feature_too_many_are_one_cause_whatever_their_relation() -> None:
    sentences = []
    for number in range(63):
        is_odd = number % 30 == 0
        deprel = "obj" if number == 30 else "nsubj"
        feats = ("Tense=Past" if is_odd else "_", "_")
        tree = Tree(("ox", f"v{number}"), ("NOUN", "VERB"), (2, 0), (deprel, "root"), feats=feats)
        sentences.append(Sentence(tree, sent_id=str(number)))
    (cause,) = group_by_cause(list_quick_doubts(sentences, DecidedDoubts()))
    assert sorted(doubt.sentence for doubt in cause) == [0, 30, 60]


def test_the_same_sentence_is_named_where_it_differs() -> None:
    every = sentences()
    first = next(s for s in every if len(s) > 4 and s.tree.deprels[1] not in ("root", "punct"))
    other = replace(with_value(first, "deprels", 2, "dep"), sent_id="other")
    found = list_quick_doubts([*every, first, other], DecidedDoubts())
    (doubt,) = [d for d in found if d.sentence == len(every) + 1 and d.column == HEAD and d.word == 2]
    assert doubt.reason.startswith(f"the same sentence has {first.tree.deprels[1]} at ")
    assert (doubt.proposed_head, doubt.proposed_deprel) == (first.tree.heads[1], first.tree.deprels[1])


@pytest.mark.parametrize(
    ("usual", "other", "rows", "score"), [(1, 1, 2, 0.5), (2, 2, 4, 0.5), (3, 1, 1, 0.75)]
)
def test_copies_count_by_how_many_agree(usual: int, other: int, rows: int, score: float) -> None:
    trees = [
        Tree(("no", "way"), ("DET", "NOUN"), (2, 0), (deprel, "root"))
        for deprel in ("det",) * usual + ("advmod",) * other
    ]
    found = list_quick_doubts([Sentence(each, str(n)) for n, each in enumerate(trees)], DecidedDoubts())
    assert [doubt.score for doubt in found] == [score] * rows


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A treebank with a wrong tag of a frequent form."""
    folder = small_treebank(tmp_path, "UD_Q", train=60)
    path = next(folder.glob("*train.conllu"))
    lines = path.read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if "\t" in line]
    forms = [cells[1].lower() for cells in rows if cells[3] != "PUNCT"]
    form = max(dict.fromkeys(forms), key=forms.count)
    at = next(i for i, line in enumerate(lines) if "\t" in line and line.split("\t")[1].lower() == form)
    cells = lines[at].split("\t")
    cells[3] = "X"
    lines[at] = "\t".join(cells)
    path.write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_a_check_lists_each_word_of_a_cause(call: Call) -> None:
    """Other lists have three; all are to be corrected."""
    text = call("doubts", "--treebank", "demo", "--column", "xpos", "--check", "0").text
    causes = re.findall(r"\((\d+) words\)\n((?: .*\n)+)", text)
    assert max(int(words) for words, _ in causes) > 3
    for words, lines in causes:
        assert len(re.findall(r"\.conllu:\d+  ", lines)) == int(words)


def test_a_check_ends_with_one_until_all_is_decided(call: Call, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "quick"
    quick = call("doubts", "--treebank", place, "--quick", "--out", out)
    assert quick.code == 0, quick.errors
    assert "have the tag" in quick.text
    wide = [line for line in quick.text.splitlines() if cell_len(line) > WIDTH]
    assert set(wide) <= {str(out / "doubts.html")}
    assert {path.name for path in out.iterdir()} == {"doubts.csv", "doubts.html"}
    rows = read_table(out)
    assert all(row["reason"] for row in rows)
    check = ("doubts", "--treebank", place, "--check", LEVEL)
    failed = call(*check)
    assert failed.code == 1
    above = [row for row in rows if float(row["score"]) >= float(LEVEL)]
    assert f"{len(above)} row" in failed.errors
    lines = call(*check, "--tsv").text.splitlines()
    assert lines[0].split("\t") == ["sent_id", "word", "form", "column", "old", "new", "reason", "rule"]
    wrong = next(line.split("\t") for line in lines if line.split("\t")[3:5] == ["upos", "X"])
    assert wrong[6].endswith(f"have the tag {wrong[5]}")
    baseline = write_table(tmp_path / "decisions.csv", [{**row, "decision": "reject"} for row in above])
    assert call(*check, "--decisions", baseline).code == 0
    assert call(*check, "--decisions", baseline).output == b""
    write_table(out / "doubts.csv", [{**row, "decision": "later"} for row in rows])
    refused = call("doubts", "--treebank", place, "--quick", "--out", out)
    assert (refused.code, "has decisions" in refused.errors) == (2, True)


def test_what_is_accepted_is_exported(call: Call, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "quick"
    call("doubts", "--treebank", place, "--quick", "--out", out)
    rows = read_table(out)
    wrong = next(row for row in rows if (row["column"], row["value"]) == ("upos", "X"))
    tag = {**wrong, "decision": "accept", "rule": "upos:X=DET,form=the"}
    old = place.joinpath(wrong["file"]).read_text(encoding="utf-8").split("\n")[int(wrong["line"]) - 1]
    value = {"value": old.split("\t")[2], "proposed_value": "new"}
    lemma = {**tag, **value, "column": "lemma", "reason": "else", "rule": ""}
    path = write_table(tmp_path / "d.csv", [tag, lemma])
    result = call("doubts", "--treebank", place, "--apply", path, "--tsv")
    assert result.code == 0, result.errors
    word = [wrong["sent_id"], wrong["word"], wrong["form"]]
    assert [line.split("\t") for line in result.text.splitlines()[1:]] == [
        [*word, "lemma", lemma["value"], "new", "else", ""],
        [*word, "upos", "X", wrong["proposed_value"], wrong["reason"], tag["rule"]],
    ]
    refused = call("doubts", "--treebank", place, "--apply", path, "--tsv", "--diff")
    assert refused.code == 2


def test_the_command_of_the_page_works_in_any_folder(
    call: Call, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list by counting belongs to no run, so its command names the treebank."""
    out = tmp_path / "quick"
    call("doubts", "--treebank", place, "--quick", "--out", out)
    page = (out / "doubts.html").read_text(encoding="utf-8")
    (command,) = set(re.findall(r"learnability (doubts --apply [^<&\"]+ --diff)", page))
    rows = read_table(out)
    wrong = next(row for row in rows if (row["column"], row["value"]) == ("upos", "X"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    write_table(Path("decisions.csv"), [{**wrong, "decision": "accept"}])
    done = call(*shlex.split(command))
    assert done.code == 0, done.errors
    assert "\n+" in done.text


def test_a_file_is_no_folder_for_a_list(call: Call, place: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = call("doubts", "--treebank", place, "--quick", "--out", tmp_path / "file")
    assert (refused.code, refused.text) == (2, "")
    assert "is a file; name a folder" in refused.errors


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--quick", "--seeds", "5"), "--seeds has no effect with --quick"),
        (("--quick", "--dry-run"), "--dry-run has no effect with --quick"),
        (("--check", "--out", "x"), "--out has no effect with --check"),
        (("--check", "--tsv", "--json"), "--json has no effect with --tsv"),
        (("--apply", "d.csv", "--column", "upos"), "--column has no effect with --apply"),
        (("--apply", "d.csv", "--diff", "--json"), "--json has no effect with --diff"),
        (("--join", "d.csv", "--join", "e.csv", "--json"), "--json has no effect with --join"),
    ],
)
def test_options_without_effect_are_refused(
    options: tuple[str, ...], problem: str, call: Call, tmp_path: Path
) -> None:
    done = call("doubts", *options)
    assert (done.code, done.text) == (2, "")
    assert problem in done.errors
    assert not [*tmp_path.iterdir()]


def test_training_is_not_imported(place: Path) -> None:
    import subprocess

    code = f"""
import sys
from learnability.cli import main
try:
    main(["doubts", "--treebank", {str(place)!r}, "--check", "1.0"])
except SystemExit as end:
    assert not end.code, end.code
assert "numba" not in sys.modules and "scipy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_two_people_are_joined_and_nothing_is_lost(call: Call, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "quick"
    call("doubts", "--treebank", place, "--quick", "--out", out)
    rows = read_table(out)[:4]
    anna = [
        {**row, "decision": d, "note": f"anna {i}"}
        for i, (row, d) in enumerate(zip(rows, ["accept", "accept", "reject", ""], strict=True))
    ]
    ben = [
        {**row, "decision": d, "note": ""}
        for row, d in zip(rows, ["accept", "reject", "", "reject"], strict=True)
    ]
    for name, some in (("anna", anna), ("ben", ben)):
        write_table(tmp_path / f"{name}.csv", some)
    joined = tmp_path / "joined.csv"
    names = ("--join", tmp_path / "anna.csv", "--join", tmp_path / "ben.csv")
    result = call("doubts", *names, "--out", joined)
    assert result.code == 0, result.errors
    assert "Decided differently:" in result.text
    assert "ben.csv:3 reject" in result.text
    kept = read_table(joined)
    place_of = [(row["content"], row["word"], row["column"]) for row in rows]
    by_place = {
        p: [(r["decision"], r["note"]) for r in kept if (r["content"], r["word"], r["column"]) == p]
        for p in place_of
    }
    assert by_place == {
        place_of[0]: [("accept", "anna 0")],
        place_of[1]: [("accept", "anna 1"), ("reject", "")],  # a conflict: both stay
        place_of[2]: [("reject", "anna 2")],
        place_of[3]: [("reject", "anna 3")],
    }
    apply = call("doubts", "--treebank", place, "--apply", joined, "--diff")
    assert "decided differently" in apply.errors
    assert call("doubts", *names, "--out", joined).code == 0  # the same bytes
    assert call("doubts", "--join", tmp_path / "anna.csv", "--out", joined).code == 2


def one_word(number: int, form: str, tag: str) -> Sentence:
    return Sentence(Tree((form,), (tag,), (0,), ("root",), (form,)), sent_id=str(number), file="f.conllu")


def test_other_treebanks_count_where_this_one_agrees() -> None:
    here = [one_word(0, "not", "ADV"), *(one_word(n, "not", "PART") for n in (1, 2, 3))]
    here += [one_word(n, "to", "ADP") for n in (4, 5, 6)]  # a convention of this treebank
    others = [
        [one_word(n, "not", "PART") for n in range(20)],
        [one_word(n, "to", "PART") for n in range(30)],
    ]
    assert list_quick_doubts(here, DecidedDoubts()) == []  # three words make no rule
    (doubt,) = list_quick_doubts(here, DecidedDoubts(), beside=others)
    assert (doubt.sentence, doubt.value, doubt.proposed_value) == (0, "ADV", "PART")
    reason = "3 of 4 words with the form not have the tag PART, and 20 of 20 in the other treebanks"
    assert doubt.reason == reason
    apart = [one_word(n, "go", "VERB") for n in range(299)] + [one_word(299, "go", "AUX")]
    others = [one_word(n, "go", "PART") for n in range(4)]  # a convention of theirs
    found = list_quick_doubts(apart, DecidedDoubts(), beside=[others])
    assert {each.reason for each in found} == {"299 of 300 words with the form go have the tag VERB"}


def test_other_treebanks_are_named(call: Call, place: Path, tmp_path: Path) -> None:
    beside = ("--beside", "demo")
    quick = call("doubts", "--treebank", place, "--quick", "--out", tmp_path / "quick", *beside)
    assert quick.code == 0, quick.errors
    assert "in the other treebanks" in quick.text
    missing = call("doubts", "--treebank", place, "--check", "--beside", tmp_path / "none")
    assert (missing.code, "none" in missing.errors) == (2, True)
    itself = call("doubts", "--treebank", place, "--check", "--beside", place)
    assert (itself.code, "is the treebank itself" in itself.errors) == (2, True)


def test_a_rule_changes_the_words_that_have_it_and_no_others() -> None:
    every = [replace(sentence, tree=replace(sentence.tree, xpos=())) for sentence in sentences()]
    number, word, usual = frequent("upos")
    every[number] = with_value(every[number], "upos", word, "ADJ")
    rules: dict[str, set[tuple[int, int]]] = {}
    for doubt in list_quick_doubts(every, DecidedDoubts()):
        if doubt.rule:
            rules.setdefault(doubt.rule, set()).add((doubt.sentence, doubt.word))
    assert f"upos:ADJ={usual},form={every[number].tree.forms[word - 1].lower()}" in rules
    for rule, words in rules.items():
        relabelling = Relabelling((parsed_change(rule),))
        trees = [(sentence.tree, relabelling.apply(sentence.tree)) for sentence in every]
        changed = {
            (i, word + 1)
            for i, (old, new) in enumerate(trees)
            for word in range(len(old))
            for column in ("upos", "xpos", "feats", "deprels")
            if getattr(old, column)[word : word + 1] != getattr(new, column)[word : word + 1]
        }
        assert changed == words


def test_there_is_no_rule_that_would_change_what_another_rule_is_for() -> None:
    forms = (*["sang"] * 100, *(f"v{number}" for number in range(151)))
    moods = ["Mood=Sub", *["Mood=Ind"] * 99, *["Mood=Sub"] * 11, *["Mood=Ind"] * 140]
    every = [
        Sentence(Tree((form,), ("VERB",), (0,), ("root",), feats=(mood,)), sent_id=str(number))
        for number, (form, mood) in enumerate(zip(forms, moods, strict=True))
    ]
    doubts = list_quick_doubts(every, DecidedDoubts())
    rules = {doubt.form: doubt.rule for doubt in doubts}
    assert rules.pop("sang") == "feats:Mood=Sub=Mood=Ind,upos=VERB,form=sang"
    assert set(rules.values()) == {""}  # for all verbs, sang too
    assert len(rules) == 11
