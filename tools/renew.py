"""Make the data files again that a new release of UD needs, and say what the others need.

    python tools/renew.py RELEASE

RELEASE is the folder of an unpacked release, with a folder `UD_X` for each treebank. It writes
`language_codes.json`, from the names of files, and `elsewhere.csv`, which follows from
`research/predictions/differences.csv` and the families. What must be looked up, or trained for hours, is one
line each. Run it again after you have filled in what it asks for. `docs/chores.md` describes every file.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from learnability.errors import InputError  # noqa: E402
from learnability.support.files import write_atomically  # noqa: E402
from learnability.support.nouns import count_noun  # noqa: E402
from learnability.treebanks.families import UNKNOWN, entry_of, family_of, language_of  # noqa: E402
from learnability.treebanks.locate import TreebankFiles, language_code, list_treebanks  # noqa: E402
from learnability.treebanks.releases import Release  # noqa: E402

DATA = ROOT / "learnability" / "treebanks" / "data"
ELSEWHERE = ROOT / "learnability" / "statistics" / "data" / "elsewhere.csv"

TRAINED = (
    "differences.csv, prediction.json: not needed for a release; runs of many treebanks make them again "
    "(research/predictions)",
    "weights.json, proposal_weights.json: not needed for a release; parses of two releases make them again "
    "(research/doubts)",
)


def main(arguments: list[str]) -> int:
    """Write the files, and print a line for each; 1 if something must be looked up."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        treebanks = list_treebanks(arguments[0])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if not treebanks:
        print(f"{arguments[0]} has no treebanks; name the folder of an unpacked release", file=sys.stderr)
        return 2
    needed = [*find_missing_releases(treebanks), *find_unknown_languages(treebanks)]
    print(renew_codes(treebanks, DATA / "language_codes.json"))
    print(renew_elsewhere(ELSEWHERE))
    for line in (*needed, *TRAINED):
        print(line)
    return 1 if needed else 0


def find_missing_releases(treebanks: list[TreebankFiles]) -> Iterator[str]:
    """Yield what `releases.json` lacks: a handle is only on the page of downloads."""
    known = Release.known()
    for release in sorted(
        {files.release for files in treebanks if files.release} - {*known}, key=Release.key
    ):
        yield (
            f"releases.json: add {release} with the handle that universaldependencies.org/download.html has "
            f"(known: up to {[*known][-1]})"
        )


def find_unknown_languages(treebanks: list[TreebankFiles]) -> Iterator[str]:
    """Yield the languages without a family or codes, which a person must look up."""
    for language in sorted({name_language(files) for files in treebanks}):
        if family_of(language) == UNKNOWN:
            yield f"families.json: add {language} to its family (for Indo-European: the branch)"
        if not any(entry_of(language)[:2]):
            yield f"glottolog.json: add the codes of {language} from glottolog.org, if they are certain"


def name_language(files: TreebankFiles) -> str:
    """Return the language of a treebank by its name, as UD writes it."""
    return language_of(files.name)


def renew_codes(treebanks: list[TreebankFiles], path: Path) -> str:
    """Add the language code with which the files of each treebank begin, and say what was done."""
    codes: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    before = len(codes)
    for files in treebanks:
        if code := language_code([path for _, split in files.splits() for path in split]):
            codes.setdefault(code, name_language(files))
    if len(codes) == before:
        return f"{path.name}: nothing to add, {before} codes"
    text = json.dumps(dict(sorted(codes.items())), indent=1, ensure_ascii=False) + "\n"
    write_atomically(path, text.encode())
    return f"{path.name}: {count_noun(len(codes) - before, 'code')} added"


def renew_elsewhere(path: Path) -> str:
    """Compute the beliefs of other languages again, and say what was done.

    Processors differ in the last digit, so a file with the same numbers stays as it is.
    """
    from research.predictions.elsewhere import pooled

    text = pooled()
    if has_same_numbers(text, path.read_text(encoding="utf-8")):
        return f"{path.name}: up to date"
    write_atomically(path, text.encode())
    return f"{path.name}: written"


def has_same_numbers(text: str, other: str) -> bool:
    """Return whether two CSV files are the same but for the last digits of numbers."""
    rows, others = (list(csv.reader(io.StringIO(each))) for each in (text, other))
    if [row[:2] for row in rows] != [row[:2] for row in others]:
        return False
    pairs = zip(rows[1:], others[1:], strict=True)
    return all(
        math.isclose(float(value), float(other_value), rel_tol=1e-9)
        for row, other_row in pairs
        for value, other_value in zip(row[2:], other_row[2:], strict=True)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
