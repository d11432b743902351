"""The families of UD's languages: of Indo-European ones the branch, of others the family."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

UNKNOWN = "family not known"


def language_of(treebank: str) -> str:
    """What a treebank's name (or label) says of its language: `Greek` of `UD_Greek` and `UD_Greek-GDT`."""
    return re.split("[-@]", treebank.removeprefix("UD_"), maxsplit=1)[0]


def family_of(language: str) -> str:
    """The family of a language as treebanks name it (`Ancient_Greek`): `Hellenic`; or :data:`UNKNOWN`."""
    return _families().get(language.replace(" ", "_"), UNKNOWN)


@cache
def _families() -> dict[str, str]:
    text = (files("learnability.treebanks") / "data" / "families.json").read_text(encoding="utf-8")
    return {
        language: family for family, languages in json.loads(text).items() for language in languages.split()
    }
