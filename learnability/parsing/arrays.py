"""Names for the arrays of kernels, by what they hold."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
"""int32: positions, heads, labels, costs, rows."""

Flags: TypeAlias = NDArray[np.uint8]
"""uint8: 1 where something holds."""

Keys: TypeAlias = NDArray[np.uint64]
"""uint64: attributes and features."""

Scores: TypeAlias = NDArray[np.float32]
"""float32: scores and weights."""
