"""`learnability measure`: predictability, derivation perplexity and complexity, and tree shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options, taken
from learnability.commands.resolve import Names, file_conventions
from learnability.commands.streams import note
from learnability.comparing.options import TreebankSelection
from learnability.errors import InputError
from learnability.reports.text import print_json, print_list
from learnability.support.progress import Stages, shown_stages
from learnability.transforms.restriction import check_sites, check_ud
from learnability.treebanks.sentence import Conventions, Tree, trees_of

if TYPE_CHECKING:
    from learnability.metrics.derivation import Order, Symbols
    from learnability.metrics.predictability import RootPolicy

Values = dict[str, float | int | str | None]

ENTROPY_VARIANTS: tuple[tuple[bool, RootPolicy, bool], ...] = tuple(
    product((False, True), ("special", "exclude"), (False, True))
)
"""direction, root, macro: every variant of predictability, the paper's first."""

PERPLEXITY_VARIANTS: tuple[tuple[Order, Symbols], ...] = tuple(
    product(("arc-eager", "arc-standard"), ("forms", "tags"))
)
"""order, symbols: every variant of derivation perplexity, the default first."""


@dataclass(frozen=True)
class Corpus:
    """What is measured: entropies, complexity and shape of `train`, perplexity of `dev` under `train`."""

    name: str
    release: str
    conventions: Conventions
    trees: tuple[Tree, ...]
    train: tuple[Tree, ...]
    dev: tuple[Tree, ...]


@click.command(name="measure", epilog="Example: learnability measure --treebank demo --transform case")
@options(TreebankSelection)
@click.argument("files", metavar="[FILE]...", nargs=-1, shell_complete=completion.files)
@options(Names)
@options(Execution, "as_json", "quiet")
def command(files: tuple[str, ...], as_json: bool, quiet: bool, **given: Any) -> None:
    """Measure how predictable a treebank's annotation is, as it stands and transformed."""
    selection, names = taken(TreebankSelection, given), taken(Names, given)
    if selection.given == bool(files):
        raise click.UsageError("give either --treebank T or FILE..., one of the two")
    compared = [Names((name,)) for name in names.transform]
    compared += [Names(scheme=names.scheme)] if names.scheme else []
    for name in compared:
        name.check()
    with shown_stages("reading", quiet=quiet) as stages:
        scheme = Names(scheme=names.scheme)
        if files:
            corpora = _file_corpora(files, selection, scheme, quiet, stages, bool(compared))
        else:
            corpora = _treebank_corpora(selection, scheme, quiet, stages, bool(compared))
        for name in (name for name in compared if name.annotator() is None):
            cases = (
                (name.transformation(corpus.conventions), (*corpus.trees, *corpus.dev)) for corpus in corpora
            )
            check_sites(", ".join(corpus.name for corpus in corpora), cases, whole=selection.given)
        rows = [row for corpus in corpora for row in measure_corpus(corpus, compared, stages)]
    if as_json:
        print_json(rows)
        return
    for row in rows:  # measures below each other, one table per transformation (or per treebank)
        title = f"{row['treebank']} {row['release']}".strip()
        if "measures" in row:
            print_list(("measure", "value"), list(row["measures"].items()), title=title)
            continue
        title += f", {row['transform']}:{row['variant']}" if row["variant"] else f", {row['transform']}"
        values = [(key, value, row["transformed"][key]) for key, value in row["original"].items()]
        print_list(("measure", "original", "transformed"), values, title=title)


def _treebank_corpora(
    selection: TreebankSelection, scheme: Names, quiet: bool, stages: Stages, ud: bool
) -> list[Corpus]:
    """The treebank as it is where train and dev exist (no test is needed here), else as the policy says, with
    the annotation of the `scheme`, if a program makes it. `ud`: it must not be transformed already."""
    from learnability.treebanks.conllu_io import reading_seconds
    from learnability.treebanks.splits import load_folds, read_treebank

    files = scheme.files(selection)
    paths = [path for _, split in files.splits() for path in split]
    stages.stage(f"reading {files.name}", expected=reading_seconds(paths))
    whole = read_treebank(files, multiple_roots=selection.multiple_roots)
    for _, part in whole.splits() if ud else ():
        check_ud(part, whole.name)
    treebanks = (whole,) if whole.train and whole.dev else load_folds(files, **asdict(selection.data))
    corpora = []
    for fold, treebank in enumerate(treebanks, start=1):
        for warning in treebank.warnings:
            note(warning, quiet=quiet)
        if treebank.split_policy:
            note(f"{treebank.name}: {treebank.split_policy}", quiet=quiet)
        name = f"{treebank.name} fold {fold}" if len(treebanks) > 1 else treebank.name
        train, dev = tuple(trees_of(treebank.train)), tuple(trees_of(treebank.dev))
        corpora.append(Corpus(name, treebank.release, treebank.conventions, train, train, dev))
    return corpora


