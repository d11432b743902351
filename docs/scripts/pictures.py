"""Draw the pictures of the README: a sentence in both annotations, and the pages that commands write.

    python docs/scripts/pictures.py [pair] [report] [doubt] [conventions] [atlas]

It photographs pages in Chromium, so it needs chromium and chromedriver, and UD_Turkish-IMST and
UD_Turkish-BOUN below LEARNABILITY_UD_HOME. Without names it draws all pictures.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
sys.path[:0] = [str(ROOT / "tests" / "support")]

IMST, BOUN = "UD_Turkish-IMST", "UD_Turkish-BOUN"
RUN = ("run", "--treebank", IMST, "--transform", "conj")
DOUBTS = ("doubts", "--treebank", IMST, "--quick")
CONVENTIONS = ("harmonise", IMST, BOUN)
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

WIDTH = 1000
HEIGHTS = {"report": 1010, "doubt": 690, "conventions": 690, "atlas": 730}
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


def write_page(name: str, runs: Path) -> Path:
    """Carry out the command that writes the page of a picture; return the page."""
    out = ("--out", str(runs / name), "--quiet")
    if name == "atlas":
        learnability(*ALL, "--out", str(runs / "all"), "--quiet")
        tables = ("--out", str(runs / "tables"), "--quiet")
        learnability("compare", str(runs / "all"), "--atlas", str(runs / name), *tables)
        return runs / name / "index.html"
    commands = {"report": RUN, "doubt": DOUBTS, "conventions": CONVENTIONS}
    learnability(*commands[name], *out)
    pages = {"report": "report.html", "doubt": "doubts.html", "conventions": "conventions.html"}
    return runs / name / pages[name]


def photograph(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Photograph the top of pages; yield the files."""
    from browsing import browser
    from PIL import Image

    with tempfile.TemporaryDirectory() as work:
        pages = {name: write_page(name, Path(work)) for name in names}
        with browser(Path(work) / "profile") as chromium:
            for name, page in pages.items():
                chromium.open(page, width=WIDTH, height=HEIGHTS[name])
                png = chromium.driver.get_screenshot_as_png()
                file = folder / f"{name}.png"
                Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(file, optimize=True)
                yield file


def main() -> None:
    """Draw the pictures that are named, or all of them."""
    FIGURES.mkdir(exist_ok=True)
    names = sys.argv[1:] or ["pair", *HEIGHTS]
    if "pair" in names:
        print(draw_pair(FIGURES).relative_to(ROOT))
    for file in photograph(FIGURES, [name for name in names if name != "pair"]):
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
