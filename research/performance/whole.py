"""Where the time of a whole `run` goes, in a table in Markdown.

    python research/performance/whole.py --treebank UD_Greek --release 1.3
    NUMBA_CACHE_DIR=$(mktemp -d) python research/performance/whole.py --treebank demo  # nothing compiled yet

Takes the arguments of `learnability run`, which is carried out in this process with `--jobs 1`; seconds are
processor time. A part's time is without that of the parts below it: of the compilation of transformations
within the building of references, say, only the first tells. With `--jobs` there are more processes, each of
which imports, reads and prepares for itself.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

start = time.process_time()

from learnability import cli  # noqa: E402
from learnability.reports import page  # noqa: E402, F401
from learnability.studies import runner  # noqa: E402, F401
from learnability.support.memory import collect_rarely, peak_memory  # noqa: E402

KERNELS = ("training", "parsing of dev and test", "averaging of weights", "token classifier")

PARTS = {
    "training": ("parsing.training.train_sentences",),
    "parsing of dev and test": ("parsing.parser.Parser.parse_corpus",),
    "averaging of weights": ("parsing.perceptron.average_weights",),
    "token classifier": ("parsing.token_classifier.train_classifier", "parsing.token_classifier.classify"),
    "loading or compiling kernels": ("running.workers.warm_up",),
    "reading and lifting": ("treebanks.splits.load_folds", "parsing.projectivity.lift"),
    "compiling transformations": ("transforms.base.compose",),
    "building references": ("multiref.references.reference_set", "multiref.arrays.encode_references"),
    "transforming trees": ("comparing.annotated_folds.changed_parts",),
    "conversion to UD": (
        "comparing.conversion.train_converter", "comparing.conversion.Converter.convert",
    ),
    "derivation perplexity": ("metrics.derivation.derivation_perplexity",),
    "other measures": ("comparing.measures.measure",),
    "scores": ("comparing.results.TrainingResult.of", "comparing.results.BothResult.of",),
    "intervals and tests": ("evidence.rows_from_records.result_rows",),
    "report and figures": ("reports.page.report_files",),
}  # fmt: skip
"""The functions that each part consists of, where they are defined."""

seconds: dict[str, float] = defaultdict(float)
running: list[float] = []
"""Of the parts under way, how long the parts within them took."""


@contextmanager
def watched(part: str) -> Iterator[None]:
    began = time.process_time()
    running.append(0.0)
    try:
        yield
    finally:
        took = time.process_time() - began
        seconds[part] += took - running.pop()
        if running:
            running[-1] += took


def watch(part: str, path: str) -> None:
    """Replace a function by one that is timed, in every module that holds it."""
    names = path.split(".")
    depth = next((i for i in range(len(names), 0, -1) if is_module(".".join(names[:i]))), 0)
    owner: Any = importlib.import_module(".".join(["learnability", *names[:depth]]))
    for name in names[depth:-1]:
        owner = getattr(owner, name, None)
    function: Callable[..., Any] | None = getattr(owner, names[-1], None)
    if function is None:
        raise SystemExit(f"learnability has no {path}: PARTS names what was renamed or moved")

    @functools.wraps(function)
    def timed(*arguments: Any, **options: Any) -> Any:
        with watched(part):
            return function(*arguments, **options)

    modules = [module for name, module in sys.modules.items() if name.startswith("learnability.")]
    for holder in {id(each): each for each in (owner, *modules)}.values():
        if vars(holder).get(names[-1]) is function:
            setattr(holder, names[-1], timed)


def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(f"learnability.{name}") is not None
    except ModuleNotFoundError:
        return False


def main(arguments: list[str]) -> int:
    """Run and print the table."""
    collect_rarely()  # as every command does
    seconds["imports"] = time.process_time() - start
    for part, paths in PARTS.items():
        for path in paths:
            watch(part, path)
    with tempfile.TemporaryDirectory() as folder, watched("all else"):
        code = cli.run(["run", "--test-set", *arguments, "--jobs", "1", "--quiet", "--out", f"{folder}/run"])
    if code:
        return code
    whole = sum(seconds.values())
    kernels = sum(seconds[part] for part in KERNELS)
    print("\n| part | processor seconds | share |\n|---|--:|--:|")
    for part in sorted(seconds, key=lambda part: (part not in KERNELS, -seconds[part])):
        print(f"| {part} | {seconds[part]:.1f} | {seconds[part] / whole:.1%} |")
    print(f"| **kernels** | {kernels:.1f} | {kernels / whole:.1%} |")
    print(f"| **outside the kernels** | {whole - kernels:.1f} | {1 - kernels / whole:.1%} |")
    print(f"| **all** | {whole:.1f} | |\n\nLargest memory: {peak_memory()} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
