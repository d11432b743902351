"""`learnability measure`: predictability, derivation perplexity and tree shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import note
from learnability.comparing.options import TreebankSelection
from learnability.errors import InputError
from learnability.reports.text import print_json, print_list, print_sentences
from learnability.support.nouns import count_noun
from learnability.support.progress import ProgressSteps, shown_steps
from learnability.transforms.provenance import check_ud
from learnability.transforms.restricted_rules import NO_PLACE, advice, without_places
from learnability.treebanks.sentence import Conventions, Tree, trees_of
from learnability.treebanks.splits import GatheredCopies, file_conventions

if TYPE_CHECKING:
    from learnability.comparing.tree_measures import MeasuredTrees

Values = dict[str, float | int | str | None]


class MeasuredRow(TypedDict):
    """The values of a corpus as it is, or in both annotations of a construction."""

    treebank: str
    release: str
    construction: NotRequired[str]
    variant: NotRequired[str]
    measures: NotRequired[Values]
    base: NotRequired[Values]
    alternative: NotRequired[Values]


@dataclass(frozen=True)
class MeasuredCorpus:
    """Hold sentences to measure: entropies, shape of `train`, perplexity of `dev` under `train`.

    `held_out` is the number of sentences at the end of `train` that also form `dev`.
    """

    name: str
    release: str
    conventions: Conventions
    train: tuple[Tree, ...]
    dev: tuple[Tree, ...]
    held_out: int = 0


MEANING = (
    "Lower predictability or perplexity suggests trees that are easier to learn, but these are "
    "weak hints. `learnability list metrics` explains each measure."
)
"""What a reader needs to know below the tables."""


@click.command(name="measure", epilog="Example: learnability measure --treebank demo --transform case")
@options(TreebankSelection)
@click.argument("files", metavar="[FILE]...", nargs=-1, shell_complete=completion.files)
@options(Names)
@options(Execution, "as_json", "quiet")
def command(files: tuple[str, ...], as_json: bool, quiet: bool, **parameters: Any) -> None:
    """Measure how predictable the annotation of a treebank is, in UD and in alternatives."""
    selection, names = take_options(TreebankSelection, parameters), take_options(Names, parameters)
    if selection.is_named == bool(files):
        raise click.UsageError("trees come from a treebank or from files; use either --treebank T or FILE...")
    compared = [Names((name,)) for name in names.transform]
    compared += [Names(alternative=names.alternative)] if names.alternative else []
    for name in compared:
        name.check()
    with shown_steps("reading", quiet=quiet) as steps:
        scheme = Names(alternative=names.alternative)
        if files:
            corpora = _file_corpora(files, selection, scheme, quiet, steps, bool(compared))
        else:
            corpora = _treebank_corpora(selection, scheme, quiet, steps, bool(compared))
        for name in (name for name in compared if name.annotator() is None and not name.find_relabelling()):
            cases = [
                (name.transformation(corpus.conventions), (*corpus.train, *corpus.dev)) for corpus in corpora
            ]
            if missing := without_places(cases):
                hints = dict.fromkeys(line for case in cases for line in advice(*case))
                for line in (NO_PLACE.format(", ".join(missing)), *hints):
                    note(line, quiet=quiet)
        rows = [row for corpus in corpora for row in measure_corpus(corpus, compared, steps)]
    if as_json:
        print_json(rows)
        return
    for row in rows:  # measures below each other, one table per construction (or per treebank)
        title = f"{row['treebank']} {row['release']}".strip()
        if "measures" in row:
            print_list(("measure", "value"), list(row["measures"].items()), title=title)
            continue
        title += f", {row['construction']}:{row['variant']}" if row["variant"] else f", {row['construction']}"
        values = [(key, value, row["alternative"][key]) for key, value in row["base"].items()]
        print_list(("measure", "UD", "alternative"), values, title=title)
    print_sentences([MEANING])


def _treebank_corpora(
    selection: TreebankSelection, scheme: Names, quiet: bool, steps: ProgressSteps, ud: bool
) -> list[MeasuredCorpus]:
    """With `ud` the treebank must not be transformed already."""
    from learnability.treebanks.conllu_io import reading_seconds
    from learnability.treebanks.splits import load_folds, read_treebank

    files = scheme.files(selection)
    selection.data.check([files])
    paths = [path for _, split in files.splits() for path in split]
    steps.begin(f"reading {files.name}", expected=reading_seconds(paths))
    whole = read_treebank(files, **selection.data.reading)
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
        corpora.append(MeasuredCorpus(name, treebank.release, treebank.conventions, train, dev))
    return corpora


def _file_corpora(
    files: Sequence[str],
    selection: TreebankSelection,
    scheme: Names,
    quiet: bool,
    steps: ProgressSteps,
    ud: bool,
) -> list[MeasuredCorpus]:
    """Return a corpus for each file; its last tenth serves as dev for perplexity."""
    corpora = []
    for path in files:
        file = scheme.read(path, steps=steps, **selection.data.reading)
        if ud:
            check_ud(file.sentences, file.name)
        ordered = GatheredCopies.of(file.sentences)
        trees = tuple(trees_of(ordered.sentences))
        if not trees:
            raise InputError(f"{file.name} has no sentences; use a file with sentences")
        cut = ordered.nearest_start(max(1, len(trees) * 9 // 10))
        note(
            f"{file.name}: perplexity is measured on the last {len(trees) - cut} of "
            f"{count_noun(len(trees), 'sentence')}, with a model of the sentences before them"
            f"{ordered.remark}",
            quiet=quiet,
        )
        release, conventions = selection.release or "", file_conventions(file)
        corpora.append(MeasuredCorpus(file.name, release, conventions, trees, trees[cut:], len(trees) - cut))
    return corpora


def measure_corpus(
    corpus: MeasuredCorpus, compared: Sequence[Names], steps: ProgressSteps
) -> list[MeasuredRow]:
    """Return one row for the corpus as it is, or one per construction with the values of both trees."""
    from learnability.comparing.tree_measures import TREE_MEASURES

    texts = max(2 * len(compared), 1)
    count = texts * len(TREE_MEASURES)
    seconds = texts * sum(map(len, (*corpus.train, *corpus.dev))) / 25_000  # tokens per second, about
    steps.begin(f"measuring {corpus.name}", count, unit="measures", expected=seconds)
    head: MeasuredRow = {"treebank": corpus.name, "release": corpus.release}
    if not compared:
        return [{**head, "measures": measures(corpus, None, steps)[0]}]
    rows: list[MeasuredRow] = []
    for names in compared:
        if names.annotator() or names.find_relabelling():
            head = {**head, "construction": names.title, "variant": ""}
        else:
            rule = names.transformation(corpus.conventions)
            head = {**head, "construction": names.alternative or rule.name, "variant": rule.variant}
        base, alternative = measures(corpus, names.change(corpus.conventions), steps)
        rows.append({**head, "base": base, "alternative": alternative})
    return rows


def measures(
    corpus: MeasuredCorpus, change: Callable[[Tree], Tree] | None, steps: ProgressSteps
) -> tuple[Values, Values]:
    """Return all measures of the corpus, and of the changed corpus (empty without a change).

    Perplexity uses the sentences that are projective in both.
    """
    from learnability.comparing.tree_measures import MeasuredTrees
    from learnability.metrics import FlatTrees, projective_sentences

    def projective(trees: Sequence[Tree]) -> list[bool]:
        kept: list[bool] = projective_sentences(FlatTrees.of(trees)).tolist()
        return kept

    train, dev, held_out = projective(corpus.train), projective(corpus.dev), corpus.held_out
    if change is None:
        return _values(MeasuredTrees(corpus.train, corpus.dev, train, dev, held_out=held_out), steps), {}
    changed_train, changed_dev = tuple(map(change, corpus.train)), tuple(map(change, corpus.dev))
    train = [before and after for before, after in zip(train, projective(changed_train), strict=True)]
    dev = [before and after for before, after in zip(dev, projective(changed_dev), strict=True)]
    ud = MeasuredTrees(corpus.train, corpus.dev, train, dev, held_out=held_out)
    alternative = MeasuredTrees(changed_train, changed_dev, train, dev, held_out=held_out)
    return _values(ud, steps), _values(alternative, steps)


def _values(trees: MeasuredTrees, steps: ProgressSteps) -> Values:
    from learnability.comparing.tree_measures import TREE_MEASURES

    values: Values = {}
    without: dict[str, list[str]] = {}
    for measure in TREE_MEASURES:
        steps.advance()
        values[measure.key], reason = measure.value(trees)
        if reason:
            without.setdefault(reason, []).append(measure.key)
    if without:
        values["undefined"] = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in without.items())
    return values
