"""What commands say, in full: tests/data/texts has it. `pytest --renew-texts` stores what they say now.

Measured numbers are masked, because other tests are about them; what is stored are sentences and tables.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from invoking import PACKAGE, Call
from small_treebanks import small_treebank

from learnability import cli
from learnability.treebanks import locate

TEXTS = Path(__file__).parents[1] / "data" / "texts"

OF_CORE = [path.stem for path in (PACKAGE / "commands").glob("*.py") if path.stem in cli.command_names()]
HELP = {f"help-{name}": [f"{name} --help"] for name in OF_CORE if name != "run"}
"""The help of commands, but for `run`, to which extensions bring options."""

FAST = "--seeds 1 --iterations 1 --jobs 1"

SESSIONS = {
    **HELP,
    "looking": [
        "show --treebank UD_Small --transform case --sent-id xx-ud-test.conllu:1",
        "show --treebank UD_Small --transform cop xx-ud-test.conllu:99",
        "measure UD_Small/xx-ud-dev.conllu",
        "references --transform case --transform det UD_Small/xx-ud-dev.conllu",
        "evaluate UD_Small/xx-ud-dev.conllu UD_Small/xx-ud-dev.conllu",
        "diff UD_Small/xx-ud-dev.conllu --transform det --out diff",
    ],
    "a-run": [
        "run --test-set --treebank UD_Small --transform case --transform det --jobs 1 --dry-run",
        f"run --test-set --treebank UD_Small --transform case --transform det {FAST} --out run",
        "report run --details --explain",
        "report run --card card.md",
        f"run --test-set --treebank UD_Small --transform case {FAST} --out run",
        f"run --test-set --treebank UD_Small --transform case --transform det {FAST} --out run --resume",
        "compare run",
    ],
}
"""Commands that are typed one after the other in one folder, which has a small treebank."""

REFUSED = ("refused-diffs", "refused-runs", "refused-words")
"""Sessions of commands that are refused. The stored texts have them: to try another one, add its line after
``$ learnability`` there, and store what it says."""


MEASURED = ("a-run", "looking")
"""The sessions whose numbers come from trainings and measurements."""


def masked(text: str) -> str:
    """A text with 0 for each digit of its numbers, and for a whole time, which depends on the processors."""
    text = re.sub(r"about \d+ (second|minute)s", "about 0 seconds", text)
    return re.sub(r"(?<![\w-])[\d.,]*\d\b", lambda number: re.sub(r"\d", "0", number[0]), text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(locate, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    for home in ("LEARNABILITY_UD_HOME", "UDBASE"):
        monkeypatch.setenv(home, "")
    return tmp_path


@pytest.mark.parametrize("name", SESSIONS)
def test_what_commands_say(call: Call, folder: Path, request: pytest.FixtureRequest, name: str) -> None:
    if name not in HELP:
        small_treebank(folder)
    said = []
    for words in SESSIONS[name]:
        done = call(*shlex.split(words))
        shown = f"{done.text}{done.errors}".replace(str(folder), "FOLDER")
        said.append(told(words, masked(shown) if name in MEASURED else shown, done.code))
    compare_with_stored(name, said, request)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_said_in_a_line_and_changes_nothing(
    call: Call, folder: Path, request: pytest.FixtureRequest, name: str
) -> None:
    for treebank in ("UD_Small", "UD_Other", "UD_Further"):
        small_treebank(folder, treebank)
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    said = []
    text = (TEXTS / f"{name}.txt").read_text(encoding="utf-8")
    for words in re.findall(r"^\$ learnability (.*)$", text, re.MULTILINE):
        done = call(*shlex.split(words))
        assert (done.code, done.output) == (2, b""), words
        assert re.fullmatch(r"learnability: .*\n", done.errors), words
        said.append(told(words, done.errors.replace(str(folder), "FOLDER"), done.code))
    compare_with_stored(name, said, request)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def told(words: str, shown: str, code: int) -> str:
    return "\n".join([f"$ learnability {words}", *map(str.rstrip, shown.splitlines()), f"[{code}]", ""])


def compare_with_stored(name: str, said: list[str], request: pytest.FixtureRequest) -> None:
    text, file = "\n".join(said), TEXTS / f"{name}.txt"
    if request.config.getoption("--renew-texts"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), "read the difference; store it with --renew-texts"


def test_no_text_is_left_over() -> None:
    assert sorted(path.stem for path in TEXTS.glob("*.txt")) == sorted([*SESSIONS, *REFUSED])
