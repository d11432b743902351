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
    "refused-words": [
        "transfrom",
        "transform --transfrom case",
        "transform --transform cse",
        "transform --transform cop:reatach=min",
        "transform --transform cop:reattach=mim",
        "transform --alternative function-head",
        "transform --alternative cop:reattach=clause",
        "transform --transform my.toml",
        "run --treebank demo --transform all",
        "run demo",
        "list transform",
        "measure",
        "measure --treebank demo --splits 8:1",
        "measure --treebank demmo",
        "measure --treebank demo --treebank demo",
        "train x.conllu",
        "train x.conllu -m x.model --iterations 0",
        "train x.conllu -m x -m y",
        "evaluate missing.conllu missing.conllu",
    ],
    "refused-runs": [
        "run --treebank demo --treebank demo",
        "run --treebank UD_Smal --ud-home .",
        *(
            f"run --treebank UD_Small {words} --dry-run"
            for words in (
                "--transform cse",
                "--transform cop:reattach=claus",
                "--alternative function-head",
                "--iterations 0",
                "--seeds 0",
                "--parser arc-eagr",
                "--parser arc-eager:dynamik",
                "--parser arc-standard:dynamic",
                "--jobs 0",
                "--cross-validate 2",
                "--splits 8:1",
                "--splits cut",
                "--splits dev",
                "--cross-validate 3 --splits dev",
                "--force --resume",
            )
        ),
    ],
}
"""Commands that are typed one after the other in one folder, which has a small treebank."""

ERRORS = {"refused-words": 2, "refused-runs": 2}
"""The exit code of every command of a session, where it is not 0."""


MEASURED = ("a-run", "looking")
"""The sessions whose numbers come from trainings and measurements."""


def masked(text: str) -> str:
    """A text with 0 for each digit of its numbers."""
    return re.sub(r"(?<![\w-])[\d.,]*\d\b", lambda number: re.sub(r"\d", "0", number[0]), text)


@pytest.mark.parametrize("name", SESSIONS)
def test_what_commands_say(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(locate, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    for home in ("LEARNABILITY_UD_HOME", "UDBASE"):
        monkeypatch.setenv(home, "")
    if name not in HELP:
        small_treebank(tmp_path)
    said = []
    for words in SESSIONS[name]:
        done = call(*shlex.split(words))
        code = ERRORS.get(name, done.code)
        assert done.code == code, done.errors
        if code:
            assert done.output == b""
            assert done.errors.startswith("learnability: ")
            assert done.errors.count("\n") == 1
        shown = f"{done.text}{done.errors}".replace(str(tmp_path), "FOLDER")
        lines = [line.rstrip() for line in (masked(shown) if name in MEASURED else shown).splitlines()]
        said += [f"$ learnability {words}", *lines, f"[{done.code}]", ""]
    text = "\n".join(said)
    file = TEXTS / f"{name}.txt"
    if request.config.getoption("--renew-texts"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), "read the difference; store it with --renew-texts"


def test_no_text_is_left_over() -> None:
    assert sorted(path.stem for path in TEXTS.glob("*.txt")) == sorted(SESSIONS)
