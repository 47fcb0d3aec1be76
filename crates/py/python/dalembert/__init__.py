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

from ._bodies import (
    Body,
    Element,
    Frame,
    Ground,
    Joint,
    Place,
    Point,
    Shape,
    ball,
    box,
    cylinder,
    disk,
    hoop,
    particle,
    rod,
    shell,
)
from ._builder import Builder
from ._connect import Connection
from ._engine import __version__
from ._equations import Equations
from ._errors import (
    DalembertError,
    Diagnostic,
    InternalError,
    Interrupted,
    ModelError,
    RequestError,
    RunError,
    explain,
)
from ._events import Event
from ._motion import EventHit, Motion
from ._pages import Animation, Code, Page
from ._rates import AccelerationFunction
from ._results import (
    Analysis,
    Brackets,
    Check,
    Control,
    Derivatives,
    Eigenvalues,
    Energy,
    Equilibria,
    Equilibrium,
    Evaluation,
    Fit,
    Forces,
    Linearization,
    Matrices,
    Mode,
    Parameters,
    Record,
    Stats,
    Verification,
)
from ._stepper import StepEvent, Stepper
from ._sweep import Sweep
from ._system import System
from ._table import Table
from ._terms import Term

import_urdf = System.import_urdf

__all__ = [
    "AccelerationFunction",
    "Analysis",
    "Animation",
    "Body",
    "Brackets",
    "Builder",
    "Check",
    "Code",
    "Connection",
    "Control",
    "DalembertError",
    "Derivatives",
    "Diagnostic",
    "Eigenvalues",
    "Element",
    "Energy",
    "Equations",
    "Equilibria",
    "Equilibrium",
    "Evaluation",
    "Event",
    "EventHit",
    "Fit",
    "Forces",
    "Frame",
    "Ground",
    "InternalError",
    "Interrupted",
    "Joint",
    "Linearization",
    "Matrices",
    "Mode",
    "ModelError",
    "Motion",
    "Page",
    "Parameters",
    "Place",
    "Point",
    "Record",
    "RequestError",
    "RunError",
    "Shape",
    "Stats",
    "StepEvent",
    "Stepper",
    "Sweep",
    "System",
    "Table",
    "Term",
    "Verification",
    "__version__",
    "ball",
    "box",
    "cylinder",
    "disk",
    "explain",
    "hoop",
    "import_urdf",
    "particle",
    "rod",
    "shell",
]
