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
mass: dalembert.Table = motion
poles: np.ndarray = system.linearize().eigenvalues
first: complex = system.linearize().modes[0].eigenvalue
passed: bool = system.verify().passed
found: dalembert.Connection = system.connect({"x": 1}, 1.0)
start: dict[str, float] = found.start_rates
estimate: dalembert.Fit = system.fit({"t": motion.t, "x": motion["x"]}, ["m"])
inertia: np.ndarray = system.mass_matrix({"x": 0.1})
jacobian: np.ndarray = system.jacobian("[x, 0]")
steps: int = motion.stats.steps
page: dalembert.Page = system.report()
source: str = system.export("c").text
