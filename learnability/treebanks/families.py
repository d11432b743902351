"""The families of UD's languages: of Indo-European ones the branch, of others the family."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

UNKNOWN = "family not known"


def language_of(treebank: str) -> str:
    """Return the language in a treebank's name or label: `Greek` of `UD_Greek`, `SUD_Greek-GDT@2.16`."""
    return re.split("[-@]", re.sub("^S?UD_", "", treebank), maxsplit=1)[0]


def family_of(language: str) -> str:
    """The family of a language as treebanks name it (`Ancient_Greek`): `Hellenic`; or :data:`UNKNOWN`."""
    return _families().get(language.replace(" ", "_"), UNKNOWN)


@cache
def _families() -> dict[str, str]:
    text = (files("learnability.treebanks") / "data" / "families.json").read_text(encoding="utf-8")
    return {
        language: family for family, languages in json.loads(text).items() for language in languages.split()
    }
