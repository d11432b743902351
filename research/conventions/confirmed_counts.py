"""Count the words of each line of `learnability harmonise A B` again, without any code of the package.

    python research/conventions/confirmed_counts.py A B

A, B are folders or files. The words of every context are found by a plain loop over CoNLL-U.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Word = dict[str, str]


def read_words(path: Path) -> Iterator[Word]:
    """The words of a folder or file, each with all that contexts ask for."""
    files = sorted(path.glob("*.conllu")) if path.is_dir() else [path]
    for file in files:
        for block in file.read_text(encoding="utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
            words = [row for row in rows if row[0].isdigit()]
            tokens = {row[0]: [row] for row in words}
            surface = {row[0]: row[1].lower() for row in words}
            for row in rows:
                first, _, last = row[0].partition("-")
                if last:
                    tokens[first] = words[int(first) - 1 : int(last)]
                    surface[first] = row[1].lower()
                    for other in tokens[first][1:]:
                        del tokens[other[0]]
            for row in words:
                token = tokens.get(row[0], [])
                yield describe(
                    row, words, surface[row[0]] if token else "", [each[1].lower() for each in token]
                )


def describe(row: list[str], words: list[list[str]], surface: str, parts: list[str]) -> Word:
    """What a word has in each column, given the surface token that begins with it, and the words of this."""
    form, lemma, head, deprel = row[1].lower(), row[2], int(row[6]), row[7]
    below = {other[7].split(":")[0] for other in words if other[6] == row[0]}
    word = {
        "form": form,
        "lemma": lemma,
        "upos": row[3],
        "xpos": row[4],
        "relation": deprel.split(":")[0],
        "subtype": deprel.split(":", 1)[1] if ":" in deprel else "",
        "side": "root" if head == 0 else "before" if head < int(row[0]) else "after",
        "head_upos": words[head - 1][3] if head else "root",
        "children": " ".join(name for name in ("case", "mark", "cop") if name in below),
        "lemma_edit": follow(row[1], lemma),
        "surface": surface,
        "parts": str(len(parts)) if parts else "",
        "split": "+".join(parts) if len(parts) > 1 else "",
    }
    for letters in (1, 2, 3, 4):
        word[f"ending{letters}"] = form[-letters:] if len(form) > letters else ""
        word[f"token_ending{letters}"] = surface[-letters:] if len(surface) > letters else ""
    for pair in row[5].split("|") if row[5] != "_" else ():
        name, value = pair.split("=", 1)
        word[f"feats:{name}"] = value
    return word


def follow(form: str, lemma: str) -> str:
    """How a lemma follows from a form."""
    if lemma == "_":
        return ""
    if form.lower() == lemma:
        return "= form"
    if form == lemma:
        return "= form as written"
    shared = {
        text: next((n for n in range(len(text), 0, -1) if lemma[:n] == text[:n]), 0)
        for text in (form.lower(), form)
    }
    text = form.lower() if shared[form.lower()] >= shared[form] else form
    kept = shared[text]
    gone, come = text[kept:], lemma[kept:]
    if not kept or len(gone) > 6 or len(come) > 6:
        return f"= {lemma}"
    return f"-{gone} > -{come}" + (", capital kept" if text != form.lower() else "")


def value_of(word: Word, line: dict[str, Any]) -> str:
    """What a word has in the column of a line."""
    name = line["columns"][0]
    if line["value"] in ("there", "not there"):
        return "there" if name in word else "not there"
    return word.get("lemma_edit" if name == "lemma" else name, "")


def has_label(word: Word, column: str, value: str) -> bool:
    """Whether a word has a label: a tag, a relation, a subtype, a feature, or a value of a feature."""
    if column == "feats":
        return f"feats:{value}" in word
    if column == "deprel":
        return f"{word['relation']}:{word['subtype']}" == value
    return word.get(column) == value


def main() -> None:
    """Say how many lines have other counts than a plain loop finds."""
    command = [sys.executable, "-m", "learnability", "harmonise", *sys.argv[1:], "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    treebanks = [list(read_words(Path(name))) for name in sys.argv[1:]]
    checked = wrong = 0
    for line in (line for each in found["found"] for line in each["conventions"]):
        for words, told in zip(treebanks, line["treebanks"], strict=True):
            inside = [
                word
                for word in words
                if any(
                    all(word.get(pair["column"], "") == pair["value"] for pair in context)
                    for context in line["contexts"]
                )
            ]
            if not line["columns"][0].startswith("feats:") or line["value"] not in ("there", "not there"):
                inside = [
                    word
                    for word in inside
                    if value_of(word, line) not in ("", "_") or line["columns"][0] == "subtype"
                ]
            have = sum(value_of(word, line) == line["value"] for word in inside)
            checked += 1
            if (have, len(inside)) != (told["words"], told["of"]):
                wrong += 1
                print(f"{line['line']}: {have} of {len(inside)}, not {told['words']} of {told['of']}")
    for label in (label for each in found["found"] for label in each["inventories"]):
        for words, told in zip(treebanks, label["words"].values(), strict=True):
            have = sum(has_label(word, label["column"], label["value"]) for word in words)
            checked += 1
            if have != told:
                wrong += 1
                print(f"{label['line']}: {have}, not {told}")
    print(f"{checked} counts, {wrong} differ")


if __name__ == "__main__":
    main()
