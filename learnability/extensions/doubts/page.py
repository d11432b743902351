"""Make the page on which a maintainer works through doubts."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.extending import DecisionPage, Sentence
from learnability.extensions.doubts.decisions import Decision
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.elsewhere import Elsewhere
from learnability.extensions.doubts.in_lines import group_by_cause, heading_of
from learnability.extensions.doubts.learning import DoubtFeatures, describe_model

PAGE = "doubts.html"
"""The name of the page."""

MOST = 5000
"""Doubts on the page, at most: `--all` lists every word of a treebank."""


def make_page(
    treebank: str,
    doubts: Sequence[Doubt],
    sentences: Sequence[Sentence],
    decisions: Sequence[Decision] = (),
    about: Sequence[str] = (),
    named: str = "",
) -> bytes:
    """Return the page.

    Args:
        treebank: its name.
        doubts: those that can be decided, in the order of their scores; the first `MOST` are shown.
        sentences: those of the treebank.
        decisions: what was decided before, from which the page learns the order.
        about: what a reader of the list should know.
        named: the options that name the treebank; empty if the list belongs to a run, which knows it.
    """
    traits = DoubtFeatures()
    lessons = traits.lessons(decisions)
    shown = doubts[:MOST]
    trees = [sentence.tree for sentence in sentences]
    elsewhere = Elsewhere(sentences, shown)
    page = DecisionPage(
        title=f"Doubts in {treebank}",
        key=treebank,
        command=" ".join(filter(None, ("learnability doubts --apply decisions.csv", named, "--diff"))),
        relations=sorted({deprel for tree in trees for deprel in tree.deprels}),
        tags=sorted({tag for tree in trees for tag in tree.upos}),
        about=about,
    )
    ranks = {id(doubt): rank for rank, doubt in enumerate(shown)}
    for group in group_by_cause(shown):
        rows = []
        for doubt in group:
            seen = traits.see(doubt.score, doubt.pattern, doubt.content)
            order = {"score": round(doubt.score, 4), "traits": seen.traits, "rank": ranks[id(doubt)]}
            rows.append((trees[doubt.sentence], {**vars(doubt), **order}, elsewhere.of(doubt)))
        page.add_cause(heading_of(group), rows)
    page.learning = {**describe_model(), "spreads": traits.spreads, "lessons": lessons}
    return page.render()
