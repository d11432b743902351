"""Define options as fields of dataclasses: each states once its default, its help and the values it accepts.

Commands derive their options from these fields (`learnability.commands.options`). :func:`check_values` checks
values that come from Python.
"""

from __future__ import annotations

from dataclasses import Field, asdict, field, fields
from numbers import Integral, Real
from typing import Any, TypeVar

from learnability.errors import InputError

T = TypeVar("T")


def option(default: Any, help: str, **facts: Any) -> Any:
    """Return a field of a dataclass that is an option.

    Args:
        default: the value if the caller gives none.
        help: one or two sentences.
        facts: `choices`, the accepted values; `least` and `most`, the range of a number, of its type (every
            number has one); `parse`, a function from the typed text to the value; `typed`, the default as a
            user types it, None if only the help states it; `multiple`, the option is repeated for each
            element of a tuple; `flags`, the option as a user types it, if it differs from the name of the
            field; `flag_value`, the value of the option alone; `negated`, a flag that switches something off;
            `metavar`; `completes`, what the shell completes: a function of
            `learnability.commands.completion`; `only_outcome`, the records of a run are the same with any
            value, so it stays the same run.
    """
    return field(default=default, metadata={"help": help, **facts})


def same(kind: Any, name: str, **changes: Any) -> Any:
    """Return the option `name` of another dataclass, with `changes` to its default, help and facts."""
    declared = next(field for field in fields(kind) if field.name == name)
    return option(**{**facts_of_option(declared), **changes})


def facts_of_option(declared: Field[Any]) -> dict[str, Any]:
    return {"default": declared.default, **declared.metadata}


def values_of_run(options: Any) -> dict[str, Any]:
    """Return the values of a dataclass of options, by name, without those that concern the outcome only."""
    values = asdict(options)
    return {
        field.name: values[field.name] for field in fields(options) if not field.metadata.get("only_outcome")
    }


def shared(kind: type[Any], source: Any) -> dict[str, Any]:
    return {field.name: getattr(source, field.name) for field in fields(kind) if hasattr(source, field.name)}


def check_values(options: Any) -> None:
    """Raise InputError if an option does not accept its value; the default is always accepted."""
    for declared in fields(options):
        value, facts = getattr(options, declared.name), declared.metadata
        choices, least, most = facts.get("choices"), facts.get("least"), facts.get("most")
        setting = f"`{declared.name}={shorten_value(value)}`"
        if not facts or value == declared.default:
            continue
        if choices and value not in choices:
            raise InputError(f"{setting} is not accepted; use {', '.join(choices[:-1])} or {choices[-1]}")
        if least is not None:
            check_number(setting, value, least, most)


def check_number(setting: str, value: object, least: float, most: float | None = None) -> None:
    """Check a number that a user chose: a whole one if `least` is one, at most `most` if that is not None.
    InputError, with `setting`, the option with its value, if it is none (nan is none) or out of range."""
    whole = isinstance(least, int)
    kind = Integral if whole else Real
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if is_number and least <= value and (most is None or value <= most):  # type: ignore[operator]
        return
    raise InputError(f"{setting} is not accepted; use {_range(least, most)}")


def _range(least: float, most: float | None) -> str:
    sign = "," if isinstance(least, int) else ",g"
    return f"at least {least:{sign}}" if most is None else f"a number from {least:{sign}} to {most:{sign}}"


LONGEST_VALUE = 40
"""The characters of a value that a message repeats."""


def shorten_value(value: object) -> str:
    """Return a value as Python writes it, cut where it is long; some numbers are too long for Python."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
