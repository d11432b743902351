"""What the page on completion says works: in bash as its user sees it, in the others by what they ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "howto" / "completion.md").read_text(encoding="utf-8")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    program = tmp_path / "learnability"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m learnability "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


def out(words: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [("tr", ["transfer", "transform", "train"]), ("run --splits ", ["released", "dev", "cut"])],
)
def test_bash_completes(typed: str, wanted: list[str], environment: dict[str, str]) -> None:
    line = 'eval "$(_LEARNABILITY_COMPLETE=bash_source learnability)"'
    assert f"`{line}`" in PAGE
    words = ["learnability", *typed.split(" ")]
    array = " ".join(f"'{word}'" for word in words)
    pressed = (
        f"{line}\nCOMP_WORDS=({array}); COMP_CWORD={len(words) - 1}\n"
        '_learnability_completion learnability; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert out(["bash", "--norc", "-c", pressed], environment).split() == wanted


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_get_their_script(shell: str, environment: dict[str, str]) -> None:
    assert f"_LEARNABILITY_COMPLETE={shell}_source learnability" in PAGE
    script = out(["learnability"], {**environment, "_LEARNABILITY_COMPLETE": f"{shell}_source"})
    assert "_LEARNABILITY_COMPLETE=" in script
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr
    asked = {
        "_LEARNABILITY_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "learnability tr",
        "COMP_CWORD": "1",
    }
    asked |= {"COMP_CWORD": "tr"} if shell == "fish" else {}
    found = out(["learnability"], {**environment, **asked})
    assert "transform" in found
    assert "measure" not in found
