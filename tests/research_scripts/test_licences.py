"""What archives ask of a treebank: the licence that its files name, and the codes of its language."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from learnability.treebanks.families import UNKNOWN, entry_of, family_of
from research.support.licences import licence_in, licence_of


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("CC BY-SA 3.0", "CC BY-SA 3.0"),
        ("Creative Commons BY-NC-SA 3.0", "CC BY-NC-SA 3.0"),
        ("under the Creative Commons License Attribution-ShareAlike 4.0 International.", "CC BY-SA 4.0"),
        (
            "the Creative Commons Attribution-NonCommercial-\nShareAlike 3.0 Unported License",
            "CC BY-NC-SA 3.0",
        ),
        ("see http://creativecommons.org/licenses/by/4.0/legalcode", "CC BY 4.0"),
        ("https://creativecommons.org/licenses/by-nd/4.0/", "CC BY-ND 4.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("Lesser General Public License For Linguistic Resources", ""),
        ("CC BY 4.0, some files CC BY-SA 4.0", ""),
        ("CC BY 4.0 or the GPL", ""),
        ("All rights reserved by the Creative Commons of our village", ""),
        ("", ""),
    ],
)
def test_what_a_text_names(text: str, licence: str) -> None:
    assert licence_in(text) == licence


def test_the_readme_counts_before_the_licence_file(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("CC BY-SA 3.0")
    (tmp_path / "README.md").write_text("# Summary\nNot CC BY-NC 2.0\n\nLicense: CC BY-SA 4.0\nGenre: news\n")
    assert licence_of(tmp_path) == "CC BY-SA 4.0"
    (tmp_path / "README.md").write_text("nothing")
    assert licence_of(tmp_path) == "CC BY-SA 3.0"
    assert licence_of(None) == ""
    assert licence_of(tmp_path / "nowhere") == ""


def test_codes_of_languages() -> None:
    assert entry_of("Irish")[:3] == ("iris1253", "gle", "Eurasia")
    assert entry_of("Ancient Greek").glottocode == "anci1242"
    assert entry_of("Nowhereish") == ("", "", "", None, None)


def test_codes_have_their_form_and_belong_to_one_language() -> None:
    text = (files("learnability.treebanks") / "data" / "glottolog.json").read_text(encoding="utf-8")
    codes = json.loads(text)
    assert len(codes) > 100
    for language, (glottocode, iso, *place) in codes.items():
        assert family_of(language) != UNKNOWN, language
        assert re.fullmatch(r"([a-z0-9]{4}\d{4})?", glottocode), language
        assert re.fullmatch(r"[a-z]{3}", iso), language
        assert len(place) in (0, 1, 3), language
        if len(place) == 3:
            assert -60 < place[1] < 84, language  # what maps show
            assert -180 <= place[2] <= 180, language
    codes.pop("Buriat")  # as Buryat was spelled in earlier releases
    for column in (0, 1):
        known = [pair[column] for pair in codes.values() if pair[column]]
        assert len(known) == len(set(known))
