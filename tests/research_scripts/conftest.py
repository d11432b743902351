"""Scripts of `research` are imported from the repository, wherever the package comes from."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