def _file_corpora(
    files: Sequence[str], selection: TreebankSelection, scheme: Names, quiet: bool, stages: Stages, ud: bool
) -> list[Corpus]:
    """Each file by itself; its last tenth serves perplexity as dev. `scheme`, `ud` as above."""
    corpora = []
    for path in files:
        file = scheme.read(path, multiple_roots=selection.multiple_roots, stages=stages)
        if ud:
            check_ud(file.sentences, file.name)
        trees = tuple(trees_of(file))
        if not trees:
            raise InputError(f"{file.name}: no sentences; give a file with sentences")
        cut = max(1, len(trees) * 9 // 10)
        note(
            f"{file.name}: perplexity of the last {len(trees) - cut} of {len(trees)} sentences "
            "under a model of those before",
            quiet=quiet,
        )
        release, conventions = selection.release or "", file_conventions(file)
        corpora.append(Corpus(file.name, release, conventions, trees, trees[:cut], trees[cut:]))
    return corpora


def measure_corpus(corpus: Corpus, compared: Sequence[Names], stages: Stages) -> list[dict[str, Any]]:
    """One row for the corpus as it stands, or one per transformation with original and transformed values."""
    texts = max(2 * len(compared), 1)
    count = texts * (2 * len(ENTROPY_VARIANTS) + len(PERPLEXITY_VARIANTS) + 1)
    seconds = texts * sum(map(len, (*corpus.trees, *corpus.dev))) / 25_000  # tokens per second, about
    stages.stage(f"measuring {corpus.name}", count, unit="measures", expected=seconds)
    head = {"treebank": corpus.name, "release": corpus.release}
    if not compared:
        return [{**head, "measures": measures(corpus, None, stages)[0]}]
    rows = []
    for names in compared:
        if names.annotator():
            head |= {"transform": str(names.scheme), "variant": ""}
        else:
            rule = names.transformation(corpus.conventions)
            head |= {"transform": names.scheme or rule.name, "variant": rule.variant}
        original, transformed = measures(corpus, names.change(corpus.conventions), stages)
        rows.append({**head, "original": original, "transformed": transformed})
    return rows


def measures(corpus: Corpus, change: Callable[[Tree], Tree] | None, stages: Stages) -> tuple[Values, Values]:
    """All measures of the corpus and of the one that is changed (empty without a change).

    Perplexity and complexity use the sentences that are projective in both.
    """
    from learnability.metrics import flatten_trees, projective_sentences

    parts = (corpus.trees, corpus.train, corpus.dev)
    masks = [projective_sentences(flatten_trees(part)) for part in parts]
    if change is None:
        return _values(parts, masks, stages), {}
    after = [tuple(map(change, part)) for part in parts]
    masks = [mask & projective_sentences(flatten_trees(b)) for mask, b in zip(masks, after, strict=True)]
    return _values(parts, masks, stages), _values(after, masks, stages)


def _values(parts: Sequence[Sequence[Tree]], masks: Sequence[Any], stages: Stages) -> Values:
    """All measures; what is not defined for these trees is None, and `undefined` says why."""
    from learnability.metrics import (
        derivation_complexity,
        derivation_perplexity,
        head_given_dependent,
        predictability,
        tree_shape,
    )
    from learnability.parsing.stepwise import static_sequences

    trees, train, dev = parts
    values: Values = {}
    undefined: set[str] = set()
    for function, (direction, root, macro) in product(
        (predictability, head_given_dependent), ENTROPY_VARIANTS
    ):
        marks = {"direction": direction, f"root={root}": root != "special", "macro": macro}
        name = _variant(function.__name__, marks)
        stages.advance()
        try:
            values[name] = function(trees, direction=direction, root=root, macro=macro)
        except InputError as error:  # no tag, or no arc but the root's: not defined here
            values[name] = None
            undefined.add(str(error))
    used = {"train_mask": masks[1], "dev_mask": masks[2]}
    for order, symbols in PERPLEXITY_VARIANTS:
        stages.advance()
        name = _variant("perplexity", {order: order != "arc-eager", symbols: symbols != "forms"})
        if all(mask.any() for mask in used.values()):
            values[name] = derivation_perplexity(train, dev, order=order, symbols=symbols, **used).perplexity
        else:
            values[name] = None
            undefined.add("no perplexity: no projective sentence to train on, or none to measure")
    stages.advance()
    kept = [tree.heads for tree, projective in zip(trees, masks[0], strict=True) if projective]
    values["complexity"] = derivation_complexity(static_sequences(kept)) if kept else None
    values["projective_sentences"] = len(kept)
    shape = tree_shape(trees)
    values.update({field.name: getattr(shape, field.name) for field in fields(shape)})
    if undefined:
        values["undefined"] = "; ".join(sorted(undefined))
    return values


def _variant(measure: str, marks: dict[str, bool]) -> str:
    """``predictability:direction:macro``; the first variant has no suffix."""
    return ":".join((measure, *(mark for mark, on in marks.items() if on)))
