"""The sentences that a page of the atlas draws."""

from __future__ import annotations

from learnability.atlas.sentences import chosen_pairs
from learnability.reports.tree_pair import TreePair
from learnability.treebanks.sentence import Tree


def test_a_page_of_the_atlas_draws_known_words_if_it_can() -> None:
    def pair(words: int, form: str) -> TreePair:
        forms = (*(f"x{word}" for word in range(1, words)), form)
        tree = Tree(forms, ("X",) * words, (0,) + (1,) * (words - 1), ("root",) + ("x",) * (words - 1))
        return TreePair(f"{words}{form}", tree, tree.with_heads((0, 1, 2) + (1,) * (words - 3)))

    known = [pair(words, "a") for words in (6, 7, 8)]
    hidden = [pair(words, "_") for words in (5, 6, 7)]
    assert [chosen.where for chosen in chosen_pairs([*hidden, *known])] == ["6a", "7a", "8a"]
    assert [chosen.where for chosen in chosen_pairs([*hidden, *known[:1]])] == ["5_", "6a", "6_"]
