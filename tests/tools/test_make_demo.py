from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import make_demo
from learnability.treebanks.locate import DEMO_FOLDER


def test_committed_files_are_what_the_generator_writes() -> None:
    files = make_demo.generate()
    assert sorted(path.name for path in DEMO_FOLDER.glob("*.conllu")) == sorted(files)
    for name, content in files.items():
        assert (DEMO_FOLDER / name).read_bytes() == content.encode(), f"run the generator for {name}"


def test_the_generator_runs_as_a_script(tmp_path: Path) -> None:
    command = [sys.executable, make_demo.__file__, str(tmp_path / "out")]
    subprocess.run(command, check=True, cwd=tmp_path)
    for path in DEMO_FOLDER.glob("*.conllu"):
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()


def test_another_seed_gives_another_treebank() -> None:
    assert make_demo.generate(1) != make_demo.generate(2)


def test_without_a_folder_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_demo.main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
