"""What other languages say of a construction, before it is pooled for the package."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from research.predictions.elsewhere import Measured, find_prior

KNOWN = tuple(
    Measured(language, "case", difference, 0.4, changed)
    for language, difference, changed in (
        ("Greek", 1.0, 0.25), ("Irish", 2.0, 0.16), ("Tamil", 0.5, 0.09), ("Czech", -3.0, 0.3),
    )
)  # fmt: skip


def test_the_own_language_says_nothing() -> None:
    changed = [replace(one, difference=-50.0) if one.language == "Greek" else one for one in KNOWN]
    assert find_prior("case", "Greek", 0.2, KNOWN) == find_prior("case", "Greek", 0.2, changed)
    assert find_prior("case", "Irish", 0.2, KNOWN) != find_prior("case", "Irish", 0.2, changed)


def test_it_grows_with_the_root_of_the_changed_share() -> None:
    one, four = (find_prior("case", "Greek", changed, KNOWN) for changed in (0.05, 0.2))
    assert four.mean == pytest.approx(2 * one.mean)
    assert four.variance == pytest.approx(4 * one.variance)
    # with the same difference everywhere, and no error, it is that difference
    same = [replace(own, difference=3 * sqrt(own.changed), error=1e-6) for own in KNOWN]
    assert find_prior("case", "Greek", 0.09, same).mean == pytest.approx(0.9)


def test_what_was_not_measured_in_three_languages_may_go_either_way() -> None:
    belief = find_prior("det", "Greek", 0.1, KNOWN)
    squares = [own.difference**2 / own.changed for own in KNOWN if own.language != "Greek"]
    assert (belief.mean, belief.variance) == (0, pytest.approx(0.1 * sum(squares) / 3))
    assert find_prior("case", "Greek", 0.1, KNOWN).mean != 0
    assert find_prior("case", "Greek", 0.1, KNOWN[:3]).mean == 0
