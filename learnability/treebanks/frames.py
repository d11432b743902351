"""Sentences as pandas frames, one row per token, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from learnability.errors import InputError
from learnability.treebanks.conllu_io import find_cycle
from learnability.treebanks.sentence import ROOT, Sentence, Tree, Treebank

if TYPE_CHECKING:
    import pandas

TEXT = ("form", "lemma", "upos", "xpos", "feats")
COLUMNS = ("split", "sentence", "sent_id", "token", *TEXT, "head", "deprel")
"""The columns of :func:`tokens_frame`."""

NEEDED = ("sentence", "form", "upos", "head", "deprel")
"""The columns that :func:`trees_from_frame` must have."""


def tokens_frame(source: Treebank | Iterable[Sentence | Tree]) -> pandas.DataFrame:
    """The tokens of a treebank, or of sentences, as a frame with one row per token.

    Columns: `split` (empty without a treebank), `sentence` (its number in the split, from 1), `sent_id`,
    `token` (from 1), `form`, `lemma`, `upos`, `xpos`, `feats`, `head` (0 for the root word) and `deprel`.

    >>> frame = tokens_frame([Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))])
    >>> frame[["token", "form", "head", "deprel"]].to_dict("records")[0]
    {'token': 1, 'form': 'Mice', 'head': 2, 'deprel': 'nsubj'}
    """
    import pandas

    splits = source.splits() if isinstance(source, Treebank) else [("", source)]
    rows = []
    for split, sentences in splits:
        for number, sentence in enumerate(sentences, start=1):
            tree = sentence.tree if isinstance(sentence, Sentence) else sentence
            sent_id = sentence.sent_id if isinstance(sentence, Sentence) else ""
            blank = ("",) * len(tree)
            columns = zip(
                tree.forms, tree.lemmas or blank, tree.upos or blank, tree.xpos or blank, tree.feats or blank,
                tree.heads or blank, tree.deprels or blank, strict=True,
            )  # fmt: skip
            rows += [(split, number, sent_id, i, *cells) for i, cells in enumerate(columns, start=1)]
    return pandas.DataFrame(rows, columns=list(COLUMNS))


def trees_from_frame(frame: pandas.DataFrame) -> list[Tree]:
    """The trees of a frame like that of :func:`tokens_frame`, in its order.

    Rows belong together where `sentence` (and `split`, if there is one) is the same; within a sentence they
    are in the order of the words. `lemma`, `xpos` and `feats` may be missing.

    Raises:
        InputError: a column is missing, or the heads of a sentence are no tree.

    >>> tree = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> print(trees_from_frame(tokens_frame([tree]))[0])
    1  Mice   NOUN  2  nsubj
    2  sleep  VERB  0  root
    """
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise InputError(f"the frame has no column {', '.join(missing)}; give {', '.join(NEEDED)}")
    keys = [name for name in ("split", "sentence") if name in frame.columns]
    trees = []
    for key, rows in frame.groupby(keys, sort=False, dropna=False):
        heads = tuple(int(head) for head in rows["head"])
        text = {
            name: tuple(map(str, rows[name]))
            for name in (*TEXT, "deprel")
            if name in NEEDED or (name in frame.columns and any(rows[name]))
        }
        other = (text.get(name, ()) for name in ("lemma", "xpos", "feats"))
        tree = Tree(text["form"], text["upos"], heads, text["deprel"], *other)
        where = "sentence " + " ".join(str(part) for part in key if part != "")
        if any(not 0 <= head <= len(tree) for head in heads) or ROOT not in heads:
            raise InputError(f"{where}: the heads {heads} name no root word or no word of the sentence")
        if word := find_cycle(heads):
            raise InputError(f"{where}: cycle through word {word}; correct the heads")
        trees.append(tree)
    return trees
