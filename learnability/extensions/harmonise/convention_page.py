"""Make the page on which somebody decides about conventions: as a whole, or word by word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from learnability.extending import (
    DecisionPage,
    SentenceChecker,
    Tree,
    WordExamples,
    WordTable,
    count_noun,
    enumerate_names,
)
from learnability.extensions.harmonise.convention_lines import (
    describe_convention,
    describe_inventory,
    explain_proposal,
    titled_sentences,
)
from learnability.extensions.harmonise.convention_words import LearnedValues, NumberedLine, words_name
from learnability.extensions.harmonise.conventions import Convention, TreebankConventions

PAGE = "conventions.html"
"""The name of the page."""

DRAWN = frozenset({"relation", "subtype", "side", "head_upos"})
"""The columns of which evidence shows arcs."""

ABOUT = (
    "Counts tell where the treebanks differ. They do not tell which of them is right.",
    "What a line names holds for the same forms on both sides, and is surer than chance allows.",
    "Accepted rows change this treebank only. Rejected rows stay as they are.",
)


def make_convention_page(
    table: WordTable,
    names: Sequence[str],
    short: Sequence[str],
    found: TreebankConventions,
    lines: Sequence[NumberedLine],
    named: str,
    learned: LearnedValues,
    checker: SentenceChecker,
) -> bytes:
    """Return the page about the conventions in which a treebank differs from the others.

    `named`: the options that name the treebank, which decisions correct; empty if it is not found any more.
    """
    treebank = found.treebank
    labels: dict[int, str] = {}
    alone = []
    for each in found.inventories:
        told = describe_inventory(each, short, treebank)
        if not each.details:
            alone.append(told)
        for line in each.details:
            labels.setdefault(id(line), f"A label that hardly occurs on one side: {told}.")
    others = enumerate_names([name for place, name in enumerate(names) if place != treebank])
    own = [table.trees[number] for number in np.unique(table.sentence[table.treebank == treebank]).tolist()]
    page = DecisionPage(
        title=f"Conventions of {names[treebank]} beside {others}",
        key=" ".join(["conventions", names[treebank], *names]),
        command=" ".join(filter(None, ("learnability doubts --apply decisions.csv", named, "--diff"))),
        relations=sorted({deprel for tree in own for deprel in tree.deprels}),
        tags=sorted({tag for tree in own for tag in tree.upos}),
        words=words_name(names[treebank]),
        about=(*ABOUT, *tell_alone(alone), tell_checks(checker, sum(len(line.rows) for line in lines))),
    )
    for numbered in lines:
        line = numbered.line
        notes = [labels[id(line)]] if id(line) in labels else []
        notes += explain_proposal(line, treebank, learned)
        if numbered.broken:
            notes.append(_tell_broken(numbered))
        rows = [(table.trees[int(table.sentence[word])], row, ()) for word, row in numbered.rows]
        title = f"{numbered.number}. {describe_convention(line, short, treebank)}"
        page.add_cause(title, rows, notes, list(draw_examples(table, line, treebank, short)))
    return page.render()


def tell_alone(labels: Sequence[str]) -> Iterator[str]:
    if labels:
        yield f"Labels that hardly occur on one side, and have no line here: {'; '.join(labels)}."


def tell_checks(checker: SentenceChecker, proposals: int) -> str:
    """Return what looked at proposals, as sentences."""
    by = checker.name
    if checker.language and not checker.broke_off and proposals > checker.VALIDATED:
        by = (
            f"{by} for the first words of each line ({checker.VALIDATED} in all), and {checker.OURS} for the "
            "others"
        )
    most = f" (the first {checker.CHECKED:,})" if proposals > checker.CHECKED else ""
    return (
        f"A proposal{most} is marked if it alone would bring an error, by {by}. Our own check sees tags and "
        "arcs alone. What you apply is checked again."
    )


def _tell_broken(line: NumberedLine) -> str:
    names = dict.fromkeys(name for errors in line.broken for name in errors.split("; "))
    return (
        f"{len(line.broken):,} of {count_noun(len(line.rows), 'proposal')} would break "
        f"{enumerate_names(list(names))}. Accepting the line leaves these open."
    )


def draw_examples(
    table: WordTable, line: Convention, treebank: int, names: Sequence[str]
) -> Iterator[WordExamples]:
    """Yield words that a convention concerns, words of the others, and exceptions."""
    draws_arcs = line.columns[0] in DRAWN
    for title, words, query in titled_sentences(table, line, treebank, names):
        places = [_place(table, word) for word in words]
        yield WordExamples.of(title, places, draws_arcs=draws_arcs, query=query)


def _place(table: WordTable, word: int) -> tuple[str, Tree, int]:
    sentence = table.sentences[int(table.sentence[word])]
    return sentence.name, sentence.tree, int(table.position[word])
