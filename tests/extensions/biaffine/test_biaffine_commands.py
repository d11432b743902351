"""The neural parser on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.parsers.registry import parser_named


def test_dry_run_says_what_word_vectors_cover(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="jax is not installed; pip install '.[neural]'")
    treebank = small_treebank(tmp_path / "treebanks")
    vectors = tmp_path / "words.vec"
    words = (
        "run",
        "--test-set",
        "--treebank",
        treebank,
        "--parser",
        f"biaffine:vectors={vectors}",
        "--dry-run",
    )
    vectors.write_text("Hund 1 2 3\n")
    assert (
        "\nUD_Small: words.vec holds 1 word vector of 3 dimensions; they cover 0.0 % of the tokens\n"
        in call(*words).text
    )
    vectors.write_text("Hund 1 2 3\nKatze 1 2\n")
    done = call(*words)
    assert (done.code, done.output) == (2, b"")
    error = done.errors.splitlines()[-1]
    assert error.startswith(f"learnability: {vectors}: line 2 does not hold a word and 3 numbers; give word")


def test_small_treebanks_take_the_neural_parser_more_iterations() -> None:
    """Estimates of time: twice as many for each token, unless their number is given."""
    neural, linear = (parser_named(name).kind for name in ("biaffine", "arc-eager"))
    small, large = (
        neural.estimated_seconds(tokens, labelled=True, iterations=None) for tokens in (6_000, 600_000)
    )
    assert small == pytest.approx(2 * large / 100) == pytest.approx(2 * 6 * neural.seconds[True])
    assert neural.estimated_seconds(6_000, labelled=True, iterations=15) == pytest.approx(large / 100)
    by_size = [
        linear.estimated_seconds(tokens, labelled=False, iterations=None) for tokens in (6_000, 600_000)
    ]
    assert by_size == pytest.approx([6 * linear.seconds[False], 600 * linear.seconds[False]])
    thrice = linear.estimated_seconds(6_000, labelled=False, iterations=36)
    assert thrice == pytest.approx(3 * by_size[0])
