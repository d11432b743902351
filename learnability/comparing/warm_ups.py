"""List what compiles the kernels of all parsers, before any of them is used."""

from __future__ import annotations

from dataclasses import replace

from learnability.comparing.cells import multiref_kernels, warm_up_margins, warm_up_parser
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.run_parsers import multiref_parser
from learnability.parsers.registry import PARSERS, parser_named
from learnability.parsing.parser import SMALL, warm_up_classifier
from learnability.parsing.tagger import predict_tags
from learnability.running.cell import WarmUp

VARIANTS = ("graph:nonprojective",)
"""Parsers with kernels of their own that are options of another parser."""


def all_warm_ups() -> list[WarmUp]:
    """Return what compiles the kernels of the parsers of the core, of the tagger and of conversion."""
    calls: list[WarmUp] = []
    for name in [kind.name for kind in PARSERS.values() if kind.compiled] + list(VARIANTS):
        unlabelled = ExperimentOptions((), parsers=(parser_named(name),))
        calls.append(WarmUp(name, warm_up_margins, (replace(unlabelled, labels="keep"),)))
        calls.append(WarmUp(name, warm_up_parser, (unlabelled,)))
        if multiref_parser(unlabelled):
            calls += [
                multiref_kernels(options) for options in (unlabelled, replace(unlabelled, labels="external"))
            ]
    calls.append(WarmUp("tagger", warm_up_tagger, seconds=2.0))
    calls.append(WarmUp("conversion", warm_up_classifier, seconds=1.5))
    return sorted(calls, key=lambda call: -call.seconds)


def warm_up_tagger() -> None:
    predict_tags([SMALL, SMALL], [SMALL], 1)
