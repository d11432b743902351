"""Run the notebooks, and keep their outputs in them.

    python docs/scripts/notebook.py [docs/lesson.ipynb ...]

`tests/docs` fails where a kept text differs from what a cell gives.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = (ROOT / "docs" / "notebook.ipynb", ROOT / "docs" / "lesson.ipynb")


def execute(path: Path, folder: Path) -> Any:
    """Return a notebook with the outputs of its cells; `folder`: where it writes runs."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        cell.pop("id", None)
    return notebook


def texts(cell: Any) -> list[str]:
    """Return what a cell prints and shows as text, without pictures, whose text is an address in memory."""
    found = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" not in data:
            found.append("".join(data.get("text/plain", output.get("text", ""))))
    return found


def main() -> None:
    """Write the notebooks."""
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    for path in map(Path, sys.argv[1:] or map(str, NOTEBOOKS)):
        with tempfile.TemporaryDirectory() as folder:
            notebook = execute(path, Path(folder))
        notebook.metadata.pop("widgets", None)
        notebook.metadata["language_info"] = {"name": "python"}
        notebook.nbformat_minor = 4
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
