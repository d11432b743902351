"""The judges by name, those of other packages too, and how they are written on the command line.

A package registers a :class:`~learnability.judges.judge.JudgeKind` under the entry point group
``learnability.judges``; the entry point's name is that of the judge::

    [project.entry-points."learnability.judges"]
    malt = "my_package.malt:MALT"
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module

from learnability.errors import InputError
from learnability.judges.command import read_judge
from learnability.judges.judge import JudgeKind, NamedJudge
from learnability.support.plugins import nearest, with_registered
from learnability.support.toml_section import SUFFIX

MODULES = ("transition", "graph", "spacy_judge", "udpipe")
"""The modules of this package that define judges, each as `KINDS`."""

JUDGES: dict[str, JudgeKind] = {
    kind.name: kind for module in MODULES for kind in import_module(f"learnability.judges.{module}").KINDS
}
"""Every judge of this package by its name."""

GROUP = "learnability.judges"
"""The entry point group."""


@cache
def known_judges() -> dict[str, JudgeKind]:
    """The package's own judges by name, and then the registered ones; an InputError for a faulty entry
    point."""
    as_kind = lambda loaded: loaded if isinstance(loaded, JudgeKind) else None  # noqa: E731
    return with_registered(JUDGES, GROUP, as_kind, "JudgeKind")


def judge_named(spec: str) -> NamedJudge:
    """The judge that `spec` names: ``udpipe``, ``arc-eager:explore``, ``arc-eager:oracle=explore``, or the
    file that defines it: ``docs/judges/maltparser.toml``.

    >>> judge_named("arc-eager:features=rich,explore").spelling
    'arc-eager:explore,rich'

    InputError for an unknown name, option or value, with the nearest known one, a mistake in the file, or a
    name in it that is another judge's.
    """
    if spec.endswith(SUFFIX):
        defined = read_judge(spec)
        if defined.name in known_judges():
            raise InputError(f'{spec}: {defined.name} is another judge; write name = "..." of its own')
        return NamedJudge(defined, spec, sha256=defined.sha256)
    name, colon, rest = map(str.strip, spec.partition(":"))
    kind = JUDGES.get(name) or known_judges().get(name)
    if kind is None:
        raise InputError(nearest(name, known_judges(), "judge"))
    given: dict[str, str] = {}
    for item in rest.split(",") if colon else ():
        option, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            option, value = next((o for o, values in kind.options.items() if option in values), ""), option
        if not option:
            known = [value for own in kind.options.values() for value in own]
            raise InputError(f"judge {name}: {nearest(value, known, 'value')}")
        if option not in kind.options:
            raise InputError(f"judge {name}: {nearest(option, kind.options, 'option')}")
        if value not in kind.options[option]:
            raise InputError(f"judge {name}: {nearest(value, kind.options[option], f'{option} value')}")
        if option in given:
            raise InputError(f"judge {spec!r}: option {option} is given twice")
        given[option] = value
    values = tuple((option, given.get(option, own[0])) for option, own in kind.options.items())
    named = NamedJudge(kind, "", values)
    return replace(named, spelling=named.title)
