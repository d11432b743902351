"""List the judges by name, those of other packages included, and read their form on the command line.

A package registers a :class:`~learnability.judges.judge.JudgeKind` under the entry point group
``learnability.judges``; the name of the entry point is the name of the judge::

    [project.entry-points."learnability.judges"]
    malt = "my_package.malt:MALT"
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from learnability.errors import InputError
from learnability.judges.command import read_judge
from learnability.judges.judge import JudgeKind, NamedJudge
from learnability.support.plugins import nearest, with_registered
from learnability.support.toml_section import SUFFIX

MODULES = ("transition", "graph", "biaffine", "spacy_judge", "udpipe")
"""The modules of this package that define judges, each as `KINDS`."""

JUDGES: dict[str, JudgeKind] = {
    kind.name: kind for module in MODULES for kind in import_module(f"learnability.judges.{module}").KINDS
}
"""Every judge of this package by its name."""

GROUP = "learnability.judges"
"""The entry point group."""


@cache
def known_judges() -> dict[str, JudgeKind]:
    """Return the judges of this package and then those that other packages register, by name.

    Raises:
        InputError: an entry point is faulty.
    """

    def as_kind(loaded: object) -> JudgeKind | None:
        return loaded if isinstance(loaded, JudgeKind) else None

    return with_registered(JUDGES, GROUP, as_kind, "JudgeKind")


def judge_named(spec: str) -> NamedJudge:
    """Return the judge that `spec` names.

    >>> judge_named("arc-eager:features=rich,explore").spelling
    'arc-eager:explore,rich'

    Args:
        spec: ``udpipe``, ``arc-eager:explore``, ``arc-eager:oracle=explore``, or the file that defines it:
            ``docs/judges/maltparser.toml``.

    Raises:
        InputError: the name, an option or a value is unknown (the message suggests the nearest known), the
            file has a mistake, or its judge has the name of another judge.
    """
    if spec.endswith(SUFFIX):
        defined = read_judge(spec)
        if defined.name in known_judges():
            raise InputError(
                f'{spec}: {defined.name} is the name of another parser; write another name = "..."'
            )
        return NamedJudge(defined, spec, sha256=defined.sha256)
    name, colon, rest = map(str.strip, spec.partition(":"))
    kind = JUDGES.get(name) or known_judges().get(name)
    if kind is None:
        raise InputError(nearest(name, known_judges(), "parser"))
    written = named_options(kind, spec, rest.split(",") if colon else ())
    values = kind.values(written)
    return NamedJudge(kind, kind.written(dict(values)), values, kind.files_digest(written))


def named_options(kind: JudgeKind, spec: str, items: Iterable[str]) -> dict[str, str]:
    """Return the options that the user wrote after the name of a judge, by name.

    Args:
        kind: the kind of judge.
        spec: the whole specification, for messages.
        items: ``VALUE`` or ``OPTION=VALUE`` each; ``OPTION=FILE`` where an option names a file.

    Raises:
        InputError: an option or a value is unknown, or an option occurs twice.
    """
    written: dict[str, str] = {}
    for item in items:
        option, equals, value = (part.strip() for part in item.partition("="))
        if not equals:  # a value alone identifies its option
            value = option
            option = next((name for name, values in kind.options.items() if value in values), "")
        if not option:
            known = [value for values in kind.options.values() for value in values]
            raise InputError(f"parser {kind.name}: {nearest(value, known, 'value')}")
        if option not in kind.options and option not in kind.files:
            known = [*kind.options, *kind.files]
            raise InputError(f"parser {kind.name}: {nearest(option, known, 'option')}")
        if option in kind.files and not value:
            raise InputError(f"parser {kind.name}: {option} names no file; write {option}=FILE")
        if option in kind.options and value not in kind.options[option]:
            raise InputError(f"parser {kind.name}: {nearest(value, kind.options[option], f'{option} value')}")
        if option in written:
            raise InputError(f"parser {spec!r}: option {option} occurs twice; write it once")
        written[option] = value
    return written
