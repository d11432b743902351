"""Which judges a run has, and which of them trains what.

Every judge of `ExperimentOptions.judges` trains settings (a) and (b). Without any, the parser of `system` and
`oracle` judges alone, and neither cells nor rows name it. Training against sets of references (c, joint) is
for transition systems with a dynamic oracle: the first judge of that kind does it. Learning curves are those
of the first judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from learnability.comparing.options import ExperimentOptions, has_multiref
from learnability.errors import InputError
from learnability.judges.judge import Judge, Setup
from learnability.judges.registry import judge_named
from learnability.judges.transition import TransitionJudge
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.statistics.significance import SEED_RATIO

ALONE = ""
"""How cells name the judge of a run that was given none."""


def judges_of(options: ExperimentOptions) -> tuple[str, ...]:
    """The judges of a run as cells name them."""
    return options.judges or (ALONE,)


def multiref_judge(options: ExperimentOptions) -> str | None:
    """The judge that is also trained against sets of references, None where none can be."""
    kinds = {judge: judge_named(judge or options.system).kind.name for judge in judges_of(options)}
    return next((judge for judge, name in kinds.items() if name in SYSTEMS and has_multiref(name)), None)


def judged_by(options: ExperimentOptions, judge: str) -> ExperimentOptions:
    """The options of the run with this judge alone."""
    return replace(options, judges=(judge,)) if judge else options


def judge_of(options: ExperimentOptions) -> Judge:
    """The judge of a run that has only one; InputError if it is unknown or not installed."""
    setup = Setup(
        labelled=options.labels is not None,
        tags=options.tags,
        iterations=options.iterations,
        multiple_roots=options.data.multiple_roots,
    )
    (spec,) = options.judges or (f"{options.system}:{options.oracle}",)
    return judge_named(spec).judge(setup)


def judge_files(options: ExperimentOptions) -> dict[str, str]:
    """The SHA-256 of the files that describe judges."""
    kinds = {judge: judge_named(judge).kind for judge in options.judges}
    return {judge: kind.sha256 for judge, kind in kinds.items() if kind.sha256}


def seed_ratio_of(judges: Sequence[str]) -> float:
    """What is known of how much the scores of these judges change with the seed (`JudgeKind.seed_ratio`),
    the mean of several."""
    ratios = [judge_named(judge).kind.seed_ratio if judge else SEED_RATIO for judge in judges]
    return sum(ratios) / len(ratios)


def parser_of(judge: Judge, tags: str) -> ParserOptions:
    """The options with which sentences are encoded for a judge: its own, if it is one of our parsers; else
    those of what else reads them, the conversion to UD."""
    if isinstance(judge, TransitionJudge):
        return judge.options
    return ParserOptions(tags=tags, features=OF_EXPERIMENTS)


def spelled_judges(names: Sequence[str]) -> tuple[str, ...]:
    """The judges that a user's list means, each once and in its one spelling; InputError for one that is
    unknown or not installed."""
    judges = [judge_named(name) for name in names]
    for judge in judges:
        judge.kind.check_installed()
    return tuple(dict.fromkeys(judge.spelling for judge in judges))


def check_judges(options: ExperimentOptions) -> None:
    """InputError for judges that cannot be asked, or that leave nothing for `system` and `oracle` to say."""
    if not options.judges:
        return
    if options.system != ExperimentOptions.system or options.oracle != ExperimentOptions.oracle:
        raise InputError("--judge replaces --system and --oracle: write --judge SYSTEM:ORACLE")
    spelled_judges(options.judges)
    for judge in options.judges:
        judge_of(judged_by(options, judge))
    titles = [judge_named(judge).title for judge in options.judges]
    if twice := [title for title, number in Counter(titles).items() if number > 1]:
        raise InputError(f"--judge: two judges are called {twice[0]}; rename one of them")
