"""Programs that annotate anew, and the scheme files that name them."""

from __future__ import annotations

import sys
from pathlib import Path

CHAIN = '''
"""Hangs every word on the one before it; counts its runs in a file beside it."""
import sys

with open(__file__ + ".runs", "a") as runs:
    print("run", file=runs)
source = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
text = source.buffer.read().decode() if source is sys.stdin else source.read()
lines = []
for line in text.split("\\n"):
    cells = line.split("\\t")
    if len(cells) == 10 and cells[0].isdigit():
        cells[6] = str(int(cells[0]) - 1)
        cells[7] = "dep" if cells[6] != "0" else "root"
        line = "\\t".join(cells)
    lines.append(line)
answer = open(sys.argv[2], "wb") if len(sys.argv) > 2 else sys.stdout.buffer
answer.write("\\n".join(lines).encode())
'''


def scheme_file(folder: Path, program: str = CHAIN, arguments: str = "", more: str = "") -> Path:
    (folder / "chain.py").write_text(program, encoding="utf-8")
    path = folder / "chain.toml"
    command = f'command = ["{sys.executable}", "{{folder}}/chain.py", {arguments}]'
    path.write_text(f"{command}\n{more}\n", encoding="utf-8")
    return path


def runs(folder: Path) -> int:
    path = folder / "chain.py.runs"
    return len(path.read_text().splitlines()) if path.exists() else 0
