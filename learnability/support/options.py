"""Options as fields of dataclasses: each is stated once, with its default, its help and the values it takes.

Commands make their options of these fields (`learnability.commands.options`); :func:`check_values` holds
callers from Python to the same values.
"""

from __future__ import annotations

from dataclasses import Field, field, fields
from typing import Any, TypeVar

from learnability.errors import InputError

T = TypeVar("T")


def option(default: Any, help: str, **facts: Any) -> Any:
    """Return a field of a dataclass that is an option.

    Args:
        default: its value if it is not given.
        help: one or two sentences.
        facts: `choices`, the values there are; `least` and `most`, the range of a number, of its type;
            `parse`, a function from the typed text to the value; `typed`, the default as it is typed,
            None where only the help says it; `multiple`, given once for each element of a tuple; `flags`,
            the option as it is typed, if not by the name of the field; `flag_value`, the value of the
            option alone; `negated`, a flag that switches off; `metavar`; `completes`, what the shell
            completes: a function of `learnability.commands.completion`.
    """
    return field(default=default, metadata={"help": help, **facts})


def same(kind: Any, name: str, **changes: Any) -> Any:
    """The option `name` of another dataclass, with what is changed of its default, help and facts."""
    declared = next(one for one in fields(kind) if one.name == name)
    return option(**{**facts_of_option(declared), **changes})


def facts_of_option(declared: Field[Any]) -> dict[str, Any]:
    """The facts of an option, its default and help among them."""
    return {"default": declared.default, **declared.metadata}


def shared(kind: type[Any], source: Any) -> dict[str, Any]:
    """The attributes of `source` that are also fields of the dataclass `kind`, by name."""
    return {one.name: getattr(source, one.name) for one in fields(kind) if hasattr(source, one.name)}


def check_values(options: Any) -> None:
    """Refuse values that the options of a dataclass do not take; the default is always allowed."""
    for declared in fields(options):
        value, facts = getattr(options, declared.name), declared.metadata
        choices, least, most = facts.get("choices"), facts.get("least"), facts.get("most")
        what = f"`{declared.name}={value!r}`"
        if not facts or value == declared.default:
            continue
        if choices and value not in choices:
            raise InputError(f"{what}: give {', '.join(choices[:-1])} or {choices[-1]}")
        if least is not None and (value < least or (most is not None and value > most)):
            wanted = f"at least {least:g}" if most is None else f"a number from {least:g} to {most:g}"
            raise InputError(f"{what}: give {wanted}")
