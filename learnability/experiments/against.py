"""Setting (a) on another scheme than UD (`run --against`): what a name means, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace

from learnability.errors import InputError
from learnability.experiments.data import SCHEME, canonical, transformation_of
from learnability.experiments.options import UD, ExperimentOptions
from learnability.multiref.contrasts import same_scheme
from learnability.transforms.registry import known_transformations
from learnability.treebanks.sentence import Conventions


def condition_named(name: str) -> str:
    """A scheme, TOML file or transformation with its options, as a condition is written; ``ud`` for UD.

    Raises:
        InputError: there is none (with the nearest name).
    """
    from learnability.schemes import find_scheme

    if name.partition(":")[0] in known_transformations():
        return canonical(name)
    scheme = find_scheme(name).transformation(Conventions())
    return SCHEME + name if scheme.parts else UD


def compared_with(options: ExperimentOptions, name: str, *, given: bool) -> ExperimentOptions:
    """The options with the scheme `name` as setting (a).

    `given`: the conditions were asked for; of the default ones that which is the same scheme is left out.

    Raises:
        InputError: no such scheme, or one of the given conditions is the same.
    """
    against = condition_named(name)
    same = [condition for condition in options.conditions if _same(against, condition)]
    if same and given:
        raise InputError(f"--against {name}: {_plain(same[0])} is the same scheme; compare it with another")
    rest = tuple(condition for condition in options.conditions if condition not in same)
    return replace(options, against=against, conditions=rest)


def check_against(options: ExperimentOptions) -> None:
    """Refuse what does not go with another scheme than UD on side (a).

    Raises:
        InputError: the same scheme on both sides.
    """
    if options.against == UD:
        return
    for condition in options.conditions:
        if _same(options.against, condition):
            raise InputError(f"--against {_plain(options.against)}: {_plain(condition)} is the same scheme")


def _same(against: str, condition: str) -> bool:
    second = transformation_of(condition, Conventions())
    if against == UD:
        return not second.parts
    return same_scheme(transformation_of(against, Conventions()), second)


def _plain(condition: str) -> str:
    return condition.removeprefix(SCHEME)
