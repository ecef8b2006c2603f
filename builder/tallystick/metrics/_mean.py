"""The score of every metric that is a mean of one statistic."""

from __future__ import annotations

import numpy as np

from tallystick.model import FloatArray


def score(sums: FloatArray, n: FloatArray) -> FloatArray:
    """Return the sum over the number of samples: sums (..., 1), n (...) → (...); undefined without samples."""
    total = sums[..., 0]
    quotient: FloatArray = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return quotient
