"""The page on which somebody decides says what it leaves out."""

from __future__ import annotations

import json
import re

import pytest

from learnability.reports import decision_page
from learnability.reports.decision_page import DecisionPage
from learnability.treebanks.sentence import Tree


def test_a_page_says_for_which_words_it_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_page, "MOST_ROWS", 3)
    tree = Tree(("a", "b"), ("X", "X"), (0, 1), ("root", "dep"))
    page = DecisionPage(title="T", key="k", command="c")
    for title in ("first", "second", "third"):
        page.add_cause(title, [(tree, {"word": word, "form": "a"}, ()) for word in (1, 2)], ["a note"])
    text = page.render().decode()
    (data,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    causes = json.loads(data)["causes"]
    assert [cause["words"] for cause in causes] == [2, 1, 0]
    room = "The page has room for {} of its 2 words. The CSV file beside the page has all of them."
    assert [cause["notes"][:-1] for cause in causes] == [
        [],
        [room.format("the first 1")],
        [room.format("none")],
    ]
