"""`learnability references`: count the gold trees of each sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import check_input, note, on_screen
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.reports.text import Table, format_cell, json_text
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line
from learnability.transforms.provenance import check_ud
from learnability.transforms.restricted_rules import NO_PLACE, advice, without_places
from learnability.treebanks.splits import file_conventions

if TYPE_CHECKING:
    from learnability.multiref.references import LabelOption, ReferenceSet
    from learnability.treebanks.sentence import Sentence


@dataclass(frozen=True)
class ReferenceCount:
    """Hold the size of one sentence's reference set.

    Attributes:
        references: 2^places, exactly, even if factors were cut.
        sizes: the number of places per factor, in the order of the sentence.
        factors_cut: how many factors, too large for `--max-options`, keep only two of their options.
    """

    sent_id: str
    places: int
    references: int
    factors: int
    sizes: tuple[int, ...]
    factors_cut: int


@click.command(
    name="references", epilog="Example: learnability references --transform case --transform det FILE.conllu"
)
@options(Names)
@click.argument("source", metavar="IN", required=False, shell_complete=completion.files)
@options(ExperimentOptions, "max_options", panel=Names.PANEL)
@options(DataOptions, "multiple_roots", "skip_incomplete")
@options(Execution, "as_json", "quiet")
def command(source: str | None, **parameters: Any) -> None:
    """Count all mixtures of UD and the alternative for each sentence."""
    names, as_json, quiet = take_options(Names, parameters), parameters["as_json"], parameters["quiet"]
    check_input(source)
    names.check()
    with shown_steps("reading", quiet=quiet or on_screen(None)) as steps:
        from learnability.multiref.contrasts import Contrast, RuleContrast, TreeContrast

        file = names.read(source, steps=steps, **take_options(DataOptions, parameters).reading)
        contrast: Contrast
        labels: LabelOption | None = None
        remarks: list[str] = []
        if names.annotator():
            contrast = TreeContrast(lambda tree: tree, names.change(file_conventions(file)), labelled=True)
            labels = "keep"
        else:
            rule = names.transformation(file_conventions(file))
            check_ud(file.sentences, file.name)
            if missing := without_places([(rule, file.sentences)]):
                remarks += [NO_PLACE.format(", ".join(missing)), *advice(rule, file.sentences)]
            contrast = RuleContrast(rule)
        sets = (
            (sentence, contrast.references(sentence.tree, parameters["max_options"], labels))
            for sentence in steps.each(file.sentences, "references")
        )
        with _long_numbers():
            print_line(_format_sizes(sets, as_json), end="")
        for remark in remarks:
            note(remark, quiet=quiet)


@contextmanager
def _long_numbers() -> Iterator[None]:
    """Allow numbers of references of any length; by default Python refuses more than 4,300 digits."""
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
