"""Treebanks small enough to be run many times, cut from the bundled one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import learnability
from learnability.treebanks.sentence import Treebank

DEMO = Path(learnability.__file__).parent / "treebanks" / "data" / "UD_Demo"


@cache
def demo_treebank() -> Treebank:
    return learnability.load_treebank("demo")


def cut(source: Path, target: Path, first: int, count: int) -> None:
    sentences = source.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    count = min(count, len(sentences))
    chosen = [sentences[number % len(sentences)] for number in range(first, first + count)]
    target.write_text("\n\n".join([*chosen, ""]), encoding="utf-8")


def small_treebank(
    folder: Path, name: str = "UD_Small", first: int = 0, train: int = 40, dev: int = 15, test: int = 25
) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    for split, count in (("train", train), ("dev", dev), ("test", test)):
        cut(DEMO / f"demo-ud-{split}.conllu", place / f"xx-ud-{split}.conllu", first, count)
    return place


def one_long_sentence(path: Path, words: int, times: int) -> Path:
    rows = []
    for noun in range(2, words + 1, 2):
        rows.append(f"{noun - 1}\tin\t_\tADP\t_\t_\t{noun}\tcase\t_\t_")
        rows.append(
            f"{noun}\tw{noun % 97}\t_\tNOUN\t_\t_\t{noun - 2}\t{'nmod' if noun > 2 else 'root'}\t_\t_"
        )
    path.write_text(("\n".join(rows) + "\n\n") * times, encoding="utf-8")
    return path
