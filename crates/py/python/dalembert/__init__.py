"""Analytical mechanics: from a model on paper to its equations, its motion and every force in it.

>>> import dalembert
>>> system = dalembert.System.from_text('''
... parameter m = 1, l = 0.5, g = 9.81
... coordinate x, y
... kinetic m/2*(x'^2 + y'^2)
... potential m*g*y
... constraint rod: x^2 + y^2 = l^2
... initial x = 0.3, y ~ -1
... ''')
>>> motion = system.simulate((0, 2), t_eval=[0, 1, 2])
>>> motion.success, motion.y.shape
(True, (4, 3))
"""

from ._builder import Builder
from ._engine import __version__, explain
from ._equations import Equations
from ._errors import (
    DalembertError,
    Diagnostic,
    InternalError,
    Interrupted,
    ModelError,
    RequestError,
    RunError,
)
from ._events import Event
from ._motion import Animation, EventHit, Motion
from ._rates import AccelerationFunction
from ._results import (
    Analysis,
    Eigenvalues,
    Equilibria,
    Equilibrium,
    Evaluation,
    Linearization,
    Mode,
    Record,
    Verification,
)
from ._stepper import StepEvent, Stepper
from ._sweep import Sweep
from ._system import System
from ._table import Table

import_urdf = System.import_urdf

__all__ = [
    "AccelerationFunction",
    "Analysis",
    "Animation",
    "Builder",
    "DalembertError",
    "Diagnostic",
    "Eigenvalues",
    "Equations",
    "Equilibria",
    "Equilibrium",
    "Evaluation",
    "Event",
    "EventHit",
    "InternalError",
    "Interrupted",
    "Linearization",
    "Mode",
    "ModelError",
    "Motion",
    "Record",
    "RequestError",
    "RunError",
    "StepEvent",
    "Stepper",
    "Sweep",
    "System",
    "Table",
    "Verification",
    "__version__",
    "explain",
    "import_urdf",
]
