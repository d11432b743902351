"""Scheme files that name a command: what they mean, and one located line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from converters import scheme_file

from learnability.errors import InputError
from learnability.schemes import find_scheme, get_scheme
from learnability.schemes.toml_file import CommandScheme


def test_what_a_file_says(tmp_path: Path) -> None:
    path = scheme_file(tmp_path, more='name = "x"\ndescription = "a chain"\ntime_limit = 9')
    scheme = find_scheme(str(path))
    assert isinstance(scheme, CommandScheme)
    assert (scheme.name, scheme.description, scheme.transformations) == ("x", "a chain", ())
    annotator = scheme.annotator
    assert (annotator.name, annotator.folder, annotator.time_limit) == ("x", tmp_path, 9)
    assert annotator.definition == path.read_text()
    path.write_text('command = ["udapy"]')
    scheme = find_scheme(str(path))
    assert (scheme.name, scheme.description) == ("chain", "defined in chain.toml")


def test_it_has_no_rules(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="scheme chain is a command, which writes trees but has no rules"):
        get_scheme(str(scheme_file(tmp_path)))


COMMAND = 'command = ["x"]\n'
MISTAKES = {
    "both": (
        COMMAND + '[[transform]]\nname = "case"',
        "2: the key 'transform' is unknown; choose from name, description, command, columns, time_limit (a",
    ),
    "language": (COMMAND + 'language = "fr"', "2: the key 'language' is unknown; "),
    "key": (COMMAND + "timelimit = 3", "2: the key 'timelimit' is unknown; did you mean 'time_limit'?"),
    "empty": ("command = []", '1: there is no command to annotate; write command = ["PROGRAM"]'),
    "limit alone": ("time_limit = 3", '1: there is no command to annotate; write command = ["PROGRAM"]'),
    "string": ('command = "udapy -s"', '1: command is a string; write command = ["...", "..."]'),
    "placeholder": ('command = ["x",\n"{inptu}"]', "2: command has the unknown placeholder {inptu}; did"),
    "limit": (COMMAND + "time_limit = 0", "2: time_limit is 0; use a number above 0"),
    "name": (COMMAND + 'name = "a b"', "2: the name 'a b' is invalid; use only letters, digits, hyphens"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_file_are_one_line(mistake: str, tmp_path: Path) -> None:
    text, message = MISTAKES[mistake]
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        find_scheme(str(path))
    assert str(error.value).startswith(f"{path}:{message}")
    assert "\n" not in str(error.value)
