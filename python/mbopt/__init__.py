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

from .ask import Ask, Evaluation
from .build import Expression, Key, Model, Output, Run, Section, keys
from .errors import Error, InputError, SimulationError, Stopped
from .fit import Direction, Fit, InformativeOutput, Measurement
from .problem import Agreement, Iteration, Modes, Motion, Optimum, Problem, allow_commands, allow_plugins
from .study import Study

open = Problem  # mbopt.open("configs/five_bar.ini", {"case.swing.step": 1e-3})

__all__ = [
    "Agreement",
    "Ask",
    "Direction",
    "Error",
    "Evaluation",
    "Expression",
    "Fit",
    "InformativeOutput",
    "InputError",
    "Iteration",
    "Key",
    "Measurement",
    "Model",
    "Modes",
    "Motion",
    "Optimum",
    "Output",
    "Problem",
    "Run",
    "Section",
    "SimulationError",
    "Stopped",
    "Study",
    "allow_commands",
    "allow_plugins",
    "keys",
    "open",
]
