"""Models that several tests share."""

import signal
from pathlib import Path

import dalembert
import pytest

ROOT = Path(__file__).resolve().parents[3]
MODELS = ROOT / "models"

# A shell starts what it runs in the background with SIGINT ignored, and Python then leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

PENDULUM = """
system "Pendulum on a rod"
parameter m = 1.3, l = 0.8, g = 9.81
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = l^2
initial x = 0.6, y ~ -1
output tension = -2*l*multiplier(rod), E = energy
"""

CART = """
system "Cart that swings its pendulum"
parameter m = 1, M = 2, l = 0.7, g = 9.81
coordinate x, theta
let P = [x + l*sin(theta), -l*cos(theta)]
kinetic M/2*x'^2 + m/2*dot(P', P')
potential m*g*P.y
require swing: theta = 0.3*sin(4*t) decay 4, 4
actuate x
output push = control(x), off = residual(swing)
simulate until 5
"""


@pytest.fixture
def pendulum() -> dalembert.System:
    return dalembert.System.from_text(PENDULUM, "pendulum.dal")


@pytest.fixture
def double() -> dalembert.System:
    return dalembert.System.from_file(MODELS / "double_pendulum.dal")
