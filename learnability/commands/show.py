"""`learnability show`: draw UD, and what a construction or a scheme changes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import number_type, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import check_output, note
from learnability.comparing.options import TreebankSelection
from learnability.errors import InputError
from learnability.support.files import write_atomically
from learnability.support.progress import ProgressSteps, shown_steps
from learnability.support.terminal import WIDE, console
from learnability.transforms.provenance import check_ud
from learnability.treebanks.splits import file_conventions

if TYPE_CHECKING:
    from learnability.reports.tree_pair import TreePair
    from learnability.treebanks.sentence import Sentence, Tree


@click.command(name="show", epilog="Example: learnability show --treebank demo --transform case")
@options(TreebankSelection, "treebank", "ud_home", "release", "multiple_roots", "skip_incomplete")
@click.argument("source", metavar="[FILE]", required=False, shell_complete=completion.files)
@options(Names)
@click.option("--sent-id", metavar="ID", help="The sentence with this sent_id, or at this FILE:LINE.")
@click.option(
    "--max", "most", type=number_type(1, 10_000), default=3, show_default=True, metavar="N",
    help="Draw the first N sentences that change.",
)  # fmt: skip
@click.option("--out", metavar="FILE", help="Write a page (.html), or a picture of one sentence (.svg).")
def command(source: str | None, sent_id: str | None, most: int, out: str | None, **parameters: Any) -> None:
    """Draw sentences in UD and in the alternative side by side.

    Every token has a line, with the arcs of UD at its left and those of the alternative at its right. A star
    marks what differs. Without --sent-id the command draws the first sentences that change, from the
    training, development and test set in this order. Without --transform or --alternative it draws UD alone.
    """
    names, selection = take_options(Names, parameters), take_options(TreebankSelection, parameters)
    if selection.is_named == bool(source):
        raise click.UsageError(
            "a sentence comes from a treebank or from a file; use either --treebank T or FILE"
        )
    if out and not out.endswith((".html", ".svg")):
        raise click.UsageError(f"--out {out} has an unknown ending; use a file that ends in .html or .svg")
    if out and out.endswith(".svg") and sent_id is None:
        most = 1
    if names.is_set:
        names.check()
    check_output(out)
    with shown_steps("reading") as steps:
        pairs = _pairs(source, selection, names, sent_id, most, steps)
    title = names.title
    if out:
        if out.endswith(".svg") and len(pairs) > 1:
            places = ", ".join(pair.where for pair in pairs)
            raise InputError(
                f"--sent-id {sent_id} names {len(pairs)} sentences ({places}), but a picture shows one; use "
                "the FILE:LINE of one of them"
            )
        write_atomically(out, _file(pairs, title, out))
    else:
        _print(pairs, title)


def _pairs(
    source: str | None,
    selection: TreebankSelection,
    names: Names,
    sent_id: str | None,
    most: int,
    steps: ProgressSteps,
) -> list[TreePair]:
    from learnability.reports.tree_pair import TreePair
    from learnability.treebanks.sentence import Sentence
    from learnability.treebanks.splits import read_treebank

    reading, annotator = selection.data.reading, names.annotator()
    if source:
        file = names.read(source, steps=steps, **reading)
        where, conventions, sentences = source, file_conventions(file), file.sentences
    else:
        treebank = read_treebank(names.files(selection), **reading)
        where, conventions = treebank.name, treebank.conventions
        for warning in treebank.warnings if selection.skip_incomplete else ():
            note(warning)
        sentences = treebank.train + treebank.dev + treebank.test
    if names.is_set and not annotator:
        check_ud(sentences, where)
    change = names.change(conventions, "external") if names.is_set else _keep_tree
    titled = list(zip(Sentence.distinct_names(sentences), sentences, strict=True))
    if sent_id is not None:
        return [
            TreePair(title, s.tree, change(s.tree)) for title, s in _find_sentences(titled, sent_id, where)
        ]
    pairs = (TreePair(title, s.tree, change(s.tree)) for title, s in titled)
    drawn = list(islice((pair for pair in pairs if any(pair.changed) or not names.is_set), most))
    if not drawn and not names.is_set:
        raise InputError(f"{where} has no sentences; use a file or a treebank that has some")
    if not drawn:
        spec = annotator.name if annotator else "+".join(names.annotation().specs) or names.title
        raise InputError(f"{where} has no sentence that {spec} changes; choose another construction")
    return drawn


def _keep_tree(tree: Tree) -> Tree:
    return tree


def _find_sentences(
    titled: Sequence[tuple[str, Sentence]], sent_id: str, where: str
) -> list[tuple[str, Sentence]]:
    for is_meant in (
        lambda title, _: title == sent_id,
        lambda _, sentence: sentence.sent_id == sent_id,
        lambda _, sentence: sentence.is_at(sent_id),
    ):
        if found := [pair for pair in titled if is_meant(*pair)]:
            return found
    raise InputError(
        f"{where} has no sentence with the sent_id {sent_id!r}; choose another, use FILE:LINE, or leave out "
        "--sent-id to draw the first sentences that change"
    )


def _print(pairs: Sequence[TreePair], title: str) -> None:
    from rich.text import Text

    from learnability.reports.drawn_pairs import lines_of, lines_of_tree

    on = console(WIDE)
    for i, pair in enumerate(pairs):
        if i:
            on.print()
        on.print(Text(pair.where, style="bold"), soft_wrap=True)
        lines = lines_of(pair, ("UD", title)) if title else lines_of_tree(pair.base)
        for line, differs in lines:
            on.print(Text(line, style="bold" if differs else ""), soft_wrap=True)
        if title and not any(pair.changed):
            on.print(Text(f"{title} changes nothing in this sentence."), soft_wrap=True)


def _file(pairs: Sequence[TreePair], title: str, out: str) -> bytes:
    from importlib.metadata import version

    from learnability.reports.drawn_pairs import draw_for_page, svg_file
    from learnability.reports.rendering import render

    figures = [draw_for_page(pair, f"tree-{i}", title) for i, pair in enumerate(pairs, start=1)]
    if out.endswith(".svg"):
        return svg_file(figures[0])
    sentences = list(zip(pairs, figures, strict=True))
    return render("show.html.jinja", title=title, sentences=sentences, version=version("learnability"))
