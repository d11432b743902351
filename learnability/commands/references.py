"""`learnability references`: count or write the gold trees of each sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, number_type, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import check_input, check_output, note, on_screen, open_output
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.reports.text import Table, format_cell, json_text
from learnability.support.files import Write
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps
from learnability.transforms.provenance import check_ud
from learnability.transforms.restricted_rules import NO_PLACE, advice, without_places
from learnability.treebanks.splits import file_conventions

if TYPE_CHECKING:
    from learnability.multiref.references import LabelOption, ReferenceSet
    from learnability.transforms.base import Transformation
    from learnability.transforms.plan import Place
    from learnability.treebanks.conllu_io import ConlluFile
    from learnability.treebanks.sentence import Sentence, Tree


@dataclass(frozen=True)
class ReferenceCount:
    """Hold the size of one sentence's reference set; `references` are 2^places, exactly, even if factors were
    cut."""

    sent_id: str
    places: int
    references: int
    factors: int
    sizes: tuple[int, ...]
    factors_cut: int


MOST_LISTED = 100_000
"""The most references of a sentence that are written; they are held in memory."""


@click.command(
    name="references", epilog="Example: learnability references --transform case --transform det FILE.conllu"
)
@options(Names)
@click.argument("source", metavar="IN", required=False, shell_complete=completion.files)
@click.option(
    "--enumerate", "limit", type=number_type(1, MOST_LISTED), metavar="LIMIT",
    help="Write the references as CoNLL-U, at most LIMIT of a sentence.",
)  # fmt: skip
@click.option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
@options(ExperimentOptions, "max_options", panel=Names.PANEL)
@options(DataOptions, "multiple_roots", "skip_incomplete")
@options(Execution, "as_json", "quiet")
def command(source: str | None, limit: int | None, output: str | None, **parameters: Any) -> None:
    """Count or write all mixtures of UD and the alternative for each sentence."""
    names, as_json, quiet = take_options(Names, parameters), parameters["as_json"], parameters["quiet"]
    if limit is not None and as_json:
        raise click.UsageError("--enumerate writes CoNLL-U, so --json has no effect; leave out --json")
    check_input(source)
    check_output(output)
    names.check()
    with shown_steps("reading", quiet=quiet or on_screen(output)) as steps:
        from learnability.multiref.contrasts import Contrast, RuleContrast, TreeContrast

        file = names.read(source, steps=steps, **take_options(DataOptions, parameters).reading)
        contrast: Contrast
        rule, remarks = None, list[str]()
        if names.annotator():
            contrast = TreeContrast(lambda tree: tree, names.change(file_conventions(file)), labelled=True)
        else:
            rule = names.transformation(file_conventions(file))
            check_ud(file.sentences, file.name)
            if missing := without_places([(rule, file.sentences)]):
                remarks += [NO_PLACE.format(", ".join(missing)), *advice(rule, file.sentences)]
            contrast = RuleContrast(rule)
        labels: LabelOption | None = None if rule else "keep"
        sets = (
            (sentence, contrast.references(sentence.tree, parameters["max_options"], labels))
            for sentence in steps.each(file.sentences, "references")
        )
        with open_output(output) as write, _long_numbers():
            if limit is None:
                write(_format_sizes(sets, as_json).encode())
            else:
                remarks += _enumerate(sets, rule, limit, file, write)
        for remark in remarks:
            note(remark, quiet=quiet)


@contextmanager
def _long_numbers() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _format_sizes(sets: Iterable[tuple[Sentence, ReferenceSet]], as_json: bool) -> str:
    counts = []
    for sentence, references in sets:
        places_of_factors = tuple(len(factor.places) for factor in references.factors)
        counts.append(
            ReferenceCount(
                sent_id=sentence.sent_id,
                places=references.places,
                references=2**references.places,
                factors=len(places_of_factors),
                sizes=places_of_factors,
                factors_cut=sum(factor.cut for factor in references.factors),
            )
        )
    sizes = [size for count in counts for size in count.sizes]
    total = {
        "sentences": len(counts),
        "sentences_with_places": sum(count.places > 0 for count in counts),
        "places": sum(sizes),
        "max_places": max((count.places for count in counts), default=0),
        "factors": len(sizes),
        "mean_places_per_factor": sum(sizes) / len(sizes) if sizes else 0.0,
        "max_places_per_factor": max(sizes, default=0),
        "factors_cut": sum(count.factors_cut for count in counts),
    }
    if as_json:
        return json_text({"sentences": [asdict(count) for count in counts], "summary": total})
    rows = ({**asdict(count), "sizes": ",".join(map(str, count.sizes))}.values() for count in counts)
    table = Table("", tuple(ReferenceCount.__dataclass_fields__), tuple(tuple(map(str, row)) for row in rows))
    return f"{table.tsv()}# {', '.join(f'{key} = {format_cell(value)}' for key, value in total.items())}\n"


def _enumerate(
    sets: Iterable[tuple[Sentence, ReferenceSet]],
    rule: Transformation | None,
    limit: int,
    file: ConlluFile,
    write: Write,
) -> list[str]:
    short = cut = count = 0
    raw = file.data.split(b"\n")
    for sentence, references in sets:
        count += 1
        # one more than the limit shows whether there are more; len() would fail for very many
        trees = list(references.enumerate(limit + 1))
        short += len(trees) > limit
        cut += sum(factor.cut for factor in references.factors)
        if rule is not None:  # only `apply` knows the labels if the root moves
            trees = [(selection, rule.apply(sentence.tree, selection)) for selection, _ in trees]

        def in_columns(row: int, text: str, first: int = sentence.line - 1) -> str:
            return file.in_columns(raw[first + row].removesuffix(b"\r"), text)

        for block in reference_blocks(sentence, trees[:limit], in_columns):
            write(block.encode())
    remarks = []
    if short:
        more = f"more than {count_noun(limit, 'reference')}"
        remarks.append(
            f"{short:,} of {count_noun(count, 'sentence')} {'has' if short == 1 else 'have'} {more}"
        )
    if cut:
        groups = f"{count_noun(cut, 'group')} of linked places {'keeps' if cut == 1 else 'keep'}"
        remarks.append(f"{groups} only two trees; a larger --max-options keeps all")
    return remarks


def reference_blocks(
    sentence: Sentence,
    references: Sequence[tuple[Sequence[Place], Tree]],
    in_columns: Callable[[int, str], str],
) -> Iterator[str]:
    """Yield references, each with its selection, as CoNLL-U blocks without DEPS and empty nodes.

    Comments stay; `sent_id` gets the suffix ``-r1``, ``-r2``, ...; ``# reference`` numbers the references,
    and ``# selection`` names the places as transform:token. Document and paragraph marks stay only on the
    first. `in_columns` returns a line, by its row and its text, with the columns of the file.
    """
    rows = dict(zip(sentence.rows, range(len(sentence)), strict=True))
    comments = [line for line in sentence.lines if line.startswith("#")]
    old_ids = {line for line in comments if line[1:].replace("=", " ").split()[:1] == ["sent_id"]}
    first_only = (["newdoc"], ["newpar"], ["global.columns"])
    marks = {line for line in comments if line[1:].split()[:1] in first_only}
    for number, (selection, tree) in enumerate(references, start=1):
        named = " ".join(f"{place.transform}:{place.token}" for place in selection) or "none"
        lines = [line for line in comments if line not in old_ids and (number == 1 or line not in marks)]
        lines.append(f"# sent_id = {sentence.sent_id}-r{number}")
        lines += [f"# reference = {number}", f"# selection = {named}"]
        for index, line in enumerate(sentence.lines):
            cells = line.split("\t")
            if line.startswith("#") or "." in cells[0]:
                continue
            cells[8] = "_"
            if index in rows:
                token = rows[index]
                cells[6], cells[7] = str(tree.heads[token]), tree.deprels[token]
            lines.append(in_columns(index, "\t".join(cells)))
        yield "\n".join(lines) + "\n\n"
