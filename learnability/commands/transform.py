"""`learnability transform`: a treebank, or CoNLL-U on standard input, in another annotation scheme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import options, take_options
from learnability.commands.resolve import Names
from learnability.commands.rewriting import (
    Rewritten,
    TransformJob,
    annotate_files,
    invert_files,
    list_skipped,
    relabel_files,
    transform_files,
)
from learnability.commands.streams import check_input, check_output, note, on_screen, open_output, read_input
from learnability.comparing.options import TreebankSelection
from learnability.errors import InputError
from learnability.reports.text import Table
from learnability.support.files import folder_atomically, write_atomically
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line
from learnability.transforms.provenance import check_ud
from learnability.transforms.restricted_rules import NO_PLACE, advice, without_places
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Conventions, trees_of
from learnability.treebanks.splits import file_conventions

if TYPE_CHECKING:
    from learnability.transforms.base import Transformation
    from learnability.treebanks.conllu_io import ConlluFile


@click.command(
    name="transform",
    epilog="Example: learnability transform --transform case --treebank demo --out transformed",
)
@options(Names)
@click.argument("source", metavar="[IN]", required=False, shell_complete=completion.files)
@click.option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
@click.option(
    "--out", metavar="DIR", help="With --treebank: the folder in which the new treebank is written."
)
@options(TransformJob, "invert", "places", "preferences", "labels")
@options(TreebankSelection, "treebank", "ud_home", "release", "train", "dev", "test")
@options(TreebankSelection, "multiple_roots", "skip_incomplete")
@options(TransformJob, "quiet")
def command(source: str | None, output: str | None, out: str | None, **parameters: Any) -> None:
    """Rewrite UD trees in another annotation scheme, or back."""
    names, selection = take_options(Names, parameters), take_options(TreebankSelection, parameters)
    in_the_way = not selection.is_named and on_screen(output)
    with shown_steps("reading", quiet=parameters["quiet"] or in_the_way) as steps:
        job = TransformJob(names, selection, steps, **parameters)
        _check_usage(job, source, output, out)
        names.check()
        if selection.is_named:
            name, files, conventions = _treebank(job)
        else:
            file = read_input(source, steps=steps, quiet=job.quiet, **selection.data.reading)
            name, files, conventions = "", {"": file}, file_conventions(file)
        remarks: list[str] = []
        missing: list[str] = []
        inputs = list(files.values())
        if annotator := names.annotator():
            rewritten = annotate_files(job, inputs, annotator)
        elif relabelled := names.find_relabelling():
            spec = "+".join((*relabelled.specs, *relabelled.relabelling.specs))
            trees = trees_of(chain.from_iterable(inputs))
            for file in inputs:
                check_ud(file.sentences, file.name)
            remarks += relabelled.advice(trees, conventions)
            rewritten = relabel_files(job, inputs, relabelled.change(conventions, job.labels), spec)
        else:
            transformation = names.transformation(conventions)
            if not job.invert:
                sentences = list(chain.from_iterable(inputs))
                check_ud(sentences, name or inputs[0].name)
                missing = without_places([(transformation, sentences)])
                remarks += advice(transformation, sentences)
            if job.places:
                _print_places(job, transformation, files, output)
                for spec in missing:
                    note(NO_PLACE.format(spec), quiet=job.quiet)
                return
            rewritten = (invert_files if job.invert else transform_files)(job, inputs, transformation)
        results = dict(zip(files, rewritten, strict=True))
        target = None
        if out is None:
            with open_output(output) as write:
                write(results[""].data)
        else:
            label = "ud" if job.invert else names.label(conventions)
            base = name.rpartition("@")[0] if job.invert else ""
            target = Path(out) / f"{base or name}@{label}"
            steps.begin("writing")
            _check_target(target, results)
            with folder_atomically(target) as folder:  # all splits under their own names, or nothing
                for file_name, result in results.items():
                    write_atomically(folder / file_name, result.data)
        for file_name, result in results.items():
            for line in result.summary():
                note(f"{file_name}: {line}" if file_name else line, quiet=job.quiet)
        if not all(result.unchanged for result in results.values()):  # else they say it themselves
            remarks = [*map(NO_PLACE.format, missing), *remarks]
        for line in remarks:
            note(line, quiet=job.quiet)
        steps.stop()
        if target is not None:
            print_line(str(target))


def _check_target(target: Path, results: Mapping[str, Rewritten]) -> None:
    for name, result in results.items():
        path = target / name
        if path.is_file() and path.read_bytes() != result.data:
            raise InputError(f"{target} holds another {name}; remove the folder, or choose another --out")


def _check_usage(job: TransformJob, source: str | None, output: str | None, out: str | None) -> None:
    whole = job.selection.is_named
    if whole and (source is not None or output is not None):
        raise click.UsageError(
            "trees come from a treebank or from a file; use either --treebank with --out DIR, "
            "or IN with -o OUT"
        )
    if whole and out is None and not job.places:
        raise click.UsageError("--treebank needs a folder for the result; use --out DIR")
    if out is not None and (not whole or job.places):
        raise click.UsageError(
            "--out works only with --treebank (and without --places); for a single file use -o"
        )
    if job.places and job.invert:
        raise click.UsageError("--places and --invert cannot be combined; choose one of the two")
    if job.preferences and not job.invert:
        raise click.UsageError("--preferences works only with --invert; add it, or leave out --preferences")
    if job.invert and job.labels == "external":
        raise click.UsageError("--invert detects the labels of a file; leave out --labels external")
    if job.invert and (job.names.annotator() or job.names.find_relabelling()):
        raise InputError(f"{job.names.title} has no conversion back to UD; keep the original files")
    job.names.only_for_rules(places=job.places, preferences=job.preferences)
    if job.names.annotator():
        job.names.only_for_rules(labels=job.labels == "external")
    if not whole:
        check_input(source)
        check_output(output)


def _treebank(job: TransformJob) -> tuple[str, dict[str, ConlluFile], Conventions]:
    from learnability.treebanks.conllu_io import COMPRESSED, Collected, read_conllu

    treebank = job.selection.files()
    paths = [path for _, split in treebank.splits() for path in split]
    for name, count in Counter(path.name for path in paths).items():
        if count > 1:
            raise InputError(
                f"{count_noun(count, 'file')} have the name {name}; use files with different names"
            )
    files: dict[str, ConlluFile] = {}
    broken = Collected()
    for path in job.steps.each(paths, f"reading {treebank.name}", "files"):
        with broken:
            files[path.name.removesuffix(COMPRESSED)] = read_conllu(path, **job.selection.data.reading)
    broken.check()
    for file in files.values():
        for line in file.describe_skipped():
            note(line, quiet=job.quiet)
    trees = trees_of(chain.from_iterable(files.values()))
    return treebank.name, files, detect_conventions(trees, release=treebank.release, folder=treebank.name)


def _print_places(
    job: TransformJob, transformation: Transformation, files: dict[str, ConlluFile], output: str | None
) -> None:
    """Print a row for each place, with the name of its file if there is one, and count what was skipped."""
    rows: list[tuple[str | int, ...]] = []
    skipped = Counter[str]()
    for name, file in files.items():
        for sentence in job.steps.each(file.sentences, "looking for places"):
            tree, plan = sentence.tree, transformation.plan(sentence.tree)
            skipped.update(plan.skipped)
            for place in plan.places:
                word = (
                    tree.forms[place.token - 1],
                    tree.deprels[place.token - 1],
                    tree.heads[place.token - 1],
                )
                rows.append(
                    (*([name] if name else []), sentence.sent_id, place.transform, place.token, *word)
                )
    columns = ("file", "sent_id", "transform", "token", "form", "deprel", "head")["" in files :]
    text = Table("", columns, tuple(tuple(map(str, row)) for row in rows)).tsv()
    job.steps.stop()
    with open_output(output) as write:
        write(text.encode())
    for line in list_skipped(skipped):
        note(line, quiet=job.quiet)
