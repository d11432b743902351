"""The command answers by counting; its words go to files that `doubts --apply` reads."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browsing import browser, missing
from invoking import Call
from test_counted_conventions import changed, in_place, turned, without_number, write_treebank

from learnability.errors import InputError
from learnability.extensions.doubts.files import COLUMNS
from learnability.extensions.harmonise.convention_lines import describe_contexts
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.extensions.harmonise.conventions import TreebankConventions
from learnability.extensions.harmonise.counting import count_conventions
from learnability.regularities.contexts import ColumnValue, Context
from learnability.reports import decision_page
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.sentence_checks import SentenceChecker


def write_file(folder: Path, name: str, sentences: Sequence[Sentence]) -> Path:
    path = folder / f"{name}.conllu"
    path.write_text(conllu_text(sentences), encoding="utf-8")
    return path


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """Two files; in the first, nouns have no Number, and determiners another relation."""
    home = changed(write_treebank(1), without_number("NOUN"))
    home = changed(home, in_place("det", "amod", "deprels"))
    return write_file(tmp_path, "first", home), write_file(tmp_path, "second", write_treebank(2))


def test_the_command_lists_conventions_and_trains_nothing(
    paths: tuple[Path, Path], tmp_path: Path, call: Call
) -> None:
    done = call("harmonise", *paths)
    assert done.code == 0, done.errors
    first, *lines = done.text.splitlines()
    assert first == "Labels that first hardly has, or that only first has:"
    assert "first differs from second in 2 conventions and 2 labels that hardly occur on one side." in lines
    assert "    2 NOUN: Number is there in 0 of 1,000 of first and 1,000 of 1,000 of second" in lines
    assert "      relation amod: 250 words of first, none of second" in lines
    assert any(line.startswith("    1 DET with the lemma the: relation amod in 250") for line in lines)
    numbers = [int(line.split()[0]) for line in lines if line[:5].strip().isdigit()]
    assert numbers == sorted(numbers)
    assert not (tmp_path / "runs").exists()


def test_labels_without_a_line_and_lines_without_a_proposal_are_named(
    paths: tuple[Path, Path], call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    find = ConventionSearch.find

    def without_details(self: ConventionSearch, columns: Sequence[str] = ()) -> TreebankConventions:
        found = find(self, columns)
        return replace(found, inventories=tuple(replace(each, details=()) for each in found.inventories))

    turned_home = write_file(tmp_path, "turned", changed(write_treebank(1), turned))
    lines = call("harmonise", turned_home, paths[1]).text.splitlines()
    heads = [line for line in lines if "head before the word" in line or "head after the word" in line]
    assert heads
    assert all(line.endswith(" (no proposal)") for line in heads)
    assert "(no proposal)" not in call("harmonise", *paths).text
    monkeypatch.setattr(ConventionSearch, "find", without_details)
    done = call("harmonise", *paths, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    page = (tmp_path / "out" / "conventions.html").read_text(encoding="utf-8")
    assert "have no line here: relation amod: 250 words of first, none of second; " in page


def test_all_conventions_of_labels_are_listed_or_counted(paths: tuple[Path, Path], call: Call) -> None:
    """What stands in the place of a label is never left out without a word."""
    home = changed(write_treebank(1), in_place("det", "amod", "deprels"))
    home = changed(home, in_place("case", "advmod", "deprels"))
    first = write_file(paths[0].parent, "home", home)
    text = call("harmonise", first, paths[1], "--max", "1").text
    after = text.partition("Where these labels stand, or others in their place:\n")[2]
    assert after.startswith("    1 ")
    assert "1 more of this list; --max 2 lists all." in after


def with_plurals(text: str, *, splits: bool) -> str:
    """CoNLL-U in which nouns in -s are tokens in -en: one word, or two of which the second is `en`."""
    lines: list[str] = []
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        plural = {row[0] for row in rows if row[1].endswith("s") and row[3] == "NOUN"}
        new, number = {"0": "0"}, 0
        for row in rows:
            new[row[0]] = str(number + 1)
            number += 2 if splits and row[0] in plural else 1
        for row in rows:
            is_plural = row[0] in plural
            row[0], row[6] = new[row[0]], new[row[6]]
            token = f"{row[1]}en" if is_plural else row[1]
            if splits and is_plural:
                last = str(int(row[0]) + 1)
                lines.append("\t".join([f"{row[0]}-{last}", token, *["_"] * 8]))
                lines.append("\t".join(row))
                lines.append("\t".join([last, "en", "en", "PART", "_", "_", row[0], "dep", "_", "_"]))
            else:
                lines.append("\t".join([row[0], token, *row[2:]]))
        lines.append("")
    return "\n".join([*lines, ""])


def test_tokens_that_one_side_splits_are_one_line_by_their_ending(tmp_path: Path, call: Call) -> None:
    files = [write_file(tmp_path, name, write_treebank(seed)) for name, seed in (("a", 1), ("b", 2))]
    for file, splits in zip(files, (True, False), strict=True):
        file.write_text(with_plurals(file.read_text(encoding="utf-8"), splits=splits), encoding="utf-8")
    done = call("harmonise", *files, "--columns", "split")
    assert done.text.splitlines()[0] == "a differs from b in 1 convention (split alone compared)."
    of_a, of_b = (len(re.findall(r"\t[a-z]+sen\t", file.read_text(encoding="utf-8"))) for file in files)
    told = f"tokens ending in -sen: split into 2 words in {of_a:,} of {of_a:,} of a and 0 of {of_b:,} of b;"
    assert any(
        told in line and line.endswith("b mostly: one word (no proposal)") for line in done.text.splitlines()
    )
    explained = call("harmonise", *files, "--columns", "split", "--line", "1").text
    assert "Nothing is proposed for heads and split words." in explained


def test_words_without_a_value_are_said_not_to_count(tmp_path: Path, call: Call) -> None:
    """The line names the words that it counts: half of the nouns of the second file have no Number, so no
    word of the first one needs another."""
    home, away = write_treebank(1), write_treebank(2)
    home = changed(home, in_place("Number=Sing", "Number=Dual", "feats"))
    away = [*changed(away[::2], without_number("NOUN")), *away[1::2]]
    files = write_file(tmp_path, "a", home), write_file(tmp_path, "b", away)
    text = call("harmonise", *files, "--out", str(tmp_path / "out")).text
    told = [line for line in text.splitlines() if "Number=Dual in" in line]
    assert told
    assert all(" of b that have Number" in line for line in told)
    explained = call("harmonise", *files, "--line", told[0].split()[0]).text
    nouns = [tag for each in away for tag in each.tree.upos].count("NOUN")
    assert re.search(f"The others have Number in [0-9]+ of {nouns:,} words there, so nothing is", explained)
    assert "Number=Dual" not in (tmp_path / "out" / "a-words.csv").read_text(encoding="utf-8")


def test_what_shares_no_words_is_not_said_to_be_alike(tmp_path: Path, call: Call) -> None:
    first = write_file(tmp_path, "first", write_treebank(1))
    text = first.read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n")]
    for cells in rows:
        if len(cells) > 1:
            cells[1] = f"x{cells[1]}"
    other = tmp_path / "other.conllu"
    other.write_text("\n".join(map("\t".join, rows)), encoding="utf-8")
    assert "Warning: only 0 of" in call("harmonise", first, other).errors
    assert call("harmonise", first, write_file(tmp_path, "b", write_treebank(2))).errors == ""
    for cells in rows:
        if len(cells) > 1:
            cells[1] = cells[2] = "_"
    other.write_text("\n".join(map("\t".join, rows)), encoding="utf-8")
    withheld = call("harmonise", first, other)
    assert (withheld.code, withheld.text) == (2, "")
    assert "other.conllu withholds all words" in withheld.errors


def test_what_was_looked_for_is_named_where_nothing_is_found(paths: tuple[Path, Path], call: Call) -> None:
    text = call("harmonise", *paths, "--columns", "feats:Foo", "--context", "bar").text
    assert text.startswith("We found no convention in feats:Foo with bar in which first differs from second.")


def test_quiet_prints_the_lines_without_remarks(paths: tuple[Path, Path], call: Call) -> None:
    loud, quiet = call("harmonise", *paths).text, call("harmonise", *paths, "--quiet").text
    assert "2 NOUN: Number is there" in quiet
    assert loud.startswith(quiet)
    assert "--line N" in loud[len(quiet) :]


def test_equal_conventions_are_said_to_be_so(tmp_path: Path, call: Call) -> None:
    pair = [write_file(tmp_path, name, write_treebank(seed)) for name, seed in (("a", 1), ("b", 2))]
    done = call("harmonise", *pair)
    assert done.text.splitlines()[0] == "We found no convention in which a differs from b."


def test_a_line_is_explained_with_sentences_of_both_sides(paths: tuple[Path, Path], call: Call) -> None:
    done = call("harmonise", *paths, "--line", "2")
    lines = done.text.splitlines()
    assert lines[0].startswith("NOUN: Number is there in 0 of")
    assert "1,000 words of first, for example:" in lines
    assert sum("[" in line for line in lines[:7]) == 4
    assert 'Grew-match: pattern { W [upos="NOUN"] }' in lines
    assert call("harmonise", *paths, "--line", "99").code == 2


def test_columns_and_contexts_choose_lines(paths: tuple[Path, Path], call: Call) -> None:
    assert "Number is there" not in call("harmonise", *paths, "--columns", "relation,lemma").text
    assert "Number is there" in call("harmonise", *paths, "--columns", "feats:Number").text
    assert "relation amod" in call("harmonise", *paths, "--context", "upos=DET").text
    assert "Number is there" not in call("harmonise", *paths, "--context", "DET").text
    wrong = call("harmonise", *paths, "--columns", "deps")
    assert wrong.code == 2
    assert "use upos, xpos, lemma" in wrong.errors


def test_check_ends_with_an_exit_code(paths: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    found = call("harmonise", *paths, "--check", "--columns", "feats")
    assert (found.code, "conventions of first differ" in found.errors) == (1, True)
    assert "Number is there in 0 of 1,000" in found.text
    for alike in (("--columns", "lemma"), ("--context", "VERB")):
        assert call("harmonise", *paths, "--check", *alike).code == 0
    assert call("harmonise", *paths, "--check", "--context", "upos=NOUN", "--json").code == 1
    assert call("harmonise", *paths, "--check", "--out", tmp_path / "x").code == 2


def test_json_has_what_the_lines_have(paths: tuple[Path, Path], call: Call) -> None:
    done = call("harmonise", *paths, "--json")
    (found,) = json.loads(done.text)["found"]
    line = next(each for each in found["conventions"] if each["columns"] == ["feats:Number"])
    assert line["words"] == 1000
    assert line["contexts"] == [[{"column": "upos", "value": "NOUN"}]]
    assert [each["of"] for each in line["treebanks"]] == [1000, 1000]
    assert {each["value"] for each in found["inventories"]} == {"amod", "det"}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--seeds", "2"), "--seeds has no effect without --train"),
        (("--words", "900"), "--words has no effect without --train"),
        (("--train", "--columns", "upos"), "--columns has no effect with --train"),
        (("--line", "1", "--json"), "--json has no effect with --line"),
        (("--train", "--check"), "--check has no effect with --train"),
        (("--line", "1", "--max", "3"), "--max has no effect with --line"),
    ],
)
def test_options_without_effect_are_refused(
    options: tuple[str, ...], problem: str, paths: tuple[Path, Path], call: Call
) -> None:
    done = call("harmonise", *paths, *options)
    assert done.code == 2
    assert problem in done.errors


def test_accepted_lines_are_applied(paths: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """A line is accepted as a whole; then the treebanks differ in it no more."""
    done = call("harmonise", *paths, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    assert "Wrote conventions.html, conventions.csv and first-words.csv to" in done.text
    table = (tmp_path / "out" / "conventions.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table)))
    pattern = next(row["pattern"] for row in rows if row["columns"] == "relation" and row["number"])
    words = tmp_path / "out" / "first-words.csv"
    applied = call(
        "doubts", "--test", paths[0], "--apply", words, "--fix", pattern, "--out", tmp_path / "corrected"
    )
    assert applied.code == 0, applied.errors
    corrected = tmp_path / "corrected" / "first.conllu"
    deprels = {deprel for sentence in read_conllu(corrected) for deprel in sentence.tree.deprels}
    assert "amod" not in deprels
    again = call("harmonise", corrected, paths[1])
    assert "amod" not in again.text
    assert "Number is there" in again.text


def test_proposals_that_would_be_refused_are_marked(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a tag that its relation rules out; `doubts --apply` refuses these and no others."""
    monkeypatch.setattr(SentenceChecker, "of", lambda files: SentenceChecker(""))
    monkeypatch.setattr(SentenceChecker, "CHECKED", 10_000)
    home = changed(write_treebank(1), without_number("VERB"))
    others = changed(write_treebank(2), in_place("DET", "VERB", "upos"))
    files = write_file(tmp_path, "first", home), write_file(tmp_path, "second", others)
    done = call("harmonise", *files, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    words = list(csv.DictReader(io.StringIO((tmp_path / "out" / "first-words.csv").read_text("utf-8"))))
    marked = {row["pattern"] for row in words if row["would_break"]}
    assert {row["would_break"] for row in words if row["column"] == "upos"} == {"tag"}
    assert not any(row["would_break"] for row in words if row["column"] != "upos")
    lines = csv.DictReader(io.StringIO((tmp_path / "out" / "conventions.csv").read_text("utf-8")))
    for line in lines:
        rows = [row for row in words if line["number"] and row["pattern"] == line["pattern"]]
        assert int(line["would_break"] or 0) == sum(bool(row["would_break"]) for row in rows)
        if rows:
            of_line = ("--fix", line["number"], "--out", tmp_path / f"corrected{line['number']}", "--json")
            applied = json.loads(
                call(
                    "doubts", "--test", files[0], "--apply", tmp_path / "out" / "first-words.csv", *of_line
                ).text
            )
            assert len(applied["refused"]) == int(line["would_break"])
            assert applied["applied"] + len(applied["refused"]) == len({tuple(row.values()) for row in rows})
    page = (tmp_path / "out" / "conventions.html").read_text(encoding="utf-8")
    assert marked
    assert "250 of 250 proposals would break tag. Accepting the line leaves these open." in page
    assert "would bring an error, by our own check of trees." in page


def test_a_file_is_no_folder_to_write_to(paths: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    file = tmp_path / "taken"
    file.write_text("mine", encoding="utf-8")
    done = call("harmonise", *paths, "--out", file)
    assert (done.code, done.text) == (2, "")
    assert "is a file; name a folder" in done.errors
    assert file.read_text(encoding="utf-8") == "mine"


def test_each_of_three_treebanks_is_compared_with_the_others(tmp_path: Path, call: Call) -> None:
    third = changed(write_treebank(3), turned)
    files = [
        write_file(tmp_path, name, sentences)
        for name, sentences in (("a", write_treebank(1)), ("b", write_treebank(2)), ("c", third))
    ]
    done = call("harmonise", *files)
    assert "We found no convention in which a differs from b and c." in done.text
    assert "c differs from a and b in 1 convention." in done.text
    assert "cc: head before the word in 250 of 250 of c, 0 of 250 of a and 0 of 250" in done.text


def test_python_has_what_the_command_prints(paths: tuple[Path, Path]) -> None:
    counted = count_conventions(*paths)
    (found,) = counted.found
    assert [line.columns for line in found.conventions] == [("feats:Number",)]
    with pytest.raises(InputError, match="name a second one"):
        count_conventions(paths[0])
    with pytest.raises(InputError, match="same files"):
        count_conventions(paths[0], paths[0])


def test_contexts_that_differ_in_a_value_are_listed_together() -> None:
    tag = ColumnValue("upos", "DET")
    contexts = [Context([tag, ColumnValue("lemma", name)]) for name in ("a", "b")]
    assert describe_contexts(contexts) == "DET with the lemma a, b"
    mixed = [contexts[0], Context([tag, ColumnValue("form", "c")]), contexts[1]]
    assert describe_contexts(mixed) == "DET with the lemma a, b; DET with the form c"
    assert describe_contexts([Context([tag, ColumnValue("lemma", name)]) for name in "abcdefg"]).endswith(
        "e and 2 more"
    )


def test_a_page_decides_about_each_line_and_its_command_works(
    paths: tuple[Path, Path], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row of the page is a decision that the command on the page applies, in another folder."""
    done = call("harmonise", *paths, "--out", tmp_path / "out")
    assert done.text.endswith(f"Open {tmp_path / 'out' / 'conventions.html'}\n")
    text = (tmp_path / "out" / "conventions.html").read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    titles = [cause["title"] for cause in data["causes"]]
    assert "2. NOUN: Number is there in 0 of 1,000 of first and 1,000 of 1,000 of second" in titles
    number = next(i for i, cause in enumerate(data["causes"]) if "relation amod in" in cause["title"])
    cause = data["causes"][number]
    assert cause["notes"] == [
        "A label that hardly occurs on one side: relation amod: 250 words of first, none of second."
    ]
    sides = [data["evidence"][place] for place in cause["evidence"]]
    assert [side["title"] for side in sides] == ["250 words of first, for example", "In second"]
    assert [bool(side["query"]) for side in sides] == [True, False]
    for side, deprel in zip(sides, ("amod", "det"), strict=True):
        assert len(side["words"]) == 2
        for word in side["words"]:
            assert (word["forms"][word["word"] - 1], word["deprel"]) == ("the", deprel)
            assert word["head"] == word["word"] + 1
    fields = data["fields"]
    rows = [row for row in data["rows"] if row[fields.index("cause")] == number]
    assert len(rows) == cause["words"] == 250
    columns = [*data["columns"], "run"]
    lines = [dict.fromkeys(columns, "") | named(fields, row, data) for row in rows]
    monkeypatch.chdir(tmp_path)
    with open("decisions.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**line, "decision": "accept"} for line in lines)
    command = re.search(r'<code id="command">learnability (.*?)</code>', text)
    assert command
    applied = call(*command[1].split())
    assert applied.code == 0, applied.errors
    assert applied.output.count(b"\n+") == 1 + 250


def test_a_line_larger_than_the_page_is_accepted_as_a_whole(
    paths: tuple[Path, Path], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of decisions names the line, whose words stand beside the page; what is rejected stays."""
    monkeypatch.setattr(decision_page, "MOST_ROWS", 10)
    assert call("harmonise", *paths, "--out", tmp_path / "out").code == 0
    text = (tmp_path / "out" / "conventions.html").read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    cause = next(each for each in json.loads(found[1])["causes"] if "relation amod in" in each["title"])
    assert (cause["words"] + cause["rest"], cause["words"] <= 10) == (250, True)
    assert cause["notes"][0].endswith("first-words.csv has all of them.")
    words = csv.DictReader(io.StringIO((tmp_path / "out" / "first-words.csv").read_text(encoding="utf-8")))
    rejected = next(row for row in words if row["pattern"] == cause["pattern"])
    row = dict.fromkeys(rejected, "") | {"pattern": cause["pattern"], "file": "first-words.csv"}
    with open(tmp_path / "decisions.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rejected, "run"])
        writer.writeheader()
        writer.writerow(rejected | {"decision": "reject"})
        writer.writerow(row | {"decision": "accept", "run": str(tmp_path / "out")})
    command = "doubts", "--test", paths[0], "--apply", tmp_path / "decisions.csv", "--diff"
    applied = call(*command)
    assert applied.code == 0, applied.errors
    assert applied.output.count(b"\n+") == 1 + 249
    (tmp_path / "out" / "first-words.csv").unlink()
    assert "first-words.csv cannot be read" in call(*command).errors


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_the_page_saves_a_line_that_is_larger(
    paths: tuple[Path, Path], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shift-A accepts the rows of the page and the line; undo takes both back; a file loads it again."""
    monkeypatch.setattr(decision_page, "MOST_ROWS", 10)
    assert call("harmonise", *paths, "--out", tmp_path / "out").code == 0
    with browser(tmp_path / "profile") as page:
        page.open(tmp_path / "out" / "conventions.html")
        rest = page.run("return data.causes[causeOf(filtered[at])].rest")
        label = page.run("return document.querySelector('#accept-all span').textContent")
        assert label == f"Accept all {10 + rest:,}"
        page.run("decideAll('accept')")
        saved = page.run("return table()").splitlines()
        assert sum(line.count("first-words.csv") for line in saved) == 1
        assert len(saved) == 1 + 10 + 1
        page.run("undo()")
        assert page.run("return table()").count("\n") == 1
        page.run("load(arguments[0])", "\n".join(saved))
        assert page.run("return table()").splitlines() == saved


def named(fields: list[str], row: list[object], data: dict[str, Any]) -> dict[str, object]:
    """The cells of a row of a page, as the page saves them."""
    values = dict(zip(fields, row, strict=True))
    sentence = data["sentences"][values["sentence"]]
    return {**values, **{name: sentence[name] for name in ("sent_id", "file", "content")}}


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_a_page_begins_with_words_that_have_proposals(tmp_path: Path, call: Call) -> None:
    """The first line is about heads, for which nothing is proposed; the page opens at the next one."""
    home = changed(changed(write_treebank(1), turned), in_place("sees", "see", "lemmas"))
    files = write_file(tmp_path, "a", home), write_file(tmp_path, "b", write_treebank(2))
    done = call("harmonise", *files, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    with browser(tmp_path / "profile") as page:
        page.open(tmp_path / "out" / "conventions.html")
        listed = page.run(
            "return [...document.querySelectorAll('#list > li')].map((each) => each.textContent)"
        )
        assert "cc: head before the word" in listed[0]
        assert "lemma" in page.run("return document.getElementById('reason').textContent")
        assert "lemma sees" in page.run("return document.getElementById('arcs').textContent")


def test_decisions_of_conventions_and_of_doubts_go_together(
    paths: tuple[Path, Path], tmp_path: Path, call: Call
) -> None:
    """Both files are applied at once, or joined before; the second has the columns of doubts.csv."""
    assert call("harmonise", *paths, "--out", tmp_path / "out").code == 0
    rows = list(
        csv.DictReader(io.StringIO((tmp_path / "out" / "first-words.csv").read_text(encoding="utf-8")))
    )
    accepted = [{**row, "decision": "accept"} for row in rows if row["column"] == "head"][:7]
    doubt = {**accepted[0], "column": "lemma", "value": "the", "proposed_value": "a", "proposed_head": ""}
    doubt |= {"proposed_deprel": ""}
    files = []
    for name, columns, lines in (
        ("conventions", list(accepted[0]), accepted),
        ("doubts", [column.name for column in COLUMNS], [doubt]),
    ):
        files.append(tmp_path / f"{name}.csv")
        with open(files[-1], "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(lines)
    joined = tmp_path / "joined.csv"
    assert call("doubts", "--join", files[0], "--join", files[1], "--out", joined).code == 0
    both = call("doubts", "--test", paths[0], "--apply", files[0], "--apply", files[1], "--diff")
    together = call("doubts", "--test", paths[0], "--apply", joined, "--diff")
    assert both.output == together.output
    changed_lines = [line.split("\t") for line in both.text.splitlines() if re.match(r"\+[0-9]", line)]
    assert [cells[7] for cells in changed_lines] == ["det"] * 7
    assert sum(cells[2] == "a" for cells in changed_lines) == 1
