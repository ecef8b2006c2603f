"""The score of every metric that is a mean of one statistic."""

from __future__ import annotations

import numpy as np

from tallystick.model import FloatArray


def score(sums: FloatArray, n: FloatArray) -> FloatArray:
    """Return the sum over the number of samples: sums (..., 1), n (...) → (...); undefined without samples."""
    with np.errstate(invalid="ignore"):  # 0 / 0 is undefined, too, in floats
        return np.asarray(sums[..., 0] / n)
