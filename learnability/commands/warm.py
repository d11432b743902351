"""`learnability warm`: compile all kernels ahead."""

from __future__ import annotations

import rich_click as click

from learnability.commands.options import Execution, options
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line


@click.command(name="warm", epilog="Example: learnability warm --quiet")
@options(Execution, "quiet")
def command(quiet: bool) -> None:
    """Compile all parsers now, so that no command waits for that.

    The first command that needs a parser compiles it, for itself and for later commands. A new version of
    the program compiles only what has changed.
    """
    with shown_steps("loading the parsers", quiet=quiet) as steps:
        from learnability.comparing.warm_ups import all_warm_ups
        from learnability.parsing.jit import count_kernels
        from learnability.running.cell import estimate_compiling
        from learnability.running.workers import warm_up
        from learnability.running.workforce import default_jobs

        calls, before, jobs = all_warm_ups(), count_kernels(), default_jobs()
        steps.begin("compiling all parsers", expected=estimate_compiling(calls, jobs))
        warm_up(jobs, calls)
        new = count_kernels() - before
    print_line(f"Compiled {count_noun(new, 'kernel')}." if new else "All kernels were compiled before.")
