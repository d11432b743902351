"""Run the notebook, and keep its outputs in it.

    python docs/scripts/notebook.py

`tests/docs` fails where a kept text differs from what a cell gives.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def execute(folder: Path) -> Any:
    """Return the notebook with the outputs of its cells; `folder`: where it writes runs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
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
    """Write the notebook."""
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        notebook = execute(Path(folder))
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.nbformat_minor = 4
    nbformat.write(notebook, NOTEBOOK)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
