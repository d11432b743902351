"""Draw the pictures of the README: a sentence in both annotations, a report, a doubt, and the atlas.

    python docs/scripts/pictures.py

It runs the bundled treebank and photographs its pages in Chromium, so it needs chromium and chromedriver.
`--pair` draws the sentence only.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
sys.path[:0] = [str(ROOT / "tests" / "support")]

RUN = ("run", "--treebank", "demo", "--transform", "case", "--transform", "det")
DOUBTS = ("doubts", "--treebank", "demo", "--iterations", "5")
ALL = ("run", "--treebank", "demo", "--test-set")
PAIR = (
    "show",
    "--treebank",
    "demo",
    "--transform",
    "case",
    "--sent-id",
    "demo-test-057",
)

WIDTH, REPORT_HEIGHT, DOUBT_HEIGHT, ATLAS_HEIGHT = 1000, 1010, 690, 730
"""The part of each page that its picture shows, in pixels."""

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


def photograph(folder: Path) -> Iterator[Path]:
    """Run the bundled treebank and photograph the top of its pages; yield the files."""
    from browsing import browser
    from PIL import Image

    with tempfile.TemporaryDirectory() as work:
        runs = Path(work)
        learnability(*RUN, "--out", str(runs / "run"), "--quiet")
        learnability(*DOUBTS, "--out", str(runs / "doubts"), "--quiet")
        learnability(*ALL, "--out", str(runs / "all"), "--quiet")
        tables = ("--out", str(runs / "tables"), "--quiet")
        learnability("compare", str(runs / "all"), "--atlas", str(runs / "atlas"), *tables)
        pages = (
            ("report", runs / "run" / "report.html", REPORT_HEIGHT),
            ("doubt", runs / "doubts" / "doubts.html", DOUBT_HEIGHT),
            ("atlas", runs / "atlas" / "index.html", ATLAS_HEIGHT),
        )
        with browser(runs / "profile") as chromium:
            for name, page, height in pages:
                chromium.open(page, width=WIDTH, height=height)
                png = chromium.driver.get_screenshot_as_png()
                file = folder / f"{name}.png"
                Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(file, optimize=True)
                yield file


def main() -> None:
    """Draw all pictures, or with `--pair` the sentence only."""
    FIGURES.mkdir(exist_ok=True)
    print(draw_pair(FIGURES).relative_to(ROOT))
    if "--pair" not in sys.argv[1:]:
        for file in photograph(FIGURES):
            print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
