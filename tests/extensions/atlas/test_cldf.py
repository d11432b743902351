"""The answers as a CLDF dataset: what pycldf's validation says of it, and what is in it."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import hand_run, pair, write_run
from small_treebanks import small_treebank

from learnability.atlas import cldf
from learnability.atlas.sentences import SentenceSource
from learnability.errors import InputError
from learnability.evidence.questions import Question
from learnability.evidence.stored_runs import StoredPair, StoredRun, read_run
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score
from learnability.treebanks.locate import TreebankFiles, locate_treebank

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pycldf") is None, reason="pycldf is not installed; pip install '.[cldf]'"
)


def written(folder: Path, run: StoredRun, found: dict[str, TreebankFiles] | None = None) -> list[str]:
    folder.mkdir()
    return cldf.write_dataset(
        folder, combine_runs([run]), [run], SentenceSource([run], lambda config: found or {})
    )


def complaints(folder: Path, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What pycldf's validation says."""
    from pycldf import Dataset

    caplog.clear()
    log = logging.getLogger("cldf")
    with caplog.at_level(logging.DEBUG, logger="cldf"):
        valid = Dataset.from_metadata(folder / cldf.METADATA).validate(log=log)
    return [*caplog.messages, *([] if valid else ["not valid"])]


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[StoredRun, Path]:
    """A run that has read a treebank, whose folder says nothing of a licence."""
    folder = tmp_path_factory.mktemp("cldf")
    treebank = small_treebank(folder / "ud", "UD_Irish")
    deltas = {("UD_Irish", "case"): [1, 2], ("UD_Irish", "det"): [0, -1]}
    run = write_run(folder / "run", seed_deltas=deltas)
    config = json.loads((run / "config.json").read_text())
    (entry,) = config["treebanks"]
    entry["sha256"] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in treebank.glob("*.conllu")
    }
    (run / "config.json").write_text(json.dumps(config))
    return read_run(run), treebank


