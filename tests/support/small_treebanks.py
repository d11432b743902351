"""Treebanks small enough to be run many times, cut from the bundled one."""

from __future__ import annotations

from pathlib import Path

import learnability

DEMO = Path(learnability.__file__).parent / "treebanks" / "data" / "UD_Demo"


def cut(source: Path, target: Path, first: int, count: int) -> None:
    """Some sentences of a file as a file of their own."""
    sentences = source.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    target.write_text("\n\n".join([*sentences[first : first + count], ""]), encoding="utf-8")


def small_treebank(folder: Path, name: str = "UD_Small", first: int = 0, train: int = 40) -> Path:
    """A cut of the bundled treebank, in `folder`/`name`; its path."""
    place = folder / name
    place.mkdir(parents=True)
    for split, count in (("train", train), ("dev", 15), ("test", 25)):
        cut(DEMO / f"demo-ud-{split}.conllu", place / f"xx-ud-{split}.conllu", first, count)
    return place
