"""What the maintainer settled: `content/` and `results/<benchmark>/benchmark.yaml`, typed and strict.

Every mistake names its file, line and key, what was expected, what was found and what to do.
"""

from tallystick.settings.benchmark import load_benchmark
from tallystick.settings.content import load_prose, load_site
from tallystick.settings.withdrawals import load_withdrawals

__all__ = ["load_benchmark", "load_prose", "load_site", "load_withdrawals"]
