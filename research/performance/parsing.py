"""Speed of training and parsing, per parser: tokens per second and iteration, and ratios within this run.

    python research/performance/parsing.py                      # the bundled treebank
    python research/performance/parsing.py UD_Greek --release 1.3 --labelled --json

Times are of the kernels alone, the best of `--repeat` runs, after a first run that compiles. Ratios are to
unlabelled arc-eager in the same run: compare those, not the absolute figures, between machines.
Parsing speed is that of `parse_corpus` on the training sentences. `steps` is the number of perceptron
steps per token and iteration: what a system costs besides its features. The graph-based parser makes one per
sentence; its labels are learned after its iterations, in a time that counts as theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numba

from learnability.parsing.encoding import Corpus
from learnability.parsing.graph import Decoder, GraphParser, encoder, train_graph_parser
from learnability.parsing.graph_features import TEMPLATES
from learnability.parsing.iterations import Training
from learnability.parsing.parser import Parser, ParserOptions, train_parser
from learnability.parsing.perceptron import STEP, features_of
from learnability.parsing.projectivity import lift
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import load_treebank
from research.support.treebank_folds import fastest

REFERENCE = ("arc-eager", False)

GRAPH = ("graph", "graph:nonprojective")
"""Graph-based parsers, as `--parser` names them."""


def options_for(system: str, labelled: bool, arguments: argparse.Namespace) -> ParserOptions:
    """Return options with the oracle of the command line, or static where the system has no other."""
    return ParserOptions(
        system=system,
        oracle="static" if system_named(system).unknown_costs else arguments.oracle,
        iterations=arguments.iterations,
        labelled=labelled,
        features=arguments.features,
    )


def parsing_seconds(parser: Parser | GraphParser, corpus: Corpus, repeat: int) -> float:
    """Return the shortest time to parse the encoded sentences."""
    return fastest(partial(parser.parse_corpus, corpus), repeat, time.perf_counter)[0]


def measure(trees: Sequence[Tree], options: ParserOptions, repeat: int) -> dict[str, Any]:
    """Return a row of the table for a transition-based parser."""
    ready = lift(trees) if system_named(options.system).projective else list(trees)
    began = time.perf_counter()
    warm = train_parser(ready[:3], options)
    warm.parser.parse(ready[:3])
    compilation = time.perf_counter() - began
    tokens = sum(len(tree) for tree in ready)
    trainings = [train_parser(ready, options) for _ in range(repeat)]
    seconds = min(t.seconds for t in trainings)
    parser = trainings[0].parser
    return {
        "system": options.system,
        "labelled": options.labelled,
        "oracle": options.oracle,
        "templates": len(options.templates()[0].terms),
        "training": tokens * trainings[0].iterations / seconds,
        "parsing": tokens / parsing_seconds(parser, options.encode(ready), repeat),
        "steps": int(parser.weights.meta[STEP]) / tokens / trainings[0].iterations,
        "features": trainings[0].features,
        "first_use_seconds": compilation,
    }


def measure_graph(
    trees: Sequence[Tree], name: str, labelled: bool, iterations: int, repeat: int
) -> dict[str, Any]:
    """Return a row of the table for a graph-based parser."""
    decoder = Decoder(projective=name == GRAPH[0], multiple_roots=False)
    ready = lift(trees) if decoder.projective else list(trees)
    encode = encoder(labelled=labelled)

    def train(trees: Sequence[Tree]) -> Training[GraphParser]:
        return train_graph_parser(
            trees, [], encode, decoder, labelled=labelled, iterations=iterations, seed=1
        )

    began = time.perf_counter()
    train(ready[:3]).parser.parse_encoded(ready[:3], encode(ready[:3]))
    compilation = time.perf_counter() - began
    corpus, trainings = encode(ready), [train(ready) for _ in range(repeat)]
    parser = trainings[0].parser
    return {
        "system": name,
        "labelled": labelled,
        "oracle": "",
        "templates": len(TEMPLATES.split()),
        "training": corpus.tokens() * iterations / min(t.seconds for t in trainings),
        "parsing": corpus.tokens() / parsing_seconds(parser, corpus, repeat),
        "steps": len(ready) / corpus.tokens(),
        "features": features_of(parser.weights),
        "first_use_seconds": compilation,
    }


def machine() -> dict[str, Any]:
    """Return facts about the machine and the versions."""
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print thousands of tokens per second, and ratios to the reference."""
    reference = next((r for r in rows if (r["system"], r["labelled"]) == REFERENCE), rows[0])
    rates = ("train k/s", "ratio", "parse k/s", "ratio")
    head = ("system", "oracle", "templates", *rates, "steps", "first use s")
    print(" | ".join(f"{h:>12}" for h in head))
    for row in rows:
        name = row["system"] + (" labelled" if row["labelled"] else "")
        cells = (
            name,
            row["oracle"],
            row["templates"],
            f"{row['training'] / 1e3:.0f}",
            f"{row['training'] / reference['training']:.2f}",
            f"{row['parsing'] / 1e3:.0f}",
            f"{row['parsing'] / reference['parsing']:.2f}",
            f"{row['steps']:.2f}",
            f"{row['first_use_seconds']:.1f}",
        )
        print(" | ".join(f"{c:>12}" for c in cells))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("treebank", nargs="?", default="demo", help="name or folder")
    arguments.add_argument("--release", default=None)
    arguments.add_argument(
        "--system", action="append", choices=[*SYSTEMS, *GRAPH], help="repeatable; default: all"
    )
    arguments.add_argument("--labelled", action="store_true", help="labelled parsers too")
    arguments.add_argument(
        "--oracle", default="explore", choices=["static", "ambiguity", "explore", "dynamic"]
    )
    arguments.add_argument("--features", default=OF_EXPERIMENTS)
    arguments.add_argument("--iterations", type=int, default=5)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--json", action="store_true")
    command_line = arguments.parse_args()
    treebank = load_treebank(command_line.treebank, release=command_line.release)
    trees = [sentence.tree for sentence in treebank.train]
    rows = [
        measure_graph(trees, system, labelled, command_line.iterations, command_line.repeat)
        if system in GRAPH
        else measure(trees, options_for(system, labelled, command_line), command_line.repeat)
        for labelled in ((False, True) if command_line.labelled else (False,))
        for system in (command_line.system or [*SYSTEMS, *GRAPH])
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if command_line.json:
        tokens = sum(len(tree) for tree in trees)
        print(json.dumps({"tokens": tokens, "peak_mb": peak, **machine(), "rows": rows}))
    else:
        print_table(rows)
        print(f"{sum(map(len, trees))} tokens, {peak:.0f} MB at most, {machine()}")


if __name__ == "__main__":
    main()
