"""List the parsers by name, those of other packages included, and read their form on the command line.

A package can register a
:class:`~learnability.parsers.trainer.ParserKind` under the entry point group
``learnability.parsers``; the name of the entry point is the name of the parser::

    [project.entry-points."learnability.parsers"]
    malt = "my_package.malt:MALT"
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from learnability.errors import InputError
from learnability.parsers.command import read_parser
from learnability.parsers.trainer import NamedParser, ParserKind
from learnability.support.plugins import nearest, with_registered
from learnability.support.toml_section import SUFFIX

MODULES = ("transition", "graph", "spacy_parser", "udpipe")
"""The modules of the core that define parsers, each as `KINDS`."""

PARSERS: dict[str, ParserKind] = {
    kind.name: kind for module in MODULES for kind in import_module(f"learnability.parsers.{module}").KINDS
}
"""Every parser of the core by its name."""

GROUP = "learnability.parsers"
"""The entry point group."""


@cache
def known_parsers() -> dict[str, ParserKind]:
    """Return the parsers of the core, and those that other packages register, by name."""

    def as_kind(loaded: object) -> ParserKind | None:
        return loaded if isinstance(loaded, ParserKind) else None

    return with_registered(PARSERS, GROUP, as_kind, "a ParserKind")


def parser_named(spec: str) -> NamedParser:
    """Return the parser that `spec` names.

    >>> parser_named("arc-eager:features=rich,explore").spelling
    'arc-eager:explore,rich'

    Args:
        spec: ``udpipe``, ``arc-eager:explore``, ``arc-eager:oracle=explore``, or the file that defines it:
            ``docs/parsers/maltparser.toml``.

    Raises:
        InputError: the name, an option or a value is unknown (the message suggests the nearest known), the
            file has a mistake, or its parser has the name of another parser.
    """
    if spec.endswith(SUFFIX):
        defined = read_parser(spec)
        if defined.name in known_parsers():
            raise InputError(
                f'{spec}: {defined.name} is the name of another parser; write another name = "..."'
            )
        return NamedParser(defined, spec, sha256=defined.sha256)
    name, colon, rest = map(str.strip, spec.partition(":"))
    kind = PARSERS.get(name) or known_parsers().get(name)
    if kind is None:
        raise InputError(nearest(name, known_parsers(), "parser"))
    written = named_options(kind, spec, rest.split(",") if colon else ())
    values = kind.values(written)
    return NamedParser(kind, kind.spell_name(dict(values)), values)


def named_options(kind: ParserKind, spec: str, items: Iterable[str]) -> dict[str, str]:
    """Return the options that the user wrote after the name of a parser, by name.

    `items`: ``VALUE`` or ``OPTION=VALUE`` each. `spec` is the whole specification, for messages.

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
        if option not in kind.options:
            raise InputError(f"parser {kind.name}: {nearest(option, kind.options, 'option')}")
        if value not in kind.options[option]:
            raise InputError(f"parser {kind.name}: {nearest(value, kind.options[option], f'{option} value')}")
        if option in written:
            raise InputError(f"parser {spec!r}: option {option} occurs twice; write it once")
        written[option] = value
    return written
