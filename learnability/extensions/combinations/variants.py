"""List the variants of the constructions, which combinations choose between if none is named."""

from __future__ import annotations

from itertools import product

from learnability.transforms.registry import PAPER, get_transformation, known_transformations


def every_variant() -> tuple[str, ...]:
    """Return the seven constructions of the paper with all values of their options, the defaults first."""
    specs: list[str] = []
    for name in PAPER:
        options = known_transformations()[name].options
        settings = [[f"{option}={value}" for value in values] for option, values in options.items()]
        for chosen in product(*settings):
            spec = f"{name}:{','.join(chosen)}" if chosen else name
            specs.append(get_transformation(spec).spec)
    return tuple(specs)
