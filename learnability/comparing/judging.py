"""Choose which parser of a run is trained on which annotation.

Every judge of `ExperimentOptions.judges` trains settings (a) and (b). Training against sets of references is
for transition systems with a dynamic oracle: the first judge of that kind does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from learnability.errors import InputError
from learnability.judges.judge import EncodingJudge, Judge, NamedJudge, Setup
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.templates import OF_EXPERIMENTS

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions


def multiref_judge(options: ExperimentOptions) -> str | None:
    """Return the judge that is also trained against sets of references, None if none can be."""
    for judge in options.judges:
        if judge.kind.name in SYSTEMS and not system_named(judge.kind.name).unknown_costs:
            return judge.spelling
    return None


def judged_by(options: ExperimentOptions, spelling: str) -> ExperimentOptions:
    """Return the options of the run with the judge of this spelling alone."""
    return replace(options, judges=(options.judge(spelling),))


def judge_of(options: ExperimentOptions) -> Judge:
    """Return the judge of options that have only one.

    Raises:
        InputError: it is not installed, or cannot do what the options ask for.
    """
    (judge,) = options.judges
    setup = Setup(
        labelled=options.labels is not None,
        tags=options.tag_column,
        iterations=options.iterations,
        multiple_roots=options.data.multiple_roots,
    )
    return judge.judge(setup)


def judge_files(options: ExperimentOptions) -> dict[str, str]:
    """Return the SHA-256 of what the files say that describe judges, by the spelling of the judge."""
    return {judge.spelling: judge.kind.sha256 for judge in options.judges if judge.kind.sha256}


def seed_ratio_of(judges: Sequence[NamedJudge]) -> float:
    """Return the mean `JudgeKind.seed_ratio` of judges: how much their scores change with the seed."""
    return sum(judge.kind.seed_ratio for judge in judges) / len(judges)


def parser_of(judge: Judge, tags: str) -> ParserOptions:
    """Return the options with which sentences are encoded for a judge.

    They are its own, if it is one of our parsers; else those of what else reads sentences, the conversion
    to UD.
    """
    if isinstance(judge, EncodingJudge):
        return judge.options
    return ParserOptions(tags=tags, features=OF_EXPERIMENTS)


def check_judges(options: ExperimentOptions) -> None:
    """Refuse judges that cannot be asked.

    Raises:
        InputError: one is not installed, or cannot do what the options ask for; two have the same name.
    """
    for judge in options.judges:
        judge.kind.check_installed()
        judge_of(replace(options, judges=(judge,)))
    titles = Counter(judge.title for judge in options.judges)
    for title, count in titles.items():
        if count > 1:
            raise InputError(f"two of `judges` are called {title}; rename one of them")
