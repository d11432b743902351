"""The families of UD's languages."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from learnability.treebanks.families import UNKNOWN, family_of, language_of
from research.predictions.elsewhere import measured_before


@pytest.mark.parametrize(
    ("language", "family"),
    [("Irish", "Celtic"), ("Ancient_Greek", "Hellenic"), ("Ancient Greek", "Hellenic"), ("Kazakh", "Turkic"),
     ("Hungarian", "Uralic"), ("Demo", UNKNOWN)],
)  # fmt: skip
def test_families(language: str, family: str) -> None:
    assert family_of(language) == family


@pytest.mark.parametrize(
    "treebank",
    [
        *("UD_Greek", "UD_Greek-GDT", "UD_Greek@1.3", "SUD_Greek-GDT@2.16", "SUD_Greek-GDT", "ud_greek-gdt"),
        *("greek", "Greek-Mine", "el", "el_gdt", "el_gdt@2.16", "el_gdt-ud-train", "el-sud-train-a"),
    ],
)
def test_the_language_is_in_the_name(treebank: str) -> None:
    assert language_of(treebank) == "Greek"


def test_the_languages_of_files_of_several_treebanks() -> None:
    assert language_of("UD_English-LinES+UD_English-PUD@2.16") == "English"
    assert language_of("UD_Tamil-TTB+el_gdt") == "Tamil+Greek"
    assert family_of("Tamil+Greek") == UNKNOWN


@pytest.mark.parametrize("name", ["mine", "my-treebank", "corpus@2.16"])
def test_the_language_is_in_the_names_of_the_files(name: str) -> None:
    paths = ["a/el_gdt-ud-train.conllu", "b/el_gdt-ud-test.conllu"]
    assert language_of(name, paths) == "Greek"
    assert language_of(name, [*paths, "b/ga_idt-ud-dev.conllu"]) == name.partition("@")[0].partition("-")[0]
    assert language_of("UD_Irish-IDT", paths) == "Irish"


def test_every_language_that_predictions_know_has_a_code_and_every_code_a_family() -> None:
    data = files("learnability.treebanks") / "data"
    codes = json.loads((data / "language_codes.json").read_text(encoding="utf-8"))
    assert {language for language in codes.values() if family_of(language) == UNKNOWN} == set()
    assert {measured.language for measured in measured_before()} <= set(codes.values())


def test_every_language_of_the_known_releases_has_one_family() -> None:
    data = files("learnability.treebanks") / "data"
    given = json.loads((data / "families.json").read_text(encoding="utf-8"))
    languages = [language for own in given.values() for language in own.split()]
    assert len(languages) == len(set(languages))
    known = json.loads((data / "releases.json").read_text(encoding="utf-8"))["releases"]
    treebanks = {name for release in known.values() for name in release.get("treebanks", ())}
    assert len(treebanks) > 200
    assert {name for name in treebanks if family_of(name[3:].partition("-")[0]) == UNKNOWN} == set()
