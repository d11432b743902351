"""The recorded run that tests read: config.json, records.jsonl and results.csv of this format.

    PYTHONPATH=. python tests/support/recorded_run.py

makes `tests/data/recorded_run` again, from a small cut of the bundled treebank. It is to be made again only
when the format of records changes (`learnability.running.records.FORMAT`): that later versions read the files
as they are is what they are kept for.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from carried_out import carried_out
from small_treebanks import small_treebank

from learnability.comparing.options import ExperimentOptions
from learnability.treebanks.locate import locate_treebank

VOLATILE = ("wall_seconds", "read_seconds", "worker", "peak_memory_mb", "kernel_seconds")
"""What records hold of time and machine, which is never the same twice."""

FOLDER = Path(__file__).parents[1] / "data" / "recorded_run"

SCHEME = """name = "words"
description = "made for a test"

[[transform]]
name = "case"

[[transform]]
name = "mark"
"""


def record() -> dict[str, bytes]:
    here = Path.cwd()
    with TemporaryDirectory() as work:
        os.chdir(work)
        try:
            small_treebank(Path())
            Path("words.toml").write_text(SCHEME)
            names = ("det", "scheme:words.toml")
            options = ExperimentOptions.spell_annotations(names, seeds=1, iterations=1, labels="external")
            carried_out(locate_treebank(Path("UD_Small")), options, Path("run"), arguments={"command": "run"})
            files = {path.name: path.read_bytes() for path in Path("run").iterdir() if path.is_file()}
        finally:
            os.chdir(here)
    config = json.loads(files["config.json"]) | {"versions": {}}
    (treebank,) = config["treebanks"]
    treebank["sha256"] = {Path(path).name: digest for path, digest in treebank["sha256"].items()}
    records = map(json.loads, files["records.jsonl"].splitlines())
    return {
        "config.json": (json.dumps(config, indent=1) + "\n").encode(),
        "records.jsonl": lines([without(record, VOLATILE) for record in records]),
        "results.csv": files["results.csv"],
        "scores.csv": files["scores.csv"],
    }


def without(value: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        return value
    kept = {name: without(inner, names) for name, inner in value.items() if name not in names}
    return kept | ({"kernel_seconds": 0.0} if "kernel_seconds" in value else {})


def lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in record().items():
        (FOLDER / name).write_bytes(data)
