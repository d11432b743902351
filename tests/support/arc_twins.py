"""The features of arcs once more, as tuples of strings."""

from __future__ import annotations

from twins import bucket

from learnability.parsing.graph_features import TEMPLATES
from learnability.treebanks.sentence import Tree


def classes(h: int, d: int) -> tuple[int, int]:
    direction = int(h > d)
    return direction, 2 * bucket(abs(h - d)) + direction


def features(tree: Tree, h: int, d: int) -> set[tuple]:
    """The template's text with the values of its atoms, in order."""

    def value(position: int, column: str) -> object:
        if position == 0:
            return "root"
        if not 1 <= position <= len(tree):
            return "absent"
        form, tag = tree.forms[position - 1], tree.upos[position - 1]
        return {"w": (form,), "p": (tag,), "wp": (form, tag)}[column]

    left, right = min(h, d), max(h, d)
    places = {"L": left, "Lb": left - 1, "La": left + 1, "R": right, "Rb": right - 1, "Ra": right + 1}
    found = set()
    for template in TEMPLATES.split():
        atoms = [atom.split(".") for atom in template.split("+")]
        for between in range(left + 1, right) if "B.p" in template else (0,):
            at = {**places, "B": between}
            found.add((template, *(value(at[place], column) for place, column in atoms)))
    return found