def test_sentences_with_a_licence_are_passed_on(
    real: tuple[StoredRun, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run, treebank = real
    found = {"UD_Irish@1.3": locate_treebank(treebank)}
    remarks = written(tmp_path / "without", run, found)
    assert remarks[0].startswith("Left out the sentences of UD_Irish@1.3: ")
    assert table(tmp_path / "without", "examples") == []
    assert complaints(tmp_path / "without", caplog) == []
    (treebank / "LICENSE.txt").write_text("CC BY-SA 4.0")
    try:
        remarks = written(tmp_path / "with", run, found)
    finally:
        (treebank / "LICENSE.txt").unlink()
    assert [remark for remark in remarks if remark.startswith("Left out")] == []
    assert complaints(tmp_path / "with", caplog) == []
    examples = table(tmp_path / "with", "examples")
    assert len(examples) == 6
    assert {example["License"] for example in examples} == {"CC BY-SA 4.0"}
    for example in examples:
        words = len(example["Primary_Text"].split())
        columns = ("UPOS", "Heads", "Relations", "Alternative_Heads", "Alternative_Relations")
        assert {len(example[name].split(" ")) for name in columns} == {words}
        assert example["Heads"] != example["Alternative_Heads"]
    assert "CC BY-SA 4.0: UD_Irish@1.3" in (tmp_path / "with" / "LICENSE.md").read_text()
    (language,) = table(tmp_path / "with", "languages")
    names = ("Name", "Glottocode", "ISO639P3code", "Family")
    assert [language[name] for name in names] == ["Irish", "iris1253", "gle", "Celtic"]
    referred = {
        name for value in table(tmp_path / "with", "values") for name in value["Example_IDs"].split(";")
    }
    assert referred == {example["ID"] for example in examples}


def test_values_are_those_of_the_comparison(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = hand_run(Path("run"))
    written(tmp_path / "data", run)
    assert complaints(tmp_path / "data", caplog) == []
    values = {(v["Contribution_ID"], v["Parameter_ID"]): v for v in table(tmp_path / "data", "values")}
    codes = {code["ID"]: code["Name"] for code in table(tmp_path / "data", "codes")}
    evidence = combine_runs([run])
    assert len(values) == 6
    for c in evidence.pairs:
        value, difference = values[f"{c.row.treebank}-1_3", c.row.name], c.row.difference()
        assert value["Value"] == codes[value["Code_ID"]] == c.row.name_answer(Question.EASIER)
        assert value["Train_On"] == c.row.name_answer(Question.TRAIN_ON)
        assert (value["Reason"], value["Train_On_Reason"]) == (c.row.easier().reason, c.row.train_on().reason)
        assert difference is not None
        assert float(value["Difference"]) == pytest.approx(difference.delta, abs=6e-5)
        assert value["Source"] == "wisniewski2018;ud1_3"
        for name, number in (("Difference_Low", difference.low), ("Difference_High", difference.high)):
            assert float(value[name]) == pytest.approx(number, abs=6e-5)
        assert float(value["Difference_Low"]) < float(value["Difference_High"])
        assert float(value["P_Holm"]) == pytest.approx(difference.p_holm, abs=6e-7)
        assert (int(value["Seeds"]), int(value["Test_Places"])) == (c.row.seeds, c.row.test_places)
    assert values["UD_Z-1_3", "det"]["Difference"] == ""


def test_each_score_has_its_difference(tmp_path: Path) -> None:
    run = hand_run(Path("run"))

    def labelled(c: StoredPair) -> StoredPair:
        """The pair with other differences in LAS."""
        more = {
            (Score.LAS, comparison): replace(difference, delta=difference.delta + 7)
            for (_, comparison), difference in c.row.differences.items()
        }
        answers = {(score, question): c.row.answered(question) for score in Score for question in Question}
        row = replace(c.row, labelled=True, answers=answers, differences={**c.row.differences, **more})
        return replace(c, row=row)

    written(tmp_path / "data", replace(run, pairs=tuple(map(labelled, run.pairs))))
    values = {v["ID"]: v for v in table(tmp_path / "data", "values") if v["Difference"]}
    pairs = [(values[name], values[f"{name[:-3]}las"]) for name in values if name.endswith("-uas")]
    assert len(pairs) == 5
    for by_uas, by_las in pairs:
        assert (by_uas["Score"], by_las["Score"]) == ("UAS", "LAS")
        assert float(by_las["Difference"]) == pytest.approx(float(by_uas["Difference"]) + 7, abs=2e-4)


def test_odd_names(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = ("UD_Ünï <b>", "UD_A@1.3", 'a "quoted", name', "ελληνικά", "κυπριακά")
    rows = [
        pair(name, construction, 1.0, 0.3, release="")
        for name in names
        for construction in ("case:lemma=of|to", "sch\"eme's", "Größe")
    ]
    odd = hand_run(Path("run"), rows=rows, release="")
    treebanks = [replace(treebank, label=treebank.name) for treebank in odd.config.treebanks]
    written(tmp_path / "data", replace(odd, config=replace(odd.config, treebanks=treebanks)))
    assert complaints(tmp_path / "data", caplog) == []
    assert len(table(tmp_path / "data", "values")) == len(rows)
    assert {value["Name"] for value in table(tmp_path / "data", "parameters")} == {row.name for row in rows}


def test_files_for_an_archive(tmp_path: Path) -> None:
    written(tmp_path / "data", hand_run(Path("run")))
    zenodo: dict[str, Any] = json.loads((tmp_path / "data" / ".zenodo.json").read_text())
    assert zenodo["upload_type"] == "dataset"
    assert zenodo["creators"]
    citation = (tmp_path / "data" / "CITATION.cff").read_text()
    assert citation.startswith("cff-version: 1.2.0\n")
    assert "10.18653/v1/N18-2064" in citation


def test_without_pycldf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycldf", None)
    with pytest.raises(InputError, match=r"run pip install 'pycldf>=[\d.]+'"):
        cldf.check_installed()
