"""Make all short trainings of treebanks: three of each construction, whatever they show.

    python research/predictions/short.py UD_Irish UD_Tamil [--release 1.3] [--splits dev] [--transform cc ...]
        [--alternative all ...] --out DIR

Each treebank gets a folder in DIR, which `sooner.py --short` reads.
"""

from __future__ import annotations

from pathlib import Path

from learnability.comparing.options import TreebankSelection
from learnability.running.workforce import Workforce
from learnability.studies.declaration import NoOptions, StudyRequest
from learnability.studies.predict import PredictOptions
from learnability.studies.registry import STUDIES
from learnability.studies.run import Run
from learnability.studies.runner import run_studies
from research.support.treebank_folds import arguments

EVERY_TRAINING = PredictOptions(threshold=1.0)
"""With a threshold that no probability reaches, no training is left out."""


def main() -> None:
    """Make the trainings of each treebank that is named."""
    parser = arguments(__doc__)
    parser.add_argument("--splits", default="released")
    parser.add_argument("--transform", nargs="+", default=())
    parser.add_argument("--alternative", nargs="+", default=())
    parser.add_argument("--out", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    command_line = parser.parse_args()
    for name in command_line.treebanks:
        selection = TreebankSelection(
            treebank=name,
            ud_home=command_line.ud_home,
            release=command_line.release,
            splits=command_line.splits,
        )
        run = Run.of_names(
            STUDIES["run"],
            NoOptions(),
            [selection],
            find_studies=lambda _: [StudyRequest(STUDIES["predict"], EVERY_TRAINING)],
            transform=tuple(command_line.transform),
            scheme=tuple(command_line.alternative),
        )
        folder = Path(command_line.out) / Path(name).name
        run_studies(run, folder, Workforce(command_line.jobs), report=None)
        print(folder)


if __name__ == "__main__":
    main()
