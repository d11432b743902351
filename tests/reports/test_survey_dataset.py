"""The CLDF dataset of the survey in the repository: it is valid, and its answers are those of the survey."""

from __future__ import annotations

import csv
import importlib.util
import logging
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from learnability.treebanks.families import entry_of

REPOSITORY = Path(__file__).resolve().parents[2]
SURVEY = REPOSITORY / "research" / "ud-2.16"

needs_pycldf = pytest.mark.skipif(
    importlib.util.find_spec("pycldf") is None, reason="pycldf is not installed; pip install pycldf"
)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_pycldf
def test_it_is_valid(caplog: pytest.LogCaptureFixture) -> None:
    from pycldf import Dataset

    log = logging.getLogger("cldf")
    with caplog.at_level(logging.DEBUG, logger="cldf"):
        assert Dataset.from_metadata(SURVEY / "cldf" / "StructureDataset-metadata.json").validate(log=log)
    assert caplog.messages == []


def test_its_values_are_the_answers() -> None:
    columns = ("easier", "train_on", "uas_delta", "uas_delta_low", "uas_delta_high", "test_places")
    answers = {
        (row["treebank"], row["construction"]): tuple(row[column] for column in columns)
        for row in table(SURVEY / "answers.csv")
    }
    names = {row["ID"]: row["Name"] for row in table(SURVEY / "cldf" / "contributions.csv")}
    constructions = {row["ID"]: row["Name"] for row in table(SURVEY / "cldf" / "parameters.csv")}
    codes = {row["ID"]: row["Name"] for row in table(SURVEY / "cldf" / "codes.csv")}
    named = ("Value", "Train_On", "Difference", "Difference_Low", "Difference_High", "Test_Places")
    values = table(SURVEY / "cldf" / "values.csv")
    found = {
        (names[row["Contribution_ID"]], constructions[row["Parameter_ID"]]): tuple(
            row[column] for column in named
        )
        for row in values
    }
    assert found == answers
    assert [codes[row["Code_ID"]] for row in values] == [row["Value"] for row in values]
    counts = Counter(row["Value"] for row in values)
    page = (SURVEY / "README.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) of the (\d+) questions with enough examples have a side, (\d+) times UD", page)
    assert said is not None
    asked = len(values) - counts["too few examples"]
    sides = counts["UD"] + counts["alternative"]
    assert said.groups() == (str(sides), str(asked), str(counts["UD"]))


def test_it_has_codes_of_languages_and_no_sentences() -> None:
    languages = table(SURVEY / "cldf" / "languages.csv")
    assert sum(bool(row["Glottocode"]) for row in languages) >= len(languages) / 2
    assert table(SURVEY / "cldf" / "examples.csv") == []


def test_its_places_are_those_of_the_package() -> None:
    for row in table(SURVEY / "cldf" / "languages.csv"):
        entry = entry_of(row["Name"])
        places = [str(place) if place is not None else "" for place in (entry.latitude, entry.longitude)]
        assert [row["Macroarea"], row["Latitude"], row["Longitude"]] == [entry.macroarea, *places]


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_it_as_pandas_does() -> None:
    """As on the page of the atlas."""
    page = (REPOSITORY / "docs" / "howto" / "atlas.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```r\n(.*?)```", page, re.DOTALL)
    counts = Counter(
        (row["family"], row["easier"]) for row in table(SURVEY / "answers.csv") if row["construction"] == "cc"
    )
    done = subprocess.run(
        ["Rscript", "-e", f"{script.rstrip()}[['Germanic', 'UD']]"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split()[-1] == str(counts["Germanic", "UD"])


@needs_pycldf
def test_it_is_made_of_the_file_of_answers(tmp_path: Path) -> None:
    """Licences and digests are those of treebanks, which are not here."""
    words = (str(SURVEY / "dataset.py"), str(SURVEY / "answers.csv"), str(tmp_path / "cldf"))
    subprocess.run([sys.executable, *words], check=True, cwd=REPOSITORY)
    for name in ("languages", "parameters", "codes", "values", "examples"):
        kept = SURVEY / "cldf" / f"{name}.csv"
        assert (tmp_path / "cldf" / f"{name}.csv").read_bytes() == kept.read_bytes(), name
