"""Optimal design of mechanisms and vehicles with exact gradients.

>>> import mbopt
>>> p = mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.5})
>>> p.variables
['Ls1', 'Ls2']
>>> f, g = p.value_and_gradient()
>>> p.check().right
True
>>> motion = p.simulate()
>>> print(f"{motion['P2.position.y'][0]:.6f} {motion.units['P2.position.y']}")
-2.000000 m
"""

import importlib
import logging
from typing import Any

from ._library import library as _c
from .ask import Ask, Evaluation
from .build import Expression, Key, Model, Output, Run, Samples, Section, import_robot, keys
from .errors import Error, InputError, SimulationError, Stopped
from .fit import Direction, Fit, InformativeOutput, Measurement, NextMeasurement
from .importance import Importance
from .motion import Motion
from .problem import Problem, allow_commands, allow_plugins
from .program import Page, import_urdf, new, page
from .results import Agreement, Batch, Iteration, Modes, Optimum
from .study import Study
from .tables import read_table, samples
from .trajectory import Trajectory

open = Problem  # mbopt.open("configs/five_bar.ini", {"case.swing.step": 1e-3})
__version__: str = _c.mbo_version().decode()
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    """mbopt.torch is there without an import of its own, and loads PyTorch at the first use."""
    if name == "torch":
        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "Agreement",
    "Ask",
    "Batch",
    "Direction",
    "Error",
    "Evaluation",
    "Expression",
    "Fit",
    "Importance",
    "InformativeOutput",
    "InputError",
    "Iteration",
    "Key",
    "Measurement",
    "Model",
    "Modes",
    "Motion",
    "NextMeasurement",
    "Optimum",
    "Output",
    "Page",
    "Problem",
    "Run",
    "Samples",
    "Section",
    "SimulationError",
    "Stopped",
    "Study",
    "Trajectory",
    "allow_commands",
    "allow_plugins",
    "import_robot",
    "import_urdf",
    "keys",
    "new",
    "open",
    "page",
    "read_table",
    "samples",
]
