"""From the logs people have to sealed reports: recognise, import, hold against the benchmark or make one, and plan.

Nothing is written before `apply`; a plan says everything that it understood, and `apply` never overwrites.
"""

from tallystick.importing.add import add, new
from tallystick.importing.plan import Plan, Understood, apply
from tallystick.importing.recognise import importers
from tallystick.importing.telling import told

__all__ = ["Plan", "Understood", "add", "apply", "importers", "new", "told"]
