"""Doubts: errors put into a treebank are found, and the files say the same as each other."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried_out import asked, carried_out
from doubt_tables import Row, read_table, write_table
from doubted_words import no_other_arcs
from small_treebanks import small_treebank

from learnability import InputError
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.extensions.doubts.applying import apply_decisions
from learnability.extensions.doubts.cells import FORMS, LEMMAS, MarginsCell, VotesCell, as_read
from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.decisions import read_decisions
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.files import COLUMNS, DOUBTS
from learnability.extensions.doubts.learning import DoubtFeatures, learn, score_doubt
from learnability.extensions.doubts.listing import LEAST, AssessedTreebank, list_doubts
from learnability.extensions.doubts.logistic import load_all_weights
from learnability.extensions.doubts.merging import decisions_typed, known_doubts
from learnability.extensions.doubts.results import MarginsResult, VotesResult
from learnability.extensions.doubts.section import doubts_section
from learnability.extensions.doubts.study import assessed_words, conllu_files
from learnability.extensions.doubts.words import AssessedWords, voted_proposals
from learnability.reports.story import RunStory
from learnability.running.folder import RECORDS
from learnability.studies.experiment_arguments import arguments_of
from learnability.studies.runner import report_run
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Sentence, Tree

WRONG = {"demo-train-003": "det", "demo-train-014": "nsubj", "demo-test-002": "case"}
"""Sentences in which the first word of a relation gets another relation and head."""


def options(folds: int = 3, **more: Any) -> ExperimentOptions:
    """Options of a run with few iterations."""
    values: dict[str, Any] = {
        "parsers": ("arc-eager", "arc-eager-root-first"),
        "iterations": 2,
        "seeds": 1,
    } | more
    return ExperimentOptions((), data=DataOptions(cross_validate=folds), **values)


def run(files: TreebankFiles, out: Path, folds: int = 3, **more: Any) -> RunStory:
    """A run with all words listed, unless `every` says otherwise, and heads alone, unless `column` does."""
    names = ("every", "column", "decisions")
    own = {name: more.pop(name) for name in names if name in more}
    study = asked("doubts", **{"every": True, "column": ("head",), **own})
    arguments = arguments_of("doubts", (), options(folds), study.options)
    outcome = carried_out(files, options(folds), out, study, arguments=arguments, **more)
    assert not outcome.failed
    return outcome


def rows(folder: Path) -> list[Row]:
    """The lines of doubts.csv, without what depends on their place in it: which check looks at them."""
    return [{name: cell for name, cell in row.items() if name != "would_break"} for row in read_table(folder)]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small treebank with three errors."""
    folder = small_treebank(tmp_path_factory.mktemp("doubts"), train=32, dev=8, test=12)
    for path in sorted(folder.glob("*.conllu")):
        blocks = []
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            found = re.search(r"# sent_id = (\S+)", block)
            deprel = WRONG.get(found[1]) if found else None
            lines = block.split("\n")
            for i, line in enumerate(lines):
                cells = line.split("\t")
                if deprel and len(cells) == 10 and cells[7] == deprel:
                    cells[7] = "vocative"
                    lines[i], deprel = "\t".join(cells), None
            blocks.append("\n".join(lines))
        path.write_text("\n\n".join(blocks), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def files(treebank: Path) -> TreebankFiles:
    return locate_treebank(treebank)


@pytest.fixture(scope="module")
def finished(files: TreebankFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run."""
    out = tmp_path_factory.mktemp("run") / "out"
    run(files, out)
    return out


def test_errors_come_early_and_every_word_once(finished: Path, treebank: Path) -> None:
    found = rows(finished)
    assert [c.name for c in COLUMNS if c.name != "would_break"] == list(found[0])
    ranks = {row["sent_id"]: rank for rank, row in enumerate(found) if row["deprel"] == "vocative"}
    assert sorted(ranks) == sorted(WRONG)
    assert max(ranks.values()) < len(found) / 5  # although the parsers have learned little
    assert {sent_id: found[rank]["proposed_deprel"] for sent_id, rank in ranks.items()} == WRONG
    words = Counter(
        (sentence.sent_id, str(word))
        for path in treebank.glob("*.conllu")
        for sentence in read_conllu(path)
        for word, tag in enumerate(sentence.tree.upos, start=1)
        if tag != "PUNCT"
    )
    assert Counter((row["sent_id"], row["word"]) for row in found) == words
    scores = [float(row["score"]) for row in found]
    assert scores == sorted(scores, reverse=True)
    assert all(
        (row["head"], row["deprel"]) != (row["proposed_head"], row["proposed_deprel"]) for row in found
    )
    assert all((row["proposed_head"] == "0") == (row["proposed_deprel"] == "root") for row in found)


def test_rows_say_where_their_words_are(finished: Path, treebank: Path) -> None:
    for row in rows(finished):
        lines = (treebank / row["file"]).read_text(encoding="utf-8").split("\n")
        cells = lines[int(row["line"]) - 1].split("\t")
        names = ("word", "form", "head", "deprel")
        assert [cells[place] for place in (0, 1, 6, 7)] == [row[name] for name in names]
    assert sorted(path.name for path in finished.iterdir() if not path.name.startswith(".")) == [
        "config.json", DOUBTS, "doubts.html", RECORDS,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def of_all_columns(files: TreebankFiles, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the run, asked again about all columns."""
    out = Path(shutil.copytree(finished, tmp_path_factory.mktemp("columns") / "all"))
    run(files, out, every=False, column=(), resume=True)
    return out


def test_one_row_for_each_word_and_column(
    files: TreebankFiles, finished: Path, of_all_columns: Path, tmp_path: Path
) -> None:
    """All columns in one order; each alone is a part of it; nothing is trained for that."""
    shutil.copytree(of_all_columns, tmp_path / "all")
    assert (tmp_path / "all" / RECORDS).read_bytes() == (finished / RECORDS).read_bytes()
    found = rows(tmp_path / "all")
    scores = [float(row["score"]) for row in found]
    assert scores == sorted(scores, reverse=True)
    columns = Counter(row["column"] for row in found)
    assert {"head", "upos", "xpos", "lemma", "feats:Number"} <= set(columns)
    assert not {"punct", "subtype"} & set(columns)
    assert all(
        count == 1 for count in Counter((r["sent_id"], r["word"], r["column"]) for r in found).values()
    )
    for row in found:
        if row["column"] == "head":
            assert row["value"] == row["proposed_value"] == ""
            assert (row["head"], row["deprel"]) != (row["proposed_head"], row["proposed_deprel"])
        else:
            assert row["value"] != row["proposed_value"]
            assert (row["head"], row["deprel"]) == (row["proposed_head"], row["proposed_deprel"])
    run(files, tmp_path / "all", every=False, column=("feats", "upos"), resume=True)
    some = rows(tmp_path / "all")
    assert {row["column"].partition(":")[0] for row in some} == {"feats", "upos"}
    shown = {tuple(row.values()) for row in found if row["column"].partition(":")[0] in ("feats", "upos")}
    assert shown <= {tuple(row.values()) for row in some}
    run(files, tmp_path / "all", column=("subtype",), resume=True)
    assert {row["column"] for row in rows(tmp_path / "all")} == {"subtype"}
    run(files, tmp_path / "all", column=("punct",), resume=True)
    assert {row["column"] for row in rows(tmp_path / "all")} == {"punct"}
    assert {row["upos"] for row in rows(tmp_path / "all")} == {"PUNCT"}


def test_doubts_about_columns_can_be_accepted(
    files: TreebankFiles, of_all_columns: Path, tmp_path: Path
) -> None:
    """A row of each column goes into the file and out of the list."""
    shutil.copytree(of_all_columns, tmp_path / "all")
    chosen = {row["column"]: row for row in reversed(rows(tmp_path / "all"))}
    write_table(tmp_path / "d.csv", [{**row, "decision": "accept"} for row in chosen.values()])
    decided = read_decisions(str(tmp_path / "d.csv")).decisions
    paths = sorted(set(files.paths()))
    applied = apply_decisions([read_conllu(path, name=path.name) for path in paths], decided)
    reasons = [each.reason for each in applied.refused]
    assert all(
        "another arc" in reason or "another decision" in reason or "cycle" in reason for reason in reasons
    )
    assert applied.accepted + len(reasons) == len(chosen)
    run(
        files,
        tmp_path / "all",
        every=False,
        column=(),
        decisions=(decisions_typed(str(tmp_path / "d.csv")),),
        resume=True,
    )
    left = {(row["content"], row["word"], row["column"], row["value"]) for row in rows(tmp_path / "all")}
    assert not left & {(r["content"], r["word"], r["column"], r["value"]) for r in chosen.values()}


def test_files_are_made_again_from_the_records_alone(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy)
    names = (DOUBTS, "doubts.html")
    before = [(copy / name).read_bytes() for name in names]
    for name in names:
        (copy / name).unlink()
    outcome = report_run(copy)
    assert [(copy / name).read_bytes() for name in names] == before
    assert outcome.values["doubts"][0]["deprel"] == rows(copy)[0]["deprel"]


def rejecting(path: Path, decided: Sequence[Mapping[str, str]]) -> str:
    """The text of a file of decisions that rejects these rows."""
    return decisions_typed(str(write_table(path, [{**row, "decision": "reject"} for row in decided])))


def test_rejected_rows_and_patterns_stay_quiet(files: TreebankFiles, finished: Path, tmp_path: Path) -> None:
    before = rows(finished)
    first, second, *others = (row["pattern"] for row in before)
    pattern = next(pattern for pattern in others if pattern not in (first, second))
    known = rejecting(tmp_path / "known.csv", [before[0], {"pattern": pattern}])
    shutil.copytree(finished, tmp_path / "out")
    outcome = run(files, tmp_path / "out", decisions=(known,))
    quiet = [row for row in before if row["pattern"] == pattern or same_place(row, before[0])]
    assert len(quiet) > 1
    found = [row["content"] + row["word"] for row in rows(tmp_path / "out")]
    left = [row["content"] + row["word"] for row in before if row not in quiet]
    assert sorted(found) == sorted(left)
    texts = " ".join(text for section in outcome.answers for text in section.sentences)
    assert f"0 accepted, {len(quiet)} rejected." in texts


def same_place(row: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two rows are about the same arc of a word, in sentences with the same words."""
    return all(row[name] == other[name] for name in ("content", "word", "head", "deprel", "column"))


def test_doubts_decided_later_need_no_new_training(
    files: TreebankFiles, finished: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    records, listed = (copy / RECORDS).read_bytes(), rows(copy)
    for some in (listed[:3], listed[:1]):  # the file may change in either direction
        run(files, copy, decisions=(rejecting(tmp_path / "known.csv", some),))
        left = [row for row in listed if not any(same_place(row, each) for each in some)]
        assert sorted(map(str, rows(copy))) == sorted(map(str, left))
        assert (copy / RECORDS).read_bytes() == records
    run(files, copy)
    assert rows(copy) == listed
    assert (copy / RECORDS).read_bytes() == records


def test_decisions_bring_up_what_the_list_does_not_show(
    files: TreebankFiles, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, decided = tmp_path / "run", tmp_path / "decisions.csv"
    shutil.copytree(finished, copy)
    table = rows(finished)
    for place, row in enumerate(table[:30]):
        row["decision"] = "accept" if place % 3 == 0 else "reject"
    write_table(decided, table)
    traits = DoubtFeatures()
    lessons = traits.lessons(read_decisions(str(decided)).decisions)
    assert len(lessons) == 30
    left = [row for row in table[30:] if float(row["score"]) >= LEAST]
    seen = [traits.see(float(row["score"]), row["pattern"], row["content"]) for row in left]
    weights = learn(lessons, traits.spreads)
    pairs = zip(left, (score_doubt(doubt, weights) for doubt in seen), strict=True)
    expected = [(row["file"], row["line"]) for row, _ in sorted(pairs, key=lambda pair: -pair[1])]
    monkeypatch.setattr("learnability.extensions.doubts.study.LISTED", 20)
    run(files, copy, every=False, decisions=(decisions_typed(str(decided)),))
    listed = [(row["file"], row["line"]) for row in rows(copy)]
    assert listed == expected[:20]
    assert not {*listed} <= {(row["file"], row["line"]) for row in left[:20]}


def test_an_empty_file_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "known.csv").write_text("", encoding="utf-8")
    assert known_doubts((decisions_typed(str(tmp_path / "known.csv")),)) == known_doubts(())


def test_what_is_certain_is_listed_on_request_only(finished: Path) -> None:
    treebank = AssessedTreebank.of(assessed_words_of(finished), load_all_weights()[HEAD])
    every = list_doubts(treebank, known_doubts(()), most=None)
    assert min(doubt.score for doubt in every.doubts) < LEAST
    some = list_doubts(treebank, known_doubts(()), most=len(every.doubts))
    assert len(some.doubts) < len(every.doubts) == every.words == some.words
    assert all(f"{doubt.score:.2f}" != "0.00" for doubt in some.doubts)
    assert len(list_doubts(treebank, known_doubts(()), most=5).doubts) == 5
    assert doubts_section(replace(some, doubts=[]), ()).sentences == ("No word is listed.",)


def test_ten_documents_of_one_sentence(treebank: Path, tmp_path: Path) -> None:
    sentences = (treebank / "xx-ud-train.conllu").read_text(encoding="utf-8").strip().split("\n\n")[:10]
    path = tmp_path / "ten" / "xx_ten-ud-test.conllu"
    path.parent.mkdir()
    path.write_text("".join(f"# newdoc\n{sentence}\n\n" for sentence in sentences), encoding="utf-8")
    outcome = run(locate_treebank(path.parent), tmp_path / "out", every=False)
    assert " doubts about " in outcome.answers[-1].sentences[0]
    assert rows(tmp_path / "out")


def test_without_folds_it_is_refused(files: TreebankFiles, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cross_validate"):
        carried_out(files, ExperimentOptions(()), tmp_path / "out", asked("doubts"))


def assessed_words_of(folder: Path) -> AssessedWords:
    """The words of a finished run, from its records."""
    config = finished_config(folder)
    plan, records = RunPlan.of_config(config), finished_records(folder, config)
    return assessed_words(plan, records, conllu_files(plan, records))


def assessed(*more: VotesResult) -> AssessedWords:
    """Two sentences, two votes on each, `more` votes, and the margins of the graph-based parser."""
    first = Tree(("the", "cat", "sat"), ("DET", "NOUN", "VERB"), (2, 3, 0), ("det", "nsubj", "root"))
    second = Tree(("cats", "sat"), ("NOUN", "VERB"), (2, 0), ("obj", "root"))
    sentences = [Sentence(first, "1"), Sentence(second, "2")]
    names = ["det", "nsubj", "obj", "root"]
    votes = VotesResult(heads=[2, 3, 0, 2, 0], relations=[0, 1, 3, 1, 3], names=names)
    margins = MarginsResult(
        heads=[3, 3, 0, 2, 0],
        relations=[0, 1, 3, 1, 3],
        names=names,
        arc_margins=[-1.0, 2.0, 3.0, 4.0, 5.0],
        rivals=[3, 1, 2, 0, 1],
        relation_margins=[4.0, 3.0, 2.0, -1.0, 5.0],
        rival_relations=[1, 2, 1, 1, 0],
        others=no_other_arcs(5),
    )
    return AssessedWords.of(sentences, [[votes], *([vote] for vote in more)], [[margins]])


def test_proposals_differ_from_the_annotation_and_keep_the_root() -> None:
    words = assessed()
    found = voted_proposals(words)
    names = [words.names.names[relation] for relation in found.relations]
    assert list(zip(found.heads.tolist(), names, strict=True)) == [
        (3, "det"),  # one of two parsers
        (3, "obj"),  # the next relation of the graph-based parser
        (2, "root"),  # the next head of the root word; no verb is anything but a root
        (2, "nsubj"),  # both parsers
        (1, "root"),
    ]
    assert found.share.tolist() == [0.5, 0.0, 0.0, 1.0, 0.0]


def test_every_weight_has_its_feature() -> None:
    words = assessed()
    found = features(words, voted_proposals(words))
    assert set(load_all_weights()[HEAD].weights) == set(found)
    assert all(np.isfinite(column).all() and len(column) == 5 for column in found.values())
    assert found["differs"].tolist() == [0.5, 0, 0, 1, 0]


def test_gaps_are_the_mean_in_units_of_the_parsers_that_can_say() -> None:
    def vote(arcs: list[float], relations: list[float]) -> VotesResult:
        return VotesResult(
            heads=[2, 3, 0, 2, 0], relations=[0, 1, 3, 1, 3], names=["det", "nsubj", "obj", "root"],
            arc_margins=arcs, relation_margins=relations,
        )  # fmt: skip

    first = vote([10.0, -10.0, 20.0, 5.0, 5.0], [1.0, 1.0, 1.0, 1.0, -4.0])
    second = vote([2.0, 2.0, 4.0, -3.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0])
    words = assessed(first, second)  # a third parser, of `assessed`, has no margins
    assert words.arc_gap.tolist() == [1.0, 0.0, 2.0, -0.5, 0.5]  # medians 10 and 2
    assert words.relation_gap.tolist() == [1.0, 1.0, 1.0, 1.0, -1.5]
    found = features(words, voted_proposals(words))
    assert found["arc gap for"].tolist() == [2.0, 0.0, 3.0, 0.0, 1.0]  # in the unit of their own median, 0.5
    assert found["relation gap against"].tolist() == [0.0, 0.0, 0.0, 0.0, 1.5]

    without = assessed()  # those of the graph-based parser: medians 3 and 3
    assert np.allclose(without.arc_gap, without.arc_margin / 3)
    assert np.allclose(without.relation_gap, without.relation_margin / 3)


def test_records_have_the_gaps_of_transition_based_parsers(finished: Path) -> None:
    records = [json.loads(line) for line in (finished / RECORDS).read_text(encoding="utf-8").splitlines()]
    votes = [record["result"] for record in records if record["setting"] == VotesCell.SETTING]
    assert len(votes) == 6
    for result in votes:
        assert len(result["arc_margins"]) == len(result["relation_margins"]) == len(result["heads"])
    words = assessed_words_of(finished)
    lost = (words.voted_heads[:2] != words.heads).all(axis=0)
    assert np.median(words.arc_gap[lost]) < 0 < np.median(words.arc_gap[~lost])


def test_the_graph_based_parser_reads_lemmas_and_features_the_second_time() -> None:
    tree = Tree(
        ("Them", "saw", "I"),
        ("PRON", "VERB", "PRON"),
        (2, 0, 2),
        ("obj", "root", "nsubj"),
        ("they", "see", "_"),
        (),
        ("Case=Acc|Number=Plur|PronType=Prs", "VerbForm=Fin", "_"),
    )
    assert as_read([tree], FORMS, "gold") == [tree]
    (read,) = as_read([tree], LEMMAS, "gold")
    assert read.forms == ("they", "see", "i")
    assert read.upos == ("PRON Case=Acc PronType=Prs", "VERB VerbForm=Fin", "PRON")
    assert (read.heads, read.deprels) == (tree.heads, tree.deprels)
    (read,) = as_read([replace(tree, xpos=("P", "V", "P"))], LEMMAS, "xpos")
    assert read.as_seen("xpos").upos == ("P Case=Acc PronType=Prs", "V VerbForm=Fin", "P")
    bare = Tree(tree.forms, tree.upos, tree.heads, tree.deprels)
    (read,) = as_read([bare], LEMMAS, "gold")
    assert (read.forms, read.upos) == (("them", "saw", "i"), bare.upos)


def test_both_readings_are_trained_and_vote(finished: Path) -> None:
    records = [json.loads(line) for line in (finished / RECORDS).read_text(encoding="utf-8").splitlines()]
    margins = [record for record in records if record["setting"] == MarginsCell.SETTING]
    assert Counter(record.get("subject", "") for record in margins) == {"": 3, LEMMAS: 3}
    by_reading = [
        [record["result"]["arc_margins"] for record in margins if record.get("subject", "") == name]
        for name in ("", LEMMAS)
    ]
    assert by_reading[0] != by_reading[1]
    words = assessed_words_of(finished)
    assert len(words.voted_heads) == 4  # two transition-based parsers, and two readings
    flat = [[margin for fold in reading for margin in fold] for reading in by_reading]
    assert words.arc_margin.tolist() == np.mean(flat, axis=0).tolist()
