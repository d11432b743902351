"""Compiling kernels before they are needed, and noticing that it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from learnability.parsing.parser import Parser, ParserOptions, train_parser
from learnability.treebanks.sentence import Tree

COMPILATION_SECONDS, KERNELS = 30.0, 140
"""About how long the kernels of one transition system take to compile, and how many there are (76 to 114, the
last of them the slowest); only for estimates."""

SMALL = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
"""Enough to call every kernel."""


def warm_up_parser(options: ParserOptions) -> Parser:
    """Compile the kernels of training and parsing, or load them where they were compiled before."""
    return train_parser([SMALL], replace(options, iterations=1), [SMALL]).parser


@contextmanager
def noticed_compilation(notice: Callable[[], None]) -> Iterator[None]:
    """Call `notice` whenever a kernel is compiled within the block, not where it comes from the cache."""
    from numba.core import event

    class Each(event.Listener):
        def on_start(self, _: Any) -> None:
            notice()

        def on_end(self, _: Any) -> None:
            """Nobody asks."""

    with event.install_listener("numba:compile", Each()):
        yield
