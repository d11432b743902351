"""`learnability train`: train a parser on trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, model_option, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import check_input, note, read_input
from learnability.comparing.options import DataOptions, ExperimentOptions, default_oracle
from learnability.errors import InputError
from learnability.parsing.parser_options import ParserOptions
from learnability.support.files import check_writable
from learnability.support.nouns import count_noun
from learnability.support.progress import ProgressSteps, shown_steps
from learnability.transforms.provenance import check_ud
from learnability.transforms.restricted_rules import check_places, check_tags
from learnability.treebanks.copies import find_copies
from learnability.treebanks.sentence import Conventions, Tree, trees_of
from learnability.treebanks.splits import file_conventions

if TYPE_CHECKING:
    from learnability.parsing.model_file import Attachment
    from learnability.parsing.parser import Iteration, Parser, Progress, Training
    from learnability.treebanks.conllu_io import ConlluFile, Reading

T = TypeVar("T")

WITHOUT_DEV = 15
"""The number of iterations without a development set that shows when to stop."""


@dataclass(frozen=True)
class TrainJob:
    """Hold the settings of a training.

    `names` rewrite the trees; `multiref` are the transformations whose reference sets the parser trains on.
    """

    names: Names
    multiref: Names
    options: ParserOptions
    steps: ProgressSteps
    dev: str | None
    labels: Literal["external", "keep"] | None
    nonprojective: str
    max_options: int
    quiet: bool
    skip_incomplete: bool

    @property
    def reading(self) -> Reading:
        return {"multiple_roots": self.options.multiple_roots, "skip_incomplete": self.skip_incomplete}

    def read(self, path: str) -> ConlluFile:
        """Return the file, in the annotation of a program if one makes the trees."""
        file = read_input(path, steps=self.steps, quiet=self.quiet, **self.reading)
        return self.annotate_file(file)

    def check(self) -> None:
        """Refuse options that do not go together, and unknown names."""
        if self.multiref.is_set and self.options.oracle != "dynamic":
            raise click.UsageError(
                "--multiref works only with --oracle dynamic: it trains on all gold trees by Algorithm 1"
            )
        if self.multiref.is_set and self.dev:
            raise click.UsageError(
                "--multiref does not work with --dev: no single annotation is correct, so UAS on dev cannot "
                "show when to stop; use --iterations N (default: 15)"
            )
        if self.multiref.is_set and self.names.is_set:
            raise click.UsageError(
                "--multiref trains on UD and its alternatives; leave out --transform and --alternative"
            )
        if self.labels and not (self.options.labelled and self.names.is_set):
            raise InputError(
                f"--labels {self.labels} needs labelled parsers and a construction; add --labelled and "
                "--transform or --alternative"
            )
        self._check_multiref()
        for names in (self.multiref, self.names):
            if names.is_set:
                names.check()
                if not names.annotator():
                    names.transformation(Conventions())
        self.names.only_for_rules(labels=self.labels)
        self.options.templates()
        self.options.regime()

    def _check_multiref(self) -> None:
        try:
            if self.multiref.is_set:
                self.multiref.check()
        except InputError as error:
            ways = [way for way in error.ways if "`alternative" not in way]
            raise InputError(error.problem, ways) from None

    def annotate_file(self, file: ConlluFile) -> ConlluFile:
        """Return the file as a program annotates it, if one makes the trees; otherwise as it is."""
        annotator = self.names.annotator()
        if annotator is None:
            return file
        self.steps.begin(f"running {annotator.name}")
        return annotator.annotate_file(file, **self.reading)


@click.command(
    name="train", epilog="Example: learnability train TRAIN.conllu -m FILE.model --dev DEV.conllu --labelled"
)
@click.argument("source", metavar="FILE", shell_complete=completion.files)
@model_option("The model file to write.")
@click.option(
    "--dev", metavar="F", help="Development file, to decide when to stop and which iteration to keep."
)
@options(ParserOptions, "system", "oracle", "labelled")
@options(Names)
@options(  # not as a value of --labelled, which would take the FILE that follows
    ExperimentOptions, "labels", flags=("--labels",), flag_value=None,
    help="Deprels with --labelled and a scheme: a new head takes that of its construction (external, the "
    "default: parsers learn more from it), or every word keeps its deprel (keep).",
)  # fmt: skip
@options(ParserOptions, "features")
@click.option(
    "--multiref", multiple=True, metavar="NAME", shell_complete=completion.transforms,
    help="Train on UD and this construction together, without a preference; repeatable. With --labelled, "
    "heads of transformed constructions have their external deprel.",
)  # fmt: skip
@options(ParserOptions, "seed", "iterations", "k", "p")
@options(
    ExperimentOptions, "nonprojective", choices=("lift", "drop"),
    help="Non-projective training trees: lift their arcs, or leave the trees out.",
)  # fmt: skip
@options(ParserOptions, "tags")
@options(ExperimentOptions, "max_options", panel=Names.PANEL)
@options(DataOptions, "multiple_roots", "skip_incomplete")
@options(Execution, "quiet")
def command(source: str, model: str, dev: str | None, multiref: tuple[str, ...], **parameters: Any) -> None:
    """Train a parser on the trees of FILE and write it to MODEL.

    With --transform or --alternative the UD trees of FILE (and of --dev) are rewritten first; `parse --to-ud`
    converts the parses of such a model back, unless a command made the trees.
    """
    with shown_steps("starting", quiet=parameters["quiet"]) as steps:
        from learnability.parsing.model_file import save_model

        parameters["oracle"] = parameters["oracle"] or (
            "dynamic" if multiref else default_oracle(parameters["system"])
        )
        names, parser_options = take_options(Names, parameters), take_options(ParserOptions, parameters)
        if dev is None and parser_options.iterations is None:
            parser_options = replace(parser_options, iterations=WITHOUT_DEV)
        job = TrainJob(names, Names(multiref), parser_options, steps, dev, **parameters)
        job.check()
        check_input(source)
        check_writable(model)
        file = job.read(source)
        annotator = names.annotator()
        if annotator is None and (names.is_set or multiref):
            check_ud(file.sentences, file.name)
        trees = trees_of(file)
        if not trees:
            raise InputError(f"{file.name} has no training sentences; choose another file")
        attachment = None
        if multiref:
            parser, summary = _train_multiref(job, trees, file)
        elif annotator:
            parser, summary = _train(job, trees)
            summary = f"{annotator.name}, which has no conversion back to UD; {summary}"
        elif names.is_set:
            parser, summary, attachment = _train_scheme(job, trees, file)
        else:
            parser, summary = _train(job, trees)
        steps.begin("writing the model", expected=1)
        save_model(parser, model, attachment)
    note(f"{model}: {summary}", quiet=job.quiet)


def _make_ready(job: TrainJob, items: Sequence[T], lift_item: Callable[[T], T]) -> list[T]:
    """`lift_item` returns what crosses no arcs as it is."""
    if not job.options.transition_system.projective:
        return list(items)
    lifted = list(map(lift_item, items))
    kept = [new for new, old in zip(lifted, items, strict=True) if new is old]
    crossing = len(items) - len(kept)
    if crossing:
        handled = "left out" if job.nonprojective == "drop" else "lifted"
        note(
            f"{crossing} of {count_noun(len(items), 'training sentence')} "
            f"{'is' if crossing == 1 else 'are'} not projective: {handled}",
            quiet=job.quiet,
        )
    ready = kept if job.nonprojective == "drop" else lifted
    if not ready:
        raise InputError("no training sentence is projective; use `nonprojective='lift'`")
    return ready


def _train_scheme(job: TrainJob, trees: Sequence[Tree], file: ConlluFile) -> tuple[Parser, str, Attachment]:
    from learnability.comparing.stored_conversion import Definition, trained_conversion

    definition, conventions = (
        Definition.of(job.names.transform, job.names.alternative),
        file_conventions(file),
    )
    rule = definition.transformation(conventions)
    check_tags(rule, job.options.tags)
    check_places(file.name, rule, trees)
    places = sum(len(rule.places(tree)) for tree in trees)
    labels = (job.labels or "external") if job.options.labelled else "keep"

    rewritten = partial(rule.apply, labels=labels)
    alternatives = list(map(rewritten, job.steps.each(trees, "transforming")))
    parser, summary = _train(job, alternatives, rewritten)
    seconds = sum(map(len, trees)) / 10_000  # tokens per second, about
    job.steps.begin("training the conversion to UD", expected=seconds)
    conversion = trained_conversion(trees, definition, conventions, job.options, labels)
    return parser, f"{rule.spec}, {count_noun(places, 'place')}; {summary}", conversion


def _train(
    job: TrainJob, trees: Sequence[Tree], rewritten: Callable[[Tree], Tree] | None = None
) -> tuple[Parser, str]:
    from learnability.parsing.parser import train_parser, warm_up_parser
    from learnability.parsing.projectivity import lift
    from learnability.running.progress_steps import kernels_step

    held_out = None
    if job.dev is not None:
        file = job.read(job.dev)
        held_out = trees_of(file)
        if rewritten is not None:
            check_ud(file.sentences, file.name)
            held_out = list(map(rewritten, held_out))
        if not held_out:
            raise InputError(f"the development file {job.dev} has no sentences; choose another one")
        if copies := find_copies(held_out, trees).count(True):
            of_all = f"{copies:,} of {count_noun(len(held_out), 'development sentence')}"
            note(
                f"{of_all} {'is a copy' if copies == 1 else 'are copies'} of training sentences, with "
                "(nearly) the same words, so dev UAS is higher than that of other sentences",
                quiet=job.quiet,
            )
    ready = _make_ready(job, trees, lift)
    with kernels_step(job.steps, [job.options.system]):
        warm_up_parser(job.options)
    training = train_parser(ready, job.options, held_out, _progress(job, ready))
    best, kept = training.best_iteration, ""
    if training.dev_uas:
        kept = f", kept iteration {best} with dev UAS {training.dev_uas[best - 1]:.2f}"
    return training.parser, f"{_size(training)}{kept}, {training.seconds:.1f} s"


def _train_multiref(job: TrainJob, trees: Sequence[Tree], file: ConlluFile) -> tuple[Parser, str]:
    from learnability.comparing.cells import warm_up_multiref
    from learnability.multiref.arrays import encode_references, labels_of
    from learnability.multiref.contrasts import lift_references
    from learnability.multiref.references import reference_set
    from learnability.multiref.training import preferred_shares, train_on_references
    from learnability.parsing.encoding import NO_LABELS
    from learnability.running.progress_steps import kernels_step

    options, transformation = job.options, job.multiref.transformation(file_conventions(file))
    check_places(file.name, transformation, trees)
    labels: Literal["external"] | None = "external" if options.labelled else None
    sets = [
        reference_set(tree, transformation, max_options=job.max_options, labels=labels)
        for tree in job.steps.each(trees, "references")
    ]
    sets = _make_ready(job, sets, partial(lift_references, labels=labels))
    corpus = options.encode([references.tree for references in sets])
    known = labels_of(sets) if labels else NO_LABELS
    references, table = encode_references(corpus, sets, known)
    with kernels_step(job.steps, [options.system]):
        warm_up_multiref(options, labels)
    iterations = options.iterations or WITHOUT_DEV
    progress = _progress(job, [references.tree for references in sets])
    training = train_on_references(corpus, references, table, options, iterations, progress, labels=known)
    shares = preferred_shares(table, training.alternative_shares[-1])
    preferred = "; no places"
    if shares.sentences:
        sentences = count_noun(shares.sentences, "sentence")
        ud, alternative = (f"{100 * share:.1f} %" for share in (shares.base_share, shares.alternative_share))
        preferred = (
            f", {count_noun(len(table.sentence), 'place')}; in {sentences} with places, the parser prefers "
            f"UD in {ud} and the alternative in {alternative}"
        )
    groups = count_noun(table.factors_cut, "group")
    cut = f"; kept only two trees for {groups} of linked places" if table.factors_cut else ""
    return training.parser, f"{_size(training)}{preferred}{cut}; {training.seconds:.1f} s"


def _size(training: Training[Parser]) -> str:
    return f"{count_noun(training.features, 'feature')}, {count_noun(training.iterations, 'iteration')}"


def _progress(job: TrainJob, trees: Sequence[Tree]) -> Progress:
    from learnability.parsing.iterations import MAX_ITERATIONS

    most = job.options.iterations or MAX_ITERATIONS
    seconds = most * sum(map(len, trees)) / 400_000  # tokens per second, about
    job.steps.begin(
        f"training {job.options.system} on {count_noun(len(trees), 'sentence')}", most, expected=seconds
    )
    job.steps.advance(0, count=f"0/{count_noun(most, 'iteration')}")

    def tell(done: Iteration) -> None:
        uas = "" if done.dev_uas is None else f", dev UAS {done.dev_uas:.2f}"
        job.steps.advance(count=f"{done.number}/{count_noun(most, 'iteration')}{uas}")

    return tell
