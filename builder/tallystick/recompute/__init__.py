"""Recompute what a report states from its rows: one quantity, one rule of summation, one value.

What needs a report that is not here, or resamples beyond reason, has no value but an `Unknown`, with the reason.
"""

from tallystick.recompute.intervals import Drawn
from tallystick.recompute.quantities import Recomputation, Value
from tallystick.recompute.rows import Order, Unknown

__all__ = ["Drawn", "Order", "Recomputation", "Unknown", "Value"]
