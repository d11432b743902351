"""Draw the pictures of the README: the top of a report, and a sentence in both annotations.

    python docs/scripts/pictures.py

It runs the bundled treebank and photographs the report in Chromium, so it needs chromium and chromedriver.
`--pair` draws the sentence only.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
sys.path[:0] = [str(ROOT / "tests" / "support")]

RUN = ("run", "--treebank", "demo", "--transform", "case", "--transform", "det")
PAIR = (
    "show",
    "--treebank",
    "demo",
    "--transform",
    "case",
    "--sent-id",
    "demo-test-055",
)

WIDTH, HEIGHT = 1000, 1010
"""The part of the report that the picture shows, in pixels."""

COLOURS = 256
"""A palette keeps the picture small."""


def learnability(*arguments: str) -> None:
    """Run a command of the program."""
    subprocess.run([sys.executable, "-m", "learnability", *arguments], check=True, stdout=subprocess.DEVNULL)


def draw_pair(folder: Path) -> Path:
    """Draw a sentence in both annotations, and return the file."""
    file = folder / "pair.svg"
    learnability(*PAIR, "--out", str(file))
    return file


def photograph_report(folder: Path) -> Path:
    """Run the demo and photograph the top of its report, and return the file."""
    from browsing import browser
    from PIL import Image

    file = folder / "report.png"
    with tempfile.TemporaryDirectory() as work:
        run = Path(work) / "run"
        learnability(*RUN, "--out", str(run), "--quiet")
        with browser(Path(work) / "profile") as chromium:
            chromium.open(run / "report.html", width=WIDTH, height=HEIGHT)
            png = chromium.driver.get_screenshot_as_png()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(file, optimize=True)
    return file


def main() -> None:
    """Draw both pictures, or with `--pair` the sentence only."""
    FIGURES.mkdir(exist_ok=True)
    print(draw_pair(FIGURES).relative_to(ROOT))
    if "--pair" not in sys.argv[1:]:
        print(photograph_report(FIGURES).relative_to(ROOT))


if __name__ == "__main__":
    main()
