"""Small CoNLL-U texts for the tests, written with spaces instead of tabs."""

from __future__ import annotations

import io

from learnability.treebanks.conllu_io import ConlluFile, read_conllu


def conllu(text: str) -> bytes:
    """Lines of ten cells separated by spaces, `~` for a space within a cell; comments as they are."""
    lines = []
    for line in text.strip("\n").split("\n"):
        raw = line.strip()
        lines.append(raw if raw.startswith("#") else "\t".join(raw.split()).replace("~", " "))
    return ("\n".join(lines) + "\n\n").encode()


def read(data: bytes, **options: bool) -> ConlluFile:
    return read_conllu(io.BytesIO(data), name="x.conllu", **options)


def words(heads: list[object], sent_id: str = "s1") -> bytes:
    """A sentence of the words a, b, c, ... with these HEAD cells."""
    rows = [f"{i} {chr(96 + i)} _ X _ _ {head} dep _ _" for i, head in enumerate(heads, start=1)]
    return conllu("\n".join([f"# sent_id = {sent_id}", *rows]))


AWKWARD = conllu(
    """
    # newdoc id = d1
    # sent_id = awkward-1
    # just text, no key
    # meta::x = 1
    # note = one
    # note = two
    1-2 didn't _ _ _ _ _ _ _ SpaceAfter=No
    1 did do AUX _ _ 3 aux 3:aux Gloss=a=b|Gloss=c|ref=
    2 n't not PART _ _ 3 advmod 3:advmod _
    3 go go VERB _ B=1|A=2 0 root 0:root|4:dep _
    3.1 10~~000 _ _ _ _ _ _ 3:obl Empty=Yes
    3.2 x _ _ _ _ _ _ 3:obl _
    4 10~~000 _ NUM _ _ 3 obl 3:obl|3:nmod Z|Y||Z
    # a comment behind the words
    """
)
