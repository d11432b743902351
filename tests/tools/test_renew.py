"""What a new release of UD needs: codes are added, and what must be looked up is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from small_treebanks import DEMO

import renew
from learnability.treebanks.locate import TreebankFiles, list_treebanks


@pytest.fixture
def treebanks(tmp_path: Path) -> list[TreebankFiles]:
    """A release that nobody knows, with a treebank of a known language and one of an unknown one."""
    release = tmp_path / "ud-treebanks-v2.99"
    for name, code in (("UD_Greek-New", "el_new"), ("UD_Moonish-Dust", "mnx_dust")):
        (release / name).mkdir(parents=True)
        shutil.copy(DEMO / "demo-ud-dev.conllu", release / name / f"{code}-ud-test.conllu")
    return list_treebanks(release)


def test_codes_of_new_languages_are_added_and_known_ones_stay(
    treebanks: list[TreebankFiles], tmp_path: Path
) -> None:
    path = tmp_path / "language_codes.json"
    path.write_text('{\n "el": "Greek"\n}\n')
    assert renew.renew_codes(treebanks, path) == "language_codes.json: 1 code added"
    assert json.loads(path.read_text()) == {"el": "Greek", "mnx": "Moonish"}
    written = path.read_bytes()
    assert renew.renew_codes(treebanks, path) == "language_codes.json: nothing to add, 2 codes"
    assert path.read_bytes() == written


def test_what_must_be_looked_up_is_one_line_each(treebanks: list[TreebankFiles]) -> None:
    (release,) = renew.find_missing_releases(treebanks)
    assert release.startswith("releases.json: add 2.99 with the handle")
    assert [line.split(" to ")[0] for line in renew.find_unknown_languages(treebanks)] == [
        "families.json: add Moonish",
        "glottolog.json: add the codes of Moonish from glottolog.org, if they are certain",
    ]


def test_the_shipped_beliefs_follow_from_the_shipped_differences(tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    path = tmp_path / "elsewhere.csv"
    shipped = renew.ELSEWHERE.read_text(encoding="utf-8")
    path.write_text(shipped)
    assert renew.renew_elsewhere(path) == "elsewhere.csv: up to date"
    path.write_text(shipped.replace("0.7", "0.8", 1))
    assert renew.renew_elsewhere(path) == "elsewhere.csv: written"
    assert renew.has_same_numbers(path.read_text(encoding="utf-8"), shipped)


def test_a_folder_without_treebanks_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert renew.main([str(tmp_path)]) == 2
    assert "name the folder of an unpacked release" in capsys.readouterr().err
