"""Numbers and their nouns: one of something is named in the singular, by one function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from sources import package_sources

from learnability import InputError, reference_set
from learnability.metrics import attachment_scores
from learnability.support.nouns import count_noun
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Tree

PLURAL = re.compile(
    r" (?:[a-z-]+ ){0,2}(?:annotations|bytes|classes|columns|combinations|comparisons|constructions|deprels|"
    r"differences|dimensions|documents|doubts|errors|examples|factors|features|files|folds|groups|heads|"
    r"iterations|labels|parsers|parses|places|records|references|relations|releases|results|roots|runs|"
    r"schemes|seeds|sentences|places|times|tokens|trainings|trees|treebanks|variants|versions|words)\b"
)
"""What follows a number where `count_noun` should say both."""

NEVER_ONE = {
    "cli.py": {"used.count(option)"},
    "commands/show.py": {"len(pairs)"},
    "commands/parse.py": {"sentences / (time.monotonic() - began)"},  # a speed
    "comparing/plan.py": {"len(unusable)"},
    "studies/runner.py": {"trainings"},
    "treebanks/splits.py": {"len(loaded)", "len(names)", "max(tokens)"},
}
"""Numbers of which there are several, or many, by file."""


def numbers_before_plurals(module: ast.AST) -> Iterator[str]:
    """The expressions that are written as numbers before a noun in the plural."""
    for node in ast.walk(module):
        pairs = zip(node.values, node.values[1:], strict=False) if isinstance(node, ast.JoinedStr) else ()
        for number, text in pairs:
            if isinstance(number, ast.FormattedValue) and isinstance(text, ast.Constant):
                value, written = (
                    ast.unparse(number.value),
                    ast.unparse(number.format_spec or ast.Constant("")),
                )
                if PLURAL.match(str(text.value)) and (
                    re.match(r"(len|sum)\(|.*\.count\(", value) or "," in written
                ):
                    yield value


VERB_BEFORE = re.compile(r"\b(?:are|were) $")
VERB_AFTER = re.compile(r" (?:are|were|have|differ|occur|lack|stand)\b")
"""Verbs in the plural beside a number that may be one."""

ALWAYS_SEVERAL = {("commands/transform.py", "count_noun(count, 'file')")}
"""Numbers of which there are two or more, by file."""


def numbers_beside_plural_verbs(module: ast.AST) -> Iterator[str]:
    """The calls of `count_noun` next to a verb in the plural that stands in the text, whatever the number."""
    for node in ast.walk(module):
        if not isinstance(node, ast.JoinedStr):
            continue
        for place, part in enumerate(node.values):
            if not isinstance(part, ast.FormattedValue) or "count_noun(" not in ast.unparse(part.value):
                continue
            before, after = (
                str(node.values[at].value)
                if 0 <= at < len(node.values) and isinstance(node.values[at], ast.Constant)
                else ""
                for at in (place - 1, place + 1)
            )
            if VERB_BEFORE.search(before) or VERB_AFTER.match(after):
                yield ast.unparse(part.value)


def test_verbs_agree_with_their_numbers() -> None:
    found = {
        (path, value)
        for path, module in package_sources().items()
        for value in numbers_beside_plural_verbs(module)
    }
    assert found - ALWAYS_SEVERAL == set()


@pytest.mark.parametrize("text", ["there are {count_noun(n, 'tree')}", "{count_noun(n, 'tree')} have it"])
def test_a_plural_verb_beside_one_is_found(text: str) -> None:
    assert list(numbers_beside_plural_verbs(ast.parse(f'f"{text}"'))) == ["count_noun(n, 'tree')"]


def test_numbers_are_counted() -> None:
    found = {
        (path, value)
        for path, module in package_sources().items()
        for value in numbers_before_plurals(module)
    }
    assert sorted((file, value) for file, value in found if value not in NEVER_ONE.get(file, ())) == []


def test_the_search_finds_what_it_should() -> None:
    code = "f'{len(trees)} gold trees, but {len(parses)} parses; {n:,} words; {name} places'"
    assert list(numbers_before_plurals(ast.parse(code))) == ["len(trees)", "len(parses)", "n"]


@pytest.mark.parametrize(
    ("count", "unit", "said"),
    [(0, "parse", "0 parses"), (1, "gold tree", "1 gold tree"), (1234, "word", "1,234 words")],
)
def test_a_number_with_its_noun(count: int, unit: str, said: str) -> None:
    assert count_noun(count, unit) == said


TREE = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))


def test_one_of_something_in_messages() -> None:
    assert repr(reference_set(TREE, get_transformation("det"))).endswith(": 1 place in 1 factor>")
    with pytest.raises(
        InputError, match="there are 2 gold trees, but 1 parse; pass a parse of every sentence"
    ):
        attachment_scores([TREE, TREE], [TREE])
