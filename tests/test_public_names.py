"""`import learnability` offers what it says, without importing anything heavy by itself."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

import learnability


@pytest.mark.parametrize("name", learnability.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(learnability, name).__doc__
    assert name in dir(learnability)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        learnability.no_such_thing  # noqa: B018


def test_the_example_of_the_package_runs() -> None:
    found = doctest.testmod(learnability)
    assert (found.failed, found.attempted > 3) == (0, True)


def test_importing_the_package_is_light() -> None:
    code = "import learnability, sys; print({'numpy', 'numba', 'conllu'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
