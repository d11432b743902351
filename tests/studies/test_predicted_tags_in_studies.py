"""Predicted tags in every study: no gold tag is read, and a run that was stopped gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out
from recorded_run import VOLATILE
from small_treebanks import small_treebank

from learnability.comparing.options import PREDICTED, DataOptions, ExperimentOptions
from learnability.running.records import Record, read_records
from learnability.studies.registry import known_studies
from learnability.studies.runner import StudyRequest
from learnability.treebanks.locate import TreebankFiles, locate_treebank

OPTIONS = ExperimentOptions.spell_annotations(("case", "mark"), seeds=1, iterations=1, tags=PREDICTED)

RUNS: dict[str, tuple[ExperimentOptions, Sequence[StudyRequest]]] = {
    "run": (OPTIONS, (asked("run"),)),
    "predict": (OPTIONS, (asked("predict"),)),
    "labelled tags": (
        ExperimentOptions.spell_annotations(
            ("upos:NOUN=VERB", "deprel:obl=nmod"), seeds=1, iterations=1, tags=PREDICTED, labels="external"
        ),
        (asked("run"),),
    ),
}
"""Runs by what they show."""

OF_EXTENSIONS: dict[str, tuple[ExperimentOptions, Sequence[tuple[str, dict[str, Any]]]]] = {
    "combinations": (OPTIONS, [("combinations", {})])
}
"""The same of extensions: options, and studies with theirs."""

for title, (options_of_run, named_studies) in OF_EXTENSIONS.items():
    if all(study in known_studies() for study, _ in named_studies):  # those that are installed
        RUNS[title] = options_of_run, [asked(study, **own) for study, own in named_studies]

SLOWER = ("combinations", "labelled tags")


def named(*names: str, slower: Sequence[str] = SLOWER) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow if name in slower else ()) for name in names]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    return locate_treebank(small_treebank(tmp_path_factory.mktemp("gold"), train=60))


def lasting(value: Any, without: Sequence[str] = VOLATILE) -> Any:
    if isinstance(value, dict):
        return {name: lasting(each, without) for name, each in value.items() if name not in without}
    return [lasting(each, without) for each in value] if isinstance(value, list) else value


def results(out: Path, without: Sequence[str] = VOLATILE) -> dict[str, Any]:
    def result(record: Record) -> Any:
        return lasting(json.loads(bytes(record.result)), without)

    return {key: result(record) for key, record in read_records(out / "records.jsonl").items()}


LEMMA, UPOS, XPOS, FEATS = 2, 3, 4, 5
"""Columns of CoNLL-U that no parser may see where tags are predicted; UPOS only in the training set."""

NOT_OF_PARSERS = (*VOLATILE, "tagging", "values", "examples")
"""What depends on gold tags without any parser: the accuracy of the tagger, measures, and drawn sentences."""


def rewritten(files: TreebankFiles, folder: Path) -> TreebankFiles:
    """Copy a treebank with other gold columns: all but UPOS in the training set, all in the others."""
    place = folder / files.name
    place.mkdir(parents=True)
    for part, tags in (("train", (LEMMA, XPOS, FEATS)), ("dev", GOLD), ("test", GOLD)):
        (path,) = getattr(files, part)
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if cells[0].isdecimal():
                for column in tags:
                    cells[column] = "X" if column == UPOS else f"Gold={cells[UPOS]}"
            lines.append("\t".join(cells))
        (place / path.name).write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    return locate_treebank(place)


GOLD = (LEMMA, XPOS, FEATS, UPOS)


@pytest.mark.parametrize("name", named(*(name for name in RUNS if name not in ("labelled tags", "predict"))))
def test_no_study_reads_a_gold_tag(name: str, files: TreebankFiles, tmp_path: Path) -> None:
    """Short trainings of `predict` read the training set alone, and a fold of one is tested elsewhere."""
    options, studies = RUNS[name]
    options = replace(options, data=DataOptions())
    found = []
    for place, data in (("gold", files), ("other", rewritten(files, tmp_path))):
        out = tmp_path / f"run-{place}"
        assert not carried_out(data, options, out, *studies).failed
        found.append(results(out, NOT_OF_PARSERS))
    assert found[0] == found[1]


def test_gold_tags_are_read_without_predicted_ones(files: TreebankFiles, tmp_path: Path) -> None:
    """The test above fails where parsers see gold tags."""
    options, studies = RUNS["run"]
    options = replace(options, tags="gold")
    found = []
    for place, data in (("gold", files), ("other", rewritten(files, tmp_path))):
        out = tmp_path / f"run-{place}"
        assert not carried_out(data, options, out, *studies).failed
        found.append(results(out, NOT_OF_PARSERS))
    assert {key for key in found[0] if found[0][key] != found[1][key]} >= {
        key for key in found[0] if "/a/" in key or "/b/" in key
    }
