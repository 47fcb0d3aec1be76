"""How the package is used, for the type checker; run by nobody."""

from typing import Optional

import dalembert
import numpy as np

system: dalembert.System = dalembert.System.from_text("coordinate x\nkinetic x'^2/2", m=1.0)
motion: dalembert.Motion = system.simulate((0, 1), np.linspace(0, 1, 5), rtol=1e-9, events=["x stop"])
last: float = float(motion.y[0, -1])
energy: Optional[dalembert.Record] = motion.energy
rates = system.acceleration_function(errors="nan").rhs(0.0, np.zeros((2, 3)))
shape: tuple[int, ...] = rates.shape
latex: str = system.derive("lagrange").latex
stable: bool = bool(system.verify())
sweep: dalembert.Sweep = system.sweep({"x": "0..1:5"}, runs=1, threads=2)
done: int = sweep.counts["done"]
built: dalembert.System = dalembert.Builder("x").coordinate("x").kinetic("x'^2/2").system()
