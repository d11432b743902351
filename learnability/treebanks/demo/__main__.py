"""Write the demo treebank: ``python -m learnability.treebanks.demo OUTDIR``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from learnability.treebanks.demo import generate


def main(arguments: Sequence[str]) -> int:
    """Write the treebank into the folder that is the only argument."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m learnability.treebanks.demo OUTDIR\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in generate().items():
        (folder / name).write_bytes(content.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
