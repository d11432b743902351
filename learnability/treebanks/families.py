"""Find the languages of treebanks by their names and files, and the families of these languages.

The family of an Indo-European language is its branch.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from learnability.treebanks.locate import language_code

UNKNOWN = "family not known"

_CODE = re.compile(r"([a-z]{2,3})(?:_[a-z0-9]+)?(?:-(?:s?ud)-.*)?")
"""What treebanks are called after their files: `el`, `el_gdt`, `el_gdt-ud-train`."""


def language_of(treebank: str, paths: Iterable[str | os.PathLike[str]] = ()) -> str:
    """Return the language of a treebank: `Greek` for `UD_Greek`, `SUD_Greek-GDT@2.16`, `greek` and `el_gdt`.

    For an unknown one, this is what the name begins with, unless the code in the names of the files is known.
    """
    without_release = treebank.partition("@")[0]
    if "+" in without_release:  # of the files of several treebanks
        return "+".join(dict.fromkeys(map(language_of, without_release.split("+"))))
    named = re.sub("^s?ud_", "", without_release, flags=re.IGNORECASE).partition("-")[0]
    known = {language.casefold(): language for language in _families()}
    if language := known.get(named.replace(" ", "_").casefold()):
        return language
    codes = [language_code(paths)]
    if match := _CODE.fullmatch(without_release):
        codes.append(match[1])
    return next((_languages()[code] for code in codes if code in _languages()), named)


def family_of(language: str) -> str:
    """Return the family of a language: `Hellenic` for `Ancient_Greek`; :data:`UNKNOWN` for an unknown one."""
    return _families().get(language.replace(" ", "_"), UNKNOWN)


class Origin(NamedTuple):
    """Represent where a treebank is from: its language, and the family of this language."""

    language: str
    family: str


def origin_of(language: str) -> Origin:
    """Return a language with its family; one that is not known is a family of its own."""
    family = family_of(language)
    return Origin(language, language if family == UNKNOWN else family)


def origin_of_treebank(name: str, paths: Iterable[str | os.PathLike[str]] = ()) -> Origin:
    return origin_of(language_of(name, paths))


class LanguageEntry(NamedTuple):
    """Hold what identifies a language, and where it is; each empty where it is not known for certain.

    Attributes:
        glottocode, iso639_3: its codes in Glottolog and ISO 639-3.
        macroarea, latitude, longitude: of Glottolog 4.0 (Hammarström, Forkel & Haspelmath 2019); degrees.
    """

    glottocode: str = ""
    iso639_3: str = ""
    macroarea: str = ""
    latitude: float | None = None
    longitude: float | None = None


def entry_of(language: str) -> LanguageEntry:
    return LanguageEntry(*_entries().get(language.replace(" ", "_"), ()))


@cache
def _entries() -> dict[str, list[Any]]:
    entries: dict[str, list[Any]] = _data("glottolog.json")
    return entries


@cache
def _families() -> dict[str, str]:
    families: dict[str, str] = _data("families.json")
    return {language: family for family, languages in families.items() for language in languages.split()}


@cache
def _languages() -> dict[str, str]:
    return _data("language_codes.json")


def _data(name: str) -> dict[str, Any]:
    text = (files("learnability.treebanks") / "data" / name).read_text(encoding="utf-8")
    return dict(json.loads(text))
