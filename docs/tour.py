# %% [markdown]
# # A tour: from a model on paper to its motion, its forces and a thousand runs
#
# A double pendulum in Cartesian coordinates: two masses on rigid rods. On paper one writes down the coordinates, the
# energies and the lengths of the rods. That is the whole model. The cells below run from top to bottom; the tests of
# the package execute them.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import dalembert

pendulum = dalembert.System.from_text("""
system "Double pendulum"
parameter m = 1, l = 1, g = 9.81
coordinate x[1..2], y[1..2]
kinetic sum(i in 1..2, m/2*(x[i]'^2 + y[i]'^2))
potential sum(i in 1..2, m*g*y[i])
constraint upper: norm([x[1], y[1]]) = l
constraint lower: norm([x[2] - x[1], y[2] - y[1]]) = l
initial x[1] = 0.8*l, y[1] ~ l, x[2] = 0.8*l, y[2] ~ -l
output upper_pull = -multiplier(upper), lower_pull = -multiplier(lower)
""")
pendulum

# %% [markdown]
# What was not given has been found: the first mass stands up to the right, the second hangs below it, and two constraints leave
# two of the four coordinates free.

# %%
assert pendulum.degrees_of_freedom == 2
assert [c["kind"] for c in pendulum.constraints] == ["holonomic", "holonomic"]
pendulum.initial

# %% [markdown]
# ## The equations
#
# Lagrange's equations with a multiplier for each rod. A notebook shows them typeset; `to_sympy()` gives SymPy objects.

# %%
equations = pendulum.derive("lagrange")
print(equations)

# %%
kernel = pendulum.derive("kernel").to_sympy()
kernel["constraint_matrix"]

# %% [markdown]
# ## The motion
#
# With the habits of `solve_ivp`: `t`, `y`, `success`, `message`; columns by name besides. The rods keep their length to
# rounding, whatever the tolerance.

# %%
times = np.linspace(0, 5, 501)
motion = pendulum.simulate((0, 5), times, rtol=1e-11)
print(motion.message, motion.stats.steps, "steps, energy", motion.energy)
assert motion.success
assert np.max(np.abs(np.hypot(motion["x[1]"], motion["y[1]"]) - 1)) < 1e-14

# %% [markdown]
# The same by hand: two angles from the vertical, the equations solved for their accelerations, and SciPy.


# %%
def by_hand(t, state, g=9.81):
    a, b, u, v = state
    c, s = np.cos(a - b), np.sin(a - b)
    p, q = -s * v**2 - 2 * g * np.sin(a), s * u**2 - g * np.sin(b)
    return [u, v, (p - c * q) / (2 - c**2), (2 * q - c * p) / (2 - c**2)]


judge = solve_ivp(by_hand, (0, 5), [np.arctan2(0.8, -0.6), 0, 0, 0], "DOP853", times, rtol=1e-11, atol=1e-11)
apart = np.max(np.abs(motion["x[2]"] - np.sin(judge.y[0]) - np.sin(judge.y[1])))
print(f"apart by {apart:.1e}")
assert apart < 1e-6

# %% [markdown]
# ## The forces
#
# Every constraint force has a name. When is the lower rod pushed instead of pulled? An event finds the instants at which
# its pull changes sign, while the motion is computed.

# %%
slack = pendulum.simulate((0, 5), events=["multiplier(lower)"], rtol=1e-11)
print("the lower rod goes slack or taut at", slack.t_events[0])
upper, lower = motion["upper_pull"], motion["lower_pull"]
assert np.count_nonzero(np.diff(np.sign(lower))) == len(slack.t_events[0])

# %% [markdown]
# Accelerations and forces as functions over arrays of states: `f.rhs` fits any integrator, `f.forces` knows the rods.

# %%
f = pendulum.acceleration_function()
forces = f.forces(motion.t, motion.y)
assert np.allclose(-forces.multipliers["upper"], upper)
assert f.rhs(0.0, motion.y).shape == motion.y.shape

# %% [markdown]
# ## Rest, and small motions about it

# %%
rest = pendulum.linearize({"x[1]": 0, "y[1]": -1, "x[2]": 0, "y[2]": -2}, independent=["x[1]", "x[2]"])
print(rest.kind, rest.stability, "frequencies", np.unique(np.abs(rest.eigenvalues.imag).round(6)))
assert np.allclose(
    np.unique(np.abs(rest.eigenvalues.imag).round(6)) ** 2, 9.81 * (2 + np.array([-1, 1]) * 2**0.5), rtol=1e-5
)

# %% [markdown]
# ## A thousand runs
#
# How far do neighbours drift apart? The start of the lower mass is drawn anew for each run, for three masses of the upper
# one. `sweep(..., client=client)` runs the same on a Dask cluster, with the same digits.

# %%
light = dalembert.System.from_text("""
parameter m1 = 1, m2 = 1, g = 9.81
coordinate a, b
let P = [sin(a), -cos(a)], Q = P + [sin(b), -cos(b)]
kinetic m1/2*dot(P', P') + m2/2*dot(Q', Q')
potential g*(m1*P.y + m2*Q.y)
initial a = pi/2
output X = Q.x, Y = Q.y
""")
cloud = light.sweep(vary={"m1": [0.5, 1, 2]}, sample={"b": "normal(0, 0.01)"}, runs=1000, seed=1, t_span=4)
print(cloud)
table = cloud.to_pandas()
print(table.groupby("m1")[["X", "Y"]].std())
assert cloud.complete and len(table) == 3000

# %% [markdown]
# ## A picture

# %%
figure, (path, pulls, ends) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
path.plot(motion["x[1]"], motion["y[1]"], motion["x[2]"], motion["y[2]"])
path.set(title="paths of the masses", aspect="equal")
pulls.plot(motion.t, upper, motion.t, lower)
pulls.plot(slack.t_events[0], 0 * slack.t_events[0], "o")
pulls.set(title="pull of the rods (N)", xlabel="t (s)")
for mass, rows in table.groupby("m1"):
    ends.plot(rows["X"], rows["Y"], ".", label=f"m1 = {mass}", markersize=2)
ends.set(title="where the lower mass is after 4 s", aspect="equal")
ends.legend()
plt.show()
